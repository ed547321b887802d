"""Every registered game and every registered dealer obeys the laws, and the laws can fail."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from fairground.core import Draw, Game, InputError, Role, Turn
from fairground.fair.bits import HashStream, fresh
from fairground.fair.register import SCHEMES, SchemeListing, dealer_class
from fairground.fair.schemes import Chance, Dealer, Evidence, Run, Scheme
from fairground.games import GAMES, make_game
from fairground.testing import laws
from fairground.testing.modes import ALL_MODES, MODES, Mode, mode, modes_of
from fairground.testing.toys import GUESS, LONG, RICH, TOYS, Toy
from tests.helpers.samples import SAMPLES, Sample, samples_of

ALL_SAMPLES = [sample for game in GAMES for sample in SAMPLES.get(game, ())]


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
def test_a_registered_dealer_is_used_in_every_way(dealer: str) -> None:
    scheme = dealer_class(dealer).scheme
    assert scheme.name == dealer
    assert {mode.dealer for mode in modes_of(dealer)} == {dealer}
    assert {mode.lends for mode in modes_of(dealer)} == {"nothing", *scheme.conditions}


def test_what_has_no_samples_or_modes_fails_with_advice() -> None:
    with pytest.raises(LookupError, match="add small parameters to SAMPLES"):
        samples_of("chess/1")
    with pytest.raises(LookupError, match="add a Mode"):
        modes_of("dowsing/1")
    with pytest.raises(LookupError, match="there are: hmac-sha3-user-alone"):
        mode("dowsing")


@pytest.mark.parametrize("law", laws.GAME_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("sample", ALL_SAMPLES, ids=lambda sample: sample.name)
def test_game_law(sample: Sample, law: laws.GameLaw) -> None:
    law(sample.make())


@pytest.mark.parametrize("law", laws.DEALER_LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("mode", ALL_MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("sample", ALL_SAMPLES, ids=lambda sample: sample.name)
def test_dealer_law(sample: Sample, mode: Mode, law: laws.DealerLaw) -> None:
    law(sample.make(), mode)


@pytest.mark.parametrize("leaves_after", laws.LEAVING, ids=lambda after: f"left-after-{after}")
@pytest.mark.parametrize("mode", ALL_MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("sample", ALL_SAMPLES, ids=lambda sample: sample.name)
def test_hidden_draws_wait_for_the_end(
    sample: Sample, mode: Mode, leaves_after: int | None
) -> None:
    laws.hidden_draws_wait_for_the_end(sample.make(), mode, leaves_after)


@pytest.mark.parametrize("mode", ALL_MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("name", TOYS)
def test_dealers_carry_games_of_every_shape(name: str, mode: Mode) -> None:
    game = Toy.from_params(TOYS[name])
    for law in laws.DEALER_LAWS:
        law(game, mode)
    for after in (None, *range(12)):
        laws.hidden_draws_wait_for_the_end(game, mode, after)


# For the author of a game: all laws at once, on a game that nobody has registered.


@pytest.mark.parametrize("case", laws.cases(Toy.from_params(GUESS)), ids=str)
def test_every_case_passes_on_a_good_game(case: laws.Case) -> None:
    case()


def test_check_names_the_law_that_is_broken() -> None:
    assert Toy.name not in GAMES
    laws.check(Toy.from_params(GUESS), modes=[mode("hash-chains-once")])
    with pytest.raises(laws.Broken, match="toy/1#1: views_leak_nothing: seat None of toy/1 can te"):
        laws.check(Honest(), Leaky(), modes=[])


def test_a_game_inside_a_function_is_refused_with_the_way_out() -> None:
    class Local(Honest):
        pass

    with pytest.raises(InputError, match="define it at the top of a module"):
        laws.check(Local(), modes=[mode("seeded-tape")])


def test_cases_name_each_law_once() -> None:
    names = [str(case) for case in laws.cases(Honest(), Toy.from_params(RICH))]
    each = len(laws.GAME_LAWS) + len(ALL_MODES) * (len(laws.DEALER_LAWS) + len(laws.LEAVING))
    assert len(names) == len(set(names)) == 2 * each


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


def bent(base: type[Toy] = Honest, **changed: Any) -> Game[Any]:
    """A toy of which some methods or declarations are others."""
    made: Any = type("Bent", (base,), changed)
    return made.from_params(GUESS)  # type: ignore[no-any-return]


def moody(self: Any, s: Any) -> Any:
    """It awaits a wider draw each time."""
    awaits = Toy.awaits(self, s)
    self.calls = getattr(self, "calls", 0) + 1
    return Draw(2 + self.calls) if isinstance(awaits, Draw) else awaits


def silent(self: Any, s: Any, seat: int) -> Any:
    """It lists no moves for a seat that owes none, as if that were a stalemate."""
    awaits = self.awaits(s)
    return [0, 1] if isinstance(awaits, Turn) and seat in awaits.seats else []


def unchecked(self: Any, seats: int, steps: list[list[Any]]) -> None:
    self.seats, self.steps = seats, steps


@classmethod  # type: ignore[misc]
def trusting(cls: Any, params: Any) -> Any:
    """It checks what comes from a transcript, and nothing that comes from a program."""
    made = Toy.from_params(params)
    return cls(made.seats, made.steps)


@classmethod  # type: ignore[misc]
def crashing(cls: Any, params: Any) -> Any:
    """It fails over odd parameters instead of refusing them."""
    return cls(int(params["seats"]), list(params["steps"]))


def sloppy(self: Any, s: Any, seat: int, move: Any) -> None:
    if move not in (0, 1):
        raise ValueError("what?")


BROKEN: dict[str, tuple[Game[Any], laws.GameLaw]] = {
    "leaky": (Leaky(), laws.views_leak_nothing),
    "sloppy": (bent(check=sloppy), laws.check_agrees_with_moves),
    "sloppy about seats": (bent(check=sloppy), laws.wrong_seats_are_refused),
    "greedy": (
        bent(drawn=lambda self, s, value: (*s, value)),
        laws.draws_accept_their_range_and_nothing_else,
    ),
    "floating": (bent(forfeit=lambda self, s, seat: (0.5, -0.5)), laws.payoffs_are_integers),
    "generous": (
        bent(forfeit=lambda self, s, seat: (0, 0) if seat else (1, -1)),
        laws.who_leaves_is_out_and_gains_nothing,
    ),
    "asks who has left": (
        bent(Toy, departed=lambda self, s, seat: s),
        laws.who_leaves_is_out_and_gains_nothing,
    ),
    "moody": (bent(awaits=moody), laws.states_are_pure_values),
    "forgetful": (bent(params=lambda self: {"id": id(self)}), laws.params_round_trip),
    "silent": (bent(moves=silent), laws.only_who_is_asked_has_moves),
    "equal to nothing": (
        bent(Toy, __eq__=lambda self, other: self is other, __hash__=id),
        laws.games_are_equal_by_name_and_params,
    ),
    "anonymous": (
        bent(Toy, __repr__=lambda self: "a game"),
        laws.games_are_equal_by_name_and_params,
    ),
    "equal to all": (
        bent(Toy, __eq__=lambda self, other: True, __hash__=lambda self: 1),
        laws.games_are_equal_by_name_and_params,
    ),
    "trusting": (bent(Toy, __init__=unchecked, from_params=trusting), laws.constructors_validate),
    "crashing": (bent(Toy, from_params=crashing), laws.constructors_validate),
    "crowded": (bent(roles=(Role("player", 3, 9),)), laws.declarations_are_true),
    "undeclared": (bent(parameters=()), laws.declarations_are_true),
    "not hiding what it hides": (bent(hides=False), laws.declarations_are_true),
    "pushy": (bent(choices=lambda self, s, seat: [0, 2]), laws.declarations_are_true),
}


@pytest.mark.parametrize("law", laws.GAME_LAWS, ids=lambda law: law.__name__)
def test_an_honest_game_passes(law: laws.GameLaw) -> None:
    law(Honest())


@pytest.mark.parametrize("name", BROKEN)
def test_a_game_that_breaks_a_law_is_caught(name: str) -> None:
    game, law = BROKEN[name]
    with pytest.raises((laws.Broken, ValueError, TypeError, KeyError)):
        law(game)


def test_exploration_meets_different_histories() -> None:
    spots = list(islice(laws.every_history(Honest()), 100))
    assert len(spots) == 1 + 2 + 4
    assert len({spot.history for spot in spots}) == 7


# Dealers that tell too early are caught too, even where their scheme lets them.


class LaxScheme(Scheme):
    """A scheme that asks for a key to each run, and does not mind when it hears more."""

    name = "lax/1"

    def check_ticket(self, run: Run) -> None:
        pass

    def chance(self, run: Run, now: Evidence, later: Evidence) -> Chance:
        return HashStream(bytes.fromhex((later if run.hidden else now)["key"]))

    def must_open(self, run: Run) -> bool:
        return run.hidden and run.line > 0


class LaxDealer(Dealer):
    scheme = LaxScheme

    def open(self, run: Run) -> Evidence:
        return {}

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        key: Evidence = {"key": self.key(run).hex()}
        return ({}, key) if run.hidden else (key, {})

    def key(self, run: Run) -> bytes:
        return self._vault.keep(f"key.{run.index}", fresh(), run.head)


class Blabbing(LaxDealer):
    """The ticket holds the key."""

    def open(self, run: Run) -> Evidence:
        return {"key": self.key(run).hex()}


class Hasty(LaxDealer):
    """The key of a hidden run is told when it is dealt."""

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        key: Evidence = {"key": self.key(run).hex()}
        return key, key


class Stale(LaxDealer):
    """One key serves every run."""

    def key(self, run: Run) -> bytes:
        return self._vault.keep("key", fresh(), "")


def lax(dealer: type[Dealer]) -> Mode:
    listing = SchemeListing(f"{__name__}:{dealer.__name__}", "lax")
    schemes = SCHEMES.plus({"lax/1": listing})
    return Mode("lax/1", dealer.__name__, schemes=schemes)


def test_a_dealer_of_another_register_obeys_the_laws() -> None:
    laws.check(Toy.from_params(RICH), modes=[lax(LaxDealer)])


@pytest.mark.parametrize(
    ("dealer", "params", "said"),
    [
        (Blabbing, RICH, "the secret key.1 is told by the ticket event"),
        (Hasty, RICH, "the hidden run 1 was open before the end"),
        (Stale, LONG, "the evidence of run 2 was known before"),
    ],
    ids=["blabbing", "hasty", "stale"],
)
def test_a_dealer_that_tells_too_early_is_caught(
    dealer: type[Dealer], params: dict[str, Any], said: str
) -> None:
    game = Toy.from_params(params)
    laws.plays_to_a_verified_end(game, lax(dealer))
    with pytest.raises(laws.Broken, match=said):
        laws.secrets_are_told_at_their_time(game, lax(dealer))
