"""``fairground verify``: is a transcript valid, and what does it prove?"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fairground.answers import Answer, fault_line, unanswered
from fairground.claims import Claim
from fairground.core import FairgroundError, Fault, InputError
from fairground.escape import named, shown
from fairground.receipts import beside, found, read_receipts, table_of
from fairground.terminal.console import Arguments
from fairground.terminal.files import opened, read_file
from fairground.terminal.records import answer_rows, claim_heading, winners
from fairground.verifier import SeatSummary, Verdict, verify

if TYPE_CHECKING:
    from fairground.contest.file import ContestVerdict, Section
    from fairground.lab.simulation import Submit
    from fairground.transcript import Event


WIDEST: Final = 96
"""Longer lines are hard to read, however wide the terminal is."""

BATCH: Final = 50
"""Games of a contest that are handed to a process at once."""


def _arguments() -> Arguments:
    parser = Arguments(
        "verify",
        "Check transcripts: follow the hash chain, play the whole game again through the\n"
        "same referee, check every commitment, and answer five questions about it.",
        "Example:\n"
        "  fairground dice 2,2,4,4,9,9 6,8,1,1,8,6 7,5,3,7,5,3 --save game.jsonl\n"
        "  fairground verify game.jsonl\n"
        "  fairground verify croupier.jsonl --bank http://127.0.0.1:8545\n"
        "  fairground verify --page verify.html\n\n"
        "Receipts show the order of lines. They are looked for beside the transcript\n"
        "(game.receipts), where our clients write them.\n\n"
        "Exit code 0: all are valid. 1: one is invalid, or unfinished; the line and the\n"
        "reason are told. 2: one cannot be read, or cannot be judged here.",
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help="a transcript; - reads standard input"
    )
    parser.add_argument(
        "--contest",
        metavar="FILE",
        help="check a contest file instead: every game, order, disguise and the standings",
    )
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=int,
        default=1,
        help="processes that check a contest's games at the same time (default 1)",
    )
    parser.add_argument(
        "--receipt",
        metavar="HEX",
        action="append",
        default=[],
        help="the head of an ask, kept before you answered it; may be given many times",
    )
    parser.add_argument(
        "--receipts", metavar="FILE", help="a file of receipts, as our clients write it"
    )
    parser.add_argument(
        "--bank",
        metavar="URL",
        help="for a game of the Blind Croupier: also prove that the Bank settled it so. The "
        "JSON-RPC address of a node of its chain, or of the arena that keeps its ledger",
    )
    parser.add_argument(
        "--page",
        metavar="FILE",
        help="write the second checker into this file: a page that shares no code with this "
        "command, and works in any browser without a network. Its SHA-256 is printed",
    )
    parser.add_argument(
        "--details",
        action="store_true",
        help="also print the exact claims: condition, lines, and who witnesses their order",
    )
    parser.add_argument("--json", action="store_true", help="print the verdict as one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground verify``"""
    options = _arguments().parse_args(arguments)
    if options.page is not None:
        if options.files or options.contest is not None:
            raise InputError("--page writes the checker, and checks nothing: leave the files out")
        return _write_page(Path(options.page))
    if bool(options.files) == (options.contest is not None):
        raise InputError("give files: fairground verify FILE ..., or verify --contest FILE")
    if options.contest is not None:
        if options.bank is not None:
            raise InputError("a contest has no Bank: leave --bank out")
        if options.jobs < 1:
            raise InputError(f"--jobs must be 1 or more, not {options.jobs}")
        return _run_contest(options)
    if options.jobs != 1:
        raise InputError("--jobs is for contests: fairground verify --contest FILE --jobs N")
    exits, verdicts = [], []
    judged: list[Verdict] = []
    for name in options.files:
        try:
            if (session := _session(name, options)) is not None:
                exits.append(session["exit"])
                verdicts.append({"file": name, **session["said"]})
                continue
            verdict = _verdict(name, options)
            judged.append(verdict)
        except FairgroundError as error:
            if not options.json and len(options.files) == 1:
                raise
            verdicts.append({"file": name, **_unreadable(error)})
            exits.append(2)
            if not options.json:
                print(f"{shown(name)}: {error}", file=sys.stderr)
            continue
        exits.append({"valid": 0, "cannot be judged": 2}.get(verdict.judged, 1))
        verdicts.append({"file": name, **verdict.as_json()})
        if not options.json:
            _tell(name, verdict, options.details)
    several = len(judged) > 1
    if options.json:
        many = {"verdicts": verdicts, "summary": _summed(judged)}
        print(json.dumps(verdicts[0] if len(verdicts) == 1 else many))
    elif several:
        print(_folded(_summary(_summed(judged)), 0))
    return 1 if 1 in exits else max(exits)


