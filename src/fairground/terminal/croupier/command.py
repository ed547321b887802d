"""``fairground croupier``: Blind Croupier, video poker in which nobody has to trust anybody."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Final

from fairground.bank.bank_port import PLAY_MONEY
from fairground.bank.messages import Key
from fairground.bank.player.game import CONFIRMATIONS, News, Side
from fairground.bank.player.player import PlayerClient
from fairground.games.poker.rules import BETS, LEVELS, Poker
from fairground.terminal.background import Backstage
from fairground.terminal.console import Arguments, Console, EndOfInput
from fairground.terminal.croupier.hand import CardArt, Person
from fairground.terminal.croupier.parties import (
    Parties,
    at_home,
    far_away,
)
from fairground.terminal.croupier.screen import BankCalled, CroupierScreen
from fairground.terminal.evening import ME, add_counting, add_seats
from fairground.terminal.files import add_saving, data_directory
from fairground.terminal.options import add_ascii, add_stir_always
from fairground.terminal.sitting import Left
from fairground.terminal.waiting import patiently

BUY_IN: Final = 200
PROGRAM: Final = "optimal"
MOST_CHIPS: Final = 10**9
"""Of a buy-in: far more than anybody can lose in an evening."""


def _arguments() -> Arguments:
    parser = Arguments(
        "croupier",
        "Play Blind Croupier: video poker (9/6 Jacks or Better) against a Croupier whom you need\n"
        "not trust. Both of you commit to seeds before the first card, and a Bank that neither\n"
        "owns deals from all of them, and pays. With no address all three run here, and the Bank\n"
        f"is a ledger of play money.\n\n{PLAY_MONEY}",
        "Examples:\n"
        "  fairground croupier\n"
        "  fairground croupier --bet 2 --level 5 --explain\n"
        "  fairground croupier --lasting\n"
        "  fairground croupier --croupier http://127.0.0.1:8000\n"
        "  fairground croupier --session --croupier http://127.0.0.1:8000\n"
        "  fairground croupier --croupier http://127.0.0.1:8000 \\\n"
        "      --bank http://127.0.0.1:8545 --key player.json --confirmations 2\n\n"
        "Hold cards with the keys 1 to 5 and draw with Enter; in a pipe type lines such as 13.\n"
        "b tells the best hold, ? helps, q quits. If the program is interrupted in a game, start\n"
        "it again with the same --key: it goes on, or complains to the Bank by itself.",
    )
    stake = parser.add_argument_group("the stake (bet x level chips a hand)")
    stake.add_argument(
        "--bet", type=int, choices=BETS, default=1, metavar="1..10", help="default 1"
    )
    stake.add_argument(
        "--level",
        type=int,
        choices=LEVELS,
        default=LEVELS[-1],
        metavar="1..5",
        help="default 5, where a royal flush pays 800 stakes; below it 250",
    )
    stake.add_argument(
        "--buy-in",
        type=int,
        default=BUY_IN,
        metavar="CHIPS",
        help="what to deposit at the Bank when you have less there than the stake (default 200)",
    )
    stake.add_argument(
        "--lasting",
        action="store_true",
        help="keep your chips, your key and open games between evenings, in your data directory "
        "(play money, in a ledger); with --key FILE under a key of yours",
    )
    stake.add_argument("--withdraw", action="store_true", help="take all of it home in the end")
    add_counting(parser, "--hands")
    add_seats(parser, "who plays your hands: player=me, or player=optimal to let a program play")
    add_stir_always(parser, "your seeds are in every deal")
    where = parser.add_argument_group("separate programs")
    where.add_argument("--croupier", metavar="URL", help="the arena where the Croupier is")
    where.add_argument(
        "--bank",
        metavar="URL",
        help="your own node (JSON-RPC) of the chain where the Bank is; without it, the Bank is the "
        "ledger of the Croupier's arena, which you have to trust",
    )
    where.add_argument(
        "--key",
        metavar="FILE",
        type=Path,
        help="your key, encrypted; made if it is not there. Without it (at a ledger only) a fresh "
        "key serves for one evening",
    )
    where.add_argument(
        "--passphrase-file",
        metavar="FILE",
        type=Path,
        help="where the key's passphrase is; otherwise FAIRGROUND_PASSPHRASE, or you are asked",
    )
    where.add_argument(
        "--confirmations",
        type=int,
        metavar="N",
        help="blocks behind the Croupier's seed before yours is told (default 2 with --bank, "
        "else 0)",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="show the protocol's seventeen steps, one by one: who tells whom what, what "
        "each computes, and the gas",
    )
    parser.add_argument(
        "--session",
        action="store_true",
        help="many hands, one settlement: the Bank is called twice in the whole evening",
    )
    parser.add_argument(
        "--tower",
        metavar="FOLDER",
        type=Path,
        help="in a session: where to leave what a watchtower (bank watch) needs",
    )
    add_ascii(parser, "draw with plain characters", "with suits")
    add_saving(parser)
    return parser


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = _arguments()
    options: argparse.Namespace = parser.parse_args(arguments)
    if options.match is not None:
        parser.error("--match is for games with two sides; at the Croupier: --games N")
    if options.lasting and options.croupier is not None:
        parser.error("--lasting is for the Croupier in this program, and --croupier URL is not")
    options.player = _player(parser, options.seat)
    if options.session and (options.lasting or options.explain):
        parser.error("--session goes without --explain and without --lasting")
    if options.tower is not None and not options.session:
        parser.error("--tower FOLDER is for a session: add --session")
    if options.croupier is None:
        for name in ("bank",) if options.lasting else ("bank", "key", "passphrase_file"):
            if getattr(options, name) is not None:
                option = f"--{name.replace('_', '-')}"
                parser.error(f"{option} needs --croupier URL: alone, all parties are in here")
    elif options.bank is not None and options.key is None:
        parser.error("at a Bank on a chain you need a key of your own: --key FILE")
    if options.confirmations is None:
        options.confirmations = CONFIRMATIONS if options.bank is not None else 0
    for name, least in (("buy_in", 1), ("confirmations", 0)):
        if getattr(options, name) < least:
            option = f"--{name.replace('_', '-')}"
            parser.error(f"{option} must be {least} or more, not {getattr(options, name)}")
    stake = Poker(options.bet, options.level).stake
    if options.buy_in < stake:
        parser.error(f"--buy-in must be at least the stake of a hand, {stake} chips")
    if options.buy_in > MOST_CHIPS:
        parser.error(f"--buy-in must be at most {MOST_CHIPS:,} chips, not {options.buy_in:,}")
    return options


def _player(parser: Arguments, seats: Sequence[str]) -> str:
    player = ME
    for text in seats:
        name, _, player = text.partition("=")
        if name != "player" or player not in (ME, PROGRAM) or len(seats) > 1:
            parser.error(
                f"--seat {text!r} is not understood: at the Croupier there is player={ME} or "
                f"player={PROGRAM}"
            )
    return player


def _key(options: argparse.Namespace, console: Console) -> Key:
    """The Player's key: out of its file, which is made if it is not there."""
    if options.key is None:
        console.say("Your key is fresh, and gone when this program ends.")
        return Key.fresh()
    from fairground.bank import keystore

    def ask(what: str, twice: bool = False) -> str:
        return keystore.passphrase_from(options.passphrase_file, what, twice=twice)

    path: Path = options.key
    if path.exists():
        key = keystore.load(path, lambda: ask(f"Passphrase of {path}: "))
    else:
        key = Key.fresh()
        keystore.create(path, key, ask(f"Passphrase for the new key {path}: ", twice=True))
        console.say(f"A new key is in {path}. Who loses it, or its passphrase, loses what it owns.")
    return key


