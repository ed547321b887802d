"""``fairground resume``: games that were stopped go on, and no secret serves twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
from itertools import cycle
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.core import InputError, SecretReused
from fairground.terminal.console import Console
from fairground.terminal.files import FileVault, InUse, unfinished
from fairground.verifier import verify
from tests.helpers.pseudo_terminal import Act, on_a_terminal

DICE = ("dice", "1,2,3", "4,5,6", "2,2,2")
STOP = "\x03\n"


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "fairground"


def stop(pid: int, terminal: int) -> None:
    os.kill(pid, signal.SIGTERM)
    os.write(terminal, b"\n")


def vaults(data: Path) -> list[Path]:
    return list((data / "unfinished").glob("*.vault"))


def record_of(data: Path) -> bytes:
    (path,) = (data / "transcripts").glob("*.jsonl")
    return path.read_bytes()


CASES: dict[str, tuple[list[tuple[str, Act]], list[tuple[str, Act]], tuple[str, ...]]] = {
    # What is typed until it stops; what is typed when it goes on; the command.
    "dice": (
        [("Your selection: ", "0\n"), ("Your selection: ", STOP)],
        [("Your selection: ", "0\n"), ("Your selection: ", "2\n"), ("Your selection: ", "1\n")],
        DICE,
    ),
    "dice, by a signal": (
        [("Your selection: ", "0\n"), ("Your selection: ", stop)],
        [("Your selection: ", "0\n"), ("Your selection: ", "2\n"), ("Your selection: ", "1\n")],
        DICE,
    ),
    "codebreaking": (
        [("(enter: none): ", "rain\n"), ("Guess 1: ", "0123\n"), ("Guess 2: ", STOP)],
        [("Guess 2: ", "give up\n")],
        ("codebreaking",),
    ),
    "codebreaking, keeping": (
        [("partial matches: ", "1 1\n"), ("partial matches: ", STOP)],
        [("partial matches: ", "fix 1\n"), ("partial matches: ", "4 0\n")],
        ("codebreaking", "--keeper"),
    ),
    "fatestones": (
        [("Ann, type anything random for the deal: ", "rain\n"),
         ("Bob, type anything random for the deal: ", "wind\n"),
         ("Ann, your die (hidden: ", "2\n"),
         ("Bob, your die (hidden: ", STOP)],
        [("Bob, your die (hidden: ", "q\n"), ("Leave the game?", "y\n")],
        ("fatestones", "--hot-seat", "Ann,Bob"),
    ),
    "zombie": (
        [("game: ", "rain\n"), ("Z> ", "\n"), ("Z> ", "\n"), ("Z> ", STOP)],
        [("Z> ", "q\n"), ("Z> ", "y\n")],
        ("zombie", "--seat", "Ann=me", "--seat", "Bob=me", "--ascii", "--fast"),
    ),
    "play": (
        [("draws: ", "word\n"), ("do you hold? ", STOP)],
        [("do you hold? ", "nothing\n")],
        ("play", "poker"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(CASES))
def test_a_game_that_was_stopped_goes_on_to_its_end(case: str, data: Path) -> None:
    before, after, command = CASES[case]
    if case == "zombie":  # two people at the keyboard, each with a word
        before = [("game: ", "wind\n"), *before]
    shown = on_a_terminal(before, 100, 60, *command, "--games", "1")
    assert shown.endswith("exit 143" if "signal" in case else "exit 130"), shown
    assert "fairground resume" in shown
    (vault,) = vaults(data)
    assert stat.S_IMODE(vault.stat().st_mode) == 0o600
    assert stat.S_IMODE(vault.parent.stat().st_mode) == 0o700
    first = record_of(data)
    assert verify(first).judged == "unfinished"

    again = on_a_terminal(after, 100, 60, "resume")
    assert again.endswith("exit 0"), again
    assert vaults(data) == [], "the secrets are gone with the game"
    records = [path.read_bytes() for path in (data / "transcripts").glob("*.jsonl")]
    (whole,) = [record for record in records if record.startswith(first)]
    assert verify(whole).ok
    assert b'"body":{"resumed":1}' in whole
    assert all(verify(record).ok for record in records)


def test_two_dice_games_wait_and_either_can_be_chosen(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["resume"]) == 0
    assert capsys.readouterr().out == "No game is waiting: all are finished.\n"
    for command in (DICE, ("codebreaking", "--no-share")):
        on_a_terminal([("Your selection: " if command is DICE else "Guess 1: ", STOP)], 80, 40,
                      *command)  # fmt: skip
    assert main(["resume", "--list"]) == 0
    listed = capsys.readouterr().out
    assert "  1  Code breaking: Keeper, Player (20" in listed
    assert "  2  Intransitive dice: Computer, User (20" in listed
    for number in ("0", "3", "x"):
        assert main(["resume", number]) == 2
        assert f"there is no unfinished game {number!r}; there are: 1 to 2" in (
            capsys.readouterr().err
        )
    again = on_a_terminal([("Your selection: ", "x\n")], 80, 40, "resume", "2")
    assert "Going on with Intransitive dice: Computer, User" in again
    assert again.endswith("exit 0")


def stopped(data: Path) -> Path:
    """A game of dice in which one number is asked for."""
    on_a_terminal([("Your selection: ", STOP)], 80, 40, *DICE)
    (vault,) = vaults(data)
    return vault


def test_a_game_is_played_in_one_window_at_a_time(data: Path) -> None:
    vault = stopped(data)
    held = FileVault.open(vault)
    with pytest.raises(InUse):
        FileVault.open(vault)
    assert unfinished() == []
    held.close(over=False)
    (free,) = unfinished()
    free.close(over=False)


def test_an_old_copy_is_refused(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The house's number was shown: a copy from before cannot be used to choose better."""
    stopped(data)
    copy = data.parent / "copy"
    shutil.copytree(data, copy)
    on_a_terminal([("Your selection: ", "0\n"), ("Your selection: ", STOP)], 80, 40, "resume")
    for path in copy.rglob("*.*"):
        if path.suffix in (".vault", ".jsonl"):
            shutil.copy(path, data / path.relative_to(copy))
    (vault,) = vaults(data)
    with pytest.raises(SecretReused, match="is an old copy"):
        FileVault.open(vault)
    assert main(["resume"]) == 0
    assert "No game is waiting" in capsys.readouterr().out