def _write_page(path: Path) -> int:
    from fairground.web import built_file

    page = built_file("verify.html")
    try:
        path.write_bytes(page)
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
    print(f"{shown(str(path))}: the second checker. Open it in a browser; it needs no network.")
    print(f"SHA-256 {hashlib.sha256(page).hexdigest()}")
    return 0


def _unreadable(error: FairgroundError) -> dict[str, Any]:
    """The verdict on what could not even be looked at."""
    fault = Fault(error.code, str(error))
    return Verdict("cannot be judged", (), None, fault, None, None, 0).as_json()


def _session(name: str, options: Any) -> dict[str, Any] | None:
    """The verdict on the record of a session; ``None`` for any other file."""
    if name == "-":
        return None
    with opened(name) as file:
        first = file.readline()
        if not first.endswith(b"\n") or b'"kind":"session"' not in first:
            return None
        data = first + file.read()
    from fairground.bank.audit import settled_session, verify_session

    try:
        verdict = verify_session(data)
        claims = [verdict.sentence()]
        if options.bank is not None:
            claims.append(asyncio.run(settled_session(data, _opener(options.bank))))
    except Fault as fault:
        answers = unanswered(fault, "invalid")
        if not options.json:
            print(_folded(f"{shown(name)}: {fault_line('invalid', fault)}", 0))
        said = {"line": fault.line, "code": fault.code, "reason": fault.reason}
        return {"exit": 1, "said": _session_json("invalid", None, answers, said, ())}
    if not options.json:
        print(_folded(f"{verdict.result} {shown(name)} is valid.", 0))
        print(answer_rows(verdict.answers, _fold, _columns()))
        if options.details or options.bank is not None:
            for claim in claims:
                print(_folded(f"If the keys are theirs alone, then {claim}."))
    said = {"hands": verdict.hands, "share": str(verdict.share)}
    result = _session_json("valid", verdict.result, verdict.answers, None, claims)
    return {"exit": 0, "said": {**result, **said}}


def _session_json(
    judged: str,
    result: str | None,
    answers: Sequence[Answer],
    fault: dict[str, Any] | None,
    claims: Sequence[str],
) -> dict[str, Any]:
    return {
        "ok": fault is None,
        "verdict": judged,
        "result": result,
        "answers": [answer._asdict() for answer in answers],
        "fault": fault,
        "claims": list(claims),
    }


def _verdict(name: str, options: Any) -> Verdict:
    receipts: list[Any] = list(options.receipt)
    with opened(name) as file:
        first = file.readline()
        if options.receipts is not None:
            receipts += read_receipts(Path(options.receipts), table_of(first))
        elif name != "-" and (kept := found(name, first)):
            receipts += kept
            if not options.json:
                print(f"Receipts are read from {shown(str(beside(Path(name))))}.")
        verdict = verify(file, receipts)
        if options.bank is None or not verdict.ok:
            return verdict
        file.seek(0)
        data = file.read()
    return _settled(verdict, data, options.bank)


def _settled(verdict: Verdict, data: bytes, url: str) -> Verdict:
    from fairground.bank import audit

    return asyncio.run(audit.settled(verdict, data, _opener(url)))


def _opener(url: str) -> Any:
    """Finds the Bank of a domain at this address."""
    from fairground.bank.bank_port import Bank
    from fairground.bank.ledger.lines import NO_CHAIN
    from fairground.bank.messages import Domain

    async def opened(domain: Domain) -> Bank:
        if domain.chain_id == NO_CHAIN:
            from fairground.bank.ledger.bank import LedgerClient

            return await LedgerClient.open(url)
        from fairground.bank.chain.bank import ChainBank

        return await ChainBank.open(url, domain.bank, chain_id=domain.chain_id)

    return opened


# What is printed


def _tell(name: str, verdict: Verdict, details: bool) -> None:
    if verdict.fault is not None:
        _tell_the_fault(name, verdict)
        return
    called = "The record" if name == "-" else shown(name)
    print(_folded(f"{verdict.result} {called} is valid.", 0))
    print(answer_rows(verdict.answers, _fold, _columns()))
    if details:
        _tell_details(verdict)


