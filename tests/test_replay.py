"""Going on after a crash: from any line, with any dealer, as if nothing had happened."""

from __future__ import annotations

import io
import json
import tracemalloc
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairground.verifier as module
from fairground.core import BadParams, Fault, InputError, UnknownName, Unreadable
from fairground.fair.contest import ContestDealer
from fairground.fair.schemes import Chair, Evidence, NotYet, Run
from fairground.fair.unproven import SystemDealer
from fairground.fair.vault import MemoryVault
from fairground.games import game_class, make_game
from fairground.games.zombie.rules import PASS, Zombie
from fairground.table import Ask, Table
from fairground.testing.driving import Driver, open_table, play_through
from fairground.testing.modes import ALL_MODES, SEED, TABLE, FixedVault, Mode, mode
from fairground.testing.toys import DUEL, GUESS, LONG, RICH, TOYS
from fairground.transcript import check_chain, line_hash, read
from fairground.verifier import Record, backwards, replay, resume, verify
from tests.helpers.forging import find, forge, rechain
from tests.helpers.places import ROOT
from tests.helpers.samples import SEED_DICE
from tests.helpers.width import WIDE

DICE = {"dice": SEED_DICE}
RECORDS = sorted((ROOT / "tests" / "playthroughs").glob("*.jsonl"))


def copy_of(vault: FixedVault) -> FixedVault:
    """The vault as a new process finds it."""
    copy = FixedVault(vault.label, vault.script)
    copy.secrets, copy.spent = dict(vault.secrets), dict(vault.spent)
    return copy


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_golden_record_is_replayed_to_its_bytes(path: Path) -> None:
    data = path.read_bytes()
    again = replay(data).transcript
    assert bytes(again) == data
    assert again.events == check_chain(read(data))


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
@pytest.mark.parametrize("name", TOYS)
def test_a_table_resumes_after_every_line(toy: str, name: str, way: Mode) -> None:
    """Crash after each line; the resumed table asks the same and ends in the same bytes."""
    vault = FixedVault()
    table = open_table(make_game(toy, TOYS[name]), way, vault)
    driver = Driver(table)
    asked = {table.transcript.step: table.asks()}
    while driver.once():
        asked[table.transcript.step] = table.asks()
    lines = table.transcript.lines
    full = b"".join(lines)
    for cut in range(1, len(lines) + 1):
        data = b"".join(lines[:cut])
        sunk: list[bytes] = []
        dealer = type(table.dealer).again(TABLE, copy_of(vault), table.dealer.public)
        again = resume(data, dealer, sunk.append)
        begun = bytes(again.transcript)
        assert begun == data + b"".join(sunk), "all that is new has gone to the sink"
        assert full.startswith(begun)
        if cut in asked:
            assert begun == data
            assert again.asks() == asked[cut]
            assert again.state == replayed_state(table, data)
        survivor = Driver(again)
        survivor.holders = driver.holders  # the seats did not crash
        survivor.play()
        assert bytes(again.transcript) == full == data + b"".join(sunk)
        assert (again.payoff, again.closed) == (table.payoff, True)


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
def test_a_forfeited_table_resumes_while_it_is_being_opened(toy: str, way: Mode) -> None:
    for answers in range(1, 9):
        vault = FixedVault()
        table = open_table(make_game(toy, RICH), way, vault)
        Driver(table).play(answers)
        if table.closed:
            break
        begin = table.transcript.step + 1
        table.forfeit(0, "left")
        lines = table.transcript.lines
        for cut in range(begin, len(lines) + 1):
            again = resume(b"".join(lines[:cut]), way.make(copy_of(vault)))
            assert bytes(again.transcript) == bytes(table.transcript)


def replayed_state(table: Table, data: bytes) -> Any:
    """The state after these lines, read off the final record: draws (told by now) and moves."""
    values: dict[int, list[int]] = {run.index: [v for _, v in run.draws] for run in table.runs}
    state = table.game.start()
    pending: dict[int, Any] = {}
    for event in check_chain(read(data)):
        if event["kind"] == "dealt":
            for value in values[event["run"]]:
                state = table.game.drawn(state, value)
        elif event["kind"] in ("move", "open"):
            pending[event["seat"]] = event["move"]
            awaits: Any = table.game.awaits(state)
            if set(pending) == set(awaits.seats):
                state = table.game.played(state, pending)
                pending = {}
    return state


