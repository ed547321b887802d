"""Two checkers that share no code, and the same verdicts: `fairground verify` and ``web/check``.

The second one is TypeScript, written from the documents alone; Deno runs it.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fairground.bank.audit import verify_session
from fairground.contest.file import check as check_contest
from fairground.core import Fault
from fairground.escape import shown
from fairground.games import make_game
from fairground.receipts import found
from fairground.testing.driving import play_through
from fairground.testing.modes import mode
from fairground.transcript import line_hash
from fairground.verifier import verify
from tests.helpers.page import WEB, deno
from tests.helpers.places import DATA, TESTS
from tests.helpers.width import WIDE

RECORDS = sorted(
    path
    for folder in (TESTS / "vectors" / "games", TESTS / "playthroughs", DATA / "claims")
    for path in folder.glob("*.jsonl")
    if not path.name.startswith("contest")
)


@cache
def theirs() -> dict[str, dict[str, Any]]:
    """What the second checker says of every record, all in one process."""
    names = "\n".join(map(str, RECORDS))
    out = deno("run", "--allow-read", "check/cli.ts", standard_input=names)
    verdicts = [json.loads(line) for line in out.splitlines()]
    assert len(verdicts) == len(RECORDS)
    return {verdict["file"]: verdict for verdict in verdicts}


def agreed(verdict: dict[str, Any]) -> dict[str, Any]:
    """What both must say alike: the verdict, the fault, every claim in full, the payoff."""
    fault = verdict["fault"]
    return {
        "verdict": verdict["verdict"],
        "fault": fault and (fault["code"], fault["line"]),
        "payoff": verdict["payoff"],
        "result": verdict["result"],
        "answers": verdict["answers"],
        "owed": verdict["owed"],
        "claims": [
            {name: claim[name] for name in ("claim", "seat", "name", "lines", "witness")}
            | {"says": (claim["condition"], claim["result"])}
            for claim in verdict["claims"]
        ],
    }


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_both_say_the_same(path: Path) -> None:
    data = path.read_bytes()
    ours = verify(data, found(path, data)).as_json()
    assert agreed(theirs()[str(path)]) == agreed(json.loads(json.dumps(ours)))


@pytest.mark.parametrize("many", [False, True])
def test_of_many_runs_without_a_receipt_both_say_the_ranges(tmp_path: Path, many: bool) -> None:
    """The condition stays a sentence; the witness lists every run."""
    game = make_game("zombie/2", {"players": 2, "max_turns": 20})
    table = play_through(game, mode("hmac-sha3-user-number"))
    data = bytes(table.transcript)
    (tmp_path / "long.jsonl").write_bytes(data)
    lines = data.splitlines(keepends=True)
    tickets = [line_hash(line) for line in lines if b'"kind":"ticket"' in line]
    heads = tickets[::3] if many else tickets[19:24]
    words = [word for head in heads for word in ("--receipt", head)]
    said = deno("run", "--allow-read", "check/cli.ts", str(tmp_path / "long.jsonl"), *words)
    ours = verify(data, heads).as_json()
    assert agreed(json.loads(said)) == agreed(json.loads(json.dumps(ours)))
    (claim,) = [claim for claim in ours["claims"] if claim["claim"] == "COMMITTED"]
    (listed,) = re.findall(", and for runs (.*) the house wrote", claim["condition"])
    *pieces, last = re.split(", | and ", listed)
    more = re.fullmatch("([0-9]+) more", last)
    spans = [piece.split(" to ") for piece in (pieces if more else [*pieces, last])]
    meant = [run for span in spans for run in range(int(span[0]), int(span[-1]) + 1)]
    told = claim["witness"]["told"]
    assert meant == told[: len(meant)] and len(told) > 24
    assert len(told) - len(meant) == (int(more[1]) if more else 0)
    assert (len(spans), more is not None) == ((12, True) if many else (2, False))


CONTESTS = sorted((TESTS / "vectors" / "games").glob("contest*.jsonl"))


@pytest.mark.parametrize("receipted", [False, True])
def test_both_say_the_same_of_contests(receipted: bool) -> None:
    # The book's first line is the file's second. It is the same in all of these files.
    first = CONTESTS[0].read_bytes().splitlines(keepends=True)[1]
    kept = [line_hash(first)] if receipted else []
    words = [word for path in CONTESTS for word in ("--contest", str(path))]
    words += [word for head in kept for word in ("--receipt", head)]
    out = deno("run", "--allow-read", "check/cli.ts", *words)
    for path, line in zip(CONTESTS, out.splitlines(), strict=True):
        theirs, ours = json.loads(line), check_contest(path.read_bytes(), kept).as_json()
        assert theirs.pop("file") == str(path)
        for verdict in (theirs, ours):
            if verdict["fault"]:
                del verdict["fault"]["reason"]
        assert theirs == json.loads(json.dumps(ours)), path.name


def test_it_is_typed_tidy_and_passes_its_own_tests() -> None:
    deno("check")
    deno("lint")
    deno("fmt", "--check")
    assert "0 failed" in deno("test", "--allow-read=..", "test")


def test_it_is_pure() -> None:
    """Only its command touches files; nothing of it touches a network or a page."""
    for path in WEB.glob("check/**/*.ts"):
        text = path.read_text()
        for word in ("fetch(", "XMLHttpRequest", "document.", "window.", "localStorage", "Deno."):
            assert word not in text, f"{path.name} has {word}"
        if path.name != "cli.ts":
            assert "node:" not in text, f"{path.name} touches the system"


def test_a_name_that_deceives_is_shown_alike() -> None:
    verdict = theirs()[str(DATA / "claims" / "G-name-prints-claims.jsonl")]
    assert "\x1b" not in json.dumps(verdict, ensure_ascii=False)
    assert shown("\x1b") == "\\u001b"


SESSIONS = sorted((DATA / "sessions").glob("*.jsonl"))


def forged(data: bytes) -> list[bytes]:
    """Records of sessions that were changed: lines left out, turned round, and single digits."""
    lines = data.splitlines(keepends=True)
    changed = [b"".join(lines[:i] + lines[i + 1 :]) for i in range(len(lines))]
    changed.append(b"".join([lines[0], *lines[1:-1][::-1], lines[-1]]))
    step = len(data) // (200 if WIDE else 12)
    for at in range(11, len(data), step):
        if chr(data[at]) in "0123456789abcdef":
            other = b"1" if data[at : at + 1] == b"0" else b"0"
            changed.append(data[:at] + other + data[at + 1 :])
    return [one for one in changed if one != data]


def test_both_say_the_same_of_sessions(tmp_path: Path) -> None:
    """Both tell hands, balance, answers and claim; or which line is wrong, and why."""
    files = [*SESSIONS]
    for path in SESSIONS:
        for number, data in enumerate(forged(path.read_bytes())):
            files.append(tmp_path / f"{path.stem}-{number}.jsonl")
            files[-1].write_bytes(data)
    options = [part for path in files for part in ("--session", str(path))]
    out = deno("run", "--allow-read", "check/cli.ts", *options)
    valid = 0
    for path, said in zip(files, map(json.loads, out.splitlines()), strict=True):
        found = (said["fault"] and (said["fault"]["code"], said["fault"]["line"]), said["share"])
        try:
            verdict = verify_session(path.read_bytes())
            ours: tuple[Any, Any] = None, str(verdict.share)
            valid += 1
            assert said["result"] == verdict.result, path.name
            assert said["answers"] == [answer._asdict() for answer in verdict.answers], path.name
            (claim,) = said["claims"]
            assert verdict.sentence().startswith(claim["result"]), path.name
        except Fault as fault:
            ours = (fault.code, fault.line), None
        assert found == ours, (path.name, said)
    assert valid == len(SESSIONS) + 1, "of the others, only one that leaves out its disputed hand"
