"""Both parties of a session as programs: honest evenings, and a partner who stops at each step."""

from __future__ import annotations

import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fairground.bank.audit import SessionRecord, read_session, settled_session, verify_session
from fairground.bank.bank_port import NO_SESSION, BankSession, Call, GameOutcome, Phase
from fairground.bank.croupier.croupier import GAME_CALLS, Croupier
from fairground.bank.croupier.session import SESSION_CALLS, SessionCroupier
from fairground.bank.croupier_port import Busy, Closed, Declined, Drawn, Taken
from fairground.bank.ledger.bank import LedgerBank
from fairground.bank.messages import Bet, Domain, Key, SessionState, SessionTerms
from fairground.bank.player.session import BetTooLarge, SessionPlayer
from fairground.bank.seeds import Seed
from fairground.bank.signatures import Signature
from fairground.core import Fault, InputError
from fairground.store.sqlite import SqliteStore
from fairground.verifier import verify
from tests.helpers.bank_game import enter
from tests.helpers.croupier import Guest
from tests.helpers.session_journal import MemoryJournal

HOUSE, GUEST = Key(6101), Key(6102)
ORDERS = [(1, 0, 1, 1, 0), (0, 0, 0, 0, 0), (1, 1, 1, 1, 1), (0, 0, 1, 0, 0)]
HIS, MINE = 30_000, 200


class Clock:
    time = 1_900_000_000

    def __call__(self) -> float:
        return self.time


class Hall:
    """A ledger with both parties at it."""

    def __init__(self, bank: LedgerBank, clock: Clock, store: SqliteStore) -> None:
        self.bank, self.clock, self.store = bank, clock, store
        self.chip = bank.terms.chip_cost
        self.croupier = Moody(bank, HOUSE, HIS * self.chip, MemoryJournal())

    def whole_croupier(self, bank: LedgerBank | None = None, **options: Any) -> Croupier:
        """The Croupier as he is served, with his journal in the store; made again: restarted."""
        return Croupier(bank or self.bank, HOUSE, self.store, **options)

    async def guests(self, first: int, number: int, bank: LedgerBank | None = None) -> list[Key]:
        """New keys with 1,000 chips each at the Bank."""
        keys = [Key(first + i) for i in range(number)]
        for key in keys:
            await (bank or self.bank).issue(key.address, 1_000 * self.chip)
            await enter(bank or self.bank, key, 1_000 * self.chip)
        return keys

    async def seat(
        self, croupier: Croupier, guest: Key = GUEST, chips: int = MINE
    ) -> SessionPlayer:
        """A session with the Croupier as he is served, at his Bank."""
        desk = croupier.sessions
        return await SessionPlayer.open(croupier._bank, desk, guest, chips * self.chip)

    async def sit(self) -> SessionPlayer:
        return await SessionPlayer.open(self.bank, self.croupier, GUEST, MINE * self.chip)

    async def chips(self, key: Key) -> int:
        return (await self.bank.account(key.address)).available // self.chip

    async def until_over(self, settle: Callable[[], Awaitable[bool]]) -> None:
        for _ in range(12):
            if await settle():
                return
            self.clock.time += self.bank.terms.step_time + 1
        raise AssertionError("it does not end")


class Moody(SessionCroupier):
    """He can fall silent at any of his words; or forget to tell what he signed."""

    silent_at = ""

    async def bet(self, session: bytes, bet: Bet, signature: Signature) -> Taken:
        if self.silent_at == "bet":
            raise Declined("not today")
        taken = await super().bet(session, bet, signature)
        seed = Seed(bytes(32), taken.seed.signature)
        if self.silent_at == "seed 0":
            raise Declined("not today")
        return taken._replace(seed=seed) if self.silent_at == "false seed 0" else taken

    async def order(
        self, session: bytes, seed: Seed, order: Sequence[int], signature: Signature
    ) -> Drawn | None:
        if self.silent_at == "order":
            raise Declined("not today")
        drawn = await super().order(session, seed, order, signature)
        if self.silent_at == "seed 1":
            raise Declined("not today")
        if drawn is not None and self.silent_at == "false seed 1":
            return drawn._replace(seed=seed)
        if drawn is not None and self.silent_at == "acceptance":
            return drawn._replace(acceptance=Signature(27, 1, 1))
        return drawn

    async def state(
        self, session: bytes, seed: Seed | None, state: SessionState, signature: Signature
    ) -> Signature:
        if self.silent_at == "state":
            raise Declined("not today")
        return await super().state(session, seed, state, signature)


