"""Connections of clients, with limits on size, time and number; the names that ``Host`` may have.

A web site can let its own name point to an arena that only one person's machine reaches (DNS
rebinding). The browser then takes the arena for a part of the site, and lets the site read and do
everything. But the browser still sends the site's name in ``Host``. So the name must be configured,
or be one that nobody else can have: a loopback name, or this machine's own. Numeric addresses are
always accepted.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from collections import Counter
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
from fairground.server.limits.gate import client_at
from fairground.server.limits.metrics import Metrics

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
        return name in self._names or _is_local(name) or _is_address(name)


def _is_local(name: str) -> bool:
    """Browsers never ask anybody else what these names mean."""
    return name == LOCAL or name.endswith(f".{LOCAL}")


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


# Connections: uvicorn's own protocol, with limits on size, time and number
#
# uvicorn has no limit on the size of a head, nor on the time to receive it. Here both have one. An
# offer of another protocol (``Upgrade``) is ignored: uvicorn would take the body for a second
# request. A request has one ``Host``, which must be ours, and one length, so that a proxy and we
# see the same requests.


LARGEST_HEAD: Final = 65_536
"""Maximum number of bytes of an address and all headers."""

SLOWEST: Final = 30.0
"""Seconds from the first byte of a request (or from connecting) to its last one."""

KEPT_ALIVE: Final = 75
"""Seconds that an idle connection is kept: longer than proxies keep theirs (60)."""

AROUND: Final = 4
"""Bytes of a header besides its name and value: the colon, a space, the end of the line."""

HOST: Final = re.compile(rb"(\[[0-9A-Fa-f:.]+\]|[\w.~%!$&'()*+,;=-]+)(:\d*)?", re.ASCII)
ABSOLUTE: Final = re.compile(rb"https?://([^/?#]*).*", re.IGNORECASE | re.DOTALL)

log = logging.getLogger("fairground.server")


class Crowd:
    """All connections of a server: how many there may be, in all and of one client."""

    def __init__(self, most: int, metrics: Metrics) -> None:
        self._most = most
        self._metrics = metrics
        self._clients: Counter[str] = Counter()
        self._idle: dict[Connection, None] = {}
        """Connections that wait for a next request, the longest first."""
        self._refused = 0
        metrics.watch_connections(self._clients.total)

    def admit(self, new: Connection) -> bool:
        """Count a connection in. If there are too many, close an idle one, or refuse this one."""
        client = new.caller
        own = [one for one in self._idle if one.caller == client]
        if self._clients[client] >= self._of_one(client):
            self._close(own)
        elif self._clients.total() >= self._most:
            self._close(self._idle)
        full = self._clients[client] >= self._of_one(client) or self._clients.total() >= self._most
        if full:
            self._refused += 1
            self._metrics.connection_refused()
            if self._refused.bit_count() == 1:  # the 1st, 2nd, 4th, 8th…
                log.warning("%d connections refused, the last of %s", self._refused, client)
            return False
        self._clients[client] += 1
        return True

    def _of_one(self, client: str) -> int:
        """A proxy on this machine connects for everybody."""
        return self._most if client in ("127.0.0.1", "") else self._most // 4

    def _close(self, idle: Any) -> None:
        for one in list(idle)[:1]:
            one.transport.close()
            self.left(one)
            one.counted = False

    def idles(self, one: Connection) -> None:
        """Note that a connection waits for its next request."""
        self._idle.pop(one, None)
        self._idle[one] = None

    def works(self, one: Connection) -> None:
        """Note that something arrives on a connection."""
        self._idle.pop(one, None)

    def left(self, one: Connection) -> None:
        """Count a connection out."""
        self._idle.pop(one, None)
        self._clients[one.caller] -= 1
        if not self._clients[one.caller]:
            del self._clients[one.caller]


class Connection(HttpToolsProtocol):
    """One connection."""

    hosts: ClassVar[Hosts | None] = None
    """The names that we answer to; ``None``: to any."""
    crowd: ClassVar[Crowd | None] = None

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.caller = ""
        self.counted = False
        self._in_head = False
        self._whole = True
        """False while a request is still arriving."""
        self._arrived = 0
        """Heads and pieces of bodies that have arrived."""
        self._stray = 0
        """Bytes since then: an unfinished head, sizes of chunks, trailers."""
        self._clock: asyncio.TimerHandle | None = None
        self._wrong: ArenaError = Malformed("this is no HTTP request")

    # Beginning, end and time

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.caller = client_at(self.client[0] if self.client else "")
        self.counted = self.crowd is not None and self.crowd.admit(self)
        if self.crowd is not None and not self.counted:
            self._say_and_close(Crowded(Crowded.example))
            return
        self._start_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        if self.counted and self.crowd is not None:
            self.crowd.left(self)
        super().connection_lost(exc)

    def shutdown(self) -> None:
        if self._whole:
            super().shutdown()
        else:  # nobody waits for the rest
            self._refuse(Stopping(Stopping.example))

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.timeout_keep_alive_task is not None and self.counted and self.crowd is not None:
            self.crowd.idles(self)

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
            self._refuse(TooSlow(TooSlow.example))

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
        if self.counted and self.crowd is not None:
            self.crowd.works(self)
        before = self._arrived
        try:
            self._feed(data)
        except httptools.HttpParserError:
            self._refuse(self._wrong)
            return
        self._stray = 0 if self._arrived > before or self._whole else self._stray + len(data)
        if self._stray > LARGEST_HEAD:
            self._refuse(HeadTooLarge(HeadTooLarge.example))
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
        self._arrived += 1
        why = self._what_is_wrong(self.parser.get_http_version())
        if why is not None:
            self._wrong = why
            raise why  # the parser stops
        self._in_head = False
        if not self.parser.should_upgrade():
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._arrived += 1
        super().on_body(body)

    def on_message_complete(self) -> None:
        if not self.parser.should_upgrade():
            self._whole = True
            super().on_message_complete()

    def _what_is_wrong(self, version: str) -> ArenaError | None:
        size, hosts, codings = len(self.url), list[bytes](), list[bytes]()
        for name, value in self.headers:
            size += len(name) + len(value) + AROUND
            if name == b"host":
                hosts.append(value)
            elif name == b"transfer-encoding":
                codings.append(value.strip().lower())
        if size > LARGEST_HEAD:
            return HeadTooLarge(HeadTooLarge.example)
        if codings and (codings != [b"chunked"] or version != "1.1"):
            return Malformed("Transfer-Encoding is chunked here, and in HTTP/1.1 only")
        if version not in ("1.0", "1.1"):
            return Malformed("this arena speaks HTTP/1.1")
        if len(hosts) != 1 and (hosts or version == "1.1"):
            return Malformed(f"a request has one Host header, not {len(hosts)}")
        if not self.url.startswith(b"/"):
            named = ABSOLUTE.fullmatch(self.url)
            if named is None or (hosts and named[1].lower() != hosts[0].lower()):
                address = quoted(self.url.decode("latin-1"))
                return Malformed(f"an address is a path at this host, not {address}")
            hosts = [named[1]]
        for host in hosts:
            if HOST.fullmatch(host) is None:
                shown = quoted(host.decode("latin-1"))
                return Malformed(f"Host is a name or an address, with a port or not: {shown}")
            if self.hosts is not None and not self.hosts.admit(host):
                shown = quoted(host.decode("latin-1"))
                return WrongHost(
                    f"this arena is not known as {shown}: its operator can name it with "
                    "--public-url or --allow-host"
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
        elif cycle is not None and not cycle.response_complete:  # its body is not here
            cycle.disconnected = True
            cycle.message_event.set()
            self._say_and_close(None if cycle.response_started else error)
        else:
            answered = not self._whole and not self._in_head  # only the rest of its body is missing
            self._say_and_close(None if answered else error)

    def _say_and_close(self, error: ArenaError | None) -> None:
        self._stop_clock()
        if error is not None and not self.transport.is_closing():
            status, headers, body = answer_of(error)
            headers += [(b"content-length", b"%d" % len(body)), (b"connection", b"close")]
            head = b"".join(b"%b: %b\r\n" % one for one in headers)
            self.transport.write(STATUS_LINE[status] + head + b"\r\n" + body)
        self.transport.close()


def connection_of(hosts: Hosts | None, crowd: Crowd | None) -> type[Connection]:
    """Return the class of connections to an arena with these names and bounds."""
    return type("ArenaConnection", (Connection,), {"hosts": hosts, "crowd": crowd})
