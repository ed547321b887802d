"""How an answer leaves: in one piece, if it is short.

The server underneath writes the head of an answer and its body apart, each as a call of the
operating system and a packet of its own, and looks at each header with two patterns. Here a head
that says how long its body is waits for it, and both are looked at and written together. What
comes in pieces, such as a stream of events, is left to the server.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HEADER_RE, STATUS_LINE, RequestResponseCycle

START: Final = "http.response.start"
LENGTH: Final = b"content-length: "
UNUSUAL: Final = frozenset({b"connection: ", b"transfer-encoding: "})
"""Headers by which the server decides something."""

CONTROLS: Final = bytes([*range(9), *range(10, 32), 127])
"""What no header may hold: with it, there could be another line where nobody wrote one."""


class Exchange(RequestResponseCycle):
    """A request and its answer."""

    _waits: bytes | None = None
    """A head whose body has not come yet."""

    async def send(self, message: Any) -> None:
        """ASGI."""
        head = self._waits
        if head is None:
            if not self._keep(message):
                await super().send(message)
            return
        self._waits = None
        if self.disconnected:
            return
        body: bytes = message.get("body", b"")
        if (
            message.get("more_body")
            or len(body) != self.expected_content_length
            or self.flow.write_paused
            or self.scope["method"] == "HEAD"
        ):
            self.transport.write(head)
            await super().send(message)
            return
        self.transport.write(head + body)
        self.response_complete = True
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()

    def _keep(self, message: Any) -> bool:
        """Keep a head until its body comes, if it says how long that is."""
        if message["type"] != START or self.response_started or self.disconnected:
            return False
        self.response_started = True  # also if it cannot be written
        self._waits = self._head(message["status"], message.get("headers", ()))
        self.response_started = self._waits is not None
        return self.response_started

    def _head(self, status: int, more: Iterable[tuple[bytes, bytes]]) -> bytes | None:
        """The head of an answer; ``None``: the server must write it."""
        headers = (*self.default_headers, *more)
        length, lines = None, list[bytes]()
        for name, value in headers:
            begin = _begin(name)
            if begin == LENGTH:
                length = int(value)
            elif begin in UNUSUAL:
                return None
            lines += (begin, value, b"\r\n")
        if length is None:
            return None
        told = b"".join(lines)
        if len(told) - len(told.translate(None, CONTROLS)) != 2 * len(headers):
            raise RuntimeError("Invalid HTTP header value.")
        self.expected_content_length, self.chunked_encoding = length, False
        self.waiting_for_100_continue = False
        end = b"\r\n" if self.keep_alive else b"connection: close\r\n\r\n"
        return STATUS_LINE[status] + told + end


@lru_cache(1_000)
def _begin(name: bytes) -> bytes:
    """How the line of a header begins."""
    if HEADER_RE.search(name):
        raise RuntimeError("Invalid HTTP header name.")
    return name.lower() + b": "
