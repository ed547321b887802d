"""Contests over HTTP: the same codes for all, disguised for each, and proven at the close."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import asyncpg
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from fairground.contest.book import Book
from fairground.contest.file import check
from fairground.contest.games import Disguise, Part, disguise, fair_code, keeper_seed, order
from fairground.contest.standings import standing
from fairground.fair.contest import contest_commitment
from fairground.games.codebreaking.rules import Code, Marks, Row, marks
from fairground.server.app import make_app
from fairground.server.contests import service
from fairground.server.contests.factories import Factories
from fairground.server.contests.names import looks, must_be_visible
from fairground.server.contests.service import Contests, LiveBook
from fairground.server.http.problems import BadName
from fairground.server.live_games import Hall
from fairground.server.log_watch import News
from fairground.store import Append, Store, open_store
from fairground.transcript import check_chain, line_hash
from fairground.verifier import verify
from tests.helpers.arena import PROVES, Client, Clock, problem
from tests.helpers.contests import solve
from tests.helpers.foreign_factory import foreign
from tests.helpers.postgres import throw_away_cluster

FAIR = {"base": 4, "length": 3, "oracle_type": "fair", "games": 4}
MIXED = [
    {"base": 4, "length": 3, "games": 2},
    {"base": 3, "length": 3, "oracle_type": "evil", "games": 2},
    {"base": 9, "length": 2, "oracle_type": "nice", "games": 1},
]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(database: str, clock: Clock) -> Iterator[Client]:
    with TestClient(make_app(database, clock=clock)) as client:
        yield client


class Contest:
    """A contest, as a client of the API sees it."""

    def __init__(self, client: Client, body: Any = FAIR) -> None:
        made = client.post("/newcontest", json=body, follow_redirects=False)
        assert made.status_code == 303, made.text
        self.client = client
        self.keys: dict[str, str] = {}
        self.uri = made.headers["location"]
        self.close_uri = made.json()["close"]
        assert made.headers["fairground-close"] == self.close_uri

    @property
    def name(self) -> str:
        return str(self.uri).rpartition("/")[2]

    def watch(self) -> dict[str, Any]:
        seen: dict[str, Any] = self.client.get(self.uri).json()
        return seen

    def team(self, name: str, version: str = "1") -> dict[str, Any]:
        (found,) = (
            team
            for team in self.watch()["teams"]
            if (team["team_name"], team["software_version"]) == (name, version)
        )
        return dict(found)

    def try_entry(self, team: str, version: str = "1", *, stranger: bool = False) -> Any:
        """As a team does that keeps its key, or as a stranger in its name."""
        body = {"team_name": team, "software_version": version, "shoe_size": 44}
        if team in self.keys and not stranger:
            body["team_key"] = self.keys[team]
        answer = self.client.post(self.watch()["entry"], json=body)
        if answer.status_code == 201 and "team_key" in answer.json():
            self.keys[team] = answer.json()["team_key"]
        return answer

    def enter(self, team: str, version: str = "1") -> list[str]:
        answer = self.try_entry(team, version)
        assert answer.status_code == 201, answer.text
        uris: list[str] = answer.json()["oracle_URIs"]
        return uris

    def close(self) -> None:
        assert self.client.post(self.close_uri).status_code == 200

    def file(self) -> bytes:
        answer = self.client.get(f"{self.uri}/file")
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("application/jsonl")
        return answer.content

    def seed(self) -> bytes:
        """What only the house knows (before the close)."""
        contests: Contests = self.client.app.state.arena.contests
        return contests._books[self.name].seed


def submit(client: Client, uri: str, guess: Any) -> Marks:
    answer = client.post(uri, json={"submission": list(guess)})
    assert answer.status_code == 200, answer.text
    said = answer.json()
    assert set(said) == {"full_match_count", "partial_match_count"}
    return said["full_match_count"], said["partial_match_count"]


def code_of(contest: Contest, uri: str) -> Code | None:
    """What only the house knows: the code behind an oracle, in its disguise; fair ones only."""
    _, entry, slot, _ = uri.rpartition("/")[2].split(".")
    seed = contest.seed()
    live: LiveBook = contest.client.app.state.arena.contests._books[contest.name]
    game = order(contest.name, seed, int(entry), live.book.games)[int(slot)]
    part = live.book.part_of[game]
    if part.oracle != "fair":
        return None
    seen = disguise(contest.name, seed, int(entry), game, part)
    return seen.from_raw(fair_code(contest.name, seed, game, part))


def miss(contest: Contest, uri: str) -> tuple[Code, Marks]:
    """A guess that is wrong for certain, and what it was answered."""
    code = code_of(contest, uri)
    length = contest.client.get(uri).json()["length"]
    guess = (0,) * length if code is None else ((code[0] + 1) % 4, *code[1:])
    answer = submit(contest.client, uri, guess)
    assert answer[0] < length
    return guess, answer


def play(client: Client, uri: str) -> list[Row]:
    """Break a code with nothing but the answers; each oracle is asked what it is."""
    seen = client.get(uri).json()
    return solve(seen["base"], seen["length"], lambda guess: submit(client, uri, guess))


# Making and watching


def test_a_new_contest_describes_itself(client: Client, clock: Clock) -> None:
    contest = Contest(client)
    seen = contest.watch()
    assert {name: seen[name] for name in ("self", "base", "length", "oracle_type", "games")} == {
        "self": contest.uri,
        **FAIR,
    }
    assert seen["entry"].startswith("http")
    assert re.fullmatch(r"[0-9a-f]{64}", seen["commitment"])
    assert seen["commitment"] == contest_commitment(contest.name, contest.seed())
    assert (seen["opened"], seen["closes"]) == (1_000_000, 1_000_000 + 7 * 24 * 3600)
    assert (seen["state"], seen["teams"]) == ("open", [])
    assert "file" not in seen
    assert "close" not in seen
    assert contest.close_uri not in client.get(contest.uri).text
    assert contest.seed().hex() not in client.get(contest.uri).text


def test_a_mixed_contest_lists_its_parts_and_what_is_committed(client: Client) -> None:
    seen = Contest(client, MIXED).watch()
    assert "base" not in seen
    assert seen["games"] == 5
    assert [(p["base"], p["oracle_type"], p["games"]) for p in seen["parts"]] == [
        (4, "fair", 2),
        (3, "evil", 2),
        (9, "nice", 1),
    ]
    assert "nothing is committed of theirs" in seen["covers"]
    assert "orders and disguises only" in Contest(client, MIXED[1]).watch()["covers"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"base": 6, "length": 4}, 400, "arena/malformed"),
        ({"base": "six", "length": 4, "games": 1}, 400, "arena/malformed"),
        ([], 422, "game/params"),
        ({**FAIR, "games": 0}, 422, "game/params"),
        ({**FAIR, "games": 10_001}, 422, "game/params"),
        ({**FAIR, "base": 1}, 422, "game/params"),
        ({**FAIR, "oracle_type": "moody"}, 422, "game/params"),
        ({**FAIR, "closes_in": 0}, 422, "game/params"),
        ([{**FAIR, "closes_in": 5}, {**FAIR, "closes_in": 6}], 422, "game/params"),
        ({**FAIR, "games_per_oraclefactory": 3}, 400, "arena/malformed"),
        ({"base": 6, "length": 4, "oraclefactories": ["http://a/"]}, 400, "arena/malformed"),
    ],
)
def test_contests_that_are_refused(client: Client, body: Any, status: int, code: str) -> None:
    problem(client.post("/newcontest", json=body), status, code)


@pytest.mark.parametrize("spelling", ["games_per_orclefactory", "games_per_oraclefactory"])
def test_factories_need_the_operators_word(database: str, spelling: str) -> None:
    body: dict[str, Any] = {"base": 6, "length": 4, spelling: 10}
    with (
        foreign() as friend,
        TestClient(make_app(database, factories=Factories([allowed := friend.url]))) as client,
    ):
        for uris in (["http://stranger.example/new"], [allowed + "new", "http://x.example/"]):
            answer = client.post("/newcontest", json={**body, "oraclefactories": uris})
            assert uris[-1] in problem(answer, 403, "arena/forbidden")
        known = {**body, "oraclefactories": [friend.factory, friend.factory]}
        seen = Contest(client, known).watch()
        assert (seen["base"], seen["length"], seen["oracle_type"], seen["games"]) == (
            *(6, 4, "fair"),
            20,
        )
        wrong = client.post("/newcontest", json={**known, "games": 19})
        assert "give 20" in problem(wrong, 422, "game/params")
        none = client.post("/newcontest", json={**known, "oraclefactories": []})
        problem(none, 400, "arena/malformed")
        assert Contest(client, {**known, "games": 20}).watch()["games"] == 20


# Entering and playing


def test_entering(client: Client) -> None:
    contest = Contest(client, MIXED)
    uris = contest.enter("A")
    assert len(set(uris)) == 5
    kinds = Counter(
        (seen["base"], seen["length"], seen["oracle_type"])
        for seen in (client.get(uri).json() for uri in uris)
    )
    assert kinds == {(4, 3, "fair"): 2, (3, 3, "evil"): 2, (9, 2, "nice"): 1}
    seen = client.get(uris[0]).json()
    assert (seen["self"], seen["contest"]) == (uris[0], contest.uri)
    assert seen["commitment"] == contest.watch()["commitment"]
    assert (seen["attempts"], seen["solved"], seen["training"]) == (0, False, False)


def test_names_that_are_refused(client: Client) -> None:
    contest = Contest(client)
    for team, version in (("", "1"), ("x" * 21, "1"), ("A", ""), ("A", "v" * 21), ("A\n", "1")):
        detail = problem(contest.try_entry(team, version), 422, "arena/name")
        assert repr(team if version == "1" else version) in detail
    assert contest.watch()["teams"] == []
    assert len(contest.enter("x" * 20, "é" * 20)) == 4


def test_the_same_version_again_is_the_same_entry(client: Client) -> None:
    contest = Contest(client)
    first = contest.enter("A")
    contest.enter("B")
    assert contest.enter("A") == first
    second = contest.enter("A", "2")
    assert contest.enter("A", "2") == second != first
    assert contest.enter("A", "1") == first
    assert len(contest.watch()["teams"]) == 3


def test_a_new_version_trains_and_the_first_is_over(client: Client) -> None:
    contest = Contest(client)
    first = contest.enter("A")
    rows = play(client, first[0])
    miss(contest, first[1])
    answer = contest.try_entry("A", "2")
    assert answer.json()["training"] is True
    second = answer.json()["oracle_URIs"]
    for uri in first[1:]:
        detail = problem(client.post(uri, json={"submission": [0, 1, 2]}), 409, "arena/over")
        assert "entered again" in detail
        problem(client.delete(uri), 409, "arena/over")
        assert client.get(uri).json()["over"] is True
    for uri in second:
        play(client, uri)
    official, training = contest.team("A", "1"), contest.team("A", "2")
    assert (official["rank"], official["solved"], official["unfinished"]) == (1, 1, 3)
    assert official["mean"] == f"{len(rows)}.000000000000"
    assert (training["rank"], training["solved"], training["training"]) == (None, 4, True)
    assert client.get(second[0]).json()["training"] is True
    table = client.get(f"{contest.uri}/standings").json()
    assert [row["software_version"] for row in table["official"]] == ["1"]
    assert [row["software_version"] for row in table["training"]] == ["2"]


def test_nobody_else_can_enter_for_a_team(database: str, clock: Clock) -> None:
    """Anyone could demote any team by one request in its name."""

    def enter(client: Client, team: str, version: str, **key: str | None) -> Any:
        body = {"team_name": team, "software_version": version, **key}
        return client.post(f"{contest.uri}/entry", json=body)

    with TestClient(make_app(database, clock=clock)) as client:
        contest = Contest(client)
        ada = enter(client, "Ada", "1").json()
        (uri, *_), key = ada["oracle_URIs"], ada["team_key"]
        assert len(key) >= 22
        bob = enter(client, "Bob", "1").json()
        assert bob["team_key"] != key
        for guess in ({}, {"team_key": None}, {"team_key": ""}, {"team_key": bob["team_key"]}):
            for version in ("1", "2"):
                told = problem(enter(client, "Ada", version, **guess), 409, "arena/conflict")
                assert "team_key" in told and "first entry" in told and "another team" in told
        assert not client.get(uri).json()["over"]
        told = problem(enter(client, "Eve", "1", team_key=key), 422, "game/params")
        assert "leave it out" in told, "a key of one's own is no key"
    with TestClient(make_app(database, clock=clock)) as client:  # it outlasts a restart
        problem(enter(client, "Ada", "2"), 409, "arena/conflict")
        assert enter(client, "Ada", "2", team_key=key).json()["training"]
        assert client.get(uri).json()["over"]
        contest.client = client
        contest.close()
        data = contest.file()
        assert check(data).ok and key.encode() not in data


def in_raw(client: Client, uri: str, seen: Disguise) -> Callable[[Code], Marks]:
    """Ask in raw coordinates, through the entry's disguise."""
    return lambda raw: submit(client, uri, seen.from_raw(raw))


