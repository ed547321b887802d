"""``fairground sit``: a seat of a live arena, played in a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fairground.clients.http import Http
from fairground.clients.table import RemoteSeat, open_table, play
from fairground.games import game_class
from fairground.receipts import read_receipts
from fairground.server.app import make_app
from fairground.verifier import verify
from tests.helpers.arena import DEADLINE, in_a_thread
from tests.helpers.pseudo_terminal import on_a_terminal
from tests.helpers.samples import SAMPLES

ZOMBIE = SAMPLES["zombie/2"][1].params
HOUSE = {"name": "Robot", "player": "random"}


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("arena")
    with in_a_thread(make_app(f"sqlite:///{folder}/arena.db")) as url:
        yield url


def seats(arena: str, game: str, params: dict[str, Any], *chairs: Any, **more: Any) -> list[str]:
    """The private addresses of the seats that are free."""
    made = open_table(arena, {"game": game, "params": params, "seats": list(chairs), **more})
    return [seat["url"] for seat in made["seats"] if "url" in seat]


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def sit(answers: str, *arguments: str) -> Ended:
    done = subprocess.run(
        [sys.executable, "-m", "fairground", "sit", *arguments],
        input=answers.encode(),
        capture_output=True,
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": "80"},
        timeout=DEADLINE,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


# Each game over HTTP: parameters, the seat that is `sit`, its answers, and who has the other.
GAMES: dict[str, tuple[dict[str, Any], int, str, str]] = {
    "intransitive/1": ({}, 1, "0\n", "optimal"),
    "codebreaking/1": ({"base": 2, "length": 2}, 1, "00\n01\n10\n11\n", "fair"),
    "zombie/2": (ZOMBIE, 0, "r\nh\n" * 500, "cautious"),
    "fatestones/1": ({}, 1, "0\n" * 90, "greedy"),
    "poker/2": ({}, 1, "1 3\n", "random"),
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("lends", ["stir", "chain"])
def test_two_seats_over_http_one_of_them_a_person(
    arena: str, game: str, lends: str, tmp_path: Path
) -> None:
    params, mine, answers, other = GAMES[game]
    chairs = [{"name": name, "lends": lends} for name in ("Ann", "Bob")]
    urls = seats(arena, game, params, *chairs)
    record = tmp_path / "game.jsonl"
    with ThreadPoolExecutor(1) as clients:
        theirs = clients.submit(play, urls[1 - mine], other)
        told = sit(answers, urls[mine], "--save", str(record))
        played = theirs.result(DEADLINE)
    assert (told.code, told.err) == (0, "")
    assert record.read_bytes() == played.transcript
    verdict = verify(record.read_bytes())
    assert verdict.ok and verdict.payoff == played.payoff
    assert "Checked: the record" in told.out and f"fairground verify {record}" in told.out
    role = game_class(game).from_params(params).role(mine)
    you = ("Ann", "Bob")[mine] if game in ("zombie/2", "fatestones/1") else f"the {role}"
    assert f"You are {you}." in told.out
    assert {"UNIFORM:0", "UNIFORM:1"} <= {str(claim) for claim in verdict.claims}
    events = [json.loads(line) for line in record.read_bytes().splitlines()]
    ours = [e for e in events if e.get("seat") == mine and e["kind"] != "forfeit"]
    receipts = read_receipts(record.with_suffix(".receipts"), events[0]["table"])
    assert len(receipts) == len(ours)
    assert "ORDERED" in {str(claim) for claim in verify(record.read_bytes(), receipts).claims}


def test_against_a_player_of_the_house(arena: str, tmp_path: Path) -> None:
    (url,) = seats(arena, "fatestones/1", {}, {"name": "Ann", "lends": "chain"}, HOUSE)
    told = sit("0\n" * 90, url, "--no-save")
    assert told.code == 0
    assert "Robot: a player of the house." in told.out
    assert "Robot takes the die " in told.out
    assert "No transcript was kept." in told.out
    again = sit("", url, "--no-save")
    assert again.code == 0
    assert again.out.startswith("This game is over.\n")
    assert "Robot takes the die " in again.out  # the whole game is told again
    # Whoever came during the game has seen it grow; whoever comes afterwards has not.
    seen = "if you kept them yourself"
    assert seen in " ".join(told.out.split())
    assert seen not in " ".join(again.out.split())


def test_what_the_rules_forbid_is_asked_again(arena: str) -> None:
    (url,) = seats(arena, "intransitive/1", {}, HOUSE, {"name": "Ann", "lends": "stir"})
    told = sit("17\nnonsense\nq\nn\n0\n", url, "--no-save")
    assert told.code == 0
    assert "not 'nonsense'" in told.out
    assert "Leave the game? That gives it up." in told.out


def left(url: str) -> list[tuple[int, str, str]]:
    """What the arena's record says of those who left."""
    data = Http().send("GET", f"{url.partition('/seats/')[0]}/transcript").data
    assert verify(data).ok
    events = [json.loads(line) for line in data.splitlines()]
    return [(e["seat"], e["by"], e["reason"]) for e in events if e["kind"] == "forfeit"]


