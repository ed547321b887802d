"""The judge of FateStones: exact, by the equilibrium of every position.

Both pick at once, so three things happen together. Each pick has a cost: the value of the position
less what the picked die earns against the other side's perfect mix. The rest is the luck of the
meeting: this die met just that one. If either side mixes perfectly, its expectation is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fairground.coach.judging import Basis, Judge, Option, Spread, Values, of_two, value_of
from fairground.core import Move, Seat
from fairground.games.fatestones.rules import FACES, FateStones, State, pips, without
from fairground.games.fatestones.solver.choices import Solution, meeting, regrets, solve
from fairground.games.fatestones.solver.choices import value as value_of_hands
from fairground.words.plain import PlainWords, games, in_100, listed, number

HALF = Fraction(1, 2)


class FateStonesJudge(Judge[FateStones]):
    """Solves each position on demand: the seats have at most three dice each."""

    basis = Basis(
        True,
        0.0,
        "Every value is exact. Perfect play picks by chance here, so that nobody can foresee it; "
        "what a pick cost is counted against such play.",
    )

    def knows(self, state: State) -> bool:
        return state.phase != "deal" or state.hands == ((), ())

    def worth(self, state: State) -> Values:
        if state.phase == "deal":
            return HALF, HALF
        if state.phase == "choose":
            return of_two(0, value_of_hands(*state.hands))
        assert state.picks is not None
        if not state.rolls:
            return of_two(0, self._entry(state, *state.picks))
        faces = pips(state.hands[1][state.picks[1]])
        (rolled,) = state.rolls
        wins = sum(face < rolled for face in faces)
        return of_two(
            0,
            (wins + sum(face == rolled for face in faces) * self._after_tie(state, *state.picks))
            / Fraction(FACES),
        )

    def _after_tie(self, state: State, mine: int, theirs: int) -> Fraction:
        """Return the value of a tie for seat 0: the dice left, or a new deal, or a draw."""
        rests = without(state.hands[0], mine), without(state.hands[1], theirs)
        return value_of_hands(*rests) if rests[0] else HALF

    def _entry(self, state: State, mine: int, theirs: int) -> Fraction:
        """Return the value for seat 0 of a meeting of these two dice."""
        met = meeting(state.hands[0][mine], state.hands[1][theirs])
        return (met.wins + met.ties * self._after_tie(state, mine, theirs)) / Fraction(36)

    def _solved(self, state: State, seat: Seat) -> Solution:
        return solve(state.hands[seat], state.hands[1 - seat])

    def options(self, state: State, seat: Seat, also: Sequence[Move] = ()) -> list[Option]:
        found = self._solved(state, seat)
        costs = regrets(found.mine, found.theirs)[0]
        options = [
            Option(pick, of_two(seat, found.value - cost), mix)
            for pick, (cost, mix) in enumerate(zip(costs, found.my_mix, strict=True))
        ]
        return sorted(options, key=lambda option: (-option.values[seat], -(option.mix or 0)))

    def spread(self, before: State, after: State, seat: Seat) -> Spread | None:
        if before.phase == "choose":
            return self._meetings(before, after, seat)
        if before.phase == "roll":
            return [
                (value_of(self, self.game.drawn(before, index))[seat], Fraction(1, FACES))
                for index in range(FACES)
            ]
        return None

    def _meetings(self, before: State, after: State, seat: Seat) -> Spread:
        """The luck of the meeting if the other side had mixed perfectly, by its picks."""
        assert after.picks is not None
        found = self._solved(before, seat)
        costs, other_costs = regrets(found.mine, found.theirs)
        pick = after.picks[seat]
        spread = []
        for other, chance in enumerate(found.their_mix):
            if chance:
                picks = (pick, other) if seat == 0 else (other, pick)
                entry = of_two(0, self._entry(before, *picks))[seat]
                spread.append((entry + costs[pick] - other_costs[other], chance))
        return spread

    def why(
        self, words: PlainWords[Any], state: State, seat: Seat, chosen: Option, best: Option
    ) -> str:
        found = self._solved(state, seat)

        def earns(pick: int, other: int) -> Fraction:
            picks = (pick, other) if seat == 0 else (other, pick)
            return of_two(0, self._entry(state, *picks))[seat]

        mine, better = _at(chosen), _at(best)
        mix = found.their_mix
        at = max(
            range(len(mix)),
            key=lambda at: mix[at] * (earns(better, at) - earns(mine, at)),
        )
        die, best_die, other = found.mine[mine], found.mine[better], found.theirs[at]
        met, best_met = meeting(die, other), meeting(best_die, other)
        often = f"takes {other} in {games(mix[at])}" if mix[at] < 1 else f"always takes {other}"
        told = (
            f"Perfect play on the other side {often}. Of 36 rolls against it, {die} wins "
            f"{met.wins} and ties {met.ties}; {best_die} wins {best_met.wins} and ties "
            f"{best_met.ties}."
        )
        if 2 * best_met.wins + best_met.ties > 2 * met.wins + met.ties:
            return told
        return (
            f"{told} But what a tie leaves counts too: in the end {best_die} wins "
            f"{in_100(earns(better, at))} games against it, and {die} wins "
            f"{number(100 * earns(mine, at))}."
        )

    def advice(self, words: PlainWords[Any], state: State, seat: Seat, best: Option) -> str:
        found = self._solved(state, seat)
        mix = [(die, share) for die, share in zip(found.mine, found.my_mix, strict=True) if share]
        parts = [f"{die} in {games(share)}" if len(mix) > 1 else die for die, share in mix]
        return f"Perfect play takes {listed(parts)}, and wins {in_100(found.value)} games."


def _at(option: Option) -> int:
    assert isinstance(option.move, int)
    return option.move
