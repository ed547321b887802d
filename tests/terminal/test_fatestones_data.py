"""FateStones as data: dice-sets, solve, episode, simulate and episodes at the command line."""

from __future__ import annotations

import csv
import io
import json
import lzma
import re
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest

from fairground.core import Fault
from fairground.games.fatestones.data import histogram
from fairground.games.fatestones.rows import row_of
from fairground.games.fatestones.rules import FateStones, Round
from fairground.lab import simulation as lab
from fairground.lab.plans import plan_of, states_of
from fairground.lab.rows import schema_of
from fairground.terminal.console import decimal
from fairground.transcript import read
from fairground.verifier import replay, verify
from tests.helpers.places import DATA
from tests.helpers.pseudo_terminal import on_a_terminal
from tests.solve.test_fatestones import read_values
from tests.terminal.conftest import Here

Run = Callable[..., tuple[int, str, str]]

MINE, THEIRS = "134445,144444,234444", "233346,333336,333444"
HANDS = ["--mine", MINE, "--theirs", THEIRS]
LOG = DATA / "fatestones-random-vs-random.txt.xz"
SAMPLE = "|111111|111111|111111|111111|111111|111111|1|1|1|1|\n"
"""The row of the source document."""


@pytest.fixture
def run(here: Here, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "100")
    return lambda *arguments: here("", *arguments)[:3]


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    """A small bag, one die of it twice."""
    path = tmp_path / "bag.txt"
    path.write_text("111666\n1 2 3 4 5 6\n222555\n\n333444\n144444\n333336\n123456\n")
    return path


class TestDiceSets:
    @pytest.mark.parametrize(("which", "count"), [("all", 462), ("fair", 32)])
    def test_the_dice_in_their_rank(self, which: str, count: int, run: Run) -> None:
        code, text, _ = run("dice-sets", "--set", which, "--csv")
        rows = list(csv.DictReader(io.StringIO(text)))
        assert code == 0
        assert len(rows) == len({row["die"] for row in rows}) == count
        assert [int(row["rank"]) for row in rows] == list(range(1, count + 1))
        wanted = {"".join(die) for die in combinations_with_replacement("123456", 6)}
        if which == "fair":
            wanted = {die for die in wanted if sum(map(int, die)) == 21}
        else:
            assert (rows[0]["die"], rows[-1]["die"]) == ("666666", "111111")
        assert {row["die"] for row in rows} == wanted
        for row in rows:
            assert Fraction(row["mean"]) == Fraction(sum(map(int, row["die"])), 6)

    def test_the_table_explains_itself_and_counts_what_it_contradicts(self, run: Run) -> None:
        code, text, _ = run("dice-sets", "--set", "fair")
        assert code == 0
        ranks = {die: int(rank) for rank, die in re.findall(r"(\d+)  (\d{6})  ", text)}
        assert len(ranks) == 32
        against = level = 0
        for a, b in product(ranks, ranks):
            wins = sum((x > y) - (x < y) for x, y in product(a, b))
            against += ranks[a] > ranks[b] and wins > 0
            level += ranks[a] > ranks[b] and wins == 0
        assert f"Of 496 pairs, {level} are level." in text
        assert f"contradicts {against} of the other {496 - level} " in text
        assert "respects dominance" in text

    def test_the_plain_list_is_a_dice_file(self, run: Run, tmp_path: Path) -> None:
        _, text, _ = run("dice-sets", "--plain")
        path = tmp_path / "fair.txt"
        path.write_text(text)
        assert len(text.split()) == 32
        _, one, _ = run("simulate", "fatestones", *SHORT, "--game", 5)
        _, other, _ = run("simulate", "fatestones", *SHORT, "--game", 5, "--dice", path)
        assert one == other


