"""Servers in processes of their own, and wrk: what the benches of the arena share."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

HERE: Final = Path(__file__).parent
CONNECTIONS: Final = 64
SERVER_CORE, LOAD_CORE = "0", "1"
"""Which core has the server, and which the load generator (and PostgreSQL)."""

LONGEST: Final = 600
"""Seconds after which making oracles has failed."""


class Load(NamedTuple):
    """What wrk saw."""

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

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            ["taskset", "-c", SERVER_CORE, sys.executable, *command],
            stdout=subprocess.PIPE,
            text=True,
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


def submit(server: Server, oracles: Path, seconds: float) -> Load:
    """Put submissions to these oracles on a server, one oracle after the other."""
    said = _wrk(server, oracles, seconds)
    found = re.search(r"^RESULT (.*)$", said, re.MULTILINE)
    if found is None:
        raise SystemExit(f"wrk failed: {said}")
    load = Load(**json.loads(found[1]))
    if load.failed:
        raise SystemExit(f"{load.failed} requests failed: {said}")
    return load


def make_oracles(server: Server, oracles: Path, number: int) -> float:
    """Open so many oracles over HTTP, write their paths down, and say how many a second."""
    began = time.perf_counter()
    said = _wrk(server, oracles, LONGEST, number)
    if len(oracles.read_text().splitlines()) != number:
        raise SystemExit(f"wrk could not make {number} oracles: {said}")
    return number / (time.perf_counter() - began)


def _wrk(server: Server, oracles: Path, seconds: float, wanted: int = 0) -> str:
    if shutil.which("wrk") is None:
        raise SystemExit("the load generator is missing: apt-get install wrk")
    command = ["taskset", "-c", LOAD_CORE, "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds:g}s"]
    done = subprocess.run(
        [*command, "-s", str(HERE / "_arena.lua"), server.url],
        env=os.environ | {"ORACLES": str(oracles), "WANTED": str(wanted)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr
