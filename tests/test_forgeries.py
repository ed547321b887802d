"""A house that cheats owns the file: it changes what it likes and makes every hash fit again.

What the rules and the evidence contradict must still be refused, with the right line; and
whatever stands in a field, the verifier answers with a verdict, never with a stack trace.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairground.core import Unreadable
from fairground.games import GAMES, make_game
from fairground.testing.driving import Driver, listing_of, open_table, play_through
from fairground.testing.modes import ALL_MODES, mode
from fairground.testing.toys import RICH, Toy
from fairground.transcript import NO_LINE
from fairground.verifier import verify
from tests.helpers.forging import Edit, events_of, find, forge, rechain
from tests.helpers.samples import SEED_DICE

Events = list[dict[str, Any]]
DICE = {"dice": SEED_DICE}
WITH_TOY = GAMES.plus({Toy.name: listing_of(Toy)})


@cache
def dice_game(way: str = "hmac-sha3-user-number") -> bytes:
    return bytes(play_through(make_game("intransitive/1", DICE), mode(way)).transcript)


@cache
def rich_game(way: str = "hash-chains-each") -> bytes:
    return bytes(play_through(Toy.from_params(RICH), mode(way)).transcript)


def set_(kind: str, which: int, *path: Any) -> Edit:
    """Put the last of the path where the rest of it leads."""

    def edit(events: Events) -> None:
        *way, last, value = path
        spot: Any = events[find(events, kind, which)]
        for step in way:
            spot = spot[step]
        spot[last] = value

    return edit


def change(kind: str, which: int, *path: Any) -> Edit:
    """Put what the last of the path makes of the value where the rest of it leads."""

    def edit(events: Events) -> None:
        *way, last, make = path
        spot: Any = events[find(events, kind, which)]
        for step in way:
            spot = spot[step]
        spot[last] = make(spot[last])

    return edit


def other_bit(value: int) -> int:
    return 1 - value


def take_the_same(events: Events) -> None:
    events[find(events, "move", 1)]["move"] = events[find(events, "move", 0)]["move"]


def line(kind: str, which: int = 0, plus: int = 0) -> Any:
    return lambda events: find(events, kind, which) + 1 + plus


def delete(kind: str, which: int = 0) -> Edit:
    return lambda events: events.pop(find(events, kind, which))


def swap(kind: str, which: int = 0) -> Edit:
    def edit(events: Events) -> None:
        i = find(events, kind, which)
        events[i], events[i + 1] = events[i + 1], events[i]

    return edit


def double(kind: str, which: int = 0) -> Edit:
    def edit(events: Events) -> None:
        i = find(events, kind, which)
        events.insert(i, dict(events[i]))

    return edit


def append(event: dict[str, Any]) -> Edit:
    return lambda events: events.append(event)


HEX = "0" * 64
# what was done, how, the code of the fault, and the line (before the edit) that it names
DICE_FORGERIES: list[tuple[str, Edit, str, Any]] = [
    ("another roll", set_("dealt", 1, "draws", 0, 1, 5), "table/mismatch", line("dealt", 1)),
    ("another range", set_("dealt", 1, "draws", 0, 0, 7), "table/mismatch", line("dealt", 1)),
    ("two rolls", set_("dealt", 1, "draws", [[6, 1], [6, 1]]), "table/mismatch", line("dealt", 1)),
    ("another number", change("dealt", 0, "evidence", "number", other_bit), "fair/bad-evidence",
     line("dealt")),
    ("another key", set_("dealt", 2, "evidence", "key", HEX), "fair/bad-evidence",
     line("dealt", 2)),
    ("odd evidence", set_("dealt", 0, "evidence", []), "fair/bad-evidence", line("dealt")),
    ("more evidence", set_("dealt", 0, "evidence", "more", 1), "fair/bad-evidence",
     line("dealt")),
    ("another HMAC", set_("ticket", 1, "ticket", "hmac", HEX), "fair/bad-evidence",
     line("dealt", 1)),
    ("an HMAC in lower case", set_("ticket", 0, "ticket", "hmac", "a" * 64), "fair/bad-evidence",
     line("ticket")),
    ("another user number", change("share", 0, "value", other_bit), "table/mismatch",
     line("dealt")),
    ("a user number too large", set_("share", 1, "value", 6), "share/bad", line("share", 1)),
    ("a user number as text", set_("share", 1, "value", "1"), "share/bad", line("share", 1)),
    ("a share by another seat", set_("share", 0, "seat", 0), "table/unexpected", line("share")),
    ("a share for another run", set_("share", 0, "run", 2), "table/mismatch", line("share")),
    ("a share of another kind", set_("share", 0, "share", "stir"), "table/unexpected",
     line("share")),
    ("a ticket for another run", set_("ticket", 1, "run", 9), "table/unexpected",
     line("ticket", 1)),
    ("a ticket that claims to be hidden", set_("ticket", 0, "hidden", True), "table/mismatch",
     line("ticket")),
    ("a move by the wrong seat", change("move", 0, "seat", other_bit), "table/unexpected",
     line("move")),
    ("a move by seat true", change("move", 0, "seat", bool), "table/mismatch", line("move")),
    ("a die that is not there", set_("move", 0, "move", 3), "move/illegal", line("move")),
    ("a die that is taken", take_the_same, "move/illegal", line("move", 1)),
    ("no move", set_("move", 0, "move", None), "move/illegal", line("move")),
    ("another payoff", set_("end", 0, "payoff", [5, -5]), "table/mismatch", line("end")),
    ("no payoff", set_("end", 0, "payoff", None), "table/mismatch", line("end")),
    ("another format", set_("start", 0, "format", "fairground/2"), "format/unknown",
     line("start")),
    ("another game", set_("start", 0, "game", "chess/1"), "name/unknown", line("start")),
    ("no game", set_("start", 0, "game", None), "name/unknown", line("start")),
    ("another dealer", set_("start", 0, "dealer", "dowsing/1"), "name/unknown", line("start")),
    ("an odd dealer", set_("start", 0, "dealer", []), "name/unknown", line("start")),
    ("two dice", set_("start", 0, "params", "dice", [[1], [2]]), "game/params", line("start")),
    ("odd params", set_("start", 0, "params", []), "transcript/malformed", line("start")),
    ("odd public", set_("start", 0, "public", 0), "transcript/malformed", line("start")),
    ("public of another scheme", set_("start", 0, "public", {"a": 1}), "game/params",
     line("start")),
    ("an odd table", set_("start", 0, "table", "A" * 64), "transcript/malformed", line("start")),
    ("odd seats", set_("start", 0, "seats", 5), "transcript/malformed", line("start")),
    ("a seat too few", set_("start", 0, "seats", [{"name": "A", "by": "self", "lends": "number"}]),
     "input/bad", line("start")),
    ("an odd seat", set_("start", 0, "seats", 0, "hat"), "transcript/malformed", line("start")),
    ("a seat with more", set_("start", 0, "seats", 0, "hat", 1), "transcript/malformed",
     line("start")),
    ("a lender run by the house", set_("start", 0, "seats", 1, "by", "house"), "input/bad",
     line("start")),
    ("an unknown field", set_("move", 0, "hat", 1), "transcript/malformed", line("move")),
    ("an unknown kind", set_("move", 0, "kind", "dance"), "transcript/malformed", line("move")),
    ("an odd kind", set_("move", 0, "kind", []), "transcript/malformed", line("move")),
    ("a missing field", lambda events: events[2].pop("seat"), "transcript/malformed",
     lambda events: 3),
    ("no start", delete("start"), "transcript/malformed", lambda events: 1),
    ("no ticket", delete("ticket", 1), "table/unexpected", line("ticket", 1)),
    ("no share", delete("share", 1), "table/unexpected", line("share", 1)),
    ("no deal", delete("dealt", 1), "table/unexpected", line("dealt", 1)),
    ("no move", delete("move", 0), "table/unexpected", line("move")),
    ("the share before the ticket", swap("ticket", 1), "table/mismatch", line("ticket", 1)),
    ("the deal before the share", swap("share", 1), "table/unexpected", line("share", 1)),
    ("a ticket twice", double("ticket", 1), "table/unexpected", line("ticket", 1, 1)),
    ("a share twice", double("share", 1), "table/mismatch", line("share", 1, 1)),
    ("a move twice", double("move", 0), "table/unexpected", line("move", 0, 1)),
    ("an end twice", double("end"), "table/unexpected", line("end", 0, 1)),
    ("a second start", double("start"), "table/mismatch", line("start", 0, 1)),
    ("a note behind the end", append({"kind": "note", "body": {}}), "ask/stale",
     line("end", 0, 1)),
    ("a forfeit behind the end", append({"kind": "forfeit", "seat": 0, "by": "seat", "reason": ""}),
     "ask/stale", line("end", 0, 1)),
    ("a move behind the end", append({"kind": "move", "seat": 0, "move": 0}), "table/unexpected",
     line("end", 0, 1)),
    ("a note that is no object", lambda events: events.insert(2, {"kind": "note", "body": 5}),
     "transcript/malformed", lambda events: 3),
    ("a void that nobody asked for",
     lambda events: events.insert(2, {"kind": "void", "code": "vault/lost", "reason": "oops"}),
     "table/unexpected", lambda events: 3),
    ("a forfeit by seat true",
     lambda events: events.insert(2, {"kind": "forfeit", "seat": True, "by": "seat", "reason": ""}),
     "input/bad", lambda events: 3),
    ("an opening that nobody owes",
     lambda events: events.insert(-1, {"kind": "opening", "run": 1, "draws": [], "evidence": {}}),
     "table/mismatch", line("end")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "code", "where"),
    [case[1:] for case in DICE_FORGERIES],
    ids=[case[0] for case in DICE_FORGERIES],
)
def test_a_forged_dice_game_is_refused(edit: Edit, code: str, where: Any) -> None:
    data = dice_game()
    assert verify(data).ok
    verdict = verify(forge(data, edit))
    assert not verdict.ok and verdict.fault is not None and verdict.claims == ()
    assert verdict.fault.code == code, verdict.fault.reason
    assert verdict.fault.line is not None and verdict.fault.reason
    assert verdict.fault.line == where(events_of(data))


RICH_FORGERIES: list[tuple[str, str, Edit, str]] = [
    ("hash-chains-each", "another link", set_("dealt", 1, "evidence", "link", HEX),
     "fair/bad-evidence"),
    ("hash-chains-each", "another blind key", set_("opening", 0, "evidence", "key", HEX),
     "fair/bad-evidence"),
    ("hash-chains-each", "another blind", set_("ticket", 0, "ticket", "blind", HEX),
     "fair/bad-evidence"),
    ("hash-chains-each", "other words", set_("share", -1, "value", "other"), "table/mismatch"),
    ("hash-chains-each", "another tip", set_("start", 0, "public", "tip", HEX),
     "fair/bad-evidence"),
    ("hash-chains-each", "no opening", delete("opening", 0), "fair/unopened"),
    ("hash-chains-each", "no opening at all",
     lambda events: (events.pop(-2), events.pop(-2)), "fair/unopened"),
    ("hash-chains-each", "openings in another order", swap("opening", 0), "table/mismatch"),
    ("hash-chains-each", "another hidden draw", set_("opening", 0, "draws", 0, 1, 9),
     "table/mismatch"),
    ("hash-chains-each", "a hidden draw told early", set_("dealt", 0, "draws", 0, 1, 5),
     "table/mismatch"),
    ("hash-chains-each", "another table", set_("start", 0, "table", HEX), "fair/bad-evidence"),
    ("hash-chains-chain", "another seat link", set_("share", 1, "value", HEX), "share/bad"),
    ("hash-chains-chain", "another seat tip", set_("share", 0, "value", HEX), "share/bad"),
    ("hash-chains-chain", "no next tip", set_("ticket", 1, "ticket", {}), "fair/bad-evidence"),
    ("hash-chains-chain", "another next tip", set_("ticket", 1, "ticket", "tip", HEX),
     "fair/bad-evidence"),
    ("contest-cup", "another seed", set_("opening", 0, "evidence", "seed", HEX),
     "fair/bad-evidence"),
    ("contest-cup", "another commitment", set_("start", 0, "public", "commitment", HEX),
     "fair/bad-evidence"),
    ("contest-cup", "another game number", set_("start", 0, "public", "game", 8),
     "table/mismatch"),
    ("contest-cup", "no opening", delete("opening"), "fair/unopened"),
    ("seeded-tape", "another seed", set_("start", 0, "public", "seed", "?"), "table/mismatch"),
    ("seeded-tape", "more in the opening", set_("opening", 0, "evidence", "a", 1),
     "fair/bad-evidence"),
    ("seeded-tape", "no opening", delete("opening"), "fair/unopened"),
    ("system-plain", "another root", set_("dealt", 1, "evidence", "root", HEX), "table/mismatch"),
    ("system-plain", "no opening", delete("opening"), "fair/unopened"),
    ("hmac-sha3-user-number", "another hidden number",
     set_("opening", 0, "evidence", "number", "?"), "fair/bad-evidence"),
    ("hmac-sha3-user-number", "no opening", delete("opening"), "fair/unopened"),
    ("system-plain", "another sealed move", set_("open", 0, "move", 9), "move/illegal"),
    ("system-plain", "another seal", set_("seal", 0, "commitment", HEX), "move/illegal"),
    ("system-plain", "a seal in capitals", set_("seal", 1, "commitment", "A" * 64), "share/bad"),
    ("system-plain", "another key", set_("open", 1, "key", HEX), "move/illegal"),
    ("system-plain", "an odd key", set_("open", 1, "key", 7), "move/illegal"),
    ("system-plain", "an opening before the seals", swap("seal", 1), "table/unexpected"),
    ("system-plain", "a deep move", set_("open", 0, "move", [[[[[[[[]]]]]]]]), "move/illegal"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("way", "edit", "code"),
    [(way, edit, code) for way, _, edit, code in RICH_FORGERIES],
    ids=[f"{way}: {what}" for way, what, _, _ in RICH_FORGERIES],
)
def test_a_forged_game_is_refused(toy: str, way: str, edit: Edit, code: str) -> None:
    data = rich_game(way)
    assert verify(data).ok
    verdict = verify(forge(data, edit))
    assert not verdict.ok and verdict.fault is not None
    assert verdict.fault.code == code, verdict.fault.reason
    assert verdict.fault.line is not None and 1 <= verdict.fault.line <= verdict.events


def test_an_abandoned_hmac_must_be_opened() -> None:
    table = open_table(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
    Driver(table).play(3)
    table.forfeit(1, "left")
    data = bytes(table.transcript)
    assert verify(data).ok
    for edit, code in (
        (delete("opening"), "fair/unopened"),
        (set_("opening", 0, "evidence", "number", 99), "fair/bad-evidence"),
        (set_("opening", 0, "evidence", "key", HEX), "fair/bad-evidence"),
        (set_("opening", 0, "draws", [[6, 1]]), "table/mismatch"),
        (set_("forfeit", 0, "seat", 0), "table/mismatch"),
        (set_("forfeit", 0, "by", "rival"), "input/bad"),
        (set_("forfeit", 0, "reason", 5), "input/bad"),
    ):
        fault = verify(forge(data, edit)).fault
        assert fault is not None and fault.code == code


ODD_LINES = {
    "a float": b'{"body":{"a":1.5},"kind":"note","prev":"%s"}\n',
    "NaN": b'{"body":{"a":NaN},"kind":"note","prev":"%s"}\n',
    "a key twice": b'{"body":{},"body":{},"kind":"note","prev":"%s"}\n',
    "a huge number": b'{"body":{"a":1' + b"0" * 30 + b'},"kind":"note","prev":"%s"}\n',
    "a lone surrogate": b'{"body":{"a":"\\ud800"},"kind":"note","prev":"%s"}\n',
    "a carriage return": b'{"body":{},"kind":"note","prev":"%s"}\r\n',
    "deep nesting": b'{"body":{"a":' + b"[" * 800 + b"]" * 800 + b'},"kind":"note","prev":"%s"}\n',
    "an abyss": b'{"body":{"a":' + b"[" * 90000 + b"]" * 90000 + b'},"kind":"note","prev":"%s"}\n',
    "an array": b'["%s"]\n',
    "a blank line": b"\n",
}


@pytest.mark.parametrize("what", ODD_LINES)
def test_an_odd_line_is_refused_with_its_number(what: str) -> None:
    lines = dice_game().splitlines(keepends=True)
    odd = ODD_LINES[what]
    prev = json.loads(lines[2])["prev"].encode()
    lines.insert(2, odd.replace(b"%s", prev))
    fault = verify(b"".join(lines)).fault
    assert fault is not None
    assert (fault.code, fault.line) == ("transcript/not-canonical", 3)


def test_a_byte_order_mark_is_refused() -> None:
    fault = verify(b"\xef\xbb\xbf" + dice_game()).fault
    assert fault is not None and (fault.code, fault.line) == ("transcript/not-canonical", 1)


def test_windows_line_ends_are_refused() -> None:
    fault = verify(dice_game().replace(b"\n", b"\r\n")).fault
    assert fault is not None and (fault.code, fault.line) == ("transcript/line-ends", 1)


@pytest.mark.parametrize("depth", [10, 31, 60, 200, 400, 900])
@pytest.mark.parametrize(
    ("kind", "field"),
    [("start", "params"), ("start", "public"), ("start", "seats"), ("start", "game"),
     ("ticket", "ticket"), ("dealt", "evidence"), ("dealt", "draws"), ("share", "value"),
     ("move", "move"), ("end", "payoff")],
)  # fmt: skip
def test_nesting_anywhere_is_a_verdict(kind: str, field: str, depth: int) -> None:
    deep: Any = []
    for _ in range(depth):
        deep = [deep]
    for value in (deep, {"a": deep}, {"dice": deep}):
        verdict = verify(forge(dice_game(), set_(kind, 0, field, value)))
        assert not verdict.ok and verdict.fault is not None and verdict.fault.line is not None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10)
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["0" * 64, "f" * 64, "9007199254740993", "-1", "seat", "house", "once"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["a", "key", "number", "link", "move", "é", "name", "dice"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


def paths(value: Any) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    out: list[tuple[Any, ...]] = [()]
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in items:
        out += [(key, *rest) for rest in paths(item)]
    return out


@cache
def fuzzed_games() -> list[bytes]:
    ways = [way.name for way in ALL_MODES]
    return [dice_game(way) for way in ways] + [rich_game(way) for way in ways]


@settings(max_examples=300)
@given(st.data())
def test_any_json_in_any_place_is_a_verdict(data: st.DataObject) -> None:
    original = data.draw(st.sampled_from(fuzzed_games()), label="game")
    events = events_of(original)
    index = data.draw(st.integers(0, len(events) - 1), label="event")
    places = [path for path in paths(events[index]) if path and path != ("prev",)]
    path = data.draw(st.sampled_from(places), label="place")
    spot: Any = events[index]
    for step in path[:-1]:
        spot = spot[step]
    spot[path[-1]] = data.draw(JSON, label="value")
    try:
        forged = rechain(events)
    except UnicodeEncodeError:
        return  # a lone surrogate cannot be written at all
    verdict = verify(forged, games=WITH_TOY)
    json.dumps(verdict.as_json())
    if verdict.ok:
        assert verdict.fault is None and verdict.payoff is not None
    else:
        assert verdict.fault is not None and verdict.claims == ()
        assert verdict.fault.line is not None
        assert 1 <= verdict.fault.line <= len(events)
    if forged == original:
        assert verdict.ok
    else:  # whatever else holds: somebody who kept the last head is not fooled
        assert not verify(forged, receipt_of(original), games=WITH_TOY).ok


def receipt_of(data: bytes) -> str:
    return hashlib.sha3_256(data.splitlines(keepends=True)[-1]).hexdigest()


def is_json(event: dict[str, Any]) -> bool:
    """Infinity and NaN are no JSON, though Python writes them."""
    try:
        json.dumps(event, allow_nan=False)
    except ValueError:
        return False
    return True


@settings(max_examples=60)
@given(
    st.lists(
        st.dictionaries(st.sampled_from(["kind", "prev", "body", "seat"]), JSON, max_size=3),
        max_size=3,
    )
)
def test_any_objects_in_a_row_are_a_verdict_or_unreadable(events: list[dict[str, Any]]) -> None:
    try:
        data = rechain(events)
    except UnicodeEncodeError:
        return
    try:
        verdict = verify(data)
    except Unreadable:
        assert not any("kind" in event and is_json(event) for event in events)
    else:
        assert not verdict.ok


@settings(max_examples=200)
@given(st.binary(max_size=60))
def test_any_bytes_are_a_verdict_or_unreadable(noise: bytes) -> None:
    for data in (noise, noise + b'{"kind":"start","prev":"' + NO_LINE.encode() + b'"}\n'):
        try:
            verdict = verify(data)
        except Unreadable:
            continue
        assert not verdict.ok and verdict.fault is not None
