"""Two zombies who both play to win: with which chance does the one to move succeed?

Brains are worth as much as they help to win. All values are the winning chance of the player
about to take a turn: the **mover**, who is first or second in the round. Then the other moves,
so the mover's chance after a turn is one minus the other's. Three tables hold everything:

* ``chase[d]``: the mover is second, d brains behind, in the last round or in an extra
  one. More than d brains win, d brains force (another) extra round, fewer lose.
* ``first[a, b]`` and ``second[a, b]``: a regular round, the mover has a and the other b.
  If the game goes to a number of brains, rows and columns are scores below it. If it
  goes over a number of rounds, only the lead counts: then these are ``first[r, lead]``
  and ``second[r, lead]`` with r rounds to go (this one included), the leads shifted by
  ``Duel.reach``, beyond which the game is as good as decided.

The value of a round depends on itself: if both players come away with nothing, the same round
comes again. Scores are solved from high to low. At each pair of scores the cycle is closed by
the secant rule, which is exact as soon as the choices stay the same. Pairs with the same sum do
not depend on one another and share a sweep.

Three and four players are solved in `solver.several`. With more, the `optimal`
player plays the duel against its strongest rival: see `situation`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from fairground.core import Seat
from fairground.games.zombie.rules import State, Zombie
from fairground.games.zombie.solver import tables, turn
from fairground.games.zombie.solver.turn import Array, TooMuchWork, Turns

Progress: TypeAlias = Callable[[float], None]
"""Called with the share of the work done, from 0 to 1."""

WIDTH: Final = 16
"""Payoffs per sweep: enough for the processor's vectors, few enough for its cache."""

CLOSE: Final = 1e-15
"""Maximum difference between the two sides of a fixed point."""

MOST_WORK: Final = 3e11
"""Maximum number of arrows times payoffs of a table: some minutes."""

MOST_BRAINS: Final = 2000
"""Maximum lead that one turn may plausibly make up for."""


class Duel(NamedTuple):
    """The solved game of two."""

    level: float
    """The winning chance of the first player in an extra round."""
    chase: Array
    first: Array
    second: Array
    reach: int
    """Maximum lead, in brains, in the tables of max_turns mode; 0 in the other mode."""


class Situation(NamedTuple):
    """The position of a turn in a duel."""

    mine: int
    """The mover's score."""
    other: int
    moved: bool
    """Whether the other has had its turn in this round."""
    extra: bool
    """Whether this is an extra round."""
    rounds: int
    """Rounds to go, this one included; 0 when the game goes to a number of brains."""


def first_player_wins(duel: Duel) -> float:
    """Return the winning chance of the first player, when both play to win."""
    if duel.reach:
        return float(duel.first[-1, duel.reach])
    return float(duel.first[0, 0])


def situation(game: Zombie, s: State, seat: Seat) -> Situation:
    """Return the duel that ``seat`` plays: with two players, the game itself.

    With more it is an approximation. The rival is the one still playing with the most brains; among
    equals one who has yet to move and can still answer. The others are ignored, so the player is a
    little too calm when several could overtake it.
    """
    at = s.playing.index(seat)
    ahead = s.playing[:at]
    rivals = [other for other in s.playing if other != seat]
    rival = max(rivals, key=lambda other: (s.scores[other], other not in ahead))
    rounds = max(0, game.max_turns - s.round + 1) if not s.extra else 0
    return Situation(s.scores[seat], s.scores[rival], rival in ahead, s.extra > 0, rounds)


def stakes(found: Turns, duel: Duel, game: Zombie, where: Situation) -> Array:
    """Return the worth of holding t brains to the mover, by t; a bust is worth the same as none."""
    scores = where.mine + np.arange(found.top + turn.RING)
    if where.extra or (game.max_turns == 0 and where.moved and where.other >= game.brains_to_win):
        if where.moved:
            hold = _chasing(duel.level, scores - where.other)
        else:
            hold = 1 - _looked_up(duel.chase, scores - where.other)
    elif game.max_turns:
        hold = 1 - _after_turn_of_rounds(duel, where, scores - where.other)
    elif where.moved:
        hold = _second_of_race(duel, game.brains_to_win, where.other, scores)
    else:
        hold = _first_of_race(duel, game.brains_to_win, where.other, scores)
    return hold


def _chasing(level: float, lead: Array) -> Array:
    """Return the worth of the last deciding turn: ahead wins, behind loses, level goes on."""
    return np.where(lead > 0, 1.0, np.where(lead < 0, 0.0, 1 - level))


