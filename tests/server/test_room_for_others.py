"""Room for others: nobody can fill a contest, the memory, or an SQLite file."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from fairground.cli import main
from fairground.core import InputError
from fairground.server.app import make_app
from fairground.server.contests import service
from fairground.server.croupier.opened import ArenaCroupier, CroupierPlace
from fairground.server.gate import CLIENT, ClientLimits, Gate
from fairground.server.metrics import Metrics
from fairground.server.serve import GatedArena, Settings, alone
from fairground.server.state import steady, the_arena
from tests.helpers.arena import Process

CLASSIC = {"base": 6, "length": 4, "games": 1}


def gated(folder: Path) -> Any:
    return GatedArena(Settings(f"sqlite:///{folder}/arena.db", croupier=None))


def enter(client: Any, contest: str, team: str, **more: str) -> Any:
    body = {"team_name": team, "software_version": "1", **more}
    return client.post(f"{contest}/entry", json=body)


def test_one_client_cannot_fill_a_contest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_OF_ONE", 3)
    arena = gated(tmp_path)
    with TestClient(arena) as client:
        made = client.post("/newcontest", json=CLASSIC, follow_redirects=False)
        contest = made.headers["location"]
        answers = [enter(client, contest, f"Team {k}").status_code for k in range(5)]
        assert answers == [201, 201, 201, 429, 429]
        other = client.post("/newcontest", json=CLASSIC, follow_redirects=False)
        assert enter(client, other.headers["location"], "Team").status_code == 201

        async def from_elsewhere() -> None:
            CLIENT.set("192.0.2.7")
            name = contest.rpartition("/")[2]
            await the_arena(arena._app.state).contests.enter(name, "Bob", "1")

        with client.portal() as portal:
            portal.call(from_elsewhere)
        assert len(client.get(contest).json()["teams"]) == 4


def test_what_one_client_has_entered_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It made a hundred contests, the first was let go from memory, and there was room again."""
    monkeypatch.setattr(service, "MOST_OF_ONE", 3)
    monkeypatch.setattr(service, "CAPACITY", 1)
    with TestClient(gated(tmp_path)) as client:
        contest = client.post("/contests", json=CLASSIC).json()["self"]
        key = enter(client, contest, "Ada").json()["team_key"]
        for _ in range(3):
            assert enter(client, contest, "Ada", team_key=key).status_code == 201, "all are one"
        assert [enter(client, contest, f"{k}").status_code for k in "xyz"] == [201, 201, 429]
        client.post("/contests", json=CLASSIC)
        assert enter(client, contest, "z").status_code == 429
    with TestClient(gated(tmp_path)) as client:
        assert enter(client, contest, "z").status_code == 429, "nor by a restart"


def test_one_client_has_only_so_many_open_contests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """30,000 were made in 27 seconds; nobody needs them, and everybody's list has them."""
    monkeypatch.setattr(service, "MOST_OPEN_OF_ONE", 3)
    clock = [1_000_000.0]
    app: Any = make_app(f"sqlite:///{tmp_path}/arena.db", clock=lambda: clock[0])
    gated: Any = Gate(app, ClientLimits(), Metrics())
    with TestClient(gated) as client:
        made = [
            client.post("/contests", json=CLASSIC | {"closes_in": 60 + k}).json() for k in range(3)
        ]
        refused = client.post("/contests", json=CLASSIC)
        assert (refused.status_code, refused.json()["code"]) == (429, "arena/limit")
        assert "3 open contests" in refused.json()["detail"]
        assert client.post(made[2]["close"]).status_code == 200
        assert client.post("/contests", json=CLASSIC).status_code == 201
        assert client.post("/contests", json=CLASSIC).status_code == 429
        clock[0] += 61  # nobody looks at those whose time is over
        assert [client.post("/contests", json=CLASSIC).status_code for _ in range(3)] == [
            *(201, 201),
            429,
        ]
        assert client.get("/healthz").json()["contests"] == 6
        assert "fairground_contests 6.0\n" in client.get("/metrics").text


def test_a_contest_by_invitation(tmp_path: Path) -> None:
    wanted = CLASSIC | {"entry_key": "open sesame"}
    with TestClient(gated(tmp_path)) as client:
        made = client.post("/newcontest", json=wanted, follow_redirects=False)
        contest = made.headers["location"]
        for key in ({}, {"entry_key": "open"}, {"entry_key": ""}):
            refused = enter(client, contest, "Ada", **key)
            assert (refused.status_code, refused.json()["code"]) == (403, "arena/forbidden")
        assert enter(client, contest, "Ada", entry_key="open sesame").status_code == 201
        assert "sesame" not in client.get(contest).text
        several = [wanted, CLASSIC | {"entry_key": "another"}]
        assert client.post("/newcontest", json=several).status_code == 422
    with TestClient(gated(tmp_path)) as client:
        assert enter(client, contest, "Bob").status_code == 403, "after a restart, too"
        assert enter(client, contest, "Bob", entry_key="open sesame").status_code == 201


def test_contests_that_nobody_looks_at_are_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "CAPACITY", 5)
    arena = gated(tmp_path)
    with TestClient(arena) as client:
        for _ in range(20):
            client.post("/newcontest", json=CLASSIC, follow_redirects=False)
        state = the_arena(arena._app.state)
        assert len(state.contests._books) == 5
        for number in range(20):
            assert client.get(f"/contest/nobody{number}/file").status_code == 404
        assert len(state.contest_games._filing) == 0


