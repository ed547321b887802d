"""Names that people can tell apart.

Two names can look the same and differ in bytes: a letter with a combining accent, or a Cyrillic А
for a Latin A. Some characters are invisible. A team with such a name could be taken for another, so
the arena refuses it for new entries. The verifier of contest files does not apply this rule: the
tables of Unicode grow, and a file that verifies today must always verify.

Names are compared by their skeletons, after Unicode's UTS #39. The table of confusable characters
comes from the package `confusable_homoglyphs`. Compatible characters are unified first (NFKC), then
each character is replaced by one that represents all its look-alikes.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from importlib import import_module
from typing import Any, Final

from fairground.server.http.problems import BadName

BLANK: Final = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
    | {*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)}
)
"""Characters that count as printable and show nothing: fillers, selectors, a pattern of no dots."""

SEEN: Final = frozenset("LNPS")
"""The classes of characters that stand alone: letters, numbers, punctuation, symbols."""


def must_be_visible(what: str, name: str) -> None:
    """Refuse a name with characters that show nothing, or with nothing else than marks."""
    blank = next((sign for sign in name if ord(sign) in BLANK), None)
    if blank is not None:
        raise BadName(f"{what} has U+{ord(blank):04X}, which shows nothing: {name!a}")
    if not any(unicodedata.category(sign)[0] in SEEN for sign in name):
        raise BadName(f"{what} has nothing that can be seen: {name!a}")


def looks(name: str) -> str:
    """Return the skeleton of a name: equal for names that people cannot tell apart."""
    plain = unicodedata.normalize("NFKC", name)
    alike, written = _stand_ins()
    signs = (alike.get(sign, sign) for sign in plain)
    return " ".join("".join(written.get(sign, sign) for sign in signs).split())


@cache
def _stand_ins() -> tuple[dict[str, str], dict[str, str]]:
    """Character → the one that stands for all that look like it; and of such a one, if it looks
    like several others side by side (m like rn), those.
    """
    tables: Any = import_module("confusable_homoglyphs.confusables")  # a megabyte: only when wanted
    parent: dict[str, str] = {}

    def root(sign: str) -> str:
        while parent.setdefault(sign, sign) != sign:
            parent[sign] = sign = parent[parent[sign]]
        return sign

    pairs = [
        sorted((_bare(sign), _bare(other["c"])), key=len)
        for sign, like in tables.confusables_data.items()
        for other in like
    ]
    for one, other in pairs:
        if len(one) == len(other) == 1:
            first, second = sorted((root(one), root(other)))
            parent[second] = first
    written = {
        root(one): "".join(map(root, other))
        for one, other in sorted(pairs, reverse=True)
        if len(one) == 1 < len(other)
    }
    return {sign: root(sign) for sign in parent}, written


def _bare(text: str) -> str:
    """Without the marks that the table puts around what is written from right to left."""
    return text.strip("\u200e")
