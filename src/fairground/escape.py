"""Text from outside, shown so that it cannot pretend to be ours.

A name, a reason or a note may hold line feeds, escape sequences or marks that change the direction
of writing. Printed as they are, they could draw a false verdict on the screen. New tables refuse
them (`must_be_showable`); in older records they are shown as escapes (`shown`).
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from fairground.core import InputError

JOINERS: Final = "\u200c\u200d"
"""Invisible, but harmless: some scripts and most pictures of people need them."""

INVISIBLE: Final = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories of signs that move the cursor, hide, turn text round, or mean nothing."""


def is_showable(text: str) -> bool:
    """Return true if every character of this text is visible and stays in its place."""
    return text.isprintable() or all(map(_is_plain, text))


def _is_plain(sign: str) -> bool:
    return unicodedata.category(sign) not in INVISIBLE or sign in JOINERS


def shown(text: object) -> str:
    r"""The text, with an escape such as ``\u001b`` for every sign that could deceive."""
    plain = str(text)
    if plain.isprintable():
        return plain
    return "".join(sign if _is_plain(sign) else _escape(sign) for sign in plain)


def _escape(sign: str) -> str:
    code = ord(sign)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


@lru_cache(maxsize=1024)
def named(text: object) -> str:
    """Return a name in quotation marks, so that it cannot read like a sentence of ours."""
    return json.dumps(shown(text), ensure_ascii=False)


def must_be_showable(value: Any, what: str) -> None:
    """Refuse text with such signs, wherever it stands in a JSON value."""
    waiting = [value]
    while waiting:  # not by recursion: the value may be nested deeper than Python's stack
        item = waiting.pop()
        if isinstance(item, Mapping):
            waiting += [*item.keys(), *item.values()]
        elif isinstance(item, (list, tuple)):
            waiting += item
        elif isinstance(item, str) and not is_showable(item):
            raise InputError(
                f"{what} may not hold line feeds, control characters or direction marks, "
                f"as {shown(item)!r} does"
            )
