"""The Croupier at his desk: honest games, and everything that a Player may try."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from fairground.bank.bank_port import (
    AS_USUAL,
    BankAway,
    GameOutcome,
    Spending,
    Step,
    SubmitCroupierSeed,
    SubmitPlayerSeed,
    SubmitReplacementOrder,
    WithdrawFunds,
)
from fairground.bank.croupier.croupier import Croupier, Habits
from fairground.bank.croupier.journal import kept_key
from fairground.bank.croupier_port import (
    Busy,
    Closed,
    Declined,
    Offer,
    SaidOtherwise,
    TooSoon,
    UnknownGame,
)
from fairground.bank.messages import Bet, Key
from fairground.bank.seeds import Seed, WrongSeed
from fairground.bank.signatures import BadSignature, Signature
from fairground.core import InputError
from fairground.games.poker.rules import PAYS
from fairground.verifier import verify
from tests.helpers.croupier import (
    BANKROLL,
    CHIP,
    ORDER,
    PURSE,
    STANDS,
    STEP_TIME,
    BlockBank,
    Guest,
    House,
    Wrapped,
    prize,
)

STAKE = 5 * CHIP
TOP = PAYS[5][-1] * CHIP


async def until(house: House, croupier: Croupier, offer: Offer, bet: Bet, stage: str) -> None:
    """Play on until the Croupier waits for this."""
    while (await croupier.look(offer.id)).stage != stage:
        await house.guest.say_next(croupier, offer, bet, ORDER)
        await croupier.pump()


async def test_honest_games_end_as_their_messages_say(house: House) -> None:
    croupier = house.croupier()
    for number, order in enumerate((ORDER, STANDS, (1, 1, 1, 1, 1))):
        before = await house.wealth() if number else (BANKROLL, PURSE)
        offer, _, won = await house.play(croupier, order, bet=2, level=3)
        assert offer.game_id == number
        assert await house.wealth() == (before[0] + 6 * CHIP - won, before[1] - 6 * CHIP + won)
        transcript = await croupier.transcript(offer.id)
        verdict = verify(transcript)
        assert verdict.ok and verdict.payoff == (6 - won // CHIP, won // CHIP - 6)
        assert await house.croupier().transcript(offer.id) == transcript, "after a restart"


Change = Callable[[House, Offer, Bet], Bet]

BAD_BETS: list[tuple[str, Change, str]] = [
    ("the next game", lambda h, o, b: b._replace(game_id=b.game_id + 1), "game_id must be 0"),
    ("another player", lambda h, o, b: b._replace(player=Key(3).address), "player must be"),
    ("another croupier", lambda h, o, b: b._replace(croupier=Key(3).address), "croupier must be"),
    ("another key", lambda h, o, b: b._replace(croupier_key=Key(3).address), "croupier_key must"),
    ("cheap chips", lambda h, o, b: b._replace(chip_cost=1), "chip_cost must be 1000, not 1"),
    ("no bet", lambda h, o, b: b._replace(bet=0), "bet must be 1 to 10, not 0"),
    ("a huge bet", lambda h, o, b: b._replace(bet=11), "bet must be 1 to 10, not 11"),
    ("true", lambda h, o, b: b._replace(bet=True), "bet must be 1 to 10, not True"),
    ("level 6", lambda h, o, b: b._replace(level=6), "level must be 1 to 5, not 6"),
    (
        "his seeds turned round",
        lambda h, o, b: b._replace(
            croupier_commitment_0=o.commitments[1], croupier_commitment_1=o.commitments[0]
        ),
        "croupier_commitment_0 must be",
    ),
    (
        "his commitment as the player's own",
        lambda h, o, b: b._replace(player_commitment_1=o.commitments[0]),
        "must differ",
    ),
    ("too long", lambda h, o, b: b._replace(expiry=o.expiry + 1), "at most the offer's"),
    ("too short", lambda h, o, b: b._replace(expiry=int(h.clock.time) + 1), "20 seconds"),
    ("an old key", lambda h, o, b: b._replace(player_key=Key(3).address), "signed by"),
]


async def test_a_bet_must_be_his_offer_to_the_letter(house: House) -> None:
    croupier, guest = house.croupier(), house.guest
    offer = await croupier.offer(guest.address)
    bet = guest.bet_on(offer)
    for name, change, reason in BAD_BETS:
        bad = change(house, offer, bet)
        with pytest.raises((Declined, BadSignature), match=reason):
            await croupier.bet(offer.id, bad, guest.sign(bad))
        assert (await croupier.look(offer.id)).stage == "offered", name
    with pytest.raises(BadSignature):
        await croupier.bet(offer.id, bet, Key(3).sign(house.bank.domain, bet))
    with pytest.raises(BadSignature):
        await croupier.bet(offer.id, bet, Signature(27, 0, 0))
    with pytest.raises(UnknownGame, match="'elsewhere'"):
        await croupier.bet("elsewhere", bet, guest.sign(bet))
    with pytest.raises(UnknownGame, match="'bank'"):
        await croupier.look("bank")  # a log, but none of his
    with pytest.raises(Declined, match="himself"):
        await croupier.offer(house.key.address)
    with pytest.raises(InputError, match="40 hex digits"):
        await croupier.offer("0x12")

    await croupier.bet(offer.id, bet, guest.sign(bet))
    await croupier.bet(offer.id, bet, guest.sign(bet))
    other = bet._replace(bet=2)
    with pytest.raises(SaidOtherwise, match="another bet"):
        await croupier.bet(offer.id, other, guest.sign(other))
    while (await guest.say_next(croupier, offer, bet, ORDER)).stage != "over":
        await croupier.pump()
    assert sum(await house.wealth()) == BANKROLL + PURSE


async def test_a_player_whom_the_bank_does_not_know_or_who_cannot_pay(house: House) -> None:
    croupier = house.croupier()
    stranger = Guest(house.bank, 1)
    offer = await croupier.offer(stranger.address)
    bet = stranger.bet_on(offer)
    with pytest.raises(Declined, match="submit your public key"):
        await croupier.bet(offer.id, bet, stranger.sign(bet))
    await stranger.arrive(house.ledger, STAKE - 1)
    with pytest.raises(Declined, match=f"{STAKE - 1} available"):
        await croupier.bet(offer.id, bet, stranger.sign(bet))
    theirs = bet._replace(player_key=Key(3).address)
    with pytest.raises(Declined, match="your key at the Bank"):
        await croupier.bet(offer.id, theirs, Key(3).sign(house.bank.domain, theirs))


async def test_seeds_and_orders_in_their_turn_and_one_only(house: House) -> None:
    croupier, guest = house.croupier(), house.guest
    offer = await croupier.offer(guest.address)
    bet = guest.bet_on(offer)
    mine = guest.seeds[offer.id]
    foreign = guest.bet_on(offer._replace(id="foreign")), guest.seeds["foreign"]
    with pytest.raises(TooSoon, match="no bet"):
        await croupier.seed(offer.id, 0, mine[0])
    await croupier.bet(offer.id, bet, guest.sign(bet))
    with pytest.raises(TooSoon, match="keep it to yourself"):
        await croupier.seed(offer.id, 0, mine[0])
    with pytest.raises(TooSoon, match="no hand yet"):
        await croupier.order(offer.id, ORDER, guest.sign_order(bet, ORDER))
    with pytest.raises(TooSoon, match="final hand"):
        await croupier.transcript(offer.id)

    await until(house, croupier, offer, bet, "awaits-seed-0")
    for wrong in (mine[1], foreign[1][0], Seed(mine[0].nonce, Signature(27, 1, 1))):
        with pytest.raises(WrongSeed):
            await croupier.seed(offer.id, 0, wrong)
    with pytest.raises(BadSignature):
        await croupier.seed(offer.id, 0, Seed(bytes(32), mine[0].signature))
    with pytest.raises(TooSoon):
        await croupier.seed(offer.id, 1, mine[1])
    with pytest.raises(Declined, match="0 or 1, not 2"):
        await croupier.seed(offer.id, 2, mine[1])
    await croupier.seed(offer.id, 0, mine[0])
    await croupier.seed(offer.id, 0, mine[0])

    await until(house, croupier, offer, bet, "awaits-order")
    for order in ((1, 0, 1, 1), (1, 0, 1, 1, 2), (True, 0, 0, 0, 0)):
        with pytest.raises(Declined, match="an order is 5 numbers"):
            await croupier.order(offer.id, order, guest.sign_order(bet, ORDER))
    with pytest.raises(BadSignature):
        await croupier.order(offer.id, STANDS, guest.sign_order(bet, ORDER))
    with pytest.raises(BadSignature):
        await croupier.order(offer.id, ORDER, guest.sign_order(foreign[0], ORDER))
    await croupier.order(offer.id, ORDER, guest.sign_order(bet, ORDER))
    await croupier.order(offer.id, ORDER, guest.sign_order(bet, ORDER))
    with pytest.raises(SaidOtherwise, match="came first"):
        await croupier.order(offer.id, STANDS, guest.sign_order(bet, STANDS))

    await until(house, croupier, offer, bet, "over")
    with pytest.raises(Closed, match="settled"):
        await croupier.seed(offer.id, 1, mine[1])
    game = await house.bank.game(bet.key)
    assert game.replaced == ORDER and game.outcome == GameOutcome.SETTLED
    assert sum(await house.wealth()) == BANKROLL + PURSE


async def test_a_newer_offer_burns_the_older_one(house: House) -> None:
    croupier, guest = house.croupier(), house.guest
    old = await croupier.offer(guest.address)
    bet = guest.bet_on(old)
    house.clock.time += 300
    assert await house.croupier().offer(guest.address) == old, "while it is good, it stands"
    house.clock.time += 1
    new = await house.croupier().offer(guest.address)  # another worker, or a restart
    assert new.game_id == old.game_id
    assert not set(new.commitments) & set(old.commitments)
    with pytest.raises(Closed, match="newer offer"):
        await croupier.bet(old.id, bet, guest.sign(bet))
    sight = await croupier.look(old.id)
    assert (sight.stage, sight.seeds) == ("over", (None, None))

    await croupier.bet(new.id, guest.bet_on(new), guest.sign(guest.bet_on(new)))
    with pytest.raises(Busy, match="on its way"):
        await croupier.offer(guest.address)
    await croupier.pump()
    assert (await croupier.offer(guest.address)).game_id == 1


async def test_offers_and_bets_lapse(house: House) -> None:
    croupier, guest = house.croupier(), house.guest
    offer = await croupier.offer(guest.address)
    house.clock.time += 601
    with pytest.raises(Declined, match="Ask for a new offer"):
        await croupier.bet(offer.id, guest.bet_on(offer), guest.sign(guest.bet_on(offer)))
    await croupier.pump()
    assert (await croupier.look(offer.id)).trouble == "nobody bet on this offer in time"

    offer = await croupier.offer(guest.address)
    bet = guest.bet_on(offer)
    await croupier.bet(offer.id, bet, guest.sign(bet))
    house.clock.time += 601  # he was away
    await house.croupier().pump()
    sight = await croupier.look(offer.id)
    assert (sight.stage, sight.seeds) == ("over", (None, None))
    assert "expired" in sight.trouble
    with pytest.raises(Closed, match="no game came about"):
        await croupier.transcript(offer.id)
    assert (await house.bank.game(bet.key)).step == Step.NONE
    assert (await house.wealth()) == (BANKROLL, PURSE)


async def test_what_the_bank_refuses_is_over_with_its_reason(house: House) -> None:
    croupier, guest = house.croupier(), house.guest
    offer = await croupier.offer(guest.address)
    bet = guest.bet_on(offer)
    await croupier.bet(offer.id, bet, guest.sign(bet))
    await house.ledger.send(guest.key, WithdrawFunds(PURSE))
    await croupier.pump()
    sight = await croupier.look(offer.id)
    assert (sight.stage, sight.seeds) == ("over", (None, None))
    assert "InsufficientFunds" in sight.trouble
    lines = (await house.store.read(offer.id)).lines  # type: ignore[union-attr]
    await croupier.pump()
    assert (await house.store.read(offer.id)).lines == lines, "not tried again"  # type: ignore[union-attr]
    assert (await croupier.offer(guest.address)).game_id == offer.game_id

    house.clock.time += 601
    await house.croupier().pump()
    assert await house.store.logs("croupier", open_only=True) == []
    assert "InsufficientFunds" in (await croupier.look(offer.id)).trouble


async def test_he_promises_no_more_than_he_has(house: House) -> None:
    croupier = house.croupier(bankroll=TOP + TOP // 2)
    guests = [house.guest, Guest(house.bank, 1), Guest(house.bank, 2)]
    for guest in guests[1:]:
        await guest.arrive(house.ledger)
    offers = [await croupier.offer(guest.address) for guest in guests]
    bets = [guest.bet_on(offer) for guest, offer in zip(guests, offers, strict=True)]
    await croupier.bet(offers[0].id, bets[0], guests[0].sign(bets[0]))
    for again in (croupier, house.croupier(bankroll=0)):  # and he remembers it after a restart
        with pytest.raises(Busy, match="top prize"):
            await again.bet(offers[1].id, bets[1], guests[1].sign(bets[1]))
    small = guests[2].bet_on(offers[2], level=1)
    await croupier.bet(offers[2].id, small, guests[2].sign(small))
    await croupier.pump()
    for guest, offer, bet in ((guests[0], offers[0], bets[0]), (guests[2], offers[2], small)):
        assert (await house.bank.game(bet.key)).is_of(bet)
        assert not (await croupier.look(offer.id)).trouble, guest
    free = (await house.wealth())[0]
    assert free == TOP // 2 - 250 * CHIP + STAKE + CHIP
    await house.ledger.send(house.key, WithdrawFunds(free - 249 * CHIP))
    with pytest.raises(Busy, match="the smallest bet wants 250000"):
        await croupier.offer(guests[1].address)


async def test_a_purse_too_small_for_the_bankroll(house: House) -> None:
    with pytest.raises(InputError, match="give it more, or want less"):
        await house.croupier(bankroll=BANKROLL + 1).offer(house.guest.address)


async def test_a_full_desk(house: House) -> None:
    croupier = house.croupier(habits=Habits(most_open=4))
    for number in (11, 12):
        await croupier.offer(Key(number).address)
    with pytest.raises(Busy, match="players with money"):
        await croupier.offer(Key(13).address)
    await croupier.offer(house.guest.address)
    rich = Guest(house.bank, 1)
    await rich.arrive(house.ledger)
    await croupier.offer(rich.address)
    with pytest.raises(Busy, match="4 games are open"):
        await croupier.offer(Key(14).address)
    house.clock.time += 601
    await croupier.pump()
    await croupier.offer(Key(14).address)


async def test_the_player_may_bring_everything_to_the_bank(house: House) -> None:
    """And if the order there is another than the one in the mail, it counts."""
    croupier, guest = house.croupier(), house.guest
    for mailed in (None, STANDS):
        offer = await croupier.offer(guest.address)
        bet, mine = guest.bet_on(offer), guest.seeds[offer.id]
        await until(house, croupier, offer, bet, "awaits-seed-0")
        for seed_id in (0, 1):
            told = (await croupier.look(offer.id)).seeds[seed_id]
            assert told is not None
            call = SubmitPlayerSeed(bet, seed_id, mine[seed_id], told.signature)
            await house.ledger.send(guest.key, call)
            if seed_id == 0:
                if mailed:
                    await croupier.order(offer.id, mailed, guest.sign_order(bet, mailed))
                order = SubmitReplacementOrder(bet, ORDER, guest.sign_order(bet, ORDER))
                await house.ledger.send(guest.key, order)
                await croupier.pump()
        await croupier.pump()
        sight = await croupier.look(offer.id)
        assert (sight.stage, sight.trouble) == ("over", "")
        hand = guest.final_hand(offer, bet, sight, ORDER)
        verdict = verify(await croupier.transcript(offer.id))
        assert verdict.ok and verdict.payoff is not None
        assert verdict.payoff[1] == prize(bet, hand) // CHIP - 5


@pytest.mark.parametrize(
    ("stage", "costs"),
    [("awaits-seed-0", STAKE), ("awaits-order", STAKE), ("awaits-seed-1", STAKE)],
)
async def test_a_player_who_falls_silent_loses_the_stake(
    house: House, stage: str, costs: int
) -> None:
    croupier, guest = house.croupier(), house.guest
    offer = await croupier.offer(guest.address)
    bet = guest.bet_on(offer)
    await until(house, croupier, offer, bet, stage)
    house.clock.time += STEP_TIME
    await croupier.pump()
    assert (await croupier.look(offer.id)).stage == stage, "not before the deadline"
    house.clock.time += 1
    await croupier.pump()
    sight = await croupier.look(offer.id)
    assert sight.stage == "over" and "the stake is lost" in sight.trouble
    assert await house.wealth() == (BANKROLL + costs, PURSE - costs)
    verdict = verify(await croupier.transcript(offer.id))
    assert verdict.ok and verdict.payoff == (5, -5)


@pytest.mark.parametrize(("paid", "seed_id"), [(STAKE, 0), (STAKE, 1)])
async def test_if_he_himself_is_late_he_pays_what_he_owes(
    house: House, paid: int, seed_id: int
) -> None:
    class Lost(Wrapped):
        """His own seed does not reach the Bank."""

        async def send(self, sender: Key, call: Any, spending: Spending = AS_USUAL) -> Any:
            if isinstance(call, SubmitCroupierSeed) and call.seed_id == seed_id:
                raise BankAway("cut off")
            return await super().send(sender, call, spending)

    house.bank = Lost(house.ledger)
    croupier, guest = house.croupier(), house.guest
    offer = await croupier.offer(guest.address)
    bet = guest.bet_on(offer)
    await until(house, croupier, offer, bet, ("bet-sent", "order-sent")[seed_id])
    await croupier.pump()
    sight = await croupier.look(offer.id)
    assert sight.trouble == "cut off"
    assert sight.seeds[seed_id] is None  # what the Bank does not have is not shown
    house.clock.time += STEP_TIME + 1
    await croupier.pump()
    assert await house.wealth() == (BANKROLL - paid, PURSE + paid)
    verdict = verify(await croupier.transcript(offer.id))
    assert verdict.ok and verdict.payoff == (-paid // CHIP, paid // CHIP)
    assert f"did not show seed {seed_id} in time" in str(verdict.remarks)


async def test_the_next_game_begins_while_the_last_is_settled(house: House) -> None:
    """With a Bank that is twelve blocks behind."""
    bank = house.bank = BlockBank(house.ledger)
    croupier, guest = house.croupier(confirmations=12), house.guest

    async def final_hand_of(offer: Offer, bet: Bet) -> None:
        for _ in range(40):
            await guest.say_next(croupier, offer, bet, ORDER)
            if (await croupier.look(offer.id)).stage == "settling":
                return
            await croupier.pump()
            bank.mine(6)
        raise AssertionError("it does not come to an end")

    first = await croupier.offer(guest.address)
    one = guest.bet_on(first)
    await final_hand_of(first, one)
    assert bank.at(one.key, 0).outcome == GameOutcome.OPEN
    early = await croupier.transcript(first.id)
    second = await croupier.offer(guest.address)
    assert second.game_id == 1
    two = guest.bet_on(second)
    await final_hand_of(second, two)
    for offer, bet in ((first, one), (second, two)):
        bank.mine(12)
        await croupier.pump()
        bank.mine(12)
        await croupier.pump()
        assert (await croupier.look(offer.id)).stage == "over"
        assert bank.at(bet.key, 12).outcome == GameOutcome.SETTLED
    assert await croupier.transcript(first.id) == early
    assert sum(await house.wealth()) == BANKROLL + PURSE


async def test_his_key_is_made_once(house: House) -> None:
    made = await asyncio.gather(*(kept_key(house.store) for _ in range(3)))
    assert len({key.address for key in [*made, await kept_key(house.store)]}) == 1
    stored = await house.store.read("croupier-key")
    assert stored is not None and made[0].export().hex() not in stored.data.decode()


async def test_he_leaves_games_at_other_banks_alone(house: House) -> None:
    here = house.croupier()
    offer = await here.offer(house.guest.address)
    other = await type(house.ledger).open(house.store, log="other", clock=house.clock)
    house.bank = other
    there = house.croupier(bankroll=0)
    await there.pump()
    with pytest.raises(UnknownGame, match="another Bank"):
        await there.look(offer.id)
    assert (await here.look(offer.id)).stage == "offered"


async def test_one_player_locks_a_part_of_his_money_and_strangers_another(house: House) -> None:
    """Who takes each step in its last second locks a top prize for long, and for little."""
    croupier = house.croupier()  # he has 200,000 chips; a bet of 5 at level 5 locks 20,000

    async def lock(guest: Guest) -> None:
        offer = await croupier.offer(guest.address)
        bet = guest.bet_on(offer, bet=5, level=5)
        await croupier.bet(offer.id, bet, guest.sign(bet))
        await croupier.pump()

    known = house.guest
    await house.play(croupier, STANDS)
    for _ in range(2):
        await lock(known)
    with pytest.raises(Busy, match=r"than he gives to one player \(1/4 of it\)"):
        await lock(known)  # 60,000 of 200,000
    strangers = [Guest(house.bank, number) for number in range(1, 8)]
    for guest in strangers:
        await guest.arrive(house.ledger)
    for guest in strangers[:5]:
        await lock(guest)
    with pytest.raises(Busy, match="may lock 1/2 of his money, and have"):
        await lock(strangers[5])  # 120,000 of 200,000
    assert (await house.ledger.account(croupier.account)).available >= 55_000 * CHIP
