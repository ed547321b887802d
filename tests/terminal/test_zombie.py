"""Zombie Dice as people meet it: whole evenings, typed line by line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from fairground.cli import main
from fairground.games.zombie.players import Cautious
from fairground.games.zombie.screen import TRANSITIONS, Pauses, Scene
from fairground.games.zombie.setup import FIELDS, defaults
from fairground.terminal.console import EndOfInput
from fairground.terminal.evening import TablePlan
from tests.helpers.places import ROOT
from tests.helpers.pseudo_terminal import session
from tests.helpers.told import Told
from tests.terminal.conftest import Here

ONLY_BRAINS = """\
[Game]
brains_to_win = 3
[Dice]
weak_die_faces = b
strong_die_faces = b
tough_die_faces = b
"""
"""Each roll is three brains: nothing but the order of players is left to chance."""


def order_of(told: Told) -> list[str]:
    """The names on screen 02."""
    part = told.out.partition("in the order of their turns, are:")[2]
    return re.findall(r'^  "(.*)"$', part.partition("starts the game")[0], re.MULTILINE)


Play = Callable[..., Told]


@pytest.fixture
def play(here: Here) -> Play:
    """Play an evening with these lines; ``ini`` is the text of its configuration."""

    def evening(*answers: str, ini: str = "", options: tuple[str, ...] = ()) -> Told:
        Path("zdice.ini").write_text(ini)
        typed = "".join(f"{line}\n" for line in answers)
        return here.saved(typed, "zombie", "zdice.ini", *options)

    return evening


def flat(text: str) -> str:
    """The text without line breaks and borders: for sentences that may be wrapped."""
    return re.sub(r"[\s│]+", " ", text)


# The evening


# Names


def test_help_explains_commands_and_every_field(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["zombie", "-h"])
    text = capsys.readouterr().out
    for section, fields in FIELDS.items():
        assert f"[{section}]" in text
        for name, meaning in fields.items():
            assert re.search(rf"{name} = {defaults()[name]} +; {re.escape(meaning)}", text)
    for key in ("<enter>", "  h  ", "  q  "):
        assert key in text


# Chance and its claims


def test_words_that_a_transcript_cannot_hold_are_asked_again(play: Play) -> None:
    told = play("Ann, Bob", "x" * 201, "\ud800", "fine", "too", "", "q", "y", ini=ONLY_BRAINS)
    assert told.out.count("Letters and digits, please, at most 200 of them.") == 2
    assert {"UNIFORM:0", "UNIFORM:1"} <= set(told.claims)


def short_chains(*plan: Any, options: dict[str, Any]) -> TablePlan:
    return TablePlan(*plan)._replace(options={**options, "length": 2})


def test_a_new_chain_asks_for_new_words(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.games.zombie.command.TablePlan", short_chains)
    told = play(*["Ann, Bob", "a", "b", "", "", "", "c", "d", "h", "", "q", "y"], ini=ONLY_BRAINS)
    assert told.code == 0
    assert told.out.count("your word for the game") == 4
    assert told.claims == ["COMMITTED", "UNIFORM:0", "UNIFORM:1"]


# Leaving


@pytest.mark.parametrize(
    ("before", "who"),
    [
        (["Ann, Bob"], "Ann"),
        (["Ann, Bob", "w"], "Bob"),
        (["Ann, Bob", "w", "v"], "first"),
        (["Ann, Bob", "w", "v", ""], "first"),
        (["Ann, Bob", "w", "v", "", "", "h"], "second"),
        (["Ann, Bob", "w", "v", "", "", "h", "", "h"], "first"),
    ],
    ids=["first stir", "second stir", "order", "turn", "second turn", "tie"],
)
def test_q_asks_and_then_is_a_recorded_forfeit(before: list[str], who: str, play: Play) -> None:
    told = play(*before, "q", "no", "Q", "y", ini=ONLY_BRAINS)
    assert told.code == 0, told.out
    assert told.out.count("do you really want to quit?") == 2
    assert told.verdict.ok
    (forfeit,) = [event for event in told.events if event["kind"] == "forfeit"]
    leaver = {"first": 0, "second": 1}.get(who)
    name = who if leaver is None else order_of(told)[leaver]
    assert forfeit["seat"] == ["Ann", "Bob"].index(name)
    assert (forfeit["by"], forfeit["reason"]) == ("seat", "quit")
    assert f"{name} leaves the game." in told.out
    assert f"{'Bob' if name == 'Ann' else 'Ann'} wins." in told.out
    assert "the record says that " in told.verdict.remarks[0]


def test_the_end_of_input_among_machines_is_asserted_by_the_house(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose(*_: object) -> str:
        raise EndOfInput

    monkeypatch.setattr(Cautious, "choose", choose)
    told = play(options=("--players", "A=cautious, B=cautious"))
    assert told.code == 3
    assert {event["by"] for event in told.events if event["kind"] == "forfeit"} == {"house"}
    assert told.verdict.ok


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(["", "", "", "h", "h", "q", "n", "x", "Q", "y"]), max_size=40),
    st.sampled_from([(), ("--stir", "each")]),
)
def test_whatever_is_typed_the_record_holds(
    play: Play, lines: list[str], options: tuple[str, ...]
) -> None:
    told = play("Ann, Bob, Tic=cautious", *lines, ini="[Game]\nbrains_to_win=4\n", options=options)
    assert told.code in (0, 3)
    assert told.verdict.ok
    assert told.verdict.payoff is not None


# Machines


def test_machines_alone_play_by_themselves_and_sum_up(play: Play) -> None:
    for number in range(2):
        told = play(options=("--players", "Tic=cautious, Tac=random, Toe=cautious", "--fast"))
        assert told.code == 0
        assert "🧟> " not in told.out
        assert "Message area" in told.out
        rows = re.findall(r"^│ [* ] (\S+ \(\w+\)) +(\d+) +(\d+) +(\d+) +(\d+) │$", told.out, re.M)
        assert {row[0] for row in rows} == {"Tic (cautious)", "Tac (random)", "Toe (cautious)"}
        scores = [int(row[1]) for row in rows]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] >= 13
        turns = re.findall(
            r"^  Turn (\d+): (\w+), (\d+) rolls?, (.*); total (\d+)$", told.out, re.M
        )
        assert sum(int(row[2]) for row in rows) == len(turns)
        assert sum(int(turn[2]) for turn in turns) == told.moves.count("roll")
        for name, score, *_ in rows:
            assert [turn for turn in turns if turn[1] == name.split()[0]][-1][4] == score
        assert told.verdict.ok
        assert told.claims == ["COMMITTED"], number


def test_without_the_solve_extra_the_error_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['numpy'] = None; from fairground.cli import main;"
        "sys.exit(main(['zombie', '--no-save', '--players', sys.argv[1]]))"
    )
    for names, code in (
        ("A=optimal,B=cautious", 2),
        ("A=greedy,B=cautious", 2),
        ("A=random,B=cautious", 0),
    ):
        done = subprocess.run(
            [sys.executable, "-c", program, names], capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        assert ("pip install 'fairground[solve]'" in done.stderr) == (code == 2)


def test_pauses_only_where_somebody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    Pauses(watched=False).wait(1.0)
    Pauses(watched=True).wait(0.5)
    assert waited == [0.5]


# Own bots


def a_bot(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "mybot.py"
    path.write_text(f"def choose(game, view, seat):\n    {body}\n")
    return path


def test_a_bot_of_ones_own_plays(play: Play, tmp_path: Path) -> None:
    bot = a_bot(tmp_path, "return 'hold' if view.brains else 'roll'")
    told = play(options=("--bot", f"Bob={bot}", "--bot", str(bot), "--players", "Hal=cautious"))
    assert told.code == 0, told.err
    assert set(order_of(told)) == {"Bob (mybot.py)", "mybot (mybot.py)", "Hal (cautious)"}
    seats = told.events[0]["seats"]
    assert isinstance(seats, list)
    assert [seat["by"] for seat in seats] == ["self", "self", "house"]
    assert told.verdict.ok
    assert not [event for event in told.events if event["kind"] == "note"]


@pytest.mark.parametrize(
    ("body", "reason", "seconds"),
    [
        ("raise ValueError('oops')", "line 3: ValueError: oops", "20"),
        ("return 'dance'", "it answered 'dance'", "20"),
        ("while True: pass", "it took longer than 0.05 s to answer", "0.05"),
    ],
    ids=["raises", "nonsense", "too slow"],
)
def test_a_bot_that_fails_loses_that_turn_only(
    body: str, reason: str, seconds: str, play: Play, tmp_path: Path
) -> None:
    bot = a_bot(
        tmp_path, f"if view.round > 1: return 'hold' if view.brains else 'roll'\n    {body}"
    )
    ini = ONLY_BRAINS + "[Game]\nmax_turns = 2\n"
    told = play(
        ini=ini,
        options=(
            *("--bot", f"Bob={bot}", "--players", "Hal=cautious"),
            *("--bot-seconds", seconds),
        ),
    )
    assert told.code == 0
    text = flat(told.out)
    assert f"Bob loses the turn: {reason}" in text
    assert "Turn 1: Bob, 0 rolls, loses the turn, nothing lost; total 0" in text
    notes = [event for event in told.events if event["kind"] == "note"]
    assert notes[0]["body"]["seat"] == 0
    assert reason in notes[0]["body"]["bot"]
    assert told.moves.count("pass") == len(notes)
    assert told.verdict.ok
    assert told.verdict.payoff is not None
    if seconds == "20":
        assert len(notes) == 1
        assert "Turn 2: Bob, 1 roll, holds 3 brains; total 3" in text


def test_a_bot_that_cannot_be_loaded_is_bad_input(play: Play, tmp_path: Path) -> None:
    bot = a_bot(tmp_path, "return (")
    told = play(options=("--bot", str(bot), "--players", "Ann"))
    assert told.code == 2
    assert "mybot.py' cannot be loaded: line 2: SyntaxError" in told.err
    assert told.transcript == b""


# Terminals of every kind


def in_a_pipe(
    answers: str, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    clean = {k: v for k, v in os.environ.items() if k not in ("LC_ALL", "LC_CTYPE", "LANG")}
    return subprocess.run(
        [sys.executable, "-m", "fairground", "zombie", "--no-save", *arguments],
        input=answers.encode(),
        capture_output=True,
        check=False,
        env=clean | environment,
    )


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONIOENCODING": "ascii", "LANG": "en_US.UTF-8"}, {"LANG": "C"}, {"LC_ALL": "POSIX"}],
    ids=["encoding", "LANG", "LC_ALL"],
)
def test_where_only_ascii_can_be_shown_it_is_as_playable(environment: dict[str, str]) -> None:
    answers = "Ann, Bob\n\n\n\n\n\nz\nq\ny\n"
    done = in_a_pipe(answers, **environment, COLUMNS="40")
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode("ascii")
    assert "Z> " in text
    assert re.search(r"\[[GYR]\] (brain|steps|shot)", text)
    for region in ("Scoreboard", "Dice Rolling Area", "Brain Storage Area", "Message area"):
        assert f"+-[ {region}" in text
    assert max(map(len, text.splitlines())) <= 40
    assert {len(line) for line in text.splitlines() if line.startswith(("+-", "| "))} == {40}


@pytest.mark.parametrize(("columns", "lines"), [(100, 40), (40, 30)])
def test_an_evening_on_a_real_terminal(
    columns: int, lines: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    ini = tmp_path / "zdice.ini"
    ini.write_text(ONLY_BRAINS)
    keys = [(">>> ", ""), (">>> ", "Ann, Bob\n"), ("game: ", "a\n"), ("game: ", "b\n")]
    keys += [("🧟> ", answer) for answer in ("\n", "?\n", "\n", "h\n", "\n", "\n", "h\n")]
    keys.append(("Once more? ", "q\n"))
    shown, _ = session(
        keys, columns, lines, "zombie", str(ini), "--no-save", "--fast", "--stir", "once"
    )
    assert "You are a zombie, and eat brains." in shown
    assert "The winner is" in shown
    assert shown.endswith("exit 0")
    width = min(columns, 66)
    # pyte leaves the second cell of a wide sign empty, so that length counts cells.
    boxes = [line for line in shown.splitlines() if line[:1] in ("┌", "├", "└")]
    assert len(boxes) > 20
    assert {cell_len(line.rstrip()) for line in boxes} == {width}


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colours_session(no_color: str, coloured: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    shown, raw = session(
        [], 80, 40, "zombie", "--no-save", "--fast", "--players", "A=random,B=random"
    )
    assert shown.endswith("exit 0")
    assert (b"\x1b[1" in raw) is coloured


# The machine


def test_the_drawing_is_the_machine() -> None:
    text = (ROOT / "docs" / "games" / "zombie.md").read_text()
    drawing = text.partition("stateDiagram-v2")[2].partition("```")[0]
    arrows = re.findall(r"^ *(\[\*\]|\w+) --> (\[\*\]|\w+)", drawing, re.MULTILINE)
    drawn = {(a, b) for a, b in arrows if "[*]" not in (a, b)}
    machine = {
        (scene.name, after.name) for scene, following in TRANSITIONS.items() for after in following
    }
    assert drawn == machine
    assert ("[*]", "START") in arrows
    assert {a for a, b in arrows if b == "[*]"} == {"OVER", "LEFT"}


def test_every_scene_can_be_reached_and_left() -> None:
    reached = {Scene.START}
    while more := {b for a in reached for b in TRANSITIONS[a]} - reached:
        reached |= more
    assert reached == set(Scene)
    assert {scene for scene in Scene if not TRANSITIONS[scene]} == {Scene.OVER, Scene.LEFT}
