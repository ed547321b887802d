"""Servers in processes of their own, and wrk: what the benches of the arena share."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, NamedTuple

HERE: Final = Path(__file__).parent
CONNECTIONS: Final = 64
SERVER_CORE, LOAD_CORE = "0", "1"
"""Which core has the server, and which the load generator (and PostgreSQL)."""

LONGEST: Final = 600
"""Seconds after which making oracles has failed."""

BEGIN: Final = signal.SIGUSR2
"""Tells a profiled server to begin counting."""

LAYERS_TO: Final = "FAIRGROUND_BENCH_LAYERS"
"""Names the file into which a profiled server writes what it counted."""


class Load(NamedTuple):
    """The results of wrk."""

    requests: int
    seconds: float
    refused: int
    """Answers that were neither 2xx nor 3xx: games that were over."""
    failed: int
    p50_ms: float
    p99_ms: float

    @property
    def rate(self) -> float:
        """Requests a second that were answered as wished."""
        return (self.requests - self.refused) / self.seconds


class Server:
    """A process that serves on a loopback port, on the server's core."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            ["taskset", "-c", SERVER_CORE, sys.executable, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | dict(env or {}),
        )
        self.url = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.url = found[0]
                return
        raise SystemExit(f"the server did not start: {command}")

    @property
    def resident(self) -> int:
        """Bytes of memory that it holds now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return 1024 * int(found[1])

    @property
    def cpu(self) -> float:
        """Seconds of CPU time of all its threads. The scheduler's count, for ticks are coarse."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(one.read_text().split()[0]) for one in threads) / 1e9

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextlib.contextmanager
def bare() -> Iterator[Server]:
    """The peer."""
    server = Server([str(HERE / "_arena_bare.py")])
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def arena(database: str) -> Iterator[Server]:
    """``fairground serve`` with its defaults."""
    server = Server(["-m", "fairground", "serve", "--port", "0", "--database", database])
    try:
        yield server
    finally:
        server.stop()


class Profiled(Server):
    """``fairground serve``, watched (`_arena_profiled`)."""

    def __init__(self, database: str, file: Path) -> None:
        self._file = file
        self.seen: dict[str, float] = {}
        script = str(HERE / "_arena_profiled.py")
        command = [script, "serve", "--port", "0", "--database", database]
        super().__init__(command, {LAYERS_TO: str(file)})

    def read_layers(self) -> dict[str, float]:
        """Layer → per cent of the samples, once it has stopped."""
        seen: dict[str, int] = json.loads(self._file.read_text())
        total = sum(seen.values())
        ranked = sorted(seen.items(), key=lambda item: -item[1])
        return {layer: round(100 * count / total, 1) for layer, count in ranked}


@contextlib.contextmanager
def profiled(database: str) -> Iterator[Profiled]:
    """An arena that tells in the end where its time went."""
    with tempfile.NamedTemporaryFile() as file:
        server = Profiled(database, Path(file.name))
        try:
            yield server
        finally:
            server.stop()
            server.seen = server.read_layers()


@contextlib.contextmanager
def on_load_core(cluster: AbstractContextManager[str]) -> Iterator[str]:
    """A PostgreSQL whose processes keep off the server's core."""
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {int(LOAD_CORE)})  # its children inherit it
    try:
        with cluster as url:
            os.sched_setaffinity(0, mine)
            yield url
    finally:
        os.sched_setaffinity(0, mine)


def submit(server: Server, oracles: Path, seconds: float, begin: int = 0) -> Load:
    """Send submissions to one oracle after the other, from number ``begin`` on."""
    said = _wrk(server, oracles, seconds, begin=begin)
    found = re.search(r"^RESULT (.*)$", said, re.MULTILINE)
    if found is None:
        raise SystemExit(f"wrk failed: {said}")
    load = Load(**json.loads(found[1]))
    if load.failed:
        raise SystemExit(f"{load.failed} requests failed: {said}")
    return load


def make_oracles(server: Server, oracles: Path, number: int) -> float:
    """Open oracles over HTTP, write their paths to a file, and return the rate per second."""
    began = time.perf_counter()
    said = _wrk(server, oracles, LONGEST, number)
    if len(oracles.read_text().splitlines()) != number:
        raise SystemExit(f"wrk could not make {number} oracles: {said}")
    return number / (time.perf_counter() - began)


def _wrk(server: Server, oracles: Path, seconds: float, wanted: int = 0, begin: int = 0) -> str:
    if shutil.which("wrk") is None:
        raise SystemExit("the load generator is missing: apt-get install wrk")
    command = ["taskset", "-c", LOAD_CORE, "wrk", "-t1", f"-c{CONNECTIONS}", "--timeout", "30s"]
    done = subprocess.run(
        [*command, f"-d{seconds:g}s", "-s", str(HERE / "_arena.lua"), server.url],
        env=os.environ | {"ORACLES": str(oracles), "WANTED": str(wanted), "BEGIN": str(begin)},
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{done.stdout}{done.stderr} (exit code {done.returncode})"
