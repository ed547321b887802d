"""The rules of code breaking."""

from __future__ import annotations

import pickle
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.core import BadParams, Draw, IllegalMove, Move, Over, TooMany, Turn
from fairground.games.codebreaking.rules import (
    BREAKER,
    EVIL,
    GIVE_UP,
    KEEPER,
    NO_CODE,
    STAKE,
    Code,
    CodeBreaking,
    Row,
    Rows,
    State,
    digits,
    fits,
    marks,
    number,
    possible_marks,
    read_code,
    write_code,
)


def marks_by_the_book(hidden: list[int], submitted: list[int]) -> tuple[int, int]:
    """The seed's own words: matched digits are replaced by symbols that never match."""
    ours: list[object] = list(hidden)
    yours: list[object] = list(submitted)
    full = 0
    for index in range(len(ours)):
        if ours[index] == yours[index]:
            full += 1
            ours[index] = object()
            yours[index] = object()
    partial = 0
    searching = True
    while searching:
        searching = False
        for i, mine in enumerate(ours):
            if mine in yours:
                partial += 1
                yours[yours.index(mine)] = object()
                ours[i] = object()
                searching = True
                break
    return full, partial


def play(game: CodeBreaking, *moves: Move, s: State | None = None) -> State:
    """Make the moves, each by the seat whose turn it is."""
    s = s or game.start()
    for move in moves:
        awaited = game.awaits(s)
        assert isinstance(awaited, Turn)
        s = game.played(s, {awaited.seats[0]: move})
    return s


def test_the_sample_of_the_specification() -> None:
    assert marks((1, 0, 1, 3), (0, 5, 1, 1)) == (1, 2)


@pytest.mark.parametrize(("base", "length"), [(2, 4), (3, 3), (4, 3), (6, 2)])
def test_marks_agree_with_the_book_on_every_pair(base: int, length: int) -> None:
    codes = list(product(range(base), repeat=length))
    for code, guess in product(codes, codes):
        assert marks(code, guess) == marks_by_the_book(list(code), list(guess))


@settings(derandomize=True, max_examples=200, deadline=None)
@given(st.data(), st.integers(2, 100), st.integers(1, 40))
def test_marks_agree_with_the_book_at_any_size(data: st.DataObject, base: int, length: int) -> None:
    one = st.lists(st.integers(0, min(base, 9) - 1), min_size=length, max_size=length)
    code, guess = data.draw(one), data.draw(one)
    assert marks(code, guess) == marks_by_the_book(code, guess)
    assert marks(code, guess) == marks(guess, code)
    assert marks(code, guess) in possible_marks(length)


def test_possible_marks_are_those_that_occur() -> None:
    for length in (1, 2, 3, 4):
        codes = list(product(range(length + 1), repeat=length))
        seen = {marks(code, guess) for code in codes for guess in codes}
        assert list(possible_marks(length)) == sorted(seen)


def test_digits_are_most_significant_first() -> None:
    assert digits(6 * 6 + 5, 6, 4) == (0, 1, 0, 5)
    top = 100**40 - 1
    assert digits(top, 100, 40) == (99,) * 40
    assert number(digits(top - 7, 100, 40), 100) == top - 7


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("0511", (0, 5, 1, 1)),
        (" 0 5 1 1", (0, 5, 1, 1)),
        ("12,99, 3", (12, 99, 3)),
        ("7", (7,)),
        ("123456789,", (123456789,)),
    ],
)
def test_reading_a_code(text: str, code: Code) -> None:
    assert read_code(text) == code


@pytest.mark.parametrize(
    "text", ["", "abc", "1 2 x", "1.5", "-1 2", "²", "1 " + "9" * 5000, "1234567890,"]
)
def test_what_is_not_a_code_is_refused_in_words(text: str) -> None:
    with pytest.raises(IllegalMove, match="typed as digits"):
        read_code(text)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.data(), st.integers(2, 100), st.integers(1, 40))
def test_writing_and_reading_a_code_round_trips(data: st.DataObject, base: int, n: int) -> None:
    code = tuple(data.draw(st.lists(st.integers(0, base - 1), min_size=n, max_size=n)))
    assert read_code(write_code(code, base)) == code


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"base": 1}, "base must be in 2..100, not 1"),
        ({"base": 101}, "base must be in 2..100, not 101"),
        ({"length": 0}, "length must be in 1..40, not 0"),
        ({"length": 41}, "length must be in 1..40, not 41"),
        ({"oracle": "cruel"}, "oracle must be one of fair, nice, evil, not 'cruel'"),
        ({"oracle": ["fair"]}, "oracle must be one of"),
        ({"base": "six"}, "base must be an integer"),
        ({"base": True}, "base must be an integer"),
        ({"colour": 3}, "no parameter 'colour'"),
    ],
)
def test_bad_parameters_are_refused(params: dict[str, object], reason: str) -> None:
    with pytest.raises(BadParams, match=reason):
        CodeBreaking.from_params(params)


