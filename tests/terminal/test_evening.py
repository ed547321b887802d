"""One manner in all games: who plays, how strong, how often, with which chance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fairground.core import InputError
from fairground.games.codebreaking.rules import STAKE
from fairground.terminal import evening
from fairground.terminal.records import winners
from tests.helpers.pseudo_terminal import on_a_terminal
from tests.helpers.told import Told
from tests.terminal.conftest import Here

DICE = ("dice", "1,2,3", "4,5,6", "2,2,2")
NICE = ("codebreaking", "--oracle", "nice")

Play = Callable[..., Told]


@pytest.fixture
def play(here: Here) -> Play:
    return here.saved


def seats(told: Told) -> list[str]:
    return [seat["name"] for seat in told.events[0]["seats"]]


class TestCounting:
    def test_whoever_leaves_is_not_asked_for_more(self, play: Play) -> None:
        told = play("x\n0123\n", *NICE, "--games", "2")
        assert told.code == 0 and told.out.count("Check it yourself") == 1

    @pytest.mark.parametrize(
        ("game", "payoff", "won"),
        [
            ("zombie/2", (-1, 1, -1), [1]),
            ("intransitive/1", (0, 0), []),
            ("codebreaking/1", (3, -3), [1]),
            ("codebreaking/1", (STAKE, -STAKE), [0]),
            ("poker/2", None, []),
        ],
    )
    def test_who_has_won(self, game: str, payoff: Any, won: list[int]) -> None:
        assert winners(game, payoff) == won


class TestOnceMore:
    """In one process: `Console` reads lines, as if somebody typed them on a terminal."""

    @pytest.fixture(autouse=True)
    def on_keys(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(evening, "can_read_keys", lambda: True)

    def test_again_and_a_match_and_the_end(self, play: Play) -> None:
        lines = "0123\n\n0123\nwhat\nm 0\nm 2\n0123\n0123\n"
        told = play(lines, *NICE)
        assert told.code == 0
        assert "'what' is none of these: Enter plays again, s swaps sides, m 3" in (
            " ".join(told.out.split())
        )
        assert "Score after 2: Keeper 0 and Player 2." in told.out
        assert "Score after 2: Keeper 0 and Player 2. The match goes to 2." in told.out
        assert "Player won the match." in told.out

    def test_sides_are_swapped(self, play: Play) -> None:
        told = play("0123\ns\n4 0\nq\n", *NICE)
        assert told.code == 0
        assert "Code breaking, you keep the code" in told.out
        assert told.events[0]["seats"][0]["by"] == "self"

    def test_sides_of_any_game_are_swapped(self, play: Play) -> None:
        told = play("a\n0\n0\ns\nb\n0\n0\nq\n", "play", "intransitive", "--seat", "computer=random")
        assert told.code == 0
        assert [seat["by"] for seat in told.events[0]["seats"]] == ["self", "house"]

    def test_the_end_of_the_input_is_an_end(self, play: Play) -> None:
        told = play("0123\n", *NICE)
        assert told.code == 0 and told.out.endswith("Once more? ")

    def test_a_review(self, play: Play) -> None:
        told = play("0\n0\n0\n0\nr\nq\n", *DICE)
        assert "r reviews this game" in " ".join(told.out.split())
        assert told.out.count("Intransitive dice") == 1, "the review has a heading"

    def test_where_there_is_no_review_it_is_said(
        self, play: Play, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(files: list[str]) -> int:
            raise InputError(f"no such game in {len(files)} file")

        monkeypatch.setattr("fairground.commands.coach.run_coach", refuse)
        told = play("0123\nr\nq\n", *NICE)
        assert told.code == 0
        assert "There is no review: no such game in 1 file." in told.out

    def test_nobody_is_asked_where_only_machines_play(self, play: Play) -> None:
        arguments = ("zombie", "--players", "A=greedy, B=cautious", "--fast")
        assert "Once more?" not in play("", *arguments).out


def test_once_more_on_a_real_terminal() -> None:
    keys = [("Guess 1: ", "0123\n"), ("Once more? ", "\n"), ("Guess 1: ", "1\n")]
    keys += [("Guess 1: ", "4444\n"), ("Once more? ", "q\n")]
    shown = on_a_terminal(keys, 40, 60, *NICE, "--no-save")
    assert "Score after 2: Keeper 0 and Player 2." in " ".join(shown.split())
    assert shown.endswith("exit 0")


class TestWhoPlays:
    def test_people_and_machines_by_name(self, play: Play) -> None:
        told = play("x\n", "fatestones", "--seat", "Ann=me", "--seat", "Hal=greedy")
        assert seats(told) == ["Ann", "Machine (greedy)"]
        told = play("x\n", "fatestones", "--seat", "player1=medium", "--seat", "Ann=me")
        assert seats(told) == ["Machine (greedy)", "Ann"]
        assert "The machine leaves" not in told.out and "You leave the game" in told.out
        told = play("", "zombie", "--seat", "Tic=easy", "--seat", "Tac=hard", "--fast")
        assert seats(told) == ["Tic (random)", "Tac (greedy)"]
        assert seats(play("x\n", *DICE, "--seat", "user=me:Ann")) == ["Computer", "Ann"]

    def test_two_people_and_their_names(self, play: Play) -> None:
        told = play("x\n", "fatestones", "--hot-seat", "Ann,Bob")
        assert seats(told) == ["Ann", "Bob"]
        assert "Ann, type anything random for the deal: " in told.out

    def test_keeper_and_breaker(self, play: Play) -> None:
        told = play("4 0\n", "codebreaking", "--seat", "keeper=me", "--seat", "breaker=minimax")
        assert seats(told) == ["Player", "Solver (minimax)"]
        told = play("x\n", "codebreaking", "--seat", "keeper=hard", "--seat", "breaker=me")
        assert told.events[0]["params"]["oracle"] == "evil"


class TestDifficulty:
    @pytest.mark.parametrize(
        ("arguments", "lines", "shown"),
        [
            (("fatestones", "--difficulty", "easy"), "x\n", "Machine (random)"),
            (("fatestones", "--difficulty", "medium"), "x\n", "Machine (greedy)"),
            (("fatestones", "--difficulty", "hard"), "x\n", "Machine (optimal)"),
            (("codebreaking", "--difficulty", "easy"), "x\n", '"oracle":"nice"'),
            (("codebreaking", "--difficulty", "hard"), "x\n", '"oracle":"evil"'),
            (("codebreaking", "--keeper", "--difficulty", "medium"), "x\n", "Solver (minimax)"),
            (("zombie", "--players", "Ann,Hal=medium"), "q\ny\n", "Hal (cautious)"),
        ],
    )
    def test_in_words(self, arguments: tuple[str, ...], lines: str, shown: str, play: Play) -> None:
        assert shown.encode() in play(lines, *arguments).transcript

    def test_an_easy_computer_takes_any_die(self, play: Play) -> None:
        """The best answer to 4,5,6 is nothing; a computer at random takes every die sometimes."""
        taken = {
            event["move"]
            for _ in range(40)
            for event in play("", *DICE, "--difficulty", "easy", "--seat", "user=random").events
            if event["kind"] == "move" and event["seat"] == 0
        }
        assert taken == {0, 1, 2}


class TestPractice:
    @pytest.mark.parametrize(
        ("arguments", "lines"),
        [
            (DICE, "0\n0\n"),
            (("codebreaking",), "0123\ngive up\n"),
            (("fatestones",), "0\n0\n0\n0\n0\n0\n0\n"),
            (("zombie", "--players", "Ann, Bob", "--ascii"), "\n\nh\n\nh\n\nh\nq\ny\nq\ny\n"),
            (("play", "poker"), "nothing\n"),
        ],
    )
    def test_the_same_chance_again_that_proves_nothing(
        self, arguments: tuple[str, ...], lines: str, play: Play
    ) -> None:
        first, second = (play(lines, *arguments, "--seed", "monday") for _ in range(2))
        draws = [
            [event["draws"] for event in told.events if event["kind"] == "dealt"]
            for told in (first, second)
        ]
        assert draws[0] == draws[1] != []
        assert first.verdict.ok
        assert "This was practice: all chance came from a seed" in " ".join(first.out.split())
        assert not {"UNIFORM", "COMMITTED"} & {claim.name for claim in first.verdict.claims}

    def test_a_seed_and_another_scheme(self, play: Play) -> None:
        told = play("", "play", "poker", "--seed", "x", "--scheme", "system/1")
        assert told.code == 2 and "--seed goes with --scheme seeded/1" in told.err
