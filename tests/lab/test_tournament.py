"""Tournaments: honest ranks, resumable, with bots in processes and over HTTP."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import combinations
from math import log10
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.core import InputError
from fairground.games import make_game
from fairground.lab import tournament
from fairground.lab.tournament import (
    Contender,
    Encounter,
    Rules,
    check,
    contenders,
    held,
    swiss_round,
    tabled,
)
from tests.helpers.places import ROOT

ZOMBIE = make_game("zombie/2", {})
BOT = ROOT / "examples" / "zombie_bot.py"


def rules(players: str, deals: int = 40, **more: Any) -> Rules:
    return Rules(ZOMBIE, tuple(contenders(players)), deals, "cup", **more)


def encounter(a: int, b: int, won: int, lost: int, number: int = 0) -> Encounter:
    return Encounter(number, a, b, 1, [2] * won + [0] * lost, [2] * won + [-2] * lost)


def test_the_strong_are_ranked_above_the_weak() -> None:
    table = tabled(plan := rules("a=cautious,b=greedy,c=cautious", 2000), held(plan))
    assert {row.player: row.rank for row in table.standings} == {1: 1, 0: 2, 2: 2}
    assert table.better == {(1, 0), (1, 2)}
    assert len(table.encounters) == 3


def test_equals_share_a_rank() -> None:
    table = tabled(plan := rules("a=greedy,b=greedy", 60), held(plan))
    assert [row.rank for row in table.standings] == [1, 1]
    assert all(row.shared for row in table.standings)
    assert table.not_separable == [(0, 1)]
    assert all(row.rating == (0.0, None, None) for row in table.standings), "every deal was split"


def test_ratings_are_elos_scale() -> None:
    plan = rules("a=greedy,b=greedy")
    table = tabled(plan, [encounter(0, 1, 750, 250)])
    gap = table.standings[0].rating.mean - table.standings[1].rating.mean
    assert gap == pytest.approx(400 * log10(3), abs=0.5)
    wide = table.standings[0].rating
    assert wide.high is not None
    # Half the gap's standard error: 400 / ln 10 / sqrt(n p (1 - p)) / 2.
    assert wide.high - wide.mean == pytest.approx(
        1.96 * 173.7 / (1000 * 0.1875) ** 0.5 / 2, rel=0.02
    )


def test_copies_of_a_player_tell_nothing_new() -> None:
    """They play the same deals: the interval of their opponent must not shrink."""
    halves = []
    for names in ("b=cautious", "b=cautious,c=cautious,d=cautious,e=cautious"):
        table = tabled(plan := rules(f"a=greedy,{names}", 200), held(plan))
        halves.append(table.standings[0].rating.half)
    # Above the average of two stands half of a gap, above that of five four fifths of it.
    assert halves[1] == pytest.approx(1.6 * halves[0], rel=1e-3)


def test_where_every_result_was_the_same_there_is_no_interval() -> None:
    table = tabled(plan := rules("a=greedy,b=greedy"), [encounter(0, 1, 5, 0)])
    assert all((row.rating.low, row.rating.high) == (None, None) for row in table.standings)
    assert not any("±" in line for line in tournament.in_words(table)) and plan.deals


def test_ranks_count_those_who_are_separably_better() -> None:
    plan = rules("a=greedy,b=greedy,c=greedy")
    met = [encounter(0, 1, 52, 48), encounter(0, 2, 90, 10), encounter(1, 2, 55, 45)]
    table = tabled(plan, met)
    assert table.better == {(0, 2)}
    assert {row.player: row.rank for row in table.standings} == {0: 1, 1: 1, 2: 2}


def test_a_swiss_tournament_pairs_like_with_like_and_nobody_twice() -> None:
    done: list[Encounter] = []
    for number in range(4):
        now = swiss_round(7, done)
        assert len(now) == 3 and len({player for pair in now for player in pair}) == 6
        # The lower number always wins.
        done += [encounter(min(p), max(p), 10, 0, number) for p in now]
    pairs = [frozenset((one.a, one.b)) for one in done]
    assert len(pairs) == len(set(pairs)) == 12
    resting = [set(range(7)) - {p for one in done[3 * k : 3 * k + 3] for p in (one.a, one.b)}
               for k in range(4)]  # fmt: skip
    assert len(set.union(*resting)) == 4, "nobody rests twice"
    points = dict.fromkeys(range(7), 0.0)
    for one in done:
        points[one.a] += one.score
    assert max(points, key=lambda player: points[player]) == 0


def test_an_interrupted_tournament_goes_on(tmp_path: Path, monkeypatch: Any) -> None:
    plan = rules("a=greedy,b=greedy,c=cautious", 6, rounds=None)
    whole = held(plan)
    journal = tmp_path / "journal.jsonl"
    met = tournament.Hall.met
    played: list[int] = []

    def interrupted(self: Any, number: int, a: int, b: int) -> Encounter:
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(a)
        return met(self, number, a, b)

    monkeypatch.setattr(tournament.Hall, "met", interrupted)
    with pytest.raises(KeyboardInterrupt):
        held(plan, journal)
    journal.write_text(journal.read_text() + '{"round": 0, "a"')  # torn by the crash
    played.clear()
    assert held(plan, journal) == whole
    assert len(played) == 1, "only what was missing is played"
    with pytest.raises(InputError, match="belongs to another tournament"):
        held(plan._replace(seed="other"), journal)


def test_bots_play_in_their_own_process_and_fail_alone(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("def choose(game, view, seat):\n    raise ValueError('oh')\n")
    table = tabled(plan := rules(f"greedy,{BOT},{broken}", 4), held(plan))
    by_name = {plan.players[row.player].name: row for row in table.standings}
    assert set(by_name) == {"greedy", "zombie_bot", "broken"}
    assert by_name["broken"].failures == 8
    assert by_name["zombie_bot"].failures == 0
    assert table.score(0, 2) == 1.0


class Holder(BaseHTTPRequestHandler):
    """A bot elsewhere: rolls once, and holds."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        move = "roll" if asked["view"]["rolls"] == 0 else "hold"
        body = json.dumps({"move": move}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def elsewhere() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Holder)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_bot_elsewhere_plays_over_http(elsewhere: str) -> None:
    table = tabled(plan := rules(f"greedy,Eve={elsewhere}", 3), held(plan))
    assert plan.players[1].kind == "web"
    assert table.encounters[0].failures == (0, 0)
    assert table.encounters[0].deals == 3