def test_the_same_raw_questions_take_the_same_steps(client: Client) -> None:
    """A bot that looks through its disguise shows that all meet the same codes and keepers."""
    contest = Contest(client, MIXED)
    seed = contest.seed()
    results = []
    for number, team in enumerate("ABC"):
        uris = contest.enter(team)
        book = client.app.state.arena.contests._books[contest.name].book
        rows = {}
        for slot, game in enumerate(order(contest.name, seed, number, 5)):
            part = book.part_of[game]
            seen = disguise(contest.name, seed, number, game, part)
            rows[game] = solve(part.base, part.length, in_raw(client, uris[slot], seen))
        results.append(rows)
    assert results[0] == results[1] == results[2]
    at_hand = client.app.state.arena.hall._live
    for log in map(at_hand.get, at_hand):
        kept = log.vault.secrets["players"][0]
        game = log.table.transcript.events[0]["public"]["game"]
        assert kept == keeper_seed(contest.name, seed, game), "one adversary for all"
    steps = [sorted(len(rows) for rows in result.values()) for result in results]
    assert [contest.team(team)["mean"] for team in "ABC"] == [f"{sum(steps[0]) / 5:.12f}"] * 3
    assert [contest.team(team)["rank"] for team in "ABC"] == [1, 1, 1]


