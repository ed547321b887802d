"""Remote oracle factories, and the allowlist of addresses to which the arena sends requests.

Three rules keep a request where the operator wanted it.

**By its text.** An address is split and compared in parts. Scheme, host and port must be equal, and
the path must begin with the allowed one, at the end of a segment. Ambiguous addresses are refused:
a user before the host, ``..``, encoded dots and slashes, backslashes.

**By name resolution.** A name is resolved once, when it is first needed. Its network addresses are
cached until the process ends, so a name that moves later is not followed. A name must lead to
public addresses. An operator who means a machine of their own network, or this one, writes its
address, or ``localhost``.

**By redirect.** No redirect is followed. A factory names the address of a new game, and this
address must be on the allowlist too.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx

from fairground import __version__
from fairground.clients.http import no_cookies
from fairground.clients.protocol import JSON
from fairground.contest.games import Part
from fairground.core import InputError
from fairground.games.codebreaking.rules import Marks
from fairground.server.http.problems import ArenaError, Forbidden
from fairground.transcript import must_be_shallow

LONGEST: Final = 2_000
"""Characters of an address."""

_PLAIN: Final = re.compile(r"[!#-;=?-\[\]_a-z~]+", re.ASCII | re.IGNORECASE)
"""Characters of an address: no spaces or control characters, no quotes, no backslash."""

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


def read_address(url: str) -> httpx.URL:
    """Take a URL apart; raise `InputError` for what is no plain http or https address."""
    why = _what_is_wrong(url)
    if why:
        raise InputError(f"{url[:200]!r} cannot be used as an address: {why}")
    found = httpx.URL(url)
    usual = {"http": 80, "https": 443}[found.scheme]
    host = str(_literal(found.host) or found.host)
    return found.copy_with(host=host, port=None if found.port == usual else found.port)


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
    if parts.scheme not in ("http", "https"):
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

    def read(self, url: str, base: httpx.URL | None = None) -> httpx.URL:
        """Return an allowed address, or refuse it; a relative one starts at ``base``."""
        try:
            address = read_address(url if base is None else urljoin(str(base), url))
        except (InputError, ValueError) as error:
            raise NotAllowed(str(error)) from None
        if not any(_covers(prefix, address) for prefix in self._prefixes):
            raise NotAllowed("no prefix that the operator allowed covers it (--allow-factory)")
        return address

    async def pinned(self, host: str) -> Sequence[str]:
        """Return the network addresses of a host, as they were at the first call."""
        if not any(prefix.host == host for prefix in self._prefixes):
            raise NotAllowed(f"the host {host!r} is not allowed")
        if _literal(host) is not None:
            return [host]
        async with self._resolving.setdefault(host, asyncio.Lock()):
            if host not in self._pins:
                self._pins[host] = _must_be_meant(host, await self._resolve(host))
        return self._pins[host]


def _prefix(text: str) -> httpx.URL:
    address = read_address(text)
    if "?" in text:
        raise InputError(f"{text!r} cannot be an allowed prefix: it has a query (?)")
    return address


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port  # no port: the usual one of the scheme


def _covers(prefix: httpx.URL, address: httpx.URL) -> bool:
    if _origin(prefix) != _origin(address):
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


# Factories: other servers that speak this API, and keep games of our contests
#
# They need only the source document's protocol. A POST to the factory's address makes a game and
# redirects to its oracle, which has a base and a length and takes submissions. Their answers are
# their word. We check only the form, the time and the size.
#
# A request goes out only if the allowlist admits it. It names the pinned network address, so httpx
# resolves no name. No redirect is followed, no proxy of the environment is used, and no cookie is
# kept. Every error is raised as `FactoryFailed` or `FactorySlow`, in our own words: a factory's
# words could give away the address of a game, and anyone who knew it could play it behind our back.


CONNECT: Final = 5.0
"""Seconds until a factory must have taken the connection."""
SECONDS: Final = 10.0
"""Seconds until a factory must have answered in full."""

LARGEST: Final = 65_536
"""Bytes of an answer's body that are read."""

CONNECTIONS: Final = 20
"""Connections to one factory at a time. Further requests wait, within the same time limit."""