class TestSolve:
    def test_the_json_of_the_issue(self, run: Run) -> None:
        code, text, _ = run("solve", "fatestones", *HANDS, "--json")
        assert code == 0
        assert json.loads(text) == {
            "value": "185/288",
            "mine": {"134445": "0", "144444": "1", "234444": "0"},
            "theirs": {"233346": "1", "333336": "0", "333444": "0"},
        }

    def test_a_single_deal_needs_nothing_heavy(self) -> None:
        """Milliseconds: neither Numba nor NumPy nor Rich is imported for it."""
        code = (
            "import sys; from fairground.cli import main; "
            f"main(['solve', 'fatestones', '--mine', '{MINE}', '--theirs', '{THEIRS}']); "
            "print(sorted({'numba', 'numpy', 'rich', 'multiprocessing'} & set(sys.modules)))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[]"

    def test_all_deals_of_a_bag(self, run: Run, bag: Path, tmp_path: Path) -> None:
        out = tmp_path / "values.bin"
        code, text, _ = run("solve", "fatestones", "--all", "--dice", bag, "--out", out)
        assert code == 0
        assert "140 deals of 7 dice" in text
        assert f"The values are in {out} ({out.stat().st_size:,} bytes)." in text
        bars = re.findall(r"^ *(\d+)%  +(\d+)", text, re.MULTILINE)
        assert sum(int(count) for _, count in bars) == 140
        hands = ("111666", "123456", "333444"), ("222555", "144444", "123456")
        arguments = ["--mine", ",".join(hands[0]), "--theirs", ",".join(hands[1]), "--json"]
        exact = Fraction(json.loads(run("solve", "fatestones", *arguments)[1])["value"])
        dice, values = read_values(out)
        assert len(dice) == 7 and len(values) == 70
        near = pytest.approx(min(float(exact), 1 - float(exact)), abs=1e-12)
        assert near in [min(value, 1 - value) for value in values]
        assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []

    def test_all_deals_as_json_and_the_default_file(
        self, run: Run, bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        code, text, error = run("solve", "fatestones", "--all", "--dice", bag, "--json")
        found = json.loads(text)
        assert (code, error) == (0, "")
        assert (found["deals"], sum(found["histogram"])) == (140, 140)
        assert found["file"] == "fatestones-values.bin"
        assert (tmp_path / "fatestones-values.bin").exists()
        (tmp_path / "fatestones-values.bin").unlink()
        run("solve", "fatestones", "--all", "--dice", bag, "--no-out")
        assert not (tmp_path / "fatestones-values.bin").exists()

    def test_the_bar_moves_on_a_terminal(self, bag: Path) -> None:
        arguments = ["solve", "fatestones", "--all", "--no-out", "--dice", str(bag)]
        shown = on_a_terminal([], 80, 50, *arguments)
        assert "140/140" in shown
        assert "140 deals of 7 dice" in shown
        assert shown.endswith("exit 0")

    def test_a_bag_too_large_is_refused_before_the_work(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "many.txt"
        path.write_text("123456\n" * 54)
        code, _, error = run("solve", "fatestones", "--all", "--dice", path, "--no-out")
        assert code == 2
        assert "54 dice have" in error

    def test_decimals_and_bars(self) -> None:
        assert decimal(Fraction(2, 3), 12) == "0.666666666667"
        assert decimal(Fraction(1), 12) == "1.000000000000"
        counts = [0] * 101
        counts[49:52] = [1, 4, 1]
        assert histogram(counts, 80) == [
            f" 49%  1  {'#' * 15}",
            f" 50%  4  {'#' * 60}",
            f" 51%  1  {'#' * 15}",
        ]
        assert max(map(len, histogram(counts, 30))) <= 30


class TestEpisode:
    def test_the_seeds_sample_episode(self, run: Run) -> None:
        ones = ",".join(["111111"] * 3)
        _, text, _ = run("episode", "--mine", ones, "--theirs", ones, "--players", "random,random",
                         "--seed", "s", "--json")  # fmt: skip
        row = json.loads(text)["row"]
        assert re.fullmatch(rf"{ones},{ones},[012],[012],1,1", row)

    def test_without_a_seed_one_is_made_up_and_told(self, run: Run) -> None:
        _, text, _ = run("episode", *HANDS)
        again = text.splitlines()[-1].removeprefix("Again: fairground ").split()
        assert run(*again)[1].splitlines() == text.splitlines()[:-1]
        assert run("episode", *HANDS, "--json")[1] != run("episode", *HANDS, "--json")[1]


SHORT = ["--players", "mcts:5,random", "--seed", "s"]


class TestSimulate:
    def test_rows_are_reproducible_and_each_game_is_a_transcript(
        self, run: Run, tmp_path: Path
    ) -> None:
        out = tmp_path / "episodes.csv"
        arguments = ["simulate", "fatestones", *SHORT]
        code, text, error = run(*arguments, "--games", 30, "--out", out)
        rows = out.read_text().splitlines()
        assert (code, error) == (0, "")
        assert text.startswith(f"30 games, {len(rows)} rows in {out}\n")
        assert all(len(row.split(",")) == 10 for row in rows)
        by_game: list[str] = []
        for number in range(30):
            record = tmp_path / f"{number}.jsonl"
            code, printed, _ = run(*arguments, "--game", number, "--transcript", record)
            assert code == 0
            assert rounds_of(record) == printed.splitlines()
            by_game += printed.splitlines()
        assert by_game == rows
        assert any(row.split(",")[1] == "" for row in rows), "some game had a third round"
        code, text, _ = run("verify", tmp_path / "3.jsonl")
        assert code == 0
        assert "3.jsonl is valid." in " ".join(text.split())

    def test_without_a_seed_the_command_that_repeats_it_is_told(
        self, run: Run, tmp_path: Path
    ) -> None:
        out = tmp_path / "a file.csv"
        _, text, _ = run("simulate", "fatestones", "--games", 5, "--players", "optimal,random",
                         "--out", out)  # fmt: skip
        rows = out.read_bytes()
        again = re.findall(r"To make them again: (.*)", text)[0]
        out.unlink()
        done = subprocess.run(
            ["bash", "-c", again.replace("fairground", f"'{sys.executable}' -m fairground", 1)],
            capture_output=True,
            check=True,
        )
        assert b"5 games" in done.stdout
        assert out.read_bytes() == rows

    def test_ctrl_c_on_a_terminal_stops_the_workers_quietly(self, tmp_path: Path) -> None:
        """Real processes, stopped in the middle; then the same command finishes the work."""
        out = tmp_path / "out.csv"
        arguments = ["simulate", "fatestones", "--games", "400", "--jobs", "2", "--seed", "s"]
        arguments += ["--out", str(out), "--players"]
        # One game tells how long they take; then the workers play.
        shown = on_a_terminal([("1/400", "\x03")], 100, 50, *arguments, "mcts:9000,random")
        assert shown.endswith("exit 130")
        assert "Interrupted." in shown
        assert "Traceback" not in shown
        assert not out.exists()
        (tmp_path / "out.csv.journal").unlink()
        shown = on_a_terminal([], 100, 50, *arguments, "optimal,random")
        assert "400/400" in shown
        assert re.search(r"400 games, \d+ rows in ", shown)
        assert shown.endswith("exit 0")
        first = schema_of(OPTIMAL).of(0, list(states_of(OPTIMAL, 0)))
        assert out.read_text().splitlines()[0] == first[0]

    def test_a_transcript_that_cannot_be_written(self, run: Run) -> None:
        code, _, error = run("simulate", "fatestones", *SHORT, "--game", 1, "--transcript",
                             "/nowhere/at/all.jsonl")  # fmt: skip
        assert code == 2
        assert "cannot write '/nowhere/at/all.jsonl'" in error


OPTIMAL = plan_of(FateStones(scratch="end"), ("optimal", "random"), "s", 400)


def rounds_of(record: Path) -> list[str]:
    """The rows of a transcript, once it verifies: the game moved on by what is recorded."""
    data = record.read_bytes()
    verdict = verify(data)
    assert verdict.ok
    assert (verdict.game, verdict.dealer) == ("fatestones/1", "seeded/1")
    lines = read(data)
    game = replay(data).game
    assert isinstance(game, FateStones)
    state, rows, moves = game.start(), [], {}
    for line in lines:
        event = json.loads(line)
        if event["kind"] == "open":
            moves[event["seat"]] = event["move"]
            if len(moves) == 2:
                state, moves = game.played(state, moves), {}
        for _, value in event["draws"] if event["kind"] == "dealt" else ():
            before = state.last
            state = game.drawn(state, value)
            if state.last is not None and state.last is not before:
                rows.append(row_of(state.last))
    return rows


class TestEpisodes:
    @pytest.mark.campaign
    def test_the_original_log(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "log.txt"
        path.write_bytes(lzma.decompress(LOG.read_bytes()))
        code, text, error = run("episodes", path, "--json")
        assert (code, error) == (0, "")
        found = json.loads(text)
        assert list(found) == [
            "rows", "wins", "losses", "ties", "games", "scratches", "illegal",
            "loss_player1", "loss_player2",
        ]  # fmt: skip
        assert [found[key] for key in list(found)[:7]] == [
            11_977, 4_913, 5_031, 2_033, 10_000, 56, [],
        ]  # fmt: skip
        assert Fraction(found["loss_player2"]["worst"]) == Fraction(59, 288)

    def test_the_sample_row_of_the_source_document(self, run: Run, tmp_path: Path) -> None:
        path, dice = tmp_path / "sample.md", tmp_path / "ones.txt"
        path.write_text(SAMPLE)
        dice.write_text("111111\n" * 6)
        for words in ([], ["--set", "all"], ["--dice", dice]):
            code, text, _ = run("episodes", path, *words)
            assert code == 0
            assert re.search(r"^rows +1$", text, re.MULTILINE)
            assert re.search(r"^ties +1$", text, re.MULTILINE)
            assert re.search(r"^illegal +0$", text, re.MULTILINE)
            assert "Illegal rows" not in text
        code, text, _ = run("episodes", path, "--set", "fair")
        assert code == 1
        assert "line 1: 111111 is used 6 times but is not in this set of dice" in text
        assert re.search(r"^ties +0$", text, re.MULTILINE)
        code, _, error = run("episodes", path, "--set", "fair", "--dice", dice)
        assert (code, "exclude each other" in error) == (2, True)

    @pytest.mark.parametrize(
        ("data", "said"),
        [(None, "cannot read"), (b"\xff\xfe\xff", "neither text nor Parquet")],
    )
    def test_files_that_cannot_be_read(
        self, data: bytes | None, said: str, run: Run, tmp_path: Path
    ) -> None:
        path = tmp_path / "what"
        if data is not None:
            path.write_bytes(data)
        code, text, error = run("episodes", path)
        assert (code, text) == (2, "")
        assert said in error


def test_a_kernel_at_fault_is_a_failed_check(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(*_: object) -> list[Round]:
        raise Fault("simulate/kernel", "kernel and rules disagree on game 3")

    monkeypatch.setattr(lab, "kernel_chunk", fault)
    code, _, error = run("simulate", "fatestones", "--players", "random,random", "--seed", "s",
                         "--games", 5, "--out", tmp_path / "a.csv")  # fmt: skip
    assert code == 1
    assert "disagree on game 3" in error
