"""``fairground serve`` as a real process: started, killed, restarted, stopped."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path
from typing import Any

import pytest

from fairground.clients.http import Http, Refused, Unreachable
from fairground.clients.table import open_table, sit_down, tables
from fairground.commands.serve import _without_password
from fairground.core import InputError
from fairground.server.serve import GRACE, Settings, address_of, bind
from fairground.transcript import line_hash
from fairground.verifier import verify
from tests.helpers.arena import Process, play_all
from tests.helpers.event_stream import connected, messages
from tests.helpers.postgres import throw_away_cluster
from tests.helpers.samples import SAMPLES

ZOMBIE = SAMPLES["zombie/2"][1].params
LONG = ZOMBIE | {"brains_to_win": 100, "max_turns": 0}
ONCE = Http(tries=1)


def duel(url: str, lends: str = "stir", params: Any = ZOMBIE, **more: Any) -> list[str]:
    """A table with two seats for others."""
    seats = [{"name": "Ada", "lends": lends}, {"name": "Bob", "lends": lends}]
    wanted = {"game": "zombie/2", "params": params, "seats": seats, **more}
    return [seat["url"] for seat in open_table(url, wanted)["seats"]]


def connection(url: str) -> http.client.HTTPConnection:
    place = urllib.parse.urlsplit(url)
    assert place.hostname is not None
    return http.client.HTTPConnection(place.hostname, place.port, timeout=60)


class Hammer(threading.Thread):
    """Answers at all tables as fast as it can, and remembers every acknowledgement."""

    def __init__(self, seats: list[str], enough: int) -> None:
        super().__init__(daemon=True)
        self._seats = seats
        self._enough = enough
        self.taken: list[tuple[str, Any, Any]] = []
        self.busy = threading.Event()

    def run(self) -> None:
        try:
            while True:
                for url in self._seats:
                    self.answer(url)
        except Unreachable:
            self.busy.set()

    def answer(self, url: str) -> bool:
        seen = ONCE.get(url)
        for ask in seen["asks"]:
            answer = "x" if ask["kind"] == "stir" else seen["moves"][0]
            body = {"ask": ask["id"], "answer": answer}
            self.taken.append((url, body, ONCE.post(url, body)))
            if len(self.taken) == self._enough:
                self.busy.set()
        return bool(seen["asks"])


def test_killed_in_the_middle_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/arena.db"
    with Process(tmp_path, "--database", database) as arena:
        bots = {"name": "Bot", "player": "random"}
        wanted = {
            "game": "zombie/2",
            "params": LONG,
            "seats": [{"name": "Ada", "lends": "stir"}, bots],
            "options": {"stir": "each"},
        }
        seats = [open_table(arena.url, wanted)["seats"][0]["url"] for _ in range(3)]
        hammers = [Hammer(seats[:2], 40), Hammer(seats[2:], 40)]
        for hammer in hammers:
            hammer.start()
        for hammer in hammers:
            assert hammer.busy.wait(60)
        assert arena.end(signal.SIGKILL) == -signal.SIGKILL
        for hammer in hammers:
            hammer.join(60)
            assert len(hammer.taken) >= 40
        old = arena.url
    with Process(tmp_path, "--database", database) as arena:
        for url, _, taken in (one for hammer in hammers for one in hammer.taken):
            here = url.replace(old, arena.url)
            lines = ONCE.send("GET", here.partition("/seats/")[0] + "/transcript").data.splitlines(
                True
            )
            assert line_hash(lines[taken["line"] - 1]) == taken["head"]
        last = hammers[0].taken[-1]
        assert ONCE.post(last[0].replace(old, arena.url), last[1]) == last[2], "said again"
        seats = [url.replace(old, arena.url) for url in seats]
        again = Hammer(seats, 10**9)
        for url in seats:
            assert again.answer(url), "the game goes on"
            ONCE.post(f"{url}/forfeit", {"reason": "enough"})
            verdict = verify(ONCE.send("GET", url.partition("/seats/")[0] + "/transcript").data)
            assert verdict.ok, verdict.fault
            assert "UNFORESEEN:0" in {str(claim) for claim in verdict.claims}
        assert arena.end() == 0


def test_sigterm_ends_streams_and_answers(tmp_path: Path) -> None:
    """Without --database: the file is in the data directory."""
    with Process(tmp_path, "--access-log", "--rate", "0") as arena:
        assert f"{arena.url}/healthz" in arena.printed
        assert ONCE.get(f"{arena.url}/healthz")["status"] == "ok"
        assert (tmp_path / "fairground" / "arena.db").exists()
        seat, _ = duel(arena.url)
        ONCE.get(seat)
        with pytest.raises(Refused):
            ONCE.get(f"{seat}-not")
        table = seat.partition("/seats/")[0]
        stream = connection(arena.url)
        stream.request("GET", f"{table}/events")
        answer = stream.getresponse()
        assert answer.readline() == b"id: 1\n"
        place = urllib.parse.urlsplit(arena.url).path
        contests = connection(arena.url)
        contests.request("POST", f"{place}/newcontest", '{"base": 6, "length": 4, "games": 1}')
        made = contests.getresponse()
        made.read()
        contests.request("GET", f"{made.headers['Location']}/events")
        watched = contests.getresponse()
        assert watched.readline().startswith(b"id: ")
        began = time.monotonic()
        assert arena.end() == 0
        assert b"id: 2\n" in answer.read(), "the stream ended properly"
        assert b"event: watch" in watched.read(), "and that of the contest"
        assert time.monotonic() - began < GRACE, "nobody was waited for in vain"
        stream.close()
        contests.close()
        secret = seat.rpartition("/")[2]
        assert secret not in arena.errors
        log = [json.loads(line) for line in arena.errors.splitlines() if line.startswith("{")]
        seen = {(one["method"], one["route"], one["status"]) for one in log}
        assert {
            ("GET", "/healthz", 200),
            ("POST", "/tables", 201),
            ("GET", "/tables/{name}/seats/{secret}", 200),
            ("GET", "/tables/{name}/seats/{secret}", 404),
            ("GET", "/tables/{name}/events", 200),
        } <= seen
        assert "Traceback" not in arena.errors


def test_limits_and_ctrl_c(tmp_path: Path) -> None:
    with Process(tmp_path, "--rate", "20", "--open-games", "1") as arena:
        first, _ = duel(arena.url)
        with pytest.raises(Refused, match="1 open games") as refused:
            duel(arena.url)
        assert (refused.value.status, refused.value.code) == (429, "arena/limit")
        ONCE.post(f"{first}/forfeit", {})
        second, _ = duel(arena.url)
        line = connection(arena.url)
        statuses = []
        for _ in range(60):
            line.request("GET", second)
            answer = line.getresponse()
            body = answer.read()
            statuses.append(answer.status)
            if answer.status == 429:
                assert answer.headers["Retry-After"] == "1"
                assert answer.headers["Content-Type"] == "application/problem+json"
                assert json.loads(body)["code"] == "arena/limit"
        line.close()
        assert 200 in statuses and 429 in statuses
        assert arena.end(signal.SIGINT) == 130
        assert "Ctrl-C" in arena.errors


def test_a_thousand_requests_pass_by_default_and_are_counted(tmp_path: Path) -> None:
    with Process(tmp_path) as arena:
        seat, _ = duel(arena.url)
        line = connection(arena.url)
        for _ in range(1000):
            line.request("GET", seat)
            answer = line.getresponse()
            answer.read()
            assert answer.status == 200
        line.request("GET", f"{arena.url}/metrics")
        answer = line.getresponse()
        assert answer.headers["Content-Type"].startswith("text/plain")
        text = answer.read().decode()
        line.close()
    pattern = 'method="GET",route="/tables/{name}/seats/{secret}",status="200"'
    (count,) = [one for one in text.splitlines() if pattern in one]
    assert count.endswith(" 1000.0")
    assert 'fairground_open_games{kind="table"} 1' in text
    assert 'fairground_commit_seconds_bucket{le="+Inf"' in text
    assert seat.rpartition("/")[2] not in text


def test_two_servers_on_one_postgresql(tmp_path: Path) -> None:
    """Each goes on with what the other wrote, also after one of them was killed."""
    with (
        throw_away_cluster() as database,
        Process(tmp_path, "--database", database) as one,
        Process(tmp_path, "--database", database) as two,
    ):
        urls = duel(one.url, "chain", options={"length": 2})
        first, second = play_all([urls[0], urls[1].replace(one.url, two.url)])
        assert {"UNIFORM:0", "UNIFORM:1", "ORDERED"} <= {str(one) for one in first.verdict.claims}
        assert first.transcript == second.transcript
        _meet_and_watch(one.url, two.url)
        http = Http()
        made = http.send("POST", f"{one.url}/neworacle", {"base": 10, "length": 40})
        oracle = urllib.parse.urlsplit(made.location()).path
        for number in range(6):
            http.post(f"{(one.url, two.url)[number % 2]}{oracle}", {"submission": [number] * 40})
        assert http.get(f"{two.url}{oracle}")["attempts"] == 6
        assert one.end(signal.SIGKILL) == -signal.SIGKILL
        http.post(f"{two.url}{oracle}", {"submission": [7] * 40})
        assert http.get(f"{two.url}{oracle}")["attempts"] == 7
        assert two.end() == 0
        assert '"level":"error"' not in two.errors


def _meet_and_watch(arena: str, other: str) -> None:
    """An open seat, the list and one stream, each asked of another server."""
    seats = [{"name": "Ada", "lends": "chain"}, {"open": True}]
    made = open_table(
        arena, {"game": "zombie/2", "params": {"players": 2}, "seats": seats, "listed": True}
    )
    name, http = made["self"].rpartition("/")[2], Http()
    ticket = arena + http.post(f"{arena}/events", {"topics": []})["stream"]
    with connected(ticket) as line:
        told = messages(line)
        http.send("POST", ticket, {"add": [f"table:{name}"]})
        assert [row["id"] for row in tables(other)] == [name]
        (played, _) = play_all([made["seats"][0]["url"], sit_down(other, name, "Bob")])
        lines = [next(told).data["text"] for _ in played.transcript.splitlines()]
    assert lines == played.transcript.decode().splitlines()


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--port", "70000"], "0 to 65535"),
        (["--port", "zero"], "--port"),
        (["--database", "mysql://x"], "mysql://x"),
        (["--database", "sqlite:////dev/null/arena.db"], "/dev/null"),
        (["--host", "203.0.113.1"], "add --behind-proxy"),
        (["--host", "203.0.113.1", "--behind-proxy"], "cannot listen"),
        (["--rate", "-1"], "0 for none"),
        (["--public-url", "arena.example"], "http://"),
    ],
)
def test_what_cannot_be_served(
    options: list[str], word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    from fairground.cli import main

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["serve", *options]) == 2
    told = capsys.readouterr()
    assert word in told.err and told.out == ""


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port}"):
            bind("127.0.0.1", port)
        assert address_of(taken) == f"http://127.0.0.1:{port}"


def test_passwords_are_not_printed() -> None:
    shown = _without_password("postgresql://ada:secret@host/name")
    assert shown == "postgresql://ada@host/name"
    assert _without_password("sqlite:///a.db") == "sqlite:///a.db"


def test_help_is_quick_and_complete() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fairground", "serve", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    for name in Settings.__struct_fields__:
        option = name.replace("_", "-")
        if name.startswith("allow_"):
            option = option.replace("factories", "factory").removesuffix("s")
        assert f"--{option}" in done.stdout
