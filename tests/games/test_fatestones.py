"""The rules of FateStones."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from fairground.core import BadParams, Draw, IllegalMove, Over, Role, Turn
from fairground.games.fatestones.rules import (
    FateStones,
    Round,
    State,
    all_dice,
    fair_dice,
    parse_dice,
    pips,
    wrong_with,
)

MINE = ("134445", "144444", "234444")
THEIRS = ("233346", "333336", "333444")


def told(game: FateStones, state: State, *values: int) -> State:
    for value in values:
        state = game.drawn(state, value)
    return state


def test_there_are_462_dice_of_which_32_are_fair() -> None:
    everything = all_dice()
    twin = {"".join(sorted(faces)) for faces in product("123456", repeat=6)}
    assert set(everything) == twin
    assert len(everything) == 462
    assert list(everything) == sorted(everything)
    assert [die for die in everything if sum(map(int, die)) == 21] == list(fair_dice())
    assert len(fair_dice()) == 32
    assert pips("113355") == (1, 1, 3, 3, 5, 5)


@pytest.mark.parametrize(
    ("die", "reason"),
    [
        ("654321", "no digit may be higher"),
        ("123457", "a digit from 1 to 6"),
        ("012345", "a digit from 1 to 6"),
        ("１２３４５６", "a digit from 1 to 6"),
        ("12345", "six digits"),
        (123456, "six digits"),
    ],
)
def test_what_is_not_a_die(die: object, reason: str) -> None:
    assert reason in str(wrong_with(die))


def test_a_dice_file_may_be_spaced_or_not_and_have_blank_lines() -> None:
    text = "\ufeff123456\r\n1 2 3 4 5 6\n\n  111666\t\n333444\n333444\n333444\n"
    assert parse_dice(text) == ("123456", "123456", "111666", "333444", "333444", "333444")


def test_every_bad_line_of_a_dice_file_is_named() -> None:
    with pytest.raises(BadParams) as caught:
        parse_dice("123456\n654321\n\n12 34 56\n1 2 3 4 5 7\n")
    lines = str(caught.value).splitlines()[1:]
    assert [line.split(":")[0] for line in lines] == ["line 2", "line 4", "line 5"]
    assert "'654321'" in lines[0]


def test_a_dice_file_needs_six_dice() -> None:
    with pytest.raises(BadParams, match="5 dice, but two hands need at least 6"):
        parse_dice("123456\n" * 5)


@pytest.mark.parametrize("name", ["dice", "hands"])
def test_null_is_no_array_of_dice(name: str) -> None:
    with pytest.raises(BadParams, match=f"{name} must be an array of dice, not null"):
        FateStones.from_params({name: None})


def test_the_deal_alternates_and_takes_from_the_bag_in_order() -> None:
    game = FateStones()
    state = game.start()
    fair = list(fair_dice())
    for left in range(32, 26, -1):
        assert game.awaits(state) == Draw(left)
        assert len(game.left_in_bag(state)) == left
        state = game.drawn(state, left - 1 if left % 2 else 0)
    assert state.hands == ((fair[0], fair[1], fair[2]), (fair[31], fair[30], fair[29]))
    assert game.awaits(state) == Turn((0, 1))


def test_the_order_in_which_a_bag_is_written_does_not_matter() -> None:
    shuffled = [*THEIRS, *MINE, "123456"]
    game, twin = FateStones(shuffled), FateStones(sorted(shuffled))
    assert game.params() == twin.params()
    draws = (3, 1, 0, 2, 1, 0)
    assert told(game, game.start(), *draws) == told(twin, twin.start(), *draws)


def test_the_higher_roll_wins() -> None:
    game = FateStones(hands=(MINE, THEIRS))
    state = game.start()
    assert game.awaits(state) == Turn((0, 1))
    rolling = game.played(state, {0: 0, 1: 1})
    assert game.awaits(rolling) == Draw(6)
    half = game.drawn(rolling, 5)
    assert half.rolls == (5,)
    over = game.drawn(half, 0)
    assert over.last == Round((MINE, THEIRS), (0, 1), (5, 3))
    assert over.last.dice == ("134445", "333336")
    assert over.hands == (("144444", "234444"), ("233346", "333444"))
    assert game.awaits(over) == Over((1, -1))
    assert game.awaits(game.drawn(half, 5)) == Over((-1, 1))


def test_a_tie_uses_both_dice_up_and_the_last_tie_is_a_scratch() -> None:
    game = FateStones(hands=(MINE, MINE))
    state = game.start()
    for left in (3, 2, 1):
        assert list(game.moves(state, 0)) == list(game.moves(state, 1)) == list(range(left))
        state = game.played(state, {0: left - 1, 1: left - 1})
        mine, yours = (state.hands[seat][left - 1] for seat in (0, 1))
        face = next(face for face in mine if face in yours)
        state = told(game, state, mine.index(face), yours.index(face))
    assert state.phase == "over"
    assert state.scratches == 1
    assert game.awaits(state) == Over((0, 0))


def test_a_scratch_fills_the_bag_and_deals_again() -> None:
    same = ["111111"] * 6
    game = FateStones(same)
    state = told(game, game.start(), *[0] * 6)
    for _ in range(3):
        state = told(game, game.played(state, {0: 0, 1: 0}), 0, 0)
    assert (state.phase, state.hands, state.scratches) == ("deal", ((), ()), 1)
    assert game.awaits(state) == Draw(6)
    assert state.last == Round((("111111",), ("111111",)), (0, 0), (1, 1))

    short = FateStones(same, scratch="end")
    state = told(short, short.start(), *[0] * 6)
    for _ in range(3):
        state = told(short, short.played(state, {0: 0, 1: 0}), 0, 0)
    assert short.awaits(state) == Over((0, 0))


def test_equal_dice_are_dealt_as_often_as_they_are_there() -> None:
    game = FateStones(["111111", "666666"] * 3)
    state = told(game, game.start(), 5, 4, 0, 0, 1, 0)
    assert Counter(state.hands[0] + state.hands[1]) == {"111111": 3, "666666": 3}
    assert state.hands == (("666666", "111111", "666666"), ("666666", "111111", "111111"))


def test_a_refusal_lists_the_dice() -> None:
    game = FateStones(hands=(MINE, THEIRS))
    with pytest.raises(IllegalMove, match=r"0 \(134445\), 1 \(144444\), 2 \(234444\); not 3"):
        game.check(game.start(), 0, 3)


def test_who_walks_away_loses() -> None:
    game = FateStones()
    assert game.forfeit(game.start(), 0) == (-1, 1)
    assert game.forfeit(game.start(), 1) == (1, -1)


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"dice": "123456"}, "must be a list"),
        ({"dice": 5}, "must be a list"),
        ({"dice": ["123456"] * 5}, "at least 6"),
        ({"dice": ["123456"] * 5 + ["654321"]}, "'654321'"),
        ({"dice": [123456] * 6}, "123456: a die has six digits"),
        ({"scratch": "again"}, 'must be "redeal"'),
        ({"dices": []}, "no parameter 'dices'"),
        ({"hands": [["123456"], ["111666"]], "scratch": "redeal"}, "no new deal"),
        ({"hands": [["123456"], ["111666"]], "dice": ["123456"] * 6}, "not both"),
        ({"hands": [["123456"]]}, "two lists"),
        ({"hands": ["123456", "111666"]}, "two lists"),
        ({"hands": [["123456"], ["111666", "123456"]]}, "not 1 and 2"),
        ({"hands": [[], []]}, "not 0 and 0"),
        ({"hands": [["123456"] * 4, ["123456"] * 4]}, "not 4 and 4"),
        ({"hands": [["123456"], ["111667"]]}, "'111667'"),
    ],
)
def test_bad_params_say_why(params: dict[str, object], reason: str) -> None:
    with pytest.raises(BadParams) as caught:
        FateStones.from_params(params)
    assert reason in str(caught.value)


def test_a_bag_in_which_nobody_can_win_is_refused() -> None:
    with pytest.raises(BadParams, match="every face of every die is 3"):
        FateStones(["333333"] * 6).must_be_winnable()
    FateStones(["333333"] * 5 + ["333334"]).must_be_winnable()


def test_the_shape_of_a_choice() -> None:
    assert FateStones().move_schema() == {"type": "integer", "minimum": 0, "maximum": 2}


def test_two_players_and_no_other_roles() -> None:
    assert (FateStones.seats, FateStones.roles) == (2, (Role("player", 2, 2),))
