"""FateStones as people meet it: sealed choices, drawn dice, a record that holds."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from fairground.games.fatestones.screen import DiceArt, SeatNames, advice, cost, exactly
from fairground.games.fatestones.solver.choices import solve
from fairground.terminal.console import percent
from fairground.verifier import Verdict, verify
from tests.helpers.pseudo_terminal import on_a_terminal
from tests.terminal.conftest import Here

Events = list[dict[str, Any]]
Play = Callable[..., tuple[int, str, str]]

PICKS = "0\n" * 90
"""More choices than a game needs; what is not needed is not read."""


@pytest.fixture
def play(here: Here) -> Play:
    """Play with these answers: the exit code, and what was printed."""

    def session(answers: str, *arguments: str) -> tuple[int, str, str]:
        return here(answers, "fatestones", *arguments)[:3]

    return session


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "game.jsonl"


def read(path: Path) -> tuple[Verdict, Events]:
    data = path.read_bytes()
    return verify(data), [json.loads(line) for line in data.splitlines()]


def where(events: Events, kind: str, seat: int) -> list[int]:
    return [
        i for i, event in enumerate(events) if (event["kind"], event.get("seat")) == (kind, seat)
    ]


class TestAgainstTheMachine:
    def test_the_machines_seal_is_shown_before_you_choose_and_fits_no_other_choice(
        self, play: Play, record: Path
    ) -> None:
        _, text, _ = play(f"my word\n{PICKS}", "--save", str(record))
        _, events = read(record)
        lines = record.read_bytes().splitlines(keepends=True)
        table = bytes.fromhex(events[0]["table"])
        seals, openings = where(events, "seal", 1), where(events, "open", 1)
        assert seals
        prompt = 0
        for sealed, opened, mine in zip(seals, openings, where(events, "seal", 0), strict=True):
            commitment = events[sealed]["commitment"]
            prompt = text.index("Your die (", prompt + 1)
            assert text.index(commitment) < prompt < text.index(events[mine]["commitment"])
            assert sealed < mine < opened
            # The seal by hand, as docs/format.md has it: lengths of four bytes, numbers of eight.
            before = min(sealed, mine)
            parts = [
                b"fairground/seal/1",
                table,
                (1).to_bytes(8, "big"),
                before.to_bytes(8, "big"),
                hashlib.sha3_256(lines[before - 1]).hexdigest().encode(),
                bytes.fromhex(events[opened]["key"]),
            ]

            def made(move: int, parts: list[bytes] = parts) -> str:
                data = b"".join(len(p).to_bytes(4, "big") + p for p in [*parts, b"%d" % move])
                return hashlib.sha3_256(data).hexdigest()

            fitting = [move for move in range(3) if made(move) == commitment]
            assert fitting == [events[opened]["move"]]

    def test_the_rolls_told_are_those_of_the_record(self, play: Play, record: Path) -> None:
        _, text, _ = play(f"w\n{PICKS}", "--ascii", "--save", str(record))
        _, events = read(record)
        bag = sorted(events[0]["params"]["dice"])
        hands: tuple[list[str], list[str]] = ([], [])
        draws = [tuple(draw) for e in events if e["kind"] == "dealt" for draw in e["draws"]]
        for i, (_, value) in enumerate(draws[:6]):
            hands[i % 2].append(bag.pop(value))
        dice = [hands[seat][events[where(events, "open", seat)[0]]["move"]] for seat in (0, 1)]
        assert f"You take {dice[0]}, I take {dice[1]}." in text
        faces = [int(die[value]) for die, (_, value) in zip(dice, draws[6:8], strict=True)]
        first = text[text.index(f"You roll {dice[0]}   I roll {dice[1]}") :].splitlines()
        assert [line.count("o") for line in first[2:5]] == [
            sum(pips) for pips in zip(*(ROWS[face] for face in faces), strict=True)
        ]
        if faces[0] != faces[1]:
            assert f"{max(faces)} is more than {min(faces)}." in first[6]

    def test_a_die_can_be_chosen_by_its_name(
        self, play: Play, record: Path, tmp_path: Path
    ) -> None:
        path = tmp_path / "twos.txt"
        path.write_text("111111\n" + "222222\n" * 5)
        for _ in range(3):
            play("w\n222222\nX\n", "--dice", str(path), "--save", str(record))
            _, events = read(record)
            bag, mine = ["111111", *["222222"] * 5], []
            for i, (_, value) in enumerate(events[3]["draws"]):
                die = bag.pop(value)
                mine += [die] if i % 2 == 0 else []
            (opened,) = where(events, "open", 0)
            assert events[opened]["move"] == mine.index("222222")

    def test_a_hint_is_perfect_play_and_recorded(self, play: Play, record: Path) -> None:
        code, text, _ = play("w\nHint\nX\n", "--ascii", "--save", str(record))
        assert code == 0
        verdict, events = read(record)
        assert verdict.ok, "a note between two seals breaks neither"
        (note,) = [event["body"] for event in events if event["kind"] == "note"]
        shown = re.findall(r"^\d  (\d{6}) +\d  (\d{6})$", text, re.MULTILINE)
        found = solve([mine for mine, _ in shown], [theirs for _, theirs in shown])
        assert note == {"hint": {str(i): str(p) for i, p in enumerate(found.my_mix)}, "seat": 0}
        for number, (die, share) in enumerate(zip(found.mine, found.my_mix, strict=True)):
            (line,) = re.findall(rf"^  {number}  {die}  (.*)$", text, re.MULTILINE)
            assert ("never" in line or "not needed" in line) == (share == 0)
            assert share in (0, 1) or percent(share) in line


"""Pips of a face, row by row."""


ROWS = {1: (0, 1, 0), 2: (1, 0, 1), 3: (1, 1, 1), 4: (2, 0, 2), 5: (2, 1, 2), 6: (2, 2, 2)}
"""Pips of a face, row by row."""


class TestLeaving:
    def test_a_record_that_does_not_hold_is_a_failed_check(
        self, play: Play, record: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def distrust(data: bytes) -> Verdict:
            return verify(data.replace(b'"my word"', b'"my work"'))

        monkeypatch.setattr("fairground.terminal.records.verify", distrust)
        code, text, _ = play(f"my word\n{PICKS}", "--save", str(record))
        assert code == 1
        assert "INVALID at line" in text


class TestArguments:
    def test_every_bad_line_of_a_dice_file_is_named(self, play: Play, tmp_path: Path) -> None:
        path = tmp_path / "bad.txt"
        path.write_text("123456\n654321\n\n1 2 3 4 5 6\n12345\n1 2 3 4 5 7\n")
        code, _, error = play("", "--dice", str(path))
        assert code == 2
        assert "line 2: '654321': no digit may be higher than a digit to its right" in error
        assert "line 5: '12345': a die has six digits" in error
        assert "line 6: '1 2 3 4 5 7': every face must be a digit from 1 to 6" in error
        assert "line 4" not in error
        assert "123456 or 1 2 3 4 5 6 on each line" in error

    def test_too_few_dice_and_no_text(self, play: Play, tmp_path: Path) -> None:
        path = tmp_path / "five.txt"
        path.write_text("123456\n" * 5)
        assert "5 dice, but two hands need at least 6" in play("", "--dice", str(path))[2]
        path.write_bytes(b"\xff\xfe\x00")
        code, _, error = play("", "--dice", str(path))
        assert code == 2
        assert "is not text" in error


class TestArt:
    HANDS = (("123456", "111666", "333444"), ("222555", "133446", "144444"))
    TITLES = ("Your dice", "My dice")

    @pytest.mark.parametrize("ascii_only", [True, False])
    @pytest.mark.parametrize("columns", [200, 80, 77, 76, 53, 52, 37, 36, 25, 24, 9, 1])
    def test_nothing_is_wider_than_the_terminal(self, columns: int, ascii_only: bool) -> None:
        lines = DiceArt(columns, ascii_only).hands(self.TITLES, self.HANDS)
        assert max(map(len, lines)) <= max(columns, 9)
        text = "\n".join(lines)
        for die in (*self.HANDS[0], *self.HANDS[1]):
            assert text.count(die) == 1
        pip = "o" if ascii_only else "●"
        drawn = text.count(pip) - " ".join(self.TITLES).count(pip)
        assert drawn == (6 * 21 if columns >= 25 else 0), "six dice of 21 pips each"

    def test_two_hands_lie_side_by_side_and_line_up(self) -> None:
        lines = DiceArt(80, ascii_only=False).hands(self.TITLES, self.HANDS)
        assert len(lines) == 1 + 3 * 6
        edges = [line for line in lines if line[0] in "┌│└"]
        assert len(edges) == 3 * 5
        assert {len(line) for line in edges} == {77}
        assert {line[37:40] for line in edges} == {"   "}

    def test_faces_fold_where_they_do_not_fit(self) -> None:
        beside = DiceArt(60).rolled((1, 6), ("You roll 123456", "I roll 123456"))
        below = DiceArt(20).rolled((1, 6), ("You roll 123456", "I roll 123456"))
        assert (len(beside), len(below)) == (6, 12)
        assert max(map(len, below)) <= 20

    def test_text_folds_and_colour_is_only_ink(self) -> None:
        assert all(len(line) < 30 for line in DiceArt(30).fold("ab" * 32).splitlines())
        assert DiceArt(80).ink("win", "good") == "win"
        assert DiceArt(80, colour=True).ink("win", "good") == "\x1b[1;32mwin\x1b[0m"


class TestWords:
    def test_percents_never_call_a_little_nothing(self) -> None:
        assert percent(Fraction(185, 288)) == "64.2%"
        assert percent(Fraction(1, 10_000)) == "less than 0.1%"
        assert percent(Fraction(0)) == "0.0%"
        assert exactly(Fraction(185, 288)) == "185/288 (64.2%)"
        assert exactly(Fraction(10**9, 10**10 + 1)) == "10.0%"

    def test_advice_says_always_never_and_by_chance(self) -> None:
        best = advice(("134445", "144444", "234444"), ("233346", "333336", "333444"))
        assert "185/288 (64.2%)" in best[0]
        assert best[2] == "  1  144444  always"
        assert best[1].startswith("  0  134445  never (costs ")
        same = advice(("111111", "111111"), ("111111", "111111"))
        assert "1/2 (50.0%)" in same[0]
        assert same[1:] == ["  0  111111  always", "  1  111111  not needed (costs nothing)"]

    def test_what_a_choice_cost(self) -> None:
        hands = ("134445", "144444", "234444"), ("233346", "333336", "333444")
        assert cost(*hands, 1).endswith("it cost nothing.")
        assert re.fullmatch(
            r"Your choice of 134445 cost \d\.\d% against perfect play\.", cost(*hands, 0)
        )

    def test_people_and_machines_are_spoken_of_in_their_own_way(self) -> None:
        alone = SeatNames(["Player", "Machine (optimal)"], 0)
        two = SeatNames(["Player 1", "Player 2"], None)
        assert [alone.does(seat, "win") for seat in (0, 1)] == ["You win", "I win"]
        assert [two.does(seat, "win") for seat in (0, 1)] == ["Player 1 wins", "Player 2 wins"]
        assert [alone.whose(1), two.whose(1)] == ["My", "Player 2's"]


class TestOnATerminal:
    def test_a_game_in_colour_and_its_choices(self, record: Path) -> None:
        keys = [
            ("random for the deal: ", "rain\n"),
            ("hint, ?, X): ", "hint\n"),
            ("hint, ?, X): ", "1\n"),
            ("hint, ?, X): ", "x\n"),
        ]
        arguments = ["--save", str(record), "--no-ascii", "--games", "1"]
        shown = on_a_terminal(keys, 80, 50, "fatestones", *arguments)
        assert re.search("│[ ●]{5}│[ ●]{5}│[ ●]{5}│[ ●]{5}│[ ●]{5}│[ ●]{5}│   │[ ●]{5}│", shown)
        assert "hint, ?, X): 1" in shown
        assert "Both seals are opened. You take" in shown
        assert shown.endswith("exit 0")
        assert read(record)[0].ok

    def test_hot_seat_choices_are_not_echoed(self, record: Path) -> None:
        keys = [
            ("Player 1, type anything random for the deal: ", "rain\n"),
            ("Player 2, type anything random for the deal: ", "wind\n"),
            ("Player 1, your die (hidden: 0, 1, 2, hint, ?, X): ", "2\n"),
            ("Player 2, your die (hidden: 0, 1, 2, hint, ?, X): ", "1\n"),
            ("Player 1, your die (hidden: 0, 1, hint, ?, X): ", "\x04"),
        ]
        arguments = ["--hot-seat", "--save", str(record), "--games", "1"]
        shown = on_a_terminal(keys, 100, 60, "fatestones", *arguments)
        for line in shown.splitlines():
            if "your die (hidden" in line:
                assert line.rstrip().endswith("X):")
        assert shown.endswith("exit 3" if "A tie" in shown else "exit 0")
        verdict, events = read(record)
        assert verdict.ok
        assert [e["move"] for e in events if e["kind"] == "open"] == [2, 1]


def test_a_bag_in_which_nobody_can_win_is_refused(play: Play, tmp_path: Path) -> None:
    """It would deal for ever. One face that differs anywhere is enough for a winner."""
    path = tmp_path / "same.txt"
    path.write_text("333333\n" * 6)
    code, _, error = play("w\n0\n", "--dice", str(path), "--no-save")
    assert code == 2
    assert "nobody can ever win with this bag: every face of every die is 3" in error
    path.write_text("333333  # a comment\n" * 5 + "333334\n")
    code, text, _ = play("X\ny\n", "--dice", str(path), "--no-save")
    assert code == 0 and "You leave the game" in text
