"""Blind Croupier as a person meets it: real games in this process, by keys and by lines."""

from __future__ import annotations

import io
import json
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.games.poker.holds import best_hold
from fairground.games.poker.rules import PAYS, Rank, parse_hand, rank
from fairground.terminal.croupier.command import _parse
from fairground.terminal.croupier.hand import (
    CardArt,
    Hurry,
    in_words,
    minutes,
    number_behind,
    parse_hold,
    short,
)
from fairground.verifier import verify
from tests.helpers.pseudo_terminal import on_a_terminal, session

Play = Callable[..., tuple[int, str, str]]

CARD = r"(?:10|[2-9JQKA])[♡♢♧♤]"
ROW = re.compile("│ +" + " │ │ +".join([f"({CARD})"] * 5) + " │")


@pytest.fixture
def play(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Play:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def played(answers: str, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        code = main(["croupier", *arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return played


def hands(shown: str) -> list[tuple[int, ...]]:
    """The hands that were drawn on the screen, in their order."""
    return [parse_hand(" ".join(found.groups())) for found in ROW.finditer(shown)]


def in_order(shown: str, *texts: str) -> bool:
    """Whether these stand one after the other in what was shown, lines folded or not."""
    flat, at = " ".join(shown.split()), 0
    for text in texts:
        at = flat.find(text, at)
        assert at >= 0, f"{text!r} is missing, or too early"
    return True


class TestInAPipe:
    def test_a_hand_is_explained_saved_and_verified(self, play: Play, tmp_path: Path) -> None:
        record = tmp_path / "game.jsonl"
        code, shown, _ = play("13\n", "--hands", "1", "--explain", "--save", str(record))
        assert code == 0
        dealt, final = hands(shown)
        assert (dealt[0], dealt[2]) == (final[0], final[2]), "the held cards stay"
        assert len({*dealt, *final}) == 8, "the others come from the rest of the deck"
        prize = PAYS[5][rank(final)]
        verdict = verify(record.read_bytes())
        assert verdict.ok and verdict.payoff == (5 - prize, prize - 5)
        assert f"Your account at the Bank: {195 + prize:,} chips." in shown
        assert f"verify with: fairground verify {record}" in shown
        assert "Play money and test chains" in shown
        assert shown.count("operator trusted: a ledger of play money in this process") == 2, (
            "at first and in the end"
        )
        gas = re.findall(
            r"Croupier calls the Bank: (\w+(?: \d)?), about ([\d,]+) gas", " ".join(shown.split())
        )
        assert gas == [
            ("submitBet", "72,400"),
            ("submitCroupierSeedAsSignature 0", "48,500"),
            ("submitPlayerSeedAsSignature 0", "47,300"),
            ("submitReplacementOrder", "45,700"),
            ("submitCroupierSeedAsSignature 1", "42,700"),
            ("submitPlayerSeedAsSignature 1", "50,200"),
            ("submitGameResult", "49,100"),
        ]
        # The seventeen steps of the document, in their order, with what each party computes.
        steps = re.findall(r"^Step (\d+)\.", shown, re.MULTILINE)
        assert steps == [str(step) for step in range(1, 18)]
        first, second = (
            " ".join(map(CardArt(80, ascii_only=False).card, h)) for h in (dealt, final)
        )
        assert in_order(
            shown,
            "Player checks chain and Bank",
            "Player checks the Croupier's funds: 100,000 chips",
            "Croupier → Player: an offer of game 0",
            "Step 1. ",
            "Player → Croupier: the signed bet: a stake of 5 chips",
            "Step 2. ",
            "Croupier calls the Bank: submitBet",
            "Bank records BetSubmitted: it locks your stake, 5 chips, and the top prize",
            "Step 3. ",
            "Bank records CroupierSeedSubmitted: his seed 0 fits",
            "Step 4. ",
            "Player → Croupier: seed 0",
            "Step 6. ",
            "Bank records PlayerSeedSubmitted: your seed 0 fits",
            "Step 7. ",
            "game seed 0 = the hash of both seeds and the bet = ",
            "Step 8. ",
            f"the cards: {first}",
            "Hold: 13",
            "replace 3 of 5 cards",
            "Player → Croupier: the order: 0,1,0,1,1",
            "Step 12. ",
            "Bank records CroupierSeedSubmitted: his seed 1 fits",
            "Player → Croupier: seed 1",
            "Step 15. ",
            f"the final hand: {second}",
            "Step 16. ",
            "Bank records GameSettled",
            "Step 17. ",
            "Checked: the record of 10 lines is valid.",
        )
        calls = re.findall(r"Croupier calls the Bank: (\w+)", shown)
        assert calls[:8] == [
            "submitPublicKey",
            "depositFunds",
            "submitBet",
            "submitCroupierSeedAsSignature",
            "submitPlayerSeedAsSignature",
            "submitReplacementOrder",
            "submitCroupierSeedAsSignature",
            "submitPlayerSeedAsSignature",
        ]

    def test_an_evening(self, play: Play, tmp_path: Path) -> None:
        answers = "p\n?\nbet 3\nlevel 2\nbet 11\n\nb\nz\n12345\n\n\n\n\nq\n"
        code, shown, _ = play(answers, "--withdraw")
        assert code == 0
        assert "What a hand pays, in chips, for a bet of 3:" in shown
        assert "'bet 11' is not understood" in shown
        assert "Enter deals (bet 3, level 2: 6 chips" in shown
        assert "You stake bet x level chips." in shown
        first = hands(shown)[0]
        best = best_hold(first, 2)
        assert f"exactly {best.value}." in shown
        assert "That is not understood. Type the numbers" in shown
        assert hands(shown)[1] == first, "12345 holds all"
        assert in_words(first[0])[1:] in shown
        assert len(hands(shown)) == 6
        assert "3 hands played, " in shown
        assert "Withdrawn from the Bank: " in shown
        saved = list((tmp_path / "data" / "fairground" / "transcripts").glob("croupier-*.jsonl"))
        assert len(saved) == 3
        assert all(verify(path.read_bytes()).ok for path in saved)
        won = [verify(path.read_bytes()).payoff for path in saved]
        total = sum(payoff[1] for payoff in won if payoff)
        result = f"{'won' if total > 0 else 'lost'} {abs(total):,} chip" if total else "broke even"
        assert f"3 hands played, {result}" in shown

    def test_several_hands_go_to_several_files(self, play: Play, tmp_path: Path) -> None:
        record = tmp_path / "game.jsonl"
        play("\n\n", "--hands", "2", "--save", str(record))
        games = [
            json.loads(path.read_text().splitlines()[0])
            for path in (record, tmp_path / "game-2.jsonl")
        ]
        assert [game["public"]["game_id"] for game in games] == [0, 1]

    def test_the_end_of_the_input(self, play: Play) -> None:
        code, shown, said = play("", "--hands", "1", "--no-save")
        assert code == 3
        assert "You leave in the middle of a game." in shown
        assert "The input ended in the middle" in said
        code, shown, _ = play("\n12345\n", "--no-save")
        assert code == 0, "between two hands nothing is at stake"
        assert "1 hand played" in shown

    def test_leaving_in_a_game_is_asked_twice(self, play: Play) -> None:
        code, shown, _ = play("q\nn\nq\ny\n", "--hands", "1", "--no-save")
        assert code == 0
        assert shown.count("Your stake of 5 chips is lost if you leave now.") == 2

    def test_on_a_chain_two_blocks_are_waited_for_unless_it_is_said_otherwise(self) -> None:
        far = ["--croupier", "http://127.0.0.1:1"]
        chain = [*far, "--bank", "http://127.0.0.1:2", "--key", "k.json"]
        assert _parse(far).confirmations == 0
        assert _parse(chain).confirmations == 2
        assert _parse([*chain, "--confirmations", "5"]).confirmations == 5

    @pytest.mark.parametrize("way", [[], ["--session"]])
    def test_a_hand_at_home_needs_no_extra(self, way: list[str]) -> None:
        words = ["croupier", "--hands", "1", "--no-save", *way]
        program = (
            "import sys\n"
            "for name in ('eth', 'eth_abi', 'eth_account', 'eth_hash', 'web3'):\n"
            "    sys.modules[name] = None\n"
            "from fairground.cli import main\n"
            f"sys.exit(main({words!r}))\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program],
            input="13\n",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "1 hand" in done.stdout


class TestBuyIn:
    def test_it_deposits_what_it_says(self, play: Play) -> None:
        code, shown, _ = play("\n", "--hands", "1", "--buy-in", "50000", "--no-save")
        assert code == 0 and "You deposit 50,000 chips at the Bank." in shown


class TestOnATerminal:
    def test_by_keys(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        record = tmp_path / "game.jsonl"
        keys = [
            ("helps, q quits): ", "level 4\n"),
            ("helps, q quits): ", "\n"),
            ("Hold nothing > ", "1"),
            ("Hold ", "2"),
            ("Hold ", "9\x1b[A\x1b[12~1"),  # no such card, and no cards: nothing happens
            ("Hold ", "4"),
            ("Hold ", "b"),
            ("Next best: hold", ""),
            ("Hold ", "?"),
            ("If you fall silent", ""),
            ("Hold ", "\n"),
            ("helps, q quits): ", "q\n"),
        ]
        done = session(keys, 100, 200, "croupier", "--save", str(record))
        assert done.shown.endswith("exit 0")
        assert "1 to 5 hold a card or let it go" in done.shown
        assert b"\x1b[31m" in done.raw, "red cards are red"
        events = [json.loads(line) for line in record.read_text().splitlines()]
        assert [e["move"] for e in events if e["kind"] == "move"] == [[1, 0, 1, 0, 1]]
        assert events[0]["params"] == {"bet": 1, "level": 4}
        dealt, *_, final = hands(done.shown)
        assert (dealt[1], dealt[3]) == (final[1], final[3])
        assert verify(record.read_bytes()).ok

    def test_a_narrow_plain_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("LC_ALL", "C")
        keys = [("q quits): ", "\n"), ("Hold nothing > ", "5"), ("Hold ", "\x03\n")]
        done = session(keys, 34, 120, "croupier", "--no-save", "--explain")
        assert done.shown.isascii()
        assert b"\x1b[31m" not in done.raw and b"\x1b[1m" not in done.raw
        assert "royal flush     [4000]" in done.shown
        assert "[3000]" not in done.shown
        assert re.search(r"^(\[?(10|[2-9JQKA])[hdcs]\]? ?){5}", done.shown, re.MULTILINE)
        assert "Player -> Croupier" in done.shown
        assert "so the stake is" in done.shown
        assert done.shown.endswith("exit 130")

    def test_the_menu_has_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        keys = [
            ("press a letter.", "b"),
            ("q quits): ", "q\n"),
            ("for the menu.", " "),
            ("press a letter.", "q"),
        ]
        shown = on_a_terminal(keys, 80, 60)
        assert "Blind Croupier: video poker, 9/6 Jacks or Better" in shown
        assert shown.endswith("exit 0")


class TestLasting:
    """A bankroll of play chips under a key of one's own."""

    def balance(self, shown: str) -> int:
        return int(re.findall(r"Your account at the Bank: ([\d,]+) chips", shown)[-1])

    def test_chips_outlast_the_program(self, play: Play, tmp_path: Path) -> None:
        code, first, _ = play("\n\nq\n", "--lasting", "--no-save")
        assert code == 0 and "You deposit 200 chips at the Bank." in first
        code, second, _ = play("\n\nq\n", "--lasting", "--no-save")
        assert code == 0 and "You deposit" not in second
        lost = re.findall(r"(won|lost) (\d+) chips?\.", second)
        change = sum(int(n) if word == "won" else -int(n) for word, n in lost)
        assert self.balance(second) == self.balance(first) + change
        home = tmp_path / "data" / "fairground" / "croupier" / "home"
        assert stat.S_IMODE((home / "player.key").stat().st_mode) == 0o600
        assert stat.S_IMODE(home.stat().st_mode) == 0o700

    def test_its_calls_are_explained_as_well(self, play: Play) -> None:
        code, shown, _ = play("13\n", "--lasting", "--no-save", "--hands", "1", "--explain")
        assert code == 0
        assert "Croupier calls the Bank: submitGameResult" in shown

    def test_a_hand_that_was_left_goes_on(self, tmp_path: Path, play: Play) -> None:
        code, shown, _ = play("\n", "--lasting", "--no-save")
        assert code == 3 and "Start again with the same key in time" in " ".join(shown.split())
        assert main(["resume"]) == 0
        code, shown, _ = play("12\nq\n", "--lasting", "--no-save")
        assert "A hand at the Croupier is open." in shown
        assert code == 0 and "Game 0 was left open: going on with it." in shown

    def test_a_program_plays(self, play: Play) -> None:
        code, shown, _ = play(
            "", "--lasting", "--no-save", "--games", "3", "--seat", "player=optimal"
        )
        assert code == 0 and "3 hands played" in shown
        assert "Hold" not in shown


class TestWords:
    def test_cards_are_named(self) -> None:
        hand = parse_hand("Jc 10d 2h As 7c")
        assert [in_words(card) for card in hand] == [
            "jack of clubs",
            "ten of diamonds",
            "two of hearts",
            "ace of spades",
            "seven of clubs",
        ]
        assert CardArt(80).cards(hand) == "Jc 10d 2h As 7c"
        assert CardArt(80, ascii_only=False).cards(hand) == "J♧ 10♢ 2♡ A♤ 7♧"

    @pytest.mark.parametrize("level", [1, 3, 5])
    def test_the_pay_table_is_the_rules(self, level: int) -> None:
        lines = CardArt(80).pays(2, level)
        assert len(lines) == len(Rank)
        assert f"[{level}]" in lines[0]
        for rank_, line in zip(reversed(Rank), lines[1:], strict=False):
            assert line.startswith(rank_.words)
            numbers = [int(word.strip("[]")) for word in line[len(rank_.words) :].split()]
            assert numbers == [2 * PAYS[at][rank_] for at in range(1, 6)]
            assert f"[{2 * PAYS[level][rank_]}]" in line

    def test_held_cards_are_marked(self) -> None:
        hand = parse_hand("Jc 10d 2h As 7c")
        assert CardArt(80).row(hand, {0, 3}) == [
            "+-----+ +-----+ +-----+ +-----+ +-----+",
            "|J    | |10   | |2    | |A    | |7    |",
            "|  Jc | | 10d | |  2h | |  As | |  7c |",
            "|    J| |   10| |    2| |    A| |    7|",
            "+-----+ +-----+ +-----+ +-----+ +-----+",
            "   1       2       3       4       5",
            " HELD                    HELD",
        ]
        assert len(CardArt(80).row(hand, marks=True)) == len(CardArt(80).row(hand, {0}))
        assert CardArt(30).row(hand, {0, 3}) == ["[Jc] 10d 2h [As] 7c"]

    def test_what_is_typed(self) -> None:
        assert parse_hold("13") == parse_hold("3, 1") == frozenset({0, 2})
        assert parse_hold("") == frozenset()
        assert parse_hold("6") is parse_hold("a") is parse_hold("0") is None
        assert parse_hold("11") is None, "a slip is not taken"
        levels = range(1, 6)
        assert number_behind("level 3", "level", levels) == 3
        assert number_behind("l3", "level", levels) == 3
        assert number_behind("level 6", "level", levels) is None
        assert number_behind("level", "level", levels) is None
        assert number_behind("level ³", "level", levels) is None

    def test_times_and_long_words(self) -> None:
        assert minutes(1) == "1 second" and minutes(119) == "119 seconds"
        assert minutes(3599) == "59 minutes"
        assert short("a " + "ab" * 32) == "a " + "ab" * 8 + "..."
        assert short("a-long-word-that-is-not-hexadecimal") == "a-long-word-that-is-not-hexadecimal"

    def test_a_slow_thinker_is_warned_in_time(self) -> None:
        now = [0.0]
        hurry = Hurry(100, lambda: now[0])
        assert hurry.warning() is None and hurry.next_in() == 40
        now[0] = 40
        assert hurry.warning() == "Only 60 seconds are left to decide; then the stake is lost."
        assert hurry.warning() is None and hurry.next_in() == 30
        now[0] = 95
        assert hurry.warning() == "Only 5 seconds are left to decide; then the stake is lost."
        assert hurry.warning() is None and hurry.next_in() is None
