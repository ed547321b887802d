"""Bodies of requests and answers of contests, their CSV files, and examples.

Unknown members are ignored.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from fairground.contest.book import DISGUISES, LONGEST_NAME, LONGEST_REMOVAL, NO_DISGUISE
from fairground.contest.games import Part
from fairground.contest.standings import (
    CSV_COLUMNS,
    ContestTeam,
    ranked,
    removed_row,
    row_of,
    tally_of,
)
from fairground.games.codebreaking.rules import FAIR
from fairground.server.oracles.wire import Base, Length, OracleType

if TYPE_CHECKING:
    from fairground.server.contests.service import LiveBook

Disguise = Annotated[str, Meta(extra_json_schema={"enum": list(DISGUISES)})]


class NewContest(Struct):
    """A number of games of one kind. A list of these makes a mixed contest."""

    base: Base
    length: Length
    oracle_type: OracleType = FAIR
    games: Annotated[int | None, Meta(extra_json_schema={"minimum": 1, "examples": [100]})] = None
    oraclefactories: list[str] | None = None
    """Game-making URIs of other servers. The operator must have allowed each of them."""
    games_per_orclefactory: int | None = None
    """Number of games of each factory, as the source document spells it."""
    games_per_oraclefactory: int | None = None
    """Number of games of each factory, in the usual spelling."""
    entry_key: Annotated[str, Meta(max_length=200)] | None = None
    """A secret of yours: only who knows it can enter."""
    closes_in: int | None = None
    """Seconds until the contest closes; a week if this is left out."""
    disguise: Disguise | None = None
    """``drawn``, or nothing: digits and places are relabelled for each entry and game. ``none``:
    everyone meets identical codes, and a player who has met one can pass it on.
    """


class MadeContest(Struct):
    """The only answer that names the private URI which closes the contest early."""

    self: str
    close: str


class Removal(Struct):
    """An entry to take out, before its first submission."""

    entry: int
    reason: Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": LONGEST_REMOVAL})]
    """Why: everybody can read it in the contest's book."""


class Removed(Struct):
    """An entry that the contest's creator took out, before its first submission."""

    entry: int
    team_name: str
    software_version: str
    reason: str


NAME: Final = {"minLength": 1, "maxLength": LONGEST_NAME}


class NewEntry(Struct):
    """A team and its software: 1 to 20 characters each."""

    team_name: Annotated[str, Meta(extra_json_schema={**NAME, "examples": ["The Guessers"]})]
    software_version: Annotated[str, Meta(extra_json_schema={**NAME, "examples": ["1.0"]})]
    team_key: Annotated[str, Meta(max_length=200)] | None = None
    """The key that the answer to the team's first entry had. Every later entry needs it; the same
    version again, with it, gets the same oracles again."""
    entry_key: Annotated[str, Meta(max_length=200)] | None = None
    """For a contest by invitation: the key that its creator handed out."""


class Entered(Struct, omit_defaults=True):
    """One oracle for each game of the contest, for this entry alone."""

    oracle_uris: list[str] = msgspec.field(name="oracle_URIs")
    training: bool
    team_key: str | None = None
    """Only in the answer to a team's first entry. Keep it: nobody else can enter for your team."""


class ContestPart(Struct, omit_defaults=True):
    """A number of games of one kind."""

    base: int
    length: int
    oracle_type: str
    games: int
    proof: str
    """``committed``: the codes were fixed before entries opened. ``consistent``: at its end a game
    shows a code that fits all answers. ``unproven``: the answers are a factory's word."""
    oraclefactory: str | None = None
    """The factory to which the games are relayed, if they are not kept here."""