def test_a_torn_last_line_is_dropped(toy: str) -> None:
    vault = FixedVault()
    table = open_table(make_game(toy, LONG), mode("hmac-sha3-user-number"), vault)
    Driver(table).play(3)
    data = bytes(table.transcript)
    Driver(table).play()
    full = bytes(table.transcript)
    for more in range(1, 40):
        again = resume(full[: len(data) + more], mode("hmac-sha3-user-number").make(vault))
        assert bytes(again.transcript) == data


def test_a_first_line_that_was_never_finished_is_unreadable() -> None:
    data = bytes(open_table(make_game("intransitive/1", DICE), mode("system-plain")).transcript)
    first = data[: data.index(b"\n")]
    with pytest.raises(Unreadable, match="never finished"):
        resume(first, mode("system-plain").make(FixedVault()))
    fault = verify(first).fault
    assert fault is not None and (fault.code, fault.line) == ("transcript/not-canonical", 1)


def test_resume_goes_on_writing_to_the_sink() -> None:
    vault = FixedVault()
    way = mode("hmac-sha3-user-number")
    table = open_table(make_game("intransitive/1", DICE), way, vault)
    sunk: list[bytes] = []
    again = resume(bytes(table.transcript), way.make(vault), sunk.append)
    assert sunk == []
    Driver(again).play()
    assert b"".join(sunk) == bytes(again.transcript)[len(bytes(table.transcript)) :]


@pytest.mark.parametrize(
    "way",
    [way for way in ALL_MODES if way.lends in ("number", "stir", "chain")],
    ids=lambda way: way.name,
)
def test_an_old_copy_played_differently_voids_the_table(toy: str, way: Mode) -> None:
    """Restore an early copy, answer otherwise: the house must not let a secret decide twice."""
    vault = FixedVault()
    table = open_table(make_game(toy, LONG), way, vault)
    early = bytes(table.transcript)
    Driver(table).play()
    assert verify(bytes(table.transcript)).ok
    again = resume(early, way.make(vault))
    Driver(again, "another seed").play()
    assert bytes(again.transcript) != bytes(table.transcript)
    assert again.closed and again.payoff is None
    kinds = [event["kind"] for event in again.transcript.events]
    assert kinds[-2:] == ["void", "end"]
    assert again.transcript.events[-2]["code"] == "vault/reused"
    verdict = verify(bytes(again.transcript))
    assert verdict.fault is not None and verdict.payoff is None
    assert (verdict.ok, verdict.fault.code, verdict.fault.exit) == (False, "table/void", 1)
    assert verdict.fault.line == again.transcript.step - 1


def test_an_old_copy_played_the_same_way_is_the_same_game(toy: str) -> None:
    way, vault = mode("hmac-sha3-user-number"), FixedVault()
    table = open_table(make_game(toy, LONG), way, vault)
    early = bytes(table.transcript)
    Driver(table).play()
    again = Driver(resume(early, way.make(vault))).play()
    assert bytes(again.transcript) == bytes(table.transcript)


@pytest.mark.parametrize("way", ["hmac-sha3-user-number", "hash-chains-each", "contest-cup"])
@pytest.mark.parametrize("params", [LONG, RICH], ids=["long", "rich"])
def test_a_vault_that_is_gone_voids_the_table(toy: str, way: str, params: dict[str, Any]) -> None:
    table = open_table(make_game(toy, params), mode(way), FixedVault("first"))
    Driver(table).play(2)
    dealer = mode(way).make(FixedVault("another"))
    if way == "contest-cup":
        lost = dict(mode(way).options) | {"seed": b"?" * 32}
        dealer = mode(way)._replace(options=tuple(lost.items())).make(FixedVault("another"))
    data = bytes(table.transcript)
    dealt_hidden = any(run.line and (run.hidden or way == "contest-cup") for run in table.runs)
    if dealt_hidden:  # the state itself died with the secrets: there is no table to go on with
        with pytest.raises(Fault, match=r"dealt hidden and can never be opened: .*vault") as caught:
            resume(data, dealer)
        assert caught.value.code == "table/void"
        return
    again = Driver(resume(data, dealer)).play()
    assert again.closed and again.payoff is None
    assert again.transcript.events[-2]["code"] in ("vault/lost", "vault/reused")
    fault = verify(bytes(again.transcript)).fault
    assert fault is not None and fault.code == "table/void"


