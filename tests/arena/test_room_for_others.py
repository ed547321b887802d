"""Room for others: nobody can fill a contest, the memory, or an SQLite file."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from fairground.arena.contests import books
from fairground.arena.http.gate import CLIENT
from fairground.arena.serve import GatedArena, Settings
from fairground.arena.state import steady, the_arena
from fairground.cli import main
from tests.helpers.arena import Process

CLASSIC = {"base": 6, "length": 4, "games": 1}


def gated(folder: Path) -> Any:
    return GatedArena(Settings(f"sqlite:///{folder}/arena.db", croupier=None))


def enter(client: Any, contest: str, team: str, **more: str) -> Any:
    body = {"team_name": team, "software_version": "1", **more}
    return client.post(f"{contest}/entry", json=body)


def test_one_client_cannot_fill_a_contest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(books, "MOST_OF_ONE", 3)
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
    monkeypatch.setattr(books, "CAPACITY", 5)
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


def test_a_backup_of_an_arena_that_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`cp` of the file alone gave a database without a single oracle: all was in the journal."""
    database, copy = f"sqlite:///{tmp_path}/arena.db", tmp_path / "copy.db"
    with TestClient(gated(tmp_path)) as client:
        oracles = [
            client.post("/neworacle", json=CLASSIC, follow_redirects=False).headers["location"]
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
    sqlite3.connect(tmp_path / "arena.db").close()
    (tmp_path / "copy.db").write_text("precious")
    where = ["--database", f"sqlite:///{tmp_path}/arena.db"]
    assert main(["backup", str(tmp_path / "copy.db"), *where]) == 2
    assert "File exists" in capsys.readouterr().err
    assert (tmp_path / "copy.db").read_text() == "precious"


def test_a_clock_that_jumps_does_not_move_the_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = steady(time.time)
    before, real = clock(), time.time
    monkeypatch.setattr(time, "time", lambda: real() + 3 * 3600)
    assert 0 <= clock() - before < 60
    assert abs(before - real()) < 60

    def turned() -> float:
        return 7.0

    assert steady(turned) is turned
