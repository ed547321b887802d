"""The words of the kernel: integers that survive JSON, refusals with reasons, the error tree."""

from __future__ import annotations

import json
import pickle
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground import core
from fairground.core import (
    HIDDEN,
    BadParams,
    Draw,
    Fault,
    Game,
    IllegalMove,
    Over,
    Turn,
    must_be_in_range,
    must_be_in_turn,
    whole,
    written,
)
from fairground.games import GAMES, game_class
from fairground.games.zombie.rules import Zombie
from fairground.testing.toys import Toy

EDGE = 9007199254740991  # 2^53 - 1, by hand


@given(st.integers() | st.integers(EDGE - 3, EDGE + 3) | st.integers(-EDGE - 3, -EDGE + 3))
def test_every_integer_survives_writing_and_reading(number: int) -> None:
    text = written(number)
    assert whole(text, "it") == number
    assert isinstance(text, int) == (abs(number) <= EDGE)


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        None,
        1.0,
        "",
        "-",
        "1",
        "-1",
        "007",
        "9007199254740991",
        "-9007199254740991",
        "+9007199254740992",
        "09007199254740992",
        "--9007199254740992",
        " 9007199254740992",
        "9007199254740992\n",
        "9_007_199_254_740_992",
        "٩٠٠٧١٩٩٢٥٤٧٤٠٩٩٢٩",
        "1" * 4001,
        9007199254740992,
        -9007199254740992,
        [1],
        {},
    ],
)
def test_an_integer_has_one_way_of_being_written(value: object) -> None:
    with pytest.raises(BadParams, match="a face must be an integer") as caught:
        whole(value, "a face")
    assert caught.value.code == "game/params"


def test_the_longest_integer_text_is_read() -> None:
    assert whole("9" * 4000, "it") == 10**4000 - 1


@pytest.mark.parametrize("value", [-1, 6, True, False, "0", None, 0.0, (0,)])
def test_a_draw_outside_its_range_is_refused(value: object) -> None:
    with pytest.raises(IllegalMove, match=r"an integer in 0\.\.5"):
        must_be_in_range(value, Draw(6))  # type: ignore[arg-type]


def test_a_draw_that_nobody_awaits_is_refused() -> None:
    must_be_in_range(5, Draw(6))
    for awaits in (Turn((0,)), Over((0, 0))):
        with pytest.raises(IllegalMove, match="nothing is to be drawn"):
            must_be_in_range(0, awaits)


def test_a_move_out_of_turn_is_refused() -> None:
    must_be_in_turn(1, Turn((0, 1)))
    for seat, awaits in ((2, Turn((0, 1))), (0, Draw(6)), (0, Over((0,)))):
        with pytest.raises(IllegalMove, match=f"seat {seat} is not to move"):
            must_be_in_turn(seat, awaits)


def test_a_game_without_secrets_shows_everything_and_proves_nothing_of_its_own() -> None:
    game = Toy(1, [])
    assert Game.view(game, (3,), None) == (3,)
    assert Game.proves(game, ()) == {}


def test_the_blank_of_a_view_says_so() -> None:
    assert repr(HIDDEN) == "HIDDEN"


CODES = {
    "FairgroundError": ("fairground/error", 2, "Exception"),
    "InputError": ("input/bad", 2, "FairgroundError"),
    "BadParams": ("game/params", 2, "InputError"),
    "UnknownName": ("name/unknown", 2, "InputError"),
    "Unreadable": ("input/unreadable", 2, "InputError"),
    "IllegalMove": ("move/illegal", 2, "InputError"),
    "TooMany": ("move/too-many", 2, "InputError"),
    "BadShare": ("share/bad", 2, "InputError"),
    "StaleAsk": ("ask/stale", 2, "InputError"),
    "MissingExtra": ("install/missing", 2, "InputError"),
    "HouseFault": ("table/void", 1, "FairgroundError"),
    "SecretLost": ("vault/lost", 1, "HouseFault"),
    "SecretReused": ("vault/reused", 1, "HouseFault"),
}


