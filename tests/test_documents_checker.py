"""The documents suffice: a checker written from them agrees with every vector that it covers."""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.contest.file import check as theirs
from fairground.verify import verify
from tests.document_checker.bits import NotCovered
from tests.document_checker.claims import judge
from tests.document_checker.contest import check
from tests.helpers.contests import rechained, sections
from tests.helpers.forging import events_of, plain_line, rechain
from tests.test_forgeries import JSON, paths
from tests.vector_games import told

HERE = Path(__file__).parent
GAMES = HERE / "vectors" / "games"
INDEX = json.loads((GAMES / "index.json").read_text())["transcripts"]
COVERED = ("hmac-sha3-user/1", "hash-chains/1", "contest/1")
NAMES = [case["name"] for case in INDEX if case["dealer"] in (*COVERED, "dowsing/1", None)]


def test_the_checker_imports_nothing_of_ours() -> None:
    for path in (HERE / "document_checker").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.startswith("fairground")]


@pytest.mark.parametrize("name", NAMES)
def test_it_agrees(name: str) -> None:
    kept = GAMES / f"{name}.receipts"
    found = judge((GAMES / f"{name}.jsonl").read_bytes(), kept.read_text() if kept.exists() else "")
    assert found == json.loads((GAMES / f"{name}.verdict.json").read_text())


def test_it_knows_what_it_does_not_cover() -> None:
    others = [case["name"] for case in INDEX if case["name"] not in NAMES]
    assert len(NAMES) > 200 and others
    for name in others:
        try:
            found = judge((GAMES / f"{name}.jsonl").read_bytes())
        except NotCovered:
            continue
        expected = json.loads((GAMES / f"{name}.verdict.json").read_text())
        assert found == expected, "refused before the scheme matters"


@pytest.mark.parametrize(
    "path", sorted((HERE / "playthroughs").glob("*.jsonl")), ids=lambda path: path.stem
)
def test_it_takes_every_playthrough_that_it_covers(path: Path) -> None:
    dealer = json.loads(path.read_text().splitlines()[0])["dealer"]
    if dealer in COVERED:
        assert judge(path.read_bytes())["verdict"] == "valid"
    else:
        with pytest.raises(NotCovered):
            judge(path.read_bytes())


CONTESTS = json.loads((GAMES / "index.json").read_text())["contests"]


@pytest.mark.parametrize("name", CONTESTS)
def test_it_agrees_on_contest_files(name: str) -> None:
    found = check((GAMES / f"{name}.jsonl").read_bytes())
    expected = json.loads((GAMES / f"{name}.verdict.json").read_text())
    for part in found:
        assert found[part] == expected[part]


@settings(max_examples=60)
@given(st.data())
def test_it_agrees_on_forged_contest_files(data: st.DataObject) -> None:
    lines = (GAMES / "contest.jsonl").read_bytes().splitlines(keepends=True)
    layout = sections(lines)
    i = data.draw(st.integers(0, len(lines) - 1))
    event = json.loads(lines[i])
    places = [path for path in paths(event) if path and path != ("prev",)]
    path = data.draw(st.sampled_from(places))
    spot: Any = event
    for step in path[:-1]:
        spot = spot[step]
    spot[path[-1]] = data.draw(st.integers(0, 3) | st.sampled_from(["x", "solved", True, None]))
    lines[i] = plain_line(event)
    try:
        forged = b"".join(rechained(lines, layout))
    except (TypeError, KeyError):
        return  # a heading that no longer counts its lines cannot be chained anew
    expected = theirs(forged)
    found = check(forged)
    assert found["ok"] == expected.ok
    if expected.fault is not None:
        assert found["fault"]["line"] == expected.fault.line


@cache
def short_games() -> list[bytes]:
    valid = [case["name"] for case in INDEX if case["verdict"] == "valid"]
    games = [(GAMES / f"{name}.jsonl").read_bytes() for name in valid if name in NAMES]
    return [data for data in games if data.count(b"\n") < 40]


WHAT = ("change", "change", "change", "delete", "double", "swap", "note", "leave", "cut", "void")
PLACE = st.integers(0, 10_000)


def mutate(data: st.DataObject, events: list[dict[str, Any]]) -> None:
    """Do to a record what a house could do that owns the file."""
    what, i = data.draw(st.sampled_from(WHAT)), data.draw(PLACE) % len(events)
    if what == "change":
        places = [path for path in paths(events[i]) if path and path != ("prev",)]
        path = places[data.draw(PLACE) % len(places)]
        spot: Any = events[i]
        for step in path[:-1]:
            spot = spot[step]
        spot[path[-1]] = data.draw(JSON | st.integers(0, 5))
    elif what == "delete" and i:
        events.pop(i)
    elif what == "double":
        events.insert(i, dict(events[i]))
    elif what == "swap":
        j = data.draw(PLACE) % len(events)
        events[i], events[j] = events[j], events[i]
    elif what == "note":
        events.insert(i, {"kind": "note", "body": {}})
    elif what == "leave":
        seat, by = data.draw(st.integers(0, 2)), data.draw(st.sampled_from(["seat", "house"]))
        events.insert(i, {"kind": "forfeit", "seat": seat, "by": by, "reason": ""})
    elif what == "cut" and i:
        del events[i:]
    elif what == "void":
        lost = {"kind": "void", "code": "vault/lost", "reason": "gone"}
        events[i:] = [lost, {"kind": "end", "payoff": None}]


@settings(max_examples=300)
@given(st.data())
def test_it_agrees_on_forgeries(data: st.DataObject) -> None:
    events = events_of(data.draw(st.sampled_from(short_games())))
    for _ in range(data.draw(st.integers(1, 3))):
        mutate(data, events)
    try:
        forged = rechain(events)
        found = judge(forged)
    except (UnicodeEncodeError, NotCovered):
        return  # a lone surrogate cannot be written; another scheme is not covered
    expected = told(verify(forged))
    if expected["fault"] is not None and found["fault"] is not None:
        # Several faults may lie on one line: there the order of the checks within a line decides.
        assert found["fault"]["line"] == expected["fault"]["line"]
    for part in ("verdict", "claims", "payoff"):
        assert found[part] == expected[part]