@pytest.fixture
@asynccontextmanager
async def hall(tmp_path: Path) -> AsyncIterator[Hall]:
    store = await SqliteStore.open(f"sqlite:///{tmp_path}/bank.db")
    clock = Clock()
    bank = await LedgerBank.open(store, clock=clock)
    for key in (HOUSE, GUEST):
        await bank.issue(key.address, 50_000 * bank.terms.chip_cost)
        await enter(bank, key, 50_000 * bank.terms.chip_cost)
    yield Hall(bank, clock, store)
    await bank.close()


async def play(player: SessionPlayer, hands: int) -> int:
    won = 0
    for number in range(hands):
        await player.deal(1 + number % 2, 1 + number % 5)
        won += await player.draw(ORDERS[number % len(ORDERS)])
    return won


async def test_an_evening_and_its_record(hall: Hall) -> None:
    player = await hall.sit()
    won = await play(player, 9)
    assert player.share == MINE * hall.chip + won
    assert all(verify(one).ok for one in player.page.transcripts)
    await player.close()
    assert await hall.chips(GUEST) == 50_000 + won // hall.chip
    assert await hall.chips(HOUSE) == 50_000 - won // hall.chip
    record = player.record
    assert read_session(record.data) == record
    verdict = verify_session(record.data)
    assert (verdict.hands, verdict.share) == (9, player.share)
    assert verdict.won == won // hall.chip

    async def opened(_: Domain) -> Any:
        return hall.bank

    assert "closed the session after 9 hands" in await settled_session(record.data, opened)
    # The next session of these two has the next number.
    again = await hall.sit()
    assert again.terms.number == 1
    await again.close()


@pytest.mark.parametrize(
    ("tamper", "code"),
    [
        (lambda r: r._replace(transcripts=r.transcripts[:-1]), "session/other-balance"),
        (lambda r: r._replace(transcripts=r.transcripts[::-1]), "session/hand"),
        (lambda r: r._replace(state=r.state._replace(player_share=1)), "session/other-balance"),
        (lambda r: r._replace(croupier_signature=r.player_signature), "session/signature"),
        (lambda r: r._replace(terms=r.terms._replace(player_funds=1)), "session/signature"),
        (lambda r: r._replace(domain=Domain(5, r.domain.bank)), "session/signature"),
    ],
)
async def test_a_record_that_was_changed_is_found_out(
    hall: Hall, tamper: Callable[[SessionRecord], SessionRecord], code: str
) -> None:
    player = await hall.sit()
    await play(player, 3)
    with pytest.raises(Fault) as fault:
        verify_session(tamper(player.record).data)
    assert fault.value.code == code


@pytest.mark.parametrize(
    ("silent_at", "hand_is_played"),
    [
        ("bet", False),
        ("seed 0", False),
        ("false seed 0", False),
        ("order", True),
        ("seed 1", True),
        ("false seed 1", True),
        ("acceptance", True),
        ("state", True),
    ],
)
async def test_a_croupier_who_stops_costs_the_player_nothing(
    hall: Hall, silent_at: str, hand_is_played: bool
) -> None:
    player = await hall.sit()
    won = await play(player, 2) // hall.chip
    hall.croupier.silent_at = silent_at
    with pytest.raises(Declined):
        await player.deal(1, 5)
        await player.draw(ORDERS[0])
    await hall.until_over(player.settle)
    kept = await hall.bank.session(HOUSE.address, GUEST.address)
    assert kept.phase == Phase.CLOSED
    has = await hall.chips(GUEST)
    bet = player.held().hand
    game = await hall.bank.game(bet.bet.key) if bet is not None else None
    if not hand_is_played:
        assert has == 50_000 + won
    elif silent_at == "state":
        assert game is not None and game.outcome == GameOutcome.SETTLED
    else:
        # He told no seed 1 that counts: two stakes for three cards.
        assert game is not None and game.outcome == GameOutcome.CROUPIER_FORFEITED
        assert has == 50_000 + won + 5
    assert has + await hall.chips(HOUSE) == 100_000

    async def opened(_: Domain) -> Any:
        return hall.bank

    record, before = player.record, 50_000 - MINE
    said = await settled_session(record.data, opened)
    brought = "the next hand was brought before it" in said
    assert brought == hand_is_played, said
    if brought:
        in_all = re.search(r": (\d+) wei in all", said)
        assert in_all and int(in_all[1]) == (has - before) * hall.chip
        assert verify_session(record.data).disputed is not None
        # The same from the record without that hand; and a made-up end is found out.
        short = record._replace(disputed=b"")
        assert await settled_session(short.data, opened) == said
        with pytest.raises(Fault):
            forged = record._replace(disputed=record.transcripts[-1])
            verify_session(forged.data)
    with pytest.raises(Fault, match="the record says"):
        older = record._replace(
            state=record.state._replace(hands=1), transcripts=record.transcripts[:1]
        )
        await settled_session(older.data, opened)


