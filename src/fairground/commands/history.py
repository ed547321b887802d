"""``fairground history``, ``replay`` and ``resume``: kept games, told again or played on."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from fairground.core import FairgroundError, Fault, InputError
from fairground.escape import shown
from fairground.stats import share
from fairground.terminal.console import (
    END,
    ENTER,
    Arguments,
    Ink,
    can_read_keys,
    forget_typed,
    reading_keys,
)
from fairground.terminal.evening import HousePlayers, OpenTable
from fairground.terminal.files import FileVault, data_directory, unfinished
from fairground.terminal.records import Kept, Record, Step, kept_games, open_record
from fairground.words.plain import count

USUAL: Final = 20
MOST: Final = 100_000


def _arguments() -> Arguments:
    parser = Arguments(
        "history",
        "Your games, the newest first: when, what, with whom, and how each ended. Below them, how\n"
        "often you won against each opponent, with an interval of 95 %.",
        "Examples:\n  fairground history\n  fairground history --last 100 --json",
    )
    parser.add_argument("--last", type=int, default=USUAL, metavar="N", help="so many games (20)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run_history(arguments: Sequence[str]) -> int:
    """``fairground history``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if not 1 <= options.last <= MOST:
        parser.error(f"--last must be in 1..{MOST}, not {options.last}")
    games = kept_games(options.last)
    if options.json:
        print(json.dumps({"games": [_as_json(game) for game in games]}))
        return 0
    if not games:
        print("No game has been saved yet. Play one: fairground")
        return 0
    art = Ink.of_terminal()
    for game in games:
        when = game.when.astimezone().strftime("%Y-%m-%d %H:%M")
        opponents = f" with {shown(game.record.others)}" if game.record.others else ""
        print(art.ink(f"{when}  {game.record.title}{opponents}", "bold"))
        print(art.fold(shown(game.ending), "  "))
        print(f"  {shown(game.record.path)}")
    print()
    for line in statistics(games):
        print(art.fold(line, "", "  "))
    return 0


def _as_json(game: Kept) -> dict[str, Any]:
    record, payoff = game.record, game.record.payoff
    return {
        "file": str(record.path),
        "when": game.when.isoformat(timespec="seconds"),
        "game": record.events[0]["game"],
        "seats": record.names,
        "payoff": None if payoff is None else list(payoff),
        "ending": game.ending,
    }


def statistics(games: Sequence[Kept]) -> list[str]:
    """For each game and opponent: games, wins, and the share of wins with its interval."""
    played: Counter[tuple[str, str]] = Counter()
    won: Counter[tuple[str, str]] = Counter()
    for game in games:
        if game.record.payoff is not None and game.record.reader is not None:
            key = game.record.title, shown(game.record.others)
            played[key] += 1
            won[key] += game.won is True
    lines = []
    for (title, others), many in sorted(played.items()):
        won_share = share(won[title, others], many)
        lines.append(
            f"{title} with {others}: {count(many, 'game')}, {won[title, others]} won "
            f"({won_share.low:.0%} to {won_share.high:.0%})"
        )
    return lines


NEXT: Final = (ENTER, " ", "right", "down", "n")
BACK: Final = ("left", "up", "p", "\x7f")
KEYS: Final = "Enter goes on, Left goes back, Home and End jump, q leaves"


def _replay_arguments() -> Arguments:
    parser = Arguments(
        "replay",
        "Tell a transcript in words: who did what, what was drawn, how things stood. On a\n"
        "terminal it goes step by step, forward and back; in a pipe all of it is printed. It\n"
        "verifies nothing: that is what fairground verify is for.",
        "Examples:\n  fairground replay game.jsonl\n  fairground replay game.jsonl --speed 2\n"
        "  fairground replay game.jsonl | less",
    )
    parser.add_argument("file", metavar="FILE", help="the transcript; - reads standard input")
    parser.add_argument(
        "--speed", type=float, metavar="S", help="go on by itself, with S steps in a second"
    )
    return parser


def run_replay(arguments: Sequence[str]) -> int:
    """``fairground replay``"""
    parser = _replay_arguments()
    options = parser.parse_args(arguments)
    if options.speed is not None and not 0.01 <= options.speed <= 1000:
        parser.error(f"--speed must be from 0.01 to 1000, not {options.speed:g}")
    record = open_record(Path(options.file))
    art = Ink.of_terminal()
    steps = [step for step in record.steps() if step.sentences]
    names = ", ".join(map(shown, record.names))
    print(art.ink(f"{record.title}: {names}", "bold"))
    if not can_read_keys():
        for step in steps:
            _tell(art, step)
        _tell_the_end(record)
    elif options.speed is not None:
        for step in steps:
            _tell(art, step)
            time.sleep(1 / options.speed)
        _tell_the_end(record)
    else:
        _step_by_step(art, record, steps)
    return 0