def test_parameters_round_trip() -> None:
    game = CodeBreaking(100, 40, "evil")
    assert CodeBreaking.from_params(game.params()).params() == game.params()
    assert CodeBreaking.from_params({}).params() == {"base": 6, "length": 4, "oracle": "fair"}


def test_a_fair_game_from_draw_to_payoff() -> None:
    game = CodeBreaking(6, 4, "fair")
    s = game.start()
    assert game.awaits(s) == Draw(1296, to=(KEEPER,))
    s = game.drawn(s, number((1, 0, 1, 3), 6))
    assert s.code == (1, 0, 1, 3)
    s = play(game, (0, 5, 1, 1), (1, 2), (1, 0, 1, 3), (4, 0), s=s)
    assert s.rows == (Row((0, 5, 1, 1), (1, 2)), Row((1, 0, 1, 3), (4, 0)))
    assert s.phase == "show" and game.awaits(s) == Turn((KEEPER,))
    s = play(game, (1, 0, 1, 3), s=s)
    assert game.awaits(s) == Over((2, -2))
    assert not game.proves(s)


def test_a_fair_keeper_cannot_lie() -> None:
    game = CodeBreaking(6, 4, "fair")
    s = play(game, (0, 5, 1, 1), s=game.drawn(game.start(), number((1, 0, 1, 3), 6)))
    with pytest.raises(IllegalMove, match=r"must answer \(1, 2\), not \(1, 1\)"):
        game.check(s, KEEPER, (1, 1))
    s = play(game, (1, 2), GIVE_UP, s=s)
    with pytest.raises(IllegalMove, match=r"the drawn code is \(1, 0, 1, 3\)"):
        game.check(s, KEEPER, (1, 0, 3, 1))
    with pytest.raises(IllegalMove, match="'no code'"):
        game.check(s, KEEPER, NO_CODE)
    s = play(game, (1, 0, 1, 3), s=s)
    assert game.awaits(s) == Over((STAKE, -STAKE))


def test_a_nice_keeper_has_one_answer() -> None:
    game = CodeBreaking(6, 4, "nice")
    s = play(game, (5, 4, 3, 2))
    with pytest.raises(IllegalMove, match=r"the nice oracle must answer \(4, 0\)"):
        game.check(s, KEEPER, (0, 0))
    s = play(game, (4, 0), (5, 4, 3, 2), s=s)
    assert game.awaits(s) == Over((1, -1))
    assert set(game.proves(s)) == {"CONSISTENT"}


def test_an_evil_keeper_must_show_a_code_that_fits() -> None:
    game = CodeBreaking(6, 4, "evil")
    s = play(game, (0, 0, 1, 1), (0, 0), (2, 2, 3, 3), (1, 1), GIVE_UP)
    with pytest.raises(IllegalMove, match=r"to \(0, 0, 1, 1\) it answers \(1, 0\), not \(0, 0\)"):
        game.check(s, KEEPER, (0, 2, 2, 4))
    shown = play(game, (2, 4, 2, 4), s=s)
    assert game.awaits(shown) == Over((STAKE, -STAKE))
    assert set(game.proves(shown)) == {"CONSISTENT", "LEAST_TELLING"}
    lied = play(game, NO_CODE, s=s)
    assert game.awaits(lied) == Over((-STAKE, STAKE))
    assert not game.proves(lied)


@pytest.mark.parametrize(
    ("guess", "reason"),
    [
        ((0, 1, 2), r"a code has 4 digits, not 3: \(0, 1, 2\)"),
        ((9, 9, 9, 9, 9), "a code has 4 digits, not 5"),
        ((0, 1, 6, 9), r"a digit must be in 0..5, not 6"),
        ((0, 1, -1, 2), r"a digit must be in 0..5, not -1"),
        ((0, 1, True, 2), r"a digit must be in 0..5, not True"),
        ((0, 1, "2", 2), r"a digit must be in 0..5, not '2'"),
        ("0123", "a code is 4 digits, not '0123'"),
        (123, "a code is 4 digits, not 123"),
    ],
)
def test_malformed_guesses_are_refused_with_the_reason(guess: Move, reason: str) -> None:
    game = CodeBreaking(6, 4, "evil")
    with pytest.raises(IllegalMove, match=reason):
        game.check(game.start(), BREAKER, guess)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((3, 1), "no two codes of 4 digits match like"),
        ((2, 3), "no two codes of 4 digits match like"),
        ((-1, 0), "no two codes of 4 digits match like"),
        ((1,), "an answer is two counts"),
        ((1, "2"), "an answer is two counts"),
        ((True, 0), "an answer is two counts"),
        (3, "an answer is two counts"),
    ],
)
def test_malformed_answers_are_refused_with_the_reason(answer: Move, reason: str) -> None:
    game = CodeBreaking(6, 4, "evil")
    with pytest.raises(IllegalMove, match=reason):
        game.check(play(game, (0, 1, 2, 3)), KEEPER, answer)


