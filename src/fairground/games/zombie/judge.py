"""The judges of Zombie Dice: perfect play for two, three and four, a model for more.

The solvers know everybody's chance to win after a turn that banks t brains. From that, one sweep
over the turn values every state of it, for everybody. A roll is one draw: the dice that are taken
and the faces that they show.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Final

from fairground.coach.judging import Basis, Judge, NoJudge, Option, Spread, Values, value_of
from fairground.core import Draw, InputError, Move, Seat
from fairground.games.zombie.rules import COLOURS, HOLD, PASS, ROLL, State, Zombie
from fairground.registry import needs
from fairground.words.plain import PlainWords, count, in_100, listed, number, times_in_100

ROUNDING: Final = 1e-12
"""Maximum error of the exact solvers: floating point, and turns left out."""

OFF: Final = 0.25
"""Maximum error of the model of a crowd where perfect play is known, in 6,416 decisions of games of
three and four. One value of ten was off by more than 0.06, one of a hundred by more than
0.11. Its best move was another than the true one in 2 of 100 decisions, and cost up to 0.07."""


KEPT: Final = 48
"""Turns whose values are remembered: three megabytes each."""


class ZombieJudge(Judge[Zombie]):
    """The values of every state of a turn, from a solver's values of its ends."""

    def __init__(self, game: Zombie) -> None:
        super().__init__(game)
        with needs("solve", "judging Zombie Dice"):
            from fairground.games.zombie.solver import turn
        try:
            self._turns = turn.turns(game)
        except (turn.NoRisk, turn.TooMuchWork, turn.OtherRules) as reason:
            raise NoJudge(f"the coach cannot judge this game: {reason}") from None
        self._bust = turn.BUST
        self._worths = lru_cache(maxsize=KEPT)(self._solve)
        self._rolling: dict[State, State] = {}
        """A state in which a roll began → the decision to roll."""

    @abstractmethod
    def _holds(self, start: State) -> Any:
        """[t, player]: everybody's chance when the one to move holds t brains.

        Players are in the order of ``start.playing``.
        """

    def _solve(self, start: State) -> tuple[Any, Any]:
        hold = self._holds(start)
        return hold, self._turns.worths(hold, start.at)

    def _tables(self, state: State) -> tuple[Any, Any]:
        """Return the values of holding and of each state, for the turn that a state is in."""
        return self._worths(
            state._replace(
                phase="decide",
                round=state.round if self.game.max_turns else 1,
                extra=min(state.extra, 1),
                bag=self.game.dice,
                cells=(None,) * len(state.cells),
                brain_dice=(0, 0, 0),
                shotgun_dice=(0, 0, 0),
                brains=0,
                rolls=0,
                rolled=(None,) * len(state.cells),
                last=None,
                turns=(),
                order=(),
            )
        )

    def knows(self, state: State) -> bool:
        return state.phase == "decide" or state == self.game.start()

    def worth(self, state: State) -> Values:
        if state.phase == "shuffle":
            return (Fraction(1, self.game.seats),) * self.game.seats
        if state.phase != "decide":
            return self._expected(state)
        _, worth = self._tables(state)
        return self._values(state, self._at(state, worth))

    def decided(self, before: State, after: State) -> Values:
        if after.phase in ("decide", "over"):
            return value_of(self, after)
        return self._rolling_on(before)

    def _at(self, state: State, worth: Any) -> Any:
        return worth[min(state.brains, len(worth) - 1), self._shape(state)]

    def _shape(self, state: State) -> int:
        shape = self._turns.shape_of(state)
        if shape < 0:
            raise InputError("no turn with these dice can lead to what lies on the table")
        return shape

    def _values(self, state: State, chances: Any) -> Values:
        """Everybody's value; who does not play any more has none."""
        values = [Fraction(0)] * self.game.seats
        for seat, chance in zip(state.playing, chances, strict=True):
            values[seat] = Fraction(float(chance))
        return tuple(values)

    def _expected(self, state: State) -> Values:
        """In the middle of a roll: the mean over the draws to come, by the rules."""
        awaits = self.game.awaits(state)
        assert isinstance(awaits, Draw)
        after: dict[State, int] = {}
        for value in range(awaits.n):
            then = self.game.drawn(state, value)
            after[then] = after.get(then, 0) + 1
        total = [Fraction(0)] * self.game.seats
        for then, times in after.items():
            for seat, worth in enumerate(value_of(self, then)):
                total[seat] += Fraction(times, awaits.n) * worth
        return tuple(total)

    def _rolled(self, state: State) -> list[tuple[int, Any, float]]:
        """Return the outcomes of one more roll: brains gained, all chances, the probability."""
        hold, worth = self._tables(state)
        rows = []
        for gain, shape, chance in self._turns.outcomes(self._shape(state)):
            brains = min(state.brains + gain, len(worth) - 1)
            rows.append((gain, hold[0] if shape == self._bust else worth[brains, shape], chance))
        return rows

    def _rolling_on(self, state: State) -> Values:
        """Return the value of one more roll."""
        return self._values(
            state, sum(chance * values for _, values, chance in self._rolled(state))
        )

    def options(self, state: State, seat: Seat, also: Sequence[Move] = ()) -> list[Option]:
        hold, _ = self._tables(state)
        options = [Option(ROLL, self._rolling_on(state))]
        if state.rolls:
            options.append(
                Option(HOLD, self._values(state, hold[min(state.brains, len(hold) - 1)]))
            )
        if PASS in also:
            options.append(Option(PASS, self._values(state, hold[0])))
        self._rolling[self.game.played(state, {seat: ROLL})] = state
        return sorted(options, key=lambda option: -option.values[seat])

    def spread(self, before: State, after: State, seat: Seat) -> Spread | None:
        if before.phase == "shuffle":
            values = self.worth(after)
            return [(values[who], Fraction(1, self.game.seats)) for who in after.order]
        start = self._rolling.get(before)
        if start is None:
            return None
        if seat not in start.playing:
            return [(0.0, 1.0)]
        at = start.playing.index(seat)
        return [(float(values[at]), chance) for _, values, chance in self._rolled(start)]

    def why(
        self, words: PlainWords[Any], state: State, seat: Seat, chosen: Option, best: Option
    ) -> str:
        values = {option.move: option.values[seat] for option in (chosen, best)}
        return self._says(state, values.get(ROLL), values.get(HOLD))

    def advice(self, words: PlainWords[Any], state: State, seat: Seat, best: Option) -> str:
        values = {option.move: option.values[seat] for option in self.options(state, seat)}
        return self._says(state, values.get(ROLL), values.get(HOLD))

    def _says(self, state: State, rolling: Fraction | None, holding: Fraction | None) -> str:
        outcomes = self._turns.outcomes(self._shape(state))
        bag = list(state.bag)
        if state.cells.count(None) > sum(bag):
            bag = [a + b for a, b in zip(bag, state.brain_dice, strict=True)]
        shot = Fraction(sum(chance for _, shape, chance in outcomes if shape == self._bust))
        brought = Fraction(sum(gain * chance for gain, _, chance in outcomes))
        shotguns = sum(state.shotgun_dice)
        guns = count(shotguns, "shotgun") if shotguns else "no shotgun"
        shown = [die.colour for die in state.cells if die is not None]
        feet = [shown.count(colour) for colour in range(len(COLOURS))]
        again = f", {_dice(feet)} with footprints" if shown else ""
        more = number(brought)
        told = (
            f"{guns[0].upper()}{guns[1:]} so far{again}, and {_dice(bag)} left in the bag: one "
            f"more roll is shot {times_in_100(shot)} and brings {more} more "
            f"{'brain' if more == '1' else 'brains'} on average."
        )
        if (ahead := self._ahead(state)) is not None:
            told = f"Somebody else already has {count(ahead, 'brain')}. {told}"
        if rolling is None or holding is None:
            return told
        return (
            f"{told} Rolling wins {in_100(rolling)} games; holding {count(state.brains, 'brain')} "
            f"wins {in_100(holding)}."
        )

    def _ahead(self, state: State) -> int | None:
        """The most brains of another, where these would end the game now."""
        seat = state.playing[state.at]
        most = max(state.scores[other] for other in state.playing if other != seat)
        last = state.extra > 0 or (not self.game.max_turns and most >= self.game.brains_to_win)
        return most if last and most > state.scores[seat] else None


