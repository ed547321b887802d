"""Oracle factories elsewhere: other servers that speak this API, and keep games of our contests.

The source document's protocol is all that they need: a POST to the factory's address makes a
game and redirects to its oracle, which can be asked for base and length and takes
submissions. What they answer is their word; here it is only checked that it has the right
form, comes in time, and is not too long.

A request goes out only if the `allowlist` lets it, to a network address that is pinned there; no
redirect is followed, and no proxy of the environment is used. Whatever goes wrong is raised as
`FactoryFailed` or `FactorySlow`, in words of our own: what a factory says of its games could
give away where they are, and who knew that could play them behind our back.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from collections.abc import Awaitable, Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import httpcore

from fairground import __version__
from fairground.arena.contests.allowlist import Address, Allowed, NotAllowed, Resolve, by_the_system
from fairground.arena.http.problems import ArenaError, Forbidden
from fairground.clients.protocol import JSON
from fairground.contest.parts import Part
from fairground.games.codebreaking import Marks
from fairground.transcript import must_be_shallow

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
"""How a factory may say that it has made a game."""


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
    """What a server answered."""

    status: int
    location: str | None
    body: bytes

    def json(self) -> dict[str, Any]:
        """The object in the body."""
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
    """What is wrong with a factory, as the end of a sentence about it."""


class _Pinned(httpcore.AsyncNetworkBackend):
    """The only way out: connects to addresses that are pinned for a name, and to no other."""

    def __init__(self, allowed: Allowed) -> None:
        self._allowed = allowed
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Try the pinned addresses one after the other."""
        trouble: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in await self._allowed.pinned(host):
            try:
                return await self._network.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                trouble = error
        raise trouble

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Never."""
        raise NotAllowed("a factory is not reached by a path on this machine")

    async def sleep(self, seconds: float) -> None:
        """Between tries, of which there are none."""
        await self._network.sleep(seconds)


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
        self._pools: dict[tuple[str, str, int], httpcore.AsyncConnectionPool] = {}

    async def close(self) -> None:
        """Give up all connections."""
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            await pool.aclose()

    def must_allow(self, factory: str) -> None:
        """Refuse a factory that the operator did not allow."""
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
        except (TimeoutError, httpcore.TimeoutException):
            raise FactorySlow(f"{about} did not answer in time") from None
        except NotAllowed as reason:
            raise FactoryFailed(f"{about} is not asked: {reason}") from None
        except _Trouble as trouble:
            raise FactoryFailed(f"{about} {trouble}") from None
        except httpcore.ConnectError as error:
            how = "shows no certificate that fits" if _is_tls(error) else "takes no connection"
            raise FactoryFailed(f"{about} {how}") from None
        except socket.gaierror:
            raise FactoryFailed(f"{about} has a name that cannot be resolved") from None
        except (OSError, httpcore.NetworkError, httpcore.ProtocolError):
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

    async def _describe(self, oracle: Address) -> dict[str, Any]:
        reply = await self._send("GET", oracle)
        if reply.status != 200:
            raise _Trouble(f"answers {reply.status} when asked about its game")
        return reply.json()

    async def _send(self, method: str, to: Address, body: Any = None) -> Reply:
        """One request to an address that was found to be allowed; its answer, as it is."""
        headers: list[tuple[bytes | str, bytes | str]] = [
            ("Host", to.authority),
            ("Accept", JSON),
            ("User-Agent", f"fairground/{__version__}"),
        ]
        content = None
        if body is not None:
            headers.append(("Content-Type", JSON))
            content = json.dumps(body).encode()
        url = httpcore.URL(scheme=to.scheme, host=to.host, port=to.port, target=to.target)
        limits = {"connect": CONNECT, "read": self._seconds, "write": self._seconds}
        async with self._pool(to).stream(
            method, url, headers=headers, content=content, extensions={"timeout": limits}
        ) as response:
            data = b""
            async for piece in response.aiter_stream():
                data += piece
                if len(data) > LARGEST:
                    raise _Trouble(f"answers more than {LARGEST} bytes")
            found = (value for name, value in response.headers if name.lower() == b"location")
            location = next(found, b"").decode("latin-1")
            return Reply(response.status, location or None, data)

    def _pool(self, to: Address) -> httpcore.AsyncConnectionPool:
        if to.origin not in self._pools:
            self._pools[to.origin] = httpcore.AsyncConnectionPool(
                ssl_context=self._trust or ssl.create_default_context(),
                max_connections=CONNECTIONS,
                keepalive_expiry=IDLE,
                network_backend=_Pinned(self._allowed),
            )
        return self._pools[to.origin]


def _refusal(failure: BaseException) -> ArenaError:
    """The same failure, said of a contest that was not made."""
    assert isinstance(failure, FAILURES)
    return type(failure)(f"{failure}; so no contest was made")


def _is_tls(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
