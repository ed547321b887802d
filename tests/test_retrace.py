"""Following a record line by line: what is right is found right without holding it in memory.

That nothing wrong passes is for the forgeries to show (`test_forgeries`, `test_cheating_house`):
all of them go this way first.
"""

from __future__ import annotations

import io
import sys
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairground.retrace as module
from fairground.core import SAFE, Fault
from fairground.fair.schemes import Chair, Evidence, NotYet, Run
from fairground.fair.unproven import SystemDealer
from fairground.fair.vault import MemoryVault
from fairground.games import make_game
from fairground.games.zombie import PASS, ZombieTwo
from fairground.replay import replay
from fairground.retrace import Differs, backwards, retrace
from fairground.table import Ask, Table
from fairground.testing.driving import Driver, open_table, play_through
from fairground.testing.modes import ALL_MODES, Mode, mode
from fairground.testing.toys import DUEL, RICH
from fairground.transcript import EVENTS, canonical, check_chain, line_hash
from fairground.verify import verify
from tests.helpers.forging import rechain
from tests.helpers.width import WIDE
from tests.test_transcript import VALUES


def data_of(way: Mode) -> bytes:
    return bytes(play_through(make_game("fatestones/1", {}), way).transcript)


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
def test_the_table_at_the_end_is_the_one_that_a_replay_gives(way: Mode) -> None:
    data = data_of(way)
    lines = data.splitlines(keepends=True)
    events = check_chain(lines)
    followed, _, _ = retrace(io.BytesIO(data), keep=True)
    again = replay(lines, events)
    assert followed.transcript.events == events
    assert followed.transcript.head == again.transcript.head
    assert (followed.state, followed.payoff, followed.answers) == (
        again.state,
        again.payoff,
        again.answers,
    )
    for mine, theirs in zip(followed.runs, again.runs, strict=True):
        for name in ("index", "line", "bound", "committed", "lent", "typed", "shares", "ticket"):
            assert getattr(mine, name) == getattr(theirs, name)


def test_a_valid_record_is_followed_and_needs_no_second_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("it was looked into as a whole")

    monkeypatch.setattr(sys.modules["fairground.verify"], "run_again", never)
    for way in ALL_MODES:
        assert verify(data_of(way)).ok


class Late(SystemDealer):
    """A dealer who never gives a ticket."""

    def open(self, run: Run) -> Evidence:
        raise NotYet


def test_who_leaves_before_the_first_ticket_has_left() -> None:
    game = make_game("fatestones/1", {})
    table = Table.open(game, Late(bytes(32), MemoryVault()), [Chair("A"), Chair("B")])
    table.note({"remark": "still waiting"})
    table.forfeit(1, "tired of waiting")
    followed, _, _ = retrace(io.BytesIO(bytes(table.transcript)))
    lines = table.transcript.lines
    again = replay(lines, check_chain(lines))
    assert followed.payoff == again.payoff == table.payoff == (1, -1)


