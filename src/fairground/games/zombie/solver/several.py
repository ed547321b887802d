"""Two, three or four zombies who all play to win: with which chance does each of them succeed?

With more than two players the best move for one is not the worst for another. So a value is a row
of numbers: the chance of each player to win, in the order of their turns. The one to move decides
by its own number, and the others follow. The result is an equilibrium: in no situation can one
player gain by deciding otherwise while the others stay with their choices.

Everything is solved backwards:

* ``ties[m]``: an extra round in which m are level.
* ``deciding[k][leaders, d, e, ...]``: a deciding round (an extra one, or one in which somebody has
  reached the goal) before turn k. ``leaders`` has a bit for each of those who have moved and are
  level at the top; d, e, ... is how far behind them each of the others is.
* ``rounds[k][a, b, ...]``: a regular round with these scores, all below the goal, before turn k.

If all come away with nothing, the same round comes again, and so does an extra round in which all
stay level. One more number beside the chances follows every turn: the chance that the round comes
**again**. With it the cycle is closed exactly as long as the choices stay the same, so a few
steps are enough. Scores with the same sum are solved together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from fairground.core import Seat
from fairground.games.zombie.rules import State, Zombie
from fairground.games.zombie.solver import tables, turn
from fairground.games.zombie.solver.turn import Array, Obeyed, Progress, TooMuchWork, Turns

MOST: Final = 4
"""Maximum number of players: five would take an hour, and tables of ten megabytes."""

TOGETHER: Final = 16
"""Number of turns solved at once: they fit into the processor's cache."""

CLOSE: Final = 1e-11
"""Maximum correction of the last step. The remaining error is far smaller: see above."""

MOST_STEPS, HALVINGS = 40, 45

HOPELESS: Final = 1e-8
"""A lead that a turn overcomes with less than this chance counts as decided among three and four.
With 1e-10, no chance among three players changes by more than 1e-13."""

MOST_WORK: Final = 1e12
"""Maximum number of arrows times payoffs of a table: some minutes."""

MOST_SCORES: Final = 1_000_000
"""Maximum number of scores in memory: some hundred megabytes."""


class Several(NamedTuple):
    """A solved game. The last axis of every table is the player."""

    ties: Array
    deciding: Array
    """One table after the other, flat."""
    rounds: Array


class Compressed(NamedTuple):
    """A `Several` with its tables compressed for storage: see `tables.compressed`."""

    ties: Array
    deciding: Array
    rounds: Array


BITS: Final = 44
"""Number of bits of a chance on disk: it stays right to 12 digits."""

ROUNDING: Final = {3: 1e-10, 4: 1e-6}
"""By players: maximum error of a chance. For four it occurs only at the one score at which the
tables hold a mix (see `balanced`); elsewhere it is 1e-9."""


class Among(NamedTuple):
    """The position of a turn among several."""

    turn: int
    """Number of players who have had their turn in this round."""
    scores: tuple[int, ...]
    """The scores in the order of the turns."""
    extra: bool
    rounds: int = 0
    """Rounds to go, this one included; 0 when the game goes to a number of brains."""


def situation(s: State, seat: Seat) -> Among:
    """Return the position of a seat that is to move."""
    scores = tuple(s.scores[other] for other in s.playing)
    return Among(s.playing.index(seat), scores, s.extra > 0)


def all_win(known: Several) -> Array:
    """Return the winning chances of the first, second, ... when all play to win."""
    players = known.rounds.shape[-1]
    chances: Array = known.rounds[(0,) * (players + 1)]
    return chances


