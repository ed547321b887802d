"""Zombie Dice as people meet it: whole evenings, typed line by line."""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from fairground.cli import main
from fairground.games.zombie.players import Cautious
from fairground.games.zombie.screen.screen import TRANSITIONS, Pauses, Scene
from fairground.games.zombie.screen.setup import FIELDS, defaults
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.evening import TablePlan
from fairground.verifier import verify
from tests.helpers.places import ROOT
from tests.helpers.pseudo_terminal import session
from tests.helpers.told import Told

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
def play(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Play:
    """Play an evening with these lines as answers; ``ini`` is the text of its configuration."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LANG", "C.UTF-8")
    for name in ("LC_ALL", "LC_CTYPE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def evening(*answers: str, ini: str = "", options: tuple[str, ...] = ()) -> Told:
        path = tmp_path / "game.jsonl"
        path.unlink(missing_ok=True)
        (tmp_path / "zdice.ini").write_text(ini)
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in answers)))
        arguments = ["zombie", str(tmp_path / "zdice.ini"), "--save", str(path), *options]
        code = main(arguments)
        printed = capsys.readouterr()
        record = path.read_bytes() if path.exists() else b""
        return Told(code, printed.out, printed.err, record)

    return evening


@pytest.fixture
def foretold(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Make all secrets, and so all rolls of an evening without stirs, depend on a label."""

    def tell(label: str) -> None:
        secret = hashlib.sha3_256(label.encode()).digest()
        monkeypatch.setattr("fairground.fair.chains.fresh", lambda: secret)
        monkeypatch.setattr("fairground.table.fresh", lambda: secret)

    return tell


def screens(text: str) -> list[str]:
    """The playing screens, each with its prompt line."""
    screen = r" *---> .*\n┌─\[ Scoreboard[\s\S]*?Message area[\s\S]*?└─+┘\n(?:🧟>.*\n)?"
    return re.findall(screen, text)


def flat(text: str) -> str:
    """The text without line breaks and borders: for sentences that may be wrapped."""
    return re.sub(r"[\s│]+", " ", text)


# The evening


def test_a_whole_evening_with_a_tie(play: Play) -> None:
    lines = ["Ann, Bob", "five", "seven", "", "", "h", "", "h", "", "", "h", "", "", "h"]
    told = play(*lines, ini=ONLY_BRAINS)
    assert told.code == 0, told.out
    assert told.err == ""
    first, second = order_of(told)
    assert {first, second} == {"Ann", "Bob"}
    # Screen 01 with the numbers in force, and screen 02.
    assert "The game goes to 3 brains" in told.out
    assert "2 players at least, 6 at most. An empty line ends the game." in told.out
    assert f'>>> The player who starts the game is "{first}"' in told.out
    # The tie, in the words of the source.
    tie = (
        r"│ We have a tie! +│\n│ Players in tie break: +│\n"
        rf'│ "{first}" "{second}" +│\n│ Press <enter> to continue\. +│\n└─+┘\n🧟> \n'
    )
    assert re.search(tie, told.out), told.out
    assert "Scoreboard: tie-break, extra round 1" in told.out
    # The winner, with the final scores, the best first.
    assert re.search(rf"\* {second} +9 +2 +0 +6 │\n│   {first} +6 +2 +0 +3 │", told.out)
    assert f'The winner is "{second}" with 9 brains!' in told.out
    assert "2 rounds, 1 of them to break a tie, 5 rolls." in told.out
    assert told.moves == ["roll", "hold", "roll", "hold", "roll", "hold", "roll", "roll", "hold"]
    assert told.verdict.ok
    assert told.claims == ["COMMITTED", "UNIFORM:0", "UNIFORM:1"]
    assert "UNIFORM for Ann" in told.out
    assert "the record of" in told.out
    assert "fairground verify " in told.out


def test_the_tip_is_shown_before_anybody_stirs(play: Play) -> None:
    told = play("Ann, Bob", "five", "seven", "", "q", "y", ini=ONLY_BRAINS)
    public = told.events[0]["public"]
    assert isinstance(public, dict)
    half = len(public["tip"]) // 2
    shown = told.out.index(f"  {public['tip'][:half]}\n  {public['tip'][half:]}\n")
    assert shown < told.out.index("Ann, your word for the game: five")


def test_a_roll_is_shown_first_and_then_sorted(play: Play) -> None:
    told = play("Ann, Bob", "", "", "", "", "", "h", "q", "y", ini=ONLY_BRAINS)
    start, rolled, sorted_, again, *_ = screens(told.out)
    name = order_of(told)[0]
    assert "🧠 x0" in start
    assert start.endswith("🧟> \n")
    assert f" {name}, turn 1, 13 dice in the bag" in start
    assert rolled.count(" 🧠  ") == 3, "one in each cell"
    assert "🧠 x0" in rolled
    assert f"{name} rolls 3 brains." in rolled
    assert "10 dice in the bag" in rolled
    assert not rolled.endswith("🧟> \n")
    assert "🧠 x3  " in sorted_
    assert f"{name} rolled 3 brains." in sorted_
    assert "Next roll: 3 dice from the bag." in sorted_
    assert "<enter> rolls again, h holds 3 brains, ? helps, hint" in sorted_
    assert "🧠 x3  " in again, "what was eaten stays where it is while the next roll lies"


def test_screens_of_a_game_are_equally_high(play: Play) -> None:
    told = play("Ann, Bob", "", "", "", "", "x", "", "h", "q", "n", "q", "y", ini=ONLY_BRAINS)
    assert (
        len({screen.count("\n") - screen.endswith("🧟> \n") for screen in screens(told.out)}) <= 2
    )
    assert len({len(screen.split("└")) for screen in screens(told.out)}) == 1


def test_the_brains_dice_go_back_and_stay_counted(play: Play) -> None:
    told = play("Ann, Bob", "", "", "", "", "", "", "", "", "q", "y", ini=ONLY_BRAINS)
    assert "The bag is short: 12 brain dice go back into it first" in flat(told.out)
    assert "🧠 x15" in told.out
    assert "(+12 back in the bag)" in told.out


def test_anything_else_is_answered_and_changes_nothing(play: Play) -> None:
    told = play(
        "Ann, Bob", "", "", "", "h", "rol", "?", "hh", "", "!", "H", "q", "y", ini=ONLY_BRAINS
    )
    assert "A turn begins with a roll: holding is possible after it." in told.out
    for typed in ("rol", "hh", "!"):
        assert f"Unknown command: {typed!r}." in told.out
    assert told.moves == ["roll", "hold"]


def test_three_shotguns_hand_over_by_themselves(
    play: Play, foretold: Callable[[str], None]
) -> None:
    foretold("three shotguns")
    faces = "s" * 999 + "b"
    ini = "[Dice]\n" + "".join(
        f"{kind}_die_faces = {faces}\n" for kind in ("weak", "strong", "tough")
    )
    told = play("Ann, Bob", "", "", "", "", "", "q", "y", ini=ini)
    first, second = order_of(told)
    shot = [screen for screen in screens(told.out) if "shotguns end the turn" in screen]
    assert "💥 x3" in shot[0]
    assert f"> {first}" in shot[0]
    assert "3 shotguns end the turn: nothing lost." in shot[0]
    assert f"It is {second}'s turn." in told.out
    assert f"{first} was shot 3 times" in told.out


def test_max_turns(play: Play) -> None:
    ini = ONLY_BRAINS + "[Game]\nmax_turns = 2\nmax_players = 3\n"
    lines = ["A,B,C,D", "", "", ""] + [""] + ["", "h"] * 5 + ["", "", "h"]
    told = play(*lines, ini=ini)
    assert told.code == 0, told.out
    assert "everybody has 2 turns (max_turns = 2), and most brains win" in flat(told.out)
    assert "At most 3 can play. Dropped: 'D'." in told.out
    assert "Scoreboard: turn 1 of 2, most brains win" in told.out
    assert "Scoreboard: turn 2 of 2, most brains win" in told.out
    assert told.verdict.payoff is not None
    assert max(told.verdict.payoff) == 2
    assert f'The winner is "{order_of(told)[2]}" with 9 brains!' in told.out


# Names


def test_names_are_asked_for_until_they_fit(play: Play) -> None:
    told = play(
        "Ann",
        " , ,",
        "Ann, Hal=genius",
        "Ann, Bob=nowhere.py",
        "  Ann  ,, ann ,Zoë\x1b[31m=cautious,=greedy",
        "",
        "",
        "q",
        "y",
        "q",
        "y",
    )
    assert told.code == 0
    text = flat(told.out)
    assert "only 'Ann' was given, and at least 2 players are needed" in text
    assert "no name was given" in text
    assert "there is no strategy 'genius' for 'Hal'" in text
    known = text.partition("A machine is one of")[2].partition(";")[0]
    assert set(re.findall(r"\w+", known)) >= {"cautious", "greedy", "optimal", "random"}
    assert "there is no bot in 'nowhere.py'" in text
    assert "There is more than one 'ann': one is called 'ann 2' now." in text
    assert set(order_of(told)) == {"Ann", "ann 2", "Zoë [31m (cautious)", "greedy (greedy)"}
    assert "\x1b" not in told.out.partition("The house has fixed")[2]
    seats = told.events[0]["seats"]
    assert isinstance(seats, list)
    assert [(seat["by"], seat["lends"]) for seat in seats] == [
        ("self", "stir"),
        ("self", "stir"),
        ("house", "nothing"),
        ("house", "nothing"),
    ]


def test_a_very_long_name_is_cut(play: Play) -> None:
    told = play("x" * 200 + ", Bob", "", "", "", "q", "y")
    assert told.code == 0
    assert "A name has at most 30 letters" in told.out
    assert "x" * 30 in order_of(told)


def test_an_empty_line_ends_it_and_nothing_is_saved(play: Play, tmp_path: Path) -> None:
    told = play("")
    assert told.code == 0
    assert "Nobody plays. Goodbye!" in told.out
    assert told.transcript == b""
    assert not (tmp_path / "game.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--players", "Ann"], "only 'Ann' was given"),
        (["--players", ""], "no name was given"),
        (["--players", "Ann, Hal=genius"], "there is no strategy 'genius'"),
        (["--players", "Ann, Bob", "--bot", "nowhere.py"], "--bot 'nowhere.py' names no Python"),
        (["--bot", "Bob=README.md"], "--bot 'Bob=README.md' names no Python"),
        (["--bot-seconds", "soon"], "'soon' is not a time"),
        (["--stir", "always"], "invalid choice: 'always'"),
        (
            ["--save", "/nowhere/at/all.jsonl", "--players", "A=random,B=random"],
            "cannot be written",
        ),
    ],
)
def test_bad_options_are_explained(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["zombie", *options]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert "Traceback" not in printed.err


def test_warnings_of_the_file_are_told_and_the_game_goes_on(play: Play) -> None:
    told = play("", ini="[Game]\nweak_dice = many\nbrains_to_win = 5\n")
    assert told.code == 0
    assert "zdice.ini, line 2: weak_dice = 'many' is not a whole number" in told.err
    assert "The game goes to 5 brains" in told.out


def test_a_missing_file_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["zombie", "nowhere.ini", "--players", "A=random,B=random", "--no-save"]) == 0
    printed = capsys.readouterr()
    assert "nowhere.ini was not found; the defaults are used" in printed.err
    assert "nowhere.ini was not found" in printed.out
    assert "The game goes to 13 brains" in printed.out


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


