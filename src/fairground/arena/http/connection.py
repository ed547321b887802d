"""How a request arrives: in bounds of size and of time, before anything else sees it.

The server underneath reads the head of a request for as long as it comes, and however much:
one client could fill the memory with one header, keep everybody waiting while it is put
together, or hold connections open for ever with half a request each. Here a head has a
largest size, and a request a time in which it must be here in full. What is no HTTP at
all is refused here too, in the same form as everything else.

Where a request ends must be beyond doubt: a proxy in front of us and we must see the same
requests, or somebody could hide one in the body of another. So a request names one host and one
way to tell its length. And an offer to speak another protocol (``Upgrade``) is declined by
answering in this one, which RFC 9110 allows: the request is read as if it had not been offered.
What comes behind a body in pieces (trailers) is passed over: the head was judged without it.
"""

from __future__ import annotations

import asyncio
import re
from http import HTTPStatus
from typing import Any, ClassVar, Final
from urllib.parse import unquote

import httptools
import msgspec
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from fairground.arena.http.exchange import Exchange
from fairground.arena.http.hosts import Hosts
from fairground.arena.http.problems import (
    ArenaError,
    HeadTooLarge,
    Malformed,
    Problem,
    Stopping,
    TooSlow,
    WrongHost,
    quoted,
)
from fairground.clients.protocol import PROBLEM

LARGEST_HEAD: Final = 65_536
"""Bytes of an address and all headers."""

AROUND: Final = 4
"""Bytes of a header besides its name and value: the colon, a space, the end of the line."""

SLOWEST: Final = 30.0
"""Seconds from the first byte of a request (or from connecting) to its last one."""

KEPT_ALIVE: Final = 75
"""Seconds that a connection without a request is kept: longer than proxies keep theirs (60)."""

