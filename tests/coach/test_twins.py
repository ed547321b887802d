"""The judges against twins that share no code with them: counted the long way."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from fairground.coach.judging import judge_of
from fairground.core import Move
from fairground.fair.bits import SeededStream
from fairground.games import make_game
from fairground.games.fatestones import State as Stones
from fairground.games.fatestones import all_dice
from fairground.games.intransitive import State as Dice
from fairground.games.poker import State as Cards
from fairground.solve.poker.holds import RETURNS, perfect_return

HALF = Fraction(1, 2)


# Intransitive dice: every pair of faces


def meet(mine: list[int], theirs: list[int]) -> Fraction:
    points = sum(2 if a > b else 1 if a == b else 0 for a, b in product(mine, theirs))
    return Fraction(points, 2 * len(mine) * len(theirs))


@pytest.mark.parametrize("case", range(12))
def test_dice(case: int) -> None:
    stream = SeededStream("coach dice", case)
    dice = [
        [stream.below(9) - 2 for _ in range(1 + stream.below(6))]
        for _ in range(3 + stream.below(4))
    ]
    judge = judge_of(make_game("intransitive/1", {"dice": dice}))
    numbers = range(len(dice))
    first = {i: min(meet(dice[i], dice[j]) for j in numbers if j != i) for i in numbers}
    for seat in (0, 1):
        options = judge.options(Dice(first=seat), seat)
        assert {option.move: option.values[seat] for option in options} == first
        taken: tuple[int | None, int | None] = (0, None) if seat else (None, 0)
        replies = judge.options(Dice(1 - seat, taken), seat)
        assert {option.move: option.values[seat] for option in replies} == {
            i: meet(dice[i], dice[0]) for i in numbers if i
        }


# FateStones: the best mix is at a corner of the region where some columns are equal


def matrix_value(m: list[list[Fraction]]) -> Fraction:
    """max over mixes of the least column: tries every corner, by solving linear equations."""
    rows, columns = len(m), len(m[0])
    edges = [[Fraction(int(i == at)) for i in range(rows)] for at in range(rows)]
    pairs = [[m[i][a] - m[i][b] for i in range(rows)] for a, b in combinations(range(columns), 2)]
    best = None
    for chosen in combinations([*edges, *pairs], rows - 1):
        x = solved([[Fraction(1)] * (rows + 1), *([*plane, Fraction(0)] for plane in chosen)])
        if x is not None and min(x) >= 0:
            worst = min(sum(x[i] * m[i][j] for i in range(rows)) for j in range(columns))
            best = worst if best is None else max(best, worst)
    assert best is not None
    return Fraction(best)


def solved(equations: list[list[Fraction]]) -> list[Fraction] | None:
    n = len(equations)
    rows = [list(row) for row in equations]
    for i in range(n):
        at = next((r for r in range(i, n) if rows[r][i]), None)
        if at is None:
            return None
        rows[i], rows[at] = rows[at], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(n):
            if r != i and rows[r][i]:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


def stones(mine: tuple[str, ...], theirs: tuple[str, ...]) -> Fraction:
    if not mine:
        return HALF
    m = []
    for i, a in enumerate(mine):
        row = []
        for j, b in enumerate(theirs):
            rolls = list(product(a, b))
            wins = sum(x > y for x, y in rolls)
            ties = sum(x == y for x, y in rolls)
            rest = stones(mine[:i] + mine[i + 1 :], theirs[:j] + theirs[j + 1 :])
            row.append((wins + ties * rest) / 36)
        m.append(row)
    return matrix_value(m)


@pytest.mark.parametrize("case", range(8))
def test_fatestones(case: int) -> None:
    stream = SeededStream("coach stones", case)
    dice, many = all_dice(), 1 + case % 3
    hands = tuple(tuple(dice[stream.below(len(dice))] for _ in range(many)) for _ in (0, 1))
    game = make_game("fatestones/1", {"hands": [list(hand) for hand in hands]})
    value = judge_of(game).worth(game.start())
    assert value == (stones(hands[0], hands[1]), stones(hands[1], hands[0]))


def test_mirrored_positions_have_mirrored_values() -> None:
    hands = [["114456", "123366", "333444"], ["111666", "222555", "123456"]]
    one = make_game("fatestones/1", {"hands": hands})
    other = make_game("fatestones/1", {"hands": hands[::-1]})
    here, there = judge_of(one), judge_of(other)
    for mine, yours in product(range(3), repeat=2):
        a = Stones("roll", one.start().hands, (mine, yours))
        b = Stones("roll", other.start().hands, (yours, mine))
        assert here.worth(a) == there.worth(b)[::-1]
    assert here.worth(one.start()) == there.worth(other.start())[::-1]
    for seat in (0, 1):
        ours = [(o.move, o.mix, o.values[seat]) for o in here.options(one.start(), seat)]
        swapped = there.options(other.start(), 1 - seat)
        assert ours == [(o.move, o.mix, o.values[1 - seat]) for o in swapped]


# Video poker: every hand that can follow, ranked by a ranking of its own


def prize(hand: tuple[int, ...], level: int) -> int:
    ranks = sorted(card % 13 for card in hand)
    suits = {card // 13 for card in hand}
    tally = sorted(Counter(ranks).values(), reverse=True)
    straight = len(set(ranks)) == 5 and (ranks[4] - ranks[0] == 4 or ranks == [0, 1, 2, 3, 12])
    if straight and len(suits) == 1:
        return (800 if level == 5 else 250) if ranks[0] == 8 else 50
    if tally[0] == 4:
        return 25
    if tally[:2] == [3, 2]:
        return 9
    if len(suits) == 1:
        return 6
    if straight:
        return 4
    if tally[0] == 3:
        return 3
    if tally[:2] == [2, 2]:
        return 2
    pairs = [rank for rank, many in Counter(ranks).items() if many == 2]
    return 1 if pairs and pairs[0] >= 9 else 0


def hold_value(hand: tuple[int, ...], order: tuple[int, ...], level: int) -> Fraction:
    kept = tuple(card for card, gone in zip(hand, order, strict=True) if not gone)
    deck = [card for card in range(52) if card not in hand]
    follow = [prize(kept + new, level) for new in combinations(deck, 5 - len(kept))]
    return Fraction(sum(follow), len(follow)) - 1


@pytest.mark.parametrize("case", range(6))
def test_poker(case: int) -> None:
    stream = SeededStream("coach cards", case)
    deck = list(range(52))
    hand = tuple(deck.pop(stream.below(len(deck))) for _ in range(5))
    level = 5 if case % 2 else 1 + stream.below(4)
    game = make_game("poker/2", {"level": level})
    judge = judge_of(game)
    state = Cards(dealt=hand)
    options: dict[Move, Any] = {o.move: o.values for o in judge.options(state, 1)}
    assert len(options) == 32
    for order in product((0, 1), repeat=5):
        if sum(order) <= 2:
            value = hold_value(hand, order, level)
            assert options[order] == (-value, value)
            assert sum(order) == 0 or judge.worth(state._replace(order=order)) == (-value, value)
    assert judge.worth(state)[1] == max(values[1] for values in options.values())


@pytest.mark.parametrize("level", range(1, 6))
def test_the_kept_return_is_the_one_over_all_deals(level: int) -> None:
    assert RETURNS[level] == perfect_return(level)
