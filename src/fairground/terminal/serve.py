"""``fairground serve``: the arena, for bots and people, over HTTP."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from fairground.terminal.console import Arguments


def _arguments() -> Arguments:
    parser = Arguments(
        "serve",
        "Run the arena: oracles, contests and tables of all games over HTTP. Everything that\n"
        "was answered is durable; after a crash or a restart every game goes on.",
        "Examples:\n"
        "  fairground serve\n"
        "  fairground serve --port 8080 --database sqlite:///arena.db --access-log\n"
        "  fairground serve --workers 4 --database postgresql://user@host/name\n"
        "  fairground serve --allow-factory https://friend.example/oracles/\n\n"
        "Ctrl-C or SIGTERM stops it when what is in flight is answered. Exit code 0 after\n"
        "SIGTERM, 130 after Ctrl-C, 2 if it cannot start.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument(
        "--port", type=int, default=8000, help="the port; 0 takes any free one (default 8000)"
    )
    parser.add_argument(
        "--database",
        metavar="URL",
        help="sqlite:///PATH or postgresql://...; the default is a SQLite file in your data "
        "directory",
    )
    parser.add_argument(
        "--workers", type=int, default=1, help="processes; more than one needs PostgreSQL"
    )
    parser.add_argument(
        "--public-url", metavar="URL", help="how clients reach this arena, if not directly"
    )
    parser.add_argument(
        "--allow-factory",
        metavar="PREFIX",
        action="append",
        default=[],
        help="contests may relay games to oracle factories below this URL, and the arena sends "
        "requests to no other address; give it once for each (docs/http.md says how it is read)",
    )
    parser.add_argument(
        "--rate",
        type=int,
        metavar="N",
        help="requests a second from one client; 0: no limit (default 10000)",
    )
    parser.add_argument(
        "--open-games",
        type=int,
        metavar="N",
        help="open games of one client; 0: no limit (default 200000)",
    )
    parser.add_argument(
        "--idle-limit",
        type=int,
        metavar="N",
        help="seconds without a submission after which an oracle is ended; 0: never (default "
        "30 days)",
    )
    parser.add_argument(
        "--access-log", action="store_true", help="a line of JSON on standard error per request"
    )
    return parser


def default_database() -> str:
    """The SQLite file in the platform's data directory."""
    import platformdirs

    folder = Path(platformdirs.user_data_dir("fairground", appauthor=False))
    return f"sqlite:///{folder / 'arena.db'}"


def run(arguments: Sequence[str]) -> int:
    """``fairground serve``"""
    options = _arguments().parse_args(arguments)
    from fairground.arena.limits import IDLE, OPEN_GAMES, RATE
    from fairground.arena.serve import Settings, serve

    database = options.database or default_database()
    settings = Settings(
        database=database,
        host=options.host,
        port=options.port,
        workers=options.workers,
        public_url=options.public_url,
        allow_factories=tuple(options.allow_factory),
        rate=RATE if options.rate is None else options.rate,
        open_games=OPEN_GAMES if options.open_games is None else options.open_games,
        idle_limit=IDLE if options.idle_limit is None else options.idle_limit,
        access_log=options.access_log,
    )

    def started(url: str) -> None:
        shown = options.public_url or url
        print(f"The arena is open at {shown}")
        print(f"  health    {url}/healthz")
        print(f"  metrics   {url}/metrics")
        print(f"  the API   {url}/schema")
        print(f"  storage   {_without_password(database)}")
        print("Stop it with Ctrl-C.", flush=True)

    told = serve(settings, started)
    if told == signal.SIGINT:
        raise KeyboardInterrupt
    print("Stopped.", file=sys.stderr)
    return 0


def _without_password(database: str) -> str:
    scheme, separator, rest = database.partition("://")
    login, at, place = rest.rpartition("@")
    return f"{scheme}{separator}{login.partition(':')[0]}{at}{place}"
