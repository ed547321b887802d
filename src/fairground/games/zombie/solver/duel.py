"""Two zombies who both play to win: with which chance does the one to move succeed?

A game to a number of brains is solved by `several`, as it is for three and four. Over a number of
rounds only the lead counts: see `Duel.leads`. There the mover's chance after a turn is one minus
the other's.

With more players than are solved, the `optimal` player plays the duel against its strongest rival:
see `situation`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from fairground.core import Seat
from fairground.games.zombie.rules import State, Zombie
from fairground.games.zombie.solver import several, tables, turn
from fairground.games.zombie.solver.several import Among
from fairground.games.zombie.solver.turn import Array, Progress, TooMuchWork, Turns

WIDTH: Final = 16
"""Payoffs per sweep: enough for the processor's vectors, few enough for its cache."""

MOST_WORK: Final = 3e11
"""Maximum number of arrows times payoffs of a table: some minutes."""

MOST_BRAINS: Final = 2000
"""Maximum lead that one turn may plausibly make up for."""


class Duel(NamedTuple):
    """The solved game of two: the tables of `several.Several`, and one by leads."""

    ties: Array
    deciding: Array
    rounds: Array
    leads: Array
    """[rounds to go, turn in the round, lead]: the mover's chance over a number of rounds.

    The middle is a lead of zero. Beyond the ends the game is as good as decided. It is empty for a
    game to a number of brains."""


def first_player_wins(duel: Duel) -> float:
    """Return the winning chance of the first player, when both play to win."""
    if len(duel.leads):
        return float(duel.leads[-1, 0, duel.leads.shape[2] // 2])
    return float(duel.rounds[0, 0, 0, 0])


def situation(game: Zombie, s: State, seat: Seat) -> Among:
    """Return the duel that ``seat`` plays: with two players, the game itself.

    With more it is an approximation. The rival is the one still playing with the most brains; among
    equals one who has yet to move and can still answer. The others are ignored, so the player is a
    little too calm when several could overtake it.
    """
    ahead = s.playing[: s.playing.index(seat)]
    rivals = [other for other in s.playing if other != seat]
    rival = max(rivals, key=lambda other: (s.scores[other], other not in ahead))
    rounds = max(0, game.max_turns - s.round + 1) if not s.extra else 0
    first, second = (rival, seat) if rival in ahead else (seat, rival)
    scores = s.scores[first], s.scores[second]
    return Among(int(second == seat), scores, s.extra > 0, rounds)


def stakes(found: Turns, duel: Duel, game: Zombie, where: Among) -> Array:
    """Return the worth of holding t brains to the mover, by t; a bust is worth the same as none."""
    if not where.rounds:
        return several.Payoffs(game, several.Several(*duel[:3])).at(where)
    k = where.turn
    lead = where.scores[k] - where.scores[1 - k] + np.arange(found.top + turn.RING)
    if k == 1 and where.rounds == 1:  # the last turn
        return np.where(lead > 0, 1.0, np.where(lead < 0, 0.0, 1 - duel.ties[2, 0]))
    others = duel.leads[where.rounds - k, 1 - k]
    reach = len(others) // 2
    known = 1 - others[np.clip(reach - lead, 0, 2 * reach)]
    return np.where(lead > reach, 1.0, np.where(lead < -reach, 0.0, known))


def solve(game: Zombie, progress: Progress | None = None) -> Duel:
    """Solve the game of two with this bag and goal; the number of seats does not matter."""
    found, goal, rounds = turn.turns(game), game.brains_to_win, game.max_turns
    tell = progress or (lambda share: None)
    if found.top > MOST_BRAINS:
        raise TooMuchWork("turns with these dice can last too long to be solved for perfect play")
    if not rounds:
        _must_be_feasible(found, 8.0 * goal * goal, f"a game to {goal} brains")
        return Duel(*several.solve(game, 2, tell), np.zeros((0, 2, 1)))
    tell(0.0)
    reach = _decided(found, rounds)
    _must_be_feasible(found, 4.0 * rounds * (2 * reach + 1), f"a game of {rounds} rounds")
    known = several.solve(Zombie(2, game.dice, game.faces, 1), 2)  # its extra rounds are the same
    duel = Duel(*known, np.zeros((rounds + 1, 2, 2 * reach + 1)))
    for left in range(1, rounds + 1):
        for k in (1, 0):
            leads = range(-reach, reach + 1)
            cases = [Among(k, (0, lead) if k else (lead, 0), False, left) for lead in leads]
            duel.leads[left, k] = _values(found, [stakes(found, duel, game, c) for c in cases])
        tell(left / rounds)
    return duel


def _values(found: Turns, columns: list[Array]) -> Array:
    """Return the best worth of a turn for any number of payoffs, in batches."""
    from fairground.games.zombie.solver.sweeps import sweeper

    sweep, parts = sweeper(found), []
    for i in range(0, len(columns), WIDTH):
        hold = np.ascontiguousarray(np.stack(columns[i : i + WIDTH], axis=1))
        parts.append(sweep(hold, 1, found.quiet(hold, hold[0])))
    return np.concatenate(parts)


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
    if payoffs * arrows > MOST_WORK or payoffs > 8 * several.MOST_SCORES:
        raise TooMuchWork(f"{what} with this bag is too large to be solved for perfect play")


def load_or_compute(
    game: Zombie, progress: Progress | None = None, folder: Path | None = None
) -> Duel:
    """Return the solved game of two, from the cache, or compute and cache it."""
    return tables.load_or_compute(Duel, game, 2, lambda: solve(game, progress), folder)


def optimal(game: Zombie, duel: Duel, where: Among) -> Array:
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
    opening = Among(0, (0, 0), False, game.max_turns)
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
                turn.decisions(found, optimal(game, duel, opening._replace(turn=1)))
            ),
        },
    }