def test_submissions_are_judged_as_those_of_any_oracle(client: Client) -> None:
    contest = Contest(client)
    uri = contest.enter("A")[0]
    assert "not 2" in problem(client.post(uri, json={"submission": [9, 9]}), 422, "move/illegal")
    assert "not 4" in problem(client.post(uri, json={"submission": [0, 0, 4]}), 422, "move/illegal")
    assert client.get(uri).json()["attempts"] == 0
    play(client, uri)
    problem(client.post(uri, json={"submission": [0, 0]}), 422, "move/illegal")
    problem(client.post(uri, json={"submission": [0, 0, 0]}), 409, "arena/over")
    problem(client.put(f"{uri}/share", json={"share": "ab" * 32}), 409, "arena/conflict")


def test_giving_up_counts_as_unfinished(client: Client) -> None:
    contest = Contest(client)
    uri = contest.enter("A")[0]
    seen = client.delete(uri).json()
    assert (seen["over"], seen["solved"]) == (True, False)
    assert "reveal" not in seen
    team = contest.team("A")
    assert (team["given_up"], team["unfinished"], team["still_open"]) == (1, 1, 3)
    problem(client.delete(uri), 409, "arena/over")


def test_names_that_lead_nowhere(client: Client) -> None:
    contest = Contest(client)
    uri = contest.enter("A")[0]
    name = uri.rpartition("/")[2]
    begin, _, proof = name.rpartition(".")
    other = proof[:-1] + ("0" if proof[-1] != "0" else "1")
    contest_name, entry, slot, _ = name.split(".")
    for wrong in (
        f"{begin}.{other}",
        f"{contest_name}.1.{slot}.{proof}",
        f"{contest_name}.{entry}.7.{proof}",
        f"{contest_name}.{entry}.{'9' * 30}.{proof}",
        f"nobody.{entry}.{slot}.{proof}",
    ):
        problem(client.get(f"/oracle/{wrong}"), 404, "arena/unknown")
        body = {"submission": [0, 0, 0]}
        problem(client.post(f"/oracle/{wrong}", json=body), 404, "arena/unknown")
    for path in ("", "/standings", "/file", "/events", "/book", "/standings.csv"):
        problem(client.get(f"/contest/nobody{path}"), 404, "arena/unknown")
    problem(client.post(f"{contest.uri}/close/guess"), 404, "arena/unknown")
    assert contest.watch()["state"] == "open"


