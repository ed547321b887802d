"""What holds of every review, whatever the game and whoever plays."""

from __future__ import annotations

import json
from fractions import Fraction
from time import process_time
from typing import Any, get_args

import jsonschema_rs
import pytest

import fairground as fg
from fairground import schemas
from fairground.coach import reviewing
from fairground.coach.judging import JUDGES, NOISE, Judge, NoJudge, Values, judge_of, value_of
from fairground.coach.reviewing import Review
from fairground.coach.shape import as_json
from fairground.coach.sources import review_of
from fairground.core import Draw, Game
from fairground.course import Drawn, Moved, follow
from fairground.games import GAMES, make_game
from fairground.replay import replay
from fairground.transcript import check_chain, read
from tests.helpers.coached import followed, outcomes
from tests.helpers.places import ROOT

SHAPE = jsonschema_rs.validator_for(schemas.load("review"))
RECORDS = [
    path
    for path in sorted(ROOT.glob("tests/playthroughs/*.jsonl"))
    if not path.stem.startswith("zombie")  # their bag can never bust: see below
]

SMALL_ZOMBIES = {"weak_dice": 2, "strong_dice": 1, "tough_dice": 2, "brains_to_win": 3}

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
    "zombie, two": make_game("zombie/2", {}),
    "zombie, rounds": make_game("zombie/2", SMALL_ZOMBIES | {"max_turns": 2}),
    "zombie, three": make_game("zombie/2", {"players": 3}),
    "fair codes": make_game("codebreaking/1", {"base": 4, "length": 3}),
    "evil codes": make_game("codebreaking/1", {"base": 4, "length": 3, "oracle": "evil"}),
}


def same(judge: Judge[Any], a: Values, b: Values) -> bool:
    """Equal; up to rounding where the solver computes with floating point numbers."""
    noise = 0 if judge.basis.exact else NOISE
    return all(abs(x - y) <= noise for x, y in zip(a, b, strict=True))


def seeds(name: str, many: int) -> range:
    """Games of Zombie Dice are long: one says as much as several of another game."""
    return range(1 if name in ("zombie, two", "zombie, three") else many)


def adds_up(review: Review) -> None:
    for seat in review.seats:
        assert seat.start + seat.luck - seat.cost + seat.given + seat.model == seat.now
        assert seat.result in (None, seat.now)
    values = review.start
    for step in review.steps:
        values = tuple(a + b for a, b in zip(values, step.change, strict=True))
        assert values == step.values


def test_every_game_of_the_register_has_a_judge() -> None:
    assert set(JUDGES) == set(GAMES.listed)


def test_a_bag_in_which_turns_need_never_end_is_not_judged() -> None:
    path = ROOT / "tests/playthroughs/zombie-2-duel--seeded-tape.jsonl"
    with pytest.raises(NoJudge, match="fewer than three dice"):
        review_of(path.read_bytes())


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_golden_record_is_judged(path: Any) -> None:
    review = review_of(path.read_bytes())
    adds_up(review)
    SHAPE.validate(json.loads(json.dumps(as_json(review))))
    assert review.finished
    assert all(step.cost >= 0 for step in review.steps)


@pytest.mark.parametrize("name", GAMES_TO_JUDGE)
def test_who_follows_the_coach_gives_nothing_away(name: str) -> None:
    for seed in seeds(name, 4):
        _, review = followed(GAMES_TO_JUDGE[name], seed)
        adds_up(review)
        assert all(seat.cost == 0 and seat.mistakes == 0 for seat in review.seats)


@pytest.mark.parametrize("name", GAMES_TO_JUDGE)
def test_planted_blunders_are_found_and_only_they(name: str) -> None:
    game = GAMES_TO_JUDGE[name]
    found = 0
    for seed in seeds(name, 4):
        data, review = followed(game, seed, errs=[1])
        adds_up(review)
        own = review.decisions(1)
        assert all(step.cost == 0 for step in review.decisions() if step.seat != 1)
        assert all(step.cost == 0 for step in own[1:])
        if own and own[0].cost:
            found += 1
            (moment,) = review.moments()
            assert moment is own[0] and moment.why and moment.verdict != "right"
            assert moment.move in [other.move for other in moment.alternatives]
        assert fg.verify(data).ok
    assert found


@pytest.mark.parametrize("name", GAMES_TO_JUDGE)
def test_no_alternative_is_better_and_each_has_the_value_of_what_it_leads_to(name: str) -> None:
    game = GAMES_TO_JUDGE[name]
    for seed in seeds(name, 3):
        data, _ = followed(game, seed, errs=[1, 2])
        lines = read(data)
        table = replay(lines, check_chain(lines))
        judge = judge_of(game)
        judge.prepare(list(follow(table)))
        moved = [what for what in follow(table) if isinstance(what, Moved)]
        for what in moved[-14:]:
            if judge.reveals(what.before):
                continue
            options = judge.options(what.before, what.seat, (what.move,))
            values = [option.values[what.seat] for option in options]
            assert values == sorted(values, reverse=True)
            assert same(judge, value_of(judge, what.before), options[0].values)
            if len(getattr(game.awaits(what.before), "seats", ())) == 1:
                for option in options:
                    after = game.played(what.before, {what.seat: option.move})
                    assert same(judge, value_of(judge, after), option.values)


@pytest.mark.parametrize(
    "name", ["dice", "dice with ties", "fatestones, small bag", "zombie, rounds", "fair codes"]
)
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
            assert same(judge, tuple(expected), value_of(judge, what.before))
            seen += 1
    assert seen


def test_the_schema_knows_every_kind_of_step_and_verdict() -> None:
    shapes = schemas.load("review")["properties"]["steps"]["items"]["oneOf"]
    kinds = [kind for shape in shapes for kind in shape["properties"]["kind"]["enum"]]
    assert sorted(kinds) == sorted(get_args(reviewing.Kind))
    assert shapes[1]["properties"]["verdict"]["enum"] == list(get_args(reviewing.Verdict))
    assert schemas.load("review")["properties"]["format"]["const"] == reviewing.FORMAT


@pytest.mark.parametrize("name", GAMES_TO_JUDGE)
def test_a_review_takes_less_than_a_second_once_its_judge_has_started(name: str) -> None:
    warm, data = (followed(GAMES_TO_JUDGE[name], seed, errs=[1])[0] for seed in (1, 2))
    review_of(warm)
    began = process_time()
    review_of(data)
    assert process_time() - began < 1.0
