"""What holds of every review, whatever the game and whoever plays."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, get_args

import jsonschema_rs
import pytest

import fairground as fg
from fairground import schemas
from fairground.coach import reviewing
from fairground.coach.judging import judge_of, value_of
from fairground.coach.reviewing import Review
from fairground.coach.shape import as_json
from fairground.coach.sources import review_of
from fairground.core import Draw, Game
from fairground.course import Drawn, Moved, follow
from fairground.games import make_game
from fairground.replay import replay
from fairground.transcript import check_chain, read
from tests.helpers.coached import followed, outcomes
from tests.helpers.places import ROOT

SHAPE = jsonschema_rs.validator_for(schemas.load("review"))
RECORDS = sorted(ROOT.glob("tests/playthroughs/[fip]*.jsonl"))

GAMES_TO_JUDGE: dict[str, Game[Any]] = {
    "dice": make_game("intransitive/1", {}),
    "dice with ties": make_game("intransitive/1", {"dice": ["1,2,3", "2,2,2", "4,1,2,2", "0,5,5"]}),
    "fatestones": make_game("fatestones/1", {}),
    "fatestones, small bag": make_game(
        "fatestones/1",
        {"dice": ["333444", "222555", "123456", "112566", "333336", "144444"], "scratch": "end"},
    ),
    "poker": make_game("poker/2", {"level": 5}),
    "poker, level 1": make_game("poker/2", {"level": 1, "bet": 3}),
}


def adds_up(review: Review) -> None:
    for seat in review.seats:
        assert seat.start + seat.luck - seat.cost + seat.given + seat.model == seat.now
        assert seat.result in (None, seat.now)
    values = review.start
    for step in review.steps:
        values = tuple(a + b for a, b in zip(values, step.change, strict=True))
        assert values == step.values


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_golden_record_is_judged(path: Any) -> None:
    review = review_of(path.read_bytes())
    adds_up(review)
    SHAPE.validate(json.loads(json.dumps(as_json(review))))
    assert review.finished
    assert all(step.cost >= 0 for step in review.steps)


@pytest.mark.parametrize("name", GAMES_TO_JUDGE)
def test_who_follows_the_coach_gives_nothing_away(name: str) -> None:
    for seed in range(4):
        _, review = followed(GAMES_TO_JUDGE[name], seed)
        adds_up(review)
        assert all(seat.cost == 0 and seat.mistakes == 0 for seat in review.seats)


@pytest.mark.parametrize("name", GAMES_TO_JUDGE)
def test_planted_blunders_are_found_and_only_they(name: str) -> None:
    game = GAMES_TO_JUDGE[name]
    found = 0
    for seed in range(4):
        data, review = followed(game, seed, errs=[1])
        adds_up(review)
        own = review.decisions(1)
        assert all(step.cost == 0 for step in review.decisions() if step.seat != 1)
        assert all(step.cost == 0 for step in own[1:])
        if own and own[0].cost:
            found += 1
            (moment,) = review.moments()
            assert moment is own[0] and moment.why and moment.verdict != "right"
            assert moment.move == moment.alternatives[-1].move or len(moment.alternatives) >= 12
        assert fg.verify(data).ok
    assert found


@pytest.mark.parametrize("name", GAMES_TO_JUDGE)
def test_no_alternative_is_better_and_each_has_the_value_of_what_it_leads_to(name: str) -> None:
    game = GAMES_TO_JUDGE[name]
    for seed in range(3):
        data, _ = followed(game, seed, errs=[1, 2])
        lines = read(data)
        table = replay(lines, check_chain(lines))
        judge = judge_of(game)
        judge.prepare(list(follow(table)))
        for what in follow(table):
            if not isinstance(what, Moved) or judge.reveals(what.before):
                continue
            options = judge.options(what.before, what.seat, (what.move,))
            values = [option.values[what.seat] for option in options]
            assert values == sorted(values, reverse=True)
            assert value_of(judge, what.before) == options[0].values
            if len(getattr(game.awaits(what.before), "seats", ())) == 1:
                for option in options:
                    after = game.played(what.before, {what.seat: option.move})
                    assert value_of(judge, after) == option.values


@pytest.mark.parametrize("name", ["dice", "dice with ties", "fatestones, small bag"])
def test_luck_has_the_expectation_zero(name: str) -> None:
    """The value before every draw is the mean of the values after it, over all draws."""
    game = GAMES_TO_JUDGE[name]
    judge = judge_of(game)
    data, _ = followed(game, 7, errs=[1])
    lines = read(data)
    table = replay(lines, check_chain(lines))
    seen = 0
    for what in follow(table):
        if isinstance(what, Drawn) and judge.knows(what.before):
            assert isinstance(game.awaits(what.before), Draw)
            expected = [Fraction(0)] * game.seats
            for after, chance in outcomes(game, what.before, judge):
                for seat, value in enumerate(value_of(judge, after)):
                    expected[seat] += chance * value
            assert tuple(expected) == value_of(judge, what.before)
            seen += 1
    assert seen


def test_the_schema_knows_every_kind_of_step_and_verdict() -> None:
    shapes = schemas.load("review")["properties"]["steps"]["items"]["oneOf"]
    kinds = [kind for shape in shapes for kind in shape["properties"]["kind"]["enum"]]
    assert sorted(kinds) == sorted(get_args(reviewing.Kind))
    assert shapes[1]["properties"]["verdict"]["enum"] == list(get_args(reviewing.Verdict))
    assert schemas.load("review")["properties"]["format"]["const"] == reviewing.FORMAT
