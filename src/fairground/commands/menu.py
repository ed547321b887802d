"""``fairground`` alone: what can be played and done, started at a keypress."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from fairground.commands.history import in_words
from fairground.core import FairgroundError
from fairground.escape import shown
from fairground.registry import nearest
from fairground.terminal.console import (
    END,
    ENTER,
    Console,
    EndOfInput,
    Ink,
    can_read_keys,
    forget_typed,
    reading_keys,
)
from fairground.terminal.files import kept_records, unfinished
from fairground.terminal.records import kept_games

PROMPT: Final = "Arrows choose a game and its level, Enter starts; or press a letter."
LEAVE: Final = ("q", "x", "escape", END)

LEAST_ROOM: Final = 16
"""Fewer letters say nothing."""


def shorten(text: str, room: int) -> str:
    """A text that fits, cut off between words."""
    if len(text) <= room:
        return text
    return text[: room - 3].rpartition(" ")[0] + "..." if room > LEAST_ROOM else ""


class Choice(NamedTuple):
    """One line of the menu: its key, its name, what it does, and the command behind it."""

    key: str
    name: str
    says: str
    command: tuple[str, ...]
    levels: tuple[str, ...] = ()


GAMES: Final = (
    ("d", ("dice", "2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"), ("hard", "easy")),
    ("c", ("codebreaking",), ("medium", "hard", "easy")),
    ("z", ("zombie",), ()),
    ("f", ("fatestones",), ("hard", "easy", "medium")),
    ("b", ("croupier",), ()),
)
"""Key, command and difficulties of each game, the default first. Zombie players choose by name."""

OTHERS: Final = (
    Choice("t", "Tutorial", "Two minutes: roll fairly, cheat, be caught.", ("tutorial",)),
    Choice("y", "History", "Your games, and how they ended.", ("history",)),
    Choice("w", "Replay", "Your latest game again, step by step.", ("replay",)),
    Choice("g", "Review", "What your latest game's choices were worth.", ("coach",)),
    Choice("v", "Verify", "Check your latest game.", ("verify",)),
    Choice("h", "Help", "All commands.", ("--help",)),
    Choice("q", "Quit", "", ()),
)


class MainMenu:
    """Shows the menu until the user quits.

    ``games`` are the commands of games, each with title and summary; ``start`` runs a command line.
    """

    def __init__(
        self, games: Mapping[str, tuple[str, str]], start: Callable[[Sequence[str]], int]
    ) -> None:
        self._console = Console()
        self._art = Ink.of_terminal()
        self._start = start
        self._at = 0
        self._level: dict[str, int] = {}
        """Index of the chosen difficulty, by the name of the choice."""
        self._games = [
            Choice(key, *games[command[0]], command, levels) for key, command, levels in GAMES
        ]
        self._choices: list[Choice] = []

    def run(self) -> int:
        """Until the user quits."""
        self._look_round()
        if not kept_records():
            self._at = next(i for i, choice in enumerate(self._choices) if choice.key == "t")
        while True:
            self._show_heading()
            choice = self._by_keys() if can_read_keys() else self._by_line()
            if choice is None or not choice.command:
                return 0
            self._do(choice)
            self._look_round()

    def _look_round(self) -> None:
        """Update the choices: a game may wait to be resumed."""
        waiting = unfinished()
        resume = []
        if waiting:
            more = f" (and {len(waiting) - 1} more)" if len(waiting) > 1 else ""
            resume = [Choice("r", "Resume", f"{in_words(waiting[0])}{more}", ("resume",))]
        for vault in waiting:
            vault.close(over=False)
        self._choices = [*self._games, *resume, *OTHERS]
        self._at = min(self._at, len(self._choices) - 1)

    def _show_heading(self) -> None:
        say, art = self._console.say, self._art
        say()
        say(art.ink("Fairground", "title"))
        say(art.fold("Provably fair games: every roll can be checked by you."))
        latest = kept_games(1)
        if not latest:
            say(art.fold("New here? t rolls a fair die with you, and takes two minutes."))
        for game in latest:
            line = f"{game.record.title}: {shown(game.ending)}"
            say(art.ink(art.fold(line, "Last: ", "      "), "dim"))
        say()

    def _lines(self) -> list[str]:
        wide = max(len(choice.name) for choice in self._choices)
        lines = []
        for number, choice in enumerate(self._choices):
            mark = ">" if number == self._at else " "
            level = f" [{self._level_of(choice)}]" if choice.levels else ""
            text = f"{mark} {choice.key}  {choice.name:<{wide}}  "
            text += shorten(choice.says, max(0, self._art.columns - 1 - len(text) - len(level)))
            text = f"{text}{level}"[: self._art.columns - 1].rstrip()
            lines.append(self._art.ink(text, "bold") if number == self._at else text)
        return lines

    def _level_of(self, choice: Choice) -> str:
        return choice.levels[self._level.get(choice.name, 0)]

    def _change_level(self, by: int) -> None:
        choice = self._choices[self._at]
        if choice.levels:
            level = self._level.get(choice.name, 0) + by
            self._level[choice.name] = level % len(choice.levels)

    def _draw(self) -> None:
        print("\n".join(self._lines()))
        print(f"\n{self._art.fold(PROMPT)}", flush=True)

    def _redraw(self) -> None:
        """Draw the same lines again in place."""
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
                elif key in ("left", "right"):
                    self._change_level(1 if key == "right" else -1)
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
            near = nearest(typed, named)
            hint = f" Did you mean {near!r}?" if near else ""
            self._console.say(f"No such choice: {typed}.{hint}")

    def _do(self, choice: Choice) -> None:
        """Run a command; what it says stays on the screen until a key is pressed."""
        command = list(choice.command)
        self._console.say()
        if choice.levels and self._level.get(choice.name, 0):
            command += ["--difficulty", self._level_of(choice)]
        if command[0] in ("verify", "replay", "coach"):
            records = kept_records()
            if not records:
                self._console.say("No game has been saved yet. Play one first.")
                return
            command.append(str(records[0]))
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
