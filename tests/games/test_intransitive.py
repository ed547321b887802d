"""Intransitive dice: the seed's own game, and a referee written a second time."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import pytest

from fairground.core import BadParams, Draw, IllegalMove, Over, Turn
from fairground.fair.schemes import Chair
from fairground.games import make_game
from fairground.games.intransitive.rules import COMPUTER, USER, Die, Intransitive, State
from fairground.testing.driving import Driver, open_table
from fairground.testing.modes import FixedVault, mode
from fairground.verifier import verify
from tests.helpers.samples import SEED_DICE

SAMPLE = [
    # HMAC, KEY, the computer's number: as the seed document prints them
    (
        "C8E79615E637E6B14DDACA2309069A76D0882A4DD8102D9DEAD3FD6AC4AE289A",
        "BD9BE48334BB9C5EC263953DA54727F707E95544739FCE7359C267E734E380A2",
        1,
    ),
    (
        "AA29E7275FE17A8D1184E2D4B6B0F46D815224270C94907CF007F2118CF400F7",
        "7329ABD54A1633D2079EA7A48B401018D7EE6DD4C130AB5C31BC029CC8359637",
        3,
    ),
    (
        "652863C27870CCA331458F4658D89413F405736FE5AA19B868FBDDAB5611A406",
        "92564A82A515DEBC3FE9842D20DCEA3F3AAFB2080314A09A1E9A2CC729EDAF44",
        0,
    ),
]


def test_the_seed_s_own_game() -> None:
    """Guess 0 against 1; the computer takes 6,8,1,1,8,6; 3+4=1 rolls 8; 0+5=5 rolls 9."""
    script = {f"hmac.{i}": f"{key} {x}".encode() for i, (_, key, x) in enumerate(SAMPLE, 1)}
    chairs = [Chair("Computer", "house"), Chair("User", "self", "number")]
    table = open_table(
        make_game("intransitive/1", {"dice": SEED_DICE}),
        mode("hmac-sha3-user-number"),
        FixedVault(script=script),
        chairs=chairs,
    )
    answers = [("number", 1, 0), ("move", 0, 1), ("move", 1, 0), ("number", 1, 4), ("number", 1, 5)]
    for kind, seat, answer in answers:
        (ask,) = table.asks()
        assert (ask.kind, ask.seat) == (kind, seat)
        table.submit(ask, answer)
    assert isinstance(table.game, Intransitive)
    assert table.state == State(first=COMPUTER, picks=(1, 0), rolls=(1, 5))
    assert table.game.result(table.state, COMPUTER) == 8
    assert table.game.result(table.state, USER) == 9
    assert table.payoff == (-1, 1), "the user wins (9 > 8)"
    events = table.transcript.events
    tickets = [event["ticket"] for event in events if event["kind"] == "ticket"]
    assert tickets == [{"hmac": mac} for mac, _, _ in SAMPLE]
    evidence = [event["evidence"] for event in events if event["kind"] == "dealt"]
    assert evidence == [{"key": key, "number": number} for _, key, number in SAMPLE]
    verdict = verify(bytes(table.transcript))
    assert [str(claim) for claim in verdict.claims] == ["COMMITTED", "UNIFORM:1", "UNFORESEEN:1"]


def referee(dice: list[list[int]], bit: int, picks: tuple[int, int], rolls: tuple[int, ...]) -> Any:
    """Who wins, written again from the seed: picks are in the order in which they were made."""
    order = ["user", "computer"] if bit == 0 else ["computer", "user"]
    taken = dict(zip(order, picks, strict=True))
    computer = dice[taken["computer"]][rolls[0]]
    user = dice[taken["user"]][rolls[1]]
    return (0, 0) if computer == user else (1, -1) if computer > user else (-1, 1)


@pytest.mark.parametrize(
    "dice",
    [SEED_DICE[:3], [[1, 2], [2], [0, 3, 2], [1, 2]], [[-1, 10**30], [-(10**30), 0], [5]]],
    ids=["seed", "uneven", "huge"],
)
def test_every_game_ends_as_a_second_referee_says(dice: list[list[int]]) -> None:
    game = Intransitive(Die(tuple(faces)) for faces in dice)
    played = 0
    for bit, picks in product(range(2), permutations(range(len(dice)), 2)):
        first, second = (USER, COMPUTER) if bit == 0 else (COMPUTER, USER)
        s = game.start()
        assert game.awaits(s) == Draw(2)
        s = game.drawn(s, bit)
        assert game.awaits(s) == Turn((first,))
        assert list(game.moves(s, first)) == list(range(len(dice)))
        s = game.played(s, {first: picks[0]})
        assert game.awaits(s) == Turn((second,))
        assert list(game.moves(s, second)) == [i for i in range(len(dice)) if i != picks[0]]
        with pytest.raises(IllegalMove, match=f"die {picks[0]} .* is taken"):
            game.check(s, second, picks[0])
        s = game.played(s, {second: picks[1]})
        by_seat = picks if first == COMPUTER else picks[::-1]
        sizes = [len(dice[pick]) for pick in by_seat]
        for rolls in product(*map(range, sizes)):
            end = s
            for n, roll in zip(sizes, rolls, strict=True):
                assert game.awaits(end) == Draw(n), "the range is that die's own face count"
                end = game.drawn(end, roll)
            assert game.awaits(end) == Over(referee(dice, bit, picks, rolls))
            played += 1
    assert played >= 2 * len(dice)


def test_equal_dice_stay_separate_options() -> None:
    game = Intransitive([Die((1, 2))] * 3)
    s = game.played(game.drawn(game.start(), 0), {USER: 1})
    assert list(game.moves(s, COMPUTER)) == [0, 2]


def test_whoever_walks_away_loses() -> None:
    game = Intransitive(Die(tuple(faces)) for faces in SEED_DICE)
    assert game.forfeit(game.start(), COMPUTER) == (-1, 1)
    assert game.forfeit(game.start(), USER) == (1, -1)


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"dice": SEED_DICE, "faces": 6}, "intransitive/1 has no parameter 'faces'"),
        ({"dice": "1,2,3"}, "parameters must be"),
        ({"dice": []}, "at least 3 dice are needed, not 0"),
        ({"dice": SEED_DICE[:2]}, "at least 3 dice are needed, not 2"),
        ({"dice": [[1], [], [2]]}, "die 2 has no faces"),
        ({"dice": [[1], [2], 3]}, "die 3 must be a list of integers, not 3"),
        ({"dice": [[1], [2], "3,x"]}, "a face of die 3 must be an integer, not 'x'"),
        ({"dice": [[1], [2], ""]}, "a face of die 3 must be an integer, not ''"),
        ({"dice": [[1], [2.5], [3]]}, "a face of die 2 must be an integer, not 2.5"),
        ({"dice": [[True], [2], [3]]}, "a face of die 1 must be an integer, not True"),
        ({"dice": [["1"], [2], [3]]}, "a face of die 1 must be an integer, not '1'"),
        ({"dice": [[None], [2], [3]]}, "a face of die 1"),
    ],
)
def test_bad_dice_are_refused_with_the_reason(params: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadParams, match=reason):
        Intransitive.from_params(params)


def test_faces_beyond_64_bits_play_and_verify() -> None:
    huge = str(2**200)
    params = {"dice": [[huge, f"-{huge}"], [0], [1, 2, 3, 4, 5, 6, 7]]}
    table = Driver(
        open_table(make_game("intransitive/1", params), mode("hmac-sha3-user-number"))
    ).play()
    assert isinstance(table.game, Intransitive)
    assert table.game.dice[0].faces == (2**200, -(2**200))
    assert table.game.params() == params
    assert verify(bytes(table.transcript)).ok


def test_a_die_is_written_as_it_was_typed() -> None:
    assert str(Die((6, 8, -1))) == "6,8,-1"


def test_a_die_with_an_odd_face_is_refused_by_the_constructor() -> None:
    odd: Any = (1, 2.5)
    with pytest.raises(BadParams, match=r"a face of die 2 must be an integer, not 2\.5"):
        Intransitive([Die((1,)), Die(odd), Die((3,))])


def test_the_dice_that_are_there_unless_others_are_given() -> None:
    faces = [[2, 2, 4, 4, 9, 9], [6, 8, 1, 1, 8, 6], [7, 5, 3, 7, 5, 3]]
    assert Intransitive.from_params({}).params() == {"dice": faces}


@pytest.mark.parametrize("move", [-1, 3, True, "0", (0,), None])
def test_a_die_that_is_not_there_cannot_be_chosen(move: Any) -> None:
    game = Intransitive.from_params({})
    with pytest.raises(IllegalMove, match=r"choose a die by its number, 0\.\.2"):
        game.check(game.drawn(game.start(), 0), USER, move)


def test_a_result_needs_a_die_and_a_roll() -> None:
    game = Intransitive.from_params({})
    for picks, rolls in (
        ((None, None), (None, None)),
        ((None, 0), (0, 0)),
        ((1, 0), (None, 0)),
        ((None, 0), (None, 0)),
    ):
        with pytest.raises(IllegalMove, match="seat 0 has not rolled"):
            game.result(State(USER, picks, rolls), COMPUTER)


def test_the_shape_of_a_choice() -> None:
    shape = {"type": "integer", "minimum": 0, "maximum": 2}
    assert Intransitive.from_params({}).move_schema() == shape