HOST: Final = re.compile(rb"(\[[0-9A-Fa-f:.]+\]|[\w.~%!$&'()*+,;=-]+)(:\d*)?", re.ASCII)
FORWARDED: Final = (b"x-forwarded-for", b"x-forwarded-proto")
VERSIONS: Final = ("1.0", "1.1")
ABSOLUTE: Final = re.compile(rb"https?://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)
"""An address that names the host, too, as it is said to proxies."""


class Arrival(HttpToolsProtocol):
    """One connection: the server's own protocol, with these bounds around it."""

    known_as: ClassVar[Hosts | None] = None
    """The names that we answer to; ``None``: to any."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._head: int | None = 0
        """Bytes of a head that has not arrived in full; ``None`` once it has."""
        self._whole = False
        """Whether the request that was begun has arrived in full."""
        self._around = 0
        """Bytes that brought nothing of a body whose head is here: sizes of pieces, trailers."""
        self._arrived = 0
        """How many heads and pieces of bodies have arrived."""
        self._forwarded = False
        """Whether a proxy says for whom it asks."""
        self._offered = False
        """Whether the head that was read offers another protocol, and is read again without."""
        self._unanswered = 0
        """How many requests have begun to arrive, head and all, and have no answer yet."""
        self._last_word: bytes | None = None
        """A refusal that waits until the requests before it are answered."""
        self._due: asyncio.TimerHandle | None = None
        self._idle_since: float | None = None
        """When the last request was answered; ``None``: there is another by now."""
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
        self._idle_since = None
        if self._last_word is not None or self.transport.is_closing():
            return
        before = self._arrived
        try:
            self._read(memoryview(data))
        except httptools.HttpParserError:
            self._refuse(self._wrong)
            return
        if self._whole:
            self._stop_waiting()
            return
        if self._head is not None:
            self._head += len(data) if self._arrived == before else 1
        elif self._arrived == before:
            self._around += len(data)
        if max(self._head or 0, self._around) > LARGEST_HEAD:
            self._refuse(HeadTooLarge(HeadTooLarge.example))
        if self._due is None:
            self._wait_for_the_rest()

    def _read(self, data: memoryview) -> None:
        """Give the parser what came. It stops behind a head that offers another protocol."""
        while True:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as offer:
                data = data[offer.args[0] :]
                self._say_again_without_offer()

    def _say_again_without_offer(self) -> None:
        """Read the same head with a fresh parser, which then knows how long the body is."""
        method, version = self.parser.get_method(), self.parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (method, self.url, version)]
        lines += [b"%b: %b" % line for line in self.headers if line[0] != b"upgrade"]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._offered = False
        self.parser.feed_data(b"\r\n".join(lines) + b"\r\n\r\n")

    def eof_received(self) -> bool:  # type: ignore[override]  # asyncio's own type is bool | None
        """The client says no more. What it has asked in full is answered before we hang up."""
        if self._half_sent:
            self._refuse(Malformed("the request ended before all of it was here"))
            return self._last_word is not None
        if not self._unanswered or self.cycle.response_started or self.scheme == "https":
            return False
        self.cycle.keep_alive = False
        return True

    def shutdown(self) -> None:
        """The arena stops: who has not said everything yet is sent away."""
        if self._half_sent:
            self._refuse(Stopping(Stopping.example))
        else:
            super().shutdown()

    # What the parser finds

    # These are all that there are: what the server underneath does in them is done here, once.

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        self._head, self._around, self._whole = 0, 0, False
        self.url, self.headers = b"", []
        self.expect_100_continue = self._forwarded = False

    def on_header(self, name: bytes, value: bytes) -> None:
        """A line of the head; or a trailer, which nobody here asks for."""
        if self._head is not None:
            self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """A head is here; it may have come in one large piece."""
        self._arrived += 1
        version = self.parser.get_http_version()
        why = self._what_is_wrong(version)
        if why is not None:
            self._wrong = why
            raise why  # the parser stops, and we say what it is
        if self.parser.should_upgrade():
            self._offered = True
            return
        self._have_it_answered(version)
        self._head = None
        self._unanswered += 1

    def _have_it_answered(self, version: str) -> None:
        """Call the application, or line up behind what was asked before on this connection.

        What no proxy passed on needs nobody who looks for whom it was.
        """
        address = httptools.parse_url(self.url)
        path = address.path.decode("ascii")
        self.scope = {
            "type": "http",
            "asgi": {"version": self.asgi_version, "spec_version": "2.3"},
            "http_version": version,
            "server": self.server,
            "client": self.client,
            "scheme": self.scheme or "http",
            "method": self.parser.get_method().decode("ascii"),
            "root_path": "",
            "path": unquote(path) if "%" in path else path,
            "raw_path": address.path,
            "query_string": address.query or b"",
            "headers": self.headers,
            "state": self.app_state.copy(),
        }
        app: Any = self.app if self._forwarded else self.config.app
        before = self.cycle
        self.cycle = Exchange(
            self.scope,
            self.transport,
            self.flow,
            self.logger,
            self.access_logger,
            self.access_log,
            self.server_state.default_headers,
            asyncio.Event(),
            self.expect_100_continue,
            version != "1.0" and self.parser.should_keep_alive(),
            self.on_response_complete,
        )
        if before is None or before.response_complete:
            self._start_asgi_task(self.cycle, app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((self.cycle, app))

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._serving = self.loop.create_task(self._answer(cycle, app))
        self.tasks.add(self._serving)

    async def _answer(self, cycle: RequestResponseCycle, app: Any) -> None:
        """Serve a request. To be told of its end by a callback takes another round of the loop."""
        task = self._serving
        try:
            await cycle.run_asgi(app)
        finally:
            self.tasks.discard(task)

    def _what_is_wrong(self, version: str) -> ArenaError | None:
        size, hosts, codings = len(self.url), [], []
        for name, value in self.headers:
            size += len(name) + len(value) + AROUND
            if name == b"host":
                hosts.append(value)
            elif name == b"transfer-encoding":
                codings.append(value.strip().lower())
            elif name == b"expect":
                self.expect_100_continue |= value.lower() == b"100-continue"
            elif name in FORWARDED:
                self._forwarded = True
        if size > LARGEST_HEAD:
            return HeadTooLarge(HeadTooLarge.example)
        if version not in VERSIONS or self.parser.get_method() == b"CONNECT":
            return Malformed("this is an arena that speaks HTTP/1.1, and no proxy")
        if codings and codings != [b"chunked"]:
            return Malformed(f"Transfer-Encoding is chunked here, not {_shown(codings[0])}")
        if codings and version == "1.0":
            return Malformed("Transfer-Encoding is for HTTP/1.1 only")
        if len(hosts) != 1 and (hosts or version == "1.1"):
            return Malformed(f"a request has one Host header, not {len(hosts)}")
        return self._what_is_wrong_with_the_address(hosts)

    def _what_is_wrong_with_the_address(self, hosts: list[bytes]) -> ArenaError | None:
        """``hosts``: the ``Host`` of the request, if it has one. An address may name it, too."""
        if self.url.startswith(b"/"):
            pass
        elif found := ABSOLUTE.fullmatch(self.url):
            hosts = hosts or [found[1]]
            if found[1].lower() != hosts[0].lower():
                return Malformed(
                    f"the address names another host than Host does: {_shown(self.url)}"
                )
            self.url = found[2] if found[2].startswith(b"/") else b"/" + found[2]
        else:
            return Malformed(f"an address is a path, as /healthz is, not {_shown(self.url)}")
        if hosts and HOST.fullmatch(hosts[0]) is None:
            return Malformed(
                f"Host is a name or an address, with a port or not: {_shown(hosts[0])}"
            )
        if hosts and self.known_as is not None and not self.known_as.admit(hosts[0]):
            return WrongHost(
                f"this arena is not known as {_shown(hosts[0])}: its operator can name it with "
                "--public-url or --allow-host"
            )
        return None

    def on_message_complete(self) -> None:
        """The last byte of a request."""
        if self._offered:
            return
        self._whole = True
        cycle = self.cycle
        if not cycle.response_complete:
            cycle.more_body = False
            cycle.message_event.set()
        if not self.parser.should_keep_alive():  # a trailer may have said so: nothing more is read
            cycle.keep_alive = False
            if cycle.response_complete:
                self.transport.close()

    def on_body(self, body: bytes) -> None:
        """A piece of a body."""
        self._arrived += 1
        cycle = self.cycle
        if not cycle.response_complete:
            cycle.body += body
            if len(cycle.body) > HIGH_WATER_LIMIT:
                self.flow.pause_reading()
            cycle.message_event.set()

    def on_response_complete(self) -> None:
        """The next one may be answered, or refused."""
        self._unanswered -= 1
        self.server_state.total_requests += 1
        if not self.transport.is_closing():
            self.flow.resume_reading()
            if self.pipeline:
                self._start_asgi_task(*self.pipeline.pop())
            else:
                self._wait_for_the_next()
        if self._last_word is not None and not self._unanswered:
            self._hang_up(self._last_word)

    # Time

    @property
    def _half_sent(self) -> bool:
        """Whether a request has begun to arrive, and has not ended."""
        return not self._whole and self._head != 0

    @property
    def _waits_for_body(self) -> bool:
        """Whether the head of a request is here, and its body is not."""
        return not self._whole and self._head is None

    def _wait_for_the_next(self) -> None:
        """One timer for many requests: when it rings, it looks whether it was too early."""
        self._idle_since = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._look_again_in(self.timeout_keep_alive)

    def _look_again_in(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(
            seconds, self.timeout_keep_alive_handler
        )

    def timeout_keep_alive_handler(self) -> None:
        """Hang up if nothing was asked for long enough."""
        self.timeout_keep_alive_task = None
        if self._idle_since is None:
            return
        left = self._idle_since + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._look_again_in(left)
        else:
            super().timeout_keep_alive_handler()

    def _wait_for_the_rest(self) -> None:
        if not self.transport.is_closing():
            self._due = self.loop.call_later(SLOWEST, self._too_slow)

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _too_slow(self) -> None:
        if self._unanswered > self._waits_for_body:
            self._wait_for_the_rest()  # an earlier one is being answered: nothing is read meanwhile
        else:
            self._refuse(TooSlow(TooSlow.example))

    # Refusing

    def _refuse(self, error: ArenaError) -> None:
        """Say why, once everything before is answered, and hang up."""
        if self.transport.is_closing() or self._last_word is not None:
            return
        if self._waits_for_body:
            if self.cycle.response_started:  # it was answered before all of it was here
                self.transport.close()
                return
            self._drop_the_last_request()
        refusal = _refusal(error)
        if self._unanswered:
            self._last_word = refusal
        else:
            self._hang_up(refusal)

    def _drop_the_last_request(self) -> None:
        """Its route, if it was called, hears that its client has gone."""
        self._unanswered -= 1
        self.pipeline = type(self.pipeline)(
            one for one in self.pipeline if one[0] is not self.cycle
        )
        self.cycle.disconnected = True
        self.cycle.message_event.set()

    def _hang_up(self, last_word: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(last_word)
            self.transport.close()


def arrival_at(hosts: Hosts) -> type[Arrival]:
    """Connections of an arena that is known by these names."""
    return type("ArrivalAt", (Arrival,), {"known_as": hosts})


def _refusal(error: ArenaError) -> bytes:
    status = HTTPStatus(error.status)
    body = msgspec.json.encode(Problem(status, status.phrase, error.code, str(error)))
    again = "" if error.retry_after is None else f"retry-after: {error.retry_after}\r\n"
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: {PROBLEM}\r\n"
        f"content-length: {len(body)}\r\n{again}connection: close\r\n\r\n"
    )
    return head.encode() + body


def _shown(value: bytes) -> str:
    return quoted(value.decode("latin-1"))
