"""Last night's copy, restored: what was open in it is ended, and no secret decides twice."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from fairground.cli import main
from fairground.contest.file import check
from fairground.core import InputError
from fairground.server.app import make_app
from fairground.server.serve import alone, stop_what_was_open
from fairground.store.sqlite import mark_of
from fairground.verifier import verify
from tests.helpers.postgres import throw_away_cluster
from tests.server.test_contests import a_database

Client = TestClient[Litestar]
FAIR = {"base": 4, "length": 3, "games": 2}
TABLE = {
    "game": "intransitive/1",
    "params": {"dice": ["2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"]},
    "seats": [{"name": "Bot", "player": "random"}, {"name": "Ada", "lends": "number"}],
    "dealer": "hmac-sha3-user/1",
}


def made(client: Client, path: str, body: Any) -> str:
    answer = client.post(path, json=body, follow_redirects=False)
    assert answer.status_code in (201, 303), answer.text
    return str(answer.headers["location"])


def with_open_games(client: Client) -> dict[str, str]:
    """An oracle, a table and a contest that somebody is in the middle of, and one that is over."""
    contest = made(client, "/newcontest", FAIR)
    entry = {"team_name": "Ada", "software_version": "1"}
    games = client.post(f"{contest}/entry", json=entry).json()["oracle_URIs"]
    client.post(games[0], json={"submission": [0, 1, 2]})
    wide = {"base": 100, "length": 4}  # no guess is right by chance, which would end the game
    oracle, over = (made(client, "/neworacle", wide) for _ in range(2))
    client.post(oracle, json={"submission": [0, 0, 1, 1]})
    client.delete(over)
    opened = client.post("/tables", json=TABLE).json()
    return {
        "oracle": oracle,
        "over": over,
        "table": opened["self"],
        "seat": opened["seats"][1]["url"],
        "contest": contest,
        "game": games[0],
    }


def is_stopped(client: Client, at: dict[str, str], before: dict[str, bytes]) -> None:
    """Nobody gets an answer or a secret out of what was open; what was over is as it was."""
    guess = {"submission": [0, 0, 1, 1]}
    for answer in (client.post(at["oracle"], json=guess), client.delete(at["oracle"])):
        assert answer.status_code == 409, answer.text
        assert "restored from a copy" in answer.json()["detail"]
    seen = client.get(at["oracle"]).json()
    assert (seen["over"], seen["attempts"]) == (True, 1)
    assert "restored" in seen["trouble"]
    assert "reveal" not in seen
    assert client.get(f"{at['oracle']}/transcript").content == before["oracle"]
    fault = verify(before["oracle"]).fault
    assert fault is not None
    assert fault.code == "transcript/unfinished"
    seat = client.get(at["seat"]).json()
    assert seat["asks"] == []
    assert "restored" in seat["void"]
    assert client.get(f"{at['table']}/transcript").content == before["table"]
    answer = client.post(f"{at['seat']}/forfeit", json={})
    assert answer.status_code == 409, answer.text
    assert client.get(at["over"]).json()["reveal"]["code"]
    assert client.get(at["contest"]).json()["state"] == "closed"
    assert client.post(at["game"], json={"submission": [0, 1, 2]}).status_code == 409
    data = client.get(f"{at['contest']}/file").content
    assert check(data).ok
    assert b'"by":"restore"' in data


def transcripts(client: Client, at: dict[str, str]) -> dict[str, bytes]:
    return {one: client.get(f"{at[one]}/transcript").content for one in ("oracle", "table")}


def test_what_was_open_in_a_copy_is_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The findings' case: the contest was closed, and its codes told, after the copy was made."""
    arena, copy = f"sqlite:///{tmp_path}/arena.db", tmp_path / "copy.db"
    with TestClient(make_app(arena)) as client:
        at = with_open_games(client)
        before = transcripts(client, at)
        assert main(["backup", str(copy), "--database", arena]) == 0
        client.delete(at["oracle"])
        assert client.get(at["oracle"]).json()["reveal"]["code"], "told, after the copy"
    again = f"sqlite:///{tmp_path}/again.db"
    assert main(["restore", str(copy), "--database", again]) == 0
    assert "1 oracles and 1 tables" in capsys.readouterr().out
    with TestClient(make_app(again)) as client:
        is_stopped(client, at, before)
    assert main(["restore", "--database", again]) == 0, "once more is harmless"
    assert "0 oracles and 0 tables" in capsys.readouterr().out


