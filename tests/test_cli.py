"""The command line: finding commands, exit codes, no stack trace for a user."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from fairground import __version__
from fairground.cli import COMMANDS, find, main

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
        (["solve", "chess"], 2, "there is no command 'solve chess'. There are: solve dice, "),
        (["solve"], 2, "fairground solve dice"),
        (["solve", "--help"], 0, "fairground solve dice"),
    ],
)
def test_commands_near_what_was_typed_are_named(
    arguments: list[str], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    assert says in "".join(capsys.readouterr())


MISTAKES = [
    # what is typed; what is quoted; what is suggested
    ("dise", "there is no command 'dise'", "Did you mean 'dice'?"),
    ("Zombie", "'Zombie'", "Did you mean 'zombie'?"),
    ("fate", "'fate'", "Did you mean 'fatestones'?"),
    ("xyzzyq", "'xyzzyq'", "Most used are: dice,"),
    ("bnak", "'bnak'", "Did you mean 'bank'?"),
    ("bank kye", "'bank kye'", "Did you mean 'bank key'?"),
    ("dataset verfy", "'dataset verfy'", "Did you mean 'dataset verify'?"),
    ("solve chess", "'solve chess'", "There are: solve dice,"),
    ("--versoin", "there is no option '--versoin'", "Did you mean '--version'?"),
    ("--nope", "there is no option '--nope'", "--help"),
    ("history 99", "history takes no '99' here", "Did you mean --last 99?"),
    ("history json", "'json'", "Did you mean --json?"),
    ("history --lst 5", "'--lst'", "Did you mean --last?"),
    ("history --last 0", "--last must be in 1..100000, not 0", "history --last 100"),
    ("history --json=3", "--json takes no value, but got '3'", "history --last 100 --json"),
    ("tutorial now", "'now'", "fairground tutorial"),
    ("replay", "replay needs FILE", "fairground replay game.jsonl"),
    ("replay game.jsonl more", "'more'", "fairground replay game.jsonl"),
    ("replay x --speed fast", "--speed: 'fast' is not a number", "--speed 2"),
    ("resume 1 --lits", "'--lits'", "Did you mean --list?"),
    ("coach --seat", "--seat needs a value", "--seat Ann"),
    ("learn", "learn needs GAME", "fairground learn fatestones"),
    ("learn zombi --questions 2", "no game named 'zombi'", "did you mean 'zombie/2'?"),
    ("learn zombie --questions 0", "--questions must be in 1..1000, not 0", "--questions 10"),
    ("verify --jobs x game.jsonl", "--jobs: 'x' is not a whole number", "--jobs 1"),
    ("verify --pgae", "'--pgae'", "Did you mean --page?"),
    ("config zombi.fast true", "'zombi.fast'", "did you mean 'zombie.fast'?"),
    ("config fast true", "'fast' is no name of a default", "config zombie.fast true"),
    ("completion zhs", "shell cannot be 'zhs'", "Did you mean 'zsh'?"),
    ("completion", "completion needs shell", "fairground completion zsh"),
    ("serve --port abc", "--port: 'abc' is not a whole number", "fairground serve --port 8080"),
    ("serve --port ٣", "--port: '٣' is not a whole number", "fairground serve --port 8080"),
    ("serve --port", "--port needs a value", "fairground serve --port 8080"),
    ("serve --prot 8080", "'--prot'", "Did you mean --port?"),
    ("serve -port 8080", "'-port'", "Did you mean --port?"),
    ("serve --nope", "'--nope'", "fairground serve --help"),
    ("backup a.db --databse x", "'--databse'", "Did you mean --database?"),
    ("restore a b", "'b'", "fairground restore arena-copy.db"),
    ("bank key", "bank key needs FILE", "fairground bank key croupier.json"),
    ("bank deploy", "bank deploy needs --bank, --key", "--bank http://127.0.0.1:8545"),
    ("bank withdraw --chps 3", "'--chps'", "Did you mean --chips?"),
    ("bank watch --every often", "--every: 'often' is not a number", "--every 15"),
    ("enter URL --team Ann", "enter needs --version", "--version 1.0"),
    ("enter URL --player a --bot b", "--player and --bot exclude each other", "--player "),
    ("oracle", "oracle needs ORACLE_URI", "fairground oracle http://"),
    ("sit", "sit needs URL", "fairground sit http://"),
    ("play chees", "no game named 'chees'", "there are: bank-poker/1,"),
    ("play zombi", "no game named 'zombi'", "did you mean 'zombie/2'?"),
    ("play zombie playrs=3", "no parameter 'playrs'", "did you mean 'players'?"),
    ("play zombie players=x", "players is an integer, not 'x'", "fairground play --help"),
    ("play zombie --scheme hash-chians/1", "'hash-chians/1'", "did you mean 'hash-chains/1'?"),
    ("play zombie --gmaes 3", "'--gmaes'", "Did you mean --games?"),
    ("dice 1,2 3,4 5,6 --games 0", "--games: '0' is not a number from 1", "--games 3"),
    ("dice --games 1 --match 2", "--games and --match exclude each other", "--match 3"),
    ("dice --difficulty hrad", "--difficulty cannot be 'hrad'", "Did you mean 'hard'?"),
    ("codebreaking --base 1", "--base must be in 2..100, not 1", "codebreaking --help"),
    ("codebreaking --length=x", "--length: 'x' is not a whole number", "--length 5"),
    ("codebreaking --oracle kind", "--oracle cannot be 'kind'", "there are: fair, nice, evil"),
    ("zombie --stir", "--stir needs a value", "--stir each"),
    ("fatestones --opponent grredy", "'grredy'", "did you mean 'greedy'?"),
    ("fatestones 123456", "'123456'", "fairground fatestones"),
    ("croupier --bet 11", "--bet cannot be '11'", "there are: 1 to 10"),
    ("croupier --hands x", "--hands: 'x' is not a number from 1", "--hands 3"),
    ("solve dice 1,2 --x", "'--x'", "fairground solve dice"),
    ("solve codebreaking --strategy entropi", "'entropi'", "did you mean 'entropy'?"),
    ("solve zombie --players 9", "--players cannot be '9'", "there are: 2, 3, 4"),
    ("solve poker --level six", "--level: 'six' is not a whole number", "--level 5"),
    ("solve fatestones --mnie 1", "'--mnie'", "Did you mean --mine?"),
    ("dice-sets --set fiar", "--set cannot be 'fiar'", "Did you mean 'fair'?"),
    ("episode --mine 1", "episode needs --theirs", "--theirs 233346"),
    ("episodes", "episodes needs FILE", "fairground episodes episodes.csv"),
    ("simulate zombie --games x", "--games: 'x' is not a whole number", "--games 10000"),
    (
        "simulate zombie --players cautios,random",
        "no player named 'cautios'",
        "did you mean 'cautious'?",
    ),
    ("plot guesess", "no figure or file named 'guesess'", "did you mean 'guesses'?"),
    ("tournament zombie", "tournament needs --players", "--players "),
    ("dataset verify", "dataset verify needs FILE", "fairground dataset verify games.csv"),
]
"""Wrong command lines, at least one of each command."""

OF_ARGPARSE = re.compile(
    "Traceback|unrecognized arg|argument -|invalid |expected (one|at)|are required|choose from"
    "|not allowed with|ignored explicit"
)


def test_each_command_is_mistaken_once() -> None:
    typed = [line.split() for line, _, _ in MISTAKES]
    assert {find(words) for words in typed} >= set(COMMANDS)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake[0])
def test_a_mistake_is_quoted_and_put_right(
    mistake: tuple[str, str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    line, quoted, suggested = mistake
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert main(line.split()) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert quoted in told.err
    assert suggested in told.err
    assert not OF_ARGPARSE.search(told.err)
    assert len(told.err.splitlines()) <= 4
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_with_one_dash_is_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for word in ("--help", "-help"):
        with suppress(SystemExit):
            assert main([*name.split(), word]) == 0
        told.append(capsys.readouterr().out)
    assert told[0].startswith("usage: ")
    assert told[0] == told[1]


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
