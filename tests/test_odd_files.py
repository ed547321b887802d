"""Both checkers judge odd files alike: parameters, seats, receipts and bytes that nobody writes.

`docs/format.md` decides each case; the pinned verdicts below are its sentences.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fairground.core import FairgroundError
from fairground.receipts import read_receipts, table_of
from fairground.verifier import verify
from tests.helpers.forging import events_of, rechain
from tests.helpers.page import deno
from tests.helpers.places import TESTS

GAMES = TESTS / "vectors" / "games"
DICE = (GAMES / "receipts-all--hmac-sha3-user-number.jsonl").read_bytes()
RECEIPTS = (GAMES / "receipts-all--hmac-sha3-user-number.receipts").read_bytes()
PLAYED = {
    path.name.split("-")[1]: path.read_bytes()
    for path in sorted(GAMES.glob("played-*--hash-chains-chain.jsonl"))
}
FIRST: dict[str, Any] = json.loads(RECEIPTS.splitlines()[0])
BOM = b"\xef\xbb\xbf"
ODD_SIGNS = "\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029\u00a0\ufeff\t \r\x00"
FACES = ["1_0", "２", "٣", "+1", " 1\t", "", "9" * 3999, "9" * 4000, "-" + "9" * 4000, "9" * 4001]
FACES += ["0x1", "1.0", "-0", "00", "0" * 5000, "\u00a01", "1\u2028", "\x0b1", "\n1"]
VALUES: list[Any] = [None, True, "x", "1", 0, -1, [], {}, 10**15, [[]], [None], ["1"]]
MEMBERS = {
    "nan": '"x":NaN',
    "infinite": '"x":-Infinity',
    "deep": f'"x":{"[" * 3000}{"]" * 3000}',
    "31 deep": f'"x":{"[" * 31}{"]" * 31}',
    "32 deep": f'"x":{"[" * 32}{"]" * 32}',
    "5,000 digits": f'"x":{"9" * 5000}',
    "a large exponent": '"x":1e999',
    "a head twice": '"head":"x"',
    **{f"seat {seat}": f'"seat":{seat}' for seat in ("1.0", "1e0", "-0", "9" * 23, "0.5", "true")},
    'seat "1"': '"seat":"1"',
    "seat 1e999": '"seat":1e999',
}
BYTES = {
    "nan": b'{"kind":NaN}\n',
    "infinite": b'{"kind":-Infinity}\n',
    "a mark before a game": BOM + DICE,
    "a mark": BOM + b'{"kind":"start"}\n',
    "deep": b'{"kind":' + b"[" * 40 + b"]" * 40 + b"}\n",
    "twice": b'{"kind":1,"kind":2}\n',
    "a control sign": b'{"kind":"\x01"}\n',
    "an event in line 2": b'x\n{"kind":2}\n',
    "no line feed": b'{"kind":1}',
    "no UTF-8": b'{"kind":"\xff"}\n',
    "a surrogate": b'{"kind":"\\ud800"}\n',
    "5,000 digits": b'{"kind":' + b"9" * 5000 + b"}\n",
    "a large exponent": b'{"kind":1e999}\n',
    "CR LF": b'{"kind":1}\r\n',
    "nothing": b"",
    "blank lines": b"\n\n",
    "an array": b'[{"kind":1}]\n',
    "two values": b'{"kind":1} x\n',
    "a blank first": b' {"kind":1}\n',
    "another blank first": b'\x0b{"kind":1}\n',
}


class Case(NamedTuple):
    """A transcript, and the receipts beside it."""

    name: str
    data: bytes
    receipts: bytes | None = None


def parameters() -> Iterator[Case]:
    for face in FACES:
        events = events_of(DICE)
        events[0]["params"] = {"dice": [f"{face},2", [1], [2]]}
        yield Case(f"face {face[:9]!r}", rechain(events))
    for game, data in PLAYED.items():
        start = events_of(data)[0]
        for name in [*start["params"], "odd"]:
            for value in VALUES:
                events = events_of(data)
                events[0]["params"][name] = value
                yield Case(f"{game} {name} {value}", rechain(events))
        for member in ("by", "lends"):
            events = events_of(data)
            del events[0]["seats"][0][member]
            yield Case(f"{game} without {member}", rechain(events))
    for member in ("seats", "game", "dealer", "table", "params", "public"):
        events = events_of(DICE)
        events[0][member] = 1
        yield Case(f"start {member}", rechain(events))


def receipts() -> Iterator[Case]:
    whole, lines = RECEIPTS.decode(), RECEIPTS.decode().splitlines()
    texts = {
        "CR LF": whole.replace("\n", "\r\n"),
        "capitals": json.dumps({**FIRST, "head": FIRST["head"].upper()}),
        "a Kelvin sign": json.dumps({**FIRST, "head": "\u212a" + FIRST["head"][1:]}),
        "a wide digit": json.dumps({**FIRST, "head": "\uff11" + FIRST["head"][1:]}),
        **{odd: f"{odd}\n" for odd in ("[1]", "1", '{"seat":1}', '{"head":1}', "", "null")},
        "two on a line": lines[0] + lines[1],
        **{
            name: f"{json.dumps({k: v for k, v in FIRST.items() if k != 'seat'})[:-1]},{member}}}"
            for name, member in MEMBERS.items()
        },
    }
    for sign in ODD_SIGNS:
        texts[f"{ord(sign):x} around a line"] = f"{sign}{lines[0]}{sign}\n"
        texts[f"{ord(sign):x} alone"] = f"{sign}\n{whole}"
        texts[f"{ord(sign):x} around a head"] = json.dumps(
            {**FIRST, "head": f"{sign}{FIRST['head']}{sign}"}
        )
        texts[f"{ord(sign):x} within"] = json.dumps({**FIRST, "x": f"a{sign}b"}, ensure_ascii=False)
    for name, text in texts.items():
        yield Case(f"receipts: {name}", DICE, text.encode())
    yield Case("receipts: a mark", DICE, BOM + RECEIPTS)
    yield Case("receipts: no UTF-8", DICE, b'{"head":"\xff"}\n')


CASES = [*parameters(), *receipts(), *(Case(f"bytes: {n}", data) for n, data in BYTES.items())]


def our_verdict(path: Path) -> tuple[Any, ...]:
    data, beside = path.read_bytes(), path.with_suffix(".receipts")
    try:
        kept = read_receipts(beside, table_of(data)) if beside.exists() else []
        verdict = verify(data, kept)
    except FairgroundError as error:
        return "cannot be judged", error.code, None, []
    fault = verdict.fault
    claims = [
        (claim.name, claim.seat, claim.witness and claim.witness.by) for claim in verdict.claims
    ]
    return verdict.judged, fault and fault.code, fault and fault.line, claims


def their_verdict(said: dict[str, Any]) -> tuple[Any, ...]:
    fault = said["fault"]
    claims = [
        (claim["claim"], claim["seat"], claim["witness"] and claim["witness"]["by"])
        for claim in said["claims"]
    ]
    return said["verdict"], fault and fault["code"], fault and fault["line"], claims


def test_both_checkers_judge_odd_files_alike(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.jsonl" for number in range(len(CASES))]
    for path, case in zip(paths, CASES, strict=True):
        path.write_bytes(case.data)
        if case.receipts is not None:
            path.with_suffix(".receipts").write_bytes(case.receipts)
    out = deno("run", "--allow-read", "check/cli.ts", *map(str, paths))
    told = {
        case.name: (our_verdict(path), their_verdict(json.loads(said)))
        for case, path, said in zip(CASES, paths, out.splitlines(), strict=True)
    }
    assert {name: two for name, two in told.items() if two[0] != two[1]} == {}
    found = {name: ours[:3] for name, (ours, _) in told.items()}
    assert {name: found[name] for name in PINNED} == PINNED


UNREADABLE = ("cannot be judged", "input/unreadable", None)
VALID = ("valid", None, None)

PINNED = {
    "face '1_0'": ("invalid", "game/params", 1),
    "face '+1'": ("invalid", "table/mismatch", 1),
    "start seats": ("invalid", "transcript/malformed", 1),
    "start game": ("cannot be judged", "name/unknown", 1),
    "bytes: nan": UNREADABLE,
    "bytes: a mark before a game": ("invalid", "transcript/not-canonical", 1),
    "bytes: a mark": UNREADABLE,
    "bytes: deep": UNREADABLE,
    "receipts: a mark": VALID,
    "receipts: CR LF": VALID,
    "receipts: capitals": VALID,
    "receipts: nan": UNREADABLE,
    "receipts: 31 deep": VALID,
    "receipts: 32 deep": UNREADABLE,
    "receipts: 5,000 digits": VALID,
    "receipts: 2028 within": VALID,
    "receipts: b alone": UNREADABLE,
    "receipts: a0 around a head": ("cannot be judged", "input/bad", None),
    "receipts: no UTF-8": UNREADABLE,
}


@pytest.mark.parametrize(("seat", "counts"), [(1, True), (1.0, True), (0, False), (1.5, True)])
def test_a_receipt_counts_for_its_seat(seat: float, counts: bool) -> None:
    """A seat with a fraction is none: the receipt is then the reader's own."""
    verdict = verify(DICE, [{**json.loads(line), "seat": seat} for line in RECEIPTS.splitlines()])
    (uniform,) = [claim for claim in verdict.claims if str(claim) == "UNIFORM:1"]
    assert uniform.witness is not None
    assert (uniform.witness.by == "receipts") == counts
