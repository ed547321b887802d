"""Running the arena: one process on SQLite, or several workers on one PostgreSQL.

`serve` binds the socket, starts uvicorn, and comes back when it was told to stop: with
the signal that told it. Streams of events are ended first, so that stopping does not wait
for those who only listen; whatever was acknowledged is durable already.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

import msgspec
import uvicorn
from uvicorn.supervisors import Multiprocess

from fairground.arena.app import make_app
from fairground.arena.contests.factories import Factories
from fairground.arena.croupier.opened import ArenaCroupier, CroupierPlace, open_chain
from fairground.arena.http.connection import KEPT_ALIVE, Arrival
from fairground.arena.http.fast_lane import FastLane
from fairground.arena.http.gate import (
    GAMES_IN_MEMORY,
    IDLE,
    OPEN_GAMES,
    RATE,
    REQUEST,
    SHARE,
    Asgi,
    ClientLimits,
    Gate,
    Receive,
    Scope,
    Send,
)
from fairground.arena.http.metrics import Metrics
from fairground.arena.http.repeats import Repeats
from fairground.arena.page.files import Page
from fairground.arena.state import has_started, the_arena
from fairground.bank.messages import Key
from fairground.core import InputError
from fairground.store import open_store

GRACE: Final = 10
"""Seconds that requests in flight may take when the arena is told to stop."""

PATIENCE: Final = 30
"""Seconds until a worker that says nothing counts as dead, and is killed: on a busy machine it
may not even have started after the five that uvicorn gives it."""

BACKLOG: Final = 2048

COLLECTING: Final = (10_000, 20, 500)
"""How seldom Python looks for cycles (`gc.set_threshold`). Looking through the games of a busy
hall takes a second in which nobody is served, and finds nothing: games hold no cycles. So
the young objects are looked through now and then, all of them about once an hour of work."""

SCHEMA: Final = "/schema"

SETTINGS: Final = "FAIRGROUND_SETTINGS"
"""The environment variable by which workers learn their settings."""


class Settings(msgspec.Struct, frozen=True):
    """How to run an arena."""

    database: str
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    public_url: str | None = None
    allow_factories: tuple[str, ...] = ()
    rate: int = RATE
    share: int = SHARE
    open_games: int = OPEN_GAMES
    idle_limit: int = IDLE
    games_in_memory: int = GAMES_IN_MEMORY
    access_log: bool = False
    allow_frames: tuple[str, ...] = ()
    croupier: CroupierPlace | None = CroupierPlace()

    def check(self) -> None:
        """Refuse what cannot work, before anything is started."""
        if not 0 <= self.port <= 65535:
            raise InputError(f"a port is a number from 0 to 65535, not {self.port}")
        if self.workers < 1:
            raise InputError(f"at least one worker is needed, not {self.workers}")
        if self.workers > 1 and not self.database.startswith(("postgresql://", "postgres://")):
            raise InputError(
                f"{self.workers} workers need one PostgreSQL behind them: a SQLite file has one "
                "writer, and only its own process hears of what was written. Use --workers 1, or "
                "--database postgresql://user@host/name"
            )
        if self.games_in_memory < 1:
            raise InputError(f"at least one game is kept in memory, not {self.games_in_memory}")
        Factories(self.allow_factories)
        Page(self.allow_frames)
        if self.share > 100:
            raise InputError(f"a share is at most 100 percent, not {self.share}")
        for limit in (self.rate, self.share, self.open_games, self.idle_limit):
            if limit < 0:
                raise InputError(f"a limit is a positive number, or 0 for none, not {limit}")
        if self.public_url is not None and not self.public_url.startswith(("http://", "https://")):
            raise InputError(f"a public URL begins with http:// or https://: {self.public_url!r}")
        if self.croupier is not None:
            self.croupier.check(self.workers)


class GatedArena:
    """The application behind its gate, and a way to tell it that the end is near."""

    def __init__(self, settings: Settings, croupier_key: Key | None = None) -> None:
        limits, metrics = ClientLimits(settings.rate, settings.open_games), Metrics()
        place = settings.croupier
        self._app = make_app(
            settings.database,
            public_url=settings.public_url,
            factories=Factories(settings.allow_factories),
            limits=limits,
            metrics=metrics,
            idle_limit=settings.idle_limit,
            games_in_memory=settings.games_in_memory,
            frames=settings.allow_frames,
            croupier=None if place is None else ArenaCroupier(place, croupier_key),
        )
        app: Any = self._app
        self._described = False
        self._describing = asyncio.Lock()
        inside = Repeats(FastLane(app, app.state), app.state)
        self._gate = Gate(
            inside, limits, metrics, share=settings.share, access_log=settings.access_log
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if not self._described and scope["type"] == "http" and scope["path"].startswith(SCHEMA):
            await self._describe()
        await self._gate(scope, receive, send)

    async def _describe(self) -> None:
        """Make the OpenAPI document, once, where it holds nobody up."""
        async with self._describing:
            if not self._described:
                document: Any = self._app.plugins.get("OpenAPIPlugin")
                await asyncio.to_thread(document.provide_openapi_schema)
                self._described = True

    def closing(self) -> None:
        """End all streams of events. To be called in the event loop."""
        if has_started(self._app.state):
            the_arena(self._app.state).end_streams()


def from_environment() -> Asgi:
    """The application of a worker."""
    _quiet_logs()
    collect_seldom()
    arena = GatedArena(msgspec.json.decode(os.environ[SETTINGS], type=Settings))
    _end_streams_when_told_to_stop(arena)
    return arena


def _end_streams_when_told_to_stop(arena: GatedArena) -> None:
    """In a worker uvicorn makes the server, and not a `_Server`: so follow its signals."""
    loop = asyncio.get_running_loop()

    def follow(before: Any) -> Callable[[int, FrameType | None], None]:
        def handle(number: int, frame: FrameType | None) -> None:
            before(number, frame)
            loop.call_soon_threadsafe(arena.closing)

        return handle

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, follow(signal.getsignal(number)))


def collect_seldom() -> None:
    """Keep Python's collector of cycles from standing in everybody's way."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTING)


