"""Both parties of a session as programs: honest evenings, and a partner who stops at each step."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fairground.bank.bank_port import GameOutcome, Phase
from fairground.bank.crypto.curve import Signature
from fairground.bank.ledger.bank import LedgerBank
from fairground.bank.messages import Bet, Domain, Key, SessionState
from fairground.bank.seeds import Seed
from fairground.bank.session.croupier import SessionCroupier
from fairground.bank.session.desk import Declined, Drawn, Taken
from fairground.bank.session.player import SessionPlayer
from fairground.bank.session.record import (
    SessionRecord,
    is_session,
    read_session,
    settled_session,
    verify_session,
)
from fairground.core import Fault
from fairground.store.sqlite import SqliteStore
from fairground.verify import verify
from tests.helpers.bank_game import enter

HOUSE, GUEST = Key(6101), Key(6102)
ORDERS = [(1, 0, 1, 1, 0), (0, 0, 0, 0, 0), (1, 1, 1, 1, 1), (0, 0, 1, 0, 0)]
HIS, MINE = 30_000, 200


class Clock:
    time = 1_900_000_000

    def __call__(self) -> float:
        return self.time


class Hall:
    """A ledger with both parties at it."""

    def __init__(self, bank: LedgerBank, clock: Clock) -> None:
        self.bank, self.clock = bank, clock
        self.chip = bank.terms.chip_cost
        self.croupier = Moody(bank, HOUSE, HIS * self.chip)

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

    def record(self, player: SessionPlayer) -> SessionRecord:
        return SessionRecord(
            self.bank.domain,
            player.terms,
            player.opening,
            tuple(player.transcripts),
            *player.signed,
        )


class Moody(SessionCroupier):
    """He can fall silent at any of his words; or forget to tell what he signed."""

    silent_at = ""

    async def bet(self, session: bytes, bet: Bet, signature: Signature) -> Taken:
        if self.silent_at == "bet":
            raise Declined("not today")
        taken = await super().bet(session, bet, signature)
        if self.silent_at == "seed 0":
            raise Declined("not today")
        return taken

    async def order(
        self, session: bytes, seed: Seed, order: Sequence[int], signature: Signature
    ) -> Drawn | None:
        if self.silent_at == "order":
            raise Declined("not today")
        drawn = await super().order(session, seed, order, signature)
        if self.silent_at == "seed 1":
            raise Declined("not today")
        if drawn is not None and self.silent_at == "acceptance":
            return drawn._replace(acceptance=Signature(27, 1, 1))
        return drawn

    async def state(
        self, session: bytes, seed: Seed | None, state: SessionState, signature: Signature
    ) -> Signature:
        if self.silent_at == "state":
            raise Declined("not today")
        return await super().state(session, seed, state, signature)


def in_hall(folder: Path, test: Callable[[Hall], Awaitable[None]]) -> None:
    async def main() -> None:
        store = await SqliteStore.open(f"sqlite:///{folder}/bank.db")
        clock = Clock()
        bank = await LedgerBank.open(store, clock=clock)
        for key in (HOUSE, GUEST):
            await bank.issue(key.address, 50_000 * bank.terms.chip_cost)
            await enter(bank, key, 50_000 * bank.terms.chip_cost)
        await test(Hall(bank, clock))
        await bank.close()
        await store.close()

    asyncio.run(asyncio.wait_for(main(), 120))


async def play(player: SessionPlayer, hands: int) -> int:
    won = 0
    for number in range(hands):
        await player.deal(1 + number % 2, 1 + number % 5)
        won += await player.draw(ORDERS[number % len(ORDERS)])
    return won


def test_an_evening_and_its_record(tmp_path: Path) -> None:
    async def test(hall: Hall) -> None:
        player = await hall.sit()
        won = await play(player, 9)
        assert player.share == MINE * hall.chip + won
        assert all(verify(one).ok for one in player.transcripts)
        await player.close()
        assert await hall.chips(GUEST) == 50_000 + won // hall.chip
        assert await hall.chips(HOUSE) == 50_000 - won // hall.chip
        record = hall.record(player)
        assert is_session(record.data) and read_session(record.data) == record
        verdict = verify_session(record.data)
        assert (verdict.hands, verdict.share) == (9, player.share)
        assert f"{won // hall.chip:+} chips" in verdict.sentence(hall.chip)

        async def opened(_: Domain) -> Any:
            return hall.bank

        assert "closed the session after 9 hands" in await settled_session(record.data, opened)
        # The next session of these two has the next number.
        again = await hall.sit()
        assert again.terms.number == 1
        await again.close()

    in_hall(tmp_path, test)


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
def test_a_record_that_was_changed_is_found_out(
    tmp_path: Path, tamper: Callable[[SessionRecord], SessionRecord], code: str
) -> None:
    async def test(hall: Hall) -> None:
        player = await hall.sit()
        await play(player, 3)
        with pytest.raises(Fault) as fault:
            verify_session(tamper(hall.record(player)).data)
        assert fault.value.code == code

    in_hall(tmp_path, test)


@pytest.mark.parametrize(
    ("silent_at", "hand_is_played"),
    [
        ("bet", False),
        ("seed 0", False),
        ("order", True),
        ("seed 1", True),
        ("acceptance", True),
        ("state", True),
    ],
)
def test_a_croupier_who_stops_costs_the_player_nothing(
    tmp_path: Path, silent_at: str, hand_is_played: bool
) -> None:
    async def test(hall: Hall) -> None:
        player = await hall.sit()
        won = await play(player, 2) // hall.chip
        hall.croupier.silent_at = silent_at
        with pytest.raises((Declined, Exception)):
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

    in_hall(tmp_path, test)


@pytest.mark.parametrize("stop", ["bet", "dealt", "drawn"])
def test_a_player_who_stops_loses_the_stake_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: str
) -> None:
    class Gone(Exception):
        """The Player's program ends."""

    async def test(hall: Hall) -> None:
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

    in_hall(tmp_path, test)


def test_what_the_croupier_declines(tmp_path: Path) -> None:
    async def test(hall: Hall) -> None:
        player = await hall.sit()
        with pytest.raises(Declined, match="not closed"):
            await hall.sit()
        with pytest.raises(Declined, match=r"cannot be made.*left in the session"):
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

    in_hall(tmp_path, test)
