"""The command line: finding commands, exit codes, no stack trace for a user."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from fairground import __version__
from fairground.cli import COMMANDS, main

DICE = ["2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"]


def fairground(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the real program in a process of its own."""
    command = [sys.executable, "-m", "fairground", *arguments]
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, check=False, timeout=120
    )


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for name, command in COMMANDS.items():
        assert name in text
        assert command.summary in text
    assert "Exit codes" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_who_asks_for_json_gets_an_object_also_when_it_fails(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main([*name.split(), "--json", "--no-such-option"])
    told = capsys.readouterr()
    fault = json.loads(told.out)["fault"]
    assert (code, fault["line"]) == (2, None)
    assert fault["code"].startswith(("input/", "game/", "player/")) and fault["reason"]
    assert fault["reason"].splitlines()[0] in told.err


def test_without_arguments_in_a_pipe_it_prints_the_help() -> None:
    done = fairground()
    assert done.returncode == 0
    assert done.stdout.startswith("usage: fairground")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"fairground {__version__}\n"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_teaches_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*name.split(), "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert "Example" in text
    assert f"fairground {name}" in text


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["dise"], 2, "there is no command 'dise'. Did you mean 'dice'?"),
        (["solve", "chess"], 2, "there is no command 'solve chess'."),
        (["solve"], 2, "fairground solve dice"),
        (["solve", "--help"], 0, "fairground solve dice"),
    ],
)
def test_commands_near_what_was_typed_are_named(
    arguments: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    assert says in "".join(capsys.readouterr())


def test_a_broken_pipe_is_no_drama() -> None:
    done = subprocess.run(
        ["bash", "-c", f"'{sys.executable}' -m fairground --help | head -n 1"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout == "usage: fairground [-h] [--version] COMMAND ...\n"
    assert done.stderr == ""


def test_ctrl_c_ends_politely(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(self: object, size: int) -> str:
        raise KeyboardInterrupt

    keyboard = type("Keyboard", (io.StringIO,), {"readline": interrupt})
    monkeypatch.setattr(sys, "stdin", keyboard())
    assert main(["dice", *DICE, "--no-save"]) == 130
    printed = capsys.readouterr()
    assert "Goodbye" in printed.err
    assert "KEY=" in printed.out, "the key behind the HMAC that was shown is still revealed"


class TestVerify:
    @pytest.fixture
    def game(self, tmp_path: Path) -> Path:
        path = tmp_path / "game.jsonl"
        assert main(["dice", *DICE, "--seat", "user=optimal", "--save", str(path)]) == 0
        return path

    def test_json_has_the_documented_keys(
        self, game: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        capsys.readouterr()
        assert main(["verify", str(game), "--json"]) == 0
        verdict = json.loads(capsys.readouterr().out)
        assert verdict["ok"] is True
        assert verdict["fault"] is None
        assert verdict["game"] == "intransitive/1"
        assert verdict["dealer"] == "hmac-sha3-user/1"
        assert verdict["events"] == len(game.read_text().splitlines())
        assert sum(verdict["payoff"]) == 0
        assert verdict["claims"] == [], "nobody but the house lent a number"

    def test_a_cut_transcript_is_unfinished(
        self, game: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        lines = game.read_text().splitlines(keepends=True)
        game.write_text("".join(lines[:-1]))
        capsys.readouterr()
        assert main(["verify", str(game)]) == 1
        assert "UNFINISHED" in capsys.readouterr().out
        assert main(["verify", str(game), "--json"]) == 1
        fault = json.loads(capsys.readouterr().out)["fault"]
        assert fault["code"] == "transcript/unfinished"
        assert fault["line"] == len(lines) - 1

    def test_a_receipt_proves_the_order(
        self, game: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        line = subprocess.run(
            ["bash", "-c", f"sed -n 4p '{game}' | openssl dgst -sha3-256"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        capsys.readouterr()
        assert main(["verify", str(game), "--receipt", line.split()[-1]]) == 0
        text = capsys.readouterr().out
        assert "1 receipt fits, up to line 4, if you kept them yourself" in " ".join(text.split())
        assert main(["verify", str(game), "--receipt", line.split()[-1], "--details"]) == 0
        assert "lines 1 to 4 stood" in " ".join(capsys.readouterr().out.split())

    @pytest.mark.parametrize(
        ("receipt", "code", "says"),
        [("ab" * 32, 1, "another history"), ("abc", 2, "'abc'")],
    )
    def test_a_receipt_that_does_not_fit_is_refused(
        self, game: Path, receipt: str, code: int, says: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["verify", str(game), "--receipt", receipt]) == code
        assert says in "".join(capsys.readouterr())

    def test_standard_input(self, game: Path) -> None:
        done = fairground("verify", "-", stdin=game.read_text())
        assert done.returncode == 0
        assert "The record is valid." in done.stdout

    def test_a_file_that_is_not_there(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["verify", "nowhere.jsonl"]) == 2
        assert "'nowhere.jsonl'" in capsys.readouterr().err

    @pytest.mark.parametrize("data", [b"", b"hello\n", b"\x00\xff\x00", b"[1,2]\n"])
    def test_what_never_was_a_transcript(
        self, data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "what"
        path.write_bytes(data)
        assert main(["verify", str(path)]) == 2
        assert "not a Fairground transcript" in capsys.readouterr().err
