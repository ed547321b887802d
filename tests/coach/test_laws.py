"""What holds of every review, whatever the game and whoever plays."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest

import fairground as fg
from fairground import schemas
from fairground.coach import review as reviews
from fairground.coach.judging import NOISE, Judge, NoJudge, Values, judge_of, value_of
from fairground.coach.report import as_json
from fairground.coach.review import Review, review_of
from fairground.core import Draw, Game, Move, Seat
from fairground.games import GAMES, make_game
from fairground.games.codebreaking.rules import NO_CODE, STAKE, marks
from fairground.players import Player, offered
from fairground.verifier import replay
from tests.helpers.coached import followed, outcomes
from tests.helpers.places import ROOT
from tests.helpers.width import WIDE

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
    "zombie, four": make_game("zombie/2", {"players": 4}),
    "fair codes": make_game("codebreaking/1", {"base": 4, "length": 3}),
    "evil codes": make_game("codebreaking/1", {"base": 4, "length": 3, "oracle": "evil"}),
}


def same(judge: Judge[Any], a: Values, b: Values) -> bool:
    """Equal; up to rounding where the solver computes with floating point numbers."""
    noise = 0 if judge.basis.exact else NOISE
    return all(abs(x - y) <= noise for x, y in zip(a, b, strict=True))


def seeds(name: str, many: int) -> range:
    """Games of Zombie Dice are long: one says as much as several of another game."""
    return range(1 if name in ("zombie, two", "zombie, three", "zombie, four") else many)


def adds_up(review: Review) -> None:
    for seat in review.seats:
        assert seat.start + seat.luck - seat.cost + seat.given + seat.model == seat.now
        assert seat.result in (None, seat.now)
    values = review.start
    for step in review.steps:
        values = tuple(a + b for a, b in zip(values, step.change, strict=True))
        assert values == step.values


def test_every_game_of_the_register_has_a_judge() -> None:
    assert all(listing.judge for listing in GAMES.listed.values())


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
    for seed in seeds(name, 4 if WIDE else 2):
        _, review = followed(GAMES_TO_JUDGE[name], seed)
        adds_up(review)
        assert all(seat.cost == 0 and seat.mistakes == 0 for seat in review.seats)


def offers() -> Iterator[tuple[str, Seat, str]]:
    """Every player in every seat that it can play, of a game of each kind."""
    for name in ("dice with ties", "fatestones", "poker", "zombie, rounds", "fair codes"):
        game = GAMES_TO_JUDGE[name]
        for seat in range(game.seats):
            for player in offered(game, seat):
                if WIDE or player != "annealing":  # which compiles its search first
                    yield name, seat, player


ARGUMENTS = {"mcts": "mcts:20"}


@pytest.mark.parametrize(("name", "seat", "player"), list(offers()))
def test_the_laws_hold_whoever_plays(name: str, seat: Seat, player: str) -> None:
    game = GAMES_TO_JUDGE[name]
    others = ["fair" if game.name == "codebreaking/1" and one == 0 else "random"
              for one in range(game.seats)]  # fmt: skip
    if "codebreaking" in game.name and seat == 0:
        others[1] = "entropy"
    seats = [ARGUMENTS.get(player, player) if one == seat else others[one]
             for one in range(game.seats)]  # fmt: skip
    table = fg.open(game, seats=seats, seed="whoever").play()
    review = review_of(bytes(table))
    adds_up(review)
    assert review.finished
    assert all(step.cost >= 0 for step in review.steps)
    if review.judge.basis.exact:
        assert all(seat.model == 0 for seat in review.seats)
    for step in review.decisions():
        costs = [other.cost for other in step.alternatives]
        assert costs == sorted(costs) and costs[0] == 0
        (made,) = [other for other in step.alternatives if other.move == step.move]
        assert made.cost == step.cost
    if offered(game, seat)[player].exact and review.judge.basis.exact:
        assert review.seats[seat].cost == 0, "perfect play gives nothing away"


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


class KeepsItBack(Player):
    """A keeper who admits a lie that was none."""

    def choose(self, game: Any, view: Any, seat: Seat) -> Move:
        if view.phase == "show":
            return NO_CODE
        return marks(view.asked if game.oracle == "nice" else (3, 2), view.asked)


@pytest.mark.parametrize("oracle", ["nice", "evil"])
def test_a_keeper_who_shows_no_code_although_one_fits_gives_the_game_away(oracle: str) -> None:
    table = fg.open(
        "codebreaking", base=4, length=2, oracle=oracle, seats=[KeepsItBack(), "entropy"], seed="k"
    )
    review = review_of(bytes(table.play()))
    adds_up(review)
    assert all(seat.model == 0 for seat in review.seats)
    last = review.moments(0)[0]
    assert last.cost > STAKE and last.verdict == "blunder"
    assert last.why.endswith("fits all answers: to show it was enough.")


@pytest.mark.parametrize("name", GAMES_TO_JUDGE)
def test_no_alternative_is_better_and_each_has_the_value_of_what_it_leads_to(name: str) -> None:
    game = GAMES_TO_JUDGE[name]
    for seed in seeds(name, 3 if WIDE else 1):
        data, _ = followed(game, seed, errs=[1, 2])
        table = replay(data)
        judge = judge_of(game)
        moved = [what for what in table.history if what.kind == "move"]
        for what in moved[-14:]:
            if judge.reveals(what.before):
                continue
            options = judge.options(what.before, what.seat, (what.value,))
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
    table = replay(data)
    seen = 0
    for what in table.history:
        if what.kind == "draw" and judge.knows(what.before):
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
    assert sorted(kinds) == sorted(get_args(reviews.Kind))
    assert shapes[1]["properties"]["verdict"]["enum"] == list(get_args(reviews.Verdict))
    assert schemas.load("review")["properties"]["format"]["const"] == reviews.FORMAT


FIRST_TIME = """
import sys
from pathlib import Path
from time import process_time
from fairground.coach.judging import advise
from fairground.coach.review import review_of
from fairground.verifier import replay

for path in map(Path, sys.argv[1:]):
    began = process_time()
    table = replay(path.read_bytes())
    assert review_of(path.read_bytes()).finished
    took = process_time() - began
    assert took < 2.0, f"{path}: {took}"  # less than one where nothing else runs
    for what in table.history:
        if what.kind == "move":
            view = table.game.view(what.before, what.seat)
            advise(table.game, view, what.seat, [chair.name for chair in table.setting.chairs])
assert "numba" not in sys.modules
"""


def test_the_usual_games_are_judged_at_once_also_the_first_time(tmp_path: Path) -> None:
    """Nothing is compiled, which would take many seconds after an install."""
    games = [GAMES_TO_JUDGE[name] for name in ("dice", "fatestones", "poker", "zombie, two")]
    games += [GAMES_TO_JUDGE["zombie, three"], GAMES_TO_JUDGE["zombie, four"]]
    games += [make_game("zombie/2", {"players": 5})]
    games += [make_game("codebreaking/1", {"oracle": oracle}) for oracle in ("fair", "evil")]
    paths = [tmp_path / f"{at}.jsonl" for at in range(len(games))]
    for path, game in zip(paths, games, strict=True):
        path.write_bytes(followed(game, 1, errs=[1])[0])
    subprocess.run([sys.executable, "-c", FIRST_TIME, *map(str, paths)], check=True)