class Payoffs:
    """The worth of holding to every player, by the number of brains held.

    Columns are the players in the order of their turns. While a game is being solved, the last
    column is the chance that the round comes again.
    """

    def __init__(self, game: Zombie, known: Several) -> None:
        self.found: Turns = turn.turns(game)
        self.goal = game.brains_to_win
        self.brains = np.arange(self.found.top + turn.RING)
        self.ties, flat, self.rounds = known
        self.players = len(self.ties) - 1
        self.top = hopeless(self.found, self.players)
        self.deciding = [flat[:0], *_split(flat, self.players, self.top)]
        self.wins = np.eye(self.players, flat.shape[-1])

    def at(self, where: Among) -> Array:
        """Return the payoffs of the mover."""
        mine: Array = np.ascontiguousarray(self.shared(where)[:, where.turn])
        return mine

    def shared(self, where: Among) -> Array:
        """Return the payoffs of all players when the mover holds."""
        k, scores = where.turn, where.scores
        best = max(scores[:k], default=max(scores))
        if where.extra or (k and best >= self.goal):
            leaders = sum(1 << seat for seat in range(k) if scores[seat] == best)
            behind = [min(best - score, self.top) for score in scores[k:]]
            found = self.answered(k, np.array([leaders]), np.array([behind]))
        else:
            found = self.regular(k, np.array([scores]))
        shared: Array = found[0]
        return shared

    def regular(self, k: int, scores: Array) -> Array:
        """Return [case, brains, column]: payoffs when turn k of regular rounds ends."""
        mine = scores[:, k, None] + self.brains
        at = [score[:, None] for score in scores.T]
        at[k] = np.minimum(mine, self.goal - 1)
        then = (k + 1) % self.players
        hold: Array = self.rounds[(then, *at)]
        enough = mine >= self.goal
        if then == 0:  # the round is over
            hold[enough] = self.wins[k]
        else:
            behind = [np.minimum(mine - score[:, None], self.top) for score in scores.T[then:]]
            hold[enough] = self.deciding[then][(1 << k, *(lead[enough] for lead in behind))]
        return hold

    def answered(self, k: int, leaders: Array, behind: Array) -> Array:
        """Return [case, brains, column]: payoffs when turn k of deciding rounds ends.

        ``behind[case]`` is the distance of the mover and of those to come behind the leaders.
        """
        more = self.brains - behind[:, :1]
        mine, both = 1 << k, leaders | 1 << k
        who = np.where(more > 0, mine, np.where(more == 0, both[:, None], leaders[:, None]))
        ahead = np.maximum(more, 0)
        later = [np.minimum(lead[:, None] + ahead, self.top) for lead in behind[:, 1:].T]
        after = self.deciding[k + 1] if later else self.outcomes()
        hold: Array = after[(who, *later)]
        return hold

    def outcomes(self) -> Array:
        """Return [leaders, column]: the result of a deciding round with these at the top."""
        rows = np.zeros((1 << self.players, self.wins.shape[1]))
        for leaders in range(1, len(rows)):
            seats = [seat for seat in range(self.players) if leaders >> seat & 1]
            rows[leaders, seats] = self.ties[len(seats), : len(seats)]
        rows[-1, self.players :] = 1.0
        return rows


def hopeless(found: Turns, players: int) -> int:
    """Return the lead that counts as decided."""
    return int(np.argmax(found.reached < (turn.TINY if players == 2 else HOPELESS)))


def _shapes(players: int, top: int) -> list[tuple[int, ...]]:
    """Return the shapes of ``deciding[1]``, ``deciding[2]``, ..."""
    return [(1 << k, *(top + 1,) * (players - k)) for k in range(1, players)]


def _split(flat: Array, players: int, top: int) -> list[Array]:
    """Split the flat array into views, one for each table of deciding rounds."""
    shapes = _shapes(players, top)
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    parts = np.split(flat, ends[:-1])
    return [part.reshape(*shape, -1) for part, shape in zip(parts, shapes, strict=True)]


