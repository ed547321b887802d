"""The golden playthroughs: made again to the byte, and safe against any change of a byte."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fairground.core import Unreadable
from fairground.games import GAMES
from fairground.verify import verify
from tests import make_playthroughs
from tests.helpers.samples import MODES, SAMPLES, Golden, goldens_of

FOLDER = make_playthroughs.FOLDER
GOLDENS = [golden for game in sorted(GAMES) if game in SAMPLES for golden in goldens_of(game)]
MASKS = (0x01, 0x20, 0x80, 0x02, 0x10, 0xFF, 0x04, 0x40, 0x08)


def kept(golden: Golden) -> bytes:
    return (FOLDER / f"{golden.name}.jsonl").read_bytes()


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_registered_game_has_golden_playthroughs(game: str) -> None:
    missing = [
        golden.name
        for golden in goldens_of(game)
        for ending in ("jsonl", "txt")
        if not (FOLDER / f"{golden.name}.{ending}").exists()
    ]
    assert not missing, f"run `python -m tests.make_playthroughs`; {game} lacks {missing}"


def test_nothing_lies_around_among_the_playthroughs() -> None:
    names = {f"{golden.name}.{ending}" for golden in GOLDENS for ending in ("jsonl", "txt")}
    assert {path.name for path in FOLDER.iterdir()} == names


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_making_it_again_gives_the_same_bytes(golden: Golden) -> None:
    data, story = make_playthroughs.make(golden)
    assert data == kept(golden), "rules or schemes changed: give them a new name"
    assert story == (FOLDER / f"{golden.name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_a_golden_transcript_holds(golden: Golden) -> None:
    verdict = verify(kept(golden))
    assert verdict.ok, verdict.fault and verdict.fault.reason
    assert (verdict.game, verdict.dealer) == (golden.sample.game, golden.mode.dealer)


def test_every_scheme_has_a_golden_dice_game() -> None:
    used = {golden.mode.dealer for golden in goldens_of("intransitive/1")}
    assert used == set(MODES)


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
def test_flipping_any_byte_is_caught(golden: Golden) -> None:
    """Every byte once, each with the next mask in turn."""
    data = bytearray(kept(golden))
    for at in range(len(data)):
        mask = MASKS[at % len(MASKS)]
        data[at] ^= mask
        assert caught(bytes(data)), f"byte {at} changed by {mask:#x} went unnoticed"
        data[at] ^= mask


@pytest.mark.parametrize("mask", MASKS[:3], ids=hex)
def test_flipping_any_byte_in_several_ways_is_caught(mask: int) -> None:
    """The dice game with numbers: every byte with each of three masks."""
    golden = next(g for g in GOLDENS if g.name == "intransitive-1-seed--hmac-sha3-user-number")
    data = bytearray(kept(golden))
    for at in range(len(data)):
        data[at] ^= mask
        assert caught(bytes(data)), f"byte {at} changed by {mask:#x} went unnoticed"
        data[at] ^= mask


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_cutting_the_tail_anywhere_is_caught(golden: Golden) -> None:
    data = kept(golden)
    for at in range(len(data)):
        assert caught(data[:at]), f"cut at byte {at} of {len(data)} went unnoticed"
    for more in (b"\n", b" ", b"{}\n", data, data.splitlines(keepends=True)[-1]):
        assert caught(data + more)


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden.name)
def test_losing_swapping_or_doubling_a_line_is_caught(golden: Golden) -> None:
    lines = kept(golden).splitlines(keepends=True)
    for at in range(len(lines)):
        assert caught(b"".join(lines[:at] + lines[at + 1 :]))
        assert caught(b"".join([*lines[:at], lines[at], *lines[at:]]))
        if at:
            swapped = [*lines[: at - 1], lines[at], lines[at - 1], *lines[at + 1 :]]
            assert caught(b"".join(swapped))
