"""Reading a stream of server-sent events over a bare socket, so that it can be cut anywhere."""

from __future__ import annotations

import json
import socket
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

DEADLINE = 30


class Message(NamedTuple):
    id: str
    event: str
    data: Any


@contextmanager
def connected(url: str, last: str | None = None) -> Iterator[socket.socket]:
    """Ask for a stream; in the end the connection is cut."""
    place = urllib.parse.urlsplit(url)
    line = socket.create_connection((place.hostname or "", place.port or 80), timeout=DEADLINE)
    again = f"Last-Event-ID: {last}\r\n" if last else ""
    line.sendall(f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\n{again}\r\n".encode())
    try:
        yield line
    finally:
        line.shutdown(socket.SHUT_RDWR)
        line.close()


def messages(line: socket.socket, most: int | None = None) -> Iterator[Message]:
    """The complete messages of a stream, whose connection ends after ``most`` bytes of it.

    As a browser does it: what came without the empty line behind it does not count.
    """
    reader = _Body(line, most)
    fields: dict[str, str] = {}
    began = time.monotonic()
    for text in reader.lines():
        if time.monotonic() - began > DEADLINE:
            raise AssertionError(f"the stream is there, but told nothing for {DEADLINE} seconds")
        if text:
            name, _, value = text.partition(":")
            fields[name] = value.removeprefix(" ")
        else:
            if "data" in fields:
                data = json.loads(fields["data"])
                yield Message(fields.get("id", ""), fields.get("event", ""), data)
                began = time.monotonic()
            fields = {}


class _Body:
    """The body of a chunked answer."""

    def __init__(self, line: socket.socket, most: int | None) -> None:
        self._file = line.makefile("rb")
        head = self._file.readline()
        if b" 200 " not in head:
            raise AssertionError(head)
        while self._file.readline().strip():
            pass
        self._left = most

    def _pieces(self) -> Iterator[bytes]:
        while size := int(self._file.readline() or b"0", 16):
            piece = self._file.read(size)
            self._file.readline()
            if self._left is not None:
                piece, self._left = piece[: self._left], self._left - len(piece)
            yield piece
            if self._left is not None and self._left <= 0:
                return

    def lines(self) -> Iterator[str]:
        rest = b""
        for piece in self._pieces():
            *whole, rest = (rest + piece).split(b"\n")
            for text in whole:
                yield text.decode()
