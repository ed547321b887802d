"""``fairground bank key`` and ``bank deploy``: a key file, and a new Bank on a test chain."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from fairground.core import InputError
from fairground.terminal.console import Arguments


def key(arguments: Sequence[str]) -> int:
    """``fairground bank key``"""
    parser = Arguments(
        "bank key",
        "Make a key and write it to a new file, under a passphrase: an account on a test chain,\n"
        "and what it signs with. Any wallet reads the file. Without it its money is lost.",
        "Example:\n"
        "  fairground bank key croupier.json\n\n"
        "The passphrase is read from a file, from FAIRGROUND_PASSPHRASE, or asked for.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="must not be there yet")
    parser.add_argument("--passphrase-file", metavar="FILE", type=Path, help="its first line")
    options = parser.parse_args(arguments)
    from fairground.bank.crypto.keystore import create, passphrase_from
    from fairground.bank.messages import Key

    if options.file.exists():
        what = "a folder" if options.file.is_dir() else "there already, and is left as it is"
        raise InputError(f"{str(options.file)!r} is {what}. A key needs a new file")
    prompt = f"Passphrase for the new key {options.file}: "
    fresh = Key.fresh()
    create(options.file, fresh, passphrase_from(options.passphrase_file, prompt, twice=True))
    print(f"The account {fresh.address} is in {options.file}.")
    return 0


def _deploy_arguments() -> Arguments:
    parser = Arguments(
        "bank deploy",
        "Make a new Bank for Blind Croupier on a test chain. Nobody owns it afterwards: its\n"
        "terms are fixed, and whoever made it has no rights in it.",
        "Example:\n"
        "  fairground bank key croupier.json       # and send it some money of the test chain\n"
        "  fairground bank deploy --bank http://127.0.0.1:8545 --key croupier.json\n\n"
        "Play money and test chains: chains where money is real are refused. Exit code 2 if it\n"
        "cannot be made.",
    )
    parser.add_argument("--bank", metavar="URL", required=True, help="a node of the chain")
    parser.add_argument("--key", metavar="FILE", type=Path, required=True, help="who pays for it")
    parser.add_argument("--passphrase-file", metavar="FILE", type=Path, help="what opens the key")
    parser.add_argument(
        "--chip-cost", type=int, metavar="WEI", default=10**15, help="what a chip costs (10^15)"
    )
    parser.add_argument(
        "--step-time",
        type=int,
        metavar="SECONDS",
        default=3600,
        help="how long each step of a game may take (default 3600)",
    )
    return parser


def deploy(arguments: Sequence[str]) -> int:
    """``fairground bank deploy``"""
    options = _deploy_arguments().parse_args(arguments)
    from fairground.bank.bank_port import PLAY_MONEY
    from fairground.bank.chain.artifact import NEWEST, Terms
    from fairground.bank.chain.bank import deploy as deploy_bank
    from fairground.bank.chain.node import ChainNode
    from fairground.bank.crypto.keystore import load, passphrase_from
    from fairground.bank.ledger.rules import CHIP_COSTS, STEP_TIMES

    terms = Terms(options.chip_cost, options.step_time)
    for option, value, allowed in (
        ("--chip-cost", terms.chip_cost, CHIP_COSTS[NEWEST]),
        ("--step-time", terms.step_time, STEP_TIMES),
    ):
        if value not in allowed:
            raise InputError(f"{option} must be {allowed[0]} to {allowed[-1]}, not {value}")
    node = ChainNode(options.bank)
    prompt = f"Passphrase of {options.key}: "
    payer = load(options.key, lambda: passphrase_from(options.passphrase_file, prompt))
    address = asyncio.run(deploy_bank(node, payer, *terms))
    print(f"The Bank {address} is open on the chain {node.chain_id}.")
    print(f"A chip costs {terms.chip_cost} wei, and a step may take {terms.step_time} seconds.")
    print(PLAY_MONEY)
    return 0