def _looked_up(chase: Array, lead: Array) -> Array:
    """Return the chance of the second to overtake a lead of any size."""
    known = chase[np.clip(lead, 0, len(chase) - 1)]
    return np.where(lead < 0, 1.0, np.where(lead >= len(chase), 0.0, known))


def _first_of_race(duel: Duel, goal: int, other: int, scores: Array) -> Array:
    """Return the worth when the first of a regular round holds: the other answers."""
    regular = duel.second[other, np.minimum(scores, goal - 1)]
    return np.where(scores < goal, 1 - regular, 1 - _looked_up(duel.chase, scores - other))


def _second_of_race(duel: Duel, goal: int, other: int, scores: Array) -> Array:
    """Return the worth when the second of a regular round holds: with enough brains it has won."""
    regular = duel.first[other, np.minimum(scores, goal - 1)]
    return np.where(scores < goal, 1 - regular, 1.0)


def _after_turn_of_rounds(duel: Duel, where: Situation, lead: Array) -> Array:
    """Return the other's chance after the mover holds with this lead, over a number of rounds."""
    if not where.moved:
        return _by_lead(duel, duel.second[where.rounds], -lead)
    if where.rounds == 1:
        return 1 - _chasing(duel.level, lead)
    return _by_lead(duel, duel.first[where.rounds - 1], -lead)


def _by_lead(duel: Duel, values: Array, lead: Array) -> Array:
    """Look up a table over leads; the game is decided beyond its ends."""
    known = values[np.clip(lead + duel.reach, 0, 2 * duel.reach)]
    return np.where(lead > duel.reach, 1.0, np.where(lead < -duel.reach, 0.0, known))


def solve(game: Zombie, progress: Progress | None = None) -> Duel:
    """Solve the game of two with this bag and goal; the number of seats does not matter."""
    found = turn.turns(game)
    tell = progress or (lambda share: None)
    tell(0.0)
    level, chase = tie_break(found)
    if game.max_turns:
        return _rounds(game, found, level, chase, tell)
    return _race(game, found, level, chase, tell)


def _values(found: Turns, columns: list[Array]) -> Array:
    """Return the best worth of a turn for any number of payoffs, in batches."""
    from fairground.games.zombie.solver.sweeps import sweeper

    sweep, parts = sweeper(found), []
    for i in range(0, len(columns), WIDTH):
        hold = np.ascontiguousarray(np.stack(columns[i : i + WIDTH], axis=1))
        parts.append(sweep(hold, 1, found.quiet(hold, hold[0])))
    return np.concatenate(parts)


def _fixed_point(step: Callable[[Array], Array], x: Array) -> Array:
    """Return the x with step(x) = x, by the secant rule on each component; step contracts."""
    before, after = x, step(x)
    x = after
    for _ in range(200):
        y = step(x)
        if np.abs(y - x).max() <= CLOSE:
            return y
        slope = np.divide(y - after, x - before, out=np.zeros_like(x), where=x != before)
        before, after = x, y
        # The slope is the chance that both come away with nothing: below 1.
        x = x + (y - x) / (1 - np.clip(slope, 0.0, 0.999))
    return x


def tie_break(found: Turns) -> tuple[float, Array]:
    """Solve extra rounds between two level players: return the first's chance, and ``chase``."""
    if found.top > MOST_BRAINS:
        raise TooMuchWork("turns with these dice can last too long to be solved for perfect play")
    brains = np.arange(found.top + turn.RING)
    chase = np.zeros(found.top)

    def step(level: Array) -> Array:
        columns = [_chasing(float(level[0]), brains - d) for d in range(found.top)]
        chase[:] = _values(found, columns)
        hold = 1 - _looked_up(chase, brains)
        return _values(found, [hold])

    level = _fixed_point(step, np.array([0.5]))
    return float(level[0]), chase


def _race(game: Zombie, found: Turns, level: float, chase: Array, tell: Progress) -> Duel:
    """Solve the game to a number of brains: pairs of scores by their sum, the highest first."""
    goal = game.brains_to_win
    _must_be_feasible(found, 8.0 * goal * goal, f"a game to {goal} brains")
    duel = Duel(level, chase, np.zeros((goal, goal)), np.zeros((goal, goal)), 0)
    scores = np.arange(found.top + turn.RING)
    for total in range(2 * goal - 2, -1, -1):
        pairs = [(a, total - a) for a in range(max(0, total - goal + 1), min(goal, total + 1))]
        a, b = np.array(pairs).T

        def step(
            first: Array, pairs: list[tuple[int, int]] = pairs, a: Array = a, b: Array = b
        ) -> Array:
            duel.first[a, b] = first
            holds = [_second_of_race(duel, goal, x, y + scores) for x, y in pairs]
            duel.second[b, a] = _values(found, holds)
            holds = [_first_of_race(duel, goal, y, x + scores) for x, y in pairs]
            return _values(found, holds)

        duel.first[a, b] = _fixed_point(step, np.full(len(pairs), 0.5))
        tell(1 - (total / (2 * goal - 1)) ** 2)
    return duel