def test_a_voided_table_stays_void_when_the_secrets_turn_up_again() -> None:
    way, vault = mode("hmac-sha3-user-number"), FixedVault()
    table = open_table(make_game("intransitive/1", DICE), way, vault)
    kept = dict(vault.secrets)
    vault.secrets.clear()
    Driver(table).play()
    vault.secrets.update(kept)
    again = resume(bytes(table.transcript), way.make(vault))
    assert bytes(again.transcript) == bytes(table.transcript)
    assert again.closed and again.payoff is None and again.void_reason == table.void_reason
    chains, vault = mode("hash-chains-each"), FixedVault()
    table = open_table(make_game("intransitive/1", DICE), chains, vault)
    half = bytes(table.transcript)
    lost = resume(half, chains.make(FixedVault("another")))
    Driver(lost).play()
    assert lost.void_reason is not None
    again = resume(bytes(lost.transcript), chains.make(vault))
    assert bytes(again.transcript) == bytes(lost.transcript)


def test_a_table_lost_between_two_runs_is_void_at_once(toy: str) -> None:
    """The next ticket needs a chain that is gone."""
    way = mode("hash-chains-alone")
    table = open_table(make_game(toy, LONG), way, FixedVault("first"))
    cut = b"".join(table.transcript.lines[:1])
    again = resume(cut, way.make(FixedVault("another")))
    assert again.closed and [e["kind"] for e in again.transcript.events] == ["start", "void", "end"]


def test_resuming_a_closed_table_adds_nothing(toy: str) -> None:
    for way in ALL_MODES:
        vault = FixedVault()
        table = open_table(make_game(toy, RICH), way, vault)
        Driver(table).play()
        again = resume(bytes(table.transcript), way.make(MemoryVault()))
        assert bytes(again.transcript) == bytes(table.transcript)
        assert again.closed


def test_a_damaged_record_is_not_resumed() -> None:
    way, vault = mode("hmac-sha3-user-number"), FixedVault()
    table = Driver(open_table(make_game("intransitive/1", DICE), way, vault)).play()
    data = bytes(table.transcript)

    def other_roll(events: list[dict[str, Any]]) -> None:
        events[find(events, "dealt")]["draws"][0][1] ^= 1

    with pytest.raises(Fault, match="by the rules and the evidence it is"):
        resume(forge(data, other_roll), way.make(vault))
    with pytest.raises(Fault, match="one of the two was changed"):
        resume(data.replace(b"Seat 1", b"Seat 2"), way.make(vault))


