"""Three zombies who all play to win: with which chance does each of them succeed?

With three players what is best for one is not worst for another, so a value is three numbers:
the winning chances of the first, the second and the third in the round. The one to move decides
by its own number, and the other two follow. The result is an equilibrium: in no situation can
one player gain by deciding otherwise while the others stay with their choices.

Everything is solved backwards, as in `fairground.solve.zombie.duel`:

* ``last[top, d]``: the last turn of a deciding round. The third is d brains behind the best of
  the other two; ``top`` says who is best: the first (0), the second (1), or both (2).
* ``answer[d, e]``: the second turn of a deciding round. The first is d brains ahead of the second
  and e ahead of the third.
* ``level``: an extra round in which all three are level. Two who are level play the duel.
* ``rounds[turn][a, b, c]``: a regular round with these scores, all below the goal, before the
  turn of the first (0), the second (1) or the third (2).

Three empty hands lead back to the same round. With fixed choices that is one linear equation, so
the secant rule closes the cycle in a few steps. Scores with the same sum are solved together.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from fairground.core import Seat
from fairground.games.zombie import State, Zombie
from fairground.solve.zombie import duel, kernel, tables, turn
from fairground.solve.zombie.duel import Progress
from fairground.solve.zombie.turn import Array, TooMuchWork, Turns

SEATS: Final = 3
FIRST, SECOND, THIRD = range(SEATS)
BOTH: Final = 2
"""The first and the second are level at the top."""

TOGETHER: Final = 5
"""Turns solved at once: three columns each, enough for the processor's vectors."""

CLOSE: Final = 1e-14
"""How far the two sides of a fixed point may differ."""

HOPELESS: Final = 1e-8
"""A lead that a turn overcomes with less than this chance is never overcome. Such leads are as
rare themselves, so the error is far below the digits that anyone would print."""

MOST_WORK: Final = 3e11
"""The most arrows times payoffs that a table may cost: some minutes."""


class Trio(NamedTuple):
    """The solved game of three. The last axis of every table is the player: three chances."""

    pair: float
    """The winning chance of the first of two who are level."""
    level: Array
    last: Array
    answer: Array
    rounds: Array


class TrioSituation(NamedTuple):
    """Where a turn of a game of three is played."""

    turn: int
    """How many have had their turn in this round."""
    scores: tuple[int, int, int]
    """In the order of the turns."""
    extra: bool
    """Whether this is an extra round."""


def situation(s: State, seat: Seat) -> TrioSituation:
    """Where a seat is to move, with three still playing."""
    first, second, third = (s.scores[other] for other in s.playing)
    return TrioSituation(s.playing.index(seat), (first, second, third), s.extra > 0)


def first_player_wins(trio: Trio) -> Array:
    """The winning chances of the first, second and third when all three play to win."""
    chances: Array = trio.rounds[FIRST, 0, 0, 0]
    return chances


