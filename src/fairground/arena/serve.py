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
import ssl
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Final

import msgspec
import uvicorn

from fairground.arena.app import make_app
from fairground.arena.contests.factories import Factories
from fairground.arena.croupier.opened import ArenaCroupier, CroupierPlace, open_chain
from fairground.arena.http.connection import KEPT_ALIVE, arrival_at
from fairground.arena.http.fast_lane import FastLane
from fairground.arena.http.hosts import Hosts
from fairground.arena.http.repeats import Repeats
from fairground.arena.limits.counts import Counts
from fairground.arena.limits.gate import (
    GAMES_IN_MEMORY,
    IDLE,
    OPEN_GAMES,
    RATE,
    REQUEST,
    SHARE,
    ClientLimits,
    Gate,
    Receive,
    Scope,
    Send,
)
from fairground.arena.limits.metrics import Metrics
from fairground.arena.page.files import Page
from fairground.arena.state import has_started, the_arena
from fairground.arena.workers.handing_over import HandingOver
from fairground.arena.workers.owners import Seat
from fairground.arena.workers.parent import Parent
from fairground.bank.messages import Key
from fairground.core import FairgroundError, InputError
from fairground.fair.bits import token
from fairground.store import lineage, open_store
from fairground.store.sqlite import identity

GRACE: Final = 10
"""Seconds that requests in flight may take when the arena is told to stop."""

BACKLOG: Final = 2048

TICKS: Final = 10
"""Of uvicorn's clock in a second."""

COLLECTING: Final = (10_000, 20, 500)
"""How seldom Python looks for cycles (`gc.set_threshold`). Looking through the games of a busy
hall takes a second in which nobody is served, and finds nothing: games hold no cycles. So
the young objects are looked through now and then, all of them about once an hour of work."""

SCHEMA: Final = "/schema"
SQLITE: Final = "sqlite:///"


class Settings(msgspec.Struct, frozen=True):
    """How to run an arena."""

    database: str
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    public_url: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    allow_factories: tuple[str, ...] = ()
    rate: int = RATE
    share: int = SHARE
    open_games: int = OPEN_GAMES
    idle_limit: int = IDLE
    games_in_memory: int = GAMES_IN_MEMORY
    access_log: bool = False
    allow_frames: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
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
        self._check_tls()
        Factories(self.allow_factories)
        Page(self.allow_frames)
        Hosts(self.allow_hosts)
        if self.share > 100:
            raise InputError(f"a share is at most 100 percent, not {self.share}")
        for limit in (self.rate, self.share, self.open_games, self.idle_limit):
            if limit < 0:
                raise InputError(f"a limit is a positive number, or 0 for none, not {limit}")
        if self.public_url is not None and not self.public_url.startswith(("http://", "https://")):
            raise InputError(f"a public URL begins with http:// or https://: {self.public_url!r}")
        if self.croupier is not None:
            self.croupier.check(self.workers)

    def _check_tls(self) -> None:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise InputError("TLS needs both --tls-cert (the chain of certificates) and --tls-key")
        if self.tls_cert is not None:
            try:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(self.tls_cert, self.tls_key, password=lambda: "")
            except (OSError, ValueError) as error:
                raise InputError(
                    f"TLS cannot be made of {self.tls_cert!r} and {self.tls_key!r}: {error}. Both "
                    "are PEM files, and the key has no passphrase"
                ) from None

    @property
    def scheme(self) -> str:
        """How the arena is spoken to."""
        return "http" if self.tls_cert is None else "https"


