"""How a request arrives: in bounds of size and of time, before anything else sees it.

The server underneath reads the head of a request for as long as it comes, and however much:
one client could fill the memory with one header, keep everybody waiting while it is put
together, or hold connections open for ever with half a request each. Here a head has a
largest size, and a request a time in which it must be here in full. What is no HTTP at
all is refused here too, in the same form as everything else.
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, Final

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from fairground.arena.http.problems import ArenaError, HeadTooLarge, Malformed, Problem, TooSlow
from fairground.clients.protocol import PROBLEM

LARGEST_HEAD: Final = 65_536
"""Bytes of an address and all headers."""

SLOWEST: Final = 30.0
"""Seconds from the first byte of a request (or from connecting) to its last one."""


class Arrival(HttpToolsProtocol):
    """One connection: the server's own protocol, with these bounds around it."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._head: int | None = 0
        """Bytes of a head that has not arrived in full; ``None`` once it has."""
        self._whole = False
        """Whether the request that was begun has arrived in full."""
        self._due: asyncio.TimerHandle | None = None
        self._wrong: ArenaError = Malformed("this is no HTTP request")

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock: whoever connects has something to ask."""
        super().connection_made(transport)
        self._wait_for_the_rest()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Most requests come in one piece, and cost nothing here."""
        super().data_received(data)
        if self._whole:
            self._stop_waiting()
            return
        if self._head is not None:
            self._head += len(data)
            if self._head > LARGEST_HEAD:
                self._refuse(HeadTooLarge(HeadTooLarge.example))
        if self._due is None:
            self._wait_for_the_rest()

    # What the parser finds

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        self._head, self._whole = 0, False
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """A head is here; it may have come in one large piece."""
        self._head = None
        headers = sum(len(name) + len(value) for name, value in self.headers)
        if len(self.url) + headers > LARGEST_HEAD:
            self._wrong = HeadTooLarge(HeadTooLarge.example)
            raise self._wrong  # the server takes it for bad HTTP, and lets us say what it is
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The last byte of a request."""
        self._whole = True
        super().on_message_complete()

    # Time

    def _wait_for_the_rest(self) -> None:
        if not self.transport.is_closing():
            self._due = self.loop.call_later(SLOWEST, self._too_slow)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _too_slow(self) -> None:
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering and not self.cycle.more_body:
            self._wait_for_the_rest()  # an earlier one is being answered: nothing is read meanwhile
        elif answering:
            self.transport.close()
        else:
            self._refuse(TooSlow(TooSlow.example))

    # Refusing

    def send_400_response(self, msg: str) -> None:
        """What the server cannot read is answered like everything that is wrong."""
        self._refuse(self._wrong)

    def _refuse(self, error: ArenaError) -> None:
        if self.transport.is_closing():
            return
        status = HTTPStatus(error.status)
        body = msgspec.json.encode(Problem(status, status.phrase, error.code, str(error)))
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: {PROBLEM}\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
