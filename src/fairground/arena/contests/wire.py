"""What contests say over the wire: the bodies of their requests and answers.

Members that we do not know are ignored.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from fairground.arena.oracles.wire import Base, Length, OracleType
from fairground.contest.book import DISGUISES, LONGEST_NAME, LONGEST_REMOVAL
from fairground.contest.standings import ContestTeam
from fairground.games.codebreaking import FAIR

Disguise = Annotated[str, Meta(extra_json_schema={"enum": list(DISGUISES)})]


class NewContest(Struct):
    """A number of games of one kind. A list of these makes a mixed contest."""

    base: Base
    length: Length
    oracle_type: OracleType = FAIR
    games: Annotated[int | None, Meta(extra_json_schema={"minimum": 1, "examples": [100]})] = None
    oraclefactories: list[str] | None = None
    """Game-making URIs of other servers, each of which must be allowed by the operator."""
    games_per_orclefactory: int | None = None
    """How many games each factory makes, as the source document spells it."""
    games_per_oraclefactory: int | None = None
    """The same in the usual spelling."""
    entry_key: Annotated[str, Meta(max_length=200)] | None = None
    """A secret of yours: only who knows it can enter."""
    closes_in: int | None = None
    """Seconds until the contest closes; a week if this is left out."""
    disguise: Disguise | None = None
    """``drawn``, or nothing: digits and places are relabelled for each entry and game. ``none``:
    all meet the very same codes, and who has met one can pass it on."""


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
    """Who enters, and with what: 1 to 20 characters each."""

    team_name: Annotated[str, Meta(extra_json_schema={**NAME, "examples": ["The Guessers"]})]
    software_version: Annotated[str, Meta(extra_json_schema={**NAME, "examples": ["1.0"]})]
    team_key: Annotated[str, Meta(max_length=200)] | None = None
    """A secret of yours. If a team's first entry brings one, its later ones must bring it too, and
    the same entry with it gives the same oracles again."""
    entry_key: Annotated[str, Meta(max_length=200)] | None = None
    """For a contest by invitation: the key that its creator handed out."""


class Entered(Struct):
    """One oracle for each game of the contest, for this entry alone."""

    oracle_uris: list[str] = msgspec.field(name="oracle_URIs")
    training: bool


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
    """Where the games are relayed to, if they are not kept here."""


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
    """What the commitment is a commitment to."""
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
    """What the lack of a disguise gives up, where there is none."""
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
    """How many have entered."""


class ContestList(Struct):
    """Contests, newest first."""

    contests: list[ContestRow]
    next: int | None
    """What `after` has to be for the next page; null: there is none."""