# What is told, and when


def test_nothing_is_revealed_before_the_close(client: Client) -> None:
    contest = Contest(client, MIXED)
    uris = contest.enter("A")
    for uri in uris:
        play(client, uri)
    secrets = [contest.seed().hex()]
    for uri in uris:
        seen = client.get(uri)
        assert not {"reveal", "transcript"} & set(seen.json())
        problem(client.get(f"{uri}/transcript"), 409, "arena/too-early")
    problem(client.get(f"{contest.uri}/file"), 409, "arena/too-early")
    book = client.get(f"{contest.uri}/book").content
    assert [event["kind"] for event in check_chain(book.splitlines(keepends=True))] == [
        "opened",
        "entered",
        "started",
        *["finished"] * 5,
    ]
    for text in (book.decode(), client.get(f"{contest.uri}/standings").text):
        assert not any(secret in text for secret in secrets)
    contest.close()
    for uri in uris:
        seen = client.get(uri).json()
        assert seen["seconds_until_solved"] >= 0
        verdict = verify(client.get(seen["transcript"]).content)
        assert verdict.ok, verdict.fault
        assert [str(claim) for claim in verdict.claims] == PROVES[seen["oracle_type"]]


def test_the_code_is_told_in_the_disguise_that_the_team_knows(client: Client) -> None:
    contest = Contest(client, MIXED)
    uris = contest.enter("A")
    last = {uri: play(client, uri)[-1].guess for uri in uris[:4]}
    first = client.get(uris[4]).json()
    contest.close()
    for uri, code in last.items():
        seen = client.get(uri).json()
        assert tuple(seen["reveal"]["code"]) == code
        assert ("key" in seen["reveal"]) == (seen["oracle_type"] == "fair")
    untouched = client.get(uris[4]).json()
    assert "transcript" not in untouched
    assert (untouched["reveal"]["code"] is None) == (first["oracle_type"] != "fair")
    problem(client.get(f"{uris[4]}/transcript"), 404, "arena/unknown")


def test_every_answer_has_a_receipt_that_the_file_must_keep(client: Client) -> None:
    contest = Contest(client, {"base": 10, "length": 6, "games": 2})
    entered = contest.try_entry("A")
    uri = entered.json()["oracle_URIs"][0]
    receipts = [entered.headers["fairground-receipt"]]
    for guess in ([0, 0, 1, 2, 3, 4], [2, 2, 3, 9, 9, 7]):
        answer = client.post(uri, json={"submission": guess})
        receipts.append(answer.headers["fairground-receipt"])
    assert len(set(receipts)) == 3
    assert contest.watch()["lines"] == 3, "opened, entered, started"
    contest.close()
    data = contest.file()
    hashes = {line_hash(line) for line in data.splitlines(keepends=True)}
    assert hashes.issuperset(receipts)
    for receipt in receipts:
        assert check(data, receipt).ok
    assert not check(data, "ab" * 32).ok


# No disguise


