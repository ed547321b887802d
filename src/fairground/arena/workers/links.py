"""Calls from worker to worker: a request goes one way, its answer comes back.

Each worker listens on a socket in a folder that only this arena can enter, and is connected to all
others. A message is its length (four bytes) and MessagePack. Many calls are under way at the same
time, told apart by a number.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from abc import abstractmethod
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from fairground.arena.http.joined import Joined

AGAIN: Final = 0.1
"""Seconds until it is tried again to reach a worker."""

MOST_CALLS: Final = 10_000
"""Calls that may be under way to one worker."""

GRACE: Final = 10
"""Seconds that calls may take when a worker is told to stop."""

LENGTH: Final = 4

Headers = list[tuple[bytes, bytes]]


class Call(msgspec.Struct, array_like=True, tag=0, gc=False):
    """A request that another worker is to serve."""

    number: int
    method: str
    path: str
    raw_path: bytes
    query_string: bytes
    http_version: str
    scheme: str
    server: tuple[str, int | None] | None
    client: tuple[str, int] | None
    headers: Headers
    body: bytes
    request: str
    """Its name in answers and logs."""


class Submission(msgspec.Struct, array_like=True, tag=1, gc=False):
    """A plain submission to an oracle that another worker keeps: most calls are such."""

    number: int
    oracle: str
    digits: bytes
    client: str
    request: str


class Counted(msgspec.Struct, array_like=True, tag=0, gc=False):
    """What the oracle answered to a plain submission."""

    number: int
    full: int
    partial: int
    receipt: str


class Reply(msgspec.Struct, array_like=True, tag=1, gc=False):
    """What a request was answered, or why a submission was refused."""

    number: int
    status: int
    headers: Headers
    body: bytes
    route: str | None
    """The pattern of the route that served it."""


class Usage(msgspec.Struct, array_like=True, tag=2):
    """What clients have used at the worker that says so. Nothing is answered."""

    worker: int
    asked: dict[str, int]
    """How often each has asked since this was last said."""
    held: dict[str, dict[str, int]]
    """What of → how many each has open, where that has changed."""


class Gone(Exception):
    """The other worker went away before it answered."""


AnyCall = Call | Submission
Answer = Counted | Reply

_write = msgspec.msgpack.Encoder().encode


class _Messages(asyncio.Protocol):
    """One end of a connection: cuts what comes in into messages."""

    decoder: msgspec.msgpack.Decoder[Any]

    def __init__(self) -> None:
        self._data = bytearray()
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = Joined(transport)

    def data_received(self, data: bytes) -> None:
        held = self._data
        held += data
        at = 0
        with memoryview(held) as view:
            while len(held) - at >= LENGTH:
                end = at + LENGTH + int.from_bytes(view[at : at + LENGTH])
                if end > len(held):
                    break
                self.got(self.decoder.decode(view[at + LENGTH : end]))
                at = end
        del held[:at]

    @abstractmethod
    def got(self, message: Any) -> None:
        """A message is here."""

    def say(self, message: Any) -> None:
        """Send a message, unless nobody is there any more."""
        data = _write(message)
        if not self._transport.is_closing():
            self._transport.write(len(data).to_bytes(LENGTH) + data)

    def hang_up(self) -> None:
        """End the connection once everything is sent."""
        self._transport.close()


class _Calling(_Messages):
    """The end that calls."""

    decoder = msgspec.msgpack.Decoder(Counted | Reply)

    def __init__(self, lost: asyncio.Event) -> None:
        super().__init__()
        self._lost = lost
        self.waiting: dict[int, asyncio.Future[Answer]] = {}

    def got(self, message: Answer) -> None:
        waits = self.waiting.pop(message.number, None)
        if waits is not None and not waits.done():
            waits.set_result(message)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost.set()
        for waits in self.waiting.values():
            if not waits.done():
                waits.set_exception(Gone())
        self.waiting.clear()


class Link:
    """The way to one other worker, connected again whenever it breaks."""

    def __init__(self, path: Path, greeting: Callable[[], Usage]) -> None:
        """``greeting``: what is said first whenever there is a connection."""
        self._path = path
        self._greeting = greeting
        self._line: _Calling | None = None
        self._lost = asyncio.Event()
        self._numbers = itertools.count()
        self._keeping: asyncio.Task[None] | None = None

    def call(self, make: Callable[[int], AnyCall]) -> asyncio.Future[Answer] | None:
        """Make a call: what is answered, or `Gone`; ``None``: nobody is there to be called."""
        line = self._line
        if line is None or self._lost.is_set() or len(line.waiting) >= MOST_CALLS:
            return None
        number = next(self._numbers)
        waits = line.waiting[number] = asyncio.get_running_loop().create_future()
        line.say(make(number))
        return waits

    def tell(self, usage: Usage) -> None:
        """Say what clients have used, if anybody is there."""
        if self._line is not None:
            self._line.say(usage)

    async def __aenter__(self) -> Self:
        self._keeping = asyncio.create_task(self._keep_connected())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._keeping is not None
        self._keeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._keeping
        if self._line is not None:
            self._line.hang_up()

    async def _keep_connected(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                _, self._line = await loop.create_unix_connection(
                    lambda: _Calling(self._lost), str(self._path)
                )
            except OSError:
                await asyncio.sleep(AGAIN)
                continue
            self.tell(self._greeting())
            await self._lost.wait()
            self._line = None
            self._lost.clear()


class _Answering(_Messages):
    """The end that is called."""

    decoder = msgspec.msgpack.Decoder(Call | Submission | Usage)

    def __init__(self, switchboard: Switchboard) -> None:
        super().__init__()
        self._switchboard = switchboard
        self._caller: int | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._switchboard.lines.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._switchboard.lines.discard(self)
        if self._caller is not None:
            self._switchboard.gone(self._caller)

    def got(self, message: AnyCall | Usage) -> None:
        if isinstance(message, Usage):
            self._caller = message.worker
            self._switchboard.hear(message)
        else:
            self._switchboard.take(message, self)


class Switchboard:
    """Takes the calls of other workers, and lets them be served."""

    def __init__(
        self,
        path: Path,
        serve: Callable[[AnyCall], Awaitable[Answer]],
        hear: Callable[[Usage], None],
        gone: Callable[[int], None],
    ) -> None:
        """``hear`` what others say; ``gone`` is told which worker says no more."""
        self._path = path
        self._serve = serve
        self.hear, self.gone = hear, gone
        self._server: asyncio.AbstractServer | None = None
        self._calls: set[asyncio.Task[None]] = set()
        self.lines: set[_Answering] = set()

    async def __aenter__(self) -> Self:
        self._path.unlink(missing_ok=True)  # of one who sat here before, and died
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(lambda: _Answering(self), str(self._path))
        return self

    async def __aexit__(self, *_: object) -> None:
        """Who was called answers before it goes."""
        assert self._server is not None
        self._server.close()
        self._path.unlink(missing_ok=True)
        if self._calls:
            await asyncio.wait(self._calls, timeout=GRACE)
        for line in list(self.lines):
            line.hang_up()

    def take(self, call: AnyCall, line: _Answering) -> None:
        """Serve a call, and answer on the line on which it came."""
        task = asyncio.create_task(self._answer(call, line))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def _answer(self, call: AnyCall, line: _Answering) -> None:
        """Whatever goes wrong, who called does not wait for ever: it hears that we are gone."""
        try:
            line.say(await self._serve(call))
        except BaseException:
            line.hang_up()
            raise