def run(arguments: Sequence[str]) -> int:
    """``fairground croupier``"""
    options = _parse(arguments)
    console, art = Console(), CardArt.of_terminal(options.ascii)
    console.say(art.ink(art.fold("Blind Croupier: video poker, 9/6 Jacks or Better"), "bold"))
    console.say(art.fold(PLAY_MONEY))
    if options.session:
        from fairground.terminal.croupier.session import run_session

        return run_session(options, console, art, _key(options, console))
    key = None if options.lasting and options.key is None else _key(options, console)
    early: list[News | BankCalled] = []
    person = Person(console, art, options.bet, options.level)
    with Backstage[News | BankCalled]() as backstage:
        # With a new Bank in this process, the person chooses a stake while it opens.
        first = options.games is None and options.croupier is None and not options.lasting
        if first:
            person.pays()
        opening = backstage.start(_parties(options, key, backstage))
        if first and not _wants_a_hand(console, person, opening):
            return 0
        waiting = partial(backstage.wait, opening, early.append)
        parties, key = patiently("The Bank opens", waiting)
        side = Side(
            parties.bank,
            parties.desk,
            key,
            parties.notebook,
            backstage.tell,
            options.confirmations,
            one_by_one=options.explain,
        )
        player = PlayerClient(side)
        screen = CroupierScreen(options, person, backstage, player, parties.faucet)
        console.say(art.fold(f"The Bank: {parties.bank.trusted}.", "", "  "))
        for news in early:
            screen.hear(news)
        try:
            screen.take_up()
            screen.sit_down()
            screen.play(options.games, asked=first)
        except Left:
            pass
        except (EndOfInput, KeyboardInterrupt):
            console.say()
            screen.tell_what_is_open()
            raise
        screen.end()
    if screen.lost:
        return 2
    return 0 if screen.valid else 1


def _wants_a_hand(console: Console, person: Person, opening: Future[Any]) -> bool:
    """Ask for the first time; the Bank opens while the person reads."""
    try:
        person.ask_for_hand()
    except Left:
        opening.cancel()
        return False
    except KeyboardInterrupt:
        opening.cancel()
        console.say()
        raise
    return True


async def _parties(
    options: argparse.Namespace, key: Key | None, backstage: Backstage[News | BankCalled]
) -> tuple[Parties, Key]:
    folder = data_directory().with_name("croupier")
    if options.croupier is None:
        from fairground.bank.croupier.croupier import Habits

        habits = Habits(one_by_one=options.explain)
        home = folder / "home" if options.lasting else None
        return await at_home(backstage.stack, home, key, backstage.tell, habits)
    assert key is not None
    notes = folder / key.address if options.key is not None else None
    return await far_away(backstage.stack, options.croupier, options.bank, notes), key
