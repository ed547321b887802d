"""What the coach says, read as a player reads it: by itself, without the line before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import fairground as fg
from fairground.coach.judging import Judge, Option, judge_of
from fairground.coach.report import html, lines, moment, oddness
from fairground.coach.review import LuckOdds
from fairground.core import HIDDEN, Game
from fairground.fair.bits import SeededStream
from fairground.games import make_game
from fairground.games.codebreaking.rules import Row
from fairground.games.codebreaking.rules import State as Board
from fairground.games.fatestones.rules import State as Stones
from fairground.games.fatestones.rules import fair_dice
from fairground.games.poker.rules import State as Cards
from fairground.games.zombie.rules import Die
from fairground.players import Player
from fairground.words import words_for
from fairground.words.plain import compared, once_in
from tests.helpers.codes import answer


@pytest.mark.parametrize(
    ("low", "high", "often"),
    [
        ((77, 1000), (104, 1000), "8 to 10 games in 100"),
        ((14, 100), (16, 100), "14 to 16 games in 100"),
        ((1, 130), (1, 120), "1 game in 120 to 130"),
        ((201, 1000), (202, 1000), "about 20 games in 100"),
        ((0, 1), (1, 50), "at most 1 game in 50"),
        ((22, 100), (22, 100), "22 games in 100"),
    ],
)
def test_bounds_of_luck_are_counted_in_one_way(
    low: tuple[int, int], high: tuple[int, int], often: str
) -> None:
    odds = LuckOdds(good=True, low=Fraction(*low), high=Fraction(*high), draws=9, unknown=0)
    said = oddness(odds, "Ann")
    assert said == f"Luck at least this good for Ann: {often}, if all draws were drawn again."


def test_a_roll_says_whose_it_is() -> None:
    table = fg.open("zombie", players=3, seats=["greedy"] * 3, names=["Ann", "Bob", "Cy"], seed="x")
    review = fg.review(table.play())
    rolls = [step.says for step in review.steps if "roll shows" in step.says]
    assert rolls and all(says.split()[0] in ("Ann's", "Bob's", "Cy's") for says in rolls)


def test_no_two_numbers_stand_side_by_side() -> None:
    """ "Takes 114456 38 times in 100" is read twice, and "1 time in 1.09" three times."""
    judge = judge_of(make_game("fatestones/1", {}))
    hands = ("144444", "123456", "133356"), ("123456", "133446", "333336")
    state = Stones("choose", hands)
    words = words_for(judge.game, ["Hal", "Ann"])
    best, *_ = judge.options(state, 0)
    assert re.fullmatch(
        r"Perfect play takes \d{6} in [\d.]+ of 100 games and \d{6} in [\d.]+ of 100 games, "
        r"and wins [\d.]+ in 100 games\.",
        judge.advice(words, state, 0, best),
    )
    assert once_in(Fraction(92, 100)) == "92 times in 100"
    assert once_in(Fraction(1, 14)) == "1 time in 14"
    assert compared(Fraction(1, 4), Fraction(1, 21)) == "25 times in 100 instead of 4.76"
    assert compared(Fraction(1, 40), Fraction(0)) == "1 time in 40 instead of never"


def test_a_mistake_is_not_called_as_good_as_what_was_better() -> None:
    hands = [["222456", "114456", "222555"], ["233346", "122556", "113466"]]
    table = fg.open("fatestones", hands=hands, names=["Hal", "Ann"], seed="fate0")
    while not table.over:
        for ask in table.asks():
            table.answer(ask, list(ask.moves)[-1])
            break
    review = fg.review(table).review
    said = [moment(step, review) for step in review.steps if step.kind == "decision" and step.cost]
    assert said and not any("Equally right" in one for one in said)
    assert any("That cost" in one and "Better" in one for one in said)


def whys(judge: Judge[Any], state: Any, seat: int, also: Any = ()) -> Iterator[tuple[str, Option]]:
    """The reason against every move that costs something, and the move."""
    words = words_for(judge.game, ["Hal", "Ann"])
    best, *others = judge.options(state, seat, also)
    for option in others:
        if option.values[seat] < best.values[seat]:
            yield judge.why(words, state, seat, option, best), option


def numbers(pattern: str, text: str) -> list[float] | None:
    found = re.search(pattern, text)
    return found and [float(number.replace(",", "")) for number in found.groups()]


def test_the_numbers_of_a_reason_speak_for_the_better_die() -> None:
    """Where the rolls do not, because of what a tie leaves, it says what comes in the end."""
    judge = judge_of(make_game("fatestones/1", {}))
    stream, dice = SeededStream("coach reasons", 1), fair_dice()
    both = set()
    for _ in range(60):
        hands = [tuple(dice[stream.below(32)] for _ in range(3)) for _ in (0, 1)]
        for text, _ in whys(judge, Stones("choose", (hands[0], hands[1])), 0):
            rolls = numbers(r"wins (\d+) and ties (\d+); \d+ wins (\d+) and ties (\d+)", text)
            assert rolls is not None
            end = numbers(r"in the end \d+ wins ([\d.]+) in 100 .* wins ([\d.]+)\.", text)
            both.add(end is None)
            assert end[0] >= end[1] if end else 2 * rolls[2] + rolls[3] > 2 * rolls[0] + rolls[1]
    assert both == {True, False}


def test_the_numbers_of_a_reason_speak_for_the_better_guess() -> None:
    judge = judge_of(make_game("codebreaking/1", {"base": 4, "length": 3}))
    codes = list(product(range(4), repeat=3))
    both = set()
    for first, code in product(codes[1:4], codes[::5]):
        rows = (Row(first, answer(code, first)),)
        for text, _ in whys(judge, Board("guess", HIDDEN, rows), 1, codes):
            left = numbers(r"leaves ([\d.,]+) codes on average; .* leaves ([\d.,]+)\.", text)
            needed = numbers(r"takes ([\d.]+) more guesses on average, and ([\d.]+)", text)
            if left is not None:
                both.add(needed is None)
                assert needed[0] <= needed[1] if needed else left[1] <= left[0]
    assert both == {True, False}


def test_what_helps_most_is_not_said_to_be_most_of_the_difference() -> None:
    """Often no rank makes half of it: then "most of that" would be wrong."""
    judge = judge_of(make_game("poker/2", {}))
    for text, _ in whys(judge, Cards(dealt=(0, 14, 28, 42, 9)), 1):
        assert "Most of" not in text and "What helps most is " in text


def test_a_roll_names_the_dice_that_are_rolled_again() -> None:
    game = make_game("zombie/2", {})
    state = game.start()._replace(
        **{"phase": "decide", "unsettled": 0, "order": (0, 1), "playing": (0, 1), "rolls": 2},
        **{"brains": 1, "brain_dice": (1, 0, 0), "shotgun_dice": (0, 1, 0), "bag": (4, 3, 2)},
        cells=(Die(0, "f"), None, Die(2, "f")),
    )
    judge = judge_of(game)
    best, *_ = judge.options(state, 0)
    said = judge.advice(words_for(game, ["Hal", "Ann"]), state, 0, best)
    assert said.startswith(
        "1 shotgun so far, 1 green and 1 red dice with footprints, and 4 green, 3 yellow and 2 red "
        "dice left in the bag: one more roll is shot "
    )


class Kind(Player):
    """An evil keeper who says that the first guess is right."""

    def choose(self, game: Game[Any], view: Any, seat: int) -> Any:
        return list(game.choices(view, seat))[-1 if view.phase == "answer" else 0]


def test_moves_with_commas_are_told_apart() -> None:
    table = fg.open("codebreaking", oracle="evil", base=4, length=2, seats=[Kind(), "entropy"])
    review = fg.review(table.play()).review
    (costly,) = review.moments(0)
    assert re.search(r"equally good: \d full, \d partial; (and )?\d full", moment(costly, review))


def test_picks_that_meet_are_named() -> None:
    hands = [["222456", "114456"], ["233346", "122556"]]
    table = fg.open("fatestones", hands=hands, seats=["random"] * 2, names=["Hal", "Ann"])
    review = fg.review(table.play()).review
    (met, *_) = [step for step in review.steps if step.kind == "meeting"]
    assert re.fullmatch(r"Hal's \d{6} and Ann's \d{6} meet\.", met.says)


def test_a_page_counts_guesses_as_the_account_does() -> None:
    """A guess that takes 3.2 guesses is not worth -3.2, and a cost has no sign."""
    table = fg.open("codebreaking", base=4, length=3, seats=["fair", "random"], seed="page")
    review = fg.review(table.play()).review
    cells = re.findall(
        r'<td class="n">([^<]*)</td></tr>|<td class="n">([^<]*)</td><td', html(review, [1])
    )
    assert cells and not any(text.startswith(("-", "+")) for pair in cells[3:] for text in pair)


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_a_chart_is_as_wide_as_the_screen_at_most(columns: int) -> None:
    table = fg.open("zombie", seats=["greedy"] * 2, seed="wide")
    review = fg.review(table.play()).review
    assert max(map(len, lines(review, 0, columns))) <= columns
