"""JSON Schemas of what we write for other programs: events, the verdict, and the coach's review.

They are made here, from the constants of the code, and shipped as files beside this module::

    python -m fairground.schemas          # writes all of them again

A schema sees one line at a time. Which line may follow which, and whether it is true, is what
`docs/format.md` says and `fairground verify` checks.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Final, get_args

from fairground.claims import COMMITTED, ORDERED, SEALED, UNFORESEEN, UNIFORM, By
from fairground.core import SAFE
from fairground.fair.chains import LONGEST_STIR
from fairground.fair.schemes import LENDS, RUN_BY
from fairground.games import GAMES
from fairground.replay import FIELDS
from fairground.table import LONGEST_NAME, LONGEST_REASON
from fairground.transcript import FORMAT
from fairground.verify import Judged

Schema = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

TEXT: Final[Schema] = {"type": "string"}
HEX: Final[Schema] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
SEAT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 999}
LINE: Final[Schema] = {"type": "integer", "minimum": 1}
RUN: Final[Schema] = {"type": "integer", "minimum": 1}
WHOLE: Final[Schema] = {
    "description": "an integer; beyond ±(2^53-1) it is written as decimal text",
    "oneOf": [
        {"type": "integer", "minimum": -SAFE, "maximum": SAFE},
        {"type": "string", "pattern": "^-?[1-9][0-9]{15,3999}$", "maxLength": 4000},
    ],
}
MOVE: Final[Schema] = {
    "description": "a whole number, text, or an array of moves",
    "oneOf": [
        {"type": "integer"},
        TEXT,
        {"type": "array", "items": {"$ref": "#/$defs/move"}},
    ],
}
OPEN_OBJECT: Final[Schema] = {"type": "object"}
"""An object whose members depend on the game or the scheme."""


def obj(**properties: Schema) -> Schema:
    """An object with just these members, all of which must be there."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def array(items: Schema, **more: Any) -> Schema:
    """An array of such items."""
    return {"type": "array", "items": items, **more}


def maybe(schema: Schema) -> Schema:
    """A value of this schema, or null."""
    return {"oneOf": [schema, {"type": "null"}]}


def one_of(*values: str) -> Schema:
    """One of these texts."""
    return {"enum": list(values)}


