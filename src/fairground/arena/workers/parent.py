"""The parent of several workers: starts them, watches them, and replaces one that has died.

Each worker has a seat, and a listening socket of its own for the one port of the arena: the
kernel shares connections out evenly among them. The parent holds these sockets too. So what
connects to a worker that has just died waits until another has taken its seat. If none can, the
parent hangs up: who connects again may come to a worker that lives.
"""

from __future__ import annotations

import multiprocessing
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import Any, Final, Protocol

from fairground.core import InputError

PATIENCE: Final = 30
"""Seconds until a worker that says nothing counts as dead, and is killed: on a busy machine it
may take some to start."""

BEAT: Final = 1.0
"""Seconds between two signs of life of a worker."""

GLANCE: Final = 0.2
"""Seconds between two looks at whether we were told to stop."""

AGAIN: Final = 1.0
"""Seconds until a worker that could not start is started again."""

STOPPING: Final = 60
"""Seconds until a worker that was told to stop, and has not, is killed."""

_spawn: Final = multiprocessing.get_context("spawn")


class Work(Protocol):
    """What a worker does, in a process of its own, until it is told to stop."""

    def __call__(self, index: int, sock: socket.socket, alive: Callable[[], None]) -> None:
        """``alive`` is called when it has started, and then every `BEAT` or so."""


class _Worker:
    def __init__(self, work: Work, index: int, sock: socket.socket) -> None:
        self._ours, theirs = _spawn.Pipe(duplex=False)
        process = _spawn.Process(target=_run, args=(work, index, sock, theirs))
        self.process: SpawnProcess = process
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a worker begins with this, too:
        process.start()  # Ctrl-C reaches all of us, and ends it only once it can end in order
        signal.signal(signal.SIGINT, before)
        theirs.close()
        self.started = False
        self._heard = time.monotonic()

    @property
    def waits(self) -> list[Any]:
        """What becomes ready when something has happened to it."""
        return [self.process.sentinel, *([] if self._ours.closed else [self._ours])]

    def listen(self) -> None:
        """Hear its signs of life."""
        try:
            while not self._ours.closed and self._ours.poll():
                self._ours.recv_bytes()
                self._heard, self.started = time.monotonic(), True
        except (EOFError, OSError):
            self._ours.close()

    @property
    def silent(self) -> bool:
        return time.monotonic() - self._heard > PATIENCE

    def end(self, number: int) -> None:
        if self.process.is_alive() and self.process.pid is not None:
            (self.process.kill if number == signal.SIGKILL else self.process.terminate)()

    def close(self) -> None:
        self.process.join()
        self._ours.close()


class Parent:
    """Runs one worker for each socket until a signal says stop."""

    def __init__(self, work: Work, sockets: Sequence[socket.socket]) -> None:
        self._work = work
        self._sockets = sockets
        self._workers: list[_Worker] = []
        self._told: list[int] = []
        self._all_started = False

    def run(self, started: Callable[[], None]) -> int:
        """The signal that said stop. ``started`` is called when all workers work."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        self._workers = [_Worker(self._work, *one) for one in enumerate(self._sockets)]
        try:
            while not self._told:
                wait([one for worker in self._workers for one in worker.waits], GLANCE)
                for worker in self._workers:
                    worker.listen()
                self._replace_the_dead()
                if not self._all_started and all(one.started for one in self._workers):
                    self._all_started = True
                    started()
        finally:
            for worker in self._workers:
                worker.end(signal.SIGTERM)
            until = time.monotonic() + STOPPING
            for worker in self._workers:
                worker.process.join(max(0.0, until - time.monotonic()))
                worker.end(signal.SIGKILL)
                worker.close()
        return self._told[0]

    def _stop(self, number: int, _: FrameType | None) -> None:
        self._told.append(number)

    def _replace_the_dead(self) -> None:
        for index, worker in enumerate(self._workers):
            if worker.process.is_alive() and not worker.silent:
                continue
            worker.end(signal.SIGKILL)
            worker.listen()  # it may have said something before it died
            worker.close()
            if not worker.started:
                if not self._all_started:
                    raise InputError("the arena could not start: see the log above")
                self._turn_away(self._sockets[index])
                time.sleep(AGAIN)  # whatever it lacks may be there soon
            self._workers[index] = _Worker(self._work, index, self._sockets[index])

    def _turn_away(self, sock: socket.socket) -> None:
        """Hang up on all who wait for a worker that could not start. Where there is one socket for
        all, another worker serves them.
        """
        if self._sockets.count(sock) == 1:
            sock.setblocking(False)
            with suppress(OSError):  # nobody waits any more
                while True:
                    sock.accept()[0].close()


def _run(work: Work, index: int, sock: socket.socket, parent: Connection) -> None:
    """In the worker's process. Without a parent, it stops."""

    def alive() -> None:
        try:
            parent.send_bytes(b".")
        except OSError:
            signal.raise_signal(signal.SIGTERM)

    work(index, sock, alive)