def test_without_a_disguise_the_same_bot_scores_the_same_and_it_is_said(client: Client) -> None:
    body = [{**FAIR, "disguise": "none"}, MIXED[1]]
    contest = Contest(client, body)
    seen = contest.watch()
    assert seen["disguise"] == "none"
    assert "who has met a code can tell it" in seen["gives_up"]
    assert "disguise" not in seen["covers"]
    entered = [contest.enter(team) for team in "ABCD"]
    steps = [sum(len(play(client, uri)) for uri in uris) for uris in entered]
    assert len(set(steps)) == 1
    contest.close()
    codes = [sorted(client.get(uri).json()["reveal"]["code"] for uri in uris) for uris in entered]
    assert all(one == codes[0] for one in codes), "the set of hidden codes is the same"
    assert {row["rank"] for row in contest.watch()["teams"]} == {1}
    verdict = check(contest.file())
    assert verdict.ok, verdict.fault
    assert verdict.table is not None
    assert "there is no disguise" in verdict.table["notes"][0]


def test_a_contest_has_one_disguise(client: Client) -> None:
    assert Contest(client).watch()["disguise"] == "drawn"
    assert "gives_up" not in Contest(client).watch()
    two = [{**FAIR, "disguise": "none"}, {**FAIR, "disguise": "drawn"}]
    assert "one disguise" in problem(client.post("/newcontest", json=two), 422, "game/params")
    odd = client.post("/newcontest", json={**FAIR, "disguise": "a hat"})
    assert "'a hat'" in problem(odd, 422, "game/params")


# Removing an entry


def remove(contest: Contest, entry: int, reason: str = "not invited") -> Any:
    body = {"entry": entry, "reason": reason}
    contest.keys.clear()
    return contest.client.post(f"{contest.close_uri}/remove", json=body)


def test_the_creator_removes_an_entry_before_its_first_submission(client: Client) -> None:
    contest = Contest(client)
    uris, stays = contest.enter("A"), contest.enter("B")
    play(client, stays[0])
    assert remove(contest, 0).status_code == 200
    assert remove(contest, 0, "once more is harmless").status_code == 200
    seen = contest.watch()
    assert [team["team_name"] for team in seen["teams"]] == ["B"]
    assert seen["removed"] == [
        {"entry": 0, "team_name": "A", "software_version": "1", "reason": "not invited"}
    ]
    submitted = client.post(uris[0], json={"submission": [0, 0, 1]})
    assert "not invited" in problem(submitted, 409, "arena/over")
    assert client.get(uris[0]).json()["over"] is True
    assert "has made a submission" in problem(remove(contest, 1), 409, "arena/conflict")
    problem(remove(contest, 7), 404, "arena/unknown")
    problem(remove(contest, 1, ""), 422, "arena/name")
    assert contest.enter("A")[0] not in uris, "the name is free again"
    assert contest.team("A")["training"] is False
    contest.close()
    problem(remove(contest, 2), 409, "arena/over")
    verdict = check(contest.file())
    assert verdict.ok, verdict.fault


def test_nobody_else_removes_an_entry(client: Client) -> None:
    contest = Contest(client)
    contest.enter("A")
    guessed = f"{contest.uri}/close/nobody-told-me/remove"
    problem(client.post(guessed, json={"entry": 0, "reason": "x"}), 404, "arena/unknown")
    assert contest.team("A")["entry"] == 0


def test_the_key_of_a_removed_team_binds_nobody(database: str) -> None:
    """Also after a restart: who took a name, and was removed, does not block it."""
    first = {"team_name": "A", "software_version": "1"}
    with TestClient(make_app(database)) as client:
        contest = Contest(client)
        squatter = client.post(f"{contest.uri}/entry", json=first).json()["team_key"]
        remove(contest, 0)
    with TestClient(make_app(database)) as client:
        own = client.post(f"{contest.uri}/entry", json=first).json()
        stale = {**first, "team_key": squatter}
        problem(client.post(f"{contest.uri}/entry", json=stale), 409, "arena/conflict")
    with TestClient(make_app(database)) as client:
        again = client.post(f"{contest.uri}/entry", json={**first, "team_key": own["team_key"]})
        assert again.json()["oracle_URIs"] == own["oracle_URIs"]


def test_a_team_whose_first_entry_was_removed_keeps_its_key(database: str) -> None:
    entry = {"team_name": "A", "software_version": "1"}
    with TestClient(make_app(database)) as client:
        contest = Contest(client)
        key = client.post(f"{contest.uri}/entry", json=entry).json()["team_key"]
        later = {**entry, "software_version": "2", "team_key": key}
        assert client.post(f"{contest.uri}/entry", json=later).json()["training"]
        remove(contest, 0)
    with TestClient(make_app(database)) as client:
        later["software_version"] = "3"
        assert client.post(f"{contest.uri}/entry", json=later).status_code == 201