@pytest.mark.parametrize("stop", ["bet", "dealt", "drawn"])
async def test_a_player_who_stops_loses_the_stake_and_no_more(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, stop: str
) -> None:
    class Gone(Exception):
        """The Player's program ends."""

    player = await hall.sit()
    won = await play(player, 2) // hall.chip
    croupier = hall.croupier

    async def leave(*_: object) -> Any:
        raise Gone

    if stop == "bet":
        monkeypatch.setattr(croupier, "bet", leave)
    elif stop == "drawn":
        monkeypatch.setattr(croupier, "state", leave)
    with pytest.raises(Gone):
        await player.deal(1, 5)
        if stop == "dealt":
            raise Gone
        await player.draw(ORDERS[0])
    await hall.until_over(lambda: croupier.settle(player.name))
    lost = 0 if stop == "bet" else 5
    assert await hall.chips(GUEST) == 50_000 + won - lost
    assert await hall.chips(HOUSE) == 50_000 - won + lost


async def test_what_the_croupier_declines(hall: Hall) -> None:
    player = await hall.sit()
    with pytest.raises(Declined, match="not closed"):
        await hall.sit()
    with pytest.raises(BetTooLarge, match="the largest bet that fits is 7"):
        await player.deal(10, 5)
    await player.deal(1, 1)
    hand = player.held().hand
    assert hand is not None
    other = hand.bet._replace(bet=2)
    with pytest.raises(Declined, match="the first counts"):
        await hall.croupier.bet(player.name, other, GUEST.sign(hall.bank.domain, other))
    with pytest.raises(Declined, match="not over"):
        await player.close()
    await player.draw(ORDERS[0])
    state = player.signed.state._replace(player_share=10**20)
    with pytest.raises(Declined, match="the state must be"):
        await hall.croupier.state(player.name, None, state, GUEST.sign(hall.bank.domain, state))
    await player.close()


async def test_the_croupier_looks_after_his_sessions_by_himself(hall: Hall) -> None:
    """One Player claims an old state and goes, another says nothing any more."""
    clock, bank = hall.clock, hall.bank
    (quiet,) = await hall.guests(6103, 1)
    croupier = hall.whole_croupier(bank)
    cheat = await hall.seat(croupier)
    beginning, won = cheat.signed, 0
    while won >= 0:  # a loss that the Player would like to forget
        await cheat.deal(1, 1)
        won = await cheat.draw(ORDERS[0])
    asleep = await hall.seat(croupier, quiet)
    await asleep.deal(1, 1)
    assert (await croupier.report()).open_sessions == 2
    await bank.send(GUEST, beginning.claim(cheat.terms))

    # He is started again, and knows all of it from his journal.
    croupier = hall.whole_croupier(bank)
    await croupier.prepare()
    assert (await croupier.report()).open_sessions == 2
    silent = iter(range(0, 10**6, bank.terms.step_time + 1))
    croupier.sessions._own = lambda: next(silent)
    for _ in range(12):
        await croupier.pump()
        clock.time += bank.terms.step_time + 1
    assert (await croupier.report()).open_sessions == 0
    *_, closed = await bank.told(cheat.terms.struct_hash())
    assert (closed.name, closed.values["hands"]) == ("SessionClosed", cheat.signed.state.hands)
    assert (await bank.account(GUEST.address)).available == 50_000 * hall.chip + (
        cheat.share - MINE * hall.chip
    )
    assert (await bank.account(quiet.address)).available == (1_000 - 1) * hall.chip