def test_two_arenas_do_not_share_an_sqlite_file(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/arena.db"
    with Process(tmp_path, "--database", database, "--no-croupier") as first:
        second = Process(tmp_path, "--database", database, "--no-croupier")
        assert second.process.wait(60) == 2 and not second.url
        assert "another arena uses the database" in second.errors
        second.__exit__()
        assert first.end() == 0
    with Process(tmp_path, "--database", database, "--no-croupier") as third:
        assert third.end() == 0


def test_nor_under_two_names_of_it(tmp_path: Path) -> None:
    """By a hard link SQLite itself would not notice, and each would have a journal of its own."""
    file, link, other = (tmp_path / name for name in ("arena.db", "link.db", "other.db"))
    with alone(f"sqlite:///{file}"):
        link.symlink_to(file)
        with pytest.raises(InputError, match="another arena uses"), alone(f"sqlite:///{link}"):
            pytest.fail("it began")
    with alone(f"sqlite:///{link}"):
        pass
    os.link(file, other)
    for name in (file, other):
        with pytest.raises(InputError, match="hard link"), alone(f"sqlite:///{name}"):
            pytest.fail("it began")


def test_a_backup_of_an_arena_that_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`cp` of the file alone gave a database without a single oracle: all was in the journal."""
    database, copy = f"sqlite:///{tmp_path}/arena.db", tmp_path / "copy.db"
    wide = {"base": 100, "length": 4}  # no guess is right by chance, which would end the game
    with TestClient(gated(tmp_path)) as client:
        oracles = [
            client.post("/neworacle", json=wide, follow_redirects=False).headers["location"]
            for _ in range(30)
        ]
        for oracle in oracles:
            assert client.post(oracle, json={"submission": [0, 1, 2, 3]}).status_code == 200
        assert main(["backup", str(copy), "--database", database]) == 0
        assert "30 logs, checked" in capsys.readouterr().out
        client.post(oracles[0], json={"submission": [5, 5, 5, 5]})
    assert copy.stat().st_mode & 0o077 == 0, "it holds secrets"
    restored: Any = GatedArena(Settings(f"sqlite:///{copy}", croupier=None))
    with TestClient(restored) as client:
        for oracle in oracles:
            assert client.get(oracle).json()["attempts"] == 1
        assert client.post(oracles[0], json={"submission": [1, 1, 1, 1]}).status_code == 200


def test_a_backup_ends_however_much_is_written(tmp_path: Path) -> None:
    """It began anew whenever something had been written: 250 MB were never done."""
    path, done = tmp_path / "arena #1?.db", threading.Event()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE TABLE logs (name TEXT)")
        db.execute("CREATE TABLE filler (x BLOB)")
        db.executemany("INSERT INTO filler VALUES (zeroblob(4000))", [()] * 12_000)
        db.commit()

    def write() -> bool:
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA synchronous=OFF")
            for number in range(20_000):
                if done.is_set():
                    return True
                with db:
                    db.execute("INSERT INTO logs VALUES (?)", (number,))
        return False

    with ThreadPoolExecutor(1) as writer:
        written = writer.submit(write)
        copy = tmp_path / "copy.db"
        assert main(["backup", str(copy), "--database", f"sqlite:///{path}"]) == 0
        done.set()
        assert written.result(60), "it ended only when nobody wrote any more"


@pytest.mark.parametrize(
    ("database", "word"),
    [
        ("postgresql://somewhere/arena", "pg_dump"),
        ("sqlite:///{folder}/nothing.db", "there is no database"),
        ("sqlite:///{folder}/text.db", "not a database"),
    ],
)
def test_what_cannot_be_copied(
    tmp_path: Path, database: str, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text.db").write_text("no database at all, " * 100)
    url = database.format(folder=tmp_path)
    assert main(["backup", str(tmp_path / "copy.db"), "--database", url]) == 2
    assert word in capsys.readouterr().err
    assert not (tmp_path / "copy.db").exists()


def test_a_backup_overwrites_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arena.db").touch(0o600)
    sqlite3.connect(tmp_path / "arena.db").close()
    (tmp_path / "copy.db").write_text("precious")
    where = ["--database", f"sqlite:///{tmp_path}/arena.db"]
    assert main(["backup", str(tmp_path / "copy.db"), *where]) == 2
    assert "File exists" in capsys.readouterr().err
    assert (tmp_path / "copy.db").read_text() == "precious"


def test_a_clock_that_jumps_moves_no_deadline_of_the_ledger() -> None:
    """Found by the campaign: a step was too late at once. (It sets real clocks: `clocks`.)"""
    clock = ArenaCroupier(CroupierPlace())._clock
    assert clock is not time.time
    assert abs(clock() - time.time()) < 60


def test_a_clock_that_jumps_does_not_move_the_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = steady(time.time)
    before, real = clock(), time.time
    monkeypatch.setattr(time, "time", lambda: real() + 3 * 3600)
    assert 0 <= clock() - before < 60
    assert abs(before - real()) < 60

    def turned() -> float:
        return 7.0

    assert steady(turned) is turned
