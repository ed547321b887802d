"""Hints: the best move, why, and a note in the record that a review reads."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.coach.judging import advise, judge_of
from fairground.coach.review import review_of
from fairground.games import make_game


@pytest.mark.parametrize(
    ("game", "typed"),
    [
        (["fatestones", "--seat", "player2=me:Ann", "--seat", "player1=random"], "hint\n0\n"),
        (["intransitive", "--seat", "user=me:Ann", "--seat", "computer=random"], "hint\n0\n"),
        (["poker", "--seat", "player=me:Ann", "--seat", "croupier=random"], "hint\nall\n"),
    ],
    ids=["fatestones", "dice", "poker"],
)
def test_a_hint_at_any_prompt_is_recorded_and_known_to_the_review(
    game: list[str],
    typed: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "game.jsonl"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed + "0\n" * 20))
    arguments = ["play", *game, "--scheme", "seeded", "--seed", "7", "--save", str(path)]
    assert main(arguments) in (0, 3)
    assert "Hint: " in capsys.readouterr().out
    notes = [
        event["body"]
        for event in map(json.loads, path.read_text().splitlines())
        if event["kind"] == "note"
    ]
    assert len(notes) == 1 and "hint" in notes[0]
    review = review_of(path.read_bytes())
    first = review.decisions(notes[0]["seat"])[0]
    assert first.hinted
    right = [other.move for other in first.alternatives if not other.cost]
    hinted = notes[0]["hint"]
    assert (tuple(hinted) if isinstance(hinted, list) else hinted) in right


def test_advice_is_given_by_what_a_seat_may_see_alone() -> None:
    game = make_game("codebreaking/1", {"base": 4, "length": 3})
    told = set()
    for code in range(0, 64, 7):
        state = game.drawn(game.start(), code)
        told.add(advise(game, game.view(state, 1), 1, ["House", "Ann"]))
    assert len(told) == 1


def test_where_dice_tie_the_hint_is_what_the_review_calls_right() -> None:
    """A reply may win most often and still be worth less: what pays decides."""
    game = make_game("intransitive/1", {"dice": ["2,2,2", "3,3,1,1", "2,2,3", "1,1,1"]})
    state = game.drawn(game.start(), 1)
    state = game.played(state, {0: 0})
    best = judge_of(game).options(state, 1)[0]
    assert advise(game, state, 1, ["House", "Ann"]).move == best.move == 2