class Solver(Payoffs):
    """Fills the tables. The last column of each is the chance that the round comes again."""

    def __init__(self, game: Zombie, ties: Array) -> None:
        """Prepare the tables; ``ties`` are those of fewer players."""
        from fairground.games.zombie.solver.sweeps import sweeper

        players, goal, found = len(ties), game.brains_to_win, turn.turns(game)
        deciding = sum(math.prod(shape) for shape in _shapes(players, hopeless(found, players)))
        self._flat = np.zeros((deciding, players + 1))
        rounds = np.zeros((players, *(goal,) * players, players + 1))
        super().__init__(game, Several(np.pad(ties, ((0, 1), (0, 1))), self._flat, rounds))
        self._sweep = sweeper(found)

    def values(self, k: int, holds: Callable[[slice], Array], cases: int) -> Array:
        """Return the worth of turns of player k to all; ``holds`` returns the payoffs of some."""
        columns, found = self.columns(k), self.found
        value = np.zeros((cases, self.players + 2))
        for i in range(0, cases, TOGETHER):
            some = slice(i, min(i + TOGETHER, cases))
            hold = holds(some)[:, :, columns].transpose(1, 0, 2)
            quiet = found.quiet(hold[:, :, 0], hold[0, :, 0])
            flat = np.ascontiguousarray(hold).reshape(len(hold), -1)
            swept = self._sweep(flat, len(columns), quiet)
            value[some, columns] = swept.reshape(-1, len(columns))
        rest = [seat for seat in range(self.players) if seat not in columns]
        if len(rest) == 1:
            value[:, rest[0]] = 1 - value[:, : self.players].sum(axis=1)
        return value[:, :-1]

    def columns(self, k: int) -> list[int]:
        """Return the columns to follow in turn k, the deciding one first.

        The chances of all add up to 1, so one of the others need not be followed.
        """
        others = [seat for seat in range(self.players) if seat != k]
        return [k, *others[:-1], self.players]

    def answer(self, k: int, behind: Array) -> None:
        """Solve turn k of deciding rounds with these distances, for all leaders."""
        leaders = np.repeat(np.arange(1, 1 << k), len(behind))
        behind = np.tile(behind, ((1 << k) - 1, 1))
        # Whoever is hopelessly behind might as well not move.
        lost = behind[:, 0] == self.top
        at = leaders[lost], *behind[lost, 1:].T
        after = self.outcomes() if k == self.players - 1 else self.deciding[k + 1]
        self.deciding[k][(at[0], self.top, *at[1:])] = after[at]
        who, leads = leaders[~lost], behind[~lost]
        self.deciding[k][(who, *leads.T)] = self.values(
            k, lambda some: self.answered(k, who[some], leads[some]), len(who)
        )

    def tie_break(self) -> None:
        """Solve extra rounds in which all players are level."""
        players, nobody = self.players, np.zeros((1, self.players), int)

        def step(level: Array, _: Array) -> Array:
            self.ties[players] = level[0]
            for k in range(players - 1, 0, -1):  # after the first turn all are equally far behind
                self.answer(k, np.repeat(np.arange(self.top + 1)[:, None], players - k, axis=1))
            return self.values(0, lambda some: self.answered(0, nobody[:, 0], nobody), 1)

        self.ties[players] = closed(step, np.full((1, players), 1 / players))[0][0]

    def deciding_rounds(self) -> None:
        """Solve all deciding rounds that can occur."""
        players = self.players
        for k in range(players - 1, 0, -1):
            behind = np.indices((self.top + 1,) * (players - k)).reshape(players - k, -1).T
            # In a regular round scores differ by less than the goal.
            self.answer(k, behind[np.ptp(behind, axis=1) < self.goal])
        self._flat[:, -1] = 0.0

    def turns(self, k: int, scores: Array) -> Array:
        """Return the worth of turn k of regular rounds with these scores."""
        # Alike turns are solved together: they need the same states.
        order = np.lexsort((np.delete(scores, k, axis=1).max(axis=1), scores[:, k]))
        alike = scores[order]
        value = self.values(k, lambda some: self.regular(k, alike[some]), len(alike))
        return value[np.argsort(order)]

    def regular_rounds(self, scores: Array) -> None:
        """Solve regular rounds with these scores, whose sums are the same."""
        players, at = self.players, tuple(scores.T)

        def step(chances: Array, these: Array) -> Array:
            some = scores[these]
            self.rounds[(0, *some.T)] = np.pad(chances, ((0, 0), (0, 1)), constant_values=1.0)
            for k in range(players - 1, 0, -1):
                self.rounds[(k, *some.T)] = self.turns(k, some)
            return self.turns(0, some)

        found, unsettled = closed(step, self.guess(scores))
        self.rounds[(0, *at)] = np.pad(found, ((0, 0), (0, 1)))
        for case in unsettled:
            self.balance(step, case, scores[case])
        self.rounds[(slice(None), *at, -1)] = 0.0

    def balance(self, step: Callable[[Array, Array], Array], case: int, scores: Array) -> None:
        """Solve the one case of regular rounds, with these scores, that does not settle."""
        here = (slice(None), *scores)

        def rows(x: Array) -> Array:
            first = step(x[None], np.array([case]))
            return np.concatenate((first, self.rounds[here][1:]))

        self.rounds[here] = balanced(rows, self.rounds[here][0, :-1].copy())

    def guess(self, scores: Array) -> Array:
        """Return an estimate of the chances before the first turn, linear in the scores nearby."""
        chances = np.zeros((len(scores), self.players))
        pairs = np.zeros(len(scores))
        for i in range(self.players):
            for j in range(i):
                one, other = (np.eye(self.players, dtype=int)[seat] for seat in (i, j))
                inside = (scores + one + other < self.goal).all(axis=1)
                near = scores[inside]
                first = self.rounds[0, ..., :-1]
                chances[inside] += first[tuple((near + one).T)] + first[tuple((near + other).T)]
                chances[inside] -= first[tuple((near + one + other).T)]
                pairs[inside] += 1
        chances[pairs == 0] = 1 / self.players
        return chances / np.maximum(pairs, 1)[:, None]

    def fill(self, tell: Progress) -> Several:
        """Fill all tables, once ties are known; drop the column that only the solver needs."""
        self.deciding_rounds()
        scores = np.indices((self.goal,) * self.players).reshape(self.players, -1).T
        sums = scores.sum(axis=1)
        for total in range(sums[-1], -1, -1):
            self.regular_rounds(scores[sums == total])
            tell(np.count_nonzero(sums >= total) / len(sums))
        flat, rounds = (table[..., :-1].copy() for table in (self._flat, self.rounds))
        return Several(self.ties, flat, rounds)