class TrioPayoffs:
    """What holding is worth to everybody, by the number of brains held."""

    level: Array
    last: Array
    answer: Array
    rounds: Array

    def __init__(self, game: Zombie, known: Trio | None = None) -> None:
        self.found: Turns = turn.turns(game)
        self.goal = game.brains_to_win
        top = self.top = int(np.argmax(self.found.reached < HOPELESS))
        self.brains = np.arange(self.found.top + kernel.RING)
        if known is not None:
            self.pair, self.level, self.last, self.answer, self.rounds = known
            return
        self.pair = duel.tie_break(self.found)[0]
        self.level = np.full(SEATS, 1 / SEATS)
        self.last = np.zeros((SEATS, top + 1, SEATS))
        self.answer = np.zeros((top + 1, top + 1, SEATS))
        self.rounds = np.zeros((SEATS, self.goal, self.goal, self.goal, SEATS))

    def at(self, where: TrioSituation) -> Array:
        """The payoffs of the one to move."""
        mine: Array = np.ascontiguousarray(self.shared(where)[:, where.turn])
        return mine

    def shared(self, where: TrioSituation) -> Array:
        """The payoffs of all three, when the one to move holds."""
        a, b, c = where.scores
        best = max(where.scores[: where.turn], default=0)
        if where.extra or best >= self.goal:
            if where.turn == THIRD:
                who = BOTH if a == b else FIRST if a > b else SECOND
                hold = self.last_hold(who, best - c)
            elif where.turn == SECOND:
                hold = self.answer_hold(a - b, a - c)
            else:
                lead = np.minimum(self.brains, self.top)
                hold = self.answer[lead, lead]
        else:
            hold = (self.first_hold, self.second_hold, self.third_hold)[where.turn](a, b, c)
        return hold

    def behind(self, top: int) -> Array:
        """What the round brings if the third stays behind."""
        pair = np.array([self.pair, 1 - self.pair, 0.0])
        return pair if top == BOTH else np.eye(SEATS)[top]

    def last_hold(self, top: int, behind: int) -> Array:
        """The third of a deciding round holds."""
        pair = np.zeros(SEATS)
        if top == BOTH:
            pair = self.level
        else:
            pair[[top, THIRD]] = self.pair, 1 - self.pair
        hold = np.empty((len(self.brains), SEATS))
        hold[self.brains < behind] = self.behind(top)
        hold[self.brains == behind] = pair
        hold[self.brains > behind] = np.eye(SEATS)[THIRD]
        return hold

    def answer_hold(self, ahead: int, of_third: int) -> Array:
        """The second of a deciding round holds: the third has the last word."""
        lead = np.minimum(of_third + np.maximum(self.brains - ahead, 0), self.top)
        who = np.where(self.brains > ahead, SECOND, np.where(self.brains == ahead, BOTH, FIRST))
        hold: Array = self.last[who, lead]
        return hold

    def third_hold(self, a: int, b: int, c: int) -> Array:
        """The third of a regular round holds: with enough brains it has won."""
        scores = c + self.brains
        hold: Array = self.rounds[FIRST, a, b, np.minimum(scores, self.goal - 1)].copy()
        hold[scores >= self.goal] = np.eye(SEATS)[THIRD]
        return hold

    def second_hold(self, a: int, b: int, c: int) -> Array:
        """The second of a regular round holds: with enough brains the third must answer."""
        scores = b + self.brains
        hold: Array = self.rounds[THIRD, a, np.minimum(scores, self.goal - 1), c].copy()
        enough = scores >= self.goal
        hold[enough] = self.last[SECOND, np.minimum(scores[enough] - c, self.top)]
        return hold

    def first_hold(self, a: int, b: int, c: int) -> Array:
        """The first of a regular round holds: with enough brains both others must answer."""
        scores = a + self.brains
        hold: Array = self.rounds[SECOND, np.minimum(scores, self.goal - 1), b, c].copy()
        enough = scores >= self.goal
        ahead, of_third = (np.minimum(scores[enough] - other, self.top) for other in (b, c))
        hold[enough] = self.answer[ahead, of_third]
        return hold