# Names


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Café", "Cafe\u0301"),  # composed and decomposed
        ("ACE", "\u0410CE"),  # Cyrillic
        ("Team 1", "Team l"),
        ("Bot 0", "Bot O"),
        ("Ada B", "Ada  B"),
        ("Ada", "\uff21da"),  # full width
        ("Adam", "Adarn"),  # one sign like two
        ("Bot o", "Bot \u0665"),  # a digit that is written from right to left
    ],
)
def test_names_that_look_alike(first: str, second: str) -> None:
    assert looks(first) == looks(second)


def test_names_that_do_not() -> None:
    names = ["Ada", "ada", "m", "n", "Zoe", "Zoë", "Ada 2", "Ada B", "Боб", "Bob", "阿达"]
    assert len({looks(name) for name in names}) == len(names)


@pytest.mark.parametrize("name", ["\u3164", "\u2800" * 2, "A\u3164", "\u0301", "A\ufe0f"])
def test_names_that_show_nothing(name: str) -> None:
    assert name.isprintable(), "Python alone would take it"
    with pytest.raises(BadName, match="nothing"):
        must_be_visible("team_name", name)


def test_teams_that_look_like_one_that_is_there_are_refused(client: Client) -> None:
    contest = Contest(client)
    contest.enter("ACE")
    said = problem(contest.try_entry("\u0410CE"), 422, "arena/name")
    assert "looks like 'ACE'" in said
    contest.enter("ACE", "2")  # its own name looks like itself
    problem(contest.try_entry("\u3164"), 422, "arena/name")
    problem(contest.try_entry("B", "\u2800"), 422, "arena/name")
    contest.enter("B")
    assert remove(contest, 2).status_code == 200
    contest.enter("\u0412")  # nobody is there to be taken for


# The private address


def test_a_client_that_follows_redirects_learns_the_private_address_once(client: Client) -> None:
    followed = client.post("/newcontest", json=FAIR, follow_redirects=True).json()
    assert {"self", "entry", "base", "length", "oracle_type", "games"} <= followed.keys()
    assert "close" not in followed
    made = client.post("/contests", json=FAIR, follow_redirects=True).json()
    close = made.pop("close")
    assert client.get(made["self"]).json() == made, "the same page, without the address"
    assert client.post(close).json()["state"] == "closed"


# Closing


def test_the_creator_closes_early(client: Client) -> None:
    contest = Contest(client)
    uris = contest.enter("A")
    play(client, uris[0])
    miss(contest, uris[1])
    contest.close()
    contest.close()  # once more is harmless
    seen = contest.watch()
    assert seen["state"] == "closed"
    problem(contest.try_entry("B"), 409, "arena/over")
    problem(client.post(uris[1], json={"submission": [0, 0, 1]}), 409, "arena/over")
    problem(client.post(uris[2], json={"submission": [0, 0, 1]}), 409, "arena/over")
    problem(client.delete(uris[2]), 409, "arena/over")
    assert contest.team("A")["unfinished"] == 3
    verdict = check(client.get(seen["file"]).content)
    assert verdict.ok, verdict.fault
    assert verdict.games == 2, "a game that nobody touched has no transcript"
    left = client.get(f"{uris[1]}/transcript").content
    assert '"by":"house"' in left.decode()
    assert 'the house says that "A 1" left: "the contest closed"' in verify(left).remarks[0]


def test_the_clock_closes_it(client: Client, clock: Clock) -> None:
    contest = Contest(client, {**FAIR, "closes_in": 60})
    uris = contest.enter("A")
    clock.now = 1_000_059.9
    play(client, uris[0])
    miss(contest, uris[1])
    assert contest.watch()["state"] == "open"
    clock.now = 1_000_060.0
    problem(client.post(uris[1], json={"submission": [0, 0, 1]}), 409, "arena/over")
    problem(contest.try_entry("B"), 409, "arena/over")
    assert contest.watch()["state"] == "closed"
    last = json.loads(client.get(f"{contest.uri}/book").content.splitlines()[-1])
    assert (last["kind"], last["by"], last["at"]) == ("closed", "time", 1_000_060)
    assert check(contest.file()).ok


def test_a_clock_that_goes_back_does_not_spoil_the_book(client: Client, clock: Clock) -> None:
    contest = Contest(client)
    contest.enter("A")
    clock.now -= 1000
    contest.enter("B")
    contest.close()
    assert check(contest.file()).ok


# The file


def full_contest(client: Client) -> Contest:
    contest = Contest(client, MIXED)
    for team in "AB":
        for uri in contest.enter(team)[:4]:
            play(client, uri)
    training = contest.enter("A", "2")
    play(client, training[0])
    client.delete(training[1])
    return contest


def test_the_file_verifies_and_is_the_same_every_time(client: Client) -> None:
    contest = full_contest(client)
    contest.close()
    data = contest.file()
    verdict = check(data)
    assert verdict.ok, verdict.fault
    assert data == contest.file()
    assert verdict.table is not None
    assert verdict.table == client.get(f"{contest.uri}/standings").json()
    assert verdict.table["final"] is True
    lines = client.get(f"{contest.uri}/standings.csv").text.splitlines()
    assert [line.split(",")[1:4] for line in lines[1:]] == [
        *([row["team_name"], "1", "no"] for row in verdict.table["official"]),
        ["A", "2", "yes"],
    ]
    for changed in (b'"result":"', b'"team":"', b'"move":[', b'"solved":', b'"seed":"'):
        at = data.index(changed) + len(changed)
        assert not check(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]).ok, changed