def closed(step: Callable[[Array, Array], Array], x: Array) -> tuple[Array, Array]:
    """Return the chances x with step(x) = x, case by case; and the cases that did not settle.

    ``step(x, cases)`` returns the worth of these cases, and the chance that they come again.
    """
    x, cases = x.copy(), np.arange(len(x))
    for _ in range(MOST_STEPS):
        better = _without_again(step(x[cases], cases), x[cases])
        moved = np.abs(better - x[cases]).max(axis=1)
        x[cases] = better
        cases = cases[moved > CLOSE]
        if not len(cases):
            break
    return x, cases


def _without_again(found: Array, x: Array) -> Array:
    """Solve y = found + again · x for a round that may repeat; x is the current guess."""
    y, again = found[..., :-1], found[..., -1:]
    better: Array = (y - again * x) / (1 - again)
    return better


def balanced(rows: Callable[[Array], Array], x: Array) -> Array:
    """Return the chances before each turn, in a round whose choices cycle.

    A player who rolls may change the others' chances so that holding becomes better, and the other
    way round. In between it is indifferent, and a mix of both leads back to itself. All mixes lie
    on a line between the two; the balance is found by bisection. ``rows(x)`` returns the chances
    before each turn, if the round is worth x when it comes again.
    """
    rolls = _without_again(rows(x)[0], x)
    holds = _without_again(rows(rolls)[0], rolls)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        share = (low + high) / 2
        point = rolls + share * (holds - rolls)
        then = _without_again(rows(point)[0], point)
        if np.abs(then - holds).max() < np.abs(then - rolls).max():
            low = share
        else:
            high = share
    below, above = (rows(rolls + share * (holds - rolls)) for share in (low, high))
    # Where they differ most, see how much of each leads back to the point between.
    seat = int(np.argmax(np.abs(above[0] - below[0])[:-1]))
    apart = above[0, seat] - below[0, seat]
    part = 0.0 if apart == 0 else float(np.clip((point - below[0, :-1])[seat] / apart, 0, 1))
    mixed: Array = (1 - part) * below + part * above
    return mixed


def _must_be_feasible(found: Turns, goal: int, players: int) -> None:
    """Refuse a table that would take unreasonable time."""
    top = hopeless(found, players)
    deciding = top * (min(top, goal) ** (players - 2)) * (players - 1)
    payoffs = players * (3.0 * players * goal**players + deciding)
    much = payoffs * len(found.links.target) > MOST_WORK or goal**players > MOST_SCORES
    if much or found.top > 100:
        raise TooMuchWork(
            f"a game of {players} players to {goal} brains with this bag is too large to be solved"
        )


