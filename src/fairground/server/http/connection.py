"""Connections of clients: uvicorn's protocol with bounds; the names that ``Host`` may have.

A web site can let its own name point to an arena that only one person's machine reaches (DNS
rebinding). The browser then takes the arena for a part of the site, and lets the site read and do
everything. But the browser still sends the site's name in ``Host``. So the name must be configured,
or be one that nobody else can have: a loopback name, or this machine's own. Numeric addresses are
always accepted.
"""

from __future__ import annotations

import asyncio
import math
import re
import socket
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from fairground.core import InputError
from fairground.server.http.problems import (
    ArenaError,
    Crowded,
    HeadTooLarge,
    Malformed,
    Stopping,
    TooSlow,
    WrongHost,
    answer_of,
    quoted,
)

LOCAL: Final = "localhost"
HOST_NAME: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.ASCII)


class Hosts:
    """The names that an arena answers to."""

    def __init__(self, allowed: Sequence[str] = (), public_url: str | None = None) -> None:
        """``allowed``: names that the operator gave; ``public_url`` has one in it, too."""
        for name in allowed:
            if HOST_NAME.fullmatch(name.lower()) is None:
                raise InputError(
                    f"an allowed host is a name without a port, as arena.example, not {name!r}"
                )
        public = urlsplit(public_url or "").hostname or ""
        names = {public, socket.gethostname(), *allowed} - {""}
        self._names = {name.lower().rstrip(".") for name in names}
        self.admit = lru_cache(1_000)(self._admit)
        """Return True if a request may have this ``Host``."""

    def _admit(self, said: bytes) -> bool:
        host = said.decode("latin-1").lower()
        if host.startswith("["):
            return True  # digits of IPv6: no name
        name = host.partition(":")[0].rstrip(".")
        # Browsers never ask anybody else what localhost means.
        local = name == LOCAL or name.endswith(f".{LOCAL}")
        return local or name in self._names or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


# Connections
#
# uvicorn bounds neither the size of a request nor the time to receive it. Here both are bounded.
# An offer of another protocol (``Upgrade``) is ignored: uvicorn would take the body for a second
# request. All else is the proxy's job (deploy/nginx.conf).


LARGEST_HEAD: Final = 65_536
"""Maximum number of bytes of an address and all headers."""

LARGEST_REQUEST: Final = 1_000_000
"""Maximum number of bytes of a request: a body has 100,000, but may arrive in tiny chunks."""

SLOWEST: Final = 30.0
"""Seconds from the first byte of a request (or from connecting) to its last one."""

KEPT_ALIVE: Final = 75
"""Seconds that an idle connection is kept: longer than proxies keep theirs (60)."""


class Connection(HttpToolsProtocol):
    """One connection."""

    hosts: ClassVar[Hosts | None] = None
    """The names that we answer to; ``None``: to any."""
    most: ClassVar[float] = math.inf
    """Maximum number of open connections."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._in_head = False
        self._whole = True
        """False while a request is still arriving."""
        self._arrived = 0
        """Bytes of the request that is still arriving."""
        self._clock: asyncio.TimerHandle | None = None
        self._wrong: ArenaError = Malformed("this is no HTTP request")

    # Beginning, end and time

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._refuse(Crowded())
        else:
            self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        if self._whole:
            super().shutdown()
        else:  # nobody waits for the rest
            self._refuse(Stopping())

    def _start_clock(self) -> None:
        if self._clock is None and not self.transport.is_closing():
            self._clock = self.loop.call_later(SLOWEST, self._too_slow)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _too_slow(self) -> None:
        self._clock = None
        if self._is_answering():
            self._start_clock()  # an earlier request: nothing is read meanwhile
        else:
            self._refuse(TooSlow())

    def _is_answering(self) -> bool:
        """Return True while a complete request has no complete answer yet."""
        cycle = self.cycle
        waits = cycle is not None and not cycle.response_complete
        return bool(self.pipeline) or (waits and not cycle.more_body)

    # Reading

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        if self.transport.is_closing():
            return
        try:
            self._feed(data)
        except httptools.HttpParserError:
            self._refuse(self._wrong)
            return
        self._arrived = 0 if self._whole else self._arrived + len(data)
        if self._arrived > (LARGEST_HEAD if self._in_head else LARGEST_REQUEST):
            self._refuse(HeadTooLarge())
        elif self._whole:
            self._stop_clock()
        else:
            self._start_clock()

    def _feed(self, data: bytes) -> None:
        """Parse. The parser stops behind a head with an offer: read that again without it."""
        while True:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as offer:
                data = data[offer.args[0] :]
            method, version = self.parser.get_method(), self.parser.get_http_version().encode()
            lines = [b"%b %b HTTP/%b" % (method, self.url, version)]
            lines += [b"%b: %b" % one for one in self.headers if one[0] != b"upgrade"]
            self.parser = httptools.HttpRequestParser(self)
            self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
            self.parser.feed_data(b"\r\n".join(lines) + b"\r\n\r\n")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._whole = True, False

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # else it is a trailer: the head was judged without it
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        why = self._what_is_wrong()
        if why is not None:
            self._wrong = why
            raise why  # the parser stops
        self._in_head = False
        if not self.parser.should_upgrade():
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        if not self.parser.should_upgrade():
            self._whole = True
            super().on_message_complete()

    def _what_is_wrong(self) -> ArenaError | None:
        hosts = [value for name, value in self.headers if name == b"host"]
        if sum(len(name) + len(value) for name, value in self.headers) > LARGEST_HEAD:
            return HeadTooLarge()
        if len(hosts) != 1 and (hosts or self.parser.get_http_version() == "1.1"):
            return Malformed(f"a request has one Host header, not {len(hosts)}")
        if hosts and self.hosts is not None and not self.hosts.admit(hosts[0]):
            return WrongHost(
                f"this arena is not known as {quoted(hosts[0].decode('latin-1'))}: its operator "
                "can name it with --public-url or --allow-host"
            )
        return None

    # Refusing

    def _refuse(self, error: ArenaError) -> None:
        """Say why and close; nothing is said before earlier requests are answered."""
        cycle = self.cycle
        if self._is_answering():
            cycle.keep_alive = False
            self.pipeline.clear()
            self.flow.pause_reading()
            return
        answered = not self._whole and not self._in_head  # only the rest of its body is missing
        if cycle is not None and not cycle.response_complete:  # its body is not here
            cycle.disconnected = True
            cycle.message_event.set()
            answered = cycle.response_started
        self._stop_clock()
        if not answered and not self.transport.is_closing():
            status, headers, body = answer_of(error)
            headers += [(b"content-length", b"%d" % len(body)), (b"connection", b"close")]
            head = b"".join(b"%b: %b\r\n" % one for one in headers)
            self.transport.write(STATUS_LINE[status] + head + b"\r\n" + body)
        self.transport.close()


def connection_of(hosts: Hosts, most: float = math.inf) -> type[Connection]:
    """Return the class of connections to an arena with these names and this bound."""
    return type("ArenaConnection", (Connection,), {"hosts": hosts, "most": most})
