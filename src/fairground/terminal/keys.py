"""Keys one by one, where the terminal can do that.

A key is one sign, such as ``a``, or a word for what has no sign: ``up``, ``down``, ``left``,
``right``, ``home``, ``end``, ``escape``. Keys that mean nothing here are swallowed whole, so that
the letters of an escape sequence are never taken for letters that somebody typed.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Final

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
    """Whether keys can be read one by one: both ends are a terminal that is not dumb."""
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
        """Where a signal knocks: it may have come to another thread while we wait here."""

    def read(self, seconds: float | None = None) -> str | None:
        """The next key; ``None`` if none comes in this time, or one that means nothing."""
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
    """Have keys arrive one by one; after Ctrl-Z and back, set that again and ``redraw``."""
    import signal
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
