"""The golden playthroughs: made again to the byte, and safe against any change of a byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairground.core import Unreadable
from fairground.games import GAMES
from fairground.testing import playthroughs
from fairground.testing.modes import ALL_MODES
from fairground.testing.playthroughs import ENDINGS, Playthrough
from fairground.verifier import verify
from tests.helpers.samples import SAMPLES, playthroughs_of
from tests.helpers.width import WIDE
from tests.make_playthroughs import FOLDER

GOLDENS = [golden for game in sorted(GAMES) if game in SAMPLES for golden in playthroughs_of(game)]
MASKS = (0x01, 0x20, 0x80, 0x02, 0x10, 0xFF, 0x04, 0x40, 0x08)


def kept(golden: Playthrough) -> bytes:
    return (FOLDER / f"{golden.name}.jsonl").read_bytes()


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_registered_game_has_golden_playthroughs(game: str) -> None:
    missing = [
        golden.name
        for golden in playthroughs_of(game)
        for ending in ENDINGS
        if not (FOLDER / f"{golden.name}.{ending}").exists()
    ]
    assert not missing, f"run `python -m tests.make_playthroughs`; {game} lacks {missing}"


def test_nothing_lies_around_among_the_playthroughs() -> None:
    names = {f"{golden.name}.{ending}" for golden in GOLDENS for ending in ENDINGS}
    assert {path.name for path in FOLDER.iterdir()} == names


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_making_it_again_gives_the_same_bytes(golden: Playthrough) -> None:
    data, story = playthroughs.make(golden)
    assert data == kept(golden), "rules or schemes changed: give them a new name"
    assert story == (FOLDER / f"{golden.name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_a_golden_transcript_holds(golden: Playthrough) -> None:
    verdict = verify(kept(golden))
    assert verdict.ok, verdict.fault and verdict.fault.reason
    assert (verdict.game, verdict.dealer) == (golden.game.name, golden.mode.dealer)


def test_every_mode_has_a_golden_playthrough() -> None:
    assert {golden.mode.name for golden in GOLDENS} == {mode.name for mode in ALL_MODES}


# The tools, for other people's games


TOY = "fairground.testing.toys:Toy"
STEPS = '{"seats": 2, "steps": [["hidden", 6, 0], ["turn", [0, 1], 3], ["draw", 2]]}'


def test_the_command_makes_and_checks_playthroughs_of_any_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [TOY, "--params", STEPS, "--label", "small", "--into", str(tmp_path), "--all"]
    assert playthroughs.main(arguments) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2 * (len(ALL_MODES) + 1)
    assert playthroughs.main([*arguments, "--check"]) == 0
    assert capsys.readouterr().out == "all the same\n"
    story = tmp_path / "toy-1-small--seeded-tape.txt"
    story.write_bytes(story.read_bytes() + b"and they lived happily\n")
    (tmp_path / "toy-1-small--contest-cup.jsonl").unlink()
    assert playthroughs.main([*arguments, "--check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "toy-1-small--seeded-tape.txt came out differently: rules that change get a new name",
        "toy-1-small--contest-cup.jsonl is missing",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chess/1"], "no game named 'chess/1'"),
        (["nowhere:Toy"], "there is no game at 'nowhere:Toy'"),
        (["fairground.testing.toys:TOYS"], "is not a class of games"),
        ([TOY, "--params", "[1]"], "--params must be a JSON object such as"),
        ([TOY, "--params", '{"seats": 2}'], "a toy has seats and steps"),
    ],
)
def test_the_command_says_what_is_wrong(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert playthroughs.main([*arguments, "--into", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_story_names_only_what_has_changed() -> None:
    before = {"state.phase": "'roll'", "state.score": "3", "awaits": "a draw below 6"}
    after = {"state.phase": "'move'", "state.score": "3", "seat 1 may play": "0, 1"}
    assert list(playthroughs.changes(before, after)) == [
        "       awaits: -",
        "       state.phase: 'move'",
        "       seat 1 may play: 0, 1",
    ]


def test_no_line_of_a_story_is_long() -> None:
    for path in FOLDER.glob("*.txt"):
        longest = max(path.read_text(encoding="utf-8").splitlines(), key=len)
        assert len(longest) <= 120, f"{path.name}: {longest}"


def caught(data: bytes) -> bool:
    """Whether a damaged transcript is noticed: it fails, or is no transcript any more."""
    try:
        return not verify(data).ok
    except Unreadable:
        return all(b'"kind"' not in line or not _is_json(line) for line in data.split(b"\n"))


def _is_json(line: bytes) -> bool:
    try:
        value: Any = json.loads(line)
    except ValueError:
        return False
    return isinstance(value, dict)


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_flipping_any_byte_is_caught(golden: Playthrough) -> None:
    """Each with the next mask in turn; some bytes, and every one in a campaign."""
    data = bytearray(kept(golden))
    for at in range(0, len(data), 1 if WIDE else 23):
        mask = MASKS[at % len(MASKS)]
        data[at] ^= mask
        assert caught(bytes(data)), f"byte {at} changed by {mask:#x} went unnoticed"
        data[at] ^= mask


@pytest.mark.parametrize("mask", MASKS[:3], ids=hex)
def test_flipping_any_byte_in_several_ways_is_caught(mask: int) -> None:
    """The dice game with numbers, with each of three masks."""
    golden = next(g for g in GOLDENS if g.name == "intransitive-1-seed--hmac-sha3-user-number")
    data = bytearray(kept(golden))
    for at in range(0, len(data), 1 if WIDE else 5):
        data[at] ^= mask
        assert caught(bytes(data)), f"byte {at} changed by {mask:#x} went unnoticed"
        data[at] ^= mask


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_cutting_the_tail_anywhere_is_caught(golden: Playthrough) -> None:
    data = kept(golden)
    for at in range(0, len(data), 1 if WIDE else 23):
        assert caught(data[:at]), f"cut at byte {at} of {len(data)} went unnoticed"
    for more in (b"\n", b" ", b"{}\n", data, data.splitlines(keepends=True)[-1]):
        assert caught(data + more)


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_losing_swapping_or_doubling_a_line_is_caught(golden: Playthrough) -> None:
    lines = kept(golden).splitlines(keepends=True)
    for at in range(len(lines)):
        assert caught(b"".join(lines[:at] + lines[at + 1 :]))
        assert caught(b"".join([*lines[:at], lines[at], *lines[at:]]))
        if at:
            swapped = [*lines[: at - 1], lines[at], lines[at - 1], *lines[at + 1 :]]
            assert caught(b"".join(swapped))