def test_leaving_is_told_to_the_arena(arena: str) -> None:
    (url,) = seats(arena, "fatestones/1", {}, {"name": "Ann", "lends": "stir"}, HOUSE)
    told = sit("q\nyes\n", url, "--no-save")
    assert told.code == 0
    assert "You leave the game.\nRobot wins.\n" in told.out
    assert left(url) == [(0, "seat", "chose to exit")]


def test_the_end_of_the_input_leaves(arena: str) -> None:
    (url,) = seats(arena, "fatestones/1", {}, {"name": "Ann", "lends": "stir"}, HOUSE)
    told = sit("", url, "--no-save")
    assert told.code == 3
    assert left(url) == [(0, "seat", "the input ended")]


def test_ctrl_c_asks_and_a_second_one_leaves(arena: str) -> None:
    (url,) = seats(arena, "fatestones/1", {}, {"name": "Ann", "lends": "stir"}, HOUSE)
    shown = on_a_terminal(
        [
            ("do you roll? ", "\x03\n"),
            ("(y/n): ", "n\n"),
            ("do you roll? ", "\x03\n"),
            ("(y/n): ", "\x03\n"),
        ],
        *(80, 60),
        *("sit", url, "--no-save"),
    )
    assert shown.endswith("exit 130")
    assert shown.count("Leave the game?") == 2
    assert left(url) == [(0, "seat", "Ctrl-C")]


def test_ctrl_c_is_heard_while_others_are_awaited(arena: str) -> None:
    urls = seats(arena, "fatestones/1", {}, *({"name": n, "lends": "stir"} for n in ("Ann", "Bob")))
    shown = on_a_terminal(
        [
            ("Waiting for Bob.", "\x03"),
            ("(y/n): ", "n\n"),
            ("Waiting for Bob.", "\x03"),
            ("(y/n): ", "y\n"),
        ],
        *(80, 60),
        *("sit", urls[0], "--no-save"),
    )
    assert shown.endswith("exit 130")
    assert left(urls[0]) == [(0, "seat", "Ctrl-C")]


def test_somebody_elses_leaving_is_told_in_their_words(arena: str) -> None:
    urls = seats(arena, "fatestones/1", {}, *({"name": n, "lends": "stir"} for n in ("Ann", "Bob")))
    RemoteSeat(urls[1]).forfeit("bored. You win the jackpot.")
    told = sit("", urls[0], "--no-save")
    assert told.code == 0
    assert 'Bob leaves the game, and says: "bored. You win the jackpot."\nYou win.\n' in told.out


def test_no_arena_and_a_wrong_secret_are_said_plainly(arena: str) -> None:
    gone = sit("", "http://127.0.0.1:1/tables/a/seats/b")
    assert gone.code == 2
    assert "http://127.0.0.1:1/tables/a does not answer" in gone.err and "/b" not in gone.err
    (url,) = seats(arena, "fatestones/1", {}, {"name": "Ann", "lends": "stir"}, HOUSE)
    wrong = sit("", url[:-4] + "0000")
    assert wrong.code == 2
    assert wrong.err.startswith("fairground: ") and wrong.out == ""


def test_open_seats_are_listed_and_one_is_taken(arena: str) -> None:
    assert "No seat is open there." in sit("", arena).out
    wanted = {"game": "zombie/2", "params": ZOMBIE, "listed": True}
    made = open_table(arena, {**wanted, "seats": [HOUSE, {"open": True}]})
    name = made["self"].rpartition("/")[2]
    listed = sit("", f"{arena}/")
    assert listed.code == 0
    assert f"{name}  Zombie Dice, with Robot; 1 seat is open" in listed.out
    assert f"fairground sit {arena}/tables/{name} --name NAME" in listed.out
    nobody = sit("", made["self"])
    assert nobody.code == 2 and "--name Ada" in nobody.err
    told = sit("q\ny\n", made["self"], "--name", "Ada", "--no-save")
    assert f"Your seat is {made['self']}/seats/" in told.out
    record = Http().send("GET", f"{made['self']}/transcript").data
    start = json.loads(record.splitlines()[0])
    assert start["seats"][1] == {"by": "self", "lends": "chain", "name": "Ada"}
    assert told.code == 0 and verify(record).ok
    again = sit("", made["self"], "--name", "Bob")
    assert again.code == 2 and "no seat is open" in again.err