def _tell_details(verdict: Verdict) -> None:
    print(_folded(f"{verdict.game}, dealt by {verdict.dealer}, {verdict.events} lines"))
    assert verdict.played is not None
    for parameter in verdict.played.parameters:
        print(_folded(f"- {parameter}", 4))
    for seat, paid in zip(verdict.played.seats, verdict.payoff or (), strict=True):
        print(_folded(_seat(seat, paid)))
    if verdict.played.commitments:
        print(_folded("Commitments of the house. Compare with what your screen showed:"))
        for line, text in verdict.played.commitments:
            print(f"    line {line}: {shown(text)}")
    for remark in verdict.remarks:
        print(_folded(remark))
    if verdict.claims:
        print("What it proves:")
    else:
        print("It proves only that the recorded moves follow the rules.")
    for claim in verdict.claims:
        print(_folded(f"{claim_heading(claim)} ({_places(claim)})"))
        print(_folded(claim.sentence, 6))
    print("What no transcript can prove is said in docs/fairness.md.")


def _summed(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """Count games by how they ended, and those that were stopped by who owed the next line."""
    counts = dict.fromkeys(
        (
            "games",
            "finished",
            "won_by_house",
            "won_by_others",
            "stopped_by_house",
            "stopped_by_players",
            "stopped_by_unknown",
            "invalid",
        ),
        0,
    )
    counts["games"] = len(verdicts)
    stopped = {"house": "stopped_by_house", "seats": "stopped_by_players"}
    for verdict in verdicts:
        if verdict.owed is not None:
            counts[stopped.get(verdict.owed.by, "stopped_by_unknown")] += 1
        elif verdict.played is None:
            counts["invalid"] += 1
        else:
            counts["finished"] += 1
            assert verdict.game is not None
            for seat in winners(verdict.game, verdict.payoff):
                by_house = verdict.played.seats[seat].by == "house"
                counts["won_by_house" if by_house else "won_by_others"] += 1
    return counts


def _summary(counts: dict[str, int]) -> str:
    """Say in a sentence how many games ended how. Who is the house is what the records say."""
    said = (
        f"{counts['games']} games: {counts['finished']} finished (seats of the house won "
        f"{counts['won_by_house']}, others {counts['won_by_others']}), "
        f"{counts['stopped_by_house']} stopped by the house, {counts['stopped_by_players']} by "
        "players"
    )
    if counts["stopped_by_unknown"]:
        said += f", {counts['stopped_by_unknown']} by nobody knows whom"
    if counts["invalid"]:
        said += f", {counts['invalid']} not valid"
    return f"{said}."


def _seat(seat: SeatSummary, paid: int) -> str:
    ran = "the house's, says the record" if seat.by == "house" else "not the house's, it says"
    out = f"{named(seat.name)} ({seat.role}), {ran}: {paid:+d}"
    typed = [(line, value) for line, kind, value in seat.shares if kind in ("number", "stir")]
    others = len(seat.shares) - len(typed)
    if typed:
        said = ", ".join(f"{shown(json.dumps(v, ensure_ascii=False))}" for _, v in typed[:12])
        more = f" and {len(typed) - 12} more" if len(typed) > 12 else ""
        out += f". Given to the draws: {said}{more}"
    if others:
        out += f". Lent {others} secret{'s' if others > 1 else ''} of its own"
    return out


def _tell_the_fault(name: str, verdict: Verdict) -> None:
    print(_folded(f"{shown(name)}: {verdict.headline}", 0))


def _places(claim: Claim) -> str:
    numbers = sorted(set(claim.lines))
    listed = ", ".join(map(str, numbers[:12])) + (", ..." if len(numbers) > 12 else "")
    return f"line {listed}" if len(numbers) == 1 else f"lines {listed}"


def _folded(text: str, by: int = 2) -> str:
    margin = " " * by
    # Deeper than any heading of ours, so that no long name can place a heading of its own.
    hanging = margin if by > 4 else " " * 8
    return _fold(text, margin, hanging)


def _columns() -> int:
    return shutil.get_terminal_size((WIDEST, 24)).columns


def _fold(text: str, first: str = "", rest: str | None = None) -> str:
    width = min(WIDEST, _columns() - 1)
    rest = first if rest is None else rest
    return textwrap.fill(
        text,
        max(width, len(rest) + 12),
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
    )


# Contests


def _contest(data: bytes, receipts: Sequence[str], jobs: int) -> ContestVerdict:
    """The verdict on a contest, by one process or by several."""
    from fairground.contest.file import check  # only where there is a contest

    if jobs == 1:
        return check(data, receipts)
    from fairground.lab.simulation import workers

    with workers(jobs) as submit:
        return check(data, receipts, lambda games: _shared(games, submit))


def _shared(games: Sequence[Section], submit: Submit) -> Iterator[list[Event]]:
    """Yield games that worker processes run again, a batch each, in their order."""
    from fairground.contest.file import until_a_fault
    from fairground.lab.simulation import in_order

    batches = ((games[at : at + BATCH],) for at in range(0, len(games), BATCH))
    for results in in_order(until_a_fault, batches, submit):
        for result in results:
            if isinstance(result, Fault):
                raise result
            yield result


def _run_contest(options: Any) -> int:
    from fairground.contest.file import ContestVerdict

    receipts = list(options.receipt)
    try:
        if options.receipts is not None:
            receipts += [kept["head"] for kept in read_receipts(Path(options.receipts))]
        verdict = _contest(read_file(options.contest), receipts, options.jobs)
    except FairgroundError as error:
        if not options.json:
            raise
        print(json.dumps(ContestVerdict(False, Fault(error.code, str(error))).as_json()))
        return 2
    if options.json:
        print(json.dumps(verdict.as_json()))
    elif verdict.fault is None:
        _tell_the_contest(options.contest, verdict, options.details)
    else:
        print(_folded(f"{shown(options.contest)}: {fault_line('invalid', verdict.fault)}", 0))
    return 0 if verdict.ok else 1


def _tell_the_contest(name: str, verdict: ContestVerdict, details: bool) -> None:
    table = verdict.table or {}
    print(_folded(f"{verdict.result} {shown(name)} is valid.", 0))
    print(answer_rows(verdict.answers, _fold, _columns()))
    print(f"  contest {verdict.contest}, {table['games']} games for each entry, ", end="")
    print(f"{verdict.games} played, all run again")
    for row in (*table["official"], *table["training"]):
        place = f"{row['rank']}." if "rank" in row else "training"
        print(f"  {place:<9}{row['team_name']} {row['software_version']}: {_result(row)}")
    for row in table["removed"]:
        team = f"{row['team_name']} {row['software_version']}"
        print(_folded(f"removed by the creator: {shown(team)}: {shown(row['reason'])}"))
    for pair in table["pairs"]:
        print(_folded(pair["says"]))
    _tell_the_parts(table)
    if details:
        print("What it proves:")
        for claim in verdict.claims:
            print(_folded(f"{claim.name}: {claim.sentence}"))


def _tell_the_parts(table: dict[str, Any]) -> None:
    """Print the official entries' scores for each part, and the steps each factory forced."""
    if len(table["parts"]) > 1:
        print("Part by part, all official entries together:")
        for row in table["parts"]:
            kind = f"base {row['base']}, length {row['length']}, {row['oracle_type']}"
            where = f" at {shown(row['oraclefactory'])}" if row["oraclefactory"] else ""
            games = f"{row['games']} game{'' if row['games'] == 1 else 's'}"
            print(_folded(f"{games} of {kind}{where}: {_result(row)}"))
    if table["factories"]:
        print("Oracle factories, by the steps that they forced:")
        for row in table["factories"]:
            place = "-" if row["rank"] is None else f"{row['rank']}."
            where = "this arena" if row["oraclefactory"] is None else shown(row["oraclefactory"])
            print(_folded(f"{place} {where}: {_result(row)}"))
    here = any(row["oraclefactory"] is None for row in table["parts"])
    from fairground.contest.book import NO_DISGUISE

    if table["disguise"] == NO_DISGUISE and here:
        print(_folded(table["notes"][0], 0))


def _result(row: dict[str, Any]) -> str:
    out = f"{row['solved']} solved, {row['unfinished']} unfinished"
    if row["mean"] is not None:
        out += f", mean {float(row['mean']):.3f}, worst {row['worst']}"
    if row["low"] is not None:
        out += f", 95 % of the mean: {float(row['low']):.3f} to {float(row['high']):.3f}"
    return out
