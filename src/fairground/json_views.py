"""Views as JSON and back: what goes over the wire when a seat looks at the table.

A named tuple becomes an object, any other tuple an array, what is hidden
``{"hidden": true}``, and an integer beyond ±(2^53-1) text, as in a transcript::

    >>> from fairground.games.codebreaking.rules import State
    >>> as_json(State("guess", code=HIDDEN))["code"]
    {'hidden': True}

`from_json` reads that again, guided by the types of the fields, so that a remote player
decides on the very same value as one that sits in the house (a law holds it). `schema`
describes that JSON for those who draw it without knowing the game.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from fairground.core import HIDDEN, SAFE, InputError, written

BLANK: Final = {"hidden": True}

PLAIN: Final = frozenset({str, bool, type(None)})
"""Types that JSON holds unchanged."""

JSON_TYPES: Final[dict[Any, str]] = {
    int: "integer",
    str: "string",
    bool: "boolean",
    type(None): "null",
}
"""Plain type of a view → its JSON Schema name."""


def as_json(value: Any) -> Any:
    """A view or a move as JSON."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is int:
        return written(value)
    if kind is tuple:
        return [
            item if type(item) is int and -SAFE <= item <= SAFE else as_json(item) for item in value
        ]
    names = getattr(kind, "_fields", None)
    if names is not None:
        return {
            name: item if type(item) is int and -SAFE <= item <= SAFE else as_json(item)
            for name, item in zip(names, value, strict=True)
        }
    if isinstance(value, str):
        return value
    if value is HIDDEN:
        return dict(BLANK)
    if isinstance(value, Sequence):
        return [as_json(item) for item in value]
    raise TypeError(f"{value!r} cannot stand in a view")


def from_json(kind: Any, value: Any) -> Any:
    """The value of type ``kind`` that `as_json` wrote; raise `InputError` if it is not one."""
    try:
        return _reader(kind)(value)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        name = getattr(kind, "__name__", kind)
        raise InputError(f"this is no {name} as JSON: {error}") from None


Reader = Callable[[Any], Any]


@cache
def _reader(kind: Any) -> Reader:
    """Return a reader for this type. Made once for each: a view has few types and many values."""
    origin, arguments = get_origin(kind), get_args(kind)
    if hasattr(kind, "_fields"):
        return _object(kind)
    if origin is tuple:
        return _array(arguments)
    if origin in (Union, types.UnionType):
        return _one_of([_reader(argument) for argument in arguments])
    if origin is Literal:
        return _one_of([_just(argument) for argument in arguments])
    if kind is int:
        return _integer
    if kind in (str, bool):
        return _exactly(kind)
    if kind in (None, type(None)):
        return _just(None)
    raise InputError(f"a view cannot be read: {kind!r} is not one of its types")


def _object(kind: Any) -> Reader:
    hints = get_type_hints(kind)

    def read(value: Any) -> Any:
        if not isinstance(value, dict) or value.keys() != hints.keys():
            raise ValueError(f"expected an object of {', '.join(hints)}")
        return kind(**{name: _reader(hints[name])(value[name]) for name in hints})

    return read


def _array(items: tuple[Any, ...]) -> Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise ValueError(f"expected an array, not {value!r}")
        if items[-1:] == (Ellipsis,):
            return tuple(_reader(items[0])(item) for item in value)
        pairs = zip(items, value, strict=True)
        return tuple(_reader(item)(each) for item, each in pairs)

    return read


def _one_of(readers: list[Reader]) -> Reader:
    def read(value: Any) -> Any:
        for reader in readers:
            try:
                return reader(value)
            except (TypeError, ValueError):
                continue
        raise ValueError(f"{value!r} fits none of what may stand here")

    return read


def _just(constant: Any) -> Reader:
    told = as_json(constant)

    def read(value: Any) -> Any:
        if repr(value) != repr(told):  # for == a 1 would be True
            raise ValueError(f"expected {told!r}, not {value!r}")
        return constant

    return read


def _exactly(kind: type) -> Reader:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError(f"expected {kind.__name__}, not {value!r}")
        return value

    return read


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
