"""``fairground serve``: run the arena."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairground.core import InputError
from fairground.terminal.console import Arguments
from fairground.terminal.files import data_folder

if TYPE_CHECKING:
    from fairground.bank.messages import Key
    from fairground.server.croupier.opened import CroupierPlace


def _arguments() -> Arguments:
    parser = Arguments(
        "serve",
        "Run the arena: oracles, contests, tables of all games and a Croupier over HTTP.\n"
        "Everything that was answered is durable; after a crash or a restart every game goes on.\n"
        "The Croupier plays for play money, or on test chains: nothing here is a licence to run\n"
        "a casino.",
        "Examples:\n"
        "  fairground serve\n"
        "  fairground serve --port 8080 --database sqlite:///arena.db --access-log\n"
        "  fairground serve --database postgresql://user@host/name\n"
        "  fairground serve --allow-factory https://friend.example/oracles/\n\n"
        "Ctrl-C or SIGTERM stops it when what is in flight is answered. Exit code 0 after\n"
        "SIGTERM, 130 after Ctrl-C, 2 if it cannot start.",
    )
    parser.add_argument("--host", help="the address to listen on (default 127.0.0.1)")
    parser.add_argument(
        "--behind-proxy",
        action="store_true",
        help="a proxy such as deploy/nginx.conf stands before this arena; needed to listen on an "
        "address that other machines can reach",
    )
    parser.add_argument("--port", type=int, help="the port; 0 takes any free one (default 8000)")
    parser.add_argument(
        "--database",
        metavar="URL",
        help="sqlite:///PATH or postgresql://...; the default is a SQLite file in your data "
        "directory",
    )
    parser.add_argument(
        "--public-url", metavar="URL", help="how clients reach this arena, if not directly"
    )
    parser.add_argument(
        "--tls-cert", metavar="FILE", help="speak https: the chain of certificates, in PEM"
    )
    parser.add_argument("--tls-key", metavar="FILE", help="its private key, in PEM")
    parser.add_argument(
        "--allow-factory",
        metavar="PREFIX",
        action="append",
        dest="allow_factories",
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
        "--games-in-memory",
        type=int,
        metavar="N",
        help="room for so many games of 15 kB that are at hand without asking the database; a "
        "larger game counts as several (default 120000)",
    )
    parser.add_argument(
        "--allow-frame",
        metavar="ORIGIN",
        action="append",
        dest="allow_frames",
        help="a web site that may show the arena's page in a frame, as https://friend.example; "
        "give it once for each (default: none)",
    )
    parser.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        dest="allow_hosts",
        help="a name under which this arena may be asked, besides localhost, addresses in "
        "digits, this machine's name and that in --public-url; give it once for each",
    )
    parser.add_argument(
        "--access-log", action="store_true", help="a line of JSON on standard error per request"
    )
    _croupier_arguments(parser)
    return parser


def _croupier_arguments(parser: Arguments) -> None:
    group = parser.add_argument_group(
        "the Croupier",
        "By default he plays for play money at a Bank in the arena's own database. Or at a Bank on "
        "a test chain, with a key file of yours; its passphrase is read from a file, from "
        "FAIRGROUND_PASSPHRASE, or asked for.",
    )
    group.add_argument("--no-croupier", action="store_true", help="there is none")
    group.add_argument("--bank", metavar="URL", help="a node of the chain that the Bank is on")
    group.add_argument("--bank-address", metavar="0x...", help="where the Bank is on that chain")
    group.add_argument("--croupier-key", metavar="FILE", type=Path, help="the Croupier's key file")
    group.add_argument(
        "--signing-key",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="the key file that he signs with in place of his account's; give older ones behind it "
        "while sessions that were opened with them are open",
    )
    group.add_argument("--passphrase-file", metavar="FILE", type=Path, help="what opens them")
    group.add_argument(
        "--confirmations",
        type=int,
        metavar="N",
        help="blocks on top of a bet or an order before he tells a seed (default 6 on a chain)",
    )
    group.add_argument(
        "--bankroll",
        type=int,
        metavar="CHIPS",
        help="what he brings to a Bank on a chain if he has less there (default 0)",
    )
    group.add_argument(
        "--tower",
        metavar="FOLDER",
        type=Path,
        help="where he leaves what a watchtower (bank watch) needs of his sessions",
    )


def _croupier(options: argparse.Namespace) -> tuple[CroupierPlace | None, list[Key]]:
    """Return the Croupier's place, and the operator's keys if it needs them."""
    from fairground.server.croupier.opened import CONFIRMATIONS, CroupierPlace

    chain = {
        "--bank": options.bank,
        "--bank-address": options.bank_address,
        "--croupier-key": options.croupier_key,
    }
    missing = [name for name, value in chain.items() if value is None]
    if len(missing) == len(chain):
        for name in ("passphrase_file", "confirmations", "bankroll", "signing_key", "tower"):
            if getattr(options, name) not in (None, []):
                option = "--" + name.replace("_", "-")
                raise InputError(f"{option} is for a Croupier on a chain: name it with --bank URL")
        return None if options.no_croupier else CroupierPlace(), []
    if options.no_croupier:
        raise InputError("--no-croupier, and a chain for him to play on: which of the two?")
    if missing:
        raise InputError(f"a Croupier on a chain needs {', '.join(missing)} as well")
    from fairground.bank.calls import address
    from fairground.bank.keystore import load, passphrase_from

    confirmations = CONFIRMATIONS if options.confirmations is None else options.confirmations
    where = address(options.bank_address, "--bank-address")
    tower = "" if options.tower is None else str(options.tower)
    place = CroupierPlace(options.bank, where, confirmations, options.bankroll or 0, tower)
    place.check()

    def opened(path: Path, whose: str) -> Key:
        prompt = f"Passphrase of {whose}: "
        return load(path, lambda: passphrase_from(options.passphrase_file, prompt))

    signing = [opened(path, f"the signing key {path}") for path in options.signing_key]
    return place, [opened(options.croupier_key, "the Croupier's key file"), *signing]


def default_database() -> str:
    """The SQLite file in the platform's data directory."""
    return f"sqlite:///{data_folder() / 'arena.db'}"


