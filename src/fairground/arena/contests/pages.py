"""A contest as others read it: the watch page's JSON, and the standings as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from typing import Any, Final

from fairground.arena.contests.live_book import LiveBook
from fairground.arena.contests.wire import ContestOut, ContestPart, Removed
from fairground.contest.book import NO_DISGUISE
from fairground.contest.parts import Part
from fairground.contest.standings import (
    CSV_COLUMNS,
    ContestTeam,
    ranked,
    removed_row,
    row_of,
    tally_of,
)
from fairground.games.codebreaking import FAIR

COVERS_ALL: Final = "the codes, and the order and disguise in which each entry meets them"
COVERS_ALL_PLAIN: Final = "the codes, and the order in which each entry meets them"
COVERS_FAIR: Final = "the codes of the fair games kept here, and all orders and disguises"
COVERS_NONE: Final = "orders and disguises only"
GIVES_UP: Final = (
    "there is no disguise: all teams meet the same codes in the same digits and places. So a "
    "program scores the same under any name, and who has met a code can tell it to another team, "
    "or enter again under another name. Ranks are evidence only among teams that do neither"
)
NO_CODE: Final = (
    "nice and evil oracles draw no code beforehand, so nothing is committed of theirs; at the end "
    "each shows a code that fits all its answers"
)
UNPROVEN: Final = (
    "relayed games are unproven: their answers are the word of the oracle factories elsewhere, "
    "which make a code of its own for each entry; this arena only counts the steps"
)


def proof_of(part: Part) -> str:
    """What stands behind the answers in these games."""
    if part.factory is not None:
        return "unproven"
    return "committed" if part.oracle == FAIR else "consistent"


def covers(live: LiveBook) -> str:
    """What the contest's commitment is a commitment to, and what not."""
    proofs = {proof_of(part) for part in live.book.parts}
    plain = live.book.disguise == NO_DISGUISE
    if proofs == {"committed"}:
        return COVERS_ALL_PLAIN if plain else COVERS_ALL
    words = [COVERS_FAIR if "committed" in proofs else COVERS_NONE]
    if plain:
        words = [word.replace("orders and disguises", "orders") for word in words]
    words += [NO_CODE] if "consistent" in proofs else []
    words += [UNPROVEN] if "unproven" in proofs else []
    return "; ".join(words)


def part_of(part: Part) -> ContestPart:
    """A part as JSON."""
    return ContestPart(
        part.base, part.length, part.oracle, part.games, proof_of(part), part.factory
    )


def watch(live: LiveBook, at: Callable[[str], str]) -> ContestOut:
    """The watch page; ``at`` makes absolute URIs of paths."""
    book, here = live.book, f"contest/{live.name}"
    ranks = {entry.number: rank for rank, entry in ranked(book.present)}
    out = ContestOut(
        self=at(here),
        entry=at(f"{here}/entry"),
        games=book.games,
        parts=[part_of(part) for part in book.parts],
        state="closed" if book.closed else "open",
        opened=book.opened,
        closes=book.closes,
        commitment=book.commitment,
        covers=covers(live),
        disguise=book.disguise,
        head=live.transcript.head,
        lines=live.transcript.step,
        teams=[
            row_of(ContestTeam, tally_of(entry, book.games, book.closed, ranks.get(entry.number)))
            for entry in book.present
        ],
        standings=at(f"{here}/standings"),
        csv=at(f"{here}/standings.csv"),
        parts_csv=at(f"{here}/parts.csv"),
        events=at(f"{here}/events"),
        book=at(f"{here}/book"),
    )
    if len({part[:3] for part in book.parts}) == 1:
        out.base, out.length, out.oracle_type = book.parts[0][:3]
    if book.closed:
        out.file = at(f"{here}/file")
    if book.disguise == NO_DISGUISE and any(part.factory is None for part in book.parts):
        out.gives_up = GIVES_UP
    out.removed = [
        Removed(**removed_row(entry)) for entry in book.entries if entry.removed is not None
    ]
    return out


def as_csv(table: Mapping[str, Any]) -> str:
    """The standings for a spreadsheet: official entries by rank, then training.

    A name that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(CSV_COLUMNS)
    for row in (*table["official"], *table["training"]):
        writer.writerow([_cell(row.get(column)) for column in CSV_COLUMNS])
    return out.getvalue()


FORCED: Final = [
    "solved",
    "unfinished",
    "still_open",
    "waiting",
    "steps",
    "mean",
    "low",
    "high",
    "worst",
]
PART_COLUMNS: Final = (
    *["part", "oraclefactory", "rank", "base", "length", "oracle_type", "games"],
    *("team_name", "software_version", *FORCED),
)


def parts_as_csv(table: Mapping[str, Any]) -> str:
    """What each part took each official entry, and all of them; then the same of the factories.

    A line without a team is about all of them. A line without a part is about a factory.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, PART_COLUMNS, lineterminator="\r\n", extrasaction="ignore")
    writer.writeheader()
    teams = {row["entry"]: row for row in table["official"]}
    rows: list[dict[str, Any]] = []
    for part in table.get("parts", ()):
        rows.append(part)
        names = ("team_name", "software_version")
        for one in part["teams"]:
            rows.append({**part, **{name: teams[one["entry"]][name] for name in names}, **one})
    rows += table.get("factories", ())
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdigit()
