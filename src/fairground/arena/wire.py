"""What goes over the wire: the bodies of requests and answers, each in one place.

Members that we do not know are ignored, as the source document of the code-breaking API
wants it.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

OracleType = Annotated[
    str, Meta(description="fair, nice or evil", examples=["fair"], pattern="^(fair|nice|evil)$")
]


class NewOracle(Struct):
    """The game to open: base 2 to 100, length 1 to 40."""

    base: Annotated[int, Meta(examples=[6])]
    length: Annotated[int, Meta(examples=[4])]
    oracle_type: Annotated[str, Meta(examples=["fair"])] = "fair"


class Submission(Struct):
    """A guess: as many digits as the game's length, each below its base."""

    submission: Annotated[list[int], Meta(examples=[[0, 5, 1, 1]])]


class Counts(Struct):
    """The oracle's verdict. All full matches: the code is found."""

    full_match_count: int
    partial_match_count: int


class Share(Struct):
    """32 bytes of your own as 64 hex digits, mixed into the draw of the code."""

    share: Annotated[str, Meta(examples=["5e" * 32])]


class Reveal(Struct, omit_defaults=True):
    """What an ended game opens: the code, and for a fair oracle the key of its commitment."""

    code: list[int] | None
    key: str | None = None
    note: str | None = None


class Oracle(Struct, omit_defaults=True):
    """A code-breaking game, as everyone may see it."""

    self: str
    base: int
    length: int
    oracle_type: str
    type: str
    attempts: int
    solved: bool
    commitment: str
    over: bool
    seconds_until_solved: float | None = None
    reveal: Reveal | None = None
    transcript: str | None = None


class Health(Struct):
    """Whether the arena can work."""

    status: str
    version: str
    oracles: int
    open_oracles: int


def as_json(value: Any) -> Any:
    """A view or move as JSON: named tuples as objects, what is hidden as ``{"hidden": true}``."""
    return msgspec.to_builtins(_plain(value))


def _plain(value: Any) -> Any:
    fields = getattr(value, "_fields", None)
    if fields is not None:
        return {name: _plain(item) for name, item in zip(fields, value, strict=True)}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if value.__class__.__name__ == "Hidden":
        return {"hidden": True}
    return value
