"""Simulation: reproducible, cut anywhere, resumed without damage, kernel equal to rules."""

from __future__ import annotations

import json
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairground.core import BadParams, Fault, InputError, UnknownName
from fairground.fair.bits import SeededStream, seeded_key
from fairground.games.fatestones import all_dice, fair_dice
from fairground.lab.fatestones import simulation as lab
from fairground.lab.fatestones.rows import HEADER, read_cells, report, row_of
from fairground.lab.fatestones.simulation import (
    Plan,
    episode,
    kernel_chunk,
    play_game,
    rounds,
    simulate,
)
from fairground.solve.fatestones import simulation as kernel

RANDOM = Plan(40, ("random", "random"), "a seed")


def by_rules(plan: Plan) -> list[str]:
    game = lab.game_of(plan)
    return [
        row_of(played)
        for number in range(plan.games)
        for played in rounds(game, plan.players, plan.seed, number)
    ]


@pytest.mark.parametrize("players", [("random", "random"), ("greedy", "random"), ("greedy",) * 2])
@pytest.mark.parametrize(
    "dice",
    [None, ("111111", "111112") * 3, tuple(all_dice()), tuple(all_dice())[:257], ("123456",) * 6],
    ids=["fair", "six", "all", "257", "equal"],
)
def test_kernel_and_rules_play_the_same_games(players: Any, dice: Any) -> None:
    plan = Plan(60, players, "kernel", dice)
    rows = kernel_chunk(plan, 0, 60, check=0).text.decode().splitlines()
    assert rows == by_rules(plan)


def test_draws_abreast_are_below_for_each_game() -> None:
    size = kernel.BATCH
    block = np.zeros((2, size), dtype=np.uint64)
    for n in (2, 3, 6, 27, 29, 31, 32, 200, 255, 256):
        kernel.first_blocks(n, 0, np.array(seeded_key("abreast"), dtype=np.uint64), block)
        at, out, doubt = (np.zeros(size, dtype=np.uint64) for _ in range(3))
        for _ in range(3):
            kernel.draw_abreast(n, size, (block, at), out, doubt)
        for g in range(size):
            chance = SeededStream("abreast", n + g)
            wanted = [chance.below(n) for _ in range(3)]
            assert doubt[g] or out[g] == wanted[-1]
        assert doubt.sum() < size / 2


def test_a_kernel_that_disagrees_with_the_rules_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(*args: Any) -> Any:
        yield from list(rounds(*args))[:-1]

    monkeypatch.setattr(lab, "rounds", other)
    with pytest.raises(Fault, match="disagree on game"):
        kernel_chunk(RANDOM, 0, 40)


