"""Submissions per second that the arena takes, each durable before it is answered.

``fairground serve`` with its defaults, against the same framework's bare
validated POST (`_arena_bare`): the same body read into the same type, the same type answered,
and nothing else. wrk loads them in turns, from 64 connections, one oracle after the other, so
that an oracle gets a handful of submissions as in a real game, the first included, which deals
the code. SQLite syncs every commit (FULL), on a real file system; PostgreSQL syncs too.

The server has one core to itself, the load generator the other, which it shares with
PostgreSQL. Rates are wall-clock, so a busy machine shows: hence the turns, hence pairs are
done again in which the peer was held up, and hence the server's CPU time beside them.

Then: whether it stays flat up to 100,000 open oracles, and what an idle one costs.
``python bench/arena_load.py 20`` makes do with 20,000.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, Final

import _arena
from _arena import Load, Server, arena, bare, make_oracles, profiled, submit
from _machine import ratio, summary, write
from fairground.server.gate import GAMES_IN_MEMORY

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.helpers.postgres import throw_away_cluster

PAIRS: Final = 7
SECONDS: Final = 4
GUESSES: Final = 6
"""Submissions to an oracle in a run, about the number that a good player needs."""

FEW: Final = 3_000
"""Oracles of an arena that has few."""

TARGETS: Final = {
    "sqlite": {"least": 0.20, "goal": 0.30},
    "postgresql": {"least": 0.35, "goal": 0.60},
}
FLAT_RUNS: Final = 5
SATURATED: Final = 0.9
"""A bare server that used less of its core than this was not what limited the rate: somebody
else was on the machine, and the pair says nothing."""


def side_by_side(ours: Server, peer: Server, oracles: Path) -> dict[str, Any]:
    """Peer and arena in turns. A pair in which the peer did not get its core is done again."""
    runs: dict[str, list[Load]] = {"bare": [], "arena": []}
    cpu: dict[str, list[float]] = {"bare": [], "arena": []}
    busy: dict[str, list[float]] = {"bare": [], "arena": []}
    disturbed = 0
    make_oracles(ours, oracles, FEW)
    games = round(submit(ours, oracles, SECONDS).rate * SECONDS / GUESSES)
    while len(runs["arena"]) < PAIRS:
        make_oracles(ours, oracles, games)
        pair = {"bare": _measured(peer, oracles), "arena": _measured(ours, oracles)}
        load, used = pair["bare"]
        if used / load.seconds < SATURATED and disturbed < 3 * PAIRS:
            disturbed += 1
            continue
        for name, (load, used) in pair.items():
            runs[name].append(load)
            cpu[name].append(1e6 * used / load.requests)
            busy[name].append(used / load.seconds)
    rates = {name: [load.rate for load in loads] for name, loads in runs.items()}
    return {
        "submissions_per_second": summary(rates),
        "ratio": ratio(rates, "arena", "bare"),
        "cpu_microseconds_per_request": summary(cpu),
        "cpu_ratio": ratio(cpu, "bare", "arena"),
        "part_of_its_core_that_the_server_used": summary(busy),
        "pairs_done_again": disturbed,
        "p50_ms": summary({name: [load.p50_ms for load in loads] for name, loads in runs.items()}),
        "p99_ms": summary({name: [load.p99_ms for load in loads] for name, loads in runs.items()}),
        "submissions_per_oracle": round(median(x.requests for x in runs["arena"]) / games, 1),
        "runs": {name: [load._asdict() for load in loads] for name, loads in runs.items()},
    }


def _measured(server: Server, oracles: Path) -> tuple[Load, float]:
    """The results of wrk, and the CPU seconds of the server."""
    before = server.cpu
    load = submit(server, oracles, SECONDS)
    return load, server.cpu - before


def profile(database: str, oracles: Path) -> dict[str, float]:
    """Layers of the server, in per cent of its CPU time."""
    with profiled(database) as server:
        make_oracles(server, oracles, FEW)
        server.process.send_signal(_arena.BEGIN)
        submit(server, oracles, 2 * SECONDS)
    return server.seen


def flat(folder: Path, number: int) -> dict[str, Any]:
    """An arena with few open oracles and one with many, in turns; submissions go to all of them.

    All codes are dealt beforehand, so that one submission is like another.
    """
    file = folder / "many.db"
    few, many = folder / "few", folder / "many"
    rates: dict[str, list[float]] = {"few": [], "many": []}
    p99: dict[str, list[float]] = {"few": [], "many": []}
    cpu: dict[str, list[float]] = {"few": [], "many": []}
    with arena(f"sqlite:///{folder}/few.db") as small, arena(f"sqlite:///{file}") as large:
        make_oracles(large, few, FEW)
        deal_all(large, few, FEW)
        before = large.resident
        made = make_oracles(large, many, number)
        idle = large.resident
        disk = sum(path.stat().st_size for path in folder.glob("many.db*"))
        deal_all(large, many, number)
        dealt = large.resident
        begin = 0
        for _ in range(FLAT_RUNS):
            make_oracles(small, few, FEW)
            deal_all(small, few, FEW)
            for name, server, oracles in (("few", small, few), ("many", large, many)):
                before_this = server.cpu
                load = submit(server, oracles, SECONDS, begin=begin)
                rates[name].append(load.rate)
                p99[name].append(load.p99_ms)
                cpu[name].append(1e6 * (server.cpu - before_this) / load.requests)
            begin += load.requests
    return {
        "open_oracles": {"few": FEW, "many": number},
        "made_over_http_per_second": round(made),
        "submissions_per_second": summary(rates),
        "ratio_many_to_few": ratio(rates, "many", "few"),
        "cpu_microseconds_per_request": summary(cpu),
        "cpu_ratio_few_to_many": ratio(cpu, "few", "many"),
        "p99_ms": summary(p99),
        "memory_bytes_per_idle_oracle": round((idle - before) / number),
        "memory_bytes_per_oracle_after_a_submission": round((dealt - before) / number),
        "kept_in_memory_at_most": GAMES_IN_MEMORY,
        "disk_bytes_per_idle_oracle": round(disk / (number + FEW)),
    }


def deal_all(server: Server, oracles: Path, number: int) -> None:
    """At least one submission to each oracle."""
    done = 0
    while done < number:
        done += submit(server, oracles, 1 if number == FEW else 5, begin=done).requests


def main() -> None:
    thousands = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    result: dict[str, Any] = {
        "setting": {
            "generator": f"wrk, 1 thread, {_arena.CONNECTIONS} connections, loopback",
            "cores": "server on one, wrk and PostgreSQL on the other",
            "seconds": SECONDS,
            "submissions_per_oracle": GUESSES,
            "game": "base 10, length 4, fair",
        },
        "targets": TARGETS,
    }
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=Path.cwd())))
        result["setting"]["file_system"] = _file_system(folder)
        oracles = folder / "oracles"
        databases: dict[str, Callable[[], str]] = {
            "sqlite": lambda: f"sqlite:///{folder}/arena.db",
            "postgresql": lambda: stack.enter_context(_arena.on_load_core(throw_away_cluster())),
        }
        for name, database in databases.items():
            url = database()
            with bare() as peer, arena(url) as ours:
                result[name] = side_by_side(ours, peer, oracles)
            result[name]["profile_percent"] = profile(url, oracles)
            print(name, result[name]["ratio"], file=sys.stderr)
        result["flat"] = flat(folder, 1000 * thousands)
    write("arena_load", result)


def _file_system(folder: Path) -> str:
    ask = ["findmnt", "-n", "-o", "FSTYPE", "-T", str(folder)]
    return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
