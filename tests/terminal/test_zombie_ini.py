"""The configuration file: every way of writing it, and a word on every slip."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairground.cli import main
from fairground.core import BadParams, Unreadable
from fairground.games.zombie.rules import DEFAULTS
from fairground.games.zombie.setup import Config, IniReader, defaults, read_config
from tests.helpers.places import ROOT

SEEDS_OWN = """\
[Game]
weak_dice = 6
strong_dice = 4
tough_dice = 3
max_players = 6
brains_to_win = 13
max_turns = 0 # Value 0 means the game plays without limit of turns.

[Dice]
weak_die_faces   = "bbbffs"
strong_die_faces = "bbffss"
tough_die_faces  = "bffsss"

"""


def read(tmp_path: Path, text: str | bytes) -> Config:
    path = tmp_path / "zdice.ini"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_config(str(path))


def test_the_sources_example_is_the_default(tmp_path: Path) -> None:
    config = read(tmp_path, SEEDS_OWN)
    assert config.warnings == ()
    assert config.params == {key: DEFAULTS[key] for key in DEFAULTS if key != "players"}
    assert config.max_players == 6
    assert config.source == str(tmp_path / "zdice.ini")


def test_every_way_to_write_a_value(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        "\ufeff; a comment\r\n# another\r\n  [ gAmE ] ; the game\r\n"
        "WEAK_DICE=1#one\r\nStrong_Dice : '2' ; two\r\n\ttough_dice = \"3\"# three\r\n"
        "max_players = +4\r\nbrains_to_win = 007\r\nmax_turns = ' 5 '\r\n\r\n"
        "[DICE]\r\nweak_die_faces = 'BS'\r\nstrong_die_faces = bbbbbbbbfs ; ten\r\n"
        'tough_die_faces = "s"',
    )
    assert config.warnings == ()
    assert config.params == {
        "weak_dice": 1,
        "strong_dice": 2,
        "tough_dice": 3,
        "brains_to_win": 7,
        "max_turns": 5,
        "weak_die_faces": "bs",
        "strong_die_faces": "bbbbbbbbfs",
        "tough_die_faces": "s",
    }
    assert config.max_players == 4


@pytest.mark.parametrize(
    ("section", "line", "said", "field"),
    [
        ("Game", "weak_dice = six", "'six' is not a whole number from 0 to 1000", "weak_dice"),
        ("Game", "weak_dice = -1", "'-1' is not a whole number from 0 to 1000", "weak_dice"),
        ("Game", "tough_dice = 1001", "'1001' is not a whole number", "tough_dice"),
        ("Game", "strong_dice = 4.0", "'4.0' is not a whole number", "strong_dice"),
        ("Game", "strong_dice = 1_0", "'1_0' is not a whole number", "strong_dice"),
        ("Game", "strong_dice =", "'' is not a whole number", "strong_dice"),
        ("Game", "strong_dice = # 4", "'# 4' is not a whole number", "strong_dice"),
        ("Game", "max_players = 1", "'1' is not a whole number from 2 to 100", "max_players"),
        ("Game", "brains_to_win = 0", "'0' is not a whole number from 1", "brains_to_win"),
        ("Game", "max_turns = 99999999999999", "is not a whole number from 0", "max_turns"),
        ("Game", "weak_dice = '6", "has a quote that is not closed", "weak_dice"),
        ("Game", "weak_dice = '6' 7", "goes on behind its closing quote", "weak_dice"),
        ("Dice", "weak_die_faces = bxs", "'bxs' is not made of the letters b, f", "weak_die_faces"),
        ("Dice", 'weak_die_faces = ""', "is not made of the letters b, f", "weak_die_faces"),
        ("Dice", f"weak_die_faces = {'b' * 1001}", "has more than 1000 faces", "weak_die_faces"),
    ],
)
def test_a_bad_field_is_named_with_line_value_and_default(
    section: str, line: str, said: str, field: str, tmp_path: Path
) -> None:
    """... and the rest of the file counts."""
    text = f"# first\n[{section}]\n{line}\n[Game]\nbrains_to_win = 9\n"
    config = read(tmp_path, text)
    (warning,) = [w for w in config.warnings if "already" not in w]
    assert warning.startswith(f"{tmp_path / 'zdice.ini'}, line 3: {field} = ")
    assert said in warning
    assert f"the default {defaults()[field]} is used instead" in warning
    assert config.params["brains_to_win"] == 9
    if field not in ("max_players", "brains_to_win"):
        assert config.params[field] == defaults()[field]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("[Game]\nweek_dice = 6\n", 2, "'week_dice' = '6' is ignored: [Game] has no such field"),
        ("[Game]\nweak_die_faces = bfs\n", 2, "belongs into the section [Dice]"),
        ("weak_dice = 5\n", 1, "belongs into the section [Game]"),
        ("dice = 5\n", 1, "stands before any section"),
        ("[Game]\nweak_dice 5\n", 2, "'weak_dice 5' is no 'name = value'"),
        ("[Game\nweak_dice = 5\n", 1, "there is no section '[Game'"),
        ("[Bag]\nweak_dice = 5\nx = 1\n", 1, "there is no section '[Bag]', only [Game] and [Dice]"),
        ("[Game]\n= 5\n", 2, "'= 5' is no 'name = value'"),
    ],
)
def test_what_is_not_a_field_is_ignored_and_said(
    text: str, line: int, said: str, tmp_path: Path
) -> None:
    config = read(tmp_path, text)
    (warning,) = config.warnings
    assert f", line {line}: " in warning
    assert said in warning
    assert config.params == {key: DEFAULTS[key] for key in DEFAULTS if key != "players"}


def test_the_later_of_two_lines_counts_and_that_is_said(tmp_path: Path) -> None:
    config = read(tmp_path, "[Game]\nweak_dice = 5\nWEAK_DICE = 7\n")
    assert config.params["weak_dice"] == 7
    (warning,) = config.warnings
    assert "line 3: weak_dice was already given in line 2" in warning


def test_no_file_and_a_missing_file_give_the_defaults_and_say_so(tmp_path: Path) -> None:
    assert "no configuration file was given" in read_config(None).source
    missing = str(tmp_path / "nowhere.ini")
    config = read_config(missing)
    assert config.params == read_config(None).params
    assert f"{missing} was not found" in config.source
    assert f"{missing} was not found; the defaults are used" in config.warnings[0]


def test_a_file_that_is_there_but_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="cannot be read"):
        read_config(str(tmp_path))
    with pytest.raises(Unreadable, match="more than a million bytes"):
        read(tmp_path, b"#" * 1_000_001)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("weak_dice = 0\nstrong_dice = 0\ntough_dice = 0", "there are no dice in the bag"),
        ("weak_dice = 0\nstrong_dice = 0\ntough_dice = 2", "the bag has only 2 in all"),
        (
            "tough_dice = 0\n[Dice]\nweak_die_faces = ff\nstrong_die_faces = s",
            "no die in the bag has a brain",
        ),
    ],
)
@pytest.mark.parametrize("command", ["zombie", "solve zombie"])
def test_a_bag_that_cannot_be_played_is_refused_with_the_reason(
    text: str, reason: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "zdice.ini"
    path.write_text(f"[Game]\n{text}\n")
    with pytest.raises(BadParams):
        read_config(str(path))
    assert main([*command.split(), str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert reason in printed.err
    assert f"{path}: this bag cannot be played" in printed.err


def test_bytes_that_are_not_text_are_warned_of_and_no_more(tmp_path: Path) -> None:
    config = read(tmp_path, b"[Game]\n\xff\xfe\x00junk\nbrains_to_win = 3\n; gr\xfcn\n")
    assert config.params["brains_to_win"] == 3
    assert len(config.warnings) == 1


@given(st.text(max_size=300))
def test_no_text_whatsoever_stops_the_reader(text: str) -> None:
    reader = IniReader("any.ini")
    reader.read(text)
    assert reader.values.keys() == defaults().keys()


@given(st.lists(st.sampled_from([*SEEDS_OWN.splitlines(), "[x]", "a=b", "max_turns='"])))
def test_what_is_read_is_always_within_the_limits(lines: list[str]) -> None:
    reader = IniReader("any.ini")
    reader.read("\n".join(lines))
    assert reader.values == defaults(), "all lines say the defaults, or nothing that counts"


def test_a_file_with_all_defaults_is_shipped_and_can_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["zombie", "--write-config"]) == 0
    written = (tmp_path / "zdice.ini").read_text()
    assert written == (ROOT / "examples" / "zdice.ini").read_text()
    config = read_config("zdice.ini")
    assert not config.warnings
    assert config.params == read_config(None).params
    assert main(["zombie", "--write-config"]) == 2
    assert "is there already" in capsys.readouterr().err
