"""``fairground serve`` as a real process: started, killed, restarted, stopped."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid
from pathlib import Path
from typing import Any

import pytest

from fairground.arena.serve import GRACE, Settings, address_of, bind
from fairground.clients.http import BEING_SERVED, Http, Refused, Unreachable
from fairground.clients.lobby import sit_down, tables
from fairground.clients.table import open_table
from fairground.core import InputError
from fairground.terminal.commands.arena.serve import _without_password
from fairground.transcript import line_hash
from fairground.verify import verify
from tests.helpers.arena import DEADLINE, Process, play_all, workers_of
from tests.helpers.event_stream import connected, messages
from tests.helpers.postgres import throw_away_cluster
from tests.helpers.samples import SAMPLES

ZOMBIE = SAMPLES["zombie/1"][0].params
LONG = ZOMBIE | {"brains_to_win": 100, "max_turns": 0}
ONCE = Http(tries=1)


def duel(url: str, lends: str = "stir", params: Any = ZOMBIE, **more: Any) -> list[str]:
    """A table with two seats for others."""
    seats = [{"name": "Ada", "lends": lends}, {"name": "Bob", "lends": lends}]
    wanted = {"game": "zombie/1", "params": params, "seats": seats, **more}
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
            "game": "zombie/1",
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
    assert count.endswith(" 1000")
    assert 'fairground_open_games{kind="table"} 1' in text
    assert 'fairground_commit_seconds_bucket{le="+Inf"' in text
    assert seat.rpartition("/")[2] not in text


def test_two_workers_on_postgresql(tmp_path: Path) -> None:
    """Which worker answers is chance; whatever one of them wrote, the other one goes on with."""
    with (
        throw_away_cluster() as database,
        Process(tmp_path, "--workers", "2", "--database", database) as arena,
    ):
        urls = duel(arena.url, "chain", options={"length": 2})
        first, second = play_all(urls)
        told = {str(claim) for claim in first.verdict.claims}
        assert told >= {"UNIFORM:0", "UNIFORM:1", "UNFORESEEN:0", "UNFORESEEN:1", "ORDERED"}
        assert first.transcript == second.transcript
        _meet_and_watch(arena.url)
        _kill_a_worker(arena)
        stream = connection(arena.url)
        stream.request("GET", f"{duel(arena.url)[0].partition('/seats/')[0]}/events")
        answer = stream.getresponse()
        assert answer.readline() == b"id: 1\n"
        began = time.monotonic()
        assert arena.end() == 0
        assert b"id: 2\n" in answer.read(), "the stream ended properly"
        assert time.monotonic() - began < GRACE, "nobody was waited for in vain"
        stream.close()


def _kill_a_worker(arena: Process) -> None:
    """Whoever sends everything again until it is answered loses nothing, and nothing is double."""

    def say(method: str, path: str, body: Any = None) -> Any:
        headers = {"Idempotency-Key": uuid.uuid4().hex}
        heard: list[Any] = []
        until = time.monotonic() + DEADLINE
        while time.monotonic() < until:
            line = connection(arena.url)
            line.timeout = 10  # an answer that was lost with its worker is asked for again
            try:
                line.request(method, path, None if body is None else json.dumps(body), headers)
                answer = line.getresponse()
                told = answer.read()
            except (OSError, http.client.HTTPException) as error:
                heard.append(error)
                continue  # the worker that had this connection is dead
            finally:
                line.close()
            if answer.status == 303:
                return urllib.parse.urlsplit(answer.headers["Location"]).path
            if answer.status == 200:
                return told.decode() if path == "/metrics" else json.loads(told)
            heard.append(told)
            waits = answer.status == 503 or json.loads(told)["code"] == BEING_SERVED
            assert waits, f"{method} {path} is refused, and no use to repeat: {told!r}"
        raise AssertionError(f"{method} {path} has no answer in {DEADLINE} s: {heard[-3:]}")

    def counted() -> int:
        lines = re.findall(r"^fairground_requests_total.* (\d+)$", say("GET", "/metrics"), re.M)
        return sum(map(int, lines))

    before = workers_of(arena.process.pid)
    assert len(before) == 2
    wanted = {"base": 10, "length": 40}  # no guess is right by chance, which would end the game
    oracles = [say("POST", "/neworacle", wanted) for _ in range(4)]
    counts = [counted()]
    for number in range(8):
        if number == 4:
            os.kill(before[0], signal.SIGKILL)
        for oracle in oracles:
            say("POST", oracle, {"submission": [number] * 40})
            counts.append(counted())
    assert counts == sorted(set(counts)), "whichever worker is asked, and also when one dies"
    for oracle in oracles:
        assert say("GET", oracle)["attempts"] == 8
        say("DELETE", oracle)
    until = time.monotonic() + DEADLINE
    while len(workers_of(arena.process.pid)) < 2:
        assert time.monotonic() < until, "nobody takes the seat of the dead"
        counts.append(counted())
    assert set(workers_of(arena.process.pid)) != set(before), "it was replaced"


def _meet_and_watch(arena: str) -> None:
    """An open seat, the list and one stream; each request comes to any of the workers."""
    seats = [{"name": "Ada", "lends": "chain"}, {"open": True}]
    made = open_table(
        arena, {"game": "zombie/1", "params": {"players": 2}, "seats": seats, "listed": True}
    )
    name, http = made["self"].rpartition("/")[2], Http()
    ticket = arena + http.post(f"{arena}/events", {"topics": []})["stream"]
    with connected(ticket) as line:
        told = messages(line)
        http.send("POST", ticket, {"add": [f"table:{name}"]})
        for _ in range(8):
            assert [row["id"] for row in tables(arena)] == [name]
        (played, _) = play_all([made["seats"][0]["url"], sit_down(arena, name, "Bob")])
        lines = [next(told).data["text"] for _ in played.transcript.splitlines()]
    assert lines == played.transcript.decode().splitlines()


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--workers", "2"], "need one PostgreSQL"),
        (["--workers", "0"], "at least one worker"),
        (["--port", "70000"], "0 to 65535"),
        (["--port", "zero"], "--port"),
        (["--database", "mysql://x"], "mysql://x"),
        (["--database", "sqlite:////dev/null/arena.db"], "/dev/null"),
        (["--host", "203.0.113.1"], "cannot listen"),
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