class Solver(TrioPayoffs):
    """Fills the tables."""

    def values(self, holds: list[Array], own: int) -> Array:
        """What turns with these payoffs are worth to everybody."""
        parts = []
        for i in range(0, len(holds), TOGETHER):
            hold = np.ascontiguousarray(np.concatenate(holds[i : i + TOGETHER], axis=1))
            mine = hold[:, own::SEATS]
            quiet = self.found.quiet(mine, mine[0])
            links, layers = self.found.links, self.found.layers
            parts.append(kernel.sweep_shared(links, layers, hold, own, SEATS, quiet))
        return np.concatenate(parts).reshape(-1, SEATS)

    def tie_break(self) -> None:
        """Extra rounds among three who are level, and all deciding rounds."""
        top = self.top
        for who in range(SEATS):
            self.last[who, top] = self.behind(who)
        self.answer[top] = self.last[FIRST]

        def step(level: Array) -> Array:
            self.level = level
            for who in range(SEATS):
                holds = [self.last_hold(who, d) for d in range(top)]
                self.last[who, :top] = self.values(holds, THIRD)
            self.answer[top] = self.last[FIRST]
            level_only = [self.answer_hold(d, d) for d in range(top)]
            diagonal = np.append(self.values(level_only, SECOND), self.answer[top, top:], axis=0)
            hold = diagonal[np.minimum(self.brains, top)]
            value: Array = self.values([hold], FIRST)[0]
            return value

        self.level = _closed(step, self.level)
        step(self.level)
        for d in range(top):
            holds = [self.answer_hold(d, e) for e in range(top + 1)]
            self.answer[d] = self.values(holds, SECOND)

    def regular(self, total: int) -> None:
        """All regular rounds in which the scores add up to this."""
        scores = range(self.goal)
        triples = [
            (a, b, total - a - b) for a in scores for b in scores if 0 <= total - a - b < self.goal
        ]
        at = tuple(np.array(triples).T)

        def step(chances: Array) -> Array:
            self.rounds[(FIRST, *at)] = chances
            self.rounds[(THIRD, *at)] = self.values([self.third_hold(*t) for t in triples], THIRD)
            holds = [self.second_hold(*t) for t in triples]
            self.rounds[(SECOND, *at)] = self.values(holds, SECOND)
            return self.values([self.first_hold(*t) for t in triples], FIRST)

        self.rounds[(FIRST, *at)] = _closed(step, np.full((len(triples), SEATS), 1 / SEATS))


def _closed(step: Callable[[Array], Array], x: Array) -> Array:
    """The x with step(x) = x, by the secant rule on each number; step contracts."""
    before, after = x, step(x)
    x = after
    for _ in range(100):
        y = step(x)
        if np.abs(y - x).max() <= CLOSE:
            break
        slope = np.divide(y - after, x - before, out=np.zeros_like(x), where=x != before)
        before, after = x, y
        x = x + (y - x) / (1 - np.clip(slope, 0.0, 0.9))
    return y


def _must_be_feasible(found: Turns, goal: int) -> None:
    work = 12.0 * (goal**3 + found.top**2) * SEATS * len(found.links.target)
    if found.top > 100 or work > MOST_WORK:
        raise TooMuchWork(
            f"a game of three to {goal} brains with this bag is too large to be solved"
        )


def solve(game: Zombie, progress: Progress | None = None) -> Trio:
    """Solve the game of three with this bag and goal; the number of seats does not matter."""
    tell = progress or (lambda share: None)
    if game.max_turns:
        raise TooMuchWork("a game of three is solved to a number of brains, not over rounds")
    _must_be_feasible(turn.turns(game), game.brains_to_win)
    solver = Solver(game)
    tell(0.0)
    solver.tie_break()
    totals = SEATS * (solver.goal - 1)
    for total in range(totals, -1, -1):
        solver.regular(total)
        tell(1 - (total / (totals + 1)) ** 2)
    return Trio(solver.pair, solver.level, solver.last, solver.answer, solver.rounds)


def ready(game: Zombie) -> Trio | None:
    """The solved game of three, if it came with the package or is in the cache."""
    return None if game.max_turns else tables.ready(Trio, game, SEATS)


def load_or_compute(
    game: Zombie, progress: Progress | None = None, folder: Path | None = None
) -> Trio:
    """The solved game of three, from disk or computed now and kept in the cache."""
    return tables.load_or_compute(Trio, game, SEATS, lambda: solve(game, progress), folder)


def optimal(game: Zombie, trio: Trio, where: TrioSituation) -> Array:
    """The choices of a turn that wins most often: [brains, shape] → 1 rolls, 0 holds."""
    hold = TrioPayoffs(game, trio).at(where)
    return turn.turns(game).best(hold, float(hold[0]))
