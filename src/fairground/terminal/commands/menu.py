"""``fairground`` alone: what can be played and done, started at a keypress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from fairground.core import FairgroundError
from fairground.terminal.console import Console, EndOfInput, single_keys
from fairground.terminal.saving import data_directory

KEYS: Final = {"d": "dice", "c": "codebreaking", "z": "zombie", "f": "fatestones", "b": "croupier"}
ARGUMENTS: Final = {"dice": ("2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3")}
"""What a game needs that cannot be left out."""


def _key() -> str:
    with single_keys():
        key = sys.stdin.read(1)
    if not key:
        raise EndOfInput
    return key.lower()


def _show(console: Console, games: Mapping[str, str]) -> None:
    console.say("\nFairground: provably fair games. Every roll can be checked by you.\n")
    rows = [(key, games[name], name) for key, name in KEYS.items()]
    rows += [("v", "Verify your latest game", "verify"), ("h", "Help on all commands", "--help")]
    wide = max(len(name) for _, _, name in rows)
    for key, text, name in rows:
        console.say(f"  {key}  {name:<{wide}}  {text}")
    console.say(f"  q  {'':<{wide}}  Quit\n")
    console.say("Press a key.")


def _latest(console: Console) -> list[str] | None:
    games = sorted(data_directory().glob("*.jsonl"), key=lambda file: file.stat().st_mtime)
    if not games:
        console.say("No game has been saved yet. Play one first.")
        return None
    return [str(games[-1])]


def run(
    help_text: str,
    games: Mapping[str, str],
    start: Callable[[Sequence[str]], int],
) -> int:
    """Show the menu until the user quits.

    ``help_text`` is behind the key ``h``; ``games`` are the commands of games and what to say of
    each; ``start`` runs a command line.
    """
    console = Console()
    while True:
        _show(console, games)
        key = _key()
        if key in ("q", "x", "\x04"):
            return 0
        try:
            if key == "h":
                console.say(help_text)
            elif key == "v":
                if latest := _latest(console):
                    start(["verify", *latest])
            elif key in KEYS:
                start([KEYS[key], *ARGUMENTS.get(KEYS[key], ())])
            else:
                console.say(f"There is nothing behind {key!r}.")
        except FairgroundError as error:
            console.say(str(error))
        except EndOfInput:
            console.say("The input ended.")
