"""What sets of codes need: the plain search and the stored openings, against brute force."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest

from fairground.games.codebreaking.rules import Code, Row, digits, fits, marks
from fairground.games.codebreaking.solver.worth import BASE, LENGTH, SmallSearch, TooLong, opening
from tests.helpers.width import WIDE

CODES = list(product(range(BASE), repeat=LENGTH))


def parts(codes: frozenset[Code], guess: Code) -> list[frozenset[Code]]:
    """By the rules' own scoring, without the guess itself."""
    by_answer: dict[object, set[Code]] = {}
    for code in codes:
        if code != guess:
            by_answer.setdefault(marks(code, guess), set()).add(code)
    return [frozenset(part) for part in by_answer.values()]


@cache
def least_total(codes: frozenset[Code], guesses: frozenset[Code]) -> int:
    """Every guess is tried, and nothing is bounded."""
    if len(codes) <= 1:
        return len(codes)
    splits = (parts(codes, guess) for guess in guesses)
    useful = (split for split in splits if split != [codes])
    return len(codes) + min(sum(least_total(p, guesses) for p in split) for split in useful)


@cache
def least_depth(codes: frozenset[Code], guesses: frozenset[Code]) -> int:
    """The same at worst."""
    if len(codes) <= 1:
        return len(codes)
    splits = (parts(codes, guess) for guess in guesses)
    useful = (split for split in splits if split != [codes])
    return 1 + min(max((least_depth(p, guesses) for p in split), default=0) for split in useful)


@pytest.mark.parametrize(("base", "length", "many"), [(3, 2, 9), (2, 4, 10), (4, 2, 9), (3, 3, 7)])
def test_the_plain_search_finds_what_trying_everything_finds(
    base: int, length: int, many: int
) -> None:
    search, chance = SmallSearch(base, length), np.random.default_rng(1)
    everything = list(product(range(base), repeat=length))
    for _ in range(6):
        members = np.sort(chance.choice(len(everything), many, replace=False))
        codes = frozenset(everything[at] for at in members)
        guesses = frozenset(everything)
        assert search.average(members).cost == least_total(codes, guesses)
        assert search.worst(members).cost == least_depth(codes, guesses)


def test_a_search_that_would_take_long_says_so() -> None:
    search = SmallSearch(10, 3)
    asked = search.answers[int("123"), :] == 0
    with pytest.raises(TooLong):
        search.average(np.flatnonzero(asked))


def boards(many: int) -> list[tuple[Row, ...]]:
    """Boards of one row or two that leave more than two codes, as a game might bring them."""
    chance = np.random.default_rng(7)
    made: list[tuple[Row, ...]] = []
    while len(made) < many:
        code, *guesses = (digits(int(at), BASE, LENGTH) for at in chance.integers(1296, size=3))
        asked = guesses if len(made) % 8 else guesses[:1]
        rows = tuple(Row(guess, marks(code, guess)) for guess in dict.fromkeys(asked))
        if sum(fits(code, rows) for code in CODES) > 2:
            made.append(rows)
    return made


@pytest.mark.parametrize("rows", boards(400 if WIDE else 40), ids=str)
def test_what_is_stored_of_an_opening_is_what_its_guess_leads_to(rows: tuple[Row, ...]) -> None:
    """One guess further, sets are small, and the plain search proves what they need."""
    search = SmallSearch(BASE, LENGTH)
    found = opening(rows)
    assert found is not None
    codes = frozenset(code for code in CODES if fits(code, rows))
    numbers = {code: at for at, code in enumerate(CODES)}

    def listed(part: frozenset[Code]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array(sorted(numbers[code] for code in part))

    if len(codes) <= 25:
        assert search.average(listed(codes)).cost == found.total
        assert search.worst(listed(codes)).cost == found.worst
    try:
        after = [search.average(listed(part)).cost for part in parts(codes, found.guess)]
        assert len(codes) + sum(after) == found.total
        deep = [search.worst(listed(part)).cost for part in parts(codes, found.worst_guess)]
        assert 1 + max(deep) == found.worst
    except TooLong:
        assert len(rows) == 1, "after two guesses and one more, no set takes long"
