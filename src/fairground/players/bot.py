"""Bots of your own: a file with one function, run in a process of its own.

The file defines ``choose(game, view, seat)``, or one class derived from `Player` with a
method of that name. It is handed the rules, its view and its seat, and answers a move.
The process has a limit on memory, and on wall-clock and processor time for each decision.
A bot that raises, answers nonsense or takes too long raises `BotFailure` here, and is
started afresh at its next decision. The game's table decides the cost of a failure.

This contains *mistakes*, not malice: the bot runs as you, and may read and write whatever
you may. Run only files that you would run anyway.
"""

from __future__ import annotations

import base64
import json
import os
import select
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fairground.core import FairgroundError, Game, InputError, Move, Seat, Unreadable
from fairground.players import Player
from fairground.transcript import frozen

if TYPE_CHECKING:
    import subprocess

RUNNER: Final = Path(__file__).with_name("bot_process.py")

HANDED_ON: Final = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "SYSTEMROOT")
"""The part of our environment that a bot sees. Nothing in it is a secret."""

ONE_THREAD: Final = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
"""Numeric libraries reserve memory for each thread, which the limit would count."""

LONGEST_ANSWER: Final = 100_000
LONGEST_REASON: Final = 160


class BotLimits(NamedTuple):
    """The limits of a bot."""

    seconds: float = 2.0
    """For each decision: by the clock, and (rounded up) of processor time."""
    megabytes: int = 1024
    """Of address space."""
    loading: float = 20.0
    """Seconds for starting up."""


class BotFailure(InputError):
    """A bot that raised, answered nonsense, took too long or ended; the text says which."""

    code = "bot/failed"


class BotPlayer(Player):
    """A player whose decisions are made by a file of Python in another process."""

    def __init__(self, path: Path, game: Game[Any], limits: BotLimits | None = None) -> None:
        if not path.is_file():
            raise Unreadable(f"there is no bot in {str(path)!r}: it is not a file")
        self._path = path
        self._game = game
        self._limits = limits or BotLimits()
        self._process: subprocess.Popen[bytes] | None = None
        self._start()

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        try:
            if self._process is None:
                self._start()
            import pickle  # only where a bot plays, as `subprocess` below

            asked = {"view": base64.b64encode(pickle.dumps(view)).decode(), "seat": seat}
            move = self._answer(asked, self._limits.seconds)["move"]
            return self._checked(game, view, seat, move)
        except BotFailure:
            self.close()
            raise

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _start(self) -> None:
        limits = self._limits
        import subprocess

        self._process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-X", "utf8", str(RUNNER)),
                *(str(self._path.resolve()), str(limits.seconds), str(limits.megabytes)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={name: os.environ[name] for name in HANDED_ON if name in os.environ} | ONE_THREAD,
            start_new_session=True,  # Ctrl-C is for us
        )
        try:
            self._answer({"game": self._game.name, "params": self._game.params()}, limits.loading)
        except BotFailure:
            self.close()
            raise

    def _checked(self, game: Game[Any], view: Any, seat: Seat, move: Any) -> Move:
        try:
            answered = frozen(move)
            game.check(view, seat, answered)
        except FairgroundError as error:
            raise BotFailure(_short(f"it answered {move!r}: {error}")) from None
        return answered

    def _answer(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send one line, and wait this long for one line."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(question).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise self._ended() from None
        answer = json.loads(self._line(time.monotonic() + seconds, seconds))
        if "error" in answer:
            raise BotFailure(_short(answer["error"]))
        assert isinstance(answer, dict)
        return answer

    def _line(self, deadline: float, seconds: float) -> bytes:
        assert self._process is not None
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        read = b""
        while not read.endswith(b"\n"):
            left = max(0.0, deadline - time.monotonic())
            if not select.select([pipe], [], [], left)[0]:
                raise BotFailure(f"it took longer than {seconds:g} s to answer")
            some = os.read(pipe, LONGEST_ANSWER)
            if not some:
                raise self._ended()
            read += some
            if len(read) > LONGEST_ANSWER:
                raise BotFailure("its answer is too long")
        return read

    def _ended(self) -> BotFailure:
        assert self._process is not None
        code = self._process.wait()
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return BotFailure(f"its process {how}")


def _short(text: str) -> str:
    """One line of reasonable length, which a message and a transcript can hold."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= LONGEST_REASON else line[: LONGEST_REASON - 3] + "..."