IDLE: Final = 2.0
"""Seconds that a connection is kept for the next request."""

MADE: Final = (201, 302, 303)
"""Statuses with which a factory may announce a new game."""


class FactoryFailed(ArenaError):
    """The oracle factory behind this game does not do its part; nothing was counted."""

    code = "arena/factory"
    status = 502
    retry_after = 2
    example = "the oracle factory 'https://friend.example/neworacle' takes no connection"


class FactorySlow(ArenaError):
    """The oracle factory behind this game did not answer in time; nothing was counted."""

    code = "arena/factory-timeout"
    status = 504
    retry_after = 2
    example = "the oracle factory 'https://friend.example/neworacle' did not answer in time"


T = TypeVar("T")

FAILURES: Final = (FactoryFailed, FactorySlow)


class Reply(NamedTuple):
    """The reply of a remote server."""

    status: int
    location: str | None
    body: bytes

    def json(self) -> dict[str, Any]:
        try:
            text = self.body.decode()
            must_be_shallow(text)
            said = json.loads(text)
        except ValueError:
            said = None
        if not isinstance(said, dict):
            raise _Trouble("answers something that is no JSON object")
        return said


class _Trouble(Exception):
    """A failure of a factory. Its text ends a sentence that begins with the factory."""


class Factories:
    """All factories that the operator allows."""

    def __init__(
        self,
        allowed: Sequence[str] = (),
        *,
        resolve: Resolve = by_the_system,
        seconds: float = SECONDS,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        """``allowed``: URL prefixes. ``trust``: whose certificates; the system's by default."""
        self._allowed = Allowed(allowed, resolve)
        self._seconds = seconds
        self._trust = trust
        self._clients: dict[tuple[str, str, int | None], httpx.AsyncClient] = {}
        """Origin → its own connections: two names at one address never share a TLS connection."""

    async def close(self) -> None:
        clients, self._clients = self._clients, {}
        for client in clients.values():
            await client.aclose()

    def must_allow(self, factory: str) -> None:
        try:
            self._allowed.read(factory)
        except NotAllowed as reason:
            about = f"the operator of this arena does not allow the oracle factory {factory!r}"
            raise Forbidden(f"{about}: {reason}") from None

    async def make(self, factory: str, base: int, length: int, oracle_type: str) -> str:
        """Have a game made; the address of its oracle, which is nobody else's business."""
        return await self._within(factory, self._make(factory, base, length, oracle_type))

    async def probe(self, parts: Iterable[Part]) -> None:
        """Raise unless every factory makes a game of each kind that is wanted, and answers in it.

        The game is left behind: the source document knows no way to end one.
        """
        wanted = {(*part[:3], part.factory) for part in parts if part.factory is not None}
        room = asyncio.Semaphore(CONNECTIONS)

        async def tried(base: int, length: int, oracle_type: str, factory: str) -> None:
            async with room:
                oracle = await self.make(factory, base, length, oracle_type)
                answer = await self.submit(factory, oracle, [0] * length, again=False)
            if not (min(answer) >= 0 and sum(answer) <= length):
                raise FactoryFailed(
                    f"the oracle factory {factory!r} gives counts that no code has: {answer}"
                )

        try:
            async with asyncio.TaskGroup() as group:
                for one in sorted(wanted):
                    group.create_task(tried(*one))
        except* FAILURES as failures:
            raise _refusal(failures.exceptions[0]) from None

    async def submit(
        self, factory: str, oracle: str, guess: Sequence[int], *, again: bool
    ) -> Marks:
        """Relay a submission; the answer. ``again``: it was sent before, and no answer came."""
        return await self._within(factory, self._submit(oracle, guess, again))

    async def _within(self, factory: str, doing: Awaitable[T]) -> T:
        """Give a factory its time; if it fails, say which one, and how."""
        about = f"the oracle factory {factory!r}"
        try:
            async with asyncio.timeout(self._seconds):
                return await doing
        except (TimeoutError, httpx.TimeoutException):
            raise FactorySlow(f"{about} did not answer in time") from None
        except NotAllowed as reason:
            raise FactoryFailed(f"{about} is not asked: {reason}") from None
        except _Trouble as trouble:
            raise FactoryFailed(f"{about} {trouble}") from None
        except httpx.ConnectError as error:
            how = "shows no certificate that fits" if _is_tls(error) else "takes no connection"
            raise FactoryFailed(f"{about} {how}") from None
        except socket.gaierror:
            raise FactoryFailed(f"{about} has a name that cannot be resolved") from None
        except (OSError, httpx.HTTPError):
            raise FactoryFailed(f"{about} breaks the connection off") from None

    async def _make(self, factory: str, base: int, length: int, oracle_type: str) -> str:
        wanted = {"base": base, "length": length, "oracle_type": oracle_type}
        where = self._allowed.read(factory)
        made = await self._send("POST", where, wanted)
        if made.status not in MADE or not made.location:
            raise _Trouble(f"answers {made.status} and makes no game")
        try:
            oracle = self._allowed.read(made.location, where)
        except NotAllowed:
            raise _Trouble(
                "makes its games at an address that the operator of this arena does not allow"
            ) from None
        said = await self._describe(oracle)
        for name, value in wanted.items():
            found = said.get(name, oracle_type if name == "oracle_type" else None)
            if type(found) is not type(value) or found != value:
                raise _Trouble(f"makes another game than it was asked for: its {name} is wrong")
        return str(oracle)

    async def _submit(self, oracle: str, guess: Sequence[int], again: bool) -> Marks:
        where = self._allowed.read(oracle)
        reply = await self._send("POST", where, {"submission": list(guess)})
        if again and reply.status == 409 and (await self._describe(where)).get("solved") is True:
            return len(guess), 0  # it was the code, and only the answer got lost
        if reply.status != 200:
            raise _Trouble(f"answers a submission with {reply.status}")
        said = reply.json()
        full, partial = (said.get(f"{name}_match_count") for name in ("full", "partial"))
        if type(full) is not int or type(partial) is not int:
            raise _Trouble("answers a submission without two counts")
        return full, partial

    async def _describe(self, oracle: httpx.URL) -> dict[str, Any]:
        reply = await self._send("GET", oracle)
        if reply.status != 200:
            raise _Trouble(f"answers {reply.status} when asked about its game")
        return reply.json()

    async def _send(self, method: str, to: httpx.URL, body: Any = None) -> Reply:
        """Send one request to an allowed address, and return its raw answer."""
        headers = {"Host": to.netloc.decode()} | ({} if body is None else {"Content-Type": JSON})
        content = None if body is None else json.dumps(body).encode()
        trouble: httpx.HTTPError = httpx.ConnectError("there is no address to connect to")
        for address in await self._allowed.pinned(to.host):
            url = to.copy_with(host=address)
            try:
                # The certificate is checked by the name in the address, and not by the network's.
                by_name = {"sni_hostname": to.host}
                async with self._client(to).stream(
                    method, url, headers=headers, content=content, extensions=by_name
                ) as answer:
                    return await _read(answer)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                trouble = error
        raise trouble

    def _client(self, to: httpx.URL) -> httpx.AsyncClient:
        origin = _origin(to)
        if origin not in self._clients:
            self._clients[origin] = httpx.AsyncClient(
                verify=self._trust or ssl.create_default_context(),
                trust_env=False,
                cookies=no_cookies(),
                timeout=httpx.Timeout(self._seconds, connect=CONNECT),
                limits=httpx.Limits(max_connections=CONNECTIONS, keepalive_expiry=IDLE),
                headers={
                    "Accept": JSON,
                    "Accept-Encoding": "identity",
                    "User-Agent": f"fairground/{__version__}",
                },
            )
        return self._clients[origin]


async def _read(answer: httpx.Response) -> Reply:
    data = bytearray()
    async for piece in answer.aiter_raw():
        data += piece
        if len(data) > LARGEST:
            raise _Trouble(f"answers more than {LARGEST} bytes")
    return Reply(answer.status_code, answer.headers.get("Location"), bytes(data))


def _refusal(failure: BaseException) -> ArenaError:
    """Return the error for a contest that was not made because a factory failed."""
    assert isinstance(failure, FAILURES)
    return type(failure)(f"{failure}; so no contest was made")


def _is_tls(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
