"""Run the arena: one process on SQLite or PostgreSQL.

`serve` binds the socket, starts uvicorn, and returns the signal that stopped it. Streams of events
are ended first, so that stopping does not wait for their listeners. Every acknowledged answer is
durable already.
"""

from __future__ import annotations

import asyncio
import fcntl
import gc
import logging
import os
import resource
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import msgspec
import uvicorn

from fairground.bank.croupier.journal import CroupierJournal, SessionJournal, stop_open
from fairground.bank.messages import Key
from fairground.core import FairgroundError, InputError
from fairground.server.app import make_app
from fairground.server.contests.factories import Factories
from fairground.server.contests.service import KIND as CONTESTS
from fairground.server.contests.service import Contests
from fairground.server.croupier.opened import ArenaCroupier, CroupierPlace, try_out
from fairground.server.gate import (
    GAMES_IN_MEMORY,
    IDLE,
    OPEN_GAMES,
    RATE,
    REQUEST,
    ClientLimits,
    Gate,
    Receive,
    Scope,
    Send,
)
from fairground.server.http.connection import KEPT_ALIVE, Hosts, connection_of
from fairground.server.http.repeats import Repeats
from fairground.server.live_games import RESTORED
from fairground.server.metrics import Metrics
from fairground.server.oracles.service import KIND as ORACLES
from fairground.server.page import Page
from fairground.server.state import has_started, the_arena
from fairground.server.tables.opening import KIND as TABLES
from fairground.store import Append, Secret, Store, open_store, sqlite
from fairground.store.sqlite import PRIVATE_FILE, identity

GRACE: Final = 4
"""Seconds for requests in flight to finish when the arena stops."""

BACKLOG: Final = 2048

MOST_FILES: Final = 65_536
"""Maximum number of files and connections for which room is asked of the operating system."""

RESERVED: Final = 64
"""Files for everything that is no connection of a client."""

COLLECTING: Final = (10_000, 20, 500)
"""Thresholds of the garbage collector (`gc.set_threshold`). A full pass over the games of a busy
arena blocks it for a second, and finds nothing: games hold no cycles. So young objects are
collected now and then, and all of them about once in an hour of work.
"""

SCHEMA: Final = "/schema"
SQLITE: Final = "sqlite:///"


class Settings(msgspec.Struct, frozen=True):
    """The settings of an arena."""

    database: str
    host: str = "127.0.0.1"
    port: int = 8000
    behind_proxy: bool = False
    public_url: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    allow_factories: tuple[str, ...] = ()
    rate: int = RATE
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
        if not (self.behind_proxy or _is_loopback(self.host)):
            raise InputError(
                f"{self.host} can be reached from other machines, and an arena needs a proxy for "
                "that: it bounds requests, connections and rates. Set one up (deploy/nginx.conf), "
                "and add --behind-proxy"
            )
        if self.games_in_memory < 1:
            raise InputError(f"at least one game is kept in memory, not {self.games_in_memory}")
        self._check_tls()
        Factories(self.allow_factories)
        Page(self.allow_frames)
        Hosts(self.allow_hosts)
        for limit in (self.rate, self.open_games, self.idle_limit):
            if limit < 0:
                raise InputError(f"a limit is a positive number, or 0 for none, not {limit}")
        if self.public_url is not None and not self.public_url.startswith(("http://", "https://")):
            raise InputError(f"a public URL begins with http:// or https://: {self.public_url!r}")
        if self.croupier is not None:
            self.croupier.check()

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
        return "http" if self.tls_cert is None else "https"


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


class GatedArena:
    """The application behind its gate, and a way to tell it that the end is near."""

    def __init__(self, settings: Settings, croupier_keys: Sequence[Key] = ()) -> None:
        limits, self.metrics = ClientLimits(settings.rate, settings.open_games), Metrics()
        metrics = self.metrics
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
            croupier=None if place is None else ArenaCroupier(place, croupier_keys),
        )
        app: Any = self._app
        self._described = False
        self._describing = asyncio.Lock()
        inside = Repeats(self._usual, app.state)
        self._gate = Gate(inside, limits, metrics, access_log=settings.access_log)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Coroutine[Any, Any, None]:
        if scope["type"] == "lifespan":
            send = partial(_say_plainly, send)
        return self._gate(scope, receive, send)

    async def _usual(self, scope: Scope, receive: Receive, send: Send) -> None:
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
        """End what would go on for long. To be called in the event loop."""
        if has_started(self._app.state):
            the_arena(self._app.state).closing()


async def _say_plainly(send: Send, message: Any) -> None:
    """Pass a start-up message on. A known trouble, such as a database that is away, is said in one
    line without a traceback.
    """
    trouble = sys.exc_info()[1]
    while isinstance(trouble, BaseExceptionGroup) and len(trouble.exceptions) == 1:
        trouble = trouble.exceptions[0]  # the framework puts it into groups of one
    if message["type"] == "lifespan.startup.failed" and isinstance(trouble, FairgroundError):
        message["message"] = f"the arena could not start: {trouble}"
    await send(message)


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

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let SIGINT and SIGTERM stop the server. Only the main thread can.

        uvicorn would raise the signal again, and SIGTERM would kill us.
        """
        before = {}
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                before[number] = signal.signal(number, self._handle)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.told.append(number)
        self.handle_exit(number, frame)


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes any free one."""
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
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
    return sock


