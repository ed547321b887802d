"""``fairground coach``: one game, many games, charts and pages."""

from __future__ import annotations

import io
import json
import re
import statistics
import sys
from fractions import Fraction
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema_rs
import pytest

import fairground as fg
from fairground import schemas
from fairground.cli import main
from fairground.coach.review import odds_of, review_of
from fairground.core import Game, Move, Seat
from fairground.fair.bits import SeededStream
from fairground.games import make_game
from fairground.games.codebreaking.rules import GIVE_UP
from fairground.players import Player
from tests.helpers.coached import followed
from tests.helpers.places import ROOT

DICE = make_game("intransitive/1", {})


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["coach", *arguments]) == 0
    return capsys.readouterr().out


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    path.write_bytes(followed(DICE, 3, errs=[1])[0])
    return path


def test_a_blunder_is_told_with_its_cost_and_its_reason(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = " ".join(told(capsys, str(game), "--seat", "Seat 1").split())
    (moment,) = review_of(game.read_bytes()).moments()
    assert f"That cost {float(100 * moment.cost):.3g} wins in 100 games" in text
    assert "is higher than" in text or "strongest reply" in text
    assert "expected at the start 50.0" in text


class GivesUp(Player):
    """Asks once, and then no more."""

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        return GIVE_UP if view.rows else (0, 0, 1, 1)


@pytest.mark.parametrize("oracle", ["fair", "evil"])
def test_giving_up_costs_the_game_and_no_number_of_guesses(
    oracle: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = fg.open("codebreaking", oracle=oracle, seats=[oracle, GivesUp()], seed="2")
    path = tmp_path / "game.jsonl"
    path.write_bytes(bytes(table.play()))
    files = tmp_path / "game.svg", tmp_path / "game.html"
    shown = [f"--{file.suffix[1:]}={file}" for file in files]
    texts = [told(capsys, str(path), "--all", *shown), *(file.read_text() for file in files)]
    for text in texts:
        words = re.sub(r"<style>.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL)
        assert not re.search(r"\d{6}|\d,\d{3},\d{3}", words)
    assert "That cost the game. Better: " in " ".join(texts[0].split())
    assert re.search(r"the result +not found", texts[0])


def test_the_parts_in_the_json_add_up_for_a_program_that_shares_no_code(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    review = json.loads(told(capsys, str(game), "--json"))
    jsonschema_rs.validate(schemas.load("review"), review)
    for seat in review["seats"]:
        parts = {key: Fraction(seat[key]["exact"]) for key in ("start", "luck", "given", "model")}
        total = sum(parts.values()) - Fraction(seat["cost"]["exact"])
        assert total == Fraction(seat["result"]["exact"])
        luck = sum(
            Fraction(step["change"][seat["seat"]]["exact"])
            for step in review["steps"]
            if step["kind"] in ("draw", "answer", "meeting")
        )
        assert luck == parts["luck"]


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def test_charts_and_pages_are_well_formed_and_cannot_be_written_by_a_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = fg.open(
        "fatestones",
        seats=["optimal", "random"],
        names=["<b>Bob", "A & 'Z'"],
        seed="1",
        save=tmp_path / "g.jsonl",
    )
    table.play()
    svg, html = tmp_path / "g.svg", tmp_path / "g.html"
    told(capsys, str(tmp_path / "g.jsonl"), "--svg", str(svg), "--html", str(html))
    root = ElementTree.fromstring(svg.read_text())
    assert root.tag.endswith("svg") and root.attrib["role"] == "img"
    page = html.read_text()
    assert "<b>" not in page and "&lt;b&gt;Bob" in page
    reader = Reader()
    reader.feed(page)
    assert "script" not in reader.tags and reader.tags.count("svg") == 2


def test_many_games_make_a_rating(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files, costs = [], []
    for seed in range(8):
        data, review = followed(DICE, seed, errs=[1] if seed % 2 else [])
        path = tmp_path / f"{seed}.jsonl"
        path.write_bytes(data)
        files.append(str(path))
        costs.append(float(review.seats[1].cost))
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b'{"kind":"start"}\n')
    rated = json.loads(told(capsys, *files, str(broken), "--json"))
    (one,) = [r for r in rated["ratings"] if r["name"] == "Seat 1"]
    assert one["games"] == 8
    assert one["cost"] == pytest.approx(statistics.mean(costs))
    half = 2.364624 * statistics.stdev(costs) / 8**0.5
    assert one["high"] == pytest.approx(statistics.mean(costs) + half)
    (skipped,) = rated["skipped"]
    assert skipped["file"] == str(broken)
    assert "1 game not judged" in told(capsys, *files, str(broken))


def test_a_contest_file_is_read_game_by_game(capsys: pytest.CaptureFixture[str]) -> None:
    path = ROOT / "tests/vectors/games/contest.jsonl"
    rated = json.loads(told(capsys, str(path), "--json"))
    assert {rating["title"] for rating in rated["ratings"]} == {"Code breaking"}
    assert sum(rating["games"] for rating in rated["ratings"]) > 5


def test_a_file_of_rounds_is_rated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text(
        "134445,144444,234444,233346,333336,333444,0,0,5,3\n"
        "134445,144444,234444,233346,333336,333444,2,1,2,3\n"
    )
    rated = json.loads(told(capsys, str(path), "--json"))
    assert [rating["games"] for rating in rated["ratings"]] == [2, 2]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "give files"),
        (["nowhere.jsonl"], "cannot read"),
        (["{game}", "--seat", "Zoe"], "nobody at this table is called 'Zoe'"),
        (["{game}", "{game}", "--svg", "x.svg"], "of one transcript"),
    ],
)
def test_errors_say_what_is_wrong(
    arguments: list[str], says: str, game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["coach", *(word.format(game=game) for word in arguments)]) == 2
    assert says in capsys.readouterr().err


def test_a_failure_is_one_json_object_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coach", "nowhere.jsonl", "--json"]) == 2
    out, err = capsys.readouterr()
    assert json.loads(out)["fault"]["code"] == "input/unreadable" and "cannot read" in err


def test_of_many_games_nobody_of_that_name_is_an_error(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["coach", str(game), str(game), "--seat", "Zoe"]) == 2
    assert "nobody in these games is called 'Zoe'; there are: Seat 0" in capsys.readouterr().err


def test_what_is_no_record_is_skipped_among_many(
    game: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b"{\xff")
    assert "1 game not judged" in told(capsys, str(game), str(broken))
    assert main(["coach", str(broken), str(broken)]) == 2
    assert "2 games not judged" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["contest", "rounds"])
