"""Every reader, with mistakes in what it reads: no traceback, no hang, no memory without bounds.

Every input must give a value, or an error of ours. Each reader has samples that it takes; they
are changed at random (bytes moved, doubled, left out, values of JSON replaced), and given to it for
its share of the time.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

LONGEST = 20
"""Seconds that one reading may take."""

MOST = 400
"""MB by which the memory may grow over all of them."""


class Reader(NamedTuple):
    """Something that reads, and samples that it takes."""

    read: Callable[[bytes], object]
    samples: list[bytes]


class TooLong(Exception):
    """It did not come back."""


def _late(*_: object) -> None:
    raise TooLong


def readers(folder: Path, quick: bool) -> dict[str, Reader]:
    """All of them, by name; ``quick``: without the one that needs a solver to be made ready."""
    from fairground.bank.calls import Envelope, call_from_json, event_from_json
    from fairground.bank.ledger.lines import read_ledger
    from fairground.contest.file import check
    from fairground.games.fatestones.rows import report, text_cells
    from fairground.games.fatestones.rules import parse_dice
    from fairground.games.intransitive.screen import DiceParser
    from fairground.games.zombie.setup import read_config
    from fairground.verifier import verify

    ini = folder / "zdice.ini"

    def config(data: bytes) -> object:
        ini.write_bytes(data)
        return read_config(str(ini))

    def episodes(data: bytes) -> object:
        return report(text_cells(data.decode(errors="replace").splitlines()))

    lines = _ledger(folder)
    calls = [json.loads(line) for line in lines[1:]]
    sealed = ("sender", "number", "call", "signature")
    envelopes = [{name: one[name] for name in sealed} for one in calls if "call" in one]
    events = [event for one in calls for event in one.get("events", ())]
    return {
        "transcripts": Reader(verify, _files("played-*.jsonl")),
        "contest files": Reader(check, _files("contest*.jsonl")),
        "INI files": Reader(config, [(ROOT / "examples" / "zdice.ini").read_bytes()]),
        "dice": Reader(
            lambda data: DiceParser().parse(data.decode(errors="replace").split(" ")),
            [b"2,2,4,4,9,9 6,8,1,1,8,6 7,5,3,7,5,3", b"-1,+2,3 4,5,6 7,8,9"],
        ),
        "dice files": Reader(
            lambda data: parse_dice(data.decode(errors="replace")),
            [b"123456\n1 2 3 4 5 6\n# none\n\n333444\n" * 3],
        ),
        **({} if quick else {"episodes": Reader(episodes, [_episodes(folder)])}),
        "ledger lines": Reader(
            lambda data: read_ledger(data.splitlines(keepends=True)), [b"".join(lines)]
        ),
        "EIP-712 envelopes": Reader(
            lambda data: Envelope.from_json(json.loads(data)).checked(),
            [json.dumps(one).encode() for one in envelopes],
        ),
        "calls": Reader(
            lambda data: call_from_json(json.loads(data)),
            [json.dumps(one["call"]).encode() for one in envelopes],
        ),
        "events of a Bank": Reader(
            lambda data: event_from_json(json.loads(data)),
            [json.dumps(one).encode() for one in events],
        ),
    }


def _files(pattern: str) -> list[bytes]:
    return [p.read_bytes() for p in sorted((ROOT / "tests" / "vectors" / "games").glob(pattern))]


def _episodes(folder: Path) -> bytes:
    from fairground.cli import main

    out = folder / "rows.txt"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = main(["simulate", "fatestones", "--games", "20", "--seed", "1", "--out", str(out)])
    assert code == 0
    return out.read_bytes()


def _ledger(folder: Path) -> list[bytes]:
    """The lines of a real ledger, with a hand played in it."""
    from tests.helpers.bank_laws import furnished
    from tests.helpers.banks import Clock, LedgerHouse, ledger

    async def played() -> list[bytes]:
        clock = Clock()
        async with ledger(f"sqlite:///{folder}/ledger.db", clock) as bank:
            house = await furnished(LedgerHouse(bank, clock))
            game = await house.play()
            await game.take(bank, 7)
            return list(await bank.lines())

    return asyncio.run(played())


def with_mistakes(data: bytes, chance: random.Random) -> bytes:
    """Bytes changed, moved, doubled, left out; or a value of some line of JSON replaced."""
    if chance.random() < 0.4:
        return _another_value(data, chance)
    out = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        at, size = chance.randrange(len(out)), chance.randrange(1, 20)
        piece, kind = bytes(out[at : at + size]), chance.randrange(4)
        if kind == 0:
            out[at] = chance.randrange(256)
        elif kind == 1:
            del out[at : at + size]
        elif kind == 2:
            out[at:at] = piece * chance.randrange(1, 50)
        else:
            odd = [
                b"\r\n",
                b"\0",
                b"\xff",
                b"9" * 50,
                b"[" * 200,
                b'"',
                b"-",
                b"1e999",
                b"\xed\xa0\x80",
            ]
            out[at:at] = chance.choice(odd)
        out = out or bytearray(b"x")
    return bytes(out)


ODD_BYTES = [b"\r\n", b"\0", b"\xff", b"9" * 50, b"[" * 200, b'"', b"-", b"1e999", b"\xed\xa0\x80"]
ODD: list[Any] = [
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**400, 1.5, -0.0, 1e300),
    *("", "0", "x" * 3000, "\0", "\u202e", "\ud800", "0x", "a" * 64, "f" * 130, "١٢"),
    *([], {}, [[]], [None] * 3, {"": 0}, [0] * 2000),
]


def _another_value(data: bytes, chance: random.Random) -> bytes:
    """One value somewhere in one line replaced by an odd one; chains are not written anew."""
    lines = data.splitlines(keepends=True) or [data]
    at = chance.randrange(len(lines))
    try:
        event = json.loads(lines[at])
    except ValueError:
        return data[: chance.randrange(len(data) + 1)]
    place: Any = event
    while isinstance(place, (dict, list)):
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            break
        key = chance.choice(keys)
        if isinstance(place[key], (dict, list)) and place[key] and chance.random() < 0.7:
            place = place[key]
            continue
        place[key] = chance.choice(ODD)
        break
    text = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    lines[at] = text.encode("utf-8", errors="surrogatepass") + b"\n"
    return b"".join(lines)


def run(seconds: float, chance: random.Random, quick: bool = False) -> dict[str, Any]:
    """Read for so long; what broke, with the bytes that did it."""
    from fairground.core import FairgroundError

    found: dict[str, Any] = {"read": {}, "broken": []}
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.signal(signal.SIGALRM, _late)
    with tempfile.TemporaryDirectory(prefix="fairground-readers-") as place:
        every = readers(Path(place), quick)
        for name, (read, samples) in every.items():
            until, count = time.monotonic() + seconds / len(every), 0
            while time.monotonic() < until:
                data = with_mistakes(chance.choice(samples), chance)
                signal.alarm(LONGEST)
                try:
                    read(data)
                except (FairgroundError, json.JSONDecodeError, UnicodeDecodeError):
                    pass  # an error of ours; and what is no JSON is not given to those readers
                except Exception:
                    told = traceback.format_exc(limit=-2)
                    found["broken"].append(
                        {"reader": name, "error": told, "data": repr(data[:500])}
                    )
                finally:
                    signal.alarm(0)
                count += 1
            found["read"][name] = count
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found["memory grew by MB"] = round((after - before) / 1024)
    return found


def is_broken(found: dict[str, Any]) -> bool:
    """Return True if a promise was broken."""
    return bool(found["broken"]) or found["memory grew by MB"] > MOST
