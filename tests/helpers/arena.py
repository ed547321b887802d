"""A real arena on a loopback port: in a thread of this process, or in a process of its own.

Nothing here sleeps: a listening socket takes connections before the server does, and a
process says on its standard output that it is ready.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from litestar import Litestar
from litestar.testing import TestClient
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from fairground.clients.protocol import PROBLEM
from fairground.clients.table import PlayedTable, play
from fairground.server.app import make_app
from fairground.server.gate import ClientLimits, Gate
from fairground.server.http.connection import Connection, Hosts, connection_of
from fairground.server.metrics import Metrics
from fairground.server.serve import address_of, bind

DEADLINE = 60

Client = TestClient[Litestar]

PROVES = {
    "fair": ["COMMITTED"],
    "nice": ["CONSISTENT"],
    "evil": ["CONSISTENT", "LEAST_TELLING"],
}
"""Type of oracle → the claims that its record earns."""


class Clock:
    """A clock that stands still until a test turns it."""

    def __init__(self, now: float = 1_000_000.5) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def problem(answer: Any, status: int, code: str) -> str:
    """The detail of a refusal, which must have this status and this code."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM
    body = answer.json()
    assert (body["status"], body["code"]) == (status, code), body
    return str(body["detail"])


def gated(database: str, **options: Any) -> Any:
    """An arena behind its gate."""
    limits, metrics = ClientLimits(), Metrics()
    app: Any = make_app(database, limits=limits, metrics=metrics, **options)
    return Gate(app, limits, metrics)


@contextmanager
def in_a_thread(
    app: Any, hosts: Hosts | None = None, protocol: type[HttpToolsProtocol] = Connection
) -> Iterator[str]:
    """Serve an ASGI application; gives its URL. ``hosts``: the names that it answers to."""
    sock = bind("127.0.0.1", 0)
    config = uvicorn.Config(
        app,
        http=protocol if hosts is None else connection_of(hosts),
        log_config=None,
        access_log=False,
        lifespan="on",
        interface="asgi3",
        ws="none",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    try:
        yield address_of(sock)
    finally:
        server.should_exit = True
        thread.join(DEADLINE)
        assert not thread.is_alive()


def play_all(urls: list[str], player: str = "random") -> list[PlayedTable]:
    """Each seat by a client of its own, at the same time."""
    with ThreadPoolExecutor(len(urls)) as clients:
        return list(clients.map(lambda url: play(url, player), urls, timeout=DEADLINE))


class Process:
    """``fairground serve`` in a process of its own."""

    def __init__(self, folder: Path, *options: str, command: Sequence[str] = ()) -> None:
        self._errors = (folder / "stderr").open("a+b")
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "fairground", "serve", "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=os.environ | {"XDG_DATA_HOME": str(folder)},
        )
        self.printed = ""
        self.url = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:  # ends when the process does
            self.printed += line
            if found := re.match(r"The arena is open at (\S+)", line):
                self.url = found[1]
            if line.startswith("Stop it"):
                break

    @property
    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode()

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(DEADLINE)

    def __enter__(self) -> Process:
        assert self.url, f"it did not start: {self.printed}{self.errors}"
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(DEADLINE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._errors.close()


def answered(metrics: Metrics) -> Counter[tuple[str, str, int]]:
    """Return how often each method, route and status was counted."""
    found: Counter[tuple[str, str, int]] = Counter()
    for family in metrics.registry.collect():
        for sample in family.samples:
            if sample.name == "fairground_requests_total":
                labels = sample.labels
                found[labels["method"], labels["route"], int(labels["status"])] = int(sample.value)
    return found
