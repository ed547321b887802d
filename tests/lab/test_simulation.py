"""Simulation: reproducible, cut anywhere, resumed without damage, kernels equal to rules."""

from __future__ import annotations

import json
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from fairground.core import BadParams, InputError, UnknownName
from fairground.games import make_game
from fairground.games.fatestones.rows import HEADER, episode, read_cells, report
from fairground.games.fatestones.rules import FateStones, fair_dice
from fairground.lab import simulation as lab
from fairground.lab.plans import MANY, Plan, payoff_of, plan_of, states_of, transcript_of
from fairground.lab.rows import schema_of
from fairground.lab.simulation import kernel_chunk, rules_chunk, simulate
from fairground.verifier import verify

ONE_DEAL = FateStones(scratch="end")
RANDOM = plan_of(ONE_DEAL, ("random", "random"), "a seed", 40)
BESIDE = ("", ".README.md", ".card.json")


def by_rules(plan: Plan) -> list[str]:
    schema = schema_of(plan)
    games = (list(states_of(plan, number)) for number in range(plan.games))
    return [row for number, states in enumerate(games) for row in schema.of(number, states)]


# Mirrored and paired deals


def test_mirrored_deals_change_sides_and_nothing_else() -> None:
    plan = plan_of(ONE_DEAL, ("greedy", "random"), "mirror", 60, mirror=True)
    assert (plan.deals, plan.games) == (30, 60)
    assert plan.lineups == (("greedy", "random"), ("random", "greedy"))
    for deal in range(30):
        hands = [
            next(s.hands for s in states_of(plan, n) if s.phase == "choose")
            for n in (2 * deal, 2 * deal + 1)
        ]
        assert hands[0] == hands[1]
    chunk = rules_chunk(plan, 0, 30)
    assert kernel_chunk(plan, 0, 30, check=0) == chunk
    won = [payoff_of(ONE_DEAL, list(states_of(plan, n))[-1]) for n in range(60)]
    assert chunk.tally.sums[0] == sum(won[n][n % 2] for n in range(60))
    assert chunk.tally.sums[0] == -chunk.tally.sums[1]


def test_paired_deals_differ_in_one_player_only() -> None:
    game = make_game("codebreaking/1", {})
    plan = plan_of(game, ("fair", "entropy"), "pair", 40, versus={1: "minimax"})
    rows = [line.split(",") for line in kernel_chunk(plan, 0, 20).text.decode().splitlines()]
    names = schema_of(plan).names
    code, lineup, guesses = (names.index(name) for name in ("code", "lineup", "guesses"))
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        assert (one[code], one[lineup], other[lineup]) == (other[code], "0", "1")
    assert any(a[guesses] != b[guesses] for a, b in zip(rows[::2], rows[1::2], strict=True))
    assert kernel_chunk(plan, 0, 20, check=0) == rules_chunk(plan, 0, 20)


def test_three_seats_are_rotated() -> None:
    game = make_game("zombie/2", {"players": 3})
    plan = plan_of(game, ("greedy", "cautious", "cautious"), "turn", 30, mirror=True)
    for entrant in plan.entrants:
        assert sorted(at for at, _ in entrant.cells) == [0, 1, 2]
        assert sorted(seat for _, seat in entrant.cells) == [0, 1, 2]
        assert len({plan.lineups[at][seat] for at, seat in entrant.cells}) == 1


def test_seats_that_differ_cannot_be_mirrored() -> None:
    with pytest.raises(InputError, match="--versus breaker=PLAYER"):
        plan_of(make_game("codebreaking/1", {}), ("fair", "best"), "s", 2, mirror=True)


# Any game


@pytest.mark.parametrize("name", ["intransitive/1", "zombie/2", "fatestones/1", "poker/2"])
def test_any_single_game_is_a_transcript_that_verifies(name: str) -> None:
    game = make_game(name, {})
    plan = plan_of(game, ("random",) * game.seats, "single", 5)
    for number in (0, 4):
        verdict = verify(bytes(transcript_of(plan, number)))
        assert verdict.ok
        assert verdict.payoff == payoff_of(game, list(states_of(plan, number))[-1])
    with pytest.raises(InputError, match="game 5 is not among"):
        transcript_of(plan, 5)


def test_a_plan_survives_its_own_json() -> None:
    plan = plan_of(ONE_DEAL, ("greedy", "random"), "s", 60, mirror=True)
    assert Plan.from_json(json.loads(json.dumps(plan.as_json()))) == plan
    with pytest.raises(InputError, match="no plan"):
        Plan.from_json({"game": "zombie/2"})


# Files


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
        assert (found.games, found.rows, found.resumed) == (40, wanted.count("\n"), 0)
        assert steps == [(done, 40) for done in [*range(0, 40, size), 40]]
    cards = {json.loads((tmp_path / f"{n}.csv.card.json").read_text())["sha256"] for n in (7, 40)}
    assert len(cards) == 1