@pytest.mark.parametrize("name", CODES)
def test_the_error_tree_is_frozen(name: str) -> None:
    code, leaves, parent = CODES[name]
    error = getattr(core, name)
    assert (error.code, error.exit, error.__bases__[0].__name__) == (code, leaves, parent)
    assert name in (core.__doc__ or ""), "the tree at the top of core.py must show it"


def test_every_error_stands_in_the_tree() -> None:
    kinds = [
        name
        for name, value in vars(core).items()
        if isinstance(value, type) and issubclass(value, Exception)
    ]
    assert sorted(kinds) == sorted([*CODES, "Fault"])


def test_a_fault_names_its_line() -> None:
    fault = Fault("transcript/odd", "it is odd", 7)
    assert (fault.code, fault.reason, fault.line, str(fault)) == (
        "transcript/odd",
        "it is odd",
        7,
        "it is odd",
    )
    assert fault.exit == 1
    other = pickle.loads(pickle.dumps(fault))
    assert (type(other), vars(other), str(other)) == (Fault, vars(fault), str(fault))


def test_a_seat_that_is_not_there_has_no_role() -> None:
    with pytest.raises(core.InputError, match=r"zombie/2 has no seat 2; its seats are 0\.\.1"):
        Zombie().role(2)


def test_the_default_parameters_of_every_game_fit_its_schema() -> None:
    """Judged by a peer's validator, which also refuses a parameter that the game does not know."""
    for name in GAMES.listed:
        judge = jsonschema_rs.validator_for(game_class(name).schema())
        assert judge.is_valid({}), name
        assert not judge.is_valid({"no such parameter": 1}), name


def test_every_listed_move_has_the_shape_that_its_game_tells() -> None:
    """Judged by a peer's validator, in every turn of a game of each kind."""
    small = {"codebreaking/1": {"base": 2, "length": 2}}
    for name in GAMES.listed:
        game = game_class(name).from_params(small.get(name, {}))
        state, anywhere = game.start(), jsonschema_rs.validator_for(game.move_schema())
        for _ in range(60):
            match game.awaits(state):
                case Draw():
                    state = game.drawn(state, 0)
                case Turn(seats):
                    here = jsonschema_rs.validator_for(game.move_schema(state))
                    moves = {}
                    for seat in seats:
                        listed = list(game.moves(state, seat))
                        moves[seat] = listed[0]
                        for move in json.loads(json.dumps(listed)):
                            assert here.is_valid(move) and anywhere.is_valid(move), (name, move)
                    state = game.played(state, moves)
                case Over():
                    break
    assert Game.move_schema(Toy(1, []))["type"] == ["integer", "string", "array"]


class Backwards(Toy):
    """Names its parameters in the other order."""

    def params(self) -> dict[str, Any]:
        return {"steps": self.steps, "seats": self.seats}


def test_games_are_the_same_in_whatever_order_their_parameters_stand() -> None:
    steps = [["draw", 6]]
    assert Backwards(2, steps) == Toy(2, steps)
    assert hash(Backwards(2, steps)) == hash(Toy(2, steps))
    assert Toy(3, steps) != Toy(2, steps)


def test_a_parameter_that_a_game_has_not_is_named() -> None:
    with pytest.raises(core.BadParams, match=r"zombie/2 has no parameter 'bones'; it has: players"):
        Zombie.with_defaults({"players": 3, "bones": 1})
    assert Zombie.with_defaults({"players": 3})["players"] == 3
    assert Zombie.with_defaults({})["players"] == 2


def test_a_schema_shows_the_defaults_that_there_are() -> None:
    told = Zombie.schema()["properties"]
    assert told["players"]["default"] == 2
    assert not any("default" in told for told in Toy.schema()["properties"].values())


def test_a_game_that_declares_no_roles_has_players_and_room_for_anybody() -> None:
    (role,) = Game.roles
    assert role == ("player", 1, 1000)
