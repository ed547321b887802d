"""``fairground`` alone: what can be played and done, started at a keypress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Final, NamedTuple

from fairground.core import FairgroundError
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.ink import Ink
from fairground.terminal.keys import END, ENTER, can_read_keys, forget_typed, reading_keys
from fairground.terminal.saving import data_directory

KEYS: Final = {"d": "dice", "c": "codebreaking", "z": "zombie", "f": "fatestones", "b": "croupier"}
ARGUMENTS: Final = {"dice": ("2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3")}
"""What a game needs that cannot be left out."""

PROMPT: Final = "Up and Down move, Enter starts; or press a letter."
LEAVE: Final = ("q", "x", "escape", END)


class Choice(NamedTuple):
    """One line of the menu: its key, its name, what it does, and the command behind it."""

    key: str
    name: str
    says: str
    command: tuple[str, ...]


class MainMenu:
    """Shows the menu until the user quits.

    ``games`` are the commands of games, and what to say of each; ``start`` runs a command line.
    """

    def __init__(
        self, games: Mapping[str, tuple[str, str]], start: Callable[[Sequence[str]], int]
    ) -> None:
        self._console = Console()
        self._art = Ink.of_terminal()
        self._start = start
        self._at = 0
        self._choices = [
            Choice(key, games[name][0], games[name][1], (name, *ARGUMENTS.get(name, ())))
            for key, name in KEYS.items()
        ]
        self._choices += [
            Choice("y", "History", "Your games, and how they ended.", ("history",)),
            Choice("w", "Replay", "Your latest game again, step by step.", ("replay",)),
            Choice("v", "Verify", "Check your latest game.", ("verify",)),
            Choice("h", "Help", "All commands.", ("--help",)),
            Choice("q", "Quit", "", ()),
        ]

    def run(self) -> int:
        """Until the user quits."""
        while True:
            self._show_heading()
            choice = self._by_keys() if can_read_keys() else self._by_line()
            if choice is None or not choice.command:
                return 0
            self._do(choice)

    def _show_heading(self) -> None:
        say, art = self._console.say, self._art
        say()
        say(art.ink("Fairground", "title"))
        say(art.fold("Provably fair games: every roll can be checked by you."))
        say()

    def _lines(self) -> list[str]:
        wide = max(len(choice.name) for choice in self._choices)
        lines = []
        for number, choice in enumerate(self._choices):
            mark = ">" if number == self._at else " "
            text = f"{mark} {choice.key}  {choice.name:<{wide}}  {choice.says}"
            text = text[: self._art.columns - 1].rstrip()
            lines.append(self._art.ink(text, "bold") if number == self._at else text)
        return lines

    def _draw(self) -> None:
        print("\n".join(self._lines()))
        print(f"\n{self._art.fold(PROMPT)}", flush=True)

    def _redraw(self) -> None:
        """The same lines again, where they stand."""
        high = len(self._choices) + 1 + len(self._art.fold(PROMPT).splitlines())
        print(f"\x1b[{high}A\x1b[J", end="")
        self._draw()

    def _by_keys(self) -> Choice | None:
        forget_typed()
        self._draw()
        with reading_keys(self._draw) as keys:
            while True:
                key = keys.read()
                if key in ("up", "down"):
                    self._at = (self._at + (1 if key == "down" else -1)) % len(self._choices)
                    self._redraw()
                elif key == ENTER:
                    return self._choices[self._at]
                elif key in LEAVE:
                    return None
                elif key is not None:
                    for number, choice in enumerate(self._choices):
                        if key.lower() == choice.key:
                            self._at = number
                            return choice

    def _by_line(self) -> Choice | None:
        self._console.say("\n".join(self._lines()))
        while True:
            typed = self._console.ask("Your choice: ").lower()
            if typed in LEAVE:
                return None
            named = {choice.name.lower(): choice for choice in self._choices}
            named |= {choice.key: choice for choice in self._choices}
            if typed in named:
                return named[typed]
            near = get_close_matches(typed, named, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            self._console.say(f"No such choice: {typed}.{hint}")

    def _do(self, choice: Choice) -> None:
        """Run a command; what it says stays on the screen until a key is pressed."""
        command = list(choice.command)
        self._console.say()
        if command[0] in ("verify", "replay"):
            latest = max(
                data_directory().glob("*.jsonl"),
                key=lambda file: file.stat().st_mtime,
                default=None,
            )
            if latest is None:
                self._console.say("No game has been saved yet. Play one first.")
                return
            command.append(str(latest))
        try:
            self._start(command)
        except FairgroundError as error:
            self._console.say(f"fairground: {error}")
        except EndOfInput:
            self._console.say("The input ended.")
        except KeyboardInterrupt:
            self._console.say("\nStopped by Ctrl-C.")
        sys.stdout.flush()
        if can_read_keys():
            forget_typed()
            print("\nPress a key for the menu.", flush=True)
            with reading_keys(lambda: None) as keys:
                while keys.read() is None:
                    pass


def run(games: Mapping[str, tuple[str, str]], start: Callable[[Sequence[str]], int]) -> int:
    """``fairground`` alone, on a terminal."""
    return MainMenu(games, start).run()