@pytest.mark.parametrize(
    ("stirs", "claims"),
    [
        (["a word", "7"], ["COMMITTED", "UNIFORM:0", "UNIFORM:1"]),
        (["a word", ""], ["COMMITTED", "UNIFORM:0"]),
        (["", " "], ["COMMITTED"]),
    ],
)
def test_a_word_earns_a_claim_and_an_empty_line_none(
    stirs: list[str], claims: list[str], play: Play
) -> None:
    told = play("Ann, Bob", *stirs, "", "", "h", "", "", "h", ini=ONLY_BRAINS)
    assert told.code == 0
    assert told.claims == claims
    if claims == ["COMMITTED"]:
        assert "Nobody's own words are in every roll" in told.out


def test_a_word_at_each_roll_also_at_the_machines(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts: list[str] = []
    typed = cycle(["", "h"])

    def ask(self: Console, prompt: str) -> str:
        prompts.append(prompt)
        return f"word {len(prompts)}" if "your word" in prompt else next(typed)

    monkeypatch.setattr(Console, "ask", ask)
    told = play(options=("--stir", "each", "--players", "Ann, Hal=cautious"))
    assert told.code == 0
    wanted = [prompt for prompt in prompts if "your word" in prompt]
    assert wanted[0] == "  Ann, your word for the order of players: "
    assert set(wanted[1:]) == {
        "  Ann, your word for your roll: ",
        "  Ann, your word for the roll of Hal: ",
    }
    shares = [event["run"] for event in told.events if event["kind"] == "share"]
    dealt = [event["run"] for event in told.events if event["kind"] == "dealt"]
    assert shares == dealt, "a word before each roll"
    assert told.claims == ["COMMITTED", "UNIFORM:0", "UNFORESEEN:0"]
    assert "UNFORESEEN for Ann" in told.out


def test_by_default_nothing_is_asked_per_roll(play: Play) -> None:
    told = play("word", "", *["", "h"] * 200, options=("--players", "Ann, Hal=cautious"))
    assert told.code == 0
    assert told.out.count("your word") == 1
    assert told.claims == ["COMMITTED", "UNIFORM:0"]
    assert "Not proven: that no machine knew its roll when it decided." in flat(told.out)


def test_several_people_are_all_asked_at_each_roll(play: Play) -> None:
    told = play(
        "Ann, Bob",
        "w",
        "v",
        "",
        "",
        "1",
        "",
        "h",
        "q",
        "y",
        ini=ONLY_BRAINS,
        options=("--stir", "each"),
    )
    first = order_of(told)[0]
    second = "Bob" if first == "Ann" else "Ann"
    asked = re.findall(r"  (Ann|Bob), your word for (.*?): (.*)", told.out)
    assert asked[:2] == [("Ann", "the order of players", "w"), ("Bob", "the order of players", "v")]
    assert {(who, what) for who, what, _ in asked[2:]} == {
        (first, "your roll"),
        (second, f"the roll of {first}"),
    }
    assert told.claims == ["COMMITTED", "UNIFORM:0", "UNFORESEEN:0"], "Bob gave an empty word"


def test_words_that_a_transcript_cannot_hold_are_asked_again(play: Play) -> None:
    told = play("Ann, Bob", "x" * 201, "\ud800", "fine", "too", "", "q", "y", ini=ONLY_BRAINS)
    assert told.out.count("Letters and digits, please, at most 200 of them.") == 2
    assert {"UNIFORM:0", "UNIFORM:1"} <= set(told.claims)


def short_chains(*plan: Any, options: dict[str, Any]) -> TablePlan:
    return TablePlan(*plan)._replace(options={**options, "length": 2})


def test_a_new_chain_asks_for_new_words(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.games.zombie.screen.command.TablePlan", short_chains)
    told = play(*["Ann, Bob", "a", "b", "", "", "", "c", "d", "h", "", "q", "y"], ini=ONLY_BRAINS)
    assert told.code == 0
    assert told.out.count("your word for the game") == 4
    assert told.claims == ["COMMITTED", "UNIFORM:0", "UNIFORM:1"]


def test_a_changed_transcript_does_not_hold(play: Play) -> None:
    told = play("Ann, Bob", "a", "b", "", "", "h", "", "", "h", ini=ONLY_BRAINS)
    assert told.verdict.ok
    assert not verify(told.transcript.replace(b'"hold"', b'"roll"', 1)).ok


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
    assert "left, as recorded, by their own word" in told.verdict.remarks[0]


def test_help_and_hint(play: Play) -> None:
    told = play("Ann, Bob", "", "", "", "?", "roll", "hint", "hold", "x", "y", ini=ONLY_BRAINS)
    assert "With three shotguns in one turn you lose" in flat(told.out)
    assert "Hint: hold. That is what" in told.out, "three brains win"
    (hint,) = [e["body"] for e in told.events if e["kind"] == "note"]
    assert hint == {"hint": "hold", "seat": ["Ann", "Bob"].index(order_of(told)[0])}
    assert told.moves == ["roll", "hold"] and told.verdict.ok


def test_whoever_leaves_is_out_and_the_others_play_on(play: Play) -> None:
    answers = ["Ann, Bob, Cid", "", "", "", "", "q", "y", "", "h", "", "h"]
    told = play(*answers, *["", "", "h", "", "", "h"] * 3, ini=ONLY_BRAINS)
    assert told.verdict.ok, told.verdict.fault
    first, second, third = order_of(told)
    assert f"{first} leaves the game." in told.out
    (forfeit,) = [event for event in told.events if event["kind"] == "forfeit"]
    assert forfeit["seat"] == ["Ann", "Bob", "Cid"].index(first)
    assert f'The winner is "{second}"' in told.out or f'The winner is "{third}"' in told.out
    assert (told.verdict.payoff or ())[forfeit["seat"]] == -1


def test_at_a_prompt_for_all_the_person_leaves_and_not_the_machine(play: Play) -> None:
    told = play("Hal=random, Ann", "word", "q", "y")
    (forfeit,) = [event for event in told.events if event["kind"] == "forfeit"]
    assert forfeit["seat"] == 1
    assert told.code == 0


def test_the_end_of_input_before_there_are_names(play: Play) -> None:
    told = play()
    assert told.code == 3
    assert told.transcript == b""


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
    for number in range(5):
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
        assert told.claims == [], number


def test_a_tie_of_machines_waits_for_nobody(play: Play) -> None:
    for _ in range(3):
        told = play(ini=ONLY_BRAINS, options=("--players", "A=cautious, B=cautious"))
        assert told.code == 0
    # Without shotguns these hold once they would win; whoever answers sees the score to beat.
    assert "The winner is" in told.out


def test_greedy_and_optimal_take_their_seats(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    ini = "[Game]\nbrains_to_win = 2\nweak_dice = 1\nstrong_dice = 1\ntough_dice = 2\n"
    told = play(ini=ini, options=("--players", "Tic=greedy, Tac=optimal"))
    assert told.code == 0
    assert told.err == "Perfect play (once; it is kept) ...\n"
    assert told.verdict.ok
    again = play(ini=ini, options=("--players", "Tic=greedy, Tac=optimal"))
    assert again.err == "", "the tables were kept"


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


def test_a_bot_may_be_named_at_the_prompt(play: Play, tmp_path: Path) -> None:
    bot = a_bot(tmp_path, "return 'hold' if view.brains else 'roll'")
    told = play(f"Ann, Bob={bot}", "", "", "q", "y")
    assert told.code == 0
    assert "Bob (mybot.py)" in order_of(told)


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


def test_people_see_why_a_bot_lost_its_turn(play: Play, tmp_path: Path) -> None:
    bot = a_bot(tmp_path, "raise ValueError('oops')")
    told = play(
        *["", "", "", "h", "", "h", "q", "y"],
        ini=ONLY_BRAINS,
        options=("--bot", str(bot), "--players", "Ann"),
    )
    assert "mybot loses the turn: line 2: ValueError: oops." in told.out


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


def test_ascii_can_be_asked_for_and_declined() -> None:
    plain = in_a_pipe("", "--ascii", "--players", "A=random,B=random", LANG="C.UTF-8")
    assert plain.stdout.isascii()
    emoji = in_a_pipe("", "--no-ascii", "--players", "A=random,B=random", LANG="C")
    assert "🧟" in emoji.stdout.decode()


def test_no_cursor_control_in_a_pipe(play: Play) -> None:
    told = play("Ann, Bob", "", "", "", "", "", "q", "y")
    assert "\x1b" not in told.out
    assert "\r" not in told.out


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
