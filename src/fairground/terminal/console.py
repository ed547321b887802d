"""Talking with a person: lines out, lines in, whether it is a terminal or a pipe."""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from fairground.core import InputError


class EndOfInput(Exception):
    """The input ended in the middle of a conversation: exit code 3."""


def use_utf8_where_possible() -> None:
    """Never let an odd character end a program: where it cannot be shown, show a ``?``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


class Console:
    """Plain lines in both directions.

    In a pipe the answers are echoed, so that the output reads as a session on a terminal
    would look.
    """

    def say(self, text: str = "") -> None:
        """Print one line (or several)."""
        print(text)

    def ask(self, prompt: str) -> str:
        """Show a prompt and return the line that is typed, trimmed."""
        if sys.stdin is not None and sys.stdin.isatty():
            try:
                return input(prompt).strip()
            except EOFError:
                raise EndOfInput from None
        print(prompt, end="", flush=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            raise EndOfInput
        print(line.rstrip("\r\n"))
        return line.strip()

    def ask_hidden(self, prompt: str) -> str:
        """Read a line without showing it; in a pipe it is read like any other, and not echoed."""
        if sys.stdin is not None and sys.stdin.isatty():
            import getpass

            sys.stdout.flush()
            try:
                return getpass.getpass(prompt).strip()
            except EOFError:
                raise EndOfInput from None
        print(prompt, flush=True)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            raise EndOfInput
        return line.strip()


@contextlib.contextmanager
def single_keys() -> Iterator[None]:
    """Have keys arrive one by one, where the terminal can do that."""
    try:
        import termios
        import tty
    except ImportError:
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin, termios.TCSADRAIN)  # not flushing: a key may be there already
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


class Menu:
    """Numbered options, and below them ``X`` to leave and ``?`` for help."""

    LONGEST = 20
    EXIT = "X"
    HELP = "?"

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options

    @classmethod
    def of_numbers(cls, n: int) -> Menu:
        """A menu of the numbers 0 to n - 1; a range where they are many."""
        return _NumberMenu(n) if n > cls.LONGEST else cls({str(i): str(i) for i in range(n)})

    def lines(self) -> list[str]:
        """The menu as it is printed."""
        return [f"{key} - {label}" for key, label in self._options.items()]

    def choice(self, answer: str) -> str | None:
        """The option that an answer means; ``None`` if there is no such option."""
        return answer if answer in self._options else None

    def expects(self) -> str:
        """What can be answered, in words."""
        return ", ".join(self._options)

    def ask(self, console: Console, prompt: str = "Your selection: ") -> str:
        """Show the menu until an option, `EXIT` or `HELP` is chosen."""
        console.say("\n".join([*self.lines(), f"{self.EXIT} - exit", f"{self.HELP} - help"]))
        while True:
            answer = console.ask(prompt)
            if answer.upper() == self.EXIT:
                return self.EXIT
            if answer == self.HELP:
                return self.HELP
            choice = self.choice(answer)
            if choice is not None:
                return choice
            said = f"{answer!r} is not an option" if answer else "Nothing was chosen"
            console.say(f"{said}. Type {self.expects()}, X to exit or ? for help.")


class _NumberMenu(Menu):
    """Too many numbers to list: any number of the range may be typed."""

    def __init__(self, n: int) -> None:
        super().__init__({})
        self._n = n

    def lines(self) -> list[str]:
        return [f"0..{self._n - 1} - your number"]

    def choice(self, answer: str) -> str | None:
        if answer.isascii() and answer.isdigit() and len(answer) <= len(str(self._n)):
            number = int(answer)
            return str(number) if number < self._n else None
        return None

    def expects(self) -> str:
        return f"a number from 0 to {self._n - 1}"


class Arguments(argparse.ArgumentParser):
    """An argument parser whose complaints are errors of ours, with an example."""

    def __init__(self, command: str, description: str, example: str, **more: Any) -> None:
        super().__init__(
            prog=f"fairground {command}",
            description=description,
            epilog=example,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **more,
        )
        self._command = command
        lines = [line.strip() for line in example.splitlines()]
        self._example = next(line for line in lines if line.startswith("fairground "))

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, how it is done right, and where to read more."""
        raise InputError(
            f"{message}.\nFor example: {self._example}\nTry: fairground {self._command} --help"
        )