def test_the_rows_do_not_depend_on_the_chunks(tmp_path: Path, monkeypatch: Any) -> None:
    wanted = "".join(f"{row}\n" for row in by_rules(RANDOM))
    for size in (7, 40, 1000):
        monkeypatch.setattr(lab, "KERNEL_CHUNK", size)
        out = tmp_path / f"{size}.csv"
        steps: list[tuple[int, int]] = []

        def note(done: int, of: int, steps: list[tuple[int, int]] = steps) -> None:
            steps.append((done, of))

        found = simulate(RANDOM, out, progress=note)
        assert out.read_text() == wanted
        assert found == (40, wanted.count("\n"), 0)
        assert steps == [(done, 40) for done in [*range(0, 40, size), 40]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1000.csv", "40.csv", "7.csv"]


def test_without_numba_the_rows_are_the_same(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(lab, "find_spec", lambda name: None)
    simulate(RANDOM, tmp_path / "rules.csv", header=True)
    lines = (tmp_path / "rules.csv").read_text().splitlines()
    assert lines == [HEADER, *by_rules(RANDOM)]


def test_thinking_players_are_spread_over_an_executor(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(lab, "CHUNK_SECONDS", 0.0)
    monkeypatch.setattr(lab, "PROBE", 0.0)
    plan = Plan(20, ("mcts:5", "optimal"), "think")
    with ThreadPoolExecutor(3) as pool:
        simulate(plan, tmp_path / "pool.csv", executor=pool)
    assert (tmp_path / "pool.csv").read_text().splitlines() == by_rules(plan)


def test_processes_are_the_default(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(lab, "WORTH_WORKERS", 0.0)
    monkeypatch.setattr(lab, "PROBE", 0.0)
    monkeypatch.setattr(lab, "find_spec", lambda name: None)
    found = simulate(RANDOM, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines() == by_rules(RANDOM)
    assert found.games == 40


def test_changing_a_player_does_not_change_the_deal() -> None:
    for number in range(5):
        deals = {
            next(play_game(Plan(9, (spec, "greedy"), "s"), number)).hands
            for spec in ("random", "greedy", "optimal", "mcts:3")
        }
        assert len(deals) == 1


def test_any_single_game_can_be_had_alone(tmp_path: Path) -> None:
    simulate(RANDOM, tmp_path / "all.csv")
    rows = (tmp_path / "all.csv").read_text().splitlines()
    alone = [
        row_of(played) for n in (*range(20), *range(20, 40)) for played in play_game(RANDOM, n)
    ]
    assert alone == rows
    with pytest.raises(InputError, match="game 40 is not among"):
        play_game(RANDOM, 40)


def test_the_report_agrees_with_the_plan(tmp_path: Path) -> None:
    plan = Plan(300, ("optimal", "greedy"), "cost")
    with ThreadPoolExecutor(1) as pool:
        simulate(plan, tmp_path / "o.csv", header=True, executor=pool)
    found = report(read_cells(tmp_path / "o.csv"))
    assert (found.games, found.illegal) == (300, ())
    assert found.loss_player1.average == 0.0, "perfect play never picks a die that costs"
    assert found.loss_player2.average > 0.0


def test_parquet_holds_the_same_rows(tmp_path: Path) -> None:
    simulate(RANDOM, tmp_path / "rows.csv")
    simulate(RANDOM, tmp_path / "rows.parquet", header=True)
    assert list(read_cells(tmp_path / "rows.parquet")) == list(read_cells(tmp_path / "rows.csv"))
    assert len(list(tmp_path.iterdir())) == 2


class Failing(Executor):
    """Does the work at once, until it is told to fail."""

    def __init__(self, after: int) -> None:
        self.after = after

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.after == 0:
            future.set_exception(KeyboardInterrupt())
        else:
            self.after -= 1
            future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
@pytest.mark.parametrize("damage", ["none", "longer", "torn note", "lost rows", "no notes"])
def test_an_interrupted_run_is_resumed(
    name: str, damage: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(lab, "KERNEL_CHUNK", 10)
    whole, out = tmp_path / f"whole-{name}", tmp_path / name
    simulate(RANDOM, whole, header=True)
    with pytest.raises(KeyboardInterrupt):
        simulate(RANDOM, out, header=True, executor=Failing(2))
    assert not out.exists()
    part, notes = tmp_path / f"{name}.part", tmp_path / f"{name}.journal"
    resumed = 20
    if damage == "longer":
        part.write_bytes(part.read_bytes() + b"133356,1144")
    elif damage == "torn note":
        notes.write_text(notes.read_text() + '{"games": 30, "ro')
    elif damage == "lost rows":
        first = json.loads(notes.read_text().splitlines()[1])["bytes"]
        part.write_bytes(part.read_bytes()[: first + 3])
        resumed = 10
    elif damage == "no notes":
        notes.write_text(notes.read_text().splitlines()[0] + "\n")
        resumed = 0
    found = simulate(RANDOM, out, header=True)
    assert found.resumed == resumed
    assert found.rows == len(by_rules(RANDOM))
    assert out.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([whole.name, name])


def test_other_arguments_do_not_resume(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with pytest.raises(KeyboardInterrupt):
        simulate(RANDOM, out, executor=Failing(0))
    for other in (RANDOM._replace(seed="other"), RANDOM._replace(games=41)):
        with pytest.raises(InputError, match="other arguments"):
            simulate(other, out)
    (tmp_path / "out.csv.journal").write_text("{")
    simulate(RANDOM, out)
    assert out.read_text().splitlines() == by_rules(RANDOM)


def test_plans_that_cannot_be_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    for plan, error in (
        (RANDOM._replace(games=0), BadParams),
        (RANDOM._replace(players=("random", "nobody")), UnknownName),
        (RANDOM._replace(players=("random", "mcts:no")), InputError),
        (RANDOM._replace(dice=("123456",)), BadParams),
        (RANDOM._replace(players=("random",)), InputError),  # type: ignore[arg-type]
    ):
        with pytest.raises(error):
            simulate(plan, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_episode_is_one_choice_and_one_roll() -> None:
    fair = fair_dice()
    mine, theirs = fair[:3], fair[3:6]
    found = episode(mine, theirs, ("greedy", "mcts:20"), "seed")
    assert found == episode(mine, theirs, ("greedy", "mcts:20"), "seed")
    assert found.row.split(",")[:6] == [*mine, *theirs]
    assert str(found.played.rolls[0]) in found.played.dice[0]
    assert found.row.split(",")[6:] == [str(n) for n in (*found.played.picks, *found.played.rolls)]
    made_up = episode(mine, theirs)
    assert made_up == episode(mine, theirs, seed=made_up.seed)
    with pytest.raises(InputError, match="two players"):
        episode(mine, theirs, ("random",))