def test_a_shown_code_is_seen_by_all() -> None:
    game = CodeBreaking(3, 2, "fair")
    s = play(game, GIVE_UP, (1, 2), s=game.drawn(game.start(), 5))
    assert game.view(s, BREAKER) == game.view(s, None) == s
    assert s.shown == s.code == (1, 2)


def test_a_view_without_the_code_allows_what_might_be_true() -> None:
    game = CodeBreaking(3, 2, "fair")
    s = play(game, (0, 1), s=game.drawn(game.start(), 5))
    view = game.view(s, BREAKER)
    assert list(game.moves(view, KEEPER)) == [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]
    assert list(game.moves(s, KEEPER)) == [(0, 1)]
    view = game.view(play(game, (0, 1), GIVE_UP, s=s), BREAKER)
    assert list(game.moves(view, KEEPER)) == [
        code for code in product(range(3), repeat=2) if fits(code, view.rows)
    ]


def test_moves_are_listed_lazily_or_not_at_all() -> None:
    assert len(list(CodeBreaking(6, 4, "evil").moves(State("guess"), BREAKER))) == 1297
    with pytest.raises(TooMany, match=r"100\^40 codes"):
        CodeBreaking(100, 40, "evil").moves(State("guess"), BREAKER)
    # A broken code leaves one candidate, at any size.
    game = CodeBreaking(100, 40, "evil")
    s = play(game, tuple(range(40)), (40, 0))
    assert list(game.moves(s, KEEPER)) == [tuple(range(40)), NO_CODE]


def test_numbers_of_different_lengths_are_never_scored() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        marks((1, 2, 3), (1, 2))


def test_rows_are_like_a_tuple_of_rows() -> None:
    made = [Row((i, i), (0, 0)) for i in range(4)]
    rows, plain = Rows(made[:3]).plus(made[3]), tuple(made)
    assert rows == plain and rows != plain[:3] and rows not in (made, 5)
    assert (len(rows), hash(rows), repr(rows)) == (4, hash(plain), repr(plain))
    assert (rows[-1], rows[1:3], rows[::-1]) == (plain[-1], plain[1:3], plain[::-1])
    assert pickle.loads(pickle.dumps(rows)) == rows


def test_boards_that_part_keep_their_own_rows() -> None:
    one, other = Row((0, 0), (0, 1)), Row((1, 1), (1, 0))
    begun = Rows([one])
    ways = [begun.plus(one), begun.plus(other), begun.plus(one).plus(other)]
    assert [list(way) for way in ways] == [[one, one], [one, other], [one, one, other]]
    assert list(begun) == [one]


def test_the_shapes_of_moves_in_each_phase() -> None:
    game = CodeBreaking(6, 4, EVIL)
    digit = {"type": "integer", "minimum": 0, "maximum": 5}
    many = {"minItems": 4, "maxItems": 4, "x-look": "code"}
    code = {"type": "array", "items": digit, **many}
    count = {"type": "integer", "minimum": 0, "maximum": 4}
    counts = {"type": "array", "items": count, "minItems": 2, "maxItems": 2}
    s = game.start()
    assert game.move_schema(s) == {"anyOf": [code, {"const": GIVE_UP}]}
    answers = game.played(s, {BREAKER: (0, 0, 1, 1)})
    assert game.move_schema(answers) == counts
    shows = game.played(s, {BREAKER: GIVE_UP})
    assert game.move_schema(shows) == {"anyOf": [code, {"const": NO_CODE}]}
    assert game.move_schema() == {"anyOf": [code, counts, {"enum": [GIVE_UP, NO_CODE]}]}


def test_a_million_codes_can_be_listed_and_no_more() -> None:
    assert CodeBreaking(10, 6).listable
    assert not CodeBreaking(101 - 1, 4).listable
    assert not CodeBreaking(3, 13).listable


def test_codes_as_they_are_written() -> None:
    assert write_code((0, 9), 10) == "09"
    assert write_code((0, 9), 11) == "0 9"
    assert write_code((7,), 10) == "7"
    assert write_code((7,), 11) == "7,"
    assert read_code(write_code((42,), 100)) == (42,)


def test_walking_away_costs_a_million() -> None:
    for oracle in ("fair", EVIL):
        game = CodeBreaking(2, 1, oracle)
        assert game.forfeit(game.start(), BREAKER) == (1_000_000, -1_000_000)
        assert game.forfeit(game.start(), KEEPER) == (-1_000_000, 1_000_000)
        assert game.proves(game.start()) == {}
    gave_up = play(CodeBreaking(2, 1, EVIL), GIVE_UP, (0,))
    assert CodeBreaking(2, 1, EVIL).proves(gave_up).keys() == {"CONSISTENT"}