def _rounds(game: Zombie, found: Turns, level: float, chase: Array, tell: Progress) -> Duel:
    """Solve the game over a number of rounds: only the lead counts."""
    rounds = game.max_turns
    reach = _decided(found, rounds)
    _must_be_feasible(found, 4.0 * rounds * (2 * reach + 1), f"a game of {rounds} rounds")
    leads = np.arange(-reach, reach + 1)
    shape = (rounds + 1, 2 * reach + 1)
    duel = Duel(level, chase, np.zeros(shape), np.zeros(shape), reach)
    brains = np.arange(found.top + turn.RING)
    for left in range(1, rounds + 1):
        for moved, table in ((True, duel.second), (False, duel.first)):
            where = Situation(0, 0, moved, False, left)
            holds = [1 - _after_turn_of_rounds(duel, where, lead + brains) for lead in leads]
            table[left] = _values(found, holds)
        tell(left / rounds)
    return duel


def _decided(found: Turns, rounds: int) -> int:
    """Return a lead that ``rounds`` turns overcome with a chance of at most about `turn.TINY`.

    This is Chernoff's bound on the sum of that many turns. It assumes a zombie who keeps the most
    brains that it ever counted in each turn, which no strategy can beat.
    """
    most = np.arange(len(found.reached))
    exactly = np.append(-np.diff(found.reached), found.reached[-1])
    exactly /= exactly.sum()
    least = np.inf
    for tilt in np.geomspace(1e-3, 2.0, 60):
        growth = np.log(np.sum(exactly * np.exp(tilt * most)))
        least = min(least, (rounds * growth - np.log(turn.TINY)) / tilt)
    return int(min(np.ceil(least), rounds * (len(most) - 1)))


def _must_be_feasible(found: Turns, payoffs: float, what: str) -> None:
    """Refuse a table that would take unreasonable time."""
    arrows = float(np.diff(found.links.first)[found.layers.shapes].sum())
    if payoffs * arrows > MOST_WORK:
        raise TooMuchWork(f"{what} with this bag is too large to be solved for perfect play")


def load_or_compute(
    game: Zombie, progress: Progress | None = None, folder: Path | None = None
) -> Duel:
    """Return the solved game of two, from the cache, or compute and cache it."""
    return tables.load_or_compute(Duel, game, 2, lambda: solve(game, progress), folder)


def optimal(game: Zombie, duel: Duel, where: Situation) -> Array:
    """Return the choices of a turn that wins most often: [brains, shape] → 1 rolls, 0 holds."""
    found = turn.turns(game)
    return found.best(stakes(found, duel, game, where))


def report(game: Zombie, progress: Progress | None = None) -> dict[str, Any]:
    """Return the object that ``solve zombie --json`` prints, with decimals of 15 places as text.

    ``decisions`` is the table of `greedy`. ``optimal`` has two of the perfect player's: its first
    turn, and its turn as second in the round, both without a brain yet.
    """
    found = turn.turns(game)
    bust, brains = turn.first_roll(game)
    greedy = found.greedy
    duel = load_or_compute(game, progress)
    opening = Situation(0, 0, False, False, game.max_turns)
    return {
        "params": game.params(),
        "first_roll": {"bust": str(bust), "brains": str(brains)},
        "strategies": {
            name: {"brains": f"{got.brains:.15f}", "bust": f"{got.bust:.15f}"}
            for name, got in (
                ("greedy", found.follow(greedy)),
                ("cautious", found.follow(found.cautious)),
            )
        },
        "first_player_wins": f"{first_player_wins(duel):.15f}",
        "decisions": turn.as_json(turn.decisions(found, greedy)),
        "optimal": {
            "first": turn.as_json(turn.decisions(found, optimal(game, duel, opening))),
            "second": turn.as_json(
                turn.decisions(found, optimal(game, duel, opening._replace(moved=True)))
            ),
        },
    }
