"""What goes over the wire: the bodies of requests and answers, each in one place.

Members that we do not know are ignored, as the source document of the code-breaking API
wants it.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from fairground.contest.book import LONGEST_NAME
from fairground.games.codebreaking import FAIR, ORACLES

ORACLE_TYPES: Final = {"enum": list(ORACLES), "examples": [FAIR]}
"""Where the rules refuse (422), the schema says so beforehand; msgspec would refuse with 400."""

Base = Annotated[int, Meta(extra_json_schema={"minimum": 2, "maximum": 100, "examples": [6]})]
Length = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": 40, "examples": [4]})]
OracleType = Annotated[str, Meta(extra_json_schema=ORACLE_TYPES)]
Hex = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9A-Fa-f]{64}$"})]
"""32 bytes."""
Uri = Annotated[str, Meta(extra_json_schema={"format": "uri"})]


class NewOracle(Struct):
    """The game to open: base 2 to 100, length 1 to 40."""

    base: Base
    length: Length
    oracle_type: OracleType = FAIR


Digit = Annotated[int, Meta(extra_json_schema={"minimum": 0, "maximum": 99})]
GUESS: Final = {"minItems": 1, "maxItems": 40, "examples": [[0, 5, 1, 1]]}


class Submission(Struct):
    """A guess: as many digits as the game's length, each below its base."""

    submission: Annotated[list[Digit], Meta(extra_json_schema=GUESS)]


class Counts(Struct):
    """The oracle's verdict. All full matches: the code is found."""

    full_match_count: int
    partial_match_count: int


class Share(Struct):
    """32 bytes of your own as 64 hex digits, mixed into the draw of the code."""

    share: Hex


class Reveal(Struct, omit_defaults=True):
    """What an ended game opens: the code, and for a fair oracle the key of its commitment."""

    code: list[int] | None
    """Null where the oracle has none to show: it was left, and draws nothing beforehand."""
    key: Hex | None = None
    note: str | None = None


class Oracle(Struct, omit_defaults=True):
    """A code-breaking game, as everyone may see it."""

    self: Uri
    base: Base
    length: Length
    oracle_type: OracleType
    type: OracleType
    """The same once more: the name that clients of the original know."""
    attempts: int
    solved: bool
    commitment: Hex
    over: bool
    seconds_until_solved: float | None = None
    reveal: Reveal | None = None
    transcript: Uri | None = None
    contest: Uri | None = None
    """For a game of a contest: the contest's watch URI,"""
    training: bool | None = None
    """and whether the entry that it belongs to is training."""
    oraclefactory: str | None = None
    """If the game is relayed: to which factory. Its answers are unproven, that factory's word."""
    pending: list[int] | None = None
    """Your submission that the factory has not answered: send it again."""
    trouble: str | None = None
    """What is wrong with the factory, while the game waits for it."""


class NewContest(Struct):
    """So many games of one kind; a list of these makes a mixed contest."""

    base: Base
    length: Length
    oracle_type: OracleType = FAIR
    games: Annotated[int | None, Meta(extra_json_schema={"minimum": 1, "examples": [100]})] = None
    oraclefactories: list[str] | None = None
    """Game-making URIs of other servers, each of which must be allowed by the operator."""
    games_per_orclefactory: int | None = None
    """The source document's spelling; the next one is accepted as well."""
    games_per_oraclefactory: int | None = None
    closes_in: int | None = None
    """Seconds until the contest closes; a week if nothing is said."""


class MadeContest(Struct):
    """The only answer that names the private URI which closes the contest early."""

    self: str
    close: str


NAME: Final = {"minLength": 1, "maxLength": LONGEST_NAME}


class NewEntry(Struct):
    """Who enters, and with what: 1 to 20 characters each."""

    team_name: Annotated[str, Meta(extra_json_schema={**NAME, "examples": ["The Guessers"]})]
    software_version: Annotated[str, Meta(extra_json_schema={**NAME, "examples": ["1.0"]})]
    team_key: Annotated[str, Meta(max_length=200)] | None = None
    """A secret of yours: if a team's first entry has one, nobody enters for it without."""


class Entered(Struct):
    """One oracle for each game of the contest, for this entry alone."""

    oracle_uris: list[str] = msgspec.field(name="oracle_URIs")
    training: bool


class ContestPart(Struct, omit_defaults=True):
    """So many games of one kind."""

    base: int
    length: int
    oracle_type: str
    games: int
    proof: str
    """``committed``: the codes were fixed before entries opened. ``consistent``: at its end a game
    shows a code that fits all answers. ``unproven``: the answers are a factory's word."""
    oraclefactory: str | None = None
    """Where the games are relayed to, if they are not kept here."""


class ContestTeam(Struct):
    """An entry, and how it stands. Only official entries have a rank."""

    team_name: str
    software_version: str
    entry: int
    training: bool
    rank: int | None
    solved: int
    given_up: int
    unfinished: int
    still_open: int
    mean: str | None
    worst: int | None
    waiting: int
    """Relayed games that wait for a factory which failed,"""
    trouble: str | None
    """and what was wrong with it the last time."""


class Contest(Struct, omit_defaults=True):
    """A contest as everyone may see it. A mixed one has no base, length and type of its own."""

    self: str
    entry: str
    games: int
    parts: list[ContestPart]
    state: str
    """open or closed"""
    opened: int
    closes: int
    """Seconds since 1970, by the house's clock."""
    commitment: str
    covers: str
    """What the commitment is a commitment to."""
    head: str
    """The hash of the book's last line: keep it as your receipt."""
    lines: int
    teams: list[ContestTeam]
    standings: str
    csv: str
    events: str
    book: str
    base: int | None = None
    length: int | None = None
    oracle_type: str | None = None
    file: str | None = None
    """Once it is closed: the contest file, for ``fairground verify --contest``."""


class Health(Struct):
    """Whether the arena can work."""

    status: str
    version: str
    oracles: int
    open_oracles: int
    tables: int
    open_tables: int