class ContestOut(Struct, omit_defaults=True):
    """A contest as everyone may see it. A mixed one has no base, length and type of its own."""

    self: str
    entry: str
    games: int
    parts: list[ContestPart]
    state: str
    """``open`` or ``closed``."""
    opened: int
    """When it was opened: seconds since 1970, by the house's clock."""
    closes: int
    """When it closes, or closed: seconds since 1970, by the house's clock."""
    commitment: str
    covers: str
    """The subject of the commitment, in words."""
    disguise: Disguise
    """``drawn``: each entry meets the codes in digits and places of its own. ``none``: all meet
    them in the same."""
    head: str
    """The hash of the book's last line: keep it as your receipt."""
    lines: int
    teams: list[ContestTeam]
    standings: str
    csv: str
    parts_csv: str
    events: str
    book: str
    base: int | None = None
    length: int | None = None
    oracle_type: str | None = None
    file: str | None = None
    """Once it is closed: the contest file, for ``fairground verify --contest``."""
    gives_up: str | None = None
    """The risk of a contest without a disguise, in words."""
    removed: list[Removed] = []
    """Entries that the creator took out, before their first submission."""
    close: str | None = None
    """Only in the answer that made the contest: the private URI which closes it early."""


RUNNING: Final = "running"
CLOSED: Final = "closed"
CONTEST_STATES: Final = (RUNNING, CLOSED)


class ContestRow(Struct):
    """A contest in the list."""

    id: str
    title: str
    state: Annotated[str, Meta(extra_json_schema={"enum": list(CONTEST_STATES)})]
    parts: list[ContestPart]
    commitment: str
    closes: int
    """When it closes, or would have, in seconds since 1970."""
    teams: int
    """Number of entries."""


class ContestList(Struct):
    """Contests, newest first."""

    contests: list[ContestRow]
    next: int | None
    """The value of `after` for the next page; null on the last page."""


# Views of a contest: the watch page's JSON, and the standings as CSV


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
    """Return the evidence for the answers in these games, in one word."""
    if part.factory is not None:
        return "unproven"
    return "committed" if part.oracle == FAIR else "consistent"


def covers(live: LiveBook) -> str:
    """Say what the contest's commitment covers, and what it does not."""
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
    """Return a part as JSON."""
    return ContestPart(
        part.base, part.length, part.oracle, part.games, proof_of(part), part.factory
    )


def watch(live: LiveBook, here: str) -> ContestOut:
    """Return the watch page; ``here`` is the arena's address."""
    book, at = live.book, f"{here}contest/{live.name}"
    ranks = {entry.number: rank for rank, entry in ranked(book.present)}
    plain = book.disguise == NO_DISGUISE
    kinds = {part[:3] for part in book.parts}
    base, length, oracle_type = kinds.pop() if len(kinds) == 1 else (None, None, None)
    return ContestOut(
        self=at,
        entry=f"{at}/entry",
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
        standings=f"{at}/standings",
        csv=f"{at}/standings.csv",
        parts_csv=f"{at}/parts.csv",
        events=f"{at}/events",
        book=f"{at}/book",
        base=base,
        length=length,
        oracle_type=oracle_type,
        file=f"{at}/file" if book.closed else None,
        gives_up=GIVES_UP if plain and any(part.factory is None for part in book.parts) else None,
        removed=[Removed(**removed_row(entry)) for entry in book.removed],
    )


def watch_as_json(live: LiveBook, here: str) -> str:
    """Return the watch page as JSON."""
    return msgspec.json.encode(watch(live, here)).decode()


def as_csv(table: Mapping[str, Any]) -> str:
    """Return the standings for a spreadsheet: official entries by rank, then training."""
    return _csv(CSV_COLUMNS, (*table["official"], *table["training"]))


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return these columns as CSV.

    A name that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return out.getvalue()


PART_COLUMNS: Final = (
    *("part", "oraclefactory", "rank", "base", "length", "oracle_type", "games"),
    *("team_name", "software_version", "solved", "unfinished", "still_open", "waiting"),
    *("steps", "mean", "low", "high", "worst"),
)


def parts_as_csv(table: Mapping[str, Any]) -> str:
    """Return the attempts of each official entry in each part as CSV, then those of the factories.

    A line without a team is about all teams. A line without a part is about a factory.
    """
    teams = {row["entry"]: row for row in table["official"]}
    rows: list[dict[str, Any]] = []
    for part in table.get("parts", ()):
        rows.append(part)
        names = ("team_name", "software_version")
        for one in part["teams"]:
            rows.append({**part, **{name: teams[one["entry"]][name] for name in names}, **one})
    return _csv(PART_COLUMNS, [*rows, *table.get("factories", ())])


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") and not _is_number(value):
        return f"'{value}"
    return value


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdigit()
