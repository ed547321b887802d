"""The rules of Zombie Dice, held to the statements of its description."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.core import BadParams, Draw, IllegalMove, Over, Turn
from fairground.fair.bits import SeededStream
from fairground.games.zombie.rules import (
    EMPTY,
    GREEN,
    HOLD,
    PASS,
    RED,
    ROLL,
    YELLOW,
    Die,
    Ended,
    State,
    Zombie,
)

FACES = {"b": 0, "f": 3, "s": 5}
"""A face of the green die "bbbffs" that shows this."""


def make(**params: Any) -> Zombie:
    return Zombie.from_params(params)


def seated(game: Zombie) -> State:
    """After a shuffle that leaves everyone in place."""
    s = game.start()
    while isinstance(draw := game.awaits(s), Draw) and s.phase == "shuffle":
        s = game.drawn(s, draw.n - 1)
    return s


def move(game: Zombie, s: State, what: str) -> State:
    awaits = game.awaits(s)
    assert isinstance(awaits, Turn)
    return game.played(s, {awaits.seats[0]: what})


def roll(game: Zombie, s: State, faces: str) -> State:
    """Roll; the first die of the bag is always taken; the dice show the given faces."""
    s = move(game, s, ROLL)
    while s.phase == "take":
        s = game.drawn(s, 0)
    for face in faces:
        assert s.phase == "throw"
        die = next(die for die in s.cells if die and not die.face)
        s = game.drawn(s, game.faces[die.colour].index(face))
    return s


def turn(game: Zombie, s: State, brains: int) -> State:
    """A whole turn that banks this many brains, or passes for none."""
    if not brains:
        return move(game, s, PASS)
    goal = s.brains + brains
    while s.brains < goal:
        dice = min(3, goal - s.brains)
        s = roll(game, s, "b" * dice + "f" * (3 - dice))
    return move(game, s, HOLD)


GREENS = {"weak_dice": 13, "strong_dice": 0, "tough_dice": 0}


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"weak_dice": 0, "strong_dice": 0, "tough_dice": 0}, "no dice"),
        ({"weak_dice": 1, "strong_dice": 1, "tough_dice": 0}, "only 2 in all"),
        ({"weak_dice": 0, "strong_dice": 0, "tough_die_faces": "ffss"}, "brain"),
        ({"weak_die_faces": "bbx"}, "letters b, f and s, not 'bbx'"),
        ({"weak_die_faces": 6}, "weak_die_faces"),
        ({"weak_die_faces": ""}, "no faces, but there are 6"),
        ({"weak_die_faces": "b" * 1001}, "at most 1000"),
        ({"players": True}, "players"),
        ({"weak_dice": "6"}, "'6'"),
        ({"dice": 13}, "no parameter 'dice'"),
    ],
)
def test_a_bag_that_cannot_be_played_is_refused_with_the_reason(
    params: dict[str, Any], reason: str
) -> None:
    with pytest.raises(BadParams, match=reason):
        make(**params)


def test_a_colour_without_dice_may_have_no_faces_and_another_a_thousand() -> None:
    game = make(tough_dice=0, tough_die_faces="", weak_die_faces="b" * 1000)
    assert (game.dice, len(game.faces[0])) == ((6, 4, 0), 1000)


def test_every_order_of_the_seats_comes_from_the_same_number_of_draws() -> None:
    game, found = make(players=4), []

    def follow(s: State) -> None:
        draw = game.awaits(s)
        if not isinstance(draw, Draw) or s.phase != "shuffle":
            found.append(s.playing)
            return
        assert draw.n > 1
        for value in range(draw.n):
            follow(game.drawn(s, value))

    follow(game.start())
    assert sorted(found) == sorted(permutations(range(4)))


def test_a_turn_begins_with_a_roll() -> None:
    game = make()
    s = seated(game)
    assert (list(game.moves(s, 0)), list(game.choices(s, 0))) == ([ROLL, PASS], [ROLL])
    with pytest.raises(IllegalMove, match="begins with a roll"):
        game.check(s, 0, HOLD)
    s = roll(game, s, "bbf")
    assert (list(game.moves(s, 0)), list(game.choices(s, 0))) == ([ROLL, HOLD, PASS], [ROLL, HOLD])
    assert game.move_schema() == {"enum": [ROLL, HOLD, PASS]}


@pytest.mark.parametrize(
    ("value", "colour"), [(0, GREEN), (5, GREEN), (6, YELLOW), (9, YELLOW), (10, RED), (12, RED)]
)
def test_the_bag_lies_green_yellow_red(value: int, colour: int) -> None:
    game = make()
    s = game.drawn(move(game, seated(game), ROLL), value)
    assert s.cells == (Die(colour), None, None)
    assert sum(s.bag) == 12


def test_footprints_keep_their_cells_and_new_dice_fill_the_gaps() -> None:
    game = make(**GREENS)
    s = roll(game, seated(game), "bfs")
    assert s.rolled == (Die(GREEN, "b"), Die(GREEN, "f"), Die(GREEN, "s"))
    assert s.cells == (None, Die(GREEN, "f"), None)
    assert (s.brain_dice, s.shotgun_dice, s.bag, s.brains) == ((1, 0, 0), (1, 0, 0), (10, 0, 0), 1)
    assert game.to_take(s) == 2
    s = move(game, s, ROLL)
    s = game.drawn(s, 0)
    assert s.cells == (Die(GREEN), Die(GREEN, "f"), None)
    s = game.drawn(s, 0)
    assert s.phase == "throw"
    assert s.cells == (Die(GREEN), Die(GREEN), Die(GREEN))


def test_three_shotguns_end_the_turn_with_nothing() -> None:
    game = make(**GREENS)
    s = roll(game, seated(game), "bbs")
    s = roll(game, s, "bss")
    assert (s.playing[s.at], s.scores, s.turns) == (1, (0, 0), (1, 0))
    assert (s.bag, s.cells, s.brains, s.rolls) == (game.dice, EMPTY, 0, 0)
    rolled = (Die(GREEN, "b"), Die(GREEN, "s"), Die(GREEN, "s"))
    assert s.last == Ended(0, "shot", 0, 3, rolled, (3, 0, 0), (3, 0, 0))


def test_more_than_three_shotguns_end_it_too() -> None:
    game = make(**GREENS)
    s = roll(game, seated(game), "fss")
    s = roll(game, s, "sss")
    assert s.last is not None
    assert (s.last.how, s.last.shotgun_dice) == ("shot", (5, 0, 0))


def test_holding_banks_and_passing_does_not() -> None:
    game = make(**GREENS)
    s = move(game, roll(game, seated(game), "bbb"), HOLD)
    assert s.last is not None
    assert (s.scores, s.last.how, s.last.scored) == ((3, 0), "held", 3)
    s = move(game, roll(game, s, "bbb"), PASS)
    assert s.last is not None
    assert (s.scores, s.last.how, s.last.scored, s.last.brains) == ((3, 0), "passed", 0, 3)


def test_brain_dice_go_back_before_drawing_and_stay_counted() -> None:
    game = make(weak_dice=5, strong_dice=0, tough_dice=0)
    s = roll(game, seated(game), "bbs")
    assert (s.bag, game.to_take(s)) == ((2, 0, 0), 3)
    s = move(game, s, ROLL)
    assert (s.bag, s.brain_dice, s.shotgun_dice, s.brains) == ((4, 0, 0), (0, 0, 0), (1, 0, 0), 2)
    assert game.awaits(s) == Draw(4)
    while s.phase == "take":
        s = game.drawn(s, 0)
    for _ in range(3):
        s = game.drawn(s, FACES["b"])
    assert (s.bag, s.brain_dice, s.brains) == ((1, 0, 0), (3, 0, 0), 5)


def test_enough_dice_in_the_bag_leave_the_brains_where_they_are() -> None:
    game = make(weak_dice=6, strong_dice=0, tough_dice=0)
    s = move(game, roll(game, seated(game), "bbs"), ROLL)
    assert (s.bag, s.brain_dice) == ((3, 0, 0), (2, 0, 0))


def test_with_too_few_dice_even_then_one_rolls_what_there_is() -> None:
    game = make(weak_dice=3, strong_dice=0, tough_dice=0)
    s = roll(game, seated(game), "bss")
    assert game.to_take(s) == 1
    s = move(game, s, ROLL)
    # The only die left needs no draw.
    assert (s.phase, s.cells, s.bag) == ("throw", (Die(GREEN), None, None), (0, 0, 0))
    s = game.drawn(s, FACES["b"])
    assert (s.brains, s.rolls, s.rolled) == (2, 2, (Die(GREEN, "b"), None, None))


def test_nothing_is_drawn_where_there_is_no_choice() -> None:
    game = make(weak_dice=3, strong_dice=0, tough_dice=0, weak_die_faces="b", strong_die_faces="s")
    s = move(game, seated(game), ROLL)
    assert game.awaits(s) == Draw(3)
    s = game.drawn(s, 2)
    assert game.awaits(s) == Draw(2)
    s = game.drawn(s, 1)
    assert (game.awaits(s), s.brains) == (Turn((0,)), 3)


def test_all_have_equal_turns_before_the_game_ends() -> None:
    game = make(players=3, **GREENS)
    s = seated(game)
    for brains in (13, 2, 1):
        assert s.round == 1
        s = turn(game, s, brains)
    assert game.awaits(s) == Over((2, -1, -1))
    assert s.turns == (1, 1, 1)


def test_the_first_to_get_there_need_not_win() -> None:
    game = make(**GREENS)
    s = turn(game, turn(game, seated(game), 13), 14)
    assert game.awaits(s) == Over((-1, 1))


def test_below_the_goal_the_rounds_go_on() -> None:
    game = make(**GREENS)
    s = turn(game, turn(game, seated(game), 12), 12)
    assert (s.round, s.extra, game.awaits(s)) == (2, 0, Turn((0,)))


def test_only_those_level_at_the_top_break_the_tie_and_only_while_they_are() -> None:
    game = make(players=4, brains_to_win=2, **GREENS)
    s = seated(game)
    for brains in (2, 1, 2, 2):
        s = turn(game, s, brains)
    assert (s.playing, s.extra, s.round) == ((0, 2, 3), 1, 2)
    with pytest.raises(IllegalMove):
        game.check(s, 1, ROLL)
    for brains in (3, 1, 3):
        s = turn(game, s, brains)
    assert (s.playing, s.extra, s.round) == ((0, 3), 2, 3)
    for brains in (0, 0):
        s = turn(game, s, brains)
    assert (s.playing, s.extra) == ((0, 3), 3)
    for brains in (0, 1):
        s = turn(game, s, brains)
    assert game.awaits(s) == Over((-1, -1, -1, 3))
    assert s.turns == (4, 1, 2, 4)


def test_max_turns_counts_rounds_whatever_the_brains() -> None:
    game = make(max_turns=2, brains_to_win=1, **GREENS)
    s = turn(game, turn(game, seated(game), 3), 0)
    assert game.awaits(s) == Turn((0,))
    s = turn(game, turn(game, s, 0), 2)
    assert game.awaits(s) == Over((1, -1))


def test_max_turns_breaks_ties_too_even_without_a_brain() -> None:
    game = make(max_turns=1, **GREENS)
    s = turn(game, turn(game, seated(game), 0), 0)
    assert (s.extra, s.playing, game.awaits(s)) == (1, (0, 1), Turn((0,)))
    s = turn(game, turn(game, s, 0), 1)
    assert game.awaits(s) == Over((-1, 1))


def test_the_last_zombie_left_wins() -> None:
    two, four = make(), make(players=4)
    assert two.forfeit(seated(two), 0) == (-1, 1)
    assert four.forfeit(seated(four)._replace(gone=(0, 3)), 2) == (-1, 3, -1, -1)
    three = Zombie(3)
    assert three.departed(left(three, seated(three), 1), 0) == Over((-1, -1, 2))


def games() -> Iterator[dict[str, Any]]:
    yield {}
    yield {"players": 3, "weak_dice": 3, "strong_dice": 0, "tough_dice": 0, "brains_to_win": 4}
    yield {"players": 5, "weak_dice": 1, "strong_dice": 2, "tough_dice": 1, "max_turns": 2}
    yield {"weak_die_faces": "bf", "strong_die_faces": "s", "tough_die_faces": "b" * 300}


@settings(derandomize=True, max_examples=60, deadline=None)
@given(
    params=st.sampled_from(list(games())),
    seed=st.integers(0, 10**6),
    choices=st.lists(st.sampled_from([ROLL, ROLL, ROLL, HOLD, PASS]), min_size=1, max_size=12),
)
def test_bag_areas_and_cells_always_add_up(
    params: dict[str, Any], seed: int, choices: list[str]
) -> None:
    game, chance = make(**params), SeededStream("laws", seed)
    s, step = game.start(), 0
    while step < 150:
        awaits = game.awaits(s)
        if isinstance(awaits, Over):
            assert sum(awaits.payoff) == 0
            assert len(set(s.turns)) == 1 or s.extra
            assert s.scores[s.playing[0]] == max(s.scores)
            assert s.scores.count(max(s.scores)) == 1
            break
        if isinstance(awaits, Draw):
            assert awaits.n > 1
            s = game.drawn(s, chance.below(awaits.n))
        else:
            (seat,) = awaits.seats
            legal = list(game.moves(s, seat))
            for what in (ROLL, HOLD, PASS):
                try:
                    game.check(s, seat, what)
                    assert what in legal
                except IllegalMove:
                    assert what not in legal
            wish = choices[step % len(choices)]
            s = game.played(s, {seat: wish if wish in legal else legal[0]})
            step += 1
        for colour in range(3):
            lying = sum(1 for die in s.cells if die and die.colour == colour)
            piles = (s.bag[colour], s.brain_dice[colour], s.shotgun_dice[colour])
            assert min(piles) >= 0
            assert sum(piles) + lying == game.dice[colour]
        assert sum(s.shotgun_dice) < 3
        assert s.brains >= sum(s.brain_dice)
        assert hash(s) == hash(s._replace())
        assert game.view(s, 0) == game.view(s, None) == s


def test_when_all_who_were_level_have_left_the_rest_break_the_tie() -> None:
    """Four seats, two of them level at the top in an extra round."""
    game = Zombie(4)
    level = game.start()._replace(
        phase="decide",
        unsettled=0,
        order=(0, 1, 2, 3),
        playing=(0, 1),
        scores=(13, 13, 9, 4),
        extra=1,
        round=9,
    )
    one_left = game.departed(level, 0)
    assert isinstance(one_left, State) and one_left.playing == (1,)
    both_left = game.departed(one_left, 1)
    assert isinstance(both_left, State)
    assert (both_left.playing, both_left.at, both_left.gone) == ((2, 3), 0, (0, 1))
    assert game.departed(both_left, 2) == Over((-1, -1, -1, 3)), "the last one left wins"


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("players", 2, 100),
        ("weak_dice", 0, 1000),
        ("strong_dice", 0, 1000),
        ("tough_dice", 0, 1000),
        ("brains_to_win", 1, 1_000_000),
        ("max_turns", 0, 1_000_000),
    ],
)
def test_the_bounds_of_every_number(name: str, least: int, most: int) -> None:
    for value in (least, most):
        assert make(**{name: value}).params()[name] == value
    for value in (least - 1, most + 1):
        with pytest.raises(BadParams, match=rf"{name} must be an integer in {least}\.\.{most}"):
            make(**{name: value})


def four() -> tuple[Zombie, State]:
    """Four players in the order 0, 1, 2, 3; the first has three brains, the second rolls."""
    game = Zombie(4)
    s = move(game, roll(game, seated(game), "bbb"), HOLD)
    return game, roll(game, s, "bfb")


def left(game: Zombie, s: State, seat: int) -> State:
    after = game.departed(s, seat)
    assert isinstance(after, State)
    assert after.gone == (*s.gone, seat)
    assert after.scores[seat] == 0
    return after


def test_who_leaves_in_the_turn_loses_it_and_the_next_one_begins() -> None:
    game, s = four()
    after = left(game, s, 1)
    assert (after.playing, after.playing[after.at]) == ((0, 2, 3), 2)
    assert (after.scores, after.rolls, after.brains) == ((3, 0, 0, 0), 0, 0)
    assert after.last is not None
    assert (after.last.seat, after.last.how, after.last.scored) == (1, "passed", 0)
    assert after.turns == (1, 1, 0, 0)


@pytest.mark.parametrize(("seat", "playing", "scores"), [(0, (1, 2, 3), 0), (3, (0, 1, 2), 3)])
def test_who_leaves_out_of_turn_leaves_the_turn_as_it_is(
    seat: int, playing: tuple[int, ...], scores: int
) -> None:
    game, s = four()
    after = left(game, s, seat)
    assert (after.playing, after.playing[after.at]) == (playing, 1)
    assert (after.rolls, after.brains, after.scores[0]) == (1, 2, scores)
    assert after.last == s.last


def test_who_leaves_last_in_a_round_ends_it() -> None:
    game = Zombie(3)
    s = seated(game)
    for _ in range(2):
        s = move(game, s, PASS)
    after = left(game, s, 2)
    assert (after.round, after.at, after.playing) == (2, 0, (0, 1))


def test_who_leaves_during_the_shuffle_is_not_in_the_order_of_play() -> None:
    game = Zombie(3)
    s = left(game, game.start(), 1)
    assert (s.phase, s.at, s.last) == ("shuffle", 0, None)
    while s.phase == "shuffle":
        s = game.drawn(s, s.unsettled - 1)
    assert s.playing == (0, 2)