def test_the_same_on_postgresql() -> None:
    with throw_away_cluster() as cluster, a_database(cluster) as url:
        with TestClient(make_app(url)) as client:
            at = with_open_games(client)
            before = transcripts(client, at)
        stopped = asyncio.run(stop_what_was_open(url))
        assert stopped == (1, 1, 1, 0, 0)
        with TestClient(make_app(url)) as client:
            is_stopped(client, at, before)


class TestAFileThatDidNotRunHereLast:
    """An arena that starts on it would not know what was told since."""

    def ran(self, path: Path) -> None:
        """An arena starts and stops on this file."""
        path.touch(0o600)
        with alone(f"sqlite:///{path}"):
            pass

    def test_a_copy_by_our_own_command(self, tmp_path: Path) -> None:
        arena, copy = tmp_path / "arena.db", tmp_path / "copy.db"
        with TestClient(make_app(f"sqlite:///{arena}")):
            assert main(["backup", str(copy), "--database", f"sqlite:///{arena}"]) == 0
        with pytest.raises(InputError, match="fairground restore --database"):
            self.ran(copy)
        assert main(["restore", "--database", f"sqlite:///{copy}"]) == 0
        self.ran(copy)

    def test_an_older_copy_by_hand_in_its_place(self, tmp_path: Path) -> None:
        arena, older = tmp_path / "arena.db", tmp_path / "older.db"
        self.ran(arena)
        shutil.copy(arena, older)
        self.ran(arena)
        self.ran(arena)
        shutil.copy(older, arena)
        with pytest.raises(InputError, match="not the database that ran here last"):
            self.ran(arena)
        assert main(["restore", "--database", f"sqlite:///{arena}"]) == 0
        self.ran(arena)

    def test_a_copy_that_was_put_in_its_place_while_it_ran(self, tmp_path: Path) -> None:
        """It has the same mark, but not what was written since."""
        arena, copy = tmp_path / "arena.db", tmp_path / "copy.db"
        with alone(f"sqlite:///{arena}"):
            shutil.copy(arena, copy)
            copy.replace(arena)
        with pytest.raises(InputError, match="not the database that ran here last"):
            self.ran(arena)

    def test_one_that_is_gone_is_not_begun_anew(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """An empty one was made in its place, and called an older copy."""
        arena, beside = tmp_path / "arena.db", tmp_path / "arena.db.lock"
        serve = ["serve", "--port", "0", "--database", f"sqlite:///{arena}"]
        self.ran(arena)
        arena.unlink()
        assert main(serve) == 2
        assert f"remove '{beside}' too" in capsys.readouterr().err
        assert not arena.exists()

    def test_a_crash_in_the_middle_of_a_new_mark_is_no_copy(self, tmp_path: Path) -> None:
        arena, beside = tmp_path / "arena.db", tmp_path / "arena.db.lock"
        self.ran(arena)
        for crashed in ("{mark} 77", "77 {mark}"):  # before and after it was in the file
            beside.write_text(crashed.format(mark=mark_of(str(arena))))
            self.ran(arena)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["nowhere.db", "--database", "sqlite:///{folder}/new.db"], "there is no file"),
        (["{folder}/a.db", "--database", "sqlite:///{folder}/a.db"], "there already"),
        (["{folder}/a.db", "--database", "postgresql://here/arena"], "pg_restore"),
        (["--database", "sqlite:///{folder}/none.db"], "there is no database"),
        (["{folder}/a.db", "--database", "sqlite:///{folder}/b/c.db"], "cannot copy"),
    ],
)
def test_what_cannot_be_restored(
    tmp_path: Path, arguments: list[str], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.db").write_bytes(b"")
    assert main(["restore", *(one.format(folder=tmp_path) for one in arguments)]) == 2
    assert word in capsys.readouterr().err
