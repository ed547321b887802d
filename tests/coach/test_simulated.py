"""The values of the judges against games that are played on from a position, by their own advice.

In the suite some thousand games a position; `make campaign` plays a million, and shows the mean
with its interval beside the value. Chance comes from NumPy, dice and cards are handled here and not
by the rules, and the mean must lie within five standard errors of the value.
"""

from __future__ import annotations

import sys
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fairground.coach.judging import Judge, judge_of
from fairground.core import HIDDEN, Draw, Turn
from fairground.games import make_game
from fairground.games.codebreaking.rules import Row
from fairground.games.codebreaking.rules import State as Board
from fairground.games.poker.rules import State as Cards
from fairground.games.zombie.rules import Die
from tests.coach.test_twins import answer, prize
from tests.helpers.width import WIDE

GAMES = 1_000_000 if WIDE else 20_000
Array = np.ndarray[Any, Any]


def close(results: Array, value: Fraction | float, capsys: pytest.CaptureFixture[str]) -> None:
    mean, error = float(results.mean()), float(results.std() / len(results) ** 0.5)
    with capsys.disabled():
        if WIDE:
            shown = f"{mean:.6f} ± {1.96 * error:.6f}, and the value is {float(value):.6f}"
            sys.stdout.write(f"\n  {len(results):,} games: {shown}\n")
    assert abs(mean - float(value)) <= 5 * error + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_dice(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(seed)
    dice = [rng.integers(0, 9, size=4 + i % 3).tolist() for i in range(5)]
    game = make_game("intransitive/1", {"dice": dice})
    judge = judge_of(game)
    state = game.drawn(game.start(), 0)
    value = judge.worth(state)[1]
    for _ in range(2):
        awaits = game.awaits(state)
        assert isinstance(awaits, Turn)
        (seat,) = awaits.seats
        state = game.played(state, {seat: judge.options(state, seat)[0].move})
    computer, user = (rng.choice(dice[pick], GAMES) for pick in state.picks)
    close((user > computer) + 0.5 * (user == computer), value, capsys)


def stones(judge: Judge[Any], state: Any, games: int, rng: Any) -> Array:
    """Seat 0's results, both sides mixing as they are told."""
    mixes = []
    for seat in (0, 1):
        options = sorted(judge.options(state, seat), key=lambda option: str(option.move))
        mix = np.array([float(option.mix or 0) for option in options])
        mixes.append(rng.choice(len(mix), games, p=mix / mix.sum()))
    results = []
    for (mine, theirs), many in sorted(
        Counter(zip(*map(Array.tolist, mixes), strict=True)).items()
    ):
        a, b = (
            rng.choice([int(face) for face in state.hands[seat][pick]], many)
            for seat, pick in ((0, mine), (1, theirs))
        )
        ties = int((a == b).sum())
        results.append((a > b)[a != b].astype(float))
        if not ties:
            continue
        rests = tuple(
            hand[:pick] + hand[pick + 1 :]
            for hand, pick in zip(state.hands, (mine, theirs), strict=True)
        )
        if rests[0]:
            results.append(stones(judge, state._replace(hands=rests), ties, rng))
        else:
            results.append(np.full(ties, 0.5))
    return np.concatenate(results)


@pytest.mark.parametrize("seed", range(3))
def test_fatestones(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(seed)
    game = make_game("fatestones/1", {})
    judge = judge_of(game)
    state = game.start()
    while state.phase == "deal":
        awaits = game.awaits(state)
        assert isinstance(awaits, Draw)
        state = game.drawn(state, int(rng.integers(awaits.n)))
    close(stones(judge, state, GAMES, rng), judge.worth(state)[0], capsys)


@pytest.mark.parametrize("seed", range(3))
def test_poker(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(seed)
    deck = rng.permutation(52).tolist()
    hand, rest = tuple(deck[:5]), deck[5:]
    judge = judge_of(make_game("poker/2", {"level": 1}))
    best = judge.options(Cards(dealt=hand), 1)[0]
    assert isinstance(best.move, tuple)
    kept = tuple(card for card, gone in zip(hand, best.move, strict=True) if not gone)
    new = 5 - len(kept)
    games = GAMES if WIDE else GAMES // 10
    drawn = np.array(rest)[np.argsort(rng.random((games, 47)), axis=1)[:, :new]]
    prizes = np.array([prize(kept + tuple(cards), 1) for cards in drawn.tolist()]) - 1.0
    close(prizes, best.values[1], capsys)


def test_codes(capsys: pytest.CaptureFixture[str]) -> None:
    base, length = (6, 4) if WIDE else (4, 3)
    judge = judge_of(make_game("codebreaking/1", {"base": base, "length": length}))
    known: dict[Any, Any] = {}
    needed: dict[Any, int] = {}

    def guesses(code: tuple[int, ...]) -> int:
        rows: tuple[Row, ...] = ()
        while not rows or rows[-1].marks != (length, 0):
            if rows not in known:
                known[rows] = judge.options(Board("guess", HIDDEN, rows), 1)[0].move
            rows = (*rows, Row(known[rows], answer(code, known[rows])))
        return len(rows)

    rng = np.random.default_rng(1)
    drawn = rng.integers(0, base, size=(GAMES, length))
    for code in {tuple(row) for row in drawn.tolist()}:
        needed[code] = guesses(code)
    results = np.array([needed[tuple(row)] for row in drawn.tolist()], float)
    close(results, judge.worth(judge.game.start())[0], capsys)


class Turns:
    """Many turns of Zombie Dice side by side; each row is one: dice by colour, and brains."""

    faces = np.array([[3, 2, 1], [2, 2, 2], [1, 2, 3]]) / 6
    """By colour: brains, footprints, shotguns."""

    def __init__(self, games: int, rng: Any) -> None:
        self.rng = rng
        self.bag = np.tile([6, 4, 3], (games, 1))
        self.feet, self.eaten, self.shot = (np.zeros((games, 3), int) for _ in range(3))
        self.brains = np.zeros(games, int)

    def roll(self, who: Array) -> None:
        """One roll of these."""
        need = 3 - self.feet[who].sum(axis=1)
        short = who[need > self.bag[who].sum(axis=1)]
        self.bag[short] += self.eaten[short]
        self.eaten[short] = 0
        hand = self.feet[who].copy()
        for place in range(3):
            left = self.bag[who].sum(axis=1)
            takes = (place < need) & (left > 0)
            at = self.rng.random(len(who)) * left
            colour = (at[:, None] >= np.cumsum(self.bag[who], axis=1)).sum(axis=1)
            some = np.flatnonzero(takes)
            self.bag[who[some], colour[some]] -= 1
            hand[some, colour[some]] += 1
        self.feet[who] = 0
        for colour in range(3):
            brains = self.rng.binomial(hand[:, colour], self.faces[colour, 0])
            rest = hand[:, colour] - brains
            share = self.faces[colour, 2] / (1 - self.faces[colour, 0])
            shots = self.rng.binomial(rest, share)
            self.eaten[who, colour] += brains
            self.brains[who] += brains
            self.shot[who, colour] += shots
            self.feet[who, colour] = rest - shots


PLACES = 1 << np.cumsum([0, 4, 4, 4, 4, 4, 4, 5, 5, 5, 4, 4, 4])
"""A row as one number, which is sorted a hundred times as fast: no column outgrows its bits."""


@pytest.mark.parametrize("lead", [1, 4])
def test_zombie(lead: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The last turn of a duel, some brains behind: more win, fewer lose, as many go on."""
    game = make_game("zombie/2", {})
    judge = judge_of(game)
    start = game.drawn(game.start(), 1)._replace(at=1, scores=(14, 14 - lead))
    level = judge.worth(start._replace(at=0, scores=(14, 14), extra=1))[1]
    rng = np.random.default_rng(lead)
    turns = Turns(GAMES, rng)
    known: dict[tuple[int, ...], bool] = {}
    playing = np.arange(GAMES)
    first = True
    while len(playing):
        turns.roll(playing)
        alive = playing[turns.shot[playing].sum(axis=1) < 3]
        turns.brains[np.setdiff1d(playing, alive)] = 0
        rows = np.concatenate(
            [turns.bag, turns.feet, turns.eaten, turns.shot, turns.brains[:, None]], axis=1
        )[alive]
        _, at, inverse = np.unique(rows @ PLACES, return_index=True, return_inverse=True)
        rolls = np.empty(len(at), bool)
        for number, row in enumerate(map(tuple, rows[at].tolist())):
            if row not in known:
                known[row] = rolls_on(judge, start, row)
            rolls[number] = known[row]
        playing = alive[rolls[inverse.ravel()]]
        first = False
    assert not first
    won = np.where(turns.brains > lead, 1.0, np.where(turns.brains == lead, float(level), 0.0))
    close(won, judge.worth(start)[1], capsys)


def rolls_on(judge: Judge[Any], start: Any, row: tuple[int, ...]) -> bool:
    bag, feet, eaten, shot = (row[at : at + 3] for at in (0, 3, 6, 9))
    left = [Die(colour, "f") for colour in range(3) for _ in range(feet[colour])]
    cells = (*left, *[None] * (3 - len(left)))
    state = start._replace(
        bag=bag, cells=cells, brain_dice=eaten, shotgun_dice=shot, brains=row[12], rolls=1
    )
    return bool(judge.options(state, 1)[0].move == "roll")