def run(arguments: Sequence[str]) -> int:
    """``fairground serve``"""
    options = _arguments().parse_args(arguments)
    from fairground.server.serve import Settings, serve

    if options.database is None:
        options.database = default_database()
    else:
        _must_have_a_folder(options.database)
    place, keys = _croupier(options)
    options.croupier = place
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in vars(options).items()
        if name in Settings.__struct_fields__ and (value is not None or name == "croupier")
    }
    settings = Settings(**given)

    def started(url: str) -> None:
        shown = options.public_url or url
        print(f"The arena is open at {shown}")
        print(f"  health    {url}/healthz (and /readyz)")
        print(f"  metrics   {url}/metrics")
        print(f"  the API   {url}/schema")
        if place is not None:
            where = "a ledger of play money" if place.node is None else f"the Bank {place.bank}"
            print(f"  croupier  {url}/croupier (at {where})")
        print(f"  storage   {_without_password(settings.database)}")
        print("Stop it with Ctrl-C.", flush=True)

    told = serve(settings, started, keys)
    if told == signal.SIGINT:
        raise KeyboardInterrupt
    print("Stopped.", file=sys.stderr)
    return 0


def _must_have_a_folder(database: str) -> None:
    """Refuse a file in a folder that is not there: it may be a slip, so nothing is made."""
    folder = Path(database.removeprefix("sqlite:///")).parent
    if database.startswith("sqlite:///") and not folder.is_dir():
        raise InputError(
            f"--database {database!r}: there is no folder {str(folder)!r}. For example: "
            "--database sqlite:///arena.db"
        )


def _without_password(database: str) -> str:
    scheme, separator, rest = database.partition("://")
    login, at, place = rest.rpartition("@")
    return f"{scheme}{separator}{login.partition(':')[0]}{at}{place}"