def test_a_restart_in_the_middle(database: str, clock: Clock) -> None:
    def app() -> Litestar:
        return make_app(database, clock=clock)

    with TestClient(app()) as client:
        contest = Contest(client, MIXED)
        uris = contest.enter("A")
        done = play(client, uris[0])
        said = {}
        for uri in uris[1:]:
            seen = client.get(uri).json()
            if seen["oracle_type"] != "nice":
                said[uri] = miss(contest, uri)
        before = contest.watch()
    with TestClient(app()) as client:
        contest.client = client
        assert contest.watch() == before
        assert client.get(uris[0]).json()["attempts"] == len(done)
        problem(client.post(uris[0], json={"submission": done[-1].guess}), 409, "arena/over")
        problem(contest.try_entry("A", stranger=True), 409, "arena/conflict")
        for uri in said:
            miss(contest, uri)
        contest.close()
    with TestClient(app()) as client:
        contest.client = client
        assert contest.watch()["state"] == "closed"
        data = contest.file()
        assert check(data).ok
        for uri, (guess, answer) in said.items():
            seen = client.get(uri).json()
            assert seen["attempts"] == 2
            if seen["oracle_type"] == "fair":
                code = tuple(seen["reveal"]["code"])
                assert marks(code, guess) == answer
    with TestClient(app()) as client:
        contest.client = client
        assert contest.file() == data


# Several at once


@contextmanager
def a_database(base: str) -> Iterator[str]:
    name = f"t{uuid.uuid4().hex}"

    async def make() -> None:
        db = await asyncpg.connect(base)
        await db.execute(f"CREATE DATABASE {name}")
        await db.close()

    asyncio.run(make())
    yield base.replace("/postgres?", f"/{name}?")


def test_two_servers_on_one_postgresql(clock: Clock) -> None:
    """They write into one book; what one does not know yet, the database tells it."""
    with (
        throw_away_cluster() as cluster,
        a_database(cluster) as url,
        TestClient(make_app(url, clock=clock)) as one,
        TestClient(make_app(url, clock=clock)) as other,
    ):
        contest = Contest(one, MIXED)
        uris = {team: contest.enter(team) for team in "AB"}
        for client, again in ((one, other), (other, one)):
            for team in "AB":
                uri = uris[team].pop()
                rows = play(client, uri)
                guess = {"submission": rows[-1].guess}
                problem(again.post(uri, json=guess), 409, "arena/over")
        turns = cycle((one, other))
        uri = uris["A"].pop()
        seen = one.get(uri).json()
        solve(seen["base"], seen["length"], lambda guess: submit(next(turns), uri, guess))
        contest.client = other
        problem(contest.try_entry("A", stranger=True), 409, "arena/conflict")
        contest.enter("A", "2")
        uris["B"] += contest.enter("C")
        entries = (len(one.get(contest.uri).json()["teams"]) for _ in range(2000))
        assert 4 in entries, "the first server was told of what the second wrote"
        contest.client = one
        contest.close()
        # Whoever knows the seed now and finds a server that has not heard of the close: too late.
        fair = next(uri for uri in uris["B"] if code_of(contest, uri))
        right = {"submission": code_of(contest, fair)}
        problem(other.post(fair, json=right), 409, "arena/over")
        data = contest.file()
        verdict = check(data)
        assert verdict.ok, verdict.fault
        contest.client = other
        assert contest.file() == data


async def test_entries_at_the_same_time_all_count(database: str) -> None:
    """Lines are queued without waiting for one another, and all arrive in one chain."""
    store = await open_store(database)
    contests = Contests(store)
    name, _ = await contests.make((Part(6, 4, "fair", 3),))
    done = await asyncio.gather(*(contests.enter(name, f"T{i}", "1") for i in range(40)))
    assert sorted(entry.number for _, entry, _ in done) == list(range(40))
    again = Contests(store)
    live = await again.find(name)
    assert [entry.team for entry in live.book.entries] == [f"T{i}" for i in range(40)]
    # Two who know nothing of each other: each line is decided again until it fits.
    both = [c.enter(name, f"{i}{c is again}", "1") for i in range(5) for c in (contests, again)]
    await asyncio.gather(*both)
    assert len((await Contests(store).find(name)).book.entries) == 50
    await store.close()