_CHAIR: Final = obj(
    by=one_of(*RUN_BY),
    lends=one_of(*LENDS),
    name={"type": "string", "minLength": 1, "maxLength": LONGEST_NAME},
)
_DRAWS: Final = array(
    {"type": "array", "prefixItems": [WHOLE, maybe(WHOLE)], "minItems": 2, "maxItems": 2}
)
_SHARES: Final[dict[str, Schema]] = {
    "number": WHOLE,
    "tip": HEX,
    "next-tip": HEX,
    "stir": {"type": "string", "maxLength": LONGEST_STIR},
    "link": HEX,
    "seed": {
        "oneOf": [
            {"type": "string", "pattern": "^[0-9a-f]{194}$"},
            {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
        ]
    },
}

_EVENTS: Final[dict[str, dict[str, Schema]]] = {
    "start": {
        "format": {"const": FORMAT},
        "table": HEX,
        "game": TEXT,
        "params": OPEN_OBJECT,
        "dealer": TEXT,
        "public": OPEN_OBJECT,
        "seats": array(_CHAIR, minItems=1),
    },
    "ticket": {"run": RUN, "n": WHOLE, "hidden": {"type": "boolean"}, "ticket": OPEN_OBJECT},
    "dealt": {"run": RUN, "draws": _DRAWS, "evidence": OPEN_OBJECT},
    "seal": {"seat": SEAT, "commitment": HEX},
    "open": {"seat": SEAT, "key": HEX, "move": {"$ref": "#/$defs/move"}},
    "move": {"seat": SEAT, "move": {"$ref": "#/$defs/move"}},
    "note": {"body": OPEN_OBJECT},
    "forfeit": {
        "seat": SEAT,
        "by": one_of("seat", "house"),
        "reason": {"type": "string", "maxLength": LONGEST_REASON},
    },
    "opening": {
        "run": {"type": "integer", "minimum": 0},
        "draws": _DRAWS,
        "evidence": OPEN_OBJECT,
    },
    "void": {"code": TEXT, "reason": TEXT},
    "end": {"payoff": maybe(array({"type": "integer"}))},
}


def _event(kind: str, fields: dict[str, Schema], prev: Schema = HEX) -> Schema:
    return {"title": kind, **obj(kind={"const": kind}, prev=prev, **fields)}


def events() -> Schema:
    """The schema of one line of a transcript."""
    shapes = [
        _event(kind, fields, {"const": "0" * 64} if kind == "start" else HEX)
        for kind, fields in _EVENTS.items()
    ]
    shapes += [
        _event("share", {"run": RUN, "seat": SEAT, "share": {"const": share}, "value": value})
        for share, value in _SHARES.items()
    ]
    assert all(frozenset(shape["required"]) == FIELDS[shape["title"]] for shape in shapes)
    return {
        "$schema": DIALECT,
        "title": f"One event of a {FORMAT} transcript",
        "description": "One line. docs/format.md says what may follow what, and what it means.",
        "oneOf": shapes,
        "$defs": {"move": MOVE},
    }


_CLAIM: Final = obj(
    claim={
        "description": f"{COMMITTED}, {UNIFORM}, {UNFORESEEN}, {SEALED}, {ORDERED}, SETTLED, or "
        "what the rules of the game prove by themselves, such as CONSISTENT",
        **TEXT,
    },
    seat=maybe(SEAT),
    name=maybe(TEXT),
    condition={"description": "what the reader must supply; empty: nothing", **TEXT},
    result=TEXT,
    lines=array(LINE),
    witness=maybe(
        obj(
            by=one_of(*get_args(By)),
            shown=array({"type": "integer", "minimum": 1}),
            told=array({"type": "integer", "minimum": 1}),
        )
    ),
)

_PLAYED: Final = obj(
    params=OPEN_OBJECT,
    seats=array(
        obj(
            name=TEXT,
            role=TEXT,
            by=one_of(*RUN_BY),
            lends=one_of(*LENDS),
            shares=array(
                obj(line=LINE, kind=one_of(*_SHARES), value={"type": ["integer", "string"]})
            ),
        )
    ),
    commitments=array(obj(line=LINE, text=TEXT)),
)


def verdict() -> Schema:
    """The schema of what ``fairground verify FILE --json`` prints."""
    one = obj(
        ok={"type": "boolean"},
        verdict=one_of(*get_args(Judged)),
        claims=array(_CLAIM),
        payoff=maybe(array({"type": "integer"})),
        fault=maybe(obj(line=maybe(LINE), code=TEXT, reason=TEXT)),
        game={"description": f"such as {', '.join(GAMES.listed)}"},
        dealer={},
        events={"type": "integer", "minimum": 0},
        played=maybe(_PLAYED),
        remarks=array(TEXT),
    )
    one["properties"]["file"] = {"description": "as it was named on the command line", **TEXT}
    return {
        "$schema": DIALECT,
        "title": "What fairground verify --json prints",
        "oneOf": [{"$ref": "#/$defs/verdict"}, obj(verdicts=array({"$ref": "#/$defs/verdict"}))],
        "$defs": {"verdict": one},
    }


_NUMBER: Final = obj(
    exact={"description": "a fraction in lowest terms; null: not exact", **maybe(TEXT)},
    value={"type": "number"},
)
_NUMBERS: Final = array({"$ref": "#/$defs/number"}, minItems=1)
_CHANCE: Final = {"type": "number", "minimum": 0, "maximum": 1}
_COUNT: Final = {"type": "integer", "minimum": 0}
_THE_NUMBER: Final[Schema] = {"$ref": "#/$defs/number"}

_ODDS: Final = obj(
    good={
        "description": "true: luck at least as good is meant; false: at least as bad",
        "type": "boolean",
    },
    low=_CHANCE,
    high=_CHANCE,
    draws=_COUNT,
    unknown=_COUNT,
)

_REVIEWED_SEAT: Final = obj(
    seat=SEAT,
    name=TEXT,
    role=TEXT,
    by=one_of(*RUN_BY),
    start=_THE_NUMBER,
    result=maybe(_THE_NUMBER),
    now=_THE_NUMBER,
    luck=_THE_NUMBER,
    cost=_THE_NUMBER,
    given=_THE_NUMBER,
    model=_THE_NUMBER,
    decisions=_COUNT,
    mistakes=_COUNT,
    odds=maybe(_ODDS),
)

_STEP: Final[dict[str, Schema]] = {
    "line": LINE,
    "seat": maybe(SEAT),
    "says": TEXT,
    "values": _NUMBERS,
    "change": _NUMBERS,
}

_ALTERNATIVE: Final = obj(
    move={"$ref": "#/$defs/move"},
    says=TEXT,
    value=_THE_NUMBER,
    cost=_THE_NUMBER,
    mix=maybe(_THE_NUMBER),
)


def review() -> Schema:
    """The schema of what ``fairground coach FILE --json`` prints."""
    steps = [
        obj(kind=one_of("draw", "answer", "meeting", "forced", "model"), **_STEP),
        obj(
            kind=one_of("decision", "leave"),
            **_STEP,
            move=maybe({"$ref": "#/$defs/move"}),
            cost=_THE_NUMBER,
            verdict=one_of("right", "slip", "mistake", "blunder"),
            alternatives=array(_ALTERNATIVE),
            why=TEXT,
            hinted={"type": "boolean"},
        ),
    ]
    one = obj(
        format={"const": "fairground/review/1"},
        game=TEXT,
        title=TEXT,
        params=OPEN_OBJECT,
        table=HEX,
        finished={"type": "boolean"},
        ending=TEXT,
        unit=obj(name=TEXT, one=TEXT, many=TEXT, scale={"type": "integer", "minimum": 1}),
        basis=obj(exact={"type": "boolean"}, error={"type": "number", "minimum": 0}, says=TEXT),
        seats=array(_REVIEWED_SEAT, minItems=1),
        steps=array({"oneOf": steps}),
        moments=array(_COUNT),
    )
    return {
        "$schema": DIALECT,
        "title": "What fairground coach --json prints of one game",
        "description": "docs/coach.md says what it means.",
        **one,
        "$defs": {"move": MOVE, "number": _NUMBER},
    }


ALL: Final = {"events": events, "verdict": verdict, "review": review}


def text_of(name: str) -> str:
    """The schema of this name as its file has it, made anew."""
    return json.dumps(ALL[name](), indent=1, ensure_ascii=True) + "\n"


def load(name: str) -> Schema:
    """The schema of this name as it is shipped: ``events``, ``verdict`` or ``review``."""
    text = resources.files(__name__).joinpath(f"{name}.json").read_text(encoding="ascii")
    schema: Schema = json.loads(text)
    return schema
