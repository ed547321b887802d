"""Views as JSON and back: the wire form of a seat's look at the table.

A named tuple becomes an object, any other tuple an array, and a blank ``{"hidden": true}``. An
integer beyond ±(2^53-1) becomes text, as in a transcript::

    >>> from fairground.games.codebreaking.rules import State
    >>> as_json(State("guess", code=HIDDEN))["code"]
    {'hidden': True}

`from_json` reads it back by the types of the fields, so a remote player decides on the same value
as a house player (a law holds it). `schema` describes the JSON, for pages that do not know the
game.
"""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from fairground.core import HIDDEN, SAFE, InputError, written

BLANK: Final = {"hidden": True}

JSON_TYPES: Final[dict[Any, str]] = {
    int: "integer",
    str: "string",
    bool: "boolean",
    type(None): "null",
}
"""Plain type of a view → its JSON Schema name."""


def as_json(value: Any) -> Any:
    """Return a view or a move as JSON."""
    if type(value) is int:
        return written(value)
    if value is HIDDEN:
        return dict(BLANK)
    if value is None or isinstance(value, (bool, str)):
        return value
    if hasattr(value, "_fields"):
        return {name: as_json(item) for name, item in zip(value._fields, value, strict=True)}
    if isinstance(value, Sequence):
        return [as_json(item) for item in value]
    raise TypeError(f"{value!r} cannot stand in a view")


def from_json(kind: Any, value: Any) -> Any:
    """Return the value of type ``kind`` that `as_json` wrote, or raise `InputError`."""
    try:
        return _read(kind, value)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        name = getattr(kind, "__name__", kind)
        raise InputError(f"this is no {name} as JSON: {error}") from None


_hints = cache(get_type_hints)


def _read(kind: Any, value: Any) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if hasattr(kind, "_fields"):
        hints = _hints(kind)
        if not isinstance(value, dict) or value.keys() != hints.keys():
            raise ValueError(f"expected an object of {', '.join(hints)}")
        return kind(**{name: _read(hint, value[name]) for name, hint in hints.items()})
    if origin is tuple:
        if not isinstance(value, list):
            raise ValueError(f"expected an array, not {value!r}")
        if arguments[-1:] == (Ellipsis,):
            return tuple(_read(arguments[0], item) for item in value)
        return tuple(_read(item, each) for item, each in zip(arguments, value, strict=True))
    if origin in (Union, types.UnionType):
        for argument in arguments:
            with suppress(TypeError, ValueError):
                return _read(argument, value)
        raise ValueError(f"{value!r} fits none of what may stand here")
    if kind is int:
        return _integer(value)
    if kind in (str, bool):
        if type(value) is not kind:
            raise ValueError(f"expected {kind.__name__}, not {value!r}")
        return value
    constants = arguments if origin is Literal else (None,)
    if origin is not Literal and kind not in (None, type(None)):
        raise InputError(f"a view cannot be read: {kind!r} is not one of its types")
    for constant in constants:
        if repr(value) == repr(as_json(constant)):  # for == a 1 would be True
            return constant
    raise ValueError(f"expected {' or '.join(map(repr, constants))}, not {value!r}")


def _integer(value: Any) -> int:
    if type(value) is int and -SAFE <= value <= SAFE:
        return value
    if isinstance(value, str) and written(int(value)) == value:
        return int(value)
    raise ValueError(f"expected an integer, not {value!r}")


def schema(kind: Any, looks: Mapping[str, str]) -> dict[str, Any]:
    """The JSON Schema of what `as_json` writes for a value of type ``kind``.

    ``looks``: field → what it looks like (`PlainWords.looks`), told as ``x-look``. An integer
    beyond ±(2^53-1) is text in JSON, which the schema does not say.
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if hasattr(kind, "_fields"):
        hints = get_type_hints(kind)
        fields = {
            name: schema(hint, looks) | ({"x-look": looks[name]} if name in looks else {})
            for name, hint in hints.items()
        }
        return {"type": "object", "properties": fields, "required": list(fields)}
    if origin is tuple:
        if arguments[-1:] == (Ellipsis,):
            return {"type": "array", "items": schema(arguments[0], looks)}
        items = [schema(argument, looks) for argument in arguments]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "items": False}
    if origin in (Union, types.UnionType):
        return {"anyOf": [schema(argument, looks) for argument in arguments]}
    if origin is Literal:
        if arguments == (HIDDEN,):
            return {"const": dict(BLANK), "x-look": "hidden"}
        return {"enum": [as_json(argument) for argument in arguments]}
    return {"type": JSON_TYPES[kind]}