def address_of(sock: socket.socket, scheme: str = "http") -> str:
    """Return the URL at which this machine reaches a socket."""
    host, port = sock.getsockname()[:2]
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"{scheme}://{name}:{port}"


def serve(
    settings: Settings, started: Callable[[str], None], croupier_keys: Sequence[Key] = ()
) -> int:
    """Run until a signal says stop, and return that signal; ``started`` is called with the URL.

    ``croupier_keys``: for a Croupier on a chain, the key of his account, then his signing keys, the
    newest first. They are given to no other process.
    """
    settings.check()
    _quiet_logs()
    _must_be_there(settings.database)
    asyncio.run(_try_out(settings, croupier_keys))
    with alone(settings.database):
        return _serve(settings, started, croupier_keys)


def _serve(settings: Settings, started: Callable[[str], None], croupier_keys: Sequence[Key]) -> int:
    sock = bind(settings.host, settings.port)
    url = address_of(sock, settings.scheme)
    collect_seldom()
    arena = GatedArena(settings, croupier_keys)
    server = _Server(_config(arena, settings), arena, lambda: started(url))
    arena.metrics.watch_connections(lambda: len(server.server_state.connections))
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
    beside = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
    with os.fdopen(beside, "a+", encoding="ascii") as lock:  # it ends with this process
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"another arena uses the database {path!r}: a SQLite file is for one. Stop that "
                "one, name another file, or use PostgreSQL for both"
            ) from None
        if not restored:
            sqlite.must_be_the_latest(path, lock)
            sqlite.renew(path, lock)
        file = identity(Path(path))
        yield
        with suppress(InputError, OSError):  # a full disk keeps nobody from stopping
            if identity(Path(path)) in (file, None):
                sqlite.renew(path, lock)
            else:
                sqlite.disown(lock)


def _must_be_there(database: str) -> None:
    """Look before anything opens an SQLite file, for that would make one where it is missing."""
    path = database.removeprefix(SQLITE)
    if path != database:
        sqlite.must_not_be_missing(_one_name(path))


def _one_name(path: str) -> str:
    """Return the real path of a file, and refuse a hard link. A hard link has a journal of its own,
    and SQLite would spoil the file.
    """
    file = Path(path).resolve()
    if file.is_file() and file.stat().st_nlink > 1:
        raise InputError(
            f"the database {path!r} has a second name (a hard link), and an arena may use it under "
            "that one: remove one of the two names"
        )
    return str(file)


async def _try_out(settings: Settings, croupier_keys: Sequence[Key]) -> None:
    """Open the store and the Bank once, so that errors are reported in plain words."""
    store = await open_store(settings.database)
    try:
        if settings.croupier is not None and settings.croupier.node is not None:
            await try_out(settings.croupier, croupier_keys, store)
    finally:
        await store.close()


def _raise_file_limit() -> int:
    """Raise the soft limit of open files as far as the system lets us; return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(wanted, soft)


def _config(arena: GatedArena, settings: Settings) -> uvicorn.Config:
    app: Any = arena
    hosts = Hosts(settings.allow_hosts, settings.public_url)
    return uvicorn.Config(
        app,
        interface="asgi3",
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        loop="uvloop" if os.name == "posix" else "asyncio",
        http=connection_of(hosts, _raise_file_limit() - RESERVED),
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


# Restored backups: their open games are stopped, so that no secret decides anything twice
#
# A backup knows nothing of later events. A code that it still hides may have been revealed since, a
# contest closed, or a draw opened. A player who saw that could use it. So every unfinished game is
# *stopped* before a restored arena opens. A stopped game takes no more answers, reveals no more
# secrets, and counts for nobody. Contests are closed, with the results that the backup has.
#
# The Croupier reveals no seed that the backup had not revealed. Hands at the ledger end by the
# Bank's rules, and he pays for his silence. Sessions go to the Bank with the last state that both
# signed.


class Stopped(NamedTuple):
    """Numbers of stopped games and closed contests."""

    contests: int
    oracles: int
    tables: int
    hands: int
    """Games and offers of the Croupier."""
    sessions: int
    """Sessions of the Croupier."""


def restore(database: str) -> Stopped:
    """Make a copy fit to be opened, while no arena runs on it."""
    with alone(database, restored=True):
        return asyncio.run(stop_what_was_open(database))


async def stop_what_was_open(database: str, clock: Callable[[], float] = time.time) -> Stopped:
    """End everything that hides something. It may be done again, if it was interrupted."""
    store = await open_store(database)
    try:
        contests = Contests(store, clock)
        closed = 0
        for name in await store.logs(CONTESTS, open_only=True):
            closed += await contests.close_restored(name)
        return Stopped(
            closed,
            await _stop(store, ORACLES),
            await _stop(store, TABLES),
            await stop_open(store, CroupierJournal),
            await stop_open(store, SessionJournal),
        )
    finally:
        await store.close()


async def _stop(store: Store, kind: str) -> int:
    """Close the logs of these games as they are."""
    names = await store.logs(kind, open_only=True)
    for name in names:
        stored = await store.read(name)
        assert stored is not None
        mark = Secret(RESTORED, b"", "")
        await store.commit(Append(name, len(stored.lines), (), closed=True, secrets=(mark,)))
    return len(names)
