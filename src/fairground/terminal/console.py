"""The terminal: lines out, lines and keys in, and what it can show.

It may be a window or a pipe, narrow or wide, with or without colours and signs. Each game draws
with its own subclass of `Ink`.

A key is one sign, such as ``a``, or a word: ``up``, ``down``, ``left``, ``right``, ``home``,
``end``, ``escape``. Other escape sequences are swallowed whole, so that their letters are never
taken for typed letters.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import os
import re
import shutil
import signal
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import takewhile
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, NoReturn, Self, TextIO

from fairground.core import InputError
from fairground.registry import nearest


class EndOfInput(Exception):
    """The input ended in the middle of a conversation: exit code 3."""


class Stopped(BaseException):
    """A signal or a closed window ended the program.

    The game stays unfinished, since no player decided to leave.
    """

    def __init__(self, signal: int) -> None:
        super().__init__()
        self.signal = signal


@contextlib.contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into `Stopped`, so that files and terminals are left in order."""

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
    """Let no odd byte and no closed stream end the program.

    Signs that cannot be shown become ``?``, bytes that cannot be read become the replacement sign.
    A closed stream reads as empty, and swallows all output.
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
    columns = shutil.get_terminal_size().columns
    return "\n".join(
        "\n".join(_wrapped(line, columns))
        if len(line) > columns and not line.startswith(" ") and "\x1b" not in line
        else line
        for line in text.split("\n")
    )


def _last_line(prompt: str) -> str:
    """Return a prompt that fits the terminal: of a long one, all but its end is printed before."""
    columns = shutil.get_terminal_size().columns
    if len(prompt) < columns or not sys.stdout.isatty():
        return prompt
    *before, last = _wrapped(prompt, columns)
    print("\n".join(before))
    return f"{last} "


def _wrapped(line: str, columns: int) -> list[str]:
    """Return a long line as several, each shorter than the terminal is wide."""
    return textwrap.wrap(line, max(columns - 1, 12), break_on_hyphens=False)


LONGEST_LINE = 1_000_000


def _line() -> str:
    """Read a line of a pipe. One without an end would fill the memory, and is cut."""
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


class _Folded(argparse.RawDescriptionHelpFormatter):
    """Help in which running text fits the terminal, and indented lines stay as they are."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=shutil.get_terminal_size().columns - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
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
    """An argument parser whose complaints are errors of ours, with an example.

    It finds every mistake itself, so no sentence of `argparse` is ever shown. Those sentences
    differ between the versions of Python.
    """

    only_looked_at: ClassVar[bool] = False
    """True while `parser_of` collects parsers instead of parsing."""

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
        lines = re.sub(r"\s*\\\n\s*", " ", example).splitlines()
        uncommented = [re.split(r"\s{3,}", line.strip())[0] for line in lines]
        self._examples = [line for line in uncommented if line.startswith("fairground ")]
        own = (line for line in self._examples if line.startswith(self.prog))
        self._example = next(own, self._examples[0])
        self._typed: dict[argparse.Action, str] = {}
        """Names of the typed options: one option may have several."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the user's defaults, then the typed words."""
        return self._parsed(self.parse_known_args, args)

    def parse_intermixed_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse with options between other words."""
        return self._parsed(self.parse_known_intermixed_args, args)

    def _parsed(self, parse: Callable[..., tuple[Any, list[str]]], typed: Sequence[str]) -> Any:
        if Arguments.only_looked_at:
            raise ParserFound(self)
        if any(word in ("-h", "--help") for word in typed):
            self.print_help()
            self.exit()
        from fairground.terminal.options import usual_words

        words = [*usual_words(self, self._command.partition(" ")[0], typed), *typed]
        self._check_options(words)
        needed = [action for action in self._actions if action.required and action.nargs != "*"]
        for action in needed:
            action.required = False
        options, surplus = parse(words)
        if surplus:
            self._refuse_surplus(surplus[0])
        missing = [self._name(a) for a in needed if getattr(options, a.dest) is None]
        if missing:
            self.error(f"{self._command} needs {', '.join(missing)}")
        return options

    def _check_options(self, words: Sequence[str]) -> None:
        """Refuse unknown options, values of options that take none, and options that exclude."""
        for word in takewhile(lambda word: word != "--", words):
            name, equals, value = word.partition("=")
            action = self._option_string_actions.get(name)
            if action is None:
                if re.match(r"--?[a-zA-Z]", word) and " " not in name:
                    self.error(f"there is no option {name!r}{self._meant(name)}")
            elif equals and action.nargs == 0:
                self.error(f"{name} takes no value, but got {value!r}")
            else:
                self._typed[action] = name
        for group in self._mutually_exclusive_groups:
            rivals = [name for a, name in self._typed.items() if a in group._group_actions]
            if len(rivals) > 1:
                self.error(f"{' and '.join(rivals)} exclude each other: give one of them")

    def _refuse_surplus(self, word: str) -> NoReturn:
        """Refuse a word without a place; a number may have been meant for the only such option."""
        meant = self._meant(word)
        numeric = [self._name(a) for a in self._actions if a.type is int and a.option_strings]
        if word.isdigit() and len(numeric) == 1:
            meant = f". Did you mean {numeric[0]} {word}?"
        self.error(f"{self._command} takes no {word!r} here{meant}")

    def _meant(self, word: str) -> str:
        names = [name[2:] for name in self._option_string_actions if name.startswith("--")]
        near = nearest(word.lstrip("-"), names)
        return f". Did you mean --{near}?" if near else ""

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError:
            self.error(f"{self._name(action)} needs a value")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            if action.type is int:
                arg_string.encode("ascii")  # digits of other scripts are more often a slip
            return action.type(arg_string) if callable(action.type) else arg_string
        except argparse.ArgumentTypeError as error:
            return self.error(f"{self._name(action)}: {error}")
        except (TypeError, ValueError):
            kind = "whole number" if action.type is int else "number"
            return self.error(f"{self._name(action)}: {arg_string!r} is not a {kind}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            names = list(map(str, action.choices))
            near = nearest(value, names)
            all_of_them = ", ".join(names) if len(names) < 10 else f"{names[0]} to {names[-1]}"
            there = f". Did you mean {near!r}?" if near else f"; there are: {all_of_them}"
            self.error(f"{self._name(action)} cannot be {str(value)!r}{there}")

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, how the option is used that it is about, and where to read more."""
        named = re.findall(r"--[a-z][a-z-]*", message)
        options = self._option_string_actions
        known = [options[name] for name in named if name in options]
        action = known[-1] if known else None  # the last one puts the mistake right
        raise InputError(
            f"{message}{'' if message.endswith('?') else '.'}\n"
            f"For example: {self._example_of(action)}\nTry: {self.prog} --help"
        )

    def _example_of(self, action: argparse.Action | None) -> str:
        """Return an example with this option: from the help, or made of what it takes."""
        if action is None:
            return self._example
        for line in (self._example, *self._examples):
            if line.startswith(self.prog) and set(action.option_strings) & set(line.split()):
                return line
        return f"{self._example} {self._name(action)} {_sample(action)}".strip()

    def _name(self, action: argparse.Action) -> str:
        """Return the name of an option as it was typed, or of an argument as the help shows it."""
        usual = action.option_strings[0] if action.option_strings else action.metavar
        return self._typed.get(action, str(usual or action.dest))


