"""Where the arena may send requests of its own: the prefixes that its operator allowed.

Three rules keep a request where the operator wanted it.

**By its text.** An address is taken apart and compared piece by piece: scheme, host and port
must be equal, and the path must begin with the allowed one, at the end of a segment. Whatever
could mean one thing to us and another to the server (a user before the host, ``..``,
encoded dots and slashes, backslashes) is no address here.

**By name resolution.** A name is resolved once, when it is first needed, and those network
addresses are kept until the process ends: if the name moves to another place later, we do not
follow. A name must lead to public addresses. An operator who means a machine of their own
network, or this one, writes its address, or ``localhost``.

**By redirect.** No redirect is followed (`factories`); where a factory says that it has made a
game is an address like any other, and must be allowed itself.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple
from urllib.parse import urljoin, urlsplit

from fairground.core import InputError

PORTS: Final = {"http": 80, "https": 443}

LONGEST: Final = 2_000
"""Characters of an address."""

_PLAIN: Final = re.compile(r"[!#-;=?-\[\]_a-z~]+", re.ASCII | re.IGNORECASE)
"""What an address may be made of: no spaces or control characters, no quotes, no backslash."""

_NAME: Final = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]*[a-z_-][a-z0-9_-]*", re.ASCII)
"""A host's name. Its last label is no number: that would be an IP address in another spelling."""

_TRICKS: Final = re.compile(r"%(?:2e|2f|5c|25|[01][0-9a-f]|7f)|%(?![0-9a-f]{2})", re.IGNORECASE)
"""Encoded dots, slashes, backslashes, percent signs and control characters."""

TUNNELS: Final = tuple(map(ipaddress.ip_network, ("2002::/16", "2001::/32", "64:ff9b::/32")))
"""IPv6 networks whose addresses stand for IPv4 ones, which need not be public."""

LOCALHOST: Final = "localhost"

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""Gives the network addresses of a host's name."""


class Address(NamedTuple):
    """A URL, taken apart."""

    scheme: str
    host: str
    """In lower case; an IPv6 address without its brackets."""
    port: int
    path: str
    """From the first slash on; never empty."""
    query: str = ""

    @property
    def target(self) -> str:
        """What stands in the first line of a request."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port."""
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """Host and port, as they are written in a URL."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def read_address(url: str) -> Address:
    """Take a URL apart; raise `InputError` for what is no plain http or https address."""
    why = _what_is_wrong(url)
    if why:
        raise InputError(f"{url[:200]!r} cannot be used as an address: {why}")
    parts = urlsplit(url)
    host = parts.hostname or ""
    literal = _literal(host)
    port = parts.port or PORTS[parts.scheme]
    return Address(parts.scheme, str(literal or host), port, parts.path or "/", parts.query)


def _what_is_wrong(url: str) -> str | None:
    if len(url) > LONGEST:
        return f"it has more than {LONGEST} characters"
    if not _PLAIN.fullmatch(url):
        return "it has a space, a backslash, a quote or a character beyond ASCII"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        return str(error)
    if parts.scheme not in PORTS:
        return "it must begin with http:// or https://"
    if "@" in parts.netloc:
        return "a name or password before the host is not accepted"
    if "#" in url:
        return "a fragment (#) is not accepted"
    if not host or port == 0 or parts.netloc.endswith(":"):
        return "host or port is missing"
    if _literal(host) is None and not _NAME.fullmatch(host):
        return f"{host!r} is neither a host's name nor an IP address as it is usually written"
    if _TRICKS.search(parts.path):
        return "its path has encoded dots, slashes, percent or control characters"
    if any(part.partition(";")[0] in (".", "..") for part in parts.path.split("/")):
        return "its path has . or .. in it"
    return None


def _literal(host: str) -> IPAddress | None:
    try:
        return None if "%" in host else ipaddress.ip_address(host)
    except ValueError:
        return None


async def by_the_system(host: str) -> Sequence[str]:
    """Resolve a name as any program on this machine would."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class NotAllowed(Exception):
    """A request that must not be sent, and why."""


class Allowed:
    """The operator's prefixes, and what their names were found to mean."""

    def __init__(self, prefixes: Sequence[str], resolve: Resolve = by_the_system) -> None:
        self._prefixes = [_prefix(text) for text in prefixes]
        self._resolve = resolve
        self._pins: dict[str, list[str]] = {}
        self._resolving: dict[str, asyncio.Lock] = {}

    def read(self, url: str, base: Address | None = None) -> Address:
        """An address that may be asked; ``base``: what a relative one is relative to."""
        try:
            address = read_address(url if base is None else urljoin(str(base), url))
        except (InputError, ValueError) as error:
            raise NotAllowed(str(error)) from None
        if not any(_covers(prefix, address) for prefix in self._prefixes):
            raise NotAllowed("no prefix that the operator allowed covers it (--allow-factory)")
        return address

    async def pinned(self, host: str) -> Sequence[str]:
        """The network addresses to connect to for a host: the same as the first time."""
        if not any(prefix.host == host for prefix in self._prefixes):
            raise NotAllowed(f"the host {host!r} is not allowed")
        if _literal(host) is not None:
            return [host]
        async with self._resolving.setdefault(host, asyncio.Lock()):
            if host not in self._pins:
                self._pins[host] = _must_be_meant(host, await self._resolve(host))
        return self._pins[host]


def _prefix(text: str) -> Address:
    address = read_address(text)
    if "?" in text:
        raise InputError(f"{text!r} cannot be an allowed prefix: it has a query (?)")
    return address


def _covers(prefix: Address, address: Address) -> bool:
    if prefix.origin != address.origin:
        return False
    return address.path == prefix.path or address.path.startswith(prefix.path.rstrip("/") + "/")


def _must_be_meant(host: str, found: Sequence[str]) -> list[str]:
    """Refuse a name that leads somewhere the operator cannot have meant."""
    addresses = [ipaddress.ip_address(text.partition("%")[0]) for text in found]
    if not addresses:
        raise NotAllowed(f"the name {host!r} has no address")
    for address in addresses:
        if host == LOCALHOST and not address.is_loopback:
            raise NotAllowed(f"the name {host!r} leads away from this machine, to {address}")
        if host != LOCALHOST and not _is_public(address):
            raise NotAllowed(
                f"the name {host!r} leads to {address}, which is not public; if that is meant, "
                "the operator must allow the address itself"
            )
    return [str(address) for address in addresses]


def _is_public(address: IPAddress) -> bool:
    if any(address in network for network in TUNNELS if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast
