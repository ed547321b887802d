"""Talking with a person: lines out, lines in, whether it is a terminal or a pipe."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

from fairground.core import InputError
from fairground.terminal.ink import terminal_size
from fairground.terminal.keys import forget_typed


class EndOfInput(Exception):
    """The input ended in the middle of a conversation: exit code 3."""


class Stopped(BaseException):
    """Somebody outside ended the program: a signal, or a window that was closed.

    Nobody has decided anything, so a game is left as it is, unfinished.
    """

    def __init__(self, signal: int) -> None:
        super().__init__()
        self.signal = signal


@contextlib.contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into `Stopped`, so that files and terminals are left in order."""
    import signal

    def stop(number: int, _: object) -> None:
        raise Stopped(number)

    wanted = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    try:
        old = {number: signal.signal(number, stop) for number in wanted if number is not None}
    except ValueError:  # only the main thread hears signals
        old = {}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def make_streams_safe() -> None:
    """Let no odd byte, and no stream that is closed, end a program.

    What cannot be shown is shown as ``?``, what cannot be read is read as a sign for that, and
    a closed stream is empty, or swallows what is written to it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def abandon_output(number: int) -> None:
    """Throw away what is still to be written: the disk is full, or the reader has left.

    Python would try again at exit, and complain. 1 is standard output, 2 is standard error.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


class Console:
    """Plain lines in both directions.

    On a terminal a line can be edited, and earlier answers come back with the arrow keys. In a
    pipe the answers are echoed, so that the output reads as a session on a terminal would look.
    """

    def say(self, text: str = "") -> None:
        """Print one line (or several); on a terminal no sentence is broken within a word."""
        print(_folded(text) if sys.stdout.isatty() else text)

    def ask(self, prompt: str) -> str:
        """Show a prompt and return the line that is typed, trimmed."""
        if sys.stdin.isatty():
            if sys.stdout.isatty():
                _edit_lines()
            last = _last_line(prompt)
            forget_typed()
            try:
                return input(last).strip()
            except EOFError:
                raise EndOfInput from None
        print(prompt, end="", flush=True)
        line = _line()
        print(line.rstrip("\r\n"))
        return line.strip()

    def ask_hidden(self, prompt: str) -> str:
        """Read a line without showing it; in a pipe it is read like any other, and not echoed."""
        if sys.stdin.isatty():
            import getpass

            last = _last_line(prompt)
            sys.stdout.flush()
            forget_typed()
            try:
                return getpass.getpass(last).strip()
            except EOFError:
                raise EndOfInput from None
        print(prompt, flush=True)
        return _line().strip()


def _folded(text: str) -> str:
    """Sentences in lines that fit. Indented lines stay whole: they may be commands to copy."""
    columns = terminal_size().columns
    return "\n".join(
        "\n".join(_wrapped(line, columns))
        if len(line) > columns and not line.startswith(" ") and "\x1b" not in line
        else line
        for line in text.split("\n")
    )


def _last_line(prompt: str) -> str:
    """A prompt that fits the terminal: of a long one, all but its end is printed before."""
    columns = terminal_size().columns
    if len(prompt) < columns or not sys.stdout.isatty():
        return prompt
    *before, last = _wrapped(prompt, columns)
    print("\n".join(before))
    return f"{last} "


def _wrapped(line: str, columns: int) -> list[str]:
    """A long line as several, each shorter than the terminal is wide."""
    import textwrap

    return textwrap.wrap(line, max(columns - 1, 12), break_on_hyphens=False)


LONGEST_LINE = 1_000_000


def _line() -> str:
    """A line of a pipe. One without an end would fill the memory, and is cut."""
    line = sys.stdin.readline(LONGEST_LINE)
    if not line:
        raise EndOfInput
    return line


def _edit_lines() -> None:
    """Let lines be edited, where there is a library for it; Tab offers no file names."""
    try:
        import readline
    except ImportError:
        return
    if readline.get_completer() is None:
        readline.set_completer(lambda text, state: None)


class Menu:
    """Numbered options, and below them what else can be typed."""

    LONGEST = 20

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

    def ask(self, console: Console, ask: Callable[[str], str], heading: str) -> str:
        """Show the menu, and ask until an option is chosen. ``ask`` knows X and ?."""
        console.say("\n".join([heading, *self.lines(), "X - exit", "? - help"]))
        while True:
            answer = ask("Your selection: ")
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


class _Folded(argparse.RawDescriptionHelpFormatter):
    """Help in which running text fits the terminal, and indented lines stay as they are."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=terminal_size().columns - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap

        paragraphs: list[str] = []
        for line in text.splitlines():
            running = bool(line) and not line.startswith(" ")
            if running and paragraphs and paragraphs[-1] and not paragraphs[-1].startswith(" "):
                paragraphs[-1] += f" {line}"
            else:
                paragraphs.append(line)
        return "\n".join(
            line
            if line.startswith(" ")
            else textwrap.fill(line, width, initial_indent=indent, subsequent_indent=indent)
            for line in paragraphs
        )


class ParserFound(Exception):
    """Instead of parsing: here is the parser of a command. See `parser_of`."""

    def __init__(self, parser: Arguments) -> None:
        super().__init__()
        self.parser = parser


def parser_of(run: Callable[[Sequence[str]], int], words: Sequence[str] = ()) -> Arguments | None:
    """The parser that a command would parse these words with; ``None`` if it parses nothing."""
    Arguments.only_looked_at = True
    try:
        run(list(words))
    except ParserFound as found:
        return found.parser
    finally:
        Arguments.only_looked_at = False
    return None


class Arguments(argparse.ArgumentParser):
    """An argument parser whose complaints are errors of ours, with an example."""

    only_looked_at: ClassVar[bool] = False
    """Whether parsers are wanted for themselves, and nothing is to be parsed."""

    def __init__(self, command: str, description: str, example: str, **more: Any) -> None:
        super().__init__(
            prog=f"fairground {command}",
            description=description,
            epilog=example,
            formatter_class=_Folded,
            allow_abbrev=False,
            **more,
        )
        self._command = command
        lines = [line.strip() for line in example.splitlines()]
        examples = [line for line in lines if line.startswith("fairground ")]
        own = (line for line in examples if line.startswith(f"fairground {command}"))
        self._example = next(own, examples[0])

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What was typed, behind the user's own defaults."""
        return super().parse_args(self._behind_defaults(args), namespace)

    def parse_intermixed_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The same where options may stand between other words."""
        return super().parse_intermixed_args(self._behind_defaults(args), namespace)

    def _behind_defaults(self, typed: Sequence[str]) -> list[str]:
        if Arguments.only_looked_at:
            raise ParserFound(self)
        from fairground.terminal.places import is_configured

        if not is_configured():
            return list(typed)
        from fairground.terminal.defaults import usual_words

        return [*usual_words(self, self._command.partition(" ")[0], typed), *typed]

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, how it is done right, and where to read more."""
        raise InputError(
            f"{message}.\nFor example: {self._example}\nTry: fairground {self._command} --help"
        )