def ties(game: Zombie, most: int) -> Array:
    """Return [m, player]: the chances in an extra round of m level players, up to ``most``."""
    known = np.array([[0.0], [1.0]])
    for _ in range(1, most):
        solver = Solver(game, known)
        solver.tie_break()
        known = solver.ties
    return known


def solve(game: Zombie, players: int, progress: Progress | None = None) -> Several:
    """Solve the game of ``players`` with this bag and goal, for any number of seats."""
    if not 2 <= players <= MOST:
        raise TooMuchWork(f"games of {players} are not solved, only those of two, three and four")
    if game.max_turns:
        raise TooMuchWork("games of three and four are solved to a number of brains, not of rounds")
    if players > 2:
        _must_be_feasible(turn.turns(game), game.brains_to_win, players)
    tell = progress or (lambda share: None)
    tell(0.0)
    solver = Solver(game, ties(game, players - 1))
    solver.tie_break()
    return solver.fill(tell)


def compressed(known: Several) -> Compressed:
    """Compress the tables for storage."""
    deciding, rounds = (tables.compressed(table, BITS) for table in known[1:])
    return Compressed(known.ties, deciding, rounds)


def _whole(game: Zombie, stored: Compressed) -> Several:
    """Restore the tables from storage."""
    players = len(stored.ties) - 1
    cases = sum(math.prod(shape) for shape in _shapes(players, hopeless(turn.turns(game), players)))
    goals = (game.brains_to_win,) * players
    return Several(
        stored.ties,
        tables.restored(stored.deciding, BITS, (cases, players)),
        tables.restored(stored.rounds, BITS, (players, *goals, players)),
    )


def ready(game: Zombie, players: int) -> Several | None:
    """Return the solved game of ``players`` from the package or the cache, or ``None``."""
    stored = None if game.max_turns else tables.ready(Compressed, game, players)
    return None if stored is None else _whole(game, stored)


def all_ready(game: Zombie) -> dict[int, Payoffs]:
    """Return the payoffs of three, four ... players that are ready, up to the number of seats."""
    known = {players: ready(game, players) for players in range(3, min(game.seats, MOST) + 1)}
    return {players: Payoffs(game, found) for players, found in known.items() if found}


def load_or_compute(
    game: Zombie, players: int, progress: Progress | None = None, folder: Path | None = None
) -> Several:
    """Return the solved game of ``players``, from disk, or compute and cache it."""
    stored = tables.load_or_compute(
        Compressed, game, players, lambda: compressed(solve(game, players, progress)), folder
    )
    return _whole(game, stored)


# The model of more zombies: everybody plays each turn for brains
#
# Perfect play among so many is not known. From now on every turn is played by `Turns.greedy`, for
# any scores. Then the brains of a turn have one known distribution, all turns are independent, and
# the chances follow without simulation.
#
# Let D_i(r, x) be the chance that zombie i has x brains after r more rounds and was never over the
# goal before. The game ends with the first round in which a zombie is over the goal. Zombie i wins
# it with x brains if all others have fewer. If m are level at the top, each has the chance 1/m,
# because extra rounds are alike for all. The share of i is D_i(x) times the integral over z from 0
# to 1 of the product over the others of P(fewer than x) + z D_j(x). That product is a polynomial in
# z, so a quadrature of enough points is exact.

MOST_FOLLOWED: Final = 12
"""Maximum number of zombies whose game the model follows."""

UNLIKELY: Final = 1e-4
"""Turns with more brains than this are held: even a zombie who never holds counts them with less
than this chance."""

UNDECIDED: Final = 1e-9
"""Rounds are followed until the game goes on with less than this chance."""

MOST_ROUNDS: Final = 400


class GreedyModel(NamedTuple):
    """The result of a turn, and its choices."""

    brains: int
    """Number of brains from which on a turn is always held."""
    worths: Obeyed
    """The worth of states under the choices for the most brains."""
    banked: Array
    """The chance of a turn to bring 0, 1, 2, ... brains."""


