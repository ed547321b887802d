"""``fairground bank deploy``: a new Bank on a test chain, for whoever runs a Croupier there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from fairground.core import InputError
from fairground.terminal.console import Arguments


def _arguments() -> Arguments:
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


def run(arguments: Sequence[str]) -> int:
    """``fairground bank deploy``"""
    options = _arguments().parse_args(arguments)
    from fairground.bank.bank_port import PLAY_MONEY
    from fairground.bank.chain.artifact import Terms
    from fairground.bank.chain.bank import deploy
    from fairground.bank.chain.node import ChainNode
    from fairground.bank.crypto.keystore import load, passphrase_from
    from fairground.bank.ledger.rules import CHIP_COSTS, STEP_TIMES

    terms = Terms(options.chip_cost, options.step_time)
    for option, value, allowed in (
        ("--chip-cost", terms.chip_cost, CHIP_COSTS),
        ("--step-time", terms.step_time, STEP_TIMES),
    ):
        if value not in allowed:
            raise InputError(f"{option} must be {allowed[0]} to {allowed[-1]}, not {value}")
    node = ChainNode(options.bank)
    prompt = f"Passphrase of {options.key}: "
    key = load(options.key, lambda: passphrase_from(options.passphrase_file, prompt))
    address = asyncio.run(deploy(node, key, *terms))
    print(f"The Bank {address} is open on the chain {node.chain_id}.")
    print(f"A chip costs {terms.chip_cost} wei, and a step may take {terms.step_time} seconds.")
    print(PLAY_MONEY)
    return 0
