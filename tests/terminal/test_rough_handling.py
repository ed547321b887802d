"""Odd bytes, full disks, signals, closed windows, odd keys: no traceback, nothing decided."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from fairground.verifier import verify
from tests.helpers.pseudo_terminal import Act, on_a_terminal, session
from tests.terminal.conftest import Here

DICE = ("dice", "2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3")
GAMES = {
    "dice": (*DICE, "--no-save"),
    "codebreaking": ("codebreaking", "--no-save"),
    "zombie": ("zombie", "--players", "Ann, Hal=cautious", "--no-save"),
    "fatestones": ("fatestones", "--no-save"),
    "croupier": ("croupier", "--no-save"),
}


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def shell(command: str, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command line; ``fairground`` is ours, wherever the tests are kept."""
    ours = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        check=False,
        timeout=120,
        env=os.environ | ours | more,
    )


LINES = {
    "dice": ["0", "0", "4"],
    "codebreaking --base 20 --length 8": ["", "0 0 1 2 0 0 1 2"],
    "codebreaking --keeper": ["1 1"],
    "zombie --players Ann,Bob": ["w", "v", "", "", "h"],
    "fatestones": ["w"],
    "play fatestones": ["w"],
    "play zombie": ["w"],
}
"""Lines that do not finish a game."""

CTRL_C = {
    "dice": ([("Your selection: ", "\x03\n")], "KEY="),
    "codebreaking": ([("(enter: none): ", "\n"), ("Guess 1: ", "\x03\n")], "The code was "),
    "codebreaking --keeper": ([("partial matches: ", "\x03\n")], "You leave the game; a keeper"),
    "zombie --players Ann,Bob": ([("game: ", "\x03\n")], "Ann leaves the game."),
    "fatestones": ([("for the deal: ", "w\n"), ("?, X): ", "\x03\n")], "You leave the game"),
    "play poker": ([("draws: ", "w\n"), ("do you hold? ", "\x03\n")], "You lose 5 chips."),
}
"""Keys that end with Ctrl-C, and what the screen says where the game is not kept.

The line feed behind Ctrl-C wakes a read that began just before the signal came.
"""


def command_line(game: str) -> list[str]:
    return [*DICE] if game == "dice" else game.split()


class TestEndOfInput:
    @pytest.mark.parametrize(
        ("game", "lines"),
        [(game, LINES[game][:n]) for game in LINES for n in range(len(LINES[game]) + 1)],
    )
    def test_everybody_leaves_and_the_record_holds(
        self, game: str, lines: list[str], here: Here
    ) -> None:
        told = here.saved("".join(f"{line}\n" for line in lines), *command_line(game))
        assert told.code == 3
        assert "Goodbye" in told.err and "Checked: the record of " in told.out
        assert told.out.count("HMAC=") == told.out.count("KEY=")
        assert told.verdict.ok and "the input ended" in told.verdict.remarks[0]