def _dice(counted: Sequence[int]) -> str:
    """Return the number of dice of each colour in words."""
    some = [f"{many} {name}" for many, name in zip(counted, COLOURS, strict=True) if many]
    return f"{listed(some) or 'no'} {'die' if sum(counted) == 1 else 'dice'}"


class SolvedZombieJudge(ZombieJudge):
    """Two zombies; or three or four, with the dice and the goal for which that is solved."""

    def __init__(self, game: Zombie) -> None:
        super().__init__(game)
        from fairground.games.zombie.solver import duel, several

        self._duel, self._several = duel, several
        self._more = several.all_ready(game)
        if game.seats == 2:
            says = "in perfect play of two, right to 12 digits."
        else:
            right = 10 if game.seats == 3 else 6
            says = f"when all play to win (an equilibrium), right to {right} digits."
        error = several.ROUNDING.get(game.seats, ROUNDING)
        self.basis = Basis(False, error, f"Every value is the chance to win {says}")

    @cached_property
    def _two(self) -> Any:
        return self._duel.load_or_compute(self.game)

    def _holds(self, start: State) -> Any:
        seat = start.playing[start.at]
        if len(start.playing) > 2:
            return self._more[len(start.playing)].shared(self._several.situation(start, seat))
        where = self._duel.situation(self.game, start, seat)
        mine = self._duel.stakes(self._turns, self._two, self.game, where)
        return mine[:, None]

    def _solve(self, start: State) -> tuple[Any, Any]:
        if len(start.playing) > 2:
            return super()._solve(start)
        import numpy as np

        hold = self._holds(start)
        both = (hold, self._turns.worths(hold, 0))
        pairs = ((mine, 1 - mine) if start.at == 0 else (1 - mine, mine) for mine in both)
        held, worth = (np.concatenate(pair, axis=-1) for pair in pairs)
        return held, worth