async def test_strangers_lock_half_of_his_money_at_the_most(hall: Hall) -> None:
    bank = hall.bank
    croupier = hall.whole_croupier(bank)
    guests = await hall.guests(6110, 3)
    sat = [await hall.seat(croupier, guest) for guest in guests[:2]]
    assert {one.terms.croupier_funds // hall.chip for one in sat} == {12_500}
    with pytest.raises(Busy, match="1/2 of his money"):
        await hall.seat(croupier, guests[2])
    # A session with hands makes a player known, and known players have room of their own.
    await play(sat[0], 1)
    await sat[0].close()
    for _ in range(2):
        await croupier.pump()
    again = await hall.seat(croupier, guests[0])
    assert again.terms.number == 1


async def test_a_new_key_without_closing_shop(hall: Hall) -> None:
    """Open games and sessions end under the key that they began with; new ones have the new."""
    bank, new = hall.bank, Key(6120)
    old = hall.whole_croupier(bank)
    evening = await hall.seat(old)
    won = await play(evening, 1)
    await evening.deal(1, 1)
    other = Guest(bank, 6121)
    await bank.issue(other.address, 1_000 * hall.chip)
    await other.enter(bank, 1_000 * hall.chip)
    offer = await old.offer(other.address)
    bet = other.bet_on(offer)
    while (await other.say_next(old, offer, bet, ORDERS[0])).stage != "awaits-order":
        await old.pump()

    rotated = hall.whole_croupier(signing=[new])
    assert (await rotated.about()).key == new.address
    assert (await bank.account(HOUSE.address)).key == new.address
    while (await other.say_next(rotated, offer, bet, ORDERS[0])).stage != "over":
        await rotated.pump()
    assert (await bank.game(bet.key)).outcome == GameOutcome.SETTLED
    evening._desk = rotated.sessions
    won += await evening.draw(ORDERS[0]) + await play(evening, 1)
    await evening.close()
    assert await hall.chips(GUEST) == 50_000 + won // hall.chip
    assert evening.terms.croupier_key == HOUSE.address

    again = await hall.seat(rotated)
    assert again.terms.croupier_key == new.address
    await play(again, 1)
    await again.close()
    assert verify_session(again.record.data).hands == 1
    assert (await rotated.offer(other.address)).croupier_key == new.address
    # Who forgets the new key is told so, and does not go back to the old one.
    with pytest.raises(InputError, match="--signing-key"):
        await hall.whole_croupier(bank).about()


class Dear(LedgerBank):
    """A ledger whose calls want a chip each in the purse, as they want gas on a chain."""

    async def upkeep(self, calls: Iterable[type[Call]]) -> int:
        return self.terms.chip_cost * len([*calls])


async def test_gas_is_kept_for_every_open_session(hall: Hall) -> None:
    """A purse that could not pay for a dispute takes no further session."""
    bank = await Dear.open(hall.store, clock=hall.clock)
    guests = await hall.guests(6130, 2, bank)
    croupier = hall.whole_croupier(bank)
    enough = len(GAME_CALLS) + len(SESSION_CALLS)
    with pytest.raises(Busy, match="for gas"):
        await hall.seat(croupier, guests[0])
    await bank.issue(HOUSE.address, (enough - 1) * hall.chip)
    first = await hall.seat(croupier, guests[0])
    for _ in range(2):
        with pytest.raises(Busy, match="for gas"):
            await hall.seat(croupier, guests[1])
        croupier = hall.whole_croupier(bank)  # he knows it after a start, too
    await bank.issue(HOUSE.address, hall.chip)
    await hall.seat(croupier, guests[1])
    assert first.terms.number == 0
    await bank.close()


async def test_nothing_is_signed_in_a_session_that_somebody_closes(hall: Hall) -> None:
    """A claim of an old state becomes final some time: who plays on might play for nothing."""
    croupier = hall.whole_croupier()
    player = await hall.seat(croupier)
    beginning = player.signed
    await play(player, 2)
    await hall.bank.send(HOUSE, beginning.claim(player.terms))
    player._looked = -math.inf  # a while later
    with pytest.raises(Closed, match="no more is played"):
        await player.deal(1, 1)
    # The Croupier, too, plays on with nobody who does not look.
    await croupier.pump()
    with pytest.raises(Closed, match="no more is played"):
        await croupier.sessions.offer(player.name, 2)
    await hall.until_over(player.settle)
    *_, closed = await hall.bank.told(player.terms.struct_hash())
    assert (closed.name, closed.values["hands"]) == ("SessionClosed", 2)


async def test_who_opens_sessions_must_bring_money_and_take_time(hall: Hall) -> None:
    """New keys cost nothing, and neither does an empty session: he pays the gas of each."""
    chip, other = hall.chip, Key(6141)
    bank = await Dear.open(hall.store, clock=hall.clock)
    await bank.issue(HOUSE.address, 1_000 * chip)
    croupier = hall.whole_croupier(bank)
    desk = croupier.sessions
    for funds in (0, 1, 20 * chip - 1):
        with pytest.raises(Declined, match="at least"):
            await SessionPlayer.open(bank, desk, GUEST, funds)
    for _ in range(3):
        player = await SessionPlayer.open(bank, desk, GUEST, 20 * chip)
        await player.close()
        assert player.page.closed
    with pytest.raises(Busy, match=r"come back in [0-9]+ seconds"):
        await SessionPlayer.open(bank, desk, GUEST, 20 * chip)
    await bank.issue(other.address, 20 * chip)
    await enter(bank, other, 20 * chip)
    await SessionPlayer.open(bank, desk, other, 20 * chip)
    # Where calls cost nothing, nobody has to wait.
    free = hall.whole_croupier()
    for _ in range(5):
        player = await SessionPlayer.open(hall.bank, free.sessions, GUEST, 20 * chip)
        await player.close()
    await bank.close()


async def test_who_has_played_a_session_is_known_after_a_restart(hall: Hall) -> None:
    """The Bank forgets the hands of a session that is closed; his journal does not."""
    croupier = hall.whole_croupier()
    guests = await hall.guests(6150, 3)
    for guest, hands in zip(guests, (1, 0), strict=False):
        player = await hall.seat(croupier, guest)
        await play(player, hands)
        await player.close()
    for _ in range(2):
        known = [await croupier._is_known(guest.address) for guest in guests]
        assert known == [True, False, False]
        kept = await hall.bank.session(HOUSE.address, guests[0].address)
        assert (kept.phase, kept.hands) == (Phase.CLOSED, 0)
        croupier = hall.whole_croupier()


async def test_terms_that_stay_good_for_long_are_not_signed(hall: Hall) -> None:
    class Patient(SessionCroupier):
        async def session(self, player: str, funds: int) -> SessionTerms:
            terms = await super().session(player, funds)
            return terms._replace(expiry=terms.expiry + 10 * 365 * 86_400)

    desk = Patient(hall.bank, HOUSE, HIS * hall.chip, MemoryJournal())
    with pytest.raises(Declined, match="he could open the session much later"):
        await SessionPlayer.open(hall.bank, desk, GUEST, MINE * hall.chip)
    assert (await hall.bank.session(HOUSE.address, GUEST.address)).phase == Phase.NONE


async def test_a_node_that_is_a_block_behind_is_waited_for(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Behind(LedgerBank):
        behind = 0

        async def session(self, croupier: str, player: str, confirmations: int = 0) -> BankSession:
            found = await super().session(croupier, player, confirmations)
            if found.phase == Phase.OPEN and self.behind:
                self.behind -= 1
                return NO_SESSION
            return found

    monkeypatch.setattr("fairground.bank.player.session.GLANCE", 0)

    bank = await Behind.open(hall.store, clock=hall.clock)
    bank.behind = 3
    funds = MINE * hall.chip
    player = await SessionPlayer.open(bank, hall.croupier, GUEST, funds)
    assert bank.behind == 0
    await player.close()
    # A session that never comes is not waited for without end.
    monkeypatch.setattr("fairground.bank.player.session.NODE_LAG", 0)
    bank.behind = 10**6
    with pytest.raises(Declined, match="did not bring the session"):
        await SessionPlayer.open(bank, hall.croupier, GUEST, funds)
    await bank.close()