class TestBytes:
    @pytest.mark.parametrize("game", sorted(GAMES))
    def test_a_byte_that_is_no_text_in_a_pipe(self, game: str) -> None:
        words = " ".join(f"'{word}'" for word in GAMES[game])
        strict = {"PYTHONIOENCODING": "utf-8:strict"}
        done = shell(rf"printf '\xe9\n\xff\xfe\n' | fairground {words}", **strict)
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        assert done.returncode in (0, 3)

    @pytest.mark.parametrize(
        ("game", "prompt", "then"),
        [
            ("dice", "Your selection: ", (("Your selection: ", "\x04"),)),
            ("codebreaking", "(enter: none): ", (("Guess 1: ", "\x04"),)),
            ("zombie", "your word for the game: ", (("🧟> ", "\x04"),)),
            ("fatestones", "random for the deal: ", (("hint, ?, X): ", "\x04"),)),
            ("croupier", "q quits): ", (("Hold nothing > ", "q"), ("(y/n)", "y\n"))),
        ],
    )
    def test_a_byte_that_is_no_text_on_a_terminal(
        self,
        game: str,
        prompt: str,
        then: tuple[tuple[str, str], ...],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("PYTHONIOENCODING", "utf-8:strict")
        shown = session([(prompt, "\udce9\n"), *then], 80, 24, *GAMES[game]).shown
        assert "Traceback" not in shown
        assert not shown.endswith("exit -9"), "it waited for a key that never came"

    @pytest.mark.parametrize(
        "command",
        [
            r"fairground episode --mine 111666 --theirs 333444 --seed $'\xff'",
            r"fairground verify $'\xff'",
            r"fairground $'\xff'",
            r"fairground zombie --players $'\xff, Hal=cautious' --no-save </dev/null",
        ],
    )
    def test_an_argument_that_is_no_text(self, command: str) -> None:
        done = shell(command)
        assert b"Traceback" not in done.stderr
        assert done.returncode in (2, 3)


class TestStreams:
    @pytest.mark.parametrize(
        "command",
        [
            "fairground --help",
            "fairground dice 1,2 3,4 5,6 </dev/null",
            "fairground solve dice 1,2 3,4 5,6 --json",
            "fairground fatestones --no-save </dev/null",
        ],
    )
    def test_a_full_disk(self, command: str) -> None:
        done = shell(f"{command} >/dev/full")
        assert done.returncode == 2
        assert done.stderr == b"fairground: cannot read or write: No space left on device\n"

    @pytest.mark.parametrize(
        ("command", "code"),
        [
            ("fairground <&-", 0),
            ("fairground verify - <&-", 2),
            ("fairground dice 1,2 3,4 5,6 --no-save <&-", 3),
            ("fairground dice 1,2 3,4 5,6 --no-save <&- >&- 2>&-", 3),
        ],
    )
    def test_a_stream_that_is_closed(self, command: str, code: int) -> None:
        done = shell(command)
        assert b"Traceback" not in done.stderr
        assert done.returncode == code

    def test_a_reader_that_has_left(self) -> None:
        done = shell("fairground --help | head -1; exit ${PIPESTATUS[0]}")
        assert (done.returncode, done.stderr) == (0, b"")

    def test_reads_are_bounded(self) -> None:
        done = shell("fairground fatestones --dice /dev/zero")
        assert done.returncode == 2 and b"too large" in done.stderr


class TestSignals:
    @pytest.mark.parametrize("game", CTRL_C)
    def test_ctrl_c_ends_a_game_that_is_not(self, game: str) -> None:
        keys, said = CTRL_C[game]
        shown = on_a_terminal(keys, 40, 50, *command_line(game), "--no-save")
        assert said in " ".join(shown.split()) and shown.endswith("exit 130")

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
    def test_whoever_is_stopped_from_outside_has_not_left(
        self, number: signal.Signals, tmp_path: Path
    ) -> None:
        """The record is unfinished, neither forfeited nor spoilt."""
        record = tmp_path / "game.jsonl"

        def stop(pid: int, terminal: int) -> None:
            os.kill(pid, number)
            os.write(terminal, b"\n")  # wakes a read that began just before the signal came

        keys = [("Your selection: ", stop)]
        shown = on_a_terminal(keys, 80, 40, *DICE, "--save", str(record))
        assert "Traceback" not in shown
        assert shown.endswith(f"exit {128 + number}")
        kinds = [json.loads(line)["kind"] for line in record.read_bytes().splitlines()]
        assert kinds == ["start", "ticket"]
        assert verify(record.read_bytes()).judged == "unfinished"

    def test_a_window_that_is_closed(self, tmp_path: Path) -> None:
        record = tmp_path / "game.jsonl"
        pid, window = pty.fork()
        if pid == 0:
            program = [sys.executable, "-m", "fairground", *DICE, "--save", str(record)]
            os.execv(sys.executable, program)
        shown = b""
        while b"Your selection: " not in shown:
            shown += os.read(window, 4096)
        os.close(window)
        os.waitpid(pid, 0)
        assert verify(record.read_bytes()).judged == "unfinished"

    def test_ctrl_z_and_back_while_cards_are_chosen(self, tmp_path: Path) -> None:
        """The shell has given the terminal its own manner meanwhile."""

        def stop_and_go_on(pid: int, terminal: int) -> None:
            os.kill(pid, signal.SIGSTOP)
            os.waitpid(pid, os.WUNTRACED)
            mode = termios.tcgetattr(terminal)
            mode[3] |= termios.ICANON | termios.ECHO
            termios.tcsetattr(terminal, termios.TCSANOW, mode)
            os.kill(pid, signal.SIGCONT)

        record = tmp_path / "game.jsonl"
        keys: list[tuple[str, Act]] = [
            ("q quits): ", "\n"),
            ("Hold nothing > ", "1"),
            ("Hold ", stop_and_go_on),
            ("Hold ", "2"),
            ("Hold ", "\n"),
            ("q quits): ", "q\n"),
        ]
        shown = on_a_terminal(keys, 80, 60, "croupier", "--save", str(record))
        assert shown.endswith("exit 0")
        events = [json.loads(line) for line in record.read_text().splitlines()]
        assert [e["move"] for e in events if e["kind"] == "move"] == [[0, 0, 1, 1, 1]]


class TestKeys:
    def test_what_was_typed_before_a_question_is_no_answer_to_it(self, tmp_path: Path) -> None:
        """Enter while a machine moves must not roll; a doubled Enter must not replace a hand."""
        record = tmp_path / "game.jsonl"
        keys = [
            ("q quits): ", "\n\n\n"),
            ("Hold nothing > ", "12345"),
            ("Hold ", ""),
            ("Hold ", ""),
            ("Hold ", ""),
            ("Hold ", ""),
            ("Hold ", "\n"),
            ("q quits): ", "q\n"),
        ]
        shown = on_a_terminal(keys, 80, 60, "croupier", "--save", str(record))
        assert shown.endswith("exit 0")
        events = [json.loads(line) for line in record.read_text().splitlines()]
        assert [e["move"] for e in events if e["kind"] == "move"] == [[0, 0, 0, 0, 0]]

    def test_enter_before_the_prompt_does_not_roll(self, tmp_path: Path) -> None:
        record = tmp_path / "game.jsonl"
        keys = [
            ("your word for the game: ", "w\n\n\n\n"),
            ("Z> ", "q\n"),
            ("Z> ", "y\n"),
        ]
        arguments = ["--players", "Ann, Hal=cautious", "--save", str(record), "--ascii"]
        shown = on_a_terminal(keys, 80, 60, "zombie", *arguments)
        assert shown.endswith("exit 0"), shown
        assert b'"kind":"move"' not in record.read_bytes()

    def test_a_line_can_be_edited_and_comes_back(self) -> None:
        """The keeper is evil: no code is found with the first guess."""
        keys = [
            ("Guess 1: ", "0134\x1b[D\x7f2\n"),  # left, rubout, 2
            ("Guess 2: ", "\x1b[A\n"),
            ("Guess 3: ", "x\n"),
        ]
        shown = on_a_terminal(keys, 80, 50, "codebreaking", "--oracle", "evil", "--no-save")
        assert "Not counted" not in shown, shown
        rows = re.findall(r"^  [12]  0124 ", shown, re.MULTILINE)
        assert len(rows) == 3, f"guess 1 is twice on the board, guess 2 is the same:\n{shown}"


def test_help_fits_the_terminal(here: Here) -> None:
    assert max(map(len, here("", "serve", "--help").out.splitlines())) <= 80