class CrowdJudge(ZombieJudge):
    """More zombies: what everybody may expect if all turns from now on are played for brains."""

    basis = Basis(
        False,
        OFF,
        "Perfect play of so many is not known. Values are the chance to win if everybody plays "
        "each turn for the most brains from then on: a model. Where perfect play is known it is "
        "off by up to 25 wins in 100 games, mostly by less than 6.",
    )

    def __init__(self, game: Zombie) -> None:
        super().__init__(game)
        from fairground.games.zombie.solver import several, turn

        self._model = several
        try:
            self._found = several.greedy_model(game)
        except turn.TooMuchWork as reason:
            raise NoJudge(f"the coach cannot judge this game: {reason}") from None

    def _solve(self, start: State) -> tuple[Any, Any]:
        hold = self._holds(start)
        return hold, self._found.worths(hold, hold[0])

    def _holds(self, start: State) -> Any:
        return self._model.holds(self.game, self._found, start)


def judge(game: Zombie) -> ZombieJudge:
    """Return the best judge for this number of zombies."""
    if game.seats == 2:
        return SolvedZombieJudge(game)
    with needs("solve", "judging Zombie Dice"):
        from fairground.games.zombie.solver import several
    # Whoever leaves makes it a game of fewer, which must be solved as well.
    solved = len(several.all_ready(game)) == game.seats - 2
    return SolvedZombieJudge(game) if solved else CrowdJudge(game)
