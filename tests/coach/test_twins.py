"""The judges against twins that share no code with them: counted the long way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

import pytest

from fairground.coach.judging import judge_of
from fairground.core import HIDDEN, Move
from fairground.fair.bits import SeededStream
from fairground.games import make_game
from fairground.games.codebreaking.rules import Row
from fairground.games.codebreaking.rules import State as Board
from fairground.games.codebreaking.solver.trees import best_stored
from fairground.games.codebreaking.solver.worth import KNOWN
from fairground.games.fatestones.rules import State as Stones
from fairground.games.fatestones.rules import all_dice
from fairground.games.intransitive.rules import State as Dice
from fairground.games.poker.holds import RETURNS, best_hold, perfect_return, worths
from fairground.games.poker.rules import State as Cards
from fairground.games.zombie.judge import CrowdJudge, SolvedZombieJudge
from fairground.games.zombie.rules import Zombie
from tests.helpers.codes import Trees, parts

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


# Code breaking: every tree there is, for small spaces


@pytest.mark.parametrize(("base", "length"), [(3, 2), (4, 2), (2, 4), (5, 2)])
def test_codes(base: int, length: int) -> None:
    trees = Trees(base, length)
    everything = frozenset(trees.codes)
    total, worst = trees.least(everything)
    fair = judge_of(make_game("codebreaking/1", {"base": base, "length": length}))
    evil = judge_of(make_game("codebreaking/1", {"base": base, "length": length, "oracle": "evil"}))
    assert fair.worth(fair.game.start())[0] == Fraction(total, len(everything))
    assert evil.worth(evil.game.start())[0] == worst
    stream = SeededStream("coach codes", base)
    for _ in range(6):
        guess = trees.codes[stream.below(len(trees.codes))]
        for a, part in parts(everything, guess).items():
            if a == (length, 0):
                continue
            rows = (Row(guess, a),)
            least, low = trees.least(part)
            assert -fair.worth(Board("guess", HIDDEN, rows))[1] == 1 + Fraction(least, len(part))
            assert -evil.worth(Board("guess", None, rows))[1] == 1 + low
            next_guess = trees.codes[stream.below(len(trees.codes))]
            spent = trees.after(part, next_guess)
            if spent is not None:
                (option,) = (
                    o
                    for o in fair.options(Board("guess", HIDDEN, rows), 1, (next_guess,))
                    if o.move == next_guess
                )
                assert -option.values[1] == 1 + Fraction(spent[0], len(part))


@pytest.mark.parametrize(("base", "length"), [(6, 4), (7, 4)])
def test_the_known_figures_are_those_of_the_stored_trees(base: int, length: int) -> None:
    stored = best_stored(base, length)
    assert stored is not None
    assert KNOWN[base, length] == (
        stored.total(),
        stored.root.guess,
        len(stored.distribution()),
        stored.proven,
    )


def test_published_figures_of_code_breaking() -> None:
    """Koyama and Lai 1993: 5625/1296; Knuth 1977: five guesses at worst."""
    fair = judge_of(make_game("codebreaking/1", {}))
    evil = judge_of(make_game("codebreaking/1", {"oracle": "evil"}))
    assert fair.worth(fair.game.start()) == (Fraction(5625, 1296), -Fraction(5625, 1296))
    assert fair.options(Board("guess", HIDDEN), 1)[0].values[0] == Fraction(5625, 1296)
    assert evil.worth(evil.game.start()) == (Fraction(5), Fraction(-5))


# Zombie Dice: three dice without footprints, so that a turn is a short list of rolls


FACES = ("bbs", "bs", "bss")


class Duel:
    """Two zombies over one round, by repeated substitution."""

    most = 14

    def __init__(self) -> None:
        self.level = 0.5
        for _ in range(60):
            self.level = self.turn(lambda t: 1 - self.turn(lambda u: self.against(u, t)))

    def against(self, mine: int, theirs: int) -> float:
        """The second of a round holds: level at the top, the first begins an extra round."""
        return 1.0 if mine > theirs else 0.0 if mine < theirs else 1 - self.level

    def turn(self, hold: Callable[[int], float], shot: frozenset[int] = frozenset()) -> float:
        worth = [hold(t) for t in range(self.most + 4)]
        memory: dict[tuple[int, frozenset[int]], float] = {}
        return self.roll(worth, memory, 0, shot)

    def state(self, worth: list[float], memory: Any, brains: int, shot: frozenset[int]) -> float:
        if brains > self.most:
            return worth[brains]
        key = (brains, shot)
        if key not in memory:
            memory[key] = max(worth[brains], self.roll(worth, memory, brains, shot))
        return float(memory[key])

    def roll(self, worth: list[float], memory: Any, brains: int, shot: frozenset[int]) -> float:
        dice = [die for die in range(3) if die not in shot]
        total = 0.0
        throws = list(product(*(FACES[die] for die in dice)))
        for faces in throws:
            hit = shot | {die for die, face in zip(dice, faces, strict=True) if face == "s"}
            eaten = faces.count("b")
            busts = len(hit) == 3
            total += worth[0] if busts else self.state(worth, memory, brains + eaten, hit)
        return total / len(throws)


def test_zombie() -> None:
    twin = Duel()
    params = {f"{kind}_dice": 1 for kind in ("weak", "strong", "tough")}
    faces = dict(zip(("weak_die_faces", "strong_die_faces", "tough_die_faces"), FACES, strict=True))
    game = make_game("zombie/2", {**params, **faces, "max_turns": 1})
    judge = judge_of(game)
    start = game.drawn(game.start(), 1)
    assert start.playing == (0, 1)
    assert float(judge.worth(start)[0]) == pytest.approx(twin.level, abs=1e-9)
    for brains, lead in ((3, 5), (3, 3), (4, 6), (5, 5)):
        for shot in (frozenset[int](), frozenset({0}), frozenset({1, 2})):
            pile = tuple(int(die in shot) for die in range(3))
            state = start._replace(
                at=1,
                scores=(lead, 0),
                brains=brains,
                rolls=1,
                shotgun_dice=pile,
                brain_dice=tuple(1 - n for n in pile),
                bag=(0, 0, 0),
            )
            worth = [twin.against(t, lead) for t in range(18)]
            memory: dict[Any, float] = {}
            options = {o.move: float(o.values[1]) for o in judge.options(state, 1)}
            assert options["hold"] == pytest.approx(worth[brains], abs=1e-9)
            assert options["roll"] == pytest.approx(
                twin.roll(worth, memory, brains, shot), abs=1e-9
            )


def test_published_figures_of_zombie_dice() -> None:
    """The first of two wins 0.464791578109834 in perfect play, the third of three 0.36920.

    Of four nothing is published: those figures are ours (`make tables`).
    """
    two, three, four = (make_game("zombie/2", {"players": n}) for n in (2, 3, 4))
    start = two.drawn(two.start(), 1)
    assert float(judge_of(two).worth(start)[0]) == pytest.approx(0.464791578109834, abs=1e-14)
    begin = three.drawn(three.drawn(three.start(), 2), 1)
    assert begin.playing == (0, 1, 2)
    chances = [float(value) for value in judge_of(three).worth(begin)]
    assert chances == pytest.approx([0.29978, 0.33102, 0.36920], abs=1e-5)
    begin = four.drawn(four.drawn(four.drawn(four.start(), 3), 2), 1)
    assert begin.playing == (0, 1, 2, 3)
    chances = [float(value) for value in judge_of(four).worth(begin)]
    assert chances == pytest.approx([0.220130, 0.237982, 0.258706, 0.283182], abs=1e-6)


@pytest.mark.parametrize("players", [3, 4])
def test_the_model_of_a_crowd_is_as_far_off_as_it_says(players: int) -> None:
    """Of three and four perfect play is known: the model of the crowd is measured against it."""
    game = Zombie(players)
    perfect, model = SolvedZombieJudge(game), CrowdJudge(game)
    state = game.start()
    while state.phase == "shuffle":
        state = game.drawn(state, 0)
    stream = SeededStream("coach crowd", 1)
    off = []
    chased = dict(zip(state.playing, (15, 10, 9, 5), strict=False))  # somebody is at the goal
    cases = [(tuple(chased[seat] for seat in range(players)), 1)]
    cases += [
        (tuple(stream.below(13) for _ in range(players)), stream.below(players)) for _ in range(12)
    ]
    for scores, at in cases:
        here = state._replace(scores=scores, at=at)
        pairs = zip(perfect.worth(here), model.worth(here), strict=True)
        off += [abs(float(a - b)) for a, b in pairs]
        assert sum(model.worth(here)) == pytest.approx(1, abs=1e-6)
    assert max(off) <= model.basis.error


@pytest.mark.parametrize("level", [1, 5])
def test_the_counts_of_all_deals(level: int) -> None:
    """Every deal is counted, their mean is the return, and deals are where they belong."""
    rows = worths(level)
    assert sum(many for _, many in rows) == comb(52, 5)
    assert sum(worth * many for worth, many in rows) / comb(52, 5) == RETURNS[level]
    known = dict(rows)
    stream = SeededStream("coach deals", level)
    for _ in range(20):
        deck = list(range(52))
        hand = tuple(deck.pop(stream.below(len(deck))) for _ in range(5))
        assert best_hold(hand, level).value in known
    royal = sum(many for worth, many in rows if worth == (800 if level == 5 else 250))
    assert royal == 4


# Laws: what is only named otherwise is worth the same


def test_dice_in_another_order_and_seats_swapped() -> None:
    faces = [[2, 2, 4, 4, 9, 9], [6, 8, 1, 1, 8, 6], [7, 5, 3, 7, 5, 3], [1, 2, 3]]
    one, other = (make_game("intransitive/1", {"dice": dice}) for dice in (faces, faces[::-1]))
    for first in (0, 1):
        here, there = one.drawn(one.start(), first), other.drawn(other.start(), 1 - first)
        assert judge_of(one).worth(here) == judge_of(other).worth(there)[::-1]
        ours = {o.move: o.values for o in judge_of(one).options(here, 1 - first)}
        theirs = {3 - int(str(o.move)): o.values for o in judge_of(other).options(there, first)}
        assert ours == {move: values[::-1] for move, values in theirs.items()}


def test_cards_with_suits_swapped_and_in_another_order() -> None:
    judge = judge_of(make_game("poker/2", {}))
    hand = (9, 22, 11, 37, 3)
    swapped = tuple((card + 26) % 52 for card in hand[::-1])
    ours = {o.move: o.values for o in judge.options(Cards(dealt=hand), 1)}
    theirs: dict[Move, Any] = {
        tuple(o.move)[::-1]: o.values  # type: ignore[arg-type]
        for o in judge.options(Cards(dealt=swapped), 1)
    }
    assert ours == theirs


def test_codes_with_digits_and_places_swapped() -> None:
    judge = judge_of(make_game("codebreaking/1", {"base": 4, "length": 3}))
    for guess, marks in (((0, 0, 1), (1, 0)), ((0, 1, 2), (0, 2)), ((3, 3, 1), (0, 1))):
        like = tuple(3 - digit for digit in guess[::-1])
        here, there = (Board("guess", HIDDEN, (Row(one, marks),)) for one in (guess, like))
        assert judge.worth(here) == judge.worth(there)


def test_zombies_with_seats_swapped() -> None:
    game = make_game("zombie/2", {"players": 3})
    judge = judge_of(game)
    start = game.drawn(game.drawn(game.start(), 2), 1)
    for at, scores in ((0, (3, 9, 1)), (1, (12, 0, 7)), (2, (5, 5, 11))):
        turned = (scores[2], scores[0], scores[1])  # seat 0 is called 1 now, and so on
        here = start._replace(at=at, scores=scores)
        there = start._replace(at=at, scores=turned, playing=(1, 2, 0), order=(1, 2, 0))
        values = judge.worth(here)
        assert judge.worth(there) == (values[2], values[0], values[1])
