"""What a worker may do in its process, for tests of the one that watches it."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path


def cannot_start(index: int, sock: socket.socket, alive: Callable[[], None]) -> None:
    """End without a sign of life."""


def cannot_start_again(
    folder: str, index: int, sock: socket.socket, alive: Callable[[], None]
) -> None:
    """Start, and be killed when the pipe ``started`` in ``folder`` says that all have started. Who
    takes the seat after that ends without a sign of life."""
    first = Path(folder, str(index))
    if not first.exists():
        first.touch()
        alive()
        with Path(folder, "started").open("rb") as pipe:
            pipe.read(1)
        os.kill(os.getpid(), signal.SIGKILL)


def does_not_stop(index: int, sock: socket.socket, alive: Callable[[], None]) -> None:
    """Start, tell the parent to stop, and stop not."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    alive()
    os.kill(os.getppid(), signal.SIGTERM)
    while True:
        signal.pause()


def dies_once(folder: str, index: int, sock: socket.socket, alive: Callable[[], None]) -> None:
    """Start, and be killed. Who takes the first seat after that waits until all have started, which
    the pipe ``started`` in ``folder`` tells, and then tells the parent to stop."""
    alive()
    try:
        Path(folder, str(index)).touch(exist_ok=False)
        os.kill(os.getpid(), signal.SIGKILL)
    except FileExistsError:
        if index == 0:
            with Path(folder, "started").open("rb") as pipe:
                pipe.read(1)
            os.kill(os.getppid(), signal.SIGTERM)
        signal.pause()