def test_many_games_are_read_from_standard_input(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = b"134445,144444,234444,233346,333336,333444,0,0,5,3\n"
    contest = (ROOT / "tests/vectors/games/contest.jsonl").read_bytes()
    data = io.BytesIO({"contest": contest, "rounds": row}[kind])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(data))
    assert json.loads(told(capsys, "-", "--json"))["ratings"]


def test_a_forged_record_is_not_reviewed(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game.write_bytes(game.read_bytes().replace(b'"move":', b'"move": ', 1))
    assert main(["coach", str(game)]) == 1
    assert "line" in capsys.readouterr().err


def test_the_odds_of_luck_are_those_of_all_games() -> None:
    """Against every combination of outcomes, listed."""
    stream = SeededStream("coach luck", 1)
    for _ in range(10):
        spreads = []
        for _ in range(3):
            values = [Fraction(stream.below(20), 7) for _ in range(2 + stream.below(3))]
            spreads.append([(value, Fraction(1, len(values))) for value in values])
        means = [sum(v * c for v, c in spread) for spread in spreads]
        totals = []
        for ends in product(*spreads):
            luck = sum(v - m for (v, _), m in zip(ends, means, strict=True))
            chance = Fraction(1)
            for _, c in ends:
                chance *= c
            totals.append((luck, chance))
        for luck, _ in totals[::5]:
            good = luck >= 0
            wanted = sum(c for t, c in totals if (t >= luck if good else t <= luck))
            exact = odds_of(spreads, Fraction(luck))
            assert exact is not None and exact.low == exact.high == wanted
            rough = odds_of(spreads, Fraction(luck), exact=False)
            assert rough is not None and rough.low <= wanted <= rough.high