def greedy_model(game: Zombie) -> GreedyModel:
    """Return the model for a game; raise `TooMuchWork` if it is too large."""
    if game.seats > MOST_FOLLOWED:
        raise TooMuchWork(f"games of more than {MOST_FOLLOWED} zombies are not followed")
    if game.brains_to_win > 200 or game.max_turns > 200:
        raise TooMuchWork("such long games of many zombies are not followed")
    found = turn.turns(game)
    choice = found.greedy[: int(np.argmax(found.reached < UNLIKELY))]
    return GreedyModel(len(choice), found.obeyed(choice), found.banked(choice))


def holds(game: Zombie, found: GreedyModel, s: State) -> Array:
    """Return [t, player]: the chances of all to win when the mover holds t brains.

    Players are in the order of ``s.playing``.
    """
    mine = s.scores[s.playing[s.at]]
    least = 0 if s.extra or game.max_turns else game.brains_to_win
    brains = found.brains + turn.RING
    others = [
        _course(game, found, s, player, s.scores[seat])
        for player, seat in enumerate(s.playing)
        if player != s.at
    ]
    held = [_course(game, found, s, s.at, mine + t) for t in range(brains)]
    rounds = max(len(course) for course in (*others, *held))
    width = max(course.shape[1] for course in (*others, *held))
    shares = _shares(
        np.array([_padded(course, rounds, width) for course in others]),
        np.array([_padded(course, rounds, width) for course in held]),
        least,
    )
    rows = np.empty((turn.turns(game).top + turn.RING, len(s.playing)))
    in_order = [*range(1, s.at + 1), 0, *range(s.at + 1, len(s.playing))]
    rows[:brains] = shares[:, in_order]
    rows[brains:] = rows[brains - 1]
    return rows


def _padded(course: Array, rounds: int, width: int) -> Array:
    padded = np.zeros((rounds, width))
    padded[: len(course), : course.shape[1]] = course
    return padded


def _course(game: Zombie, found: GreedyModel, s: State, player: int, score: int) -> Array:
    """Return D_i as [round, brains]; for a number of rounds, and in extra rounds, only the last
    one.

    The mover has held, so its turn of this round is over, as for those before it.
    """
    pending = player > s.at
    now = np.zeros(score + 1)
    now[score] = 1.0
    first = np.convolve(now, found.banked) if pending else now
    if s.extra:
        return first[np.newaxis]
    if game.max_turns:
        for _ in range(game.max_turns - s.round):
            first = np.convolve(first, found.banked)
        return first[np.newaxis]
    goal = game.brains_to_win
    rows = [first]
    while rows[-1][:goal].sum() > UNDECIDED and len(rows) < MOST_ROUNDS:
        rows.append(np.convolve(rows[-1][:goal], found.banked))
    course = np.zeros((len(rows), max(len(row) for row in rows)))
    for row, brains in zip(course, rows, strict=True):
        row[: len(brains)] = brains
    return course


def _shares(others: Array, held: Array, least: int) -> Array:
    """Return [t, player]: the chances to win with at least ``least`` brains; the mover first.

    ``others`` are D_j as [player, round, brains], ``held`` is the mover's D for each t.
    """
    below, below_held = (np.cumsum(d, axis=-1) - d for d in (others, held))
    others, held, below, below_held = (d[..., least:] for d in (others, held, below, below_held))
    points, weights = np.polynomial.legendre.leggauss(len(others) // 2 + 1)
    nodes, shape = len(points), others.shape[1:]
    factors = below + ((points + 1) / 2)[:, None, None, None] * others
    weight = (weights / 2)[:, None, None]
    shares = np.empty((len(held), len(others) + 1))
    flat_held, flat_below = held.reshape(len(held), -1), below_held.reshape(len(held), -1)
    shares[:, 0] = flat_held @ (weight * factors.prod(axis=1)).sum(axis=0).ravel()
    for j in range(len(others)):
        rest = np.ones((nodes, *shape)) if len(others) == 1 else _without(factors, j).prod(axis=1)
        alone = weight * rest * others[j]
        tied = alone * ((points + 1) / 2)[:, None, None]
        shares[:, j + 1] = flat_below @ alone.sum(axis=0).ravel()
        shares[:, j + 1] += flat_held @ tied.sum(axis=0).ravel()
    return shares


def _without(factors: Array, player: int) -> Array:
    return np.delete(factors, player, axis=1)