def test_both_ways_of_looking_give_the_same_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a record cannot be followed and is right after all, nothing else is said of it.

    Receipts are of the same lines then: here of the third and the fourth.
    """
    records = [data_of(way) for way in ALL_MODES]
    kept = [list(map(line_hash, data.splitlines(keepends=True)[2:4])) for data in records]
    given = list(zip(records, kept, strict=True))
    followed = [verify(data, heads).as_json() for data, heads in given]

    def lost(*_: Any, **__: Any) -> None:
        raise Differs

    monkeypatch.setattr(sys.modules["fairground.verify"], "retrace", lost)
    assert [verify(data, heads).as_json() for data, heads in given] == followed


@given(VALUES)
def test_the_quick_text_is_the_canonical_one(value: Any) -> None:
    assert module._text(value).encode() == canonical(value)


MADE: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("prev", "table", "commitment", "key"), st.just("5e" * 32)),
    **dict.fromkeys(("run", "seat"), st.integers(0, 10**6)),
    **dict.fromkeys(("share", "by", "code", "format"), st.sampled_from(["next-tip", "vault/lost"])),
    "hidden": st.booleans(),
    "draws": st.lists(
        st.tuples(st.integers(1, SAFE), st.integers(0, SAFE) | st.none())
        | st.tuples(st.just(str(10**30)), st.just("7" * 30))
    ),
}
"""What the referee has made or checked himself; anything else can hold any value."""


@pytest.mark.parametrize("kind", EVENTS)
@given(data=st.data())
def test_each_form_of_a_line_is_the_canonical_one(kind: str, data: st.DataObject) -> None:
    names = [name for name in EVENTS[kind].split() if name != "kind"]
    fields = {name: data.draw(MADE.get(name, VALUES), name) for name in names}
    line = canonical({"kind": kind, **fields}).decode() + "\n"
    if kind == "start":
        fields["params"] = canonical(fields["params"]).decode()
    assert module.LINES[kind](**fields) == line


def test_records_of_the_same_game_share_it_and_no_others_do() -> None:
    dice = [[2, 2, 4, 4, 9, 9], [6, 8, 1, 1, 8, 6], [7, 5, 3, 7, 5, 3]]
    games = [
        make_game("intransitive/1", {"dice": dice}),
        make_game("intransitive/1", {"dice": dice}),
        make_game("intransitive/1", {"dice": [*dice, [1] * module.SHARED]}),
        make_game("intransitive/1", {"dice": dice[::-1]}),
    ]
    tables = [play_through(game, mode("system-plain")) for game in games]
    first, again, large, other = (
        retrace(io.BytesIO(bytes(table.transcript)))[0].game for table in tables
    )
    assert first is again
    assert [first, large, other] == [games[0], games[2], games[3]]


BROKEN: dict[str, tuple[int, dict[str, Any]]] = {
    "no start": (0, {"kind": "move"}),
    "a kind that is none": (1, {"kind": 7}),
    "a field too many": (1, {"more": 1}),
    "a table without a name": (0, {"table": "x"}),
    "public is no object": (0, {"public": []}),
    "seats are no list": (0, {"seats": {}}),
    "a seat is no object": (0, {"seats": [1, 2]}),
    "an unknown game": (0, {"game": "chess/1"}),
    "a number beyond all bounds": (2, {"run": 10**30}),
    "a ticket of another run": (1, {"run": 2}),
    "an opening that was never asked for": (-1, {"kind": "opening", "run": True}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_not_written_so_differs(name: str) -> None:
    at, changes = BROKEN[name]
    events = check_chain(data_of(mode("system-plain")).splitlines(keepends=True))
    events[at] |= changes
    with pytest.raises(Differs):
        retrace(io.BytesIO(rechain(events)))


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"[1]\n", b"{\n", b'{"kind":"start"}\n', b'{"kind":"opening"\n', b"\xff\n"],
    ids=repr,
)
def test_what_is_no_record_differs(data: bytes) -> None:
    with pytest.raises(Differs):
        retrace(io.BytesIO(data))


@pytest.mark.parametrize("body", [{"n": 10**30}, {"ä": 1}, [["n", 1]]], ids=repr)
def test_a_note_that_no_table_would_write_differs(body: Any) -> None:
    events = check_chain(data_of(mode("system-plain")).splitlines(keepends=True))
    events.insert(3, {"kind": "note", "body": body})
    with pytest.raises(Differs):
        retrace(io.BytesIO(rechain(events)))


@given(st.lists(st.binary(max_size=9).map(lambda line: line.replace(b"\n", b"")), max_size=9))
def test_the_lines_of_a_file_from_the_last_one_on(lines: list[bytes]) -> None:
    for ends in (b"\n", b""):
        data = b"\n".join(lines) + (ends if lines else b"")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "BLOCK", 3)
            found = list(backwards(io.BytesIO(data)))
        assert found == io.BytesIO(data).readlines()[::-1]


class Restless(Driver):
    """Rolls twice and passes, so that nobody ever wins."""

    def move(self, ask: Ask) -> Any:
        return "roll" if self.table.state.rolls < 2 else PASS


def long_record(lines: int, way: Mode) -> bytes:
    table: Table = open_table(ZombieTwo(), way)
    driver = Restless(table)
    while table.transcript.step < lines:
        driver.once()
    table.forfeit(1, "enough")
    return bytes(table.transcript)


WAYS = ("hmac-sha3-user-number", "hash-chains-each", "seeded-tape")


@pytest.mark.parametrize("way", WAYS if WIDE else WAYS[:1])
def test_memory_is_a_small_multiple_of_what_was_lent(way: str, tmp_path: Any) -> None:
    """A file is read as a stream: what is held is the game, and what claims are made of."""
    for lines in (3_000, 60_000) if WIDE else (500, 2_000):
        path = tmp_path / "long.jsonl"
        path.write_bytes(long_record(lines, mode(way)))
        tracemalloc.start()
        try:
            with path.open("rb") as file:
                assert verify(file).ok
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 3.5 * path.stat().st_size + 500_000


def test_a_damaged_file_is_named_like_damaged_bytes(tmp_path: Any) -> None:
    data = data_of(mode("system-plain"))
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(data.replace(b'"seat":1', b'"seat":0', 1))
    with path.open("rb") as file:
        found = verify(file)
    assert isinstance(found.fault, Fault)
    assert found.as_json() == verify(path.read_bytes()).as_json()


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
def test_hidden_draws_stay_until_they_are_opened_and_others_are_forgotten(
    toy: str, way: Mode
) -> None:
    data = bytes(play_through(make_game(toy, RICH), way).transcript)
    table, _, _ = retrace(io.BytesIO(data))
    assert [bool(run.draws) for run in table.runs] == [run.hidden for run in table.runs]


def test_seats_that_seal_in_any_order_are_followed(toy: str) -> None:
    table = open_table(make_game(toy, DUEL), mode("hash-chains-alone"))
    driver = Driver(table)
    while asks := table.asks():
        table.submit(asks[-1], driver.answer(asks[-1]))
    events = table.transcript.events
    assert [e["seat"] for e in events if e["kind"] in ("seal", "open")] == [1, 0, 1, 0]
    retrace(io.BytesIO(bytes(table.transcript)))
