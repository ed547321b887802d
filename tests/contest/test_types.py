"""Values of a wrong JSON type: both checkers refuse them alike, and neither stops with an error.

Each value of a contest file, at any depth, is replaced by one of each other type. All hashes are
written anew, as a house could do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fairground import cli
from fairground.contest.file import check
from fairground.contest.games import Part
from fairground.transcript import canonical, same_json
from fairground.verifier import verify
from tests.helpers.contests import House, rechained, sections
from tests.helpers.forging import rechain
from tests.helpers.page import deno
from tests.helpers.places import TESTS
from tests.helpers.width import WIDE

Path_ = tuple[str | int, ...]
OTHERS: tuple[Any, ...] = (None, True, False, 0, 1, -1, 2**53 - 1, "", "1", [], [1], {}, {"1": 1})


@cache
def contest() -> list[bytes]:
    """A small contest with every kind of line."""
    house = House([Part(3, 2, "fair", 1), Part(3, 2, "nice", 1, "http://a.example/new")])
    entry = house.enter("A")
    house.start(entry)
    relayed = house.order(0).index(1)
    house.write("failed", entry=0, slot=relayed, reason="no answer", at=1001)
    house.write("recovered", entry=0, slot=relayed, at=1001)
    house.solve(entry, house.order(0).index(0))
    house.enter("B")
    house.write("removed", entry=1, reason="not invited", at=1001)
    house.close()
    lines = house.file()
    assert check(b"".join(lines)).ok
    return lines


def places(value: Any, at: Path_ = ()) -> Iterator[Path_]:
    """Where a value, or a value in it, stands."""
    if at:
        yield at
    inside: Any = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        inside = enumerate(value)
    for key, item in inside:
        yield from places(item, (*at, key))


def mutants(event: dict[str, Any]) -> Iterator[bytes]:
    """A line with one value of another type, or with the other number, word or truth."""
    for at in places(event):
        if at == ("prev",):
            continue
        for other in OTHERS:
            changed = json.loads(json.dumps(event))
            inner = changed
            for key in at[:-1]:
                inner = inner[key]
            if not same_json(inner[at[-1]], other):
                inner[at[-1]] = other
                yield canonical(changed) + b"\n"


@cache
def mutant_files() -> list[bytes]:
    lines = contest()
    layout = sections(lines)
    return [
        b"".join(rechained([*lines[:i], line, *lines[i + 1 :]], layout))
        for i, original in enumerate(lines)
        for line in mutants(json.loads(original))
    ]


def test_both_checkers_refuse_every_mutant_by_the_same_fault_and_line(tmp_path: Path) -> None:
    mutants = mutant_files()
    assert len(mutants) > 3_000
    files = {tmp_path / f"{i}.jsonl": mutants[i] for i in range(0, len(mutants), 1 if WIDE else 5)}
    for path, data in files.items():
        path.write_bytes(data)
    words = [word for path in files for word in ("--contest", str(path))]
    out = deno("run", "--allow-read", "check/cli.ts", *words).splitlines()
    different = []
    for (path, data), line in zip(files.items(), out, strict=True):
        verdict = check(data)
        json.dumps(verdict.as_json())
        fault, theirs = verdict.fault, json.loads(line)["fault"]
        assert fault is not None and fault.line, data
        if (theirs["code"], theirs["line"]) != (fault.code, fault.line):
            different.append(f"{path}: {fault.code} {fault.line} {fault.reason} {theirs}")
    assert not different, "\n".join(different[:20])


@pytest.mark.parametrize("final", ["1", "null", '"true"', "[true]"])
def test_json_is_one_object_whatever_the_standings_hold(
    final: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``"final":1`` equals ``true`` in Python, and was an IndexError."""
    *lines, last = contest()
    path = tmp_path / "contest.jsonl"
    path.write_bytes(b"".join([*lines, last.replace(b"true", final.encode(), 1)]))
    assert cli.main(["verify", "--contest", str(path), "--json"]) == 1
    fault = json.loads(capsys.readouterr().out)["fault"]
    assert (fault["code"], fault["line"]) == ("contest/standings", len(lines) + 1)
    assert "final is true" in fault["reason"]


def test_json_is_one_object_for_files_that_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "contest.jsonl"
    path.write_bytes(b"".join(contest()))
    for words in (
        [str(tmp_path / "none")],
        [str(path), "--receipts", str(tmp_path / "none")],
        [str(path), "--receipt", "abc"],
    ):
        assert cli.main(["verify", "--json", "--contest", *words]) == 2
        told = json.loads(capsys.readouterr().out)
        assert told["fault"]["reason"]
        assert told.keys() == check(path.read_bytes()).as_json().keys()


RECORDS = [
    "intransitive-1-seed--hmac-sha3-user-number--left",
    "fatestones-1-deal--hash-chains-chain",
    "codebreaking-1-fair--hash-chains-chain",
]


@pytest.mark.parametrize("name", RECORDS)
def test_of_a_transcript_both_checkers_say_the_same(name: str, tmp_path: Path) -> None:
    """Another die, or another word of a seat that leaves, may make another valid record."""
    lines = (TESTS / "playthroughs" / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    ours: dict[str, Any] = {}
    for i, original in enumerate(lines[:25]):
        for line in mutants(json.loads(original)):
            data = rechain(list(map(json.loads, [*lines[:i], line, *lines[i + 1 :]])))
            path = tmp_path / f"{len(ours)}.jsonl"
            path.write_bytes(data)
            ours[str(path)] = verify(data).as_json()
    out = deno("run", "--allow-read", "check/cli.ts", standard_input="\n".join(ours))
    different = []
    for theirs in map(json.loads, out.splitlines()):
        mine = ours.pop(theirs["file"])
        if said(theirs) != said(mine):
            different.append(f"{theirs['file']}: {mine['fault']} {theirs['fault']}")
    assert not ours
    assert not different, "\n".join(different[:20])


def said(verdict: dict[str, Any]) -> tuple[Any, ...]:
    fault = verdict["fault"]
    return verdict["verdict"], fault and (fault["code"], fault["line"])
