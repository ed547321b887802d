"""A real terminal for tests: a pseudo-terminal, and pyte to see what a person would see."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pyte

LONGEST_SILENCE = 60.0
"""A program that says nothing for so many seconds waits for a line that never comes."""


class Session(NamedTuple):
    """What came of a session: all that the screen has shown, with the exit code; the bytes."""

    shown: str
    raw: bytes


Act = str | Callable[[int, int], None]
"""What is typed (``\\udce9``: the byte E9), or what is done to the process and its terminal."""


def session(keys: Sequence[tuple[str, Act]], columns: int, lines: int, *arguments: str) -> Session:
    """Run ``fairground`` on a terminal of this size: wait for a text, then type, and so on.

    Type a line's end behind a Ctrl-C. We are quicker than any person: a signal that comes
    between the prompt and the reading is noticed by Python only when there is something to read.
    """
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.environ["LINES"], os.environ["COLUMNS"] = str(lines), str(columns)
        os.execv(sys.executable, [sys.executable, "-m", "fairground", *arguments])
    screen = pyte.HistoryScreen(columns, lines, history=10_000)
    stream = pyte.ByteStream(screen)
    todo, raw, seen = list(keys), b"", 0
    while select.select([terminal], [], [], LONGEST_SILENCE)[0]:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # Linux says so when the program has ended
            break
        if not data:
            break
        stream.feed(data)
        raw += data
        while todo and (found := raw.find(todo[0][0].encode(), seen)) >= 0:
            awaited, typed = todo.pop(0)
            seen = found + len(awaited.encode())
            if isinstance(typed, str):
                os.write(terminal, typed.encode(errors="surrogateescape"))
            else:
                typed(pid, terminal)
    else:
        os.kill(pid, signal.SIGKILL)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    history = ["".join(line[x].data for x in range(columns)) for line in screen.history.top]
    shown = "\n".join([*history, *screen.display])
    return Session(f"{shown}\nexit {os.waitstatus_to_exitcode(status)}", raw)


def on_a_terminal(
    keys: Sequence[tuple[str, Act]], columns: int, lines: int, *arguments: str
) -> str:
    """What a session has shown, ending in ``exit CODE``."""
    return session(keys, columns, lines, *arguments).shown
