"""``fairground resume``: go on with a game that was stopped in the middle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Final

from fairground.core import FairgroundError, Fault, InputError
from fairground.shown import shown
from fairground.terminal.console import Arguments
from fairground.terminal.evening.tables import HousePlayers, OpenTable
from fairground.terminal.evening.vaults import FileVault, unfinished
from fairground.terminal.ink import Ink
from fairground.terminal.saving import data_directory
from fairground.terminal.shelf import open_record

SCREENS: Final[Mapping[str, str]] = {
    "dice": "intransitive.screen",
    "codebreaking": "codebreaking.command",
    "zombie": "zombie.command",
    "fatestones": "fatestones.command",
    "play": "commands.play",
}
"""Who goes on with what a command began."""


NOTHING_WAITS: Final = "No game is waiting: all are finished."


def _arguments() -> Arguments:
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


def run(arguments: Sequence[str]) -> int:
    """``fairground resume``"""
    options = _arguments().parse_args(arguments)
    vaults = unfinished()
    try:
        chosen = None if options.list or not vaults else _chosen(vaults, options.number or "1")
    finally:
        lines = [in_words(vault) for vault in vaults]
        for vault in vaults:
            vault.close(over=False)
    if chosen is not None:
        return go_on(chosen)
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
    """Whether a hand waits at the Croupier of this computer."""
    return any(data_directory().with_name("croupier").glob("home/*/*.json"))


def _chosen(vaults: Sequence[FileVault], number: str) -> Path:
    if number not in [str(n) for n in range(1, len(vaults) + 1)]:
        raise InputError(
            f"there is no unfinished game {number!r}; there are: 1 to {len(vaults)}.\n"
            "Try: fairground resume --list"
        )
    return Path(vaults[int(number) - 1].path)


def in_words(vault: FileVault) -> str:
    """What a vault is for: the game, who plays, since when it waits."""
    when = datetime.fromtimestamp(Path(vault.path).stat().st_mtime).astimezone()
    try:
        record = open_record(Path(vault.label.record))
        what = f"{record.title}: {', '.join(map(shown, record.names))}"
    except (FairgroundError, Fault) as error:
        what = f"{vault.label.command}: {error}"
    return f"{what} ({when:%Y-%m-%d %H:%M})"


def go_on(path: Path) -> int:
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
    screen = import_module(f"fairground.terminal.{SCREENS[label.command]}")
    house = HousePlayers(bytes.fromhex(label.seed))
    exit_code: int = screen.go_on(opened, label.arguments, house)
    return exit_code
