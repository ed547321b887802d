"""Make the golden playthroughs: ``python -m tests.make_playthroughs``.

Each is a transcript (``.jsonl``) and the same game told in words (``.txt``). Every secret
and every decision is fixed, so making them again gives the same bytes; if it does not,
rules or schemes have changed, and their names must change with them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from fairground.core import Draw, Over, Turn
from fairground.games import GAMES
from fairground.table import Table
from fairground.testing.driving import Driver, FixedVault, length_of, open_table
from fairground.verify import verify
from tests.helpers.samples import Golden, goldens_of

FOLDER = Path(__file__).parent / "playthroughs"


def all_goldens() -> list[Golden]:
    """Every playthrough that the registered games must have."""
    return [golden for game in sorted(GAMES) for golden in goldens_of(game)]


def make(golden: Golden) -> tuple[bytes, str]:
    """The transcript of a playthrough, and its story."""
    sample, mode, leaves_after = golden
    table = open_table(sample.game, sample.params, mode, FixedVault(golden.name))
    driver = Driver(table, golden.name, length_of(mode))
    story = [f"{golden.name}", ""]
    told = answers = 0
    while True:
        for event in table.transcript.events[told:]:
            told += 1
            story.append(f"{told:3}. {tell(event)}")
        story += position(table)
        if answers == leaves_after and not table.closed:
            table.forfeit(table.game.seats - 1, "left the table")
        elif not driver.once():
            break
        answers += 1
    data = bytes(table.transcript)
    story += ["", *ending(data)]
    return data, "\n".join(story) + "\n"


def tell(event: dict[str, Any]) -> str:
    """One event in words."""
    match event["kind"]:
        case "start":
            seats = ", ".join(f"{s['name']} ({s['by']}, {s['lends']})" for s in event["seats"])
            return (
                f"{event['game']} {event['params']} under {event['dealer']} "
                f"{event['public']}: {seats}"
            )
        case "ticket":
            hidden = ", hidden" if event["hidden"] else ""
            return f"run {event['run']} opens, below {event['n']}{hidden}: {event['ticket']}"
        case "share":
            return (
                f"seat {event['seat']} lends a {event['share']} to run {event['run']}: "
                f"{event['value']}"
            )
        case "dealt":
            return f"run {event['run']} gives {draws(event)} by {event['evidence']}"
        case "seal":
            return f"seat {event['seat']} seals a move: {event['commitment']}"
        case "open":
            return f"seat {event['seat']} opens {event['move']!r} with {event['key']}"
        case "move":
            return f"seat {event['seat']} plays {event['move']!r}"
        case "forfeit":
            return f"seat {event['seat']} forfeits, says the {event['by']}: {event['reason']}"
        case "opening":
            return f"run {event['run']} is opened: {draws(event)} by {event['evidence']}"
        case "end":
            return f"the end: {event['payoff']}"
        case kind:
            raise LookupError(f"no words for {kind}")


def draws(event: dict[str, Any]) -> str:
    return ", ".join(f"{'?' if value is None else value} of {n}" for n, value in event["draws"])


def position(table: Table) -> Iterator[str]:
    """Where the game stands, as everyone may see it, and what is legal."""
    game, s = table.game, table.state
    yield f"       state {s}"
    for seat in range(game.seats):
        if (view := game.view(s, seat)) != s:
            yield f"       seat {seat} sees {view}"
    match game.awaits(s):
        case Turn(seats):
            for seat in seats:
                moves = list(islice(game.moves(s, seat), 13))
                more = " ..." if len(moves) > 12 else ""
                yield f"       seat {seat} may play {', '.join(map(repr, moves[:12]))}{more}"
        case Draw(n, to):
            yield f"       a draw below {n}" + ("" if to is None else f" for seats {to}")
        case Over(payoff):
            yield f"       over: {payoff}"
    for ask in table.asks():
        yield f"       seat {ask.seat} is asked for a {ask.kind}"


def ending(data: bytes) -> Iterator[str]:
    verdict = verify(data)
    yield f"holds: {verdict.ok}; payoff {verdict.payoff}"
    for claim in verdict.claims:
        yield f"{claim}: lines {', '.join(map(str, claim.lines))}; {claim.condition}"


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    wanted = set()
    for golden in all_goldens():
        data, story = make(golden)
        (FOLDER / f"{golden.name}.jsonl").write_bytes(data)
        (FOLDER / f"{golden.name}.txt").write_text(story, encoding="utf-8", newline="\n")
        wanted |= {f"{golden.name}.jsonl", f"{golden.name}.txt"}
    for path in FOLDER.iterdir():
        if path.name not in wanted:
            path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