class _Server(uvicorn.Server):
    """Tells the arena before it stops, and its owner when it has started."""

    def __init__(
        self, config: uvicorn.Config, arena: GatedArena, started: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._arena = arena
        self._started = started
        self.told: list[int] = []
        """The signals that made it stop."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._arena.closing()
        await super().shutdown(sockets)

    def capture_signals(self) -> Any:
        """Ours: uvicorn would raise the signal again, and SIGTERM would kill us."""
        return _Signals(self)


class _Signals:
    """While the server runs, SIGINT and SIGTERM make it stop. Only the main thread can."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._before: dict[int, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._handle)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._server.told.append(number)
        self._server.handle_exit(number, frame)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def bind(host: str, port: int) -> socket.socket:
    """The listening socket; port 0 takes any free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        raise InputError(
            f"cannot listen on {host} port {port}: {error.strerror or error}. "
            "Is another arena running? Try --port 0 for any free port"
        ) from None
    sock.set_inheritable(True)
    return sock


def address_of(sock: socket.socket) -> str:
    """The URL at which a socket is reached on this machine."""
    host, port = sock.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}"


def serve(
    settings: Settings, started: Callable[[str], None], croupier_key: Key | None = None
) -> int:
    """Run until a signal says stop, and return that signal; ``started`` is told the URL.

    ``croupier_key``: for a Croupier on a chain; it is given to no other process.
    """
    settings.check()
    _quiet_logs()
    asyncio.run(_try_out(settings))
    with _alone(settings.database):
        return _serve(settings, started, croupier_key)


def _serve(settings: Settings, started: Callable[[str], None], croupier_key: Key | None) -> int:
    sock = bind(settings.host, settings.port)
    url = address_of(sock)
    if settings.workers > 1:
        return _serve_with_workers(settings, sock, lambda: started(url))
    arena = GatedArena(settings, croupier_key)
    collect_seldom()
    server = _Server(_config(arena), arena, lambda: started(url))
    server.run(sockets=[sock])
    if not server.started:
        raise InputError("the arena could not start: see the log above")
    return server.told[0] if server.told else signal.SIGTERM


@contextmanager
def _alone(database: str) -> Iterator[None]:
    """Hold an SQLite file for this arena: a second one would not hear what the first writes."""
    path = database.removeprefix("sqlite:///")
    if path == database:
        yield
        return
    with Path(f"{path}.lock").open("a", encoding="ascii") as lock:  # it ends with this process
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"another arena uses the database {path!r}: a SQLite file is for one. Stop that "
                "one, name another file, or use PostgreSQL for both"
            ) from None
        yield


async def _try_out(settings: Settings) -> None:
    """Open the store and the Bank once: what is wrong with them is said in plain words."""
    store = await open_store(settings.database)
    await store.close()
    if settings.croupier is not None and settings.croupier.node is not None:
        bank = await open_chain(settings.croupier)
        await bank.close()


def _serve_with_workers(
    settings: Settings, sock: socket.socket, started: Callable[[], None]
) -> int:
    """A parent that watches its workers; what connects meanwhile waits in the backlog."""
    os.environ[SETTINGS] = msgspec.json.encode(settings).decode()
    config = _config("fairground.arena.serve:from_environment", workers=settings.workers)
    supervisor = Multiprocess(config, sockets=[sock])
    told: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        told.append(number)
        supervisor.signal_queue.append(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    started()
    supervisor.run()
    return told[0] if told else signal.SIGTERM


def _config(app: GatedArena | str, workers: int = 1) -> uvicorn.Config:
    what: Any = app
    return uvicorn.Config(
        what,
        factory=isinstance(app, str),
        interface="asgi3",
        workers=workers,
        loop="uvloop" if os.name == "posix" else "asyncio",
        http=Arrival,
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_keep_alive=KEPT_ALIVE,
        timeout_graceful_shutdown=GRACE,
        timeout_worker_healthcheck=PATIENCE,
        backlog=BACKLOG,
    )


def _quiet_logs() -> None:
    """Structured lines on standard error: the access log, and what went wrong."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Structured())
    for name, level in (("fairground", logging.INFO), ("uvicorn", logging.WARNING)):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level)
        logger.propagate = False


class _Structured(logging.Formatter):
    """One JSON object a line. The access log is one already."""

    def format(self, record: logging.LogRecord) -> str:
        if record.name == "fairground.access":
            return record.getMessage()
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if request := REQUEST.get():
            line["request"] = request
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()