def _tell(art: Ink, step: Step) -> None:
    for sentence in step.sentences:
        print(art.fold(shown(sentence), f"{step.line:>4}  ", "      "))


def _tell_the_end(record: Record) -> None:
    if record.payoff is None:
        print("The record ends here: the game is unfinished.")


def _step_by_step(art: Ink, record: Record, steps: Sequence[Step]) -> None:
    at = 0

    def show() -> None:
        print("\n" + "-" * min(40, art.columns - 1))
        if at == len(steps):
            print("This is the end of the record.")
            _tell_the_end(record)
        else:
            _tell(art, steps[at])
            for line in steps[at].state:
                print(art.fold(shown(line), "      "))
        print(art.fold(f"Step {min(at + 1, len(steps))} of {len(steps)}. {KEYS}."), flush=True)

    forget_typed()
    show()
    with reading_keys(show) as keys:
        while True:
            key = keys.read()
            if key in NEXT and at == len(steps):
                return
            if key in ("q", "x", "escape", END):
                return
            if key in NEXT:
                at += 1
            elif key in BACK:
                at = max(0, at - 1)
            elif key in ("home", "end"):
                at = 0 if key == "home" else max(0, len(steps) - 1)
            else:
                continue
            show()


NOTHING_WAITS: Final = "No game is waiting: all are finished."


def _resume_arguments() -> Arguments:
    parser = Arguments(
        "resume",
        "Go on with a game that was stopped in the middle: by Ctrl-C, by a closed window, or when\n"
        "the computer went down. Without a number, the latest one. The house's secrets wait in\n"
        "your data directory, for your eyes only, and are removed when the game ends.",
        "Examples:\n  fairground resume\n  fairground resume --list\n  fairground resume 2",
    )
    parser.add_argument(
        "number", nargs="?", metavar="N", help="which game, by its number in the list; 1 is the "
        "latest"
    )  # fmt: skip
    parser.add_argument("--list", action="store_true", help="list the unfinished games, and end")
    return parser


def run_resume(arguments: Sequence[str], screens: Mapping[str, str]) -> int:
    """``fairground resume``. ``screens``: the module, below `fairground`, of each command."""
    options = _resume_arguments().parse_args(arguments)
    vaults = unfinished()
    try:
        chosen = None if options.list or not vaults else _chosen(vaults, options.number or "1")
    finally:
        lines = [in_words(vault) for vault in vaults]
        for vault in vaults:
            vault.close(over=False)
    if chosen is not None:
        return go_on(chosen, screens)
    if open_hands():
        print("A hand at the Croupier is open. Go on with it: fairground croupier --lasting")
    if not vaults:
        print("No other game is waiting." if open_hands() else NOTHING_WAITS)
        return 0
    art = Ink.of_terminal()
    for number, line in enumerate(lines, 1):
        print(art.fold(line, f"{number:>3}  ", "     "))
    print("\nGo on with the first: fairground resume. With another: fairground resume 2")
    return 0


def open_hands() -> bool:
    """Return True if a hand waits at the Croupier of this computer."""
    return any(data_directory().with_name("croupier").glob("home/*/*.json"))


def _chosen(vaults: Sequence[FileVault], number: str) -> Path:
    if number not in [str(n) for n in range(1, len(vaults) + 1)]:
        raise InputError(
            f"there is no unfinished game {number!r}; there are: 1 to {len(vaults)}.\n"
            "Try: fairground resume --list"
        )
    return Path(vaults[int(number) - 1].path)


def in_words(vault: FileVault) -> str:
    """Describe a vault: the game, its players, and when it was last played."""
    when = datetime.fromtimestamp(vault.path.stat().st_mtime).astimezone()
    try:
        record = open_record(Path(vault.label.record))
        what = f"{record.title}: {', '.join(map(shown, record.names))}"
    except (FairgroundError, Fault) as error:
        what = f"{vault.label.command}: {error}"
    return f"{what} ({when:%Y-%m-%d %H:%M})"


def go_on(path: Path, screens: Mapping[str, str]) -> int:
    """Open a vault, its table and its screen."""
    vault = FileVault.open(path)
    try:
        opened = OpenTable.again(vault)
    except BaseException:
        vault.close(over=False)
        raise
    if opened.table.closed:
        opened.close()
        print("This game has ended. Its record is complete:")
        print(f"  fairground verify {opened.saved.quoted_path}")
        return 0
    label = vault.label
    art = Ink.of_terminal()
    print(art.ink(art.fold(f"Going on with {in_words(vault)}. So far:"), "bold"))
    screen = import_module(f"fairground.{screens[label.command]}")
    house = HousePlayers(bytes.fromhex(label.seed))
    exit_code: int = screen.go_on(opened, label.arguments, house)
    return exit_code