class GatedArena:
    """The application behind its gate, and a way to tell it that the end is near."""

    def __init__(
        self, settings: Settings, croupier_keys: Sequence[Key] = (), seat: Seat | None = None
    ) -> None:
        """``seat``: which worker this is, if there are several."""
        limits, metrics = ClientLimits(settings.rate, settings.open_games), _metrics(seat)
        place = settings.croupier
        self._handing_over = handing_over = None if seat is None else HandingOver(seat, limits)
        self._app = make_app(
            settings.database,
            public_url=settings.public_url,
            factories=Factories(settings.allow_factories),
            limits=limits,
            metrics=metrics,
            idle_limit=settings.idle_limit,
            games_in_memory=settings.games_in_memory,
            frames=settings.allow_frames,
            croupier=None if place is None else ArenaCroupier(place, croupier_keys),
            new_name=token if seat is None else seat.new_name,
            beside=None if handing_over is None else handing_over.open_in,
        )
        app: Any = self._app
        self._described = False
        self._describing = asyncio.Lock()
        inside = Repeats(FastLane(self._usual, app.state), app.state)
        here = inside if handing_over is None else handing_over.around(inside)
        self._gate = Gate(
            here, limits, metrics, share=settings.share, access_log=settings.access_log
        )
        if handing_over is not None:
            handing_over.serve_others = self._gate.in_turn(inside)
            handing_over.room_of = lambda name: the_arena(app.state).room_of(name)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        """ASGI."""
        if scope["type"] == "lifespan":
            send = partial(_say_plainly, send)
        return self._gate(scope, receive, send)

    async def _usual(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The framework."""
        if not self._described and scope.get("path", "").startswith(SCHEMA):
            await self._describe()
        app: Any = self._app
        await app(scope, receive, send)

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


async def _say_plainly(send: Send, message: Any) -> None:
    """Pass on what the server is told of our start. A known trouble is one line, and no traceback:
    the database, say, is away while a worker takes the seat of another.
    """
    trouble = sys.exc_info()[1]
    while isinstance(trouble, BaseExceptionGroup) and len(trouble.exceptions) == 1:
        trouble = trouble.exceptions[0]  # the framework puts it into groups of one
    if message["type"] == "lifespan.startup.failed" and isinstance(trouble, FairgroundError):
        message["message"] = f"this process of the arena could not start: {trouble}"
    await send(message)


def _metrics(seat: Seat | None) -> Metrics:
    if seat is None:
        return Metrics()
    return Metrics(Counts(seat.counts(seat.index)), [seat.counts(one) for one in seat.others])


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
        self.alive: Callable[[], None] | None = None
        """Called every second, if somebody wants to know."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._arena.closing()
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        if self.alive is not None and counter % TICKS == 0:
            self.alive()
        return await super().on_tick(counter)

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


def bind(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """A listening socket; port 0 takes any free one.

    Several ``shared`` ones may listen on one port: then the kernel gives each its connections.
    """
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
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


def bind_all(host: str, port: int, number: int) -> list[socket.socket]:
    """A listening socket for each worker, all on one port that was free."""
    alone = bind(host, port)
    if number == 1 or sys.platform != "linux":
        return [alone] * number
    port = alone.getsockname()[1]
    alone.close()
    return [bind(host, port, shared=True) for _ in range(number)]


def address_of(sock: socket.socket, scheme: str = "http") -> str:
    """The URL at which a socket is reached on this machine."""
    host, port = sock.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"{scheme}://{name}:{port}"


def serve(
    settings: Settings, started: Callable[[str], None], croupier_keys: Sequence[Key] = ()
) -> int:
    """Run until a signal says stop, and return that signal; ``started`` is told the URL.

    ``croupier_keys``: for a Croupier on a chain, that of his account first, then those that he
    signs with, the newest first; they are given to no other process.
    """
    settings.check()
    _quiet_logs()
    _must_be_there(settings.database)
    asyncio.run(_try_out(settings))
    with alone(settings.database):
        return _serve(settings, started, croupier_keys)


def _serve(settings: Settings, started: Callable[[str], None], croupier_keys: Sequence[Key]) -> int:
    sockets = bind_all(settings.host, settings.port, settings.workers)
    url = address_of(sockets[0], settings.scheme)
    if settings.workers > 1:
        with tempfile.TemporaryDirectory(prefix="fairground-") as folder:
            return Parent(partial(work, settings, folder), sockets).run(lambda: started(url))
    return _run(settings, GatedArena(settings, croupier_keys), sockets[0], lambda: started(url))


def work(
    settings: Settings, folder: str, index: int, sock: socket.socket, alive: Callable[[], None]
) -> None:
    """What a worker does in its process. That it could not start, its parent sees."""
    _quiet_logs()
    seat = Seat(index, settings.workers, folder)
    with suppress(InputError):
        _run(settings, GatedArena(settings, seat=seat), sock, alive, alive)


def _run(
    settings: Settings,
    arena: GatedArena,
    sock: socket.socket,
    started: Callable[[], None],
    alive: Callable[[], None] | None = None,
) -> int:
    collect_seldom()
    server = _Server(_config(arena, settings), arena, started)
    server.alive = alive
    server.run(sockets=[sock])
    if not server.started:
        raise InputError("the arena could not start: see the log above")
    return server.told[0] if server.told else signal.SIGTERM


@contextmanager
def alone(database: str, *, restored: bool = False) -> Iterator[None]:
    """Hold an SQLite file for this arena: a second one would not hear what the first writes.

    ``restored``: it may be an older copy, for what was open in it is being ended.
    """
    path = database.removeprefix(SQLITE)
    if path == database:
        yield
        return
    path = _one_name(path)
    with Path(f"{path}.lock").open("a+", encoding="ascii") as lock:  # it ends with this process
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"another arena uses the database {path!r}: a SQLite file is for one. Stop that "
                "one, name another file, or use PostgreSQL for both"
            ) from None
        if not restored:
            lineage.must_be_the_latest(path, lock)
            lineage.renew(path, lock)
        file = identity(Path(path))
        yield
        with suppress(InputError, OSError):  # a full disk keeps nobody from stopping
            if identity(Path(path)) in (file, None):
                lineage.renew(path, lock)
            else:
                lineage.disown(lock)


def _must_be_there(database: str) -> None:
    """Look before anything opens an SQLite file, for that would make one where it is missing."""
    path = database.removeprefix(SQLITE)
    if path != database:
        lineage.must_not_be_missing(_one_name(path))


def _one_name(path: str) -> str:
    """What a file is called, whichever symbolic link leads to it. A second name of the same kind as
    the first (a hard link) has a journal of its own, and SQLite would spoil the file.
    """
    file = Path(path).resolve()
    if file.is_file() and file.stat().st_nlink > 1:
        raise InputError(
            f"the database {path!r} has a second name (a hard link), and an arena may use it under "
            "that one: remove one of the two names"
        )
    return str(file)


async def _try_out(settings: Settings) -> None:
    """Open the store and the Bank once: what is wrong with them is said in plain words."""
    store = await open_store(settings.database)
    await store.close()
    if settings.croupier is not None and settings.croupier.node is not None:
        bank = await open_chain(settings.croupier)
        await bank.close()


def _config(arena: GatedArena, settings: Settings) -> uvicorn.Config:
    app: Any = arena
    hosts = Hosts(settings.allow_hosts, settings.public_url)
    return uvicorn.Config(
        app,
        interface="asgi3",
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        loop="uvloop" if os.name == "posix" else "asyncio",
        http=arrival_at(hosts),
        ws="none",
        lifespan="on",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_keep_alive=KEPT_ALIVE,
        timeout_graceful_shutdown=GRACE,
        backlog=BACKLOG,
    )


def _quiet_logs() -> None:
    """Structured lines on standard error: the access log, and what went wrong."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Structured())
    levels = {
        "fairground": logging.INFO,
        "uvicorn": logging.WARNING,
        "asyncpg": logging.CRITICAL,  # of a database that is away we say so ourselves, once
    }
    for name, level in levels.items():
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
