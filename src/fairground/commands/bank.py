"""``fairground bank``: keys, deployment, withdrawal and a watchtower for a Bank on a chain."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fairground.core import FairgroundError, InputError
from fairground.terminal.console import Arguments

if TYPE_CHECKING:
    from fairground.bank.chain.watchtower import Watchtower
    from fairground.bank.messages import Key


LONGEST_PAUSE: Final = 60.0
"""Maximum seconds between two tries of a watchtower whose node is away."""


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
    from fairground.bank.keystore import create, passphrase_from
    from fairground.bank.messages import Key

    if options.file.exists():
        what = "a folder" if options.file.is_dir() else "there already, and is left as it is"
        raise InputError(f"{str(options.file)!r} is {what}. A key needs a new file")
    prompt = f"Passphrase for the new key {options.file}: "
    fresh = Key.fresh()
    create(options.file, fresh, passphrase_from(options.passphrase_file, prompt, twice=True))
    print(f"The account {fresh.address} is in {options.file}.")
    return 0


def _bank_arguments(name: str, about: str, more: str, pays: str = "") -> Arguments:
    """Return the parser of a command that pays with a key; without an address if it ``pays``."""
    parser = Arguments(name, about, more)
    parser.add_argument("--bank", metavar="URL", required=True, help="a node of the chain")
    if not pays:
        parser.add_argument("--bank-address", metavar="ADDRESS", required=True, help="of the Bank")
    parser.add_argument(
        "--key", metavar="FILE", type=Path, required=True, help=pays or "whose account"
    )
    parser.add_argument("--passphrase-file", metavar="FILE", type=Path, help="what opens the key")
    return parser


def _opened_key(options: argparse.Namespace) -> Key:
    from fairground.bank.keystore import load, passphrase_from

    prompt = f"Passphrase of {options.key}: "
    return load(options.key, lambda: passphrase_from(options.passphrase_file, prompt))


def deploy(arguments: Sequence[str]) -> int:
    """``fairground bank deploy``"""
    parser = _bank_arguments(
        "bank deploy",
        "Make a new Bank for Blind Croupier on a test chain. Nobody owns it afterwards: its\n"
        "terms are fixed, and whoever made it has no rights in it.",
        "Example:\n"
        "  fairground bank key croupier.json       # and send it some money of the test chain\n"
        "  fairground bank deploy --bank http://127.0.0.1:8545 --key croupier.json\n\n"
        "Play money and test chains: chains where money is real are refused. Exit code 2 if it\n"
        "cannot be made.",
        pays="who pays for it",
    )
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
    options = parser.parse_args(arguments)
    from fairground.bank.bank_port import PLAY_MONEY, Terms
    from fairground.bank.chain.bank import deploy as deploy_bank
    from fairground.bank.chain.node import ChainNode
    from fairground.bank.ledger.rules import CHIP_COSTS, STEP_TIMES

    terms = Terms(options.chip_cost, options.step_time)
    for option, value, allowed in (
        ("--chip-cost", terms.chip_cost, CHIP_COSTS),
        ("--step-time", terms.step_time, STEP_TIMES),
    ):
        if value not in allowed:
            raise InputError(f"{option} must be {allowed[0]} to {allowed[-1]}, not {value}")
    node = ChainNode(options.bank)
    payer = _opened_key(options)
    address = asyncio.run(deploy_bank(node, payer, *terms))
    print(f"The Bank {address} is open on the chain {node.chain_id}.")
    print(f"A chip costs {terms.chip_cost} wei, and a step may take {terms.step_time} seconds.")
    print(PLAY_MONEY)
    return 0


def withdraw(arguments: Sequence[str]) -> int:
    """``fairground bank withdraw``"""
    parser = _bank_arguments(
        "bank withdraw",
        "Take money home from a Bank on a test chain: what no game has locked.",
        "Example:\n"
        "  fairground bank withdraw --bank http://127.0.0.1:8545 --bank-address 0x5FbD... \\\n"
        "      --key croupier.json --chips 1000\n\n"
        "A Croupier may take it at any time: what his open games need is locked. Exit code 2 if\n"
        "there is not so much.",
    )
    parser.add_argument("--chips", type=int, metavar="CHIPS", help="how much (default: all of it)")
    options = parser.parse_args(arguments)
    from fairground.bank.bank_port import WithdrawFunds
    from fairground.bank.chain.bank import ChainBank

    owner = _opened_key(options)

    async def take() -> int:
        bank = await ChainBank.open(options.bank, options.bank_address)
        try:
            chip = bank.terms.chip_cost
            has = (await bank.account(owner.address)).available
            wanted = has if options.chips is None else options.chips * chip
            if not 0 < wanted <= has:
                raise InputError(
                    f"{owner.address} has {has // chip} chips at the Bank outside of games: "
                    f"--chips must be 1 to {has // chip}"
                )
            await bank.send(owner, WithdrawFunds(wanted))
            return wanted
        finally:
            await bank.close()

    taken = asyncio.run(take())
    print(f"{taken} wei are in the account {owner.address} now, less the gas.")
    return 0


def watch(arguments: Sequence[str]) -> int:
    """``fairground bank watch``"""
    parser = _bank_arguments(
        "bank watch",
        "Watch the games at a Bank on a test chain: complain when a deadline has passed, and\n"
        "settle when a hand is final; in sessions, bring the newest state that was left with it.\n"
        "It needs no key of the parties; its own key pays the gas.",
        "Example:\n"
        "  fairground bank watch --bank http://127.0.0.1:8545 --bank-address 0x5FbD... \\\n"
        "      --key tower.json --for 0x7E5F...\n\n"
        "It goes on for ever, also when its node is away or a file is half copied. Stop it with\n"
        "Ctrl-C.",
    )
    parser.add_argument(
        "--for",
        dest="accounts",
        metavar="ADDRESS",
        action="append",
        default=[],
        help="an account whose games to watch; may be given often (default: everybody's)",
    )
    parser.add_argument(
        "--tower",
        metavar="FOLDER",
        type=Path,
        help="what parties of sessions left (serve --tower, croupier --session --tower): newer "
        "states and open hands are brought to the Bank",
    )
    parser.add_argument(
        "--every", type=float, metavar="SECONDS", default=15.0, help="how often to look (15)"
    )
    parser.add_argument(
        "--metrics",
        metavar="FILE",
        type=Path,
        help="write a heartbeat into this file after each look, in the text format of Prometheus",
    )
    parser.add_argument("--once", action="store_true", help="look once, and end")
    options = parser.parse_args(arguments)
    from fairground.bank.calls import address

    if options.every <= 0:
        raise InputError(f"--every must be more than 0 seconds, not {options.every:g}")
    accounts = [address(one, "--for") for one in options.accounts]
    payer = _opened_key(options)

    asyncio.run(_watch(options, payer, accounts))
    return 0


async def _watch(options: argparse.Namespace, payer: Key, accounts: Sequence[str]) -> None:
    """Look again and again, whatever goes wrong; once with ``--once``."""
    from fairground.bank.bank_port import Backoff, BankAway
    from fairground.bank.calls import call_as_json
    from fairground.bank.chain.bank import ChainBank
    from fairground.bank.chain.watchtower import Watchtower
    from fairground.bank.session import Tower

    left = None if options.tower is None else Tower(options.tower)
    backoff, made = Backoff(options.every, LONGEST_PAUSE), 0
    tower: Watchtower | None = None
    async with AsyncExitStack() as stack:
        while True:
            try:
                if tower is None:
                    bank = await ChainBank.open(options.bank, options.bank_address)
                    stack.push_async_callback(bank.close)
                    tower = Watchtower(bank, payer, accounts, tower=left)
                    print(f"Watching the Bank {bank.address} on the chain {bank.domain.chain_id}.")
                calls = await tower.look()
            except FairgroundError as error:
                if options.once or (tower is None and not isinstance(error, BankAway)):
                    raise
                seconds = backoff.failed()
                _write_metrics(options.metrics, tower, made, backoff.failures)
                print(f"Looking again in {seconds:g} seconds: {error}", file=sys.stderr, flush=True)
                await asyncio.sleep(seconds)
                continue
            for call in calls:
                said = call_as_json(call)
                if "bet" in said:
                    what, of = f"game {said['bet']['game_id']}", said["bet"]
                else:
                    what, of = f"session {said['terms']['number']}", said["terms"]
                print(f"{said['call']}: {what} of {of['player']}", flush=True)
            made += len(calls)
            _write_metrics(options.metrics, tower, made, 0)
            if options.once:
                return
            await asyncio.sleep(backoff.worked())


def _write_metrics(path: Path | None, tower: Watchtower | None, made: int, failures: int) -> None:
    """Write the heartbeat, in the text format of Prometheus, as a whole."""
    if path is None or tower is None:
        return
    from fairground.bank.croupier.service import gauges

    text = gauges(
        "fairground_watchtower",
        {
            "last_look": (
                "Seconds since 1970 of the last look, also of one that failed.",
                int(time.time()),
            ),
            "failed_looks": ("Looks in a row that failed; 0 after one that worked.", failures),
            "sessions": ("Sessions that were left with it, and could be read.", tower.sessions),
            "trouble": ("Files and games that do not go on; the log says why.", len(tower.trouble)),
            "calls_made": ("Calls that it made since its start.", made),
        },
    )
    fresh = path.with_name(f"{path.name}.new")
    try:
        fresh.write_text(text)
        fresh.replace(path)
    except OSError as error:
        print(f"{str(path)!r} cannot be written: {error.strerror}", file=sys.stderr, flush=True)
