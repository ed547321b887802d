"""Code breaking by brute force: every guess is tried, and nothing is bounded."""

from __future__ import annotations

from itertools import product
from typing import TypeAlias

from fairground.games.codebreaking.rules import Code, Marks

Codes: TypeAlias = frozenset[Code]


def answer(code: Code, guess: Code) -> Marks:
    full = sum(a == b for a, b in zip(code, guess, strict=True))
    rest = list(code)
    for digit in guess:
        if digit in rest:
            rest.remove(digit)
    return full, len(code) - len(rest) - full


def parts(left: Codes, guess: Code) -> dict[Marks, Codes]:
    """The codes by their answer to a guess."""
    split: dict[Marks, set[Code]] = {}
    for code in left:
        split.setdefault(answer(code, guess), set()).add(code)
    return {a: frozenset(part) for a, part in split.items()}


class Trees:
    """The least guesses of a set of codes, all together and at worst."""

    def __init__(self, base: int, length: int) -> None:
        self.codes = list(product(range(base), repeat=length))
        self.known: dict[Codes, tuple[int, int]] = {frozenset(): (0, 0)}

    def after(self, left: Codes, guess: Code) -> tuple[int, int] | None:
        """The same with this guess first; ``None`` if it tells nothing."""
        split = parts(left, guess)
        won = split.pop((len(guess), 0), None)
        if won is None and len(split) == 1:
            return None
        found = [self.least(part) for part in split.values()]
        worst = 1 + max((least[1] for least in found), default=0)
        return len(left) + sum(least[0] for least in found), worst

    def least(self, left: Codes) -> tuple[int, int]:
        if left not in self.known:
            tried = [found for code in self.codes if (found := self.after(left, code))]
            self.known[left] = min(t for t, _ in tried), min(w for _, w in tried)
        return self.known[left]