def test_without_numba_the_rows_are_the_same(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(lab, "kernels_of", lambda plan: None)
    simulate(RANDOM, tmp_path / "rules.csv", header=True)
    lines = (tmp_path / "rules.csv").read_text().splitlines()
    assert lines == [HEADER, *by_rules(RANDOM)]


def test_thinking_players_are_spread_over_an_executor(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(lab, "CHUNK_SECONDS", 0.0)
    monkeypatch.setattr(lab, "PROBE", 0.0)
    plan = plan_of(ONE_DEAL, ("mcts:5", "optimal"), "think", 20)
    with ThreadPoolExecutor(3) as pool:
        simulate(plan, tmp_path / "pool.csv", executor=pool)
    assert (tmp_path / "pool.csv").read_text().splitlines() == by_rules(plan)


def test_one_and_two_processes_write_the_same_bytes(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(lab, "WORTH_WORKERS", 0.0)
    monkeypatch.setattr(lab, "PROBE", 0.0)
    monkeypatch.setattr(lab, "CHUNK_SECONDS", 0.01)
    plan = plan_of(make_game("zombie/2", {}), ("random", "cautious"), "jobs", 40, mirror=True)
    for jobs in (1, 2):
        simulate(plan, tmp_path / f"{jobs}.csv", jobs=jobs)
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    one, two = (json.loads((tmp_path / f"{n}.csv.card.json").read_text()) for n in (1, 2))
    assert one == two


def test_changing_a_player_does_not_change_the_deal() -> None:
    for number in range(5):
        deals = set()
        for spec in ("random", "greedy", "optimal", "mcts:3"):
            plan = plan_of(ONE_DEAL, (spec, "greedy"), "s", 9)
            deals.add(next(s.hands for s in states_of(plan, number) if s.phase == "choose"))
        assert len(deals) == 1


def test_the_report_agrees_with_the_plan(tmp_path: Path) -> None:
    plan = plan_of(ONE_DEAL, ("optimal", "greedy"), "cost", 300)
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
    wanted = simulate(RANDOM, whole, header=True)
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
    assert found.tally == wanted.tally
    assert found.rows == len(by_rules(RANDOM))
    assert out.read_bytes() == whole.read_bytes()
    there = sorted(path.name for path in tmp_path.iterdir())
    assert there == sorted(f"{one}{more}" for one in (whole.name, name) for more in BESIDE)


def test_other_arguments_do_not_resume(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    with pytest.raises(KeyboardInterrupt):
        simulate(RANDOM, out, executor=Failing(0))
    for other in (replace(RANDOM, seed="other"), replace(RANDOM, deals=41)):
        with pytest.raises(InputError, match="other arguments"):
            simulate(other, out)
    (tmp_path / "out.csv.journal").write_text("{")
    simulate(RANDOM, out)
    assert out.read_text().splitlines() == by_rules(RANDOM)


def test_a_finished_file_is_never_replaced_unasked(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    first = simulate(RANDOM, out)
    before = out.read_bytes()
    again = simulate(RANDOM, out, executor=Failing(0))
    assert (again.resumed, again.tally) == (40, first.tally), "nothing is played twice"
    others = [
        replace(RANDOM, seed="other"),
        replace(RANDOM, deals=41),
        plan_of(ONE_DEAL, ("greedy", "random"), "a seed", 40),
        plan_of(make_game("poker/2", {}), ("random", "optimal"), "a seed", 40),
    ]
    for other in others:
        with pytest.raises(InputError, match="40 games of fatestones/1 between random, random"):
            simulate(other, out)
    out.write_bytes(before + b"\n")
    with pytest.raises(InputError, match="changed after it was made"):
        simulate(RANDOM, out)
    (tmp_path / "out.csv.card.json").unlink()
    with pytest.raises(InputError, match="nothing says what is in it"):
        simulate(RANDOM, out)
    simulate(RANDOM, out, replace=True)
    assert out.read_bytes() == before


def test_plans_that_cannot_be_are_refused() -> None:
    for players, games, error in (
        (("random", "random"), 0, BadParams),
        (("random", "nobody"), 1, UnknownName),
        (("random", "mcts:no"), 1, InputError),
        (("random",), 1, InputError),
    ):
        with pytest.raises(error):
            plan_of(ONE_DEAL, players, "s", games)


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


def test_players_who_search_choose_the_same_in_few_games_and_in_many() -> None:
    few, many = (
        rules_chunk(plan_of(FateStones(scratch="end"), ("mcts:30", "mcts:9"), "s", games), 0, 6)
        for games in (6, MANY)
    )
    assert few == many