async def test_followers_hear_of_every_change_until_the_close(database: str, clock: Clock) -> None:
    def seen(live: LiveBook) -> tuple[int, bool]:
        return len(live.book.entries), live.book.closed

    store = await open_store(database)
    contests = Contests(store, clock)
    async with News(Hall(store)) as all_news:
        all_news.hearers.append(contests.heard)
        name, secret = await contests.make((Part(6, 4, "fair", 3),), 100)
        news = contests.follow(all_news, name, seen, pause=0)
        heard = [await asyncio.wait_for(anext(news), 20)]
        for team in "AB":
            await contests.enter(name, team, "1")
            heard.append(await asyncio.wait_for(anext(news), 20))
        await contests.close(name, secret)
        heard.append(await asyncio.wait_for(anext(news), 20))
        assert heard == [(0, False), (1, False), (2, False), (2, True)]
        with pytest.raises(StopAsyncIteration):
            await anext(news)
        assert not all_news._watches
    await store.close()


async def test_many_who_ask_for_standings_hold_nobody_up(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are computed once for all who ask, from a still picture, beside everything else."""
    begun, enough = threading.Event(), threading.Event()
    computed: list[int] = []

    def slow(book: Book, orders: Any) -> dict[str, Any]:
        computed.append(len(book.entries))
        begun.set()
        assert enough.wait(60)
        return standing(book, orders)

    monkeypatch.setattr(service, "standing", slow)
    store = await open_store(database)
    contests = Contests(store)
    name, _ = await contests.make((Part(6, 4, "fair", 3),))
    await contests.enter(name, "A", "1")
    asked = [asyncio.ensure_future(contests.standing(name)) for _ in range(64)]
    assert await asyncio.to_thread(begun.wait, 60)
    await contests.enter(name, "B", "1")
    assert await asyncio.wait_for(store.read(name), 20)
    assert not any(one.done() for one in asked)
    enough.set()
    tables = [len(table["official"]) for table in await asyncio.gather(*asked)]
    assert computed == [1, 2] and tables == [1] + [2] * 63
    assert len((await contests.standing(name))["official"]) == 2 and computed == [1, 2]
    await store.close()


def test_a_page_is_made_once_for_all_who_watch(client: Client) -> None:
    contest = Contest(client)
    live: LiveBook = client.app.state.arena.contests._books[contest.name]
    pages = [contest.watch()["self"], client.get(contest.uri, headers={"Host": "a.example"})]
    assert pages[0] == contest.uri and pages[1].json()["self"].startswith("http://a.example/")
    made: list[str] = []

    def make(live: LiveBook, here: str) -> str:
        made.append(here)
        return here

    assert [live.page("here", make) for _ in range(2)] == ["here"] * 2
    contest.enter("A")
    assert live.page("here", make) == "here" and made == ["here"] * 2
    assert len(contest.watch()["teams"]) == 1


def test_server_sent_events(client: Client) -> None:
    contest = full_contest(client)
    contest.close()
    answer = client.get(contest.watch()["events"])
    assert answer.headers["content-type"].startswith("text/event-stream")
    (data,) = (line for line in answer.text.splitlines() if line.startswith("data: "))
    assert json.loads(data.removeprefix("data: ")) == contest.watch()
    assert "event: watch" in answer.text


def test_a_line_is_not_written_behind_another_servers(tmp_path: Path) -> None:
    """Two lines of ours wait to be written; another server is faster than the first of them.

    The second has the right number by then, and names a line that was never written.
    """

    async def play() -> Sequence[bytes]:
        store = await open_store(f"sqlite:///{tmp_path}/arena.db")
        store.shared = True  # as several servers share a PostgreSQL
        ours, theirs = Contests(store), Contests(store)
        name, _ = await ours.make([Part(4, 3, "fair", 1)])
        await theirs.find(name)
        gate, commit = asyncio.Event(), store.commit

        async def late(*appends: Append) -> None:
            await gate.wait()
            await commit(*appends)

        ours.store = cast(Store, SimpleNamespace(commit=late, read=store.read, shared=True))
        waiting = [asyncio.create_task(ours.enter(name, team, "1")) for team in "AB"]
        while len(ours._books[name].book.entries) < 2:
            await asyncio.sleep(0)
        await theirs.enter(name, "C", "1")
        gate.set()
        await asyncio.gather(*waiting)
        stored = await store.read(name)
        await store.close()
        assert stored is not None
        return stored.lines

    events = check_chain(asyncio.run(play()))
    assert [event["team"] for event in events[1:]] == ["C", "A", "B"]


def test_an_entry_is_known_at_once_to_a_server_that_has_not_heard_of_it(database: str) -> None:
    """Found by the campaign: news of a database that was away come late, and it said 404."""
    with TestClient(make_app(database)) as ours, TestClient(make_app(database)) as theirs:
        contest = ours.post("/newcontest", json=FAIR, follow_redirects=False).headers["location"]
        path = contest.removeprefix(str(ours.base_url))
        assert theirs.get(path).json()["state"] == "open", "it has the book in memory"
        entry = {"team_name": "Ada", "software_version": "1"}
        oracle = ours.post(f"{path}/entry", json=entry).json()["oracle_URIs"][0]
        answer = theirs.post(oracle, json={"submission": [0, 1, 2]})
        assert answer.status_code == 200, answer.text
        unknown = oracle.replace(".0.", ".1.")
        problem(theirs.get(unknown), 404, "arena/unknown")
