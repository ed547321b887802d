"""A real Dask cluster on this machine: the same bytes as alone, also when a worker is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster

from fairground.cli import main
from fairground.games import make_game
from fairground.games.fatestones.rules import FateStones
from fairground.lab import simulation as lab
from fairground.lab.plans import plan_of
from fairground.lab.simulation import cluster, simulate
from tests.helpers.width import WIDE


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    made: Any = LocalCluster
    with made(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
        host="127.0.0.1", local_directory=str(tmp_path_factory.mktemp("dask")),
    ) as running:  # fmt: skip
        yield running


def test_a_cluster_writes_the_same_bytes_though_a_worker_is_killed(
    dask: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(lab, "PROBE", 0.0)
    monkeypatch.setattr(lab, "CHUNK_SECONDS", 0.02)
    games = 4000 if WIDE else 60
    players = ("mcts:200", "random") if WIDE else ("mcts:20", "random")
    plan = plan_of(FateStones(scratch="end"), players, "cluster", games)
    simulate(plan, tmp_path / "alone.csv", jobs=1)
    killed: list[int] = []

    def kill_one(done: int, of: int) -> None:
        if done >= of // 4 and not killed:
            worker = next(iter(dask.workers.values()))
            killed.append(worker.process.pid)
            os.kill(worker.process.pid, signal.SIGKILL)

    with cluster(dask.scheduler_address) as executor:
        done = simulate(plan, tmp_path / "cluster.csv", executor=executor, progress=kill_one)
    assert killed and done.games == games
    assert (tmp_path / "alone.csv").read_bytes() == (tmp_path / "cluster.csv").read_bytes()


def test_the_command_takes_an_address(dask: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lab, "PROBE", 0.0)
    arguments = ["simulate", "zombie", "--players", "cautious,random", "--games", "12"]
    arguments += ["--seed", "s"]
    assert main([*arguments, "--out", "far.csv", "--cluster", dask.scheduler_address]) == 0
    plan = plan_of(make_game("zombie/2", {}), ("cautious", "random"), "s", 12)
    simulate(plan, tmp_path / "near.csv", jobs=1)
    assert (tmp_path / "far.csv").read_bytes() == (tmp_path / "near.csv").read_bytes()
