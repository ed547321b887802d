"""Machine zombies: one that fears the second shotgun, one that counts, one that plays to win.

All three see the same table as everybody. In a bag with fewer than three shotgun dice no
turn ever has to end; there each of them holds once its brains would win.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from fairground.core import Game, InputError, Move, Seat
from fairground.fair.bits import Stream
from fairground.games.zombie.rules import FATAL, FOOTPRINTS, HOLD, ROLL, State, Zombie
from fairground.players import Player
from fairground.registry import needs


class MachineZombie(Player):
    """The common part of the three: the first roll, and rolls without any risk."""

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        if not isinstance(game, Zombie):
            raise InputError(f"this player plays Zombie Dice, not {game.name}")
        self.game = game
        if game.can_bust:
            self.prepare()

    def choose(self, game: Game[Any], view: State, seat: Seat) -> Move:
        if view.rolls == 0:
            return ROLL
        if self._nothing_can_happen(view):
            return HOLD
        if not self.game.can_bust:
            return HOLD if self._would_win(view, seat) else ROLL
        return ROLL if self.rolls_on(view, seat) else HOLD

    def prepare(self) -> None:
        """Work out what is needed before the first decision."""

    @abstractmethod
    def rolls_on(self, view: State, seat: Seat) -> bool:
        """Return true to roll once more."""

    def _nothing_can_happen(self, view: State) -> bool:
        """Return true if all dice to be rolled have footprints on every side."""
        left = [self.game.faces[die.colour] for die in view.cells if die]
        return self.game.to_take(view) == 0 and all(set(f) == {FOOTPRINTS} for f in left)

    def _would_win(self, view: State, seat: Seat) -> bool:
        """Return true if the brains of this turn reach the goal and pass everyone else."""
        total = view.scores[seat] + view.brains
        others = [view.scores[other] for other in view.playing if other != seat]
        return total >= self.game.brains_to_win and total > max(others)


class Cautious(MachineZombie):
    """Holds at two shotguns."""

    def rolls_on(self, view: State, seat: Seat) -> bool:
        return sum(view.shotgun_dice) < FATAL - 1


class Greedy(MachineZombie):
    """Rolls whenever that raises the expected brains of its turn."""

    def prepare(self) -> None:
        with needs("solve", "the player greedy"):
            from fairground.games.zombie.solver.turn import turns
        self._turns = turns(self.game)
        self._choice = self._turns.greedy

    def rolls_on(self, view: State, seat: Seat) -> bool:
        choice = self._choice
        return view.brains < len(choice) and bool(choice[view.brains, self._turns.shape_of(view)])


def prepare_optimal(game: Zombie, progress: Callable[[float], None]) -> None:
    """Solve the game of two for this bag, unless it is in the user's cache."""
    with needs("solve", "the player optimal"):
        from fairground.games.zombie.solver import duel
    if game.can_bust:
        duel.load_or_compute(game, progress)


class Optimal(MachineZombie):
    """Plays to win: exactly with two players, and with three and four where that game is solved.

    Else it plays the duel against its strongest rival. The values of all scores are computed
    once and kept in the user's cache (with the usual dice they come with the package); the
    choices of a turn follow from them in some hundredths of a second when the turn begins.
    """

    def prepare(self) -> None:
        with needs("solve", "the player optimal"):
            import numpy as np

            from fairground.games.zombie.solver import duel, several
            from fairground.games.zombie.solver.turn import turns
        self._turns = turns(self.game)
        two = duel.load_or_compute(self.game)
        more = several.all_ready(self.game)

        def choices(where: several.Among) -> Any:
            # A bit per state: a long match meets some hundred pairs of scores.
            if len(where.scores) > 2:
                hold = more[len(where.scores)].at(where)
            else:
                hold = duel.stakes(self._turns, two, self.game, where)
            return np.packbits(self._turns.best(hold), axis=1)

        def situation(view: State, seat: Seat) -> several.Among:
            if len(view.playing) in more:
                return several.situation(view, seat)
            return duel.situation(self.game, view, seat)

        self._choices = lru_cache(maxsize=1024)(choices)
        self._situation = situation

    def rolls_on(self, view: State, seat: Seat) -> bool:
        choice = self._choices(self._situation(view, seat))
        byte, bit = divmod(self._turns.shape_of(view), 8)
        return view.brains < len(choice) and bool(choice[view.brains, byte] >> (7 - bit) & 1)