def _sample(action: argparse.Action) -> str:
    """Return a value that an option takes: a choice, the default, a number, or what stands here."""
    if action.nargs == 0:
        return ""
    if action.choices:
        return str(next(iter(action.choices)))
    if usual := re.search(r"\((?:default:? )?(\d[\d,]*)\b", action.help or ""):
        return usual[1].replace(",", "")
    if action.default:
        return str(action.default)
    return str(action.metavar or action.dest.upper()) if action.type in (None, Path) else "3"


SAMPLE: Final = "🧟┌┐└┘├┤┬┴"

WIDEST_TEXT: Final = 96
"""Longer lines are hard to read, however wide the terminal is."""

STYLES: Final = {
    "bold": "1",
    "dim": "2",
    "good": "1;32",
    "bad": "1;31",
    "title": "1;32",
    "green": "1;32",
    "yellow": "1;33",
    "red": "1;31",
    "suit": "31",
    **{
        f"peg{digit}": colours
        for digit, colours in enumerate(
            ("97;41", "30;42", "30;43", "97;44", "97;45", "30;46", "30;47", "97;100")
        )
    },
}
"""Colour never says anything that a letter or a word does not say as well."""


class Edges(NamedTuple):
    """The signs for boxes. Corners are left, between and right."""

    across: str
    down: str
    top: str
    middle: str
    foot: str


ASCII_EDGES: Final = Edges("-", "|", "+++", "+++", "+++")
LINE_EDGES: Final = Edges("─", "│", "┌┬┐", "├┼┤", "└┴┘")


