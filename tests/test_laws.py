"""Every registered game and every registered dealer obeys the laws."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from fairground.core import Draw, Game
from fairground.fair.register import SCHEMES, dealer_class
from fairground.games import GAMES, make_game
from fairground.testing import laws
from fairground.testing.driving import Mode
from fairground.testing.toys import TOYS, Toy
from tests.helpers.samples import MODES, SAMPLES, Sample, modes_of, samples_of

ALL_SAMPLES = [sample for game in GAMES for sample in SAMPLES.get(game, ())]
ALL_MODES = [mode for modes in MODES.values() for mode in modes]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_registered_game_has_samples(game: str) -> None:
    for sample in samples_of(game):
        assert sample.game == game
        rules = make_game(game, sample.params)
        assert rules.name == game
        assert rules.seats >= 1


def test_only_the_banks_schemes_are_used_elsewhere() -> None:
    """Those need two parties with keys: tests/bank/test_schemes.py plays under them."""
    assert set(SCHEMES) - set(MODES) == {"croupier/1", "croupier-2017/0"}


@pytest.mark.parametrize("dealer", sorted(MODES))
def test_a_registered_dealer_is_used(dealer: str) -> None:
    assert dealer_class(dealer).scheme.name == dealer
    assert {mode.dealer for mode in modes_of(dealer)} == {dealer}


def test_what_is_not_in_the_registry_fails_with_advice() -> None:
    with pytest.raises(LookupError, match="add small parameters to SAMPLES"):
        samples_of("chess/1")
    with pytest.raises(LookupError, match="add a Mode"):
        modes_of("dowsing/1")


@pytest.mark.parametrize("law", laws.GAME_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("sample", ALL_SAMPLES, ids=lambda sample: sample.name)
def test_game_law(sample: Sample, law: Callable[[Game[Any]], None]) -> None:
    law(make_game(sample.game, sample.params))


@pytest.mark.parametrize("law", laws.DEALER_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("mode", ALL_MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("sample", ALL_SAMPLES, ids=lambda sample: sample.name)
def test_dealer_law(sample: Sample, mode: Mode, law: Callable[[Sample, Mode], object]) -> None:
    law(sample, mode)


@pytest.mark.parametrize("forfeit_at", [None, 0, 1, 2, 3, 5], ids=lambda at: f"left-at-{at}")
@pytest.mark.parametrize("mode", ALL_MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("sample", ALL_SAMPLES, ids=lambda sample: sample.name)
def test_hidden_draws_wait_for_the_end(sample: Sample, mode: Mode, forfeit_at: int | None) -> None:
    laws.hidden_draws_wait_for_the_end(sample, mode, forfeit_at)


# The laws themselves can fail: games that break them are caught.


class Honest(Toy):
    """Seat 0 learns a bit, and seat 1 guesses it."""

    def __init__(self) -> None:
        super().__init__(2, [["hidden", 2, 0], ["turn", [1], 2]])

    @classmethod
    def from_params(cls, params: Any) -> Any:
        return cls()


class Leaky(Honest):
    def view(self, s: Any, seat: int | None) -> Any:
        return s


class Sloppy(Honest):
    def check(self, s: Any, seat: int, move: Any) -> None:
        if move not in (0, 1):
            raise ValueError("what?")


class Greedy(Honest):
    def drawn(self, s: Any, value: int) -> Any:
        return (*s, value)


class Floating(Honest):
    def forfeit(self, s: Any, seat: int) -> Any:
        return (0.5, -0.5)


class Moody(Honest):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def awaits(self, s: Any) -> Any:
        self.calls += 1
        awaits = super().awaits(s)
        return Draw(2 + self.calls) if isinstance(awaits, Draw) else awaits


class Forgetful(Honest):
    def __init__(self, bits: int = 1) -> None:
        super().__init__()
        self.bits = bits

    def params(self) -> dict[str, Any]:
        return {"bits": self.bits}


@pytest.mark.parametrize("law", laws.GAME_LAWS, ids=lambda law: law.__name__)
def test_an_honest_game_passes(law: Callable[[Game[Any]], None]) -> None:
    law(Honest())


@pytest.mark.parametrize("mode", ALL_MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("name", TOYS)
def test_dealers_carry_games_of_every_shape(toy: str, name: str, mode: Mode) -> None:
    sample = Sample(toy, name, TOYS[name])
    for law in laws.DEALER_LAWS:
        law(sample, mode)
    for at in (None, *range(12)):
        laws.hidden_draws_wait_for_the_end(sample, mode, at)


@pytest.mark.parametrize(
    ("game", "law"),
    [
        (Leaky(), laws.views_leak_nothing),
        (Sloppy(), laws.check_agrees_with_moves),
        (Sloppy(), laws.wrong_seats_are_refused),
        (Greedy(), laws.draws_accept_their_range_and_nothing_else),
        (Floating(), laws.payoffs_are_integers),
        (Moody(), laws.states_are_pure_values),
        (Forgetful(2), laws.params_round_trip),
    ],
    ids=lambda value: value.__name__ if hasattr(value, "__name__") else type(value).__name__,
)
def test_a_game_that_breaks_a_law_is_caught(
    game: Game[Any], law: Callable[[Game[Any]], None]
) -> None:
    with pytest.raises((AssertionError, ValueError)):
        law(game)


def test_exploration_meets_different_histories() -> None:
    spots = list(islice(laws.every_history(Honest()), 100))
    assert len(spots) == 1 + 2 + 4
    assert len({spot.history for spot in spots}) == 7