def test_a_copy_of_everything_leaves_two_histories(data: Path) -> None:
    """Nothing on one machine can prevent that. Each going on is in the record, and they differ."""
    stopped(data)
    copy = data.parent / "copy"
    shutil.copytree(data, copy)
    records = []
    for guess in ("0\n", "1\n"):
        on_a_terminal([("Your selection: ", guess), ("Your selection: ", "x\n")], 80, 40, "resume")
        records.append(record_of(data))
        shutil.rmtree(data)
        shutil.copytree(copy, data)
    assert records[0] != records[1]
    assert all(b'"resumed":1' in record for record in records)


def test_a_record_that_was_moved_or_replaced_is_missed(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped(data)
    (record,) = (data / "transcripts").glob("*.jsonl")
    whole = record.read_bytes()
    record.unlink()
    assert main(["resume"]) == 2
    assert "No such file" in capsys.readouterr().err
    assert main(["resume", "--list"]) == 0
    assert "dice: cannot read" in capsys.readouterr().out
    record.write_bytes(whole.replace(b'"table":"', b'"table":"00', 1)[:-1])
    assert main(["resume"]) in (1, 2)
    other = json.loads(whole.splitlines()[0]) | {"table": "0" * 64}
    record.write_bytes(json.dumps(other, separators=(",", ":"), sort_keys=True).encode() + b"\n")
    assert main(["resume"]) == 2
    assert "is the record of another game" in capsys.readouterr().err


def test_a_line_that_was_cut_off_is_dropped(data: Path) -> None:
    """The power failed while a line was written: nobody had been told of it."""
    vault = stopped(data)
    (record,) = (data / "transcripts").glob("*.jsonl")
    with record.open("ab") as file:
        file.write(b'{"kind":"sha')
    with vault.open("ab") as file:
        file.write(b'{"spent":"hm')
    keys: list[tuple[str, Act]] = [("Your selection: ", "0\n"), ("Your selection: ", "x\n")]
    assert on_a_terminal(keys, 80, 40, "resume").endswith("exit 0")
    assert verify(record.read_bytes()).ok


def test_a_game_that_ended_while_its_vault_stayed(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = stopped(data)
    kept = vault.read_bytes()
    on_a_terminal([("Your selection: ", "x\n")], 80, 40, "resume")
    vault.write_bytes(kept)
    vault.with_suffix(".mark").unlink()
    assert main(["resume"]) == 0
    assert "This game has ended. Its record is complete:" in capsys.readouterr().out
    assert vaults(data) == []


def test_what_is_no_vault_is_no_vault(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = data / "unfinished"
    folder.mkdir(parents=True)
    (folder / "odd.vault").write_text("no vault\n")
    with pytest.raises(InputError, match="is no vault of an unfinished game"):
        FileVault.open(folder / "odd.vault")
    assert main(["resume"]) == 0


def test_where_no_vault_can_be_kept_ctrl_c_is_leaving(data: Path) -> None:
    data.mkdir(parents=True)
    (data / "unfinished").write_text("in the way\n")
    shown = on_a_terminal([("Your selection: ", STOP)], 80, 40, *DICE)
    assert "You leave the game." in shown and shown.endswith("exit 130")


EVENINGS: dict[tuple[str, ...], tuple[str, ...]] = {
    # The answers are given in turn, over and over.
    DICE: ("0",),
    (*DICE, "--seed", "monday"): ("0",),
    ("codebreaking",): ("rain", "0123", "4455", "give up"),
    ("codebreaking", "--oracle", "evil"): ("0123", "4455", "give up"),
    ("codebreaking", "--keeper"): ("1 0", "fix 1", "0 1", "4 0"),
    ("fatestones", "--stir", "each"): ("0", "1"),
    ("fatestones", "--hot-seat", "Ann,Bob"): ("1", "0"),
    ("zombie", "short.ini", "--players", "Ann, Hal=cautious", "--stir", "each"): ("", "h"),
    ("play", "poker"): ("nothing",),
}


@pytest.mark.parametrize("command", EVENINGS, ids=" ".join)
def test_stopped_at_every_prompt(
    command: tuple[str, ...], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C at each prompt, and on with it: the record is as good as any other."""
    monkeypatch.chdir(tmp_path)
    Path("short.ini").write_text("[Game]\nbrains_to_win = 3\n")
    answers = cycle(EVENINGS[command])
    stops = cycle([True, False])

    def ask(_: Console, prompt: str) -> str:
        if next(stops):
            raise KeyboardInterrupt
        return next(answers)

    monkeypatch.setattr(Console, "ask", ask)
    monkeypatch.setattr(Console, "ask_hidden", ask)
    codes = [main(list(command))]
    while vaults(data):
        codes.append(main(["resume"]))
    assert set(codes[:-1]) == {130} and codes[-1] == 0
    verdicts = [verify(path.read_bytes()) for path in (data / "transcripts").glob("*.jsonl")]
    assert all(verdict.ok for verdict in verdicts)
    kinds = "".join(path.read_text() for path in (data / "transcripts").glob("*.jsonl"))
    assert kinds.count('"resumed":') == len(codes) - 1
