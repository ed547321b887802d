"""The Croupier when things go wrong: crashes at every instant, a Bank that is away, slow or
reorganised; and the law that holds through all of it: nothing is told early."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fairground.bank.bank_port import (
    AS_USUAL,
    SILENT_AT,
    BankAway,
    BankGame,
    BankRefused,
    Call,
    GameOutcome,
    Spending,
    Step,
    SubmitBet,
    SubmitCroupierSeed,
    short_name,
)
from fairground.bank.croupier.croupier import Croupier
from fairground.bank.croupier.journal import KIND, CroupierJournal
from fairground.bank.croupier_port import Busy, Closed, Offer, Sight
from fairground.bank.duties import Seen, Send, Write
from fairground.bank.duties import game_duty as duty
from fairground.bank.messages import Bet, Key
from fairground.bank.seeds import packed_order
from fairground.fair.bits import SeededStream
from fairground.store import Append
from fairground.store.sqlite import SqliteStore
from tests.helpers.croupier import (
    BANKROLL,
    CHIP,
    ORDER,
    PURSE,
    STANDS,
    STEP_TIME,
    BlockBank,
    House,
    Wrapped,
    house,
    prize,
)
from tests.helpers.width import WIDE

STAKE = 5 * CHIP


class Crash(BaseException):
    """The process ends here; nothing in it may catch this."""


class Fuse:
    """Goes off at the n-th thing that happens, before or after it."""

    def __init__(self, at: int, after: bool, bang: Callable[[], BaseException]) -> None:
        self.left, self.after, self.bang = at, after, bang

    async def burn(self, do: Callable[[], Awaitable[Any]]) -> Any:
        self.left -= 1
        if self.left == 0 and not self.after:
            raise self.bang()
        result = await do()
        if self.left == 0:
            raise self.bang()
        return result


class FusedBank(Wrapped):
    """What only asks changes nothing: after it is as good as before it."""

    fuse: Fuse
    calls = 0

    async def around(self, name: str, do: Callable[[], Any]) -> Any:
        if self.fuse.after and name != "send":
            return await do()
        self.calls += 1
        return await self.fuse.burn(do)


class FusedStore(SqliteStore):
    """The Croupier's own connection to the file that the Bank's ledger is in as well."""

    fuse: Fuse
    commits = 0

    async def commit(self, *appends: Append) -> None:
        self.commits += 1
        await self.fuse.burn(lambda: super(FusedStore, self).commit(*appends))


async def play_through(house: House, store: SqliteStore, order: Sequence[int]) -> int:
    """A game in which the Croupier may crash at any time, and is started again each time.

    The guest says everything again that was not answered, as a client does. Gives the
    number of crashes.
    """
    guest, crashes = house.guest, 0
    croupier = house.croupier(store=store)
    offer: Offer | None = None
    while True:
        try:
            if offer is None:
                offer = await croupier.offer(guest.address)
            bet = guest.bet_on(offer)
            sight = await guest.say_next(croupier, offer, bet, order)
            if sight.stage == "over":
                break
            await croupier.pump()
        except Crash:
            crashes += 1
            croupier = house.croupier(store=store)
        except (BankAway, Busy):
            pass
        except Closed:
            offer = None
    won = prize(bet, guest.final_hand(offer, bet, sight, order))
    assert await house.wealth() == (BANKROLL + STAKE - won, PURSE - STAKE + won)
    assert await house.store.logs(KIND, open_only=True) == []
    assert (await house.ledger.game(bet.key)).outcome == GameOutcome.SETTLED
    return crashes


async def with_a_bang(folder: Path, fuse: Fuse, where: str) -> tuple[int, int]:
    """A game in which one thing goes wrong; how often he crashed, and what could have."""
    folder.mkdir()
    async with house(folder) as made:
        if where == "bank":
            bank = made.bank = FusedBank(made.ledger)
            bank.fuse = fuse
            return await play_through(made, made.store, ORDER), bank.calls
        store = await FusedStore.open(f"sqlite:///{folder}/croupier.db")
        store.fuse = fuse
        crashes = await play_through(made, store, ORDER)
        await store.close()
        return crashes, store.commits


EVERY = 1 if WIDE else 4
"""Of the words with the Bank, those at which it goes wrong."""


def each_time(folder: Path, bang: Callable[[], BaseException], where: str, every: int = 1) -> int:
    """Play game after game, in each of which it goes wrong some steps later."""

    async def main() -> int:
        crashes = 0
        for after in (False, True):
            for at in itertools.count(1, every):
                fuse = Fuse(at, after, bang)
                more, possible = await with_a_bang(folder / f"{after}-{at}", fuse, where)
                crashes += more
                if at >= possible:
                    break
        return crashes

    return asyncio.run(main())


def test_restarted_after_every_line_of_his_journal(tmp_path: Path) -> None:
    assert each_time(tmp_path, Crash, "store") == 2 * 11


def test_restarted_after_every_word_with_the_bank(tmp_path: Path) -> None:
    assert each_time(tmp_path, Crash, "bank", EVERY) > 50 // EVERY


def test_the_bank_is_away_at_every_call(tmp_path: Path) -> None:
    assert each_time(tmp_path, lambda: BankAway("not now"), "bank", EVERY) == 0


async def test_a_bank_that_is_away_most_of_the_time(tmp_path: Path) -> None:
    """Two of three calls fail, half of them after they were done."""
    stream = SeededStream("a bank that is away")

    class Rarely(Wrapped):
        async def around(self, name: str, do: Callable[[], Any]) -> Any:
            luck = stream.below(3)
            if luck == 0:
                raise BankAway("not now")
            result = await do()
            if luck == 1:
                raise BankAway("did you hear me?")
            return result

    async with house(tmp_path) as made:
        made.bank = Rarely(made.ledger)
        await play_through(made, made.store, ORDER)


# Never early


class Watched(BlockBank):
    """Twelve blocks deep; and it looks over the Croupier's shoulder when he sends something."""

    def __init__(self, bank: Any) -> None:
        super().__init__(bank)
        self.sent: list[tuple[Call, BankGame]] = []

    async def send(self, sender: Key, call: Call, spending: Spending = AS_USUAL) -> Any:
        if isinstance(call, SubmitCroupierSeed):
            self.sent.append((call, self.at(call.bet.key, 12)))
        return await super().send(sender, call, spending)


