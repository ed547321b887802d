"""The solver of Zombie Dice against brute force over the rules, and against known figures."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairground.core import Draw, InputError, Over
from fairground.fair.bits import SeededStream, SystemStream
from fairground.games.kernels import kernel_for
from fairground.games.zombie.players import Cautious, Greedy, MachineZombie, Optimal
from fairground.games.zombie.rules import EMPTY, HOLD, ROLL, State, Zombie
from fairground.games.zombie.solver import duel, several, tables, turn
from fairground.players import play
from tests.helpers.width import WIDE

SMALL: dict[str, Any] = {
    "weak_dice": 2,
    "strong_dice": 1,
    "tough_dice": 1,
    "weak_die_faces": "bfs",
    "strong_die_faces": "bss",
    "tough_die_faces": "fsss",
}
ONE_KIND: dict[str, Any] = {
    "weak_dice": 3,
    "strong_dice": 0,
    "tough_dice": 0,
    "weak_die_faces": "bfss",
}
ROUNDS = {**ONE_KIND, "weak_die_faces": "bss"}
STUCK: dict[str, Any] = {
    "weak_dice": 2,
    "strong_dice": 3,
    "tough_dice": 3,
    "weak_die_faces": "bbs",
    "strong_die_faces": "ff",
    "tough_die_faces": "s",
}
"""Three dice with nothing but footprints can fill the cells: no roll changes anything then."""


def make(**params: Any) -> Zombie:
    return Zombie.from_params(params)


def race_to(goal: int) -> Zombie:
    return make(**ONE_KIND, brains_to_win=goal)


# The twin: the graph of the rules themselves, draw by draw, and plain iteration. It knows
# nothing of shapes, layers, closed forms or secants.

Choice = Callable[[State], bool | None]
"""Whether to roll; None: whichever is better for the seat in turn."""


def explore(
    game: Zombie, begin: State, normal: Callable[[State], State], most: int
) -> dict[State, list[State]]:
    """All positions and what follows them; a lead of ``most`` is held, for it is safe enough."""
    after: dict[State, list[State]] = {}
    waiting = [begin]
    while waiting:
        s = waiting.pop()
        if s in after:
            continue
        awaits = game.awaits(s)
        if isinstance(awaits, Draw):
            after[s] = [normal(game.drawn(s, value)) for value in range(awaits.n)]
        elif isinstance(awaits, Over) or s.last is not None:
            after[s] = []
        else:
            (seat,) = awaits.seats
            safe = s.scores[seat] + s.brains >= s.scores[1 - seat] + most
            moves = [ROLL] if not s.rolls else [HOLD] if safe else [ROLL, HOLD]
            after[s] = [normal(game.played(s, {seat: move})) for move in moves]
        waiting += after[s]
    return after


def iterate(
    after: dict[State, list[State]],
    worth: Callable[[State], float],
    choice: Choice,
    guess: float = 0.0,
) -> dict[State, float]:
    """Values by plain iteration until nothing moves; seat 0 wants much, seat 1 little."""
    number = {s: i for i, s in enumerate(after)}
    values = [guess if after[s] else worth(s) for s in after]
    steps: list[tuple[int, Callable[[list[float]], float], list[int]]] = []
    for s in reversed(after):
        options = [number[x] for x in after[s]]
        if s.phase != "decide":
            steps.append((number[s], mean, options))
        elif len(options) == 1 or (rolls := choice(s)) is None:
            steps.append((number[s], max if s.playing[s.at] == 0 else min, options))
        else:
            steps.append((number[s], max, options[:1] if rolls else options[1:]))
    steps = [step for step in steps if step[2]]
    moved = 1.0
    while moved > 1e-13:
        moved = 0.0
        for i, rule, options in steps:
            value = rule([values[x] for x in options])
            moved = max(moved, abs(value - values[i]))
            values[i] = value
    return dict(zip(after, values, strict=True))


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def one_turn(
    game: Zombie, choice: Choice, worth: Callable[[State], float], most: int = 20
) -> float:
    """What a turn is worth, by brute force; ``worth`` sees its end in ``State.last``."""
    begin = game.start()._replace(phase="decide", unsettled=0)

    def normal(s: State) -> State:
        if s.last is not None:
            return begin._replace(last=s.last._replace(rolled=EMPTY))
        return s._replace(rolled=EMPTY, rolls=min(s.rolls, 1))

    return iterate(explore(game, begin, normal, most), worth, choice)[begin]


@lru_cache
def whole_game(goal: int, rounds: int) -> tuple[dict[State, list[State]], dict[State, float]]:
    """The chance of seat 0 in all positions when both play to win and seat 0 begins."""
    game, most = (make(**ROUNDS, max_turns=rounds), 9) if rounds else (race_to(goal), 5)
    begin = game.start()._replace(phase="decide", unsettled=0)

    def normal(s: State) -> State:
        if s.phase == "over":
            return begin._replace(phase="over", playing=s.playing)
        level = min(s.scores) if s.extra or game.max_turns else 0
        return s._replace(
            scores=(s.scores[0] - level, s.scores[1] - level),
            turns=(0, 0),
            round=s.round if game.max_turns and not s.extra else 1,
            extra=min(s.extra, 1),
            rolled=EMPTY,
            rolls=min(s.rolls, 1),
            last=None,
        )

    after = explore(game, begin, normal, most)
    return after, iterate(after, lambda s: float(s.playing == (0,)), lambda s: None, 0.5)


def scored(s: State) -> float:
    assert s.last is not None
    return float(s.last.scored)


def was_shot(s: State) -> float:
    assert s.last is not None
    return float(s.last.how == "shot")


def test_the_first_roll_has_the_known_chances() -> None:
    assert turn.first_roll(make()) == (Fraction(94, 3861), Fraction(29, 26))


def test_the_default_turn_has_the_known_values() -> None:
    found = turn.turns(make())
    greedy = found.follow(found.greedy)
    assert f"{greedy.brains:.10f}" == "2.2591498606"
    cautious = found.follow(found.cautious)
    assert f"{cautious.brains:.14f}".startswith("2.073051766774")
    assert found.left_out < 1e-12


@pytest.mark.parametrize("params", [ONE_KIND, {**SMALL, "tough_die_faces": "bs"}, STUCK])
def test_a_turn_is_worth_what_brute_force_finds(params: dict[str, Any]) -> None:
    game = make(**params)
    found = turn.turns(game)
    greedy = found.follow(found.greedy)
    assert greedy.brains == pytest.approx(one_turn(game, lambda s: None, scored), abs=1e-9)

    def wary(s: State) -> bool:
        stuck = all(die and set(game.faces[die.colour]) == {"f"} for die in s.cells)
        return sum(s.shotgun_dice) < 2 and not stuck

    # With a table of six rows a turn is held at six brains; so does the twin.
    cautious = found.follow(found.cautious[:6])
    assert cautious.brains == pytest.approx(one_turn(game, wary, scored, 6), abs=1e-11)
    assert cautious.bust == pytest.approx(one_turn(game, wary, was_shot, 6), abs=1e-11)


@pytest.mark.parametrize("goal", [1, 3] if WIDE else [3])
def test_the_game_of_two_is_worth_what_brute_force_finds(goal: int) -> None:
    solved = duel.solve(race_to(goal))
    _, twin = whole_game(goal, 0)
    for s, value in twin.items():
        if s.phase != "decide" or s.rolls or s.at or s.extra:
            continue
        mine, other = s.scores
        assert solved.rounds[0, mine, other, 0] == pytest.approx(value, abs=1e-9)
    level = next(v for s, v in twin.items() if s.extra and s.at == s.rolls == 0)
    assert solved.ties[2, 0] == pytest.approx(level, abs=1e-9)
    assert duel.first_player_wins(solved) == solved.rounds[0, 0, 0, 0]


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_game_of_some_rounds_is_worth_what_brute_force_finds(rounds: int) -> None:
    game = make(**ROUNDS, max_turns=rounds)
    _, twin = whole_game(13, rounds)
    begin = next(s for s in twin if s.phase == "decide" and s.round == 1 and not s.extra)
    found = duel.first_player_wins(duel.solve(game))
    assert found == pytest.approx(twin[begin], abs=1e-9)


@pytest.mark.parametrize(("goal", "rounds"), [(3, 0), (13, 2)])
def test_the_perfect_player_never_gives_a_chance_away(goal: int, rounds: int) -> None:
    game = make(**ROUNDS, max_turns=rounds) if rounds else race_to(goal)
    found, solved = turn.turns(game), duel.solve(game)
    after, twin = whole_game(goal, rounds)
    rolled = held = 0
    for s in after:
        if s.phase != "decide" or len(after[s]) < 2:
            continue
        seat = s.playing[s.at]
        choice = duel.optimal(game, solved, duel.situation(game, s, seat))
        rolls = s.brains < len(choice) and bool(choice[s.brains, found.shape_of(s)])
        rolled, held = rolled + rolls, held + (not rolls)
        best = twin[s] if seat == 0 else 1 - twin[s]
        got = twin[after[s][0 if rolls else 1]]
        assert (got if seat == 0 else 1 - got) == pytest.approx(best, abs=1e-9)
    assert min(rolled, held) > 20


def test_the_default_duel_keeps_its_value() -> None:
    steps: list[float] = []
    game = make(brains_to_win=4)
    solved = duel.solve(game, steps.append)
    assert 0 < duel.first_player_wins(solved) < 0.5
    assert steps == sorted(steps)
    assert steps[-1] == 1.0


def players_win(kinds: list[type[MachineZombie]], games: int, **params: Any) -> tuple[int, int]:
    """How often the first seat wins, and how often whoever began."""
    game = make(players=len(kinds), **params)
    players = [kind(game, SystemStream()) for kind in kinds]
    won = began = 0
    for number in range(games):
        *_, s = play(game, players, SeededStream("players", number))
        won += s.playing[0] == 0
        began += s.playing[0] == s.order[0]
    return won, began


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


def test_perfect_players_win_as_often_as_computed() -> None:
    games = 1500
    _, began = players_win([Optimal, Optimal], games, **ONE_KIND, brains_to_win=3)
    share = duel.first_player_wins(duel.solve(race_to(3)))
    assert abs(began - share * games) < 4 * (games * share * (1 - share)) ** 0.5


@pytest.mark.parametrize("kind", [Cautious, Greedy, Optimal])
def test_without_risk_machines_hold_once_they_would_win(kind: type[MachineZombie]) -> None:
    won, began = players_win([kind, kind], 20, weak_die_faces="bbf", strong_dice=0, tough_dice=2)
    assert began == 0  # whoever comes second always passes the first
    assert 0 < won < 20


def test_machines_hold_where_a_roll_can_change_nothing() -> None:
    won, _ = players_win([Cautious, Greedy], 50, **STUCK, brains_to_win=2)
    assert 0 < won < 50


def test_the_rival_is_the_strongest_still_in_and_better_one_who_can_answer() -> None:
    game = make(players=3)
    s = game.start()._replace(phase="decide", playing=(2, 0, 1), at=1, scores=(4, 7, 7))
    assert duel.situation(game, s, 0) == several.Among(0, (4, 7), False)
    s = s._replace(scores=(4, 7, 9))
    assert duel.situation(game, s, 0) == several.Among(1, (9, 4), False)
    rounds = make(players=3, max_turns=5)
    assert duel.situation(rounds, s._replace(round=2), 0).rounds == 4
    assert duel.situation(rounds, s._replace(round=7, extra=2), 0).rounds == 0


def test_simulated_turns_bring_what_was_computed() -> None:
    found = turn.turns(make())
    for name, table in (("greedy", found.greedy), ("cautious", found.cautious)):
        exact = found.follow(table)
        kernel = kernel_for(make(max_turns=8), (name, name), "turns")
        assert kernel is not None
        scores, taken, shot = np.split(kernel.play(0, 20_000).facts[:, 1:], 3, axis=1)
        turns = taken.sum()
        assert abs(scores.sum() / turns - exact.brains) < 4 * 2.5 / turns**0.5
        assert abs(shot.sum() / turns - exact.bust) < 4 * 0.5 / turns**0.5


def test_decision_rows_say_what_the_table_says() -> None:
    found = turn.turns(make())
    choice = found.greedy
    rows = {(row.shotguns, row.footprints): row for row in turn.decisions(found, choice)}
    for shape in range(found.shapes - 1):
        brain_dice, shotguns, footprints = found.piles(shape)
        assert found.shape(brain_dice, shotguns, footprints) == shape
        row, brains = rows[shotguns, footprints], sum(brain_dice)
        rolls = brains < row.roll_below or brain_dice in row.roll_with
        # Shapes that occur only after brain dice went back have more brains than dice.
        if turn._occurs(found, brains, shape):
            assert rolls == bool(choice[brains, shape])
        assert brains < row.hold_from or not rolls
    two_shots = rows[(2, 0, 0), (3, 0, 0)]
    assert two_shots == turn.Threshold((2, 0, 0), (3, 0, 0), 3, 3, ())


def test_the_report_has_the_promised_fields(tmp_path: Path) -> None:
    report = duel.report(race_to(2))
    assert set(report["strategies"]) == {"greedy", "cautious"}
    assert len(report["first_player_wins"].partition(".")[2]) >= 12
    assert report["decisions"][0].keys() >= {"shotguns", "footprints", "roll_below", "hold_from"}
    assert report["first_roll"]["bust"] == "1/8"


def test_tables_are_kept_and_a_damaged_file_is_computed_again(tmp_path: Path) -> None:
    game = race_to(2)
    told: list[float] = []
    solved = duel.load_or_compute(game, told.append, tmp_path)
    assert told
    (path,) = tmp_path.iterdir()
    assert path == tables.cache_path(game, 2, tmp_path)
    told.clear()
    again = duel.load_or_compute(game, told.append, tmp_path)
    assert not told
    assert again.ties[2, 0] == solved.ties[2, 0]
    assert (again.rounds == solved.rounds).all()
    whole = path.read_bytes()
    for damaged in (b"", whole[:-1], whole[:40] + bytes([whole[40] ^ 1]) + whole[41:]):
        path.write_bytes(damaged)
        told.clear()
        assert duel.load_or_compute(game, told.append, tmp_path).ties[2, 0] == solved.ties[2, 0]
        assert told
        assert path.read_bytes() == whole


def test_tables_of_other_configurations_are_kept_apart(tmp_path: Path) -> None:
    paths = {
        tables.cache_path(make(**{**ONE_KIND, **more}), 2, tmp_path)
        for more in ({}, {"brains_to_win": 2}, {"max_turns": 2}, {"weak_die_faces": "bbfs"})
    }
    assert len(paths) == 4
    four = make(**{**ONE_KIND, "players": 4})
    assert tables.cache_path(four, 2, tmp_path) == tables.cache_path(make(**ONE_KIND), 2, tmp_path)


class OtherZombie(Zombie):
    """Other rules under a new version: one shotgun ends a turn."""

    name = "zombie/99"


def test_a_version_with_other_rules_never_gets_the_tables_of_this_one(tmp_path: Path) -> None:
    params = race_to(2).params()
    duel.load_or_compute(Zombie.from_params(params), folder=tmp_path)
    later = OtherZombie.from_params(params)
    for solve in (lambda: duel.load_or_compute(later, folder=tmp_path), lambda: turn.turns(later)):
        with pytest.raises(turn.OtherRules, match="not for zombie/99"):
            solve()
    assert [path.name for path in tmp_path.iterdir()] == [
        tables.cache_path(race_to(2), 2, tmp_path).name
    ]


def test_the_tables_of_the_usual_game_are_shipped() -> None:
    assert several.ready(Zombie.from_params({}), 3) is not None


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    game = race_to(2)
    assert duel.load_or_compute(game, folder=tmp_path / "file" / "folder").ties[2, 0] > 0


@pytest.mark.parametrize(
    ("params", "error", "reason"),
    [
        ({"weak_die_faces": "bf", "strong_die_faces": "bf", "tough_dice": 2}, turn.NoRisk, "three"),
        ({"weak_dice": 200, "strong_dice": 200, "tough_dice": 200}, turn.TooMuchWork, "600 dice"),
        (
            {**ONE_KIND, "weak_dice": 30, "weak_die_faces": "b" * 999 + "s"},
            turn.TooMuchWork,
            "long",
        ),
        ({"brains_to_win": 5000}, turn.TooMuchWork, "5000 brains"),
        ({"max_turns": 5000}, turn.TooMuchWork, "5000 rounds"),
    ],
)
def test_what_cannot_be_solved_is_refused_with_the_reason(
    params: dict[str, Any], error: type[InputError], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        duel.solve(make(**params))
