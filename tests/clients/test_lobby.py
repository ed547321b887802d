"""The client's lobby and its stream, at a live arena."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from fairground.clients.http import Http, Refused, Unreachable
from fairground.clients.table import (
    RemoteSeat,
    contests,
    follow,
    hint,
    open_table,
    play,
    remark,
    rematch,
    sit_down,
    tables,
)
from fairground.server.app import make_app
from tests.helpers.arena import Process, in_a_thread, play_all

ZOMBIE = {"game": "zombie/2", "params": {"players": 2, "brains_to_win": 3}}
ADA = {"name": "Ada", "lends": "chain"}


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[str]:
    with in_a_thread(make_app(f"sqlite:///{tmp_path}/arena.db")) as url:
        yield url


def opened(arena: str, **more: Any) -> tuple[str, str]:
    """A listed table with an open seat: its id, and the seat that is taken."""
    made = open_table(arena, {**ZOMBIE, "seats": [ADA, {"open": True}], "listed": True, **more})
    return made["self"].rpartition("/")[2], made["seats"][0]["url"]


def test_two_meet_play_talk_and_play_again(arena: str) -> None:
    name, ada = opened(arena)
    (row,) = tables(arena, state="open", game="zombie/2")
    assert row["id"] == name and list(tables(arena, game="fatestones/1")) == []
    bob = sit_down(arena, name, "Bob", lends="chain")
    remark(bob, "Good luck!")
    with pytest.raises(Refused, match="no seat is open"):
        sit_down(arena, name, "Eve")
    played = play_all([ada, bob], "cautious")
    assert all(one.verdict.ok for one in played)
    assert b'{"body":{"remark":"Good luck!","seat":1}' in played[0].transcript
    again = [rematch(ada), rematch(bob)]
    assert all(one.verdict.ok for one in play_all(again, "cautious"))
    assert [row["state"] for row in tables(arena, state="over")] == ["over", "over"]


def test_all_pages_are_read(arena: str) -> None:
    names = [opened(arena, options={"length": 2})[0] for _ in range(25)]
    assert [row["id"] for row in tables(arena)] == names[::-1]
    for games in (1, 2):
        Http().send("POST", f"{arena}/newcontest", {"base": 3, "length": 2, "games": games})
    assert [row["parts"][0]["games"] for row in contests(arena)] == [2, 1]
    with pytest.raises(Unreachable, match="no list of tables"):
        list(tables(f"{arena}/schema/openapi.json?x="))


def test_a_hint_is_given_to_who_is_to_move(arena: str) -> None:
    made = open_table(
        arena,
        {
            "game": "intransitive/1",
            "dealer": "system/1",
            "seats": [{"name": "Bot", "player": "optimal"}, {"name": "Ada"}],
        },
    )
    seat = made["seats"][1]["url"]
    told = hint(seat)
    assert told["exact"] and told["move"] in Http().get(seat)["moves"]


def test_one_stream_tells_of_all_and_can_be_gone_on_with(arena: str) -> None:
    name, ada = opened(arena)
    topics = [f"table:{name}", f"seat:{name}/{ada.rpartition('/')[2]}", "lobby"]
    stream = follow(arena, topics)
    first = [next(stream) for _ in range(2)]
    assert {told.kind for told in first} == {"seat", "lobby"}, "a table has no line yet"
    bob = sit_down(arena, name, "Bob", lends="chain")
    seen = RemoteSeat(bob)
    lines: list[bytes] = []
    while len(lines) < len(seen.lines):
        told = next(stream)
        if told.kind == "table":
            lines.append(told.data["text"].encode() + b"\n")
            cursor = told.cursor
    stream.close()
    play_all([ada, bob], "cautious")
    seen.look()
    rest = islice(follow(arena, topics[:1], after=cursor), len(seen.lines) - len(lines))
    assert lines + [told.data["text"].encode() + b"\n" for told in rest] == seen.lines


def test_a_stream_survives_a_restart_and_says_when_nobody_is_there(tmp_path: Path) -> None:
    options = "--database", f"sqlite:///{tmp_path}/arena.db", "--no-croupier"
    paused: list[float] = []
    with ExitStack() as running:
        first = running.enter_context(Process(tmp_path, *options))
        made = open_table(
            first.url, {**ZOMBIE, "seats": [ADA, {"name": "Bot", "player": "random"}]}
        )
        seat = made["seats"][0]["url"]

        def restart(seconds: float) -> None:
            """While the client waits before it tries again."""
            if not paused:
                port = first.url.rpartition(":")[2]
                running.enter_context(Process(tmp_path, *options, "--port", port))
                play(seat, "random")
            paused.append(seconds)

        stream = follow(first.url, [f"table:{made['self'].rpartition('/')[2]}"], pause=restart)
        found = [next(stream).data]
        assert first.end() == 0
        while '"kind":"end"' not in found[-1]["text"]:
            found.append(next(stream).data)
        data = Http().send("GET", f"{made['self']}/transcript").data.decode()
    assert [one["text"] for one in found] == data.splitlines()
    with pytest.raises(Unreachable, match="does not answer any more"):
        next(stream)
    assert len(paused) > 5
