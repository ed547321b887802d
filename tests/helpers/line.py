"""A line to a program on a loopback port that can be cut, and mended."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Line:
    """Forwards every connection while it is whole; a cut line closes each at once."""

    def __init__(self, port: int) -> None:
        self._port, self._is_cut = port, False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def _start(self, work: object, *values: object) -> threading.Thread:
        thread = threading.Thread(target=work, args=values, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()
        return thread

    def cut(self) -> None:
        """Close all connections, and every new one."""
        self._is_cut = True
        for one in list(self._open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._is_cut = False

    def close(self) -> None:
        self.cut()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(30)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                caller, _ = self._listener.accept()
                self._start(self._serve, caller)

    def _serve(self, caller: socket.socket) -> None:
        with caller, contextlib.suppress(OSError):
            if self._is_cut:
                return
            with socket.create_connection(("127.0.0.1", self._port)) as there:
                both = {caller, there}
                self._open |= both
                back = self._start(self._carry, there, caller)
                self._carry(caller, there)
                back.join()
                self._open -= both

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)


@contextmanager
def line_to(port: int) -> Iterator[Line]:
    line = Line(port)
    try:
        yield line
    finally:
        line.close()
