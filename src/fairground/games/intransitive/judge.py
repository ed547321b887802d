"""The judge of intransitive dice: exact, by counting faces.

A roll is worth a win plus half a tie. The second seat takes the die that is worth the most against
the first. The first seat takes the die whose strongest reply is the weakest. A fair coin decides
the order, so before the coin both have one half.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from fairground.coach.judging import Basis, Judge, Option, Spread, Values, of_two, value_of
from fairground.core import Draw, Move, Seat, Turn
from fairground.games.intransitive.rules import COMPUTER, USER, Intransitive, State
from fairground.games.intransitive.solver import WinOdds
from fairground.games.intransitive.words import label
from fairground.words.plain import PlainWords


class DiceJudge(Judge[Intransitive]):
    """Counts in how many pairs of faces each die is higher."""

    basis = Basis(True, 0.0, "Every value is exact: all pairs of faces were counted.")

    @cached_property
    def _odds(self) -> WinOdds:
        return WinOdds(self.game.dice)

    def _meets(self, mine: int, theirs: int) -> Fraction:
        """A win plus half a tie of one die against another."""
        odds = self._odds
        wins, losses = odds.wins(mine, theirs), odds.wins(theirs, mine)
        return Fraction(1, 2) + Fraction(wins - losses, 2 * odds.rolls(mine, theirs))

    def _first(self, die: int) -> tuple[Fraction, int]:
        """Return the value of a die for the first chooser, and the strongest reply to it."""
        replies = (reply for reply in range(len(self.game.dice)) if reply != die)
        return min((self._meets(die, reply), reply) for reply in replies)

    @cached_property
    def _best_first(self) -> Fraction:
        return max(self._first(die)[0] for die in range(len(self.game.dice)))

    def worth(self, state: State) -> Values:
        awaits = self.game.awaits(state)
        if isinstance(awaits, Turn):
            (seat,) = awaits.seats
            return self.options(state, seat)[0].values
        if state.first is None:
            return Fraction(1, 2), Fraction(1, 2)
        computer, user = state.picks
        assert computer is not None and user is not None
        if state.rolls[COMPUTER] is None:
            return of_two(COMPUTER, self._meets(computer, user))
        faces = sorted(self.game.dice[user].faces)
        rolled = self.game.result(state, COMPUTER)
        higher = len(faces) - bisect_right(faces, rolled)
        ties = bisect_right(faces, rolled) - bisect_left(faces, rolled)
        return of_two(USER, Fraction(2 * higher + ties, 2 * len(faces)))

    def options(self, state: State, seat: Seat, also: Sequence[Move] = ()) -> list[Option]:
        taken = state.picks[1 - seat]
        options = []
        for move in self.game.moves(state, seat):
            assert isinstance(move, int)
            mine = self._first(move)[0] if taken is None else self._meets(move, taken)
            options.append(Option(move, of_two(seat, mine)))
        return sorted(options, key=lambda option: -option.values[seat])

    def spread(self, before: State, after: State, seat: Seat) -> Spread | None:
        awaits = self.game.awaits(before)
        assert isinstance(awaits, Draw)
        if before.first is None:
            at_first = self._best_first
            return [(at_first, Fraction(1, 2)), (1 - at_first, Fraction(1, 2))]
        whose = COMPUTER if before.rolls[COMPUTER] is None else USER
        pick = before.picks[whose]
        assert pick is not None
        faces = self.game.dice[pick].faces
        of_face = {face: at for at, face in enumerate(faces)}
        worths = Counter[Fraction]()
        for face, times in Counter(faces).items():
            then = self.game.drawn(before, of_face[face])
            worths[value_of(self, then)[seat]] += times
        return [(value, Fraction(times, awaits.n)) for value, times in worths.items()]

    def why(
        self, words: PlainWords[Any], state: State, seat: Seat, chosen: Option, best: Option
    ) -> str:
        return " ".join([self._says(state, seat, chosen), self._says(state, seat, best)])

    def advice(self, words: PlainWords[Any], state: State, seat: Seat, best: Option) -> str:
        return self._says(state, seat, best)

    def _says(self, state: State, seat: Seat, option: Option) -> str:
        assert isinstance(option.move, int)
        taken = state.picks[1 - seat]
        against = self._first(option.move)[1] if taken is None else taken
        die, other = (label(self.game.dice[at]) for at in (option.move, against))
        wins, losses = self._odds.wins(option.move, against), self._odds.wins(against, option.move)
        rolls = self._odds.rolls(option.move, against)
        ties = rolls - wins - losses
        tied = f", and they tie {ties}" if ties else ""
        if taken is not None:
            return (
                f"{die} is higher than {other} in {wins} of {rolls} rolls, and lower in "
                f"{losses}{tied}."
            )
        if wins == losses:
            return f"The strongest reply to {die} is {other}, and it is an even match."
        high, times = ("higher", wins) if wins > losses else ("lower", losses)
        return (
            f"The strongest reply to {die} is {other}: then {die} is {high} in {times} of "
            f"{rolls} rolls{tied}."
        )