def test_replay_gives_an_unfinished_table_as_far_as_it_goes() -> None:
    table = open_table(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
    again = replay(bytes(table.transcript))
    assert again.asks() == table.asks()
    again.submit(again.asks()[0], 0)
    assert again.waiting, "without the house's secrets nobody can deal"


def test_games_are_found_by_their_name() -> None:
    assert game_class("intransitive/1").name == "intransitive/1"
    for name in ("intransitive/2", None, 5, ["intransitive/1"]):
        with pytest.raises(UnknownName, match=r"intransitive/1|there are: "):
            game_class(name)
    odd: list[Any] = [None, [], "dice"]
    for params in odd:
        with pytest.raises(BadParams, match="an object"):
            make_game("intransitive/1", params)


def test_seats_that_share_a_table_can_answer_in_any_order(toy: str) -> None:
    """Tips, links, seals and openings in reverse: another record, and it holds as well."""
    chairs = [Chair("A", "self", "chain"), Chair("B", "self", "chain")]
    way = mode("hash-chains-chain")
    table = open_table(make_game(toy, DUEL), way, chairs=chairs)
    driver = Driver(table)
    while asks := table.asks():
        table.submit(asks[-1], driver.answer(asks[-1]))
    forward = Driver(open_table(make_game(toy, DUEL), way, chairs=chairs)).play()
    assert bytes(forward.transcript) != bytes(table.transcript)
    assert verify(bytes(table.transcript)).ok
    assert table.setting.table == TABLE


def test_a_mismatch_names_what_differs_and_nothing_else(toy: str) -> None:
    table = open_table(make_game(toy, DUEL), mode("hash-chains-alone"))
    Driver(table).play()

    def payoff(said: Any) -> str:
        def change(events: list[dict[str, Any]]) -> None:
            events[-1]["payoff"] = said

        fault = verify(forge(bytes(table.transcript), change)).fault
        assert fault is not None and fault.code == "table/mismatch"
        return fault.reason

    last, right = table.transcript.step, list(table.payoff or ())
    begin, end = (
        f"line {last} says payoff: ",
        f"; by the rules and the evidence it is payoff: {right}",
    )
    assert payoff("ä" * 200) == f'{begin}"{"ä" * 96}...{end}'
    assert payoff("x" * 98) == f'{begin}"{"x" * 98}"{end}', "a hundred signs are shown whole"
    assert payoff("x" * 99) == f'{begin}"{"x" * 96}...{end}'


@pytest.mark.parametrize("start", [{"kind": "note", "format": "fairground/1"}, {"kind": "start"}])
def test_only_a_first_line_begins_a_transcript(start: dict[str, str]) -> None:
    with pytest.raises(Fault, match="does not begin"):
        replay(rechain([start]))


def test_a_first_line_that_leaves_something_out_is_no_first_line(toy: str) -> None:
    """What it leaves out is the usual word. It is another line all the same."""
    table = open_table(make_game(toy, DUEL), mode("system-plain"))
    Driver(table).play()

    def left_out(events: list[dict[str, Any]]) -> None:
        assert events[0]["seats"][0].pop("lends") == "nothing"

    verdict = verify(forge(bytes(table.transcript), left_out))
    assert verdict.fault is not None
    assert (verdict.fault.code, verdict.fault.line) == ("table/mismatch", 1)


def test_a_contest_s_seed_stays_back_through_a_restart(toy: str) -> None:
    """The game is over, the contest is not: a resumed table opens nothing before its close."""
    game = make_game(toy, {"seats": 2, "steps": [["draw", 6], ["turn", [1], 2]]})
    vault = MemoryVault()
    options: dict[str, Any] = {"contest": "cup", "game": 7, "seed": SEED, "held": True}
    table = Table.open(game, ContestDealer(TABLE, vault, **options), mode("contest-cup").chairs(2))
    Driver(table).play()
    assert table.waiting and not table.closed
    data = bytes(table.transcript)
    again = ContestDealer(TABLE, vault, **options)
    resumed = resume(data, again)
    assert resumed.waiting and bytes(resumed.transcript) == data
    again.held = False
    resumed.advance()
    assert resumed.closed and SEED.hex().encode() in bytes(resumed.transcript)
    # The seed was opened, and then the process ended: it is out, whatever the dealer says.
    told = b"".join(bytes(resumed.transcript).splitlines(keepends=True)[:-1])
    held = ContestDealer(TABLE, vault, **options)
    assert bytes(resume(told, held).transcript) == bytes(resumed.transcript)


def test_what_is_said_after_a_restart_must_be_showable_again(toy: str) -> None:
    vault = FixedVault()
    table = open_table(make_game(toy, GUESS), mode("hash-chains-each"), vault)
    dealer = mode("hash-chains-each").make(vault)
    resumed = resume(bytes(table.transcript), dealer)
    with pytest.raises(InputError, match="a note may not hold"):
        resumed.note({"remark": "\x1b[2J"})


# Following a record as a stream


def data_of(way: Mode) -> bytes:
    return bytes(play_through(make_game("fatestones/1", {}), way).transcript)


class Late(SystemDealer):
    """A dealer who never gives a ticket."""

    def open(self, run: Run) -> Evidence:
        raise NotYet


def test_who_leaves_before_the_first_ticket_has_left() -> None:
    game = make_game("fatestones/1", {})
    table = Table.open(game, Late(bytes(32), MemoryVault()), [Chair("A"), Chair("B")])
    table.note({"remark": "still waiting"})
    table.forfeit(1, "tired of waiting")
    again = replay(bytes(table.transcript))
    assert again.payoff == table.payoff == (1, -1)
    assert verify(bytes(table.transcript)).ok


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
def test_receipts_are_found_by_their_hashes(way: Mode) -> None:
    data = data_of(way)
    lines = data.splitlines(keepends=True)
    heads = [line_hash(line) for line in lines[2:4]]
    assert verify(data, heads).ok
    record = Record(BytesIO(data), heads)
    assert record.found == dict.fromkeys(heads, 0)


def test_records_of_the_same_game_share_it_and_no_others_do() -> None:
    dice = [[2, 2, 4, 4, 9, 9], [6, 8, 1, 1, 8, 6], [7, 5, 3, 7, 5, 3]]
    games = [
        make_game("intransitive/1", {"dice": dice}),
        make_game("intransitive/1", {"dice": dice}),
        make_game("intransitive/1", {"dice": [*dice, [1] * module.SHARED]}),
        make_game("intransitive/1", {"dice": dice[::-1]}),
    ]
    tables = [play_through(game, mode("system-plain")) for game in games]
    first, again, large, other = (replay(bytes(table.transcript)).game for table in tables)
    assert first is again
    assert [first, large, other] == [games[0], games[2], games[3]]


BROKEN: dict[str, tuple[int, dict[str, Any], str]] = {
    "no start": (0, {"kind": "move"}, "transcript/malformed"),
    "a kind that is none": (1, {"kind": 7}, "transcript/malformed"),
    "a kind that is a list": (3, {"kind": []}, "transcript/malformed"),
    "a field too many": (1, {"more": 1}, "transcript/malformed"),
    "a table without a name": (0, {"table": "x"}, "transcript/malformed"),
    "public is no object": (0, {"public": []}, "transcript/malformed"),
    "seats are no list": (0, {"seats": {}}, "transcript/malformed"),
    "a seat is no object": (0, {"seats": [1, 2]}, "transcript/malformed"),
    "an unknown game": (0, {"game": "chess/1"}, "name/unknown"),
    "a number beyond all bounds": (2, {"run": 10**30}, "transcript/not-canonical"),
    "a ticket of another run": (1, {"run": 2}, "table/unexpected"),
    "a run that is true": (1, {"run": True}, "table/unexpected"),
    "an opening that was never asked for": (
        -1,
        {"kind": "opening", "run": True},
        "transcript/malformed",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_is_named(name: str) -> None:
    at, changes, code = BROKEN[name]
    events = check_chain(data_of(mode("system-plain")).splitlines(keepends=True))
    events[at] |= changes
    verdict = verify(rechain(events))
    assert verdict.fault is not None
    assert (verdict.fault.code, verdict.fault.line) == (code, range(1, len(events) + 1)[at])


@pytest.mark.parametrize("data", [b"", b"\n", b"[1]\n", b"{\n", b"\xff\n"], ids=repr)
def test_what_never_was_a_record_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        replay(data)


@pytest.mark.parametrize("line", [b'{"kind":"opening"\n', b'{"kind":"opening"}\n'])
def test_last_lines_that_open_nothing_are_no_openings(line: bytes) -> None:
    fault = verify(data_of(mode("contest-cup")) + line).fault
    assert fault is not None and fault.code in (
        "transcript/not-canonical",
        "transcript/broken-chain",
    )


@pytest.mark.parametrize("body", [{"n": 10**30}, {"ä": 1}, {"text": "\ud800"}], ids=repr)
def test_a_note_that_no_table_would_write_is_not_canonical(body: Any) -> None:
    """Writing such a line again gives its very bytes: that is not enough."""
    lines = data_of(mode("system-plain")).splitlines(keepends=True)[:3]
    event = {"kind": "note", "body": body, "prev": line_hash(lines[-1])}
    text = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii="text" in body)
    fault = verify(b"".join(lines) + text.encode() + b"\n").fault
    assert fault is not None and (fault.code, fault.line) == ("transcript/not-canonical", 4)


def test_of_two_words_of_the_house_on_one_run_the_first_counts() -> None:
    """Of openings the last one: they are looked for from the end."""
    events = check_chain(data_of(mode("hmac-sha3-user-number")).splitlines(keepends=True))
    at = find(events, "ticket")
    events.insert(at + 2, {**events[at], "ticket": {}})
    fault = verify(rechain(events)).fault
    assert fault is not None
    assert (fault.code, fault.line) == ("table/mismatch", at + 3)


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
    table: Table = open_table(Zombie(), way)
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
        verify(path.read_bytes())  # imports are no memory of a record
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
def test_a_table_that_keeps_nothing_forgets_all_draws_that_are_not_hidden(
    toy: str, way: Mode
) -> None:
    game = make_game(toy, RICH)
    dealer = way.make(FixedVault())
    table = Table.open(game, dealer, way.chairs(game.seats), keep=False)
    Driver(table).play()
    assert [bool(run.draws) for run in table.runs] == [run.hidden for run in table.runs]
    kept = play_through(make_game(toy, RICH), way)
    assert bytes(kept.transcript) == bytes(table.transcript)
    assert (table.history, bool(kept.history)) == ([], True)
