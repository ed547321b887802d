"""``fairground`` alone: what can be played and done, started at a keypress."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final, NamedTuple

from fairground.core import FairgroundError
from fairground.terminal.console import Console, EndOfInput, single_keys
from fairground.terminal.saving import data_directory


class Entry(NamedTuple):
    """One line of the menu: its key, what it says, and the command behind it."""

    key: str
    title: str
    module: str
    arguments: Sequence[str] = ()


ENTRIES: Final = (
    Entry(
        "d",
        "Intransitive dice against the computer",
        "intransitive.screen",
        ("2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"),
    ),
    Entry("c", "Code breaking against a fair keeper", "codebreaking.command"),
    Entry("z", "Zombie Dice with people and machines", "zombie.command"),
    Entry("f", "FateStones against a perfect player", "fatestones.command"),
    Entry(
        "b",
        "Blind Croupier: video poker that trusts nobody",
        "croupier.command",
    ),
    Entry("v", "Verify your latest game", "commands.verify"),
)


def _key() -> str:
    with single_keys():
        key = sys.stdin.read(1)
    if not key:
        raise EndOfInput
    return key.lower()


def _show(console: Console) -> None:
    console.say("\nFairground: provably fair games. Every roll can be checked by you.\n")
    for entry in ENTRIES:
        command = " ".join(("fairground", entry.module.rpartition(".")[2]))
        console.say(f"  {entry.key}  {entry.title}   ({command})")
    console.say("  h  Help on all commands   (fairground --help)")
    console.say("  q  Quit\n")
    console.say("Press a key.")


def _start(entry: Entry, console: Console) -> None:
    arguments = list(entry.arguments)
    if entry.key == "v":
        games = sorted(data_directory().glob("*.jsonl"), key=lambda file: file.stat().st_mtime)
        if not games:
            console.say("No game has been saved yet. Play one first.")
            return
        arguments = [str(games[-1])]
    try:
        import_module(f"fairground.terminal.{entry.module}").run(arguments)
    except FairgroundError as error:
        console.say(str(error))
    except EndOfInput:
        console.say("The input ended.")


def run(help_text: str) -> int:
    """Show the menu until the user quits. ``help_text`` is behind the key ``h``."""
    console = Console()
    entries = {entry.key: entry for entry in ENTRIES}
    while True:
        _show(console)
        key = _key()
        if key in ("q", "x", "\x04"):
            return 0
        if key == "h":
            console.say(help_text)
        elif key in entries:
            _start(entries[key], console)
        else:
            console.say(f"There is nothing behind {key!r}.")
