"""The judge of video poker: exact, by counting hands.

Values are counted in bets: what the player wins or loses, for each stake put in. The croupier has
no decisions; what the player wins he loses.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any, Final

from fairground.coach.judging import BETS, Basis, Judge, Option, Spread, Values
from fairground.core import Move, Seat
from fairground.games.poker.holds import (
    RETURNS,
    best_hold,
    hands_with,
    holds,
    per_stake,
    worths,
)
from fairground.games.poker.rules import DECK, HAND, PLAYER, Card, Poker, Rank, State
from fairground.words.plain import PlainWords, compared, number, once_in

DEALS: Final = comb(DECK, HAND)


class PokerJudge(Judge[Poker]):
    """Knows the expected prize of all 32 holds of a hand."""

    unit = BETS
    basis = Basis(
        True, 0.0, "Every value is exact: all hands that can follow each hold were counted."
    )

    def knows(self, state: State) -> bool:
        return len(state.dealt) in (0, HAND) and not state.fresh

    def paid(self, payoff: Sequence[int]) -> Values:
        return tuple(Fraction(paid, self.game.stake) for paid in payoff)

    def worth(self, state: State) -> Values:
        if not state.dealt:
            return _won(RETURNS[self.game.level])
        if state.order is None:
            return _won(best_hold(state.dealt, self.game.level).value)
        return _won(self._expected(*_parts(state, state.order)))

    def _chances(self, held: Sequence[Card], gone: Sequence[Card]) -> list[Fraction]:
        """Return the probability of each final rank, by `Rank`."""
        counts = [0] * len(Rank)
        for some in range(min(len(gone), HAND - len(held)) + 1):
            for back in combinations(gone, some):
                for kind, many in enumerate(hands_with(frozenset((*held, *back)))):
                    counts[kind] += many if some % 2 == 0 else -many
        ways = comb(DECK - HAND, HAND - len(held))
        return [Fraction(many, ways) for many in counts]

    def _expected(self, held: Sequence[Card], gone: Sequence[Card]) -> Fraction:
        """The expected prize, in bets."""
        prizes = per_stake(self.game.level)
        chances = self._chances(held, gone)
        return sum((c * p for c, p in zip(chances, prizes, strict=True)), Fraction(0))

    def options(self, state: State, seat: Seat, also: Sequence[Move] = ()) -> list[Option]:
        return [
            Option(hold.order, _won(hold.value)) for hold in holds(state.dealt, self.game.level)
        ]

    def spread(self, before: State, after: State, seat: Seat) -> Spread | None:
        if before.order is None:
            return [
                (_won(worth)[seat], Fraction(many, DEALS))
                for worth, many in worths(self.game.level)
            ]
        chances = self._chances(*_parts(before, before.order))
        return [
            (_won(Fraction(prize))[seat], chance)
            for prize, chance in zip(per_stake(self.game.level), chances, strict=True)
            if chance
        ]

    def why(
        self, words: PlainWords[Any], state: State, seat: Seat, chosen: Option, best: Option
    ) -> str:
        prizes = per_stake(self.game.level)
        mine, theirs = (self._of(state, option) for option in (chosen, best))
        gains = [(b - a) * prize for a, b, prize in zip(mine, theirs, prizes, strict=True)]
        kind = max(Rank, key=lambda rank: gains[rank])
        held, better = (words.option(state, seat, option.move) for option in (chosen, best))
        worth, best_worth = (number(option.values[PLAYER] + 1) for option in (chosen, best))
        return (
            f"To {held} gives back {worth} of each bet; to {better} gives back {best_worth}. What "
            f"helps most is {kind.words}: {compared(theirs[kind], mine[kind])}."
        )

    def advice(self, words: PlainWords[Any], state: State, seat: Seat, best: Option) -> str:
        held, worth = words.option(state, seat, best.move), number(best.values[PLAYER] + 1)
        paid = once_in(1 - self._of(state, best)[0])
        return f"To {held} gives back {worth} of each bet on average, and pays something {paid}."

    def _of(self, state: State, option: Option) -> list[Fraction]:
        assert isinstance(option.move, tuple)
        return self._chances(*_parts(state, option.move))


def _parts(state: State, order: Sequence[Any]) -> tuple[list[Card], list[Card]]:
    """The cards that are held, and those that are gone."""
    pairs = list(zip(state.dealt, order, strict=True))
    return [card for card, gone in pairs if not gone], [card for card, gone in pairs if gone]


def _won(prize: Fraction) -> Values:
    """Both seats, from the prize in bets."""
    return 1 - prize, prize - 1
