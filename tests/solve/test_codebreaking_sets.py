"""What sets of codes need: the plain search and the stored openings, against brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from fairground.games.codebreaking.rules import Code, Row, digits, fits, marks
from fairground.games.codebreaking.solver.worth import BASE, LENGTH, SmallSearch, TooLong, opening
from tests.helpers.codes import Trees, parts
from tests.helpers.width import WIDE

CODES = list(product(range(BASE), repeat=LENGTH))


@pytest.mark.parametrize(("base", "length", "many"), [(3, 2, 9), (2, 4, 10), (4, 2, 9), (3, 3, 7)])
def test_the_plain_search_finds_what_trying_everything_finds(
    base: int, length: int, many: int
) -> None:
    search, chance = SmallSearch(base, length), np.random.default_rng(1)
    trees = Trees(base, length)
    for _ in range(6):
        members = np.sort(chance.choice(len(trees.codes), many, replace=False))
        least = trees.least(frozenset(trees.codes[at] for at in members))
        assert (search.average(members).cost, search.worst(members).cost) == least


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

    def rest(codes: frozenset[Code], guess: Code) -> list[frozenset[Code]]:
        return [part - {guess} for part in parts(codes, guess).values() if part != {guess}]

    def listed(part: frozenset[Code]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array(sorted(numbers[code] for code in part))

    if len(codes) <= 25:
        assert search.average(listed(codes)).cost == found.total
        assert search.worst(listed(codes)).cost == found.worst
    try:
        after = [search.average(listed(part)).cost for part in rest(codes, found.guess)]
        assert len(codes) + sum(after) == found.total
        deep = [search.worst(listed(part)).cost for part in rest(codes, found.worst_guess)]
        assert 1 + max(deep) == found.worst
    except TooLong:
        assert len(rows) == 1, "after two guesses and one more, no set takes long"
