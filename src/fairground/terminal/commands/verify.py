"""``fairground verify``: does a transcript hold, and what does it prove?"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairground.contest.file import ContestVerdict, check
from fairground.core import Fault, InputError, Unreadable
from fairground.terminal.console import Arguments
from fairground.verify import Claim, Verdict, verify


def _arguments() -> Arguments:
    parser = Arguments(
        "verify",
        "Check a transcript: follow its hash chain, play the whole game again through the\n"
        "same referee, check every commitment, and say what that proves, and for whom.",
        "Example:\n"
        "  fairground dice 2,2,4,4,9,9 6,8,1,1,8,6 7,5,3,7,5,3 --save game.jsonl\n"
        "  fairground verify game.jsonl\n"
        "  fairground verify croupier.jsonl --bank http://127.0.0.1:8545\n\n"
        "Exit code 0: it holds. 1: it does not; the line and the reason are told (a game that\n"
        "was not finished does not hold either). 2: the file cannot be read.",
    )
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="the transcript; - reads standard input"
    )
    parser.add_argument(
        "--contest",
        metavar="FILE",
        help="check a contest file instead: every game, order, disguise and the standings",
    )
    parser.add_argument(
        "--receipt",
        metavar="HEX",
        help="a hash that you kept during the game: proves the order of events up to its line",
    )
    parser.add_argument(
        "--bank",
        metavar="URL",
        help="for a game of the Blind Croupier: also prove that the Bank settled it so. The "
        "JSON-RPC address of a node of its chain, or of the arena that keeps its ledger",
    )
    parser.add_argument("--json", action="store_true", help="print the verdict as one JSON object")
    return parser


def read_file(name: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``."""
    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise Unreadable(f"cannot read {name!r}: {error.strerror or error}") from None


def run(arguments: Sequence[str]) -> int:
    """``fairground verify``"""
    options = _arguments().parse_args(arguments)
    if (options.file is None) == (options.contest is None):
        raise InputError("give one file: fairground verify FILE, or verify --contest FILE")
    if options.contest is not None:
        if options.bank is not None:
            raise InputError("a contest has no Bank: leave --bank out")
        return _run_contest(options.contest, options.receipt, options.json)
    data = read_file(options.file)
    verdict = _verdict(data, options.receipt)
    if options.bank is not None and verdict.ok:
        verdict = _settled(verdict, data, options.bank)
    if options.json:
        print(json.dumps(verdict.as_json()))
    elif verdict.ok:
        _tell_what_holds(options.file, verdict)
    else:
        _tell_the_fault(options.file, verdict.fault)
    return 0 if verdict.ok else 1


def _verdict(data: bytes, receipt: str | None) -> Verdict:
    """What comes of a transcript. Only a scheme that needs keccak loads it."""
    if not _is_the_banks(data):
        return verify(data, receipt)
    from fairground.bank.audit import verify_game

    return verify_game(data, receipt)


def _is_the_banks(data: bytes) -> bool:
    """Whether the first line names a scheme of the Bank; all checking is left to others."""
    try:
        dealer = json.loads(data.partition(b"\n")[0])["dealer"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return isinstance(dealer, str) and dealer.startswith("croupier")


def _settled(verdict: Verdict, data: bytes, url: str) -> Verdict:
    import asyncio

    from fairground.bank import audit
    from fairground.bank.bank_port import Bank
    from fairground.bank.ledger.lines import NO_CHAIN
    from fairground.bank.messages import Domain

    async def opened(domain: Domain) -> Bank:
        if domain.chain_id == NO_CHAIN:
            from fairground.bank.ledger.client import LedgerClient

            return await LedgerClient.open(url)
        from fairground.bank.chain.bank import ChainBank

        return await ChainBank.open(url, domain.bank, chain_id=domain.chain_id)

    return asyncio.run(audit.settled(verdict, data, opened))


def _run_contest(name: str, receipt: str | None, as_json: bool) -> int:
    verdict = check(read_file(name), receipt)
    if as_json:
        print(json.dumps(verdict.as_json()))
    elif verdict.ok:
        _tell_the_contest(name, verdict)
    else:
        _tell_the_fault(name, verdict.fault)
    return 0 if verdict.ok else 1


def _tell_the_contest(name: str, verdict: ContestVerdict) -> None:
    table = verdict.table or {}
    print(f"{name}: HOLDS")
    print(f"  contest {verdict.contest}, {table['games']} games for each entry, ", end="")
    print(f"{verdict.games} played, all run again")
    for row in (*table["official"], *table["training"]):
        place = f"{row['rank']}." if "rank" in row else "training"
        print(f"  {place:<9}{row['team_name']} {row['software_version']}: {_result(row)}")
    for pair in table["pairs"]:
        print(_indented(pair["says"]))
    print("What it proves:")
    for claim in verdict.claims:
        print(_indented(claim))
    if not any(claim.startswith("ORDERED") for claim in verdict.claims):
        print("The order of events is as recorded by the house: no --receipt was given.")


def _result(row: dict[str, Any]) -> str:
    out = f"{row['solved']} solved, {row['unfinished']} unfinished"
    if row["mean"] is not None:
        out += f", mean {float(row['mean']):.3f}, worst {row['worst']}"
    if row["low"] is not None:
        out += f", 95 % of the mean: {float(row['low']):.3f} to {float(row['high']):.3f}"
    return out


def _tell_the_fault(name: str, fault: Fault | None) -> None:
    assert fault is not None
    where = "" if fault.line is None else f" at line {fault.line}"
    print(f"{name}: DOES NOT HOLD{where} ({fault.code})")
    print(_indented(fault.reason))


def _tell_what_holds(name: str, verdict: Verdict) -> None:
    print(f"{name}: HOLDS")
    print(f"  {verdict.game}, dealt by {verdict.dealer}, {verdict.events} events")
    payoff = verdict.payoff or ()
    for seat, (player, paid) in enumerate(zip(verdict.seats, payoff, strict=True)):
        print(f"  seat {seat}: {player}, payoff {paid:+d}")
    for remark in verdict.remarks:
        print(_indented(remark))
    print("What it proves:" if verdict.claims else "It proves nothing beyond that it replays.")
    for claim in verdict.claims:
        print(f"  {claim}")
        print(_indented(f"{claim.condition} ({_places(claim)})", 6))
    if not any(claim.name == "ORDERED" for claim in verdict.claims):
        print("The order of events is as recorded by the house: no --receipt was given.")
    print("What no transcript can prove is said in docs/fairness.md.")


def _places(claim: Claim) -> str:
    numbers = sorted(set(claim.lines))
    shown = ", ".join(map(str, numbers[:12])) + (", ..." if len(numbers) > 12 else "")
    return f"line {shown}" if len(numbers) == 1 else f"lines {shown}"


def _indented(text: str, by: int = 2) -> str:
    margin = " " * by
    return textwrap.fill(text, 96, initial_indent=margin, subsequent_indent=margin)