def test_one_seat_is_played_for(tmp_path: Path) -> None:
    game = make_game("codebreaking/1", {})
    plan = Rules(game, tuple(contenders("entropy,parts,minimax")), 3000, "s", seat=1)
    table = tabled(plan, held(plan))
    assert table.standings[-1].player == 2
    assert {(0, 2), (1, 2)} <= table.better
    with pytest.raises(InputError, match="--seat"):
        check(plan._replace(seat=None))


def test_the_command_writes_json_csv_and_a_page(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "cup"
    arguments = ["tournament", "zombie", "--players", "A=greedy,B=cautious,<i>=cautious"]
    arguments += ["--games", "60", "--seed", "7", "--out", str(out)]
    assert main([*arguments, "--plots"]) == 0
    told = capsys.readouterr().out
    assert "rank  player" in told and "Who beats whom" in told
    results = json.loads((out / "results.json").read_text())
    rows = list(csv.DictReader((out / "standings.csv").read_text().splitlines()))
    assert [row["player"] for row in rows] == [row["player"] for row in results["standings"]]
    cross = list(csv.reader((out / "cross.csv").read_text().splitlines()))
    for (i, _), (j, _) in combinations(enumerate(cross[0][1:]), 2):
        assert float(cross[i + 1][j + 1]) == pytest.approx(1 - float(cross[j + 1][i + 1]))
    page = (out / "index.html").read_text()
    assert page.count("<svg") == 2 and "&lt;i&gt;" in page and "<i>" not in page
    assert main([*arguments, "--json"]) == 0, "the same command finds everything done"
    assert json.loads(capsys.readouterr().out) == results


@pytest.mark.parametrize(
    ("players", "said"),
    [
        ("greedy", "at least two"),
        ("greedy,greedy", "is there twice"),
        ("greedy,,random", "is not understood"),
        ("greedy,nobody", "no player named 'nobody'"),
        ("greedy,Bob=none.py", "there is no bot in 'none.py'"),
    ],
)
def test_who_cannot_enter(players: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check(rules(players))


def test_names_and_kinds() -> None:
    assert contenders("mcts:200,bots/bob.py,Eve=https://x.example/") == [
        Contender("mcts:200", "mcts:200"),
        Contender("bob", "bots/bob.py"),
        Contender("Eve", "https://x.example/"),
    ]
