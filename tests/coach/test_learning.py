"""``fairground learn``: positions that can be walked again, answers that are judged, progress."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.coach.judging import judge_of, value_of
from fairground.coach.learning import (
    Progress,
    drawn_position,
    from_json,
    judged,
    positions_of,
    words_at,
)
from fairground.coach.review import review
from fairground.fair.bits import SeededStream
from fairground.games import make_game
from fairground.verifier import replay
from tests.helpers.coached import followed

GAMES: dict[str, dict[str, Any]] = {
    "intransitive/1": {},
    "fatestones/1": {},
    "poker/2": {},
    "codebreaking/1": {"base": 4, "length": 3},
}


@pytest.mark.parametrize("name", GAMES)
def test_a_drawn_position_can_be_walked_again_and_one_move_stands_out(name: str) -> None:
    game = make_game(name, GAMES[name])
    judge = judge_of(game)
    for seed in range(3):
        position = drawn_position(game, SeededStream(f"learn {seed}", 0))
        again = from_json(json.loads(position.name))
        assert again.name == position.name
        walked, state = again.walk()
        assert walked == game
        view = game.view(state, position.seat)
        options = judge.options(view, position.seat)
        found = judged(judge, view, position.seat, options[0].move)
        assert found.right and found.cost == 0


def test_positions_of_a_game_are_those_in_which_something_was_given_away() -> None:
    game = make_game("fatestones/1", {})
    data, _ = next(
        (data, told)
        for data, told in (followed(game, seed, errs=[1, 2]) for seed in range(20))
        if told.seats[1].cost
    )
    table = replay(data)
    told = review(table)
    positions = list(positions_of(told, table, [1]))
    costly = [step for step in told.decisions(1) if step.cost]
    assert len(positions) == len(costly)
    judge = judge_of(game)
    for position, step in zip(positions, sorted(costly, key=lambda s: -s.cost), strict=True):
        _, state = position.walk()
        assert step.move is not None
        found = judged(judge, state, position.seat, step.move)
        assert not found.right and found.cost == step.cost
        assert value_of(judge, state) == found.best.values
    assert list(positions_of(told, table, [0])) == []


def test_a_position_sits_after_two_right_answers_in_a_row(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "learning.json"
    position = drawn_position(make_game("poker/2", {}), SeededStream("learn", 0))
    progress = Progress(path)
    for right, sits in ((True, False), (False, False), (True, False), (True, True)):
        progress.note(position, right)
        progress = Progress(path)
        assert progress.sits(position) == sits
        assert (progress.due("poker/2") == []) == sits
    assert progress.count("poker/2") == (1, 1)
    path.write_text("no JSON")
    assert Progress(path).count("poker/2") == (0, 0)


def test_a_lesson_asks_judges_and_remembers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    lessons = []
    for answers in ("9\n0\n0\n", "0\nq\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        assert main(["learn", "dice", "--questions", "2", "--seed", "a"]) == 0
        lessons.append(capsys.readouterr().out)
    assert "Not taken" in lessons[0]
    assert "of 2 answers right" in lessons[0] and "of 1 answer right" in lessons[1]
    assert "Right." in lessons[0] + lessons[1] or "Not the best" in lessons[0] + lessons[1]
    assert (tmp_path / "fairground" / "learning.json").is_file()


def test_unknown_games_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "chess"]) == 2
    assert "chess" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({"players": 2}, ["You", "The other zombie"]),
        ({"players": 3}, ["You", "Zombie 2", "Zombie 3"]),
    ],
)
def test_the_others_of_a_lesson_have_names_of_their_own(
    params: dict[str, Any], names: list[str]
) -> None:
    assert list(words_at(make_game("zombie/2", params), 0).names) == names


def test_a_question_shows_all_that_its_answer_rests_on() -> None:
    """What a roll of Zombie Dice risks depends on the colours in the bag."""
    position = drawn_position(make_game("zombie/2", {}), SeededStream("x", 0))
    game, state = position.walk()
    lines = words_at(game, position.seat).state(game.view(state, position.seat))
    assert any(re.match(r"In the bag: .*green", line) for line in lines)
