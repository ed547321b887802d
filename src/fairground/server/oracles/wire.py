"""Bodies of requests and answers of oracles, with examples.

Unknown members are ignored, as the source document of the code-breaking API wants it.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

from fairground.games.codebreaking.rules import FAIR, ORACLES

ORACLE_TYPES: Final = {"enum": list(ORACLES), "examples": [FAIR]}
"""The schema tells the limits, and the rules keep them, with status 422. (If msgspec kept them,
it would refuse with 400.)"""

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


class CountsOut(Struct):
    """The oracle's verdict. All full matches: the code is found."""

    full_match_count: int
    partial_match_count: int


class NewShare(Struct):
    """32 bytes of your own as 64 hex digits, mixed into the draw of the code."""

    share: Hex


class Reveal(Struct, omit_defaults=True):
    """The secrets of an ended game: the code, and for a fair oracle the key of its commitment."""

    code: list[int] | None
    """Null if there is none: the game was left, and its oracle drew none beforehand."""
    key: Hex | None = None
    note: str | None = None


class LeftOut(Struct):
    """The number of codes that fit all answers so far."""

    left: int | None
    """Null where they are too many to be counted here."""
    exact: bool


class GivenAnswer(Struct):
    """A submission, and what the oracle answered."""

    submission: list[Digit]
    full_match_count: int
    partial_match_count: int


class OracleOut(Struct, omit_defaults=True):
    """A code-breaking game, as everyone may see it."""

    self: Uri
    base: Base
    length: Length
    oracle_type: OracleType
    type: OracleType
    """The kind of oracle, under the name that the source document uses."""
    attempts: int
    solved: bool
    commitment: Hex
    over: bool
    answers: list[GivenAnswer] | None = None
    """The last answers that were given, oldest first: for a client that lost one on the way."""
    seconds_until_solved: float | None = None
    reveal: Reveal | None = None
    transcript: Uri | None = None
    contest: Uri | None = None
    """For a game of a contest: the contest's watch URI."""
    training: bool | None = None
    """For a game of a contest: whether the entry that it belongs to is training."""
    oraclefactory: str | None = None
    """If the game is relayed: to which factory. Its answers are unproven, that factory's word."""
    pending: list[int] | None = None
    """Your submission that the factory has not answered: send it again."""
    trouble: str | None = None
    """The failure of the factory, while the game waits for it."""
