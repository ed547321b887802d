"""Going on after a crash: from any line, with any dealer, as if nothing had happened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairground.core import BadParams, Fault, InputError, UnknownName, Unreadable
from fairground.fair.contest import ContestDealer
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games import game_class, make_game
from fairground.replay import _compare, _must_be_our_format, _short, replay, resume
from fairground.table import Table
from fairground.testing.driving import Driver, open_table
from fairground.testing.modes import ALL_MODES, SEED, TABLE, FixedVault, Mode, mode
from fairground.testing.toys import DUEL, GUESS, LONG, RICH, TOYS
from fairground.transcript import canonical, check_chain, read
from fairground.verify import verify
from tests.helpers.forging import find, forge
from tests.helpers.places import ROOT
from tests.helpers.samples import SEED_DICE

DICE = {"dice": SEED_DICE}
RECORDS = sorted((ROOT / "tests" / "playthroughs").glob("*.jsonl"))


def copy_of(vault: FixedVault) -> FixedVault:
    """The vault as a new process finds it."""
    copy = FixedVault(vault.label, vault.script)
    copy.secrets, copy.spent = dict(vault.secrets), dict(vault.spent)
    return copy


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_golden_record_is_replayed_to_its_bytes(path: Path) -> None:
    """Also where `verify` would not look into it, because it can be followed as a stream."""
    lines = read(path.read_bytes())
    assert replay(lines, check_chain(lines)).transcript.lines == lines


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
    lines = table.transcript.lines
    again = replay(lines, check_chain(lines))
    assert again.asks() == table.asks()
    again.submit(again.asks()[0], 0)
    assert again.waiting, "without the house's secrets nobody can deal"


def test_games_are_found_by_their_name() -> None:
    assert game_class("intransitive/1").name == "intransitive/1"
    for name in ("intransitive/2", None, 5, ["intransitive/1"]):
        with pytest.raises(UnknownName, match=r"there are: .*intransitive/1"):
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
    first = json.loads(table.transcript.lines[0])
    lines = [canonical({**first, "dealer": "ä" * 200}) + b"\n", *table.transcript.lines[1:]]
    with pytest.raises(Fault) as caught:
        _compare(table, lines, 0)
    shown = '"' + "ä" * 96 + "..."
    assert caught.value.reason == (
        f'line 1 says dealer: {shown}; by the rules and the evidence it is dealer: "hash-chains/1"'
    )
    assert _short("x" * 98) == '"' + "x" * 98 + '"', "a hundred signs are shown whole"
    assert len(_short("x" * 99)) == 100


@pytest.mark.parametrize("start", [{"kind": "note", "format": "fairground/1"}, {"kind": "start"}])
def test_only_a_first_line_begins_a_transcript(start: dict[str, str]) -> None:
    with pytest.raises(Fault, match="does not begin"):
        _must_be_our_format(start)


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
