"""What a second worker brings: requests a second and CPU time for each, with one worker and two.

Both arenas have a database of their own in one PostgreSQL, and are loaded in turns by wrk from 64
connections. Everything shares all cores: the workers, PostgreSQL, and wrk. So beside the rate
stands the CPU time of each of the three for a request: that is what adds up to the cores.

From these CPU times follow two limits, for each round. With all cores for themselves, one worker
answers as many requests as fit into one core, and two as many as fit into all cores beside what
PostgreSQL and wrk need: ``limit`` is the second divided by the first. And with PostgreSQL and the
clients on other machines, each worker fills one core: ``limit_elsewhere``.

What limits stands in ``cores_used``: how many cores the three had together while they were
measured. With all of the machine's cores, CPU time is the limit. With fewer, they waited: one
worker for its one core, all for the disk, or for other programs, which ``load`` at the head of the
result tells. A round puts each kind of load on each arena, and every second round goes
backwards, so that neither arena is always first. A round before them is not counted.

    python bench/arena_workers.py --seconds 3 --rounds 5

measures for rounds x 4 x seconds, here one minute; making oracles takes about as long again. On a
busy machine, ``--ahead`` (as root) lets these processes go before all others.

* **any**: every connection asks every oracle, so half of the requests come in at the wrong worker.
* **sticky**: each connection makes oracles, and plays only those (`_arena_bots.lua`).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import asyncpg
import uvloop

from _arena import CONNECTIONS, HERE, Load
from _machine import ratio, summary, write

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.helpers.postgres import throw_away_cluster

ORACLES: Final = 2_000
WORKERS: Final = (1, 2)
LONGEST_MAKING: Final = 60
"""Seconds in which the oracles of a round must be made and asked."""


class Arena:
    """``fairground serve`` with so many workers, on all cores."""

    def __init__(self, database: str, workers: int) -> None:
        command = [sys.executable, "-m", "fairground", "serve", "--port", "0", "--no-croupier"]
        self._process = subprocess.Popen(
            [*command, "--database", database, "--workers", str(workers), "--rate", "0"],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.url = found[0]
            if line.startswith("Stop it"):
                break

    @property
    def cpu(self) -> float:
        """CPU seconds of the parent and all workers."""
        return sum(_cpu(pid) for pid in _family(self._process.pid))

    def stop(self) -> None:
        """As an operator does it."""
        self._process.terminate()
        self._process.wait(60)


Put = Callable[[Arena, Path, float], str]
"""Puts load on an arena for so many seconds; what wrk says."""


class Costs(NamedTuple):
    """CPU seconds so far."""

    arena: float
    postgresql: float
    wrk: float


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _cpu(pid: int) -> float:
    """Of a process, and of its children that have ended."""
    return sum(map(int, _stat(pid)[11:15])) / os.sysconf("SC_CLK_TCK")


def _family(pid: int) -> list[int]:
    """A process and its children, and theirs."""
    children = defaultdict(list)
    for one in Path("/proc").iterdir():
        if one.name.isdigit():
            try:
                children[int(_stat(int(one.name))[1])].append(int(one.name))
            except OSError:
                continue
    found = [pid]
    for member in found:
        found += children[member]
    return found


def _postmaster(url: str) -> int:
    folder = url.rpartition("host=")[2]
    return int(Path(f"{folder}/data/postmaster.pid").read_text().splitlines()[0])


def _costs(arena: Arena, postmaster: int) -> Costs:
    ours = resource.getrusage(resource.RUSAGE_CHILDREN)
    database = sum(_cpu(pid) for pid in _family(postmaster))
    return Costs(arena.cpu, database, ours.ru_utime + ours.ru_stime)


def _wrk(arena: Arena, script: str, threads: int, seconds: float, **env: str) -> str:
    command = ["wrk", f"-t{threads}", f"-c{CONNECTIONS}", "--timeout", "30s", f"-d{seconds:g}s"]
    done = subprocess.run(
        [*command, "-s", str(HERE / script), arena.url],
        env=os.environ | env,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def _go_ahead(postmaster: int) -> None:
    """Each session has its share of the machine (`sched(7)`, autogroups): let ours be large."""
    for pid in (os.getpid(), *_family(postmaster)):
        with contextlib.suppress(OSError):  # it has just ended, or we asked too often
            Path(f"/proc/{pid}/autogroup").write_text("-15")


def _make(arena: Arena, oracles: Path) -> None:
    """Make oracles, and ask each at least once: the first answer deals the code."""
    _wrk(arena, "_arena.lua", 1, LONGEST_MAKING, ORACLES=str(oracles), WANTED=str(ORACLES))
    done = 0
    for _ in range(LONGEST_MAKING):
        if done >= ORACLES:
            return
        said = _wrk(arena, "_arena.lua", 1, 1, ORACLES=str(oracles), BEGIN=str(done))
        done += _load(said).requests
    raise SystemExit(f"only {done} of {ORACLES} oracles were asked in {LONGEST_MAKING} seconds")


def _any(arena: Arena, oracles: Path, seconds: float) -> str:
    return _wrk(arena, "_arena.lua", 1, seconds, ORACLES=str(oracles))


def _sticky(arena: Arena, _: Path, seconds: float) -> str:
    return _wrk(arena, "_arena_bots.lua", CONNECTIONS, seconds)


def _load(said: str) -> Load:
    told = re.search(r"^RESULT (.*)$", said, re.MULTILINE)
    assert told is not None, said
    load = Load(**json.loads(told[1]))
    assert not load.failed, said
    return load


def _limits(figures: dict[str, dict[str, list[float]]]) -> dict[str, list[float]]:
    """Requests a second that the CPU times allow, with all cores for the three alone."""
    one, two = (f"{number} workers" for number in WORKERS)
    parts = [figures[f"cpu_microseconds_{what}"] for what in Costs._fields]
    cores = os.cpu_count() or 1
    alone = [
        max(costs[0], sum(costs) / cores)
        for costs in zip(*(part[one] for part in parts), strict=True)
    ]
    together = [sum(costs) / cores for costs in zip(*(part[two] for part in parts), strict=True)]
    return {one: [1e6 / cost for cost in alone], two: [1e6 / cost for cost in together]}


def _limits_elsewhere(figures: dict[str, dict[str, list[float]]]) -> dict[str, list[float]]:
    """The same, with a core for each worker, and PostgreSQL and wrk on other machines."""
    costs = figures["cpu_microseconds_arena"]
    return {
        f"{number} workers": [number * 1e6 / cost for cost in costs[f"{number} workers"]]
        for number in WORKERS
    }


async def _databases(url: str) -> dict[int, str]:
    db = await asyncpg.connect(url)
    for number in WORKERS:
        await db.execute(f"CREATE DATABASE arena{number}")
    await db.close()
    return {number: url.replace("/postgres?", f"/arena{number}?") for number in WORKERS}


def _measured(
    put: Put, arena: Arena, oracles: Path, seconds: float, postmaster: int
) -> dict[str, float]:
    """What one arena did under one kind of load."""
    if put is _any:
        _make(arena, oracles)
    before = _costs(arena, postmaster)
    load = _load(put(arena, oracles, seconds))
    used = [now - then for now, then in zip(_costs(arena, postmaster), before, strict=True)]
    found = {"per_second": load.rate, "p50_ms": load.p50_ms, "p99_ms": load.p99_ms}
    found["cores_used"] = sum(used) / load.seconds
    for what, spent in zip(Costs._fields, used, strict=True):
        found[f"cpu_microseconds_{what}"] = 1e6 * spent / load.requests
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ahead", action="store_true", help="before all other programs, as root")
    if shutil.which("wrk") is None:
        parser.error("the load generator is missing: apt-get install wrk")
    return parser.parse_args()


def main() -> None:
    options = _arguments()
    kinds: dict[str, Put] = {"any": _any, "sticky": _sticky}
    found: dict[str, dict[str, dict[str, list[float]]]] = {
        kind: defaultdict(lambda: defaultdict(list)) for kind in kinds
    }
    with throw_away_cluster() as url, tempfile.TemporaryDirectory() as folder:
        oracles = Path(folder) / "oracles"
        postmaster = _postmaster(url)
        arenas = {n: Arena(where, n) for n, where in uvloop.run(_databases(url)).items()}
        try:
            for turn in range(options.rounds + 1):
                turns = [(kind, number) for kind in kinds for number in arenas]
                for kind, number in turns if turn % 2 else reversed(turns):
                    if options.ahead:
                        _go_ahead(postmaster)
                    one = _measured(
                        kinds[kind], arenas[number], oracles, options.seconds, postmaster
                    )
                    print(turn, kind, number, {k: round(v, 1) for k, v in one.items()}, flush=True)
                    for what, figure in one.items() if turn else ():
                        found[kind][what][f"{number} workers"].append(figure)
        finally:
            for arena in arenas.values():
                arena.stop()
    result: dict[str, Any] = {
        "setting": {
            "generator": f"wrk, {CONNECTIONS} connections, loopback",
            "cores": "shared by workers, PostgreSQL and wrk",
            "seconds": options.seconds,
            "rounds": options.rounds,
            "ahead_of_all_others": options.ahead,
        }
    }
    for kind, figures in found.items():
        result[kind] = {what: summary(dict(runs)) for what, runs in figures.items()}
        result[kind]["ratio"] = ratio(dict(figures["per_second"]), "2 workers", "1 workers")
        result[kind]["limit"] = ratio(_limits(figures), "2 workers", "1 workers")
        result[kind]["limit_elsewhere"] = ratio(
            _limits_elsewhere(figures), "2 workers", "1 workers"
        )
    write("arena_workers", result)
    print(json.dumps(result, indent=1), file=sys.stderr)


if __name__ == "__main__":
    main()