async def test_no_seed_leaves_before_its_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in what he shows, sends or logs, nor in the lines of his journal."""
    caplog.set_level(logging.DEBUG)

    async with house(tmp_path) as made:
        bank = made.bank = Watched(made.ledger)
        croupier, guest = made.croupier(confirmations=12), made.guest
        offer = await croupier.offer(guest.address)
        bet = guest.bet_on(offer)
        journal = CroupierJournal(made.store, bank.domain, croupier.account)
        secrets = [seed.hex() for seed in (await journal.page(offer.id)).seeds]
        seen: list[set[int]] = []
        shown = ""
        while True:
            sight = await guest.say_next(croupier, offer, bet, ORDER)
            shown += repr(sight) + "".join(s.hex() for s in sight.seeds if s is not None)
            final = bank.at(bet.key, 12)
            this_bet = final.is_of(bet)
            allowed = [
                this_bet and final.step >= Step.BET_SUBMITTED,
                this_bet and final.step >= Step.ORDER_SUBMITTED,
            ]
            stored = await made.store.read(offer.id)
            assert stored is not None
            everything = stored.data.decode() + caplog.text + shown
            for seed_id, secret in enumerate(secrets):
                nonce, signature = secret[:64], secret[64:]
                if not allowed[seed_id]:
                    assert sight.seeds[seed_id] is None
                    assert nonce not in everything and signature[:64] not in everything
                    assert f"seed.{seed_id}" not in dict(stored.spent)
                if sight.seeds[seed_id] is not None:
                    assert f"seed.{seed_id}" in dict(stored.spent), "durable before it leaves"
            seen.append({i for i, seed in enumerate(sight.seeds) if seed is not None})
            if sight.stage == "over":
                break
            await croupier.pump()
            bank.mine(1)
        assert [len(one) for one in seen] == sorted(len(one) for one in seen)
        assert seen[0] == set() and seen[-1] == {0, 1}
        assert len([one for one in seen if not one]) > 12 < len([o for o in seen if o == {0}])
        (first, at_first), (second, at_second) = bank.sent[:1] + bank.sent[-1:]
        assert (first.seed_id, second.seed_id) == (0, 1)  # type: ignore[union-attr]
        assert at_first.step >= Step.BET_SUBMITTED
        assert at_second.step >= Step.ORDER_SUBMITTED


def test_his_duty_is_never_to_tell_early(tmp_path: Path) -> None:
    """Over everything that a Bank could say: all steps, final and now, in time and late."""

    async def page_and_bet() -> tuple[Any, Bet]:
        async with house(tmp_path) as made:
            croupier, guest = made.croupier(), made.guest
            offer = await croupier.offer(guest.address)
            bet = guest.bet_on(offer)
            await croupier.bet(offer.id, bet, guest.sign(bet))
            page = await CroupierJournal(made.store, made.bank.domain, croupier.account).page(
                offer.id
            )
            mail = (ORDER, guest.sign_order(bet, ORDER))
            return page._replace(mail=mail, heard=guest.seeds[offer.id]), bet

    page, bet = asyncio.run(page_and_bet())
    name, deadline = short_name(bet.struct_hash()), 5000
    nothing = BankGame(bytes(32), 0, 0, 0, 0, 0)

    def games() -> list[BankGame]:
        found = [nothing]
        for hash_, step, outcome in itertools.product((name, b"x" * 32), range(1, 7), GameOutcome):
            order = packed_order(ORDER) if step >= 4 else 0
            found.append(BankGame(hash_, step, outcome, deadline, order, 0))
        return found

    told, brought = 0, 0
    for final, now in itertools.product(games(), games()):
        for time, known in itertools.product((deadline, deadline + 1), (0, 1, 2)):
            this = page._replace(told=known, order=ORDER if known == 2 else None)
            match duty(this, Seen(final, now, time)):
                case Write("told", {"seed_id": seed_id}):
                    told += 1
                    assert known == seed_id and time <= deadline
                    assert final.bet_hash == now.bet_hash == name
                    assert final.outcome == GameOutcome.OPEN
                    assert final.step == (Step.ORDER_SUBMITTED if seed_id else Step.BET_SUBMITTED)
                case Send(SubmitCroupierSeed(_, seed_id, seed)):
                    brought += 1
                    assert known > seed_id and seed == page.seeds[seed_id]
                    assert now.bet_hash == name and time <= deadline
                case Send(SubmitBet()):
                    assert final == now == nothing and known == 0
                case Send(call):
                    assert now.bet_hash == name and now.outcome == GameOutcome.OPEN
                    late = now.step in SILENT_AT and time > deadline
                    assert late == (type(call).__name__ == "Complain")
    assert told > 0 and brought > 0


# Reorganisations


class Reorganised(BlockBank):
    """A chain whose latest blocks can be taken back, together with all that they held."""

    gone = False

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        return BankGame(bytes(32), 0, 0, 0, 0, 0) if self.gone else self.at(key, confirmations)

    async def send(self, sender: Key, call: Call, spending: Spending = AS_USUAL) -> Any:
        if self.gone:
            self.refused = call
            raise BankAway("reorganising")
        return await super().send(sender, call, spending)

    refused: Call | None = None


async def test_a_bet_that_is_taken_back_is_brought_again_unless_the_seed_is_out(
    tmp_path: Path,
) -> None:
    async with house(tmp_path) as made:
        bank = made.bank = Reorganised(made.ledger)
        croupier, guest = made.croupier(confirmations=3), made.guest

        async def look(offer: Offer) -> Sight:
            await croupier.pump()
            return await croupier.look(offer.id)

        offer = await croupier.offer(guest.address)
        bet = guest.bet_on(offer)
        await croupier.bet(offer.id, bet, guest.sign(bet))
        assert (await look(offer)).stage == "bet-sent"
        bank.gone = True
        assert (await look(offer)).seeds == (None, None)
        assert isinstance(bank.refused, SubmitBet), "he brings it again"
        bank.gone, bank.refused = False, None
        bank.mine(3)
        assert (await look(offer)).stage == "awaits-seed-0"
        bank.gone = True
        assert (await look(offer)).stage == "awaits-seed-0"
        assert bank.refused is None, "with seed 0 the Player could choose: not again"
        bank.gone = False
        while (await guest.say_next(croupier, offer, bet, ORDER)).stage != "over":
            await croupier.pump()
            bank.mine(1)
        assert sum(await made.wealth()) == BANKROLL + PURSE


async def test_a_bet_that_came_through_although_it_was_refused(tmp_path: Path) -> None:
    """A call that seemed lost was not; its repetition finds the place taken."""

    class Overtaken(BlockBank):
        async def send(self, sender: Key, call: Call, spending: Spending = AS_USUAL) -> Any:
            done = await super().send(sender, call, spending)
            if isinstance(call, SubmitBet):
                raise BankRefused("Overtaken")
            return done

    async with house(tmp_path) as made:
        bank = made.bank = Overtaken(made.ledger)
        croupier, guest = made.croupier(confirmations=2), made.guest
        offer = await croupier.offer(guest.address)
        bet = guest.bet_on(offer)
        await croupier.bet(offer.id, bet, guest.sign(bet))
        await croupier.pump()
        sight = await croupier.look(offer.id)
        assert (sight.stage, sight.trouble) == ("bet-sent", "")
        while (await guest.say_next(croupier, offer, bet, ORDER)).stage != "over":
            await croupier.pump()
            bank.mine(1)
        assert bank.at(bet.key, 0).outcome == GameOutcome.SETTLED


async def test_a_bet_may_come_back_for_a_while(tmp_path: Path) -> None:
    """Behind a chain he does not give it up at its expiry: a reorganisation may bring it."""
    async with house(tmp_path) as made:
        made.bank = BlockBank(made.ledger)
        croupier, guest = made.croupier(confirmations=2), made.guest
        offer = await croupier.offer(guest.address)
        bet = guest.bet_on(offer)
        await croupier.bet(offer.id, bet, guest.sign(bet))
        made.clock.time = bet.expiry + STEP_TIME
        await croupier.pump()
        assert (await croupier.look(offer.id)).stage == "bet-sent"
        assert (await made.ledger.game(bet.key)).step == Step.NONE, "but he brings it no more"
        made.clock.time += 2
        await croupier.pump()
        assert (await croupier.look(offer.id)).stage == "over"


async def test_two_workers_with_one_journal(tmp_path: Path) -> None:
    """Each tends the same games, and the Player speaks now with one and now with the other."""
    async with house(tmp_path) as made:
        await made.croupier().prepare()
        async with made.croupier() as one, made.croupier() as other:
            desks: itertools.cycle[Croupier] = itertools.cycle((one, other))
            for order in (ORDER, STANDS):
                before = await made.wealth()
                offer = await one.offer(made.guest.address)
                bet = made.guest.bet_on(offer)
                for desk in desks:
                    sight = await made.guest.say_next(desk, offer, bet, order)
                    if sight.stage == "over":
                        break
                    await asyncio.sleep(0.001)
                won = prize(bet, made.guest.final_hand(offer, bet, sight, order))
                after = before[0] + STAKE - won, before[1] - STAKE + won
                assert await made.wealth() == after
