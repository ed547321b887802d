"""A wrong solver is found: each fault below makes the laws or the twins fail."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from fairground.coach.judging import Option
from fairground.games.codebreaking import judge as codebreaking
from fairground.games.fatestones import judge as fatestones
from fairground.games.fatestones.solver import choices
from fairground.games.intransitive import judge as intransitive
from fairground.games.poker import judge as poker
from fairground.games.zombie import judge as zombie
from tests.coach import test_laws as laws
from tests.coach import test_twins as twins

Fault = Callable[[pytest.MonkeyPatch], None]


def ties_count_as_wins(patch: pytest.MonkeyPatch) -> None:
    """FateStones: a tie is taken for a win."""
    right = choices.meeting.__wrapped__

    def wrong(mine: str, theirs: str) -> choices.Meeting:
        met = right(mine, theirs)
        return choices.Meeting(met.wins + met.ties, 0)

    patch.setattr(fatestones, "meeting", wrong)


def the_first_die_is_thought_best(patch: pytest.MonkeyPatch) -> None:
    """Dice: whoever takes first is told the strongest case, not the weakest."""
    right = intransitive.DiceJudge._meets
    patch.setattr(
        intransitive.DiceJudge,
        "_first",
        lambda self, die: max(
            (right(self, die, other), other) for other in range(len(self.game.dice)) if other != die
        ),
    )


def holds_are_shuffled(patch: pytest.MonkeyPatch) -> None:
    """Poker: the values of holds belong to other holds."""
    right = poker.PokerJudge.options

    def wrong(self: Any, state: Any, seat: int, also: Any = ()) -> list[Option]:
        options = right(self, state, seat, also)
        values = [option.values for option in options]
        rotated = [*values[1:], values[0]]
        return sorted(
            (o._replace(values=v) for o, v in zip(options, rotated, strict=True)),
            key=lambda o: -o.values[seat],
        )

    patch.setattr(poker.PokerJudge, "options", wrong)


def a_bust_costs_nothing(patch: pytest.MonkeyPatch) -> None:
    """Zombie Dice: after three shotguns the brains are thought to be kept."""
    right = zombie.ZombieJudge._rolled

    def wrong(self: Any, state: Any) -> Any:
        hold, _ = self._tables(state)
        bust = [row for row in right(self, state) if (row[1] == hold[0]).all()]
        kept = hold[min(state.brains, len(hold) - 1)]
        return [
            (gain, kept if any(row is b for b in bust) else row, chance)
            for gain, row, chance in right(self, state)
        ] + [(0, kept - hold[0], sum(row[2] for row in bust))]

    patch.setattr(zombie.ZombieJudge, "_rolled", wrong)


def a_guess_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    """Code breaking: the guess itself is not counted."""
    right = codebreaking.SolvedCodeJudge._asking
    patch.setattr(
        codebreaking.SolvedCodeJudge,
        "_asking",
        lambda self, rows, guess: right(self, rows, guess) - Fraction(1, 8),
    )


values_lead_on = laws.test_no_alternative_is_better_and_each_has_the_value_of_what_it_leads_to
luck_is_fair = laws.test_luck_has_the_expectation_zero

CHECKS: dict[str, tuple[Fault, Callable[[str], object], Callable[[], object]]] = {
    "fatestones, small bag": (
        ties_count_as_wins,
        luck_is_fair,
        twins.test_mirrored_positions_have_mirrored_values,
    ),
    "dice": (the_first_die_is_thought_best, values_lead_on, lambda: twins.test_dice(1)),
    "poker": (holds_are_shuffled, values_lead_on, lambda: twins.test_poker(1)),
    "zombie, rounds": (a_bust_costs_nothing, values_lead_on, twins.test_zombie),
    "fair codes": (a_guess_is_forgotten, values_lead_on, lambda: twins.test_codes(3, 2)),
}


@pytest.mark.parametrize("name", CHECKS)
def test_a_wrong_solver_is_found_by_law_and_by_twin(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault, law, twin = CHECKS[name]
    law(name)
    twin()
    fault(monkeypatch)
    with pytest.raises(AssertionError):
        law(name)
    with pytest.raises(AssertionError):
        twin()
