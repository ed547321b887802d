"""Oracles over HTTP: the source document's API, to the letter."""

from __future__ import annotations

import re

import pytest
from litestar.testing import TestClient

from fairground.games.codebreaking.rules import Row, fits, marks
from fairground.server.app import make_app
from fairground.verifier import verify
from tests.helpers.arena import PROVES, Client, problem

pytestmark = pytest.mark.usefixtures("patient")


def new(client: Client, oracle_type: str = "fair", base: int = 6, length: int = 4) -> str:
    body = {"base": base, "length": length, "oracle_type": oracle_type}
    made = client.post("/neworacle", json=body, follow_redirects=False)
    assert made.status_code == 303
    return str(made.headers["location"])


def claims(client: Client, uri: str) -> list[str]:
    verdict = verify(client.get(f"{uri}/transcript").content)
    assert verdict.ok, verdict.fault
    return [str(claim) for claim in verdict.claims]


@pytest.mark.parametrize("oracle_type", ["fair", "nice", "evil"])
def test_a_new_oracle_describes_itself(client: Client, oracle_type: str) -> None:
    uri = new(client, oracle_type)
    seen = client.get(uri).json()
    assert re.fullmatch(r"[0-9a-f]{64}", seen.pop("commitment"))
    assert seen == {
        "self": uri,
        "base": 6,
        "length": 4,
        "oracle_type": oracle_type,
        "type": oracle_type,
        "attempts": 0,
        "solved": False,
        "over": False,
    }
    assert uri.startswith("http")


@pytest.mark.parametrize("oracle_type", ["fair", "nice", "evil"])
def test_a_whole_game(client: Client, oracle_type: str) -> None:
    """Break the code with nothing but the answers, as any client would."""
    uri = new(client, oracle_type, base=3, length=3)
    codes = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]
    rows: list[Row] = []
    while True:
        guess = next(code for code in codes if fits(code, rows))
        verdict = client.post(uri, json={"submission": list(guess), "mood": "good"}).json()
        assert set(verdict) == {"full_match_count", "partial_match_count"}
        rows.append(Row(guess, (verdict["full_match_count"], verdict["partial_match_count"])))
        if verdict["full_match_count"] == 3:
            break
    seen = client.get(uri).json()
    assert seen["solved"] is True
    assert seen["attempts"] == len(rows)
    assert seen["seconds_until_solved"] >= 0
    assert seen["reveal"]["code"] == list(rows[-1].guess)
    assert ("key" in seen["reveal"]) == (oracle_type == "fair")
    assert seen["transcript"] == f"{uri}/transcript"
    assert claims(client, uri) == PROVES[oracle_type]
    if oracle_type == "nice":
        assert len(rows) == 1


def test_a_lent_share_earns_uniform(client: Client) -> None:
    uri = new(client)
    share = {"share": "5E" * 32}
    assert client.put(f"{uri}/share", json=share).status_code == 204
    assert client.put(f"{uri}/share", json=share).status_code == 204, "saying it again is harmless"
    problem(client.put(f"{uri}/share", json={"share": "ab" * 32}), 409, "arena/conflict")
    assert client.delete(uri).status_code == 200
    assert claims(client, uri) == ["COMMITTED", "UNIFORM:1", "UNFORESEEN:1"]


@pytest.mark.parametrize("oracle_type", ["fair", "nice", "evil"])
def test_a_share_comes_before_the_first_submission(client: Client, oracle_type: str) -> None:
    uri = new(client, oracle_type, base=9, length=9)
    assert client.post(uri, json={"submission": [0] * 9}).status_code == 200
    answer = client.put(f"{uri}/share", json={"share": "ab" * 32})
    assert answer.status_code == 409


@pytest.mark.parametrize("oracle_type", ["fair", "evil"])
def test_fair_and_evil_cannot_be_told_apart_by_their_form(client: Client, oracle_type: str) -> None:
    uri = new(client, oracle_type)
    problem(client.put(f"{uri}/share", json={"share": "zz"}), 422, "share/bad")
    assert client.put(f"{uri}/share", json={"share": "ab" * 32}).status_code == 204
    problem(client.put(f"{uri}/share", json={"share": "cd" * 32}), 409, "arena/conflict")


def test_submissions_are_judged_length_first_then_digits_then_over(client: Client) -> None:
    uri = new(client)
    assert "not 3" in problem(client.post(uri, json={"submission": [9, 9, 9]}), 422, "move/illegal")
    assert "not 9" in problem(
        client.post(uri, json={"submission": [0, 0, 0, 9]}), 422, "move/illegal"
    )
    assert client.get(uri).json()["attempts"] == 0, "only legal submissions count"
    assert client.delete(uri).status_code == 200
    problem(client.post(uri, json={"submission": [0, 0, 0]}), 422, "move/illegal")
    problem(client.post(uri, json={"submission": [0, 0, 0, 6]}), 422, "move/illegal")
    problem(client.post(uri, json={"submission": [0, 0, 0, 0]}), 409, "arena/over")
    problem(client.delete(uri), 409, "arena/over")


def test_giving_up_opens_the_code(client: Client) -> None:
    uri = new(client)
    first = client.post(uri, json={"submission": [0, 1, 2, 3]}).json()
    seen = client.delete(uri).json()
    assert seen["solved"] is (first["full_match_count"] == 4)
    code = tuple(seen["reveal"]["code"])
    assert marks(code, (0, 1, 2, 3)) == (first["full_match_count"], first["partial_match_count"])


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b'{"base": 1, "length": 4}', 422, "game/params"),
        (b'{"base": 6, "length": 41}', 422, "game/params"),
        (b'{"base": 6, "length": 4, "oracle_type": "moody"}', 422, "game/params"),
    ],
)
def test_bad_games_are_refused(client: Client, body: bytes, status: int, code: str) -> None:
    answer = client.post("/neworacle", content=body, headers={"Content-Type": "application/json"})
    problem(answer, status, code)


def test_games_go_on_after_a_restart(database: str) -> None:
    with TestClient(make_app(database)) as before:
        uris = {kind: new(before, kind) for kind in ("fair", "nice", "evil")}
        said = before.post(uris["evil"], json={"submission": [0, 0, 1, 1]}).json()
        shown = {kind: before.get(uri).json() for kind, uri in uris.items()}
    with TestClient(make_app(database)) as after:
        assert {kind: after.get(uri).json() for kind, uri in uris.items()} == shown
        seen = after.delete(uris["evil"]).json()
        answer = said["full_match_count"], said["partial_match_count"]
        assert marks(tuple(seen["reveal"]["code"]), (0, 0, 1, 1)) == answer
        assert claims(after, uris["evil"]) == PROVES["evil"]
        after.delete(uris["fair"])
        assert claims(after, uris["fair"]) == ["COMMITTED"]


def test_health_counts(client: Client) -> None:
    new(client)
    client.delete(new(client))
    seen = client.get("/healthz").json()
    assert (seen["status"], seen["oracles"], seen["open_oracles"]) == ("ok", 2, 1)