def only_ascii(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return True for ASCII only: by the stream's encoding, the locale, and the bare console."""
    try:
        SAMPLE.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    kind = environment.get("LC_CTYPE", "")
    if kind == "C.UTF-8":
        kind = ""  # Python itself sets this where the user has said LANG=C
    locale = environment.get("LC_ALL") or kind or environment.get("LANG")
    on_the_console = environment.get("TERM") == "linux" and stream.isatty()
    return locale in ("C", "POSIX") or on_the_console


def wants_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return True to use colours: not with NO_COLOR, in a pipe or on a dumb terminal."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


class Ink:
    """Writes for a terminal of a certain width."""

    def __init__(
        self,
        columns: int,
        ascii_only: bool = True,
        colour: bool = False,
        lines: float = math.inf,
    ) -> None:
        self.columns = max(columns, 1)
        self.lines = lines
        """Height of the terminal in lines; infinite for a pipe."""
        self.ascii_only = ascii_only
        self.edges = ASCII_EDGES if ascii_only else LINE_EDGES
        self._colour = colour

    @property
    def on_a_terminal(self) -> bool:
        return self.lines != math.inf

    @classmethod
    def of_terminal(cls, ascii_only: bool | None = None) -> Self:
        """For standard output as it is now; ``None`` takes what it can show."""
        if ascii_only is None:
            ascii_only = only_ascii(sys.stdout, os.environ)
        colour = wants_colour(sys.stdout, os.environ)
        columns, lines = shutil.get_terminal_size()
        return cls(columns, ascii_only, colour, lines if sys.stdout.isatty() else math.inf)

    def ink(self, text: str, style: str) -> str:
        """Return text in a style, where there are colours."""
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self._colour and text and style else text

    def fold(self, text: str, first: str = "", rest: str | None = None) -> str:
        """Return a paragraph in lines that fit; what has no blank in it, such as a seal, is broken.

        ``first`` stands before the first line, ``rest`` before the others (the same, if not given).
        """
        rest = first if rest is None else rest
        width = max(min(self.columns - 1, WIDEST_TEXT), len(rest) + 12)
        return textwrap.fill(
            text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
        )


def decimal(value: Fraction, digits: int) -> str:
    """Write a fraction with this many digits behind the point, rounded to the nearest."""
    whole, rest = divmod(round(value * 10**digits), 10**digits)
    return f"{whole}.{rest:0{digits}d}"


def percent(share: Fraction) -> str:
    """Return a share of one with one digit behind the point; a little is never called nothing."""
    text = f"{float(100 * share):.1f}%"
    return "less than 0.1%" if share and text == "0.0%" else text


ENTER: Final = "\n"
END: Final = "\x04"
"""Ctrl-D, or the end of the input."""

ESCAPE: Final = 0x1B
SEQUENCE: Final = 0.05
"""Seconds that the rest of an escape sequence may take; a person is slower, a line quicker."""

NAMES: Final = {
    "A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end",
}  # fmt: skip

_COMPLETE: Final = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|[^\[O])", re.DOTALL)


def can_read_keys() -> bool:
    """Return True if keys can be read one by one: both ends are a terminal that is not dumb."""
    try:
        import termios
    except ImportError:
        return False
    on_a_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    return bool(termios) and on_a_terminal and os.environ.get("TERM") != "dumb"


def forget_typed() -> None:
    """Throw away what was typed before the question: it cannot be an answer to it."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import termios

        if sys.stdin.isatty():
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


class Keys:
    """Reads keys. Made by `reading_keys`."""

    def __init__(self, wake: int) -> None:
        self._data = b""
        self._wake = wake
        """Wake-up pipe of signals, which may reach another thread while we wait here."""

    def read(self, seconds: float | None = None) -> str | None:
        """Return the next key; ``None`` if none comes in this time, or one that means nothing."""
        if not self._data:
            if not self._ready(seconds):
                return None
            self._data = os.read(sys.stdin.fileno(), 1024)
            if not self._data:
                return END
        if self._data[0] == ESCAPE:
            return self._sequence()
        return self._sign()

    def _ready(self, seconds: float | None) -> bool:
        import select

        ready, _, _ = select.select([sys.stdin, self._wake], [], [], seconds)
        if self._wake in ready:
            os.read(self._wake, 1024)
        return sys.stdin in ready

    def _sequence(self) -> str | None:
        while not (found := _COMPLETE.match(self._data)) and self._ready(SEQUENCE):
            more = os.read(sys.stdin.fileno(), 1024)
            if not more:
                break
            self._data += more
        if found is None:
            alone = self._data == b"\x1b"
            self._data = b""
            return "escape" if alone else None
        self._data = self._data[found.end() :]
        return NAMES.get(found[0][-1:].decode("latin-1")) if len(found[0]) > 2 else None

    def _sign(self) -> str | None:
        first = self._data[0]
        size = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        while len(self._data) < size and self._ready(SEQUENCE):
            more = os.read(sys.stdin.fileno(), 1024)
            if not more:
                break
            self._data += more
        sign, self._data = self._data[:size], self._data[size:]
        text = sign.decode("utf-8", errors="replace")
        return ENTER if text == "\r" else text


@contextlib.contextmanager
def reading_keys(redraw: Callable[[], None]) -> Iterator[Keys]:
    """Read keys one by one. After Ctrl-Z and back, set the terminal up again and ``redraw``."""
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)

    def set_up(*_: object) -> None:
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)

    def come_back(*_: object) -> None:
        set_up()
        redraw()

    set_up()
    wake, knock = os.pipe()
    os.set_blocking(knock, False)
    woken_before = signal.set_wakeup_fd(knock, warn_on_full_buffer=False)
    old = signal.signal(signal.SIGCONT, come_back)
    try:
        yield Keys(wake)
    finally:
        signal.signal(signal.SIGCONT, old)
        signal.set_wakeup_fd(woken_before)
        os.close(wake)
        os.close(knock)
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
