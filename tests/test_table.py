"""The referee: it asks, takes what answers, refuses the rest, and changes nothing by refusing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairground.core import (
    SAFE,
    Awaits,
    BadParams,
    BadShare,
    Draw,
    FairgroundError,
    IllegalMove,
    InputError,
    Over,
    SecretLost,
    StaleAsk,
    Turn,
    written,
)
from fairground.fair.contest import ContestDealer, ContestScheme
from fairground.fair.register import SCHEMES, SchemeListing
from fairground.fair.schemes import Chair, Evidence, NotYet, Run
from fairground.games import GAMES, make_game
from fairground.table import Ask, Table, _written, new_name
from fairground.testing.driving import Driver, listing_of, open_table
from fairground.testing.modes import ALL_MODES, TABLE, FixedVault, Mode, mode, secret
from fairground.testing.toys import DUEL, GUESS, LONG, RICH, TOYS, Toy
from fairground.verifier import replay, verify
from tests.helpers.samples import SEED_DICE

DICE = {"dice": SEED_DICE}


def refused(table: Table, error: type[FairgroundError], ask: Ask, answer: Any) -> str:
    """The answer is refused, and nothing at all has changed."""
    before = bytes(table.transcript), table.asks(), table.state, len(table.decisions)
    with pytest.raises(error) as caught:
        table.submit(ask, answer)
    assert (bytes(table.transcript), table.asks(), table.state, len(table.decisions)) == before
    return str(caught.value)


def test_the_first_event_says_what_the_table_is() -> None:
    table = open_table(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
    assert json.loads(table.transcript.lines[0]) == {
        "kind": "start",
        "prev": "0" * 64,
        "format": "fairground/1",
        "table": TABLE.hex(),
        "game": "intransitive/1",
        "params": {"dice": SEED_DICE},
        "dealer": "hmac-sha3-user/1",
        "public": {},
        "seats": [
            {"name": "House", "by": "house", "lends": "nothing"},
            {"name": "Seat 1", "by": "self", "lends": "number"},
        ],
    }
    (ask,) = table.asks()
    assert (ask.kind, ask.seat, ask.n, ask.run, ask.step) == ("number", 1, 2, 1, 2)
    assert ask.head == table.transcript.head


def test_tables_have_names_of_their_own() -> None:
    assert len({new_name() for _ in range(20)}) == 20


@pytest.mark.parametrize(
    "chairs",
    [
        [Chair("A")],
        [Chair("A"), Chair("B"), Chair("C")],
        [Chair(""), Chair("B")],
        [Chair("x" * 81), Chair("B")],
        [Chair("\ud800"), Chair("B")],
        [Chair(5), Chair("B")],  # type: ignore[arg-type]
        [Chair("A", "nobody"), Chair("B")],
        [Chair("A", "self", "money"), Chair("B")],
        [Chair("A", "self", []), Chair("B")],  # type: ignore[arg-type]
        [Chair("A", "house", "stir"), Chair("B")],
        [Chair("A", "house", "chain"), Chair("B")],
    ],
    ids=str,
)
def test_chairs_that_make_no_sense_are_refused(chairs: list[Chair]) -> None:
    with pytest.raises(InputError):
        open_table(make_game("intransitive/1", DICE), mode("hash-chains-alone"), chairs=chairs)


def test_a_house_seat_lends_nothing_under_hmac_either() -> None:
    chairs = [Chair("A", "house", "number"), Chair("B")]
    with pytest.raises(InputError, match="shares would prove nothing"):
        open_table(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"), chairs=chairs)


def test_a_share_that_the_scheme_cannot_use_is_refused_at_the_start() -> None:
    chairs = [Chair("A", "self", "number"), Chair("B")]
    with pytest.raises(BadParams, match="no seat can lend 'number'"):
        open_table(make_game("intransitive/1", DICE), mode("system-plain"), chairs=chairs)


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
@pytest.mark.parametrize("name", TOYS)
def test_stale_wrong_and_illegal_answers_change_nothing(toy: str, name: str, way: Mode) -> None:
    table = open_table(make_game(toy, TOYS[name]), way)
    driver = Driver(table)
    old: list[Ask] = []
    while asks := table.asks():
        ask = asks[0]
        good = driver.answer(ask)
        for stale in old[-3:]:
            refused(table, StaleAsk, stale, good)
        for other in range(-1, table.game.seats + 1):
            if other not in [each.seat for each in asks]:
                refused(table, StaleAsk, ask._replace(seat=other), good)
        refused(table, StaleAsk, ask._replace(head="0" * 64), good)
        refused(table, StaleAsk, ask._replace(kind="wish"), good)
        bad: list[Any] = [None, -1, 10**40, 1.5, [], {}, [[]], {"key": 1, "move": 0}, "\ud800"]
        if ask.kind in ("move", "open"):
            deep: Any = 0
            for _ in range(2000):
                deep = [deep]
            bad += ["0", True, 6, deep, {"key": "0" * 64, "move": 0}]
            moves: list[Any] = [1.5, 10**40, "\ud800", deep, {}]
            bad += [{"key": "0" * 64, "move": odd} for odd in moves]
        for answer in bad:
            error = BadShare if ask.kind not in ("move", "open") else IllegalMove
            assert refused(table, error, ask, answer)
        table.submit(ask, good)
        old.append(ask)
    assert table.closed
    for stale in old:
        refused(table, StaleAsk, stale, 0)


def test_simultaneous_moves_are_sealed_before_any_is_opened(toy: str) -> None:
    table = open_table(
        make_game(toy, {"seats": 2, "steps": [["turn", [0, 1], 3]]}), mode("system-plain")
    )
    first, second = table.asks()
    assert (first.kind, second.kind) == ("seal", "seal")
    sealed = [table.seal(first, 2, secret(0)), table.seal(second, 1)]
    table.submit(second, sealed[1].commitment)
    assert [ask.seat for ask in table.asks()] == [0], "the other seal is still due"
    refused(table, StaleAsk, second, sealed[1].commitment)
    refused(table, BadShare, first, "not a seal")
    table.submit(first, sealed[0].commitment)
    assert [(ask.kind, ask.seat) for ask in table.asks()] == [("open", 0), ("open", 1)]
    assert b'"move":' not in bytes(table.transcript)
    mine, yours = table.asks()
    for wrong in (
        {"key": sealed[0].key, "move": 1},
        {"key": sealed[1].key, "move": 2},
        {"key": sealed[0].key.upper(), "move": 2},
        {"key": sealed[0].key, "move": 3},
        {"key": sealed[0].key},
        [sealed[0].key, 2],
    ):
        refused(table, IllegalMove, mine, wrong)
    table.submit(mine, {"key": sealed[0].key, "move": 2})
    assert table.state == ()
    table.submit(yours, {"key": sealed[1].key, "move": 1})
    assert table.state == (((0, 2), (1, 1)),)
    assert table.payoff == (0, 3)
    assert table.sealed_turns == [({1: 2, 0: 3}, 4, 5)]
    verdict = verify(bytes(table.transcript))
    sealed_claim, played = verdict.claims
    assert (str(sealed_claim), played.name) == ("SEALED:1", "PLAYED")
    assert "own program" in sealed_claim.condition, "the house sealed last"


@pytest.mark.parametrize("other", ["self", "house"])
def test_seals_count_for_each_seat_whatever_the_other_is_called(toy: str, other: str) -> None:
    """Seat 0 seals first. Whoever seals last need not trust the program that seals."""
    game = make_game(toy, {"seats": 2, "steps": [["turn", [0, 1], 3]]})
    for mine, alone in ((0, False), (1, True)):
        by = ["self" if seat == mine else other for seat in range(2)]
        chairs = [Chair(f"Seat {seat}", label) for seat, label in enumerate(by)]
        table = Driver(open_table(game, mode("system-plain"), chairs=chairs)).play()
        claims = {str(claim): claim for claim in verify(bytes(table.transcript)).claims}
        claim = claims[f"SEALED:{mine}"]
        assert claim.lines == (3, 5)
        assert ("own program" in claim.condition) != alone


def test_nothing_is_claimed_of_seals_between_programs_of_the_house(toy: str) -> None:
    game = make_game(toy, {"seats": 2, "steps": [["turn", [0, 1], 3]]})
    chairs = [Chair("A", "house"), Chair("B", "house")]
    table = Driver(open_table(game, mode("system-plain"), chairs=chairs)).play()
    assert [claim.name for claim in verify(bytes(table.transcript)).claims] == ["PLAYED"]


def test_a_seal_of_an_illegal_move_cannot_be_opened(toy: str) -> None:
    table = open_table(
        make_game(toy, {"seats": 2, "steps": [["turn", [0, 1], 3]]}), mode("system-plain")
    )
    for ask in table.asks():
        table.submit(ask, table.seal(ask, 9, secret(ask.seat)).commitment)
    refused(table, IllegalMove, table.asks()[0], {"key": secret(0).hex(), "move": 9})
    table.forfeit(0, "cannot open")
    assert verify(bytes(table.transcript)).payoff == (-1, 0)


def test_a_run_of_draws_shares_a_ticket_unless_each_draw_has_a_number(toy: str) -> None:
    steps = {"seats": 2, "steps": [["draw", 6], ["draw", 300], ["hidden", 9, 0], ["draw", 1]]}
    for way in ALL_MODES:
        table = open_table(make_game(toy, steps), way)
        Driver(table).play()
        sizes = [len(e["draws"]) for e in table.transcript.events if e["kind"] == "dealt"]
        assert sizes == ([1, 1, 1, 1] if way.dealer == "hmac-sha3-user/1" else [2, 1, 1])


def test_draws_of_any_size_are_written_as_a_reader_can_take_them() -> None:
    """Number by number, as `written` has it: what JSON cannot hold is text."""
    draws = [(6, 0), (SAFE, SAFE - 1), (SAFE + 1, SAFE), (2**70, 5), (2**70, 2**69)]
    assert _written(draws) == [(written(n), written(value)) for n, value in draws]
    assert _written(draws)[1:4] == [(SAFE, SAFE - 1), (str(SAFE + 1), SAFE), (str(2**70), 5)]


def test_draws_for_different_eyes_are_different_runs(toy: str) -> None:
    steps = {"seats": 2, "steps": [["hidden", 6, 0], ["hidden", 6, 1], ["hidden", 6, 1]]}
    table = open_table(make_game(toy, steps), mode("system-plain"))
    assert [len(run.draws) for run in table.runs] == [1, 2]


def test_views_of_a_table_are_those_of_the_rules(toy: str) -> None:
    table = open_table(make_game(toy, GUESS), mode("system-plain"))
    assert table.view(0) == table.state
    assert [repr(value) for value in table.view(1)] == ["HIDDEN"]
    assert table.view(None) == table.view(1)


def test_notes_are_written_and_read_by_no_rule(toy: str) -> None:
    table = open_table(make_game(toy, LONG), mode("hmac-sha3-user-number"))
    driver = Driver(table)
    plain = Driver(open_table(make_game(toy, LONG), mode("hmac-sha3-user-number"))).play()
    while True:
        table.note({"hint": "été", "list": [1, {"a": None}]})
        if not driver.once() or table.closed:
            break
    assert table.closed
    with pytest.raises(StaleAsk, match="has ended"):
        table.note({"late": True})
    verdict = verify(bytes(table.transcript))
    assert verdict.ok and len(table.transcript.lines) > len(plain.transcript.lines)
    with pytest.raises(ValueError):
        open_table(make_game(toy, LONG), mode("hmac-sha3-user-number")).note({"a": 0.5})


def test_a_note_makes_no_ask_stale(toy: str) -> None:
    table = open_table(make_game(toy, LONG), mode("hmac-sha3-user-number"))
    ask = table.asks()[0]
    table.note({})
    assert table.asks() == [ask]
    table.submit(ask, 1)


# Walking away


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
@pytest.mark.parametrize("name", TOYS)
def test_a_forfeit_at_any_point_verifies_and_opens_everything(
    toy: str, name: str, way: Mode
) -> None:
    point = 0
    while True:
        vault = FixedVault()
        table = open_table(make_game(toy, TOYS[name]), way, vault)
        Driver(table).play(point)
        if table.closed:
            break
        seat, by = point % 2, ("seat", "house")[point % 2]
        table.forfeit(seat, f"left at {point}", by)
        assert not table.asks()
        verdict = verify(bytes(table.transcript))
        assert verdict.ok, verdict.fault and verdict.fault.reason
        assert verdict.payoff == tuple(-1 if seat == i else 0 for i in range(2))
        said = "the record says that" if by == "seat" else "the house says that"
        assert len(verdict.remarks) == 1 and said in verdict.remarks[0]
        text = bytes(table.transcript).decode()
        for secret_name, (kept, _) in vault.secrets.items():
            if secret_name.startswith("hmac."):
                key, number = kept.decode().split()
                assert f'"key":"{key}","number":{number}' in text, "the key is still revealed"
            elif secret_name.startswith("blind."):
                assert kept.hex() in text
        point += 1
    assert point >= 2


@pytest.mark.parametrize("seat", [-1, 2, True, None, "0", 0.0])
def test_only_a_seat_that_exists_can_be_forfeited(seat: Any) -> None:
    table = open_table(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
    before = bytes(table.transcript)
    with pytest.raises(InputError, match="seat"):
        table.forfeit(seat, "left")
    assert bytes(table.transcript) == before


@pytest.mark.parametrize(
    ("reason", "by"), [("x" * 201, "seat"), (None, "seat"), ("\udc80", "seat"), ("left", "rival")]
)
def test_a_forfeit_says_who_and_why_in_a_few_words(reason: Any, by: str) -> None:
    table = open_table(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
    before = bytes(table.transcript)
    with pytest.raises(InputError):
        table.forfeit(0, reason, by)
    assert bytes(table.transcript) == before
    table.forfeit(0, "x" * 200)
    with pytest.raises(StaleAsk, match="has ended"):
        table.forfeit(1, "too late")


# A house that cannot keep its word, or must wait


def test_a_lost_secret_voids_the_table() -> None:
    vault = FixedVault()
    table = open_table(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"), vault)
    vault.secrets.clear()
    table.submit(table.asks()[0], 0)
    assert table.closed and table.payoff is None and not table.asks()
    kinds = [event["kind"] for event in table.transcript.events]
    assert kinds == ["start", "ticket", "share", "void", "end"]
    assert table.transcript.events[3]["code"] == SecretLost.code == "vault/lost"
    verdict = verify(bytes(table.transcript))
    assert not verdict.ok and verdict.claims == () and verdict.fault is not None
    assert (verdict.fault.code, verdict.fault.line) == ("table/void", 4)
    with pytest.raises(StaleAsk):
        table.note({})


@pytest.mark.parametrize("way", ["hmac-sha3-user-number", "hash-chains-each"], ids=str)
def test_a_void_after_a_hidden_draw_is_still_called_a_void(toy: str, way: str) -> None:
    vault = FixedVault()
    table = open_table(make_game(toy, RICH), mode(way), vault)
    driver = Driver(table)
    while len(table.runs) < 3:
        driver.once()
    while table.asks():
        vault.secrets.clear()
        driver.once()
    assert table.closed and table.void_reason is not None
    verdict = verify(bytes(table.transcript))
    assert verdict.fault is not None
    assert (verdict.fault.code, verdict.fault.line) == ("table/void", table.transcript.step - 1)
    assert "vault" in verdict.fault.reason


class Contest(ContestDealer):
    """A contest that is not over yet."""

    running = True

    def release(self) -> None:
        if self.running:
            raise NotYet


def test_a_contest_tells_its_seed_only_when_it_is_over() -> None:
    game = make_game("intransitive/1", DICE)
    dealer = Contest(TABLE, FixedVault(), contest="cup", game=1, seed=b"s" * 32)
    table = Table.open(game, dealer, [Chair("A"), Chair("B")])
    Driver(table).play()
    assert table.waiting and not table.asks()
    assert dealer._seed.hex() not in bytes(table.transcript).decode()
    with pytest.raises(StaleAsk):
        table.note({})
    with pytest.raises(StaleAsk):
        table.forfeit(0, "late")
    fault = verify(bytes(table.transcript)).fault
    assert fault is not None and fault.code == "transcript/unfinished"
    before = bytes(table.transcript)
    table.advance()
    assert bytes(table.transcript) == before
    dealer.running = False
    table.advance()
    assert table.closed
    assert verify(bytes(table.transcript)).ok


def test_a_dealer_that_cheats_does_not_pass_its_own_table() -> None:
    class Cheat(ContestDealer):
        def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
            return {}, {"seed": "00" * 32}

    game = make_game("intransitive/1", DICE)
    dealer = Cheat(TABLE, FixedVault(), contest="cup", game=1, seed=b"s" * 32)
    with pytest.raises(FairgroundError, match="does not fit its commitment"):
        Table.open(game, dealer, [Chair("A"), Chair("B")])


class Renamed(ContestScheme):
    name = "cup/9"


class Cup(ContestDealer):
    scheme = Renamed


def test_a_register_of_ones_own_is_used() -> None:
    game = make_game("intransitive/1", DICE)
    dealer = Cup(TABLE, FixedVault(), contest="cup", game=1, seed=b"s" * 32)
    chairs = [Chair("A"), Chair("B")]
    table = Table.open(game, dealer, chairs)
    Driver(table).play()
    data = bytes(table.transcript)
    own = SCHEMES.plus({"cup/9": SchemeListing(f"{__name__}:Cup", "a cup")})
    assert verify(data, schemes=own).ok
    fault = verify(data).fault
    assert fault is not None
    assert (fault.code, fault.line) == ("name/unknown", 1)
    assert "no fairness scheme named 'cup/9'" in fault.reason


def test_a_game_without_chance_and_moves_is_over_at_once(toy: str) -> None:
    table = open_table(make_game(toy, {"seats": 1, "steps": []}), mode("seeded-tape"))
    assert [event["kind"] for event in table.transcript.events] == ["start", "end"]
    assert [str(claim) for claim in verify(bytes(table.transcript)).claims] == ["PLAYED"]


def test_decisions_are_remembered_with_their_lines(toy: str) -> None:
    table = Driver(open_table(make_game(toy, DUEL), mode("system-plain"))).play()
    lines = [json.loads(line)["kind"] for line in table.transcript.lines]
    assert [lines[d.line - 1] for d in table.decisions] == ["open", "open", "move"]
    assert [d.seat for d in table.decisions] == [0, 1, 1]


def test_nobody_leaves_twice() -> None:
    table = open_table(make_game("zombie/2", {"players": 3}), mode("hash-chains-chain"))
    table.forfeit(2, "tea")
    with pytest.raises(InputError, match="seat 2 has left already"):
        table.forfeit(2, "tea again")


def test_an_ask_for_a_move_names_no_draw() -> None:
    table = open_table(make_game("intransitive/1", DICE), mode("hmac-sha3-user-number"))
    driver = Driver(table)
    while table.asks()[0].kind != "move":
        driver.once()
    assert (table.asks()[0].n, table.asks()[0].run) == (0, 0)


class Together(Toy):
    """All seats that are there choose at once, under seals; the others play on without a leaver."""

    name = "together/1"

    def awaits(self, s: Any) -> Awaits:
        gone = {what for kind, what in s if kind == "gone"}
        if any(kind == "moved" for kind, _ in s):
            return Over((0,) * self.seats)
        return Turn(tuple(seat for seat in range(self.seats) if seat not in gone))

    def check(self, s: Any, seat: int, move: Any) -> None:
        if move not in (0, 1):
            raise IllegalMove(f"{move!r} is not 0 or 1")

    def moves(self, s: Any, seat: int) -> Any:
        return (0, 1)

    def played(self, s: Any, moves: Any) -> Any:
        return (*s, ("moved", tuple(sorted(moves.items()))))

    def departed(self, s: Any, seat: int) -> Any:
        return (*s, ("gone", seat))


def test_seals_stay_when_somebody_leaves_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES.listed, Together.name, listing_of(Together))
    game = make_game(Together.name, {"seats": 4, "steps": []})
    table = open_table(game, mode("hash-chains-alone"))
    asked = {ask.seat: ask for ask in table.asks()}
    assert {ask.kind for ask in asked.values()} == {"seal"}
    keys = {seat: secret("seal", seat) for seat in range(3)}
    for seat in (0, 1):
        table.submit(asked[seat], table.seal(asked[seat], seat, keys[seat]).commitment)
    table.forfeit(3, "left")
    (last,) = table.asks()
    assert (last.seat, last.kind) == (2, "seal"), "two are sealed already"
    assert [table.has_left(seat) for seat in range(4)] == [False, False, False, True]
    table.submit(last, table.seal(last, 0, keys[2]).commitment)
    for ask in table.asks():
        table.submit(ask, {"key": keys[ask.seat].hex(), "move": int(ask.seat == 1)})
    assert table.state[-1] == ("moved", ((0, 0), (1, 1), (2, 0)))
    assert sorted(table.sealed_turns[0].seals) == [0, 1, 2]
    assert verify(bytes(table.transcript)).ok


def test_the_seal_of_one_of_two_stays_when_the_third_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(GAMES.listed, Together.name, listing_of(Together))
    table = open_table(
        make_game(Together.name, {"seats": 3, "steps": []}), mode("hash-chains-alone")
    )
    first = table.asks()[0]
    table.submit(first, table.seal(first, 1, secret("seal", 0)).commitment)
    table.forfeit(2, "left")
    assert [(ask.seat, ask.kind) for ask in table.asks()] == [(1, "seal")]


def test_opened_moves_stay_when_somebody_leaves_in_the_middle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(GAMES.listed, Together.name, listing_of(Together))
    game = make_game(Together.name, {"seats": 4, "steps": []})
    table = open_table(game, mode("hash-chains-alone"))
    keys = {seat: secret("seal", seat) for seat in range(4)}
    for ask in table.asks():
        table.submit(ask, table.seal(ask, 1, keys[ask.seat]).commitment)
    first = table.asks()[0]
    table.submit(first, {"key": keys[first.seat].hex(), "move": 1})
    table.forfeit(3, "left")
    assert [(ask.seat, ask.kind) for ask in table.asks()] == [(1, "open"), (2, "open")]
    for ask in table.asks():
        table.submit(ask, {"key": keys[ask.seat].hex(), "move": 1})
    assert table.state[-1] == ("moved", ((0, 1), (1, 1), (2, 1)))
    assert verify(bytes(table.transcript)).ok


def test_a_departure_can_complete_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES.listed, Together.name, listing_of(Together))
    game = make_game(Together.name, {"seats": 3, "steps": []})
    table = open_table(game, mode("hash-chains-alone"))
    keys = {seat: secret("seal", seat) for seat in range(3)}
    for ask in table.asks():
        table.submit(ask, table.seal(ask, 1, keys[ask.seat]).commitment)
    for ask in table.asks()[:2]:
        table.submit(ask, {"key": keys[ask.seat].hex(), "move": 1})
    table.forfeit(2, "left")
    assert table.closed
    assert [(change.kind, change.seat) for change in table.history] == [
        *(("move", 0), ("move", 1), ("left", 2))
    ]
    assert [change.after == change.before for change in table.history] == [True, True, False]
    assert table.history[-1].after == table.state


RECORDS = sorted((Path(__file__).parent / "playthroughs").glob("*.jsonl")) + sorted(
    (Path(__file__).parent / "vectors" / "games").glob("zombies-leave-*.jsonl")
)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_the_history_leads_from_the_start_to_the_end_by_the_rules(path: Path) -> None:
    """Each entry begins where the one before ended, and follows from it by the rules alone."""
    table = replay(path.read_bytes())
    game, state = table.game, table.game.start()
    moves: dict[int, Any] = {}
    for change in table.history:
        assert change.before == state
        if change.kind == "draw":
            awaits = game.awaits(state)
            assert isinstance(awaits, Draw) and awaits.n == change.n
            assert isinstance(change.value, int)
            state = game.drawn(state, change.value)
        elif change.kind == "move":
            moves[change.seat] = change.value
            awaits = game.awaits(state)
            assert isinstance(awaits, Turn)
            if moves.keys() == set(awaits.seats):
                state, moves = game.played(state, moves), {}
        elif change.after != change.before:
            gone = game.departed(state, change.seat)
            if isinstance(gone, Over):
                assert change.after == gone
                continue
            state = gone
        assert change.after == state
    assert state == table.state
    kinds = {"draw": "dealt", "move": ("move", "open"), "left": "forfeit", "out": "forfeit"}
    events = table.transcript.events
    assert all(events[c.line - 1]["kind"] in kinds[c.kind] for c in table.history)
    assert [c.line for c in table.history if c.kind == "left"] == [d.line for d in table.departures]
