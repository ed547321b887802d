"""What the Croupier does next, case by case: worked out by hand from what each secret is worth."""

from __future__ import annotations

from typing import Any, Final

import pytest

from fairground.bank.bank_port import (
    NO_GAME,
    BankGame,
    Call,
    Complain,
    GameOutcome,
    Silence,
    Step,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPlayerSeedAndOrder,
    SubmitPlayerSeedAndResult,
    SubmitReplacementOrder,
    short_name,
)
from fairground.bank.croupier.journal import End, JournalPage
from fairground.bank.croupier_port import Offer
from fairground.bank.duties import (
    EXPIRED,
    REST,
    TAKEN,
    UNUSED,
    Duty,
    Fetch,
    Seen,
    Send,
    Wait,
    Write,
    owed_calls,
    waits_for,
)
from fairground.bank.duties import game_duty as duty
from fairground.bank.hand import STOPPED
from fairground.bank.messages import Domain
from tests.bank.ledger.test_rules import (
    CROUPIER,
    EXPIRY,
    PLAYER,
    SEEDS,
    SIGNED,
    STAKE,
    STRANGER,
    a_bet,
)

BET: Final = a_bet()
OFFER: Final = Offer("one", CROUPIER, PLAYER, BET.croupier_key, 0, BET.commitments[:2], EXPIRY)
DEADLINE: Final = 7_000
ORDER: Final = (1, 1, 0, 0, 0)
NAME: Final = short_name(BET.struct_hash())


def page(**fields: Any) -> JournalPage:
    """A bet that was taken; seeds, order and all else as given."""
    plain = JournalPage(Domain(1, STRANGER), OFFER, (SEEDS[0], SEEDS[1]), 3, "", BET, SIGNED)
    return plain._replace(**fields)


def at(step: Step, outcome: GameOutcome = GameOutcome.OPEN, order: int | None = None) -> BankGame:
    given = 3 if order is None and step >= Step.ORDER_SUBMITTED else order or 0
    return BankGame(NAME, step, outcome, DEADLINE, given, 0)


def seen(game: BankGame, time: int = DEADLINE, final: BankGame | None = None) -> Seen:
    return Seen(game if final is None else final, game, time)


def ended(outcome: str, step: int, reason: str) -> Write:
    return Write("ended", {"outcome": outcome, "step": step, "reason": reason})


def told(seed_id: int) -> Write:
    return Write("told", {"seed_id": seed_id})


OTHER: Final = BankGame(b"x" * 32, 1, 0, DEADLINE, 0, 0)


# Before the Bank has the bet


@pytest.mark.parametrize(
    ("fields", "game", "time", "what"),
    [
        ({"bet": None}, NO_GAME, EXPIRY, REST),
        ({"bet": None}, NO_GAME, EXPIRY + 1, ended("LAPSED", 0, UNUSED)),
        ({"ended": End("LAPSED", 0, "")}, NO_GAME, EXPIRY + 1, REST),
        ({}, NO_GAME, EXPIRY, Send(SubmitBet(BET, SIGNED))),
        ({}, NO_GAME, EXPIRY + 1, REST),
        ({}, NO_GAME, EXPIRY + 50, REST),
        ({}, NO_GAME, EXPIRY + 51, ended("LAPSED", 0, EXPIRED)),
        ({"refused": "no money"}, NO_GAME, EXPIRY + 51, ended("LAPSED", 0, "no money")),
        ({"refused": "no money"}, NO_GAME, EXPIRY, REST),
        ({"told": 1}, NO_GAME, EXPIRY, REST),  # the Player knows the hand: it comes no second time
        ({"stopped": True}, NO_GAME, EXPIRY, ended("LAPSED", 0, STOPPED)),
        ({}, OTHER, EXPIRY, ended("LAPSED", 0, TAKEN)),
        ({"refused": "no money"}, OTHER, EXPIRY, ended("LAPSED", 0, "no money")),
    ],
)
def test_without_the_bet_at_the_bank(
    fields: dict[str, Any], game: BankGame, time: int, what: Duty
) -> None:
    assert duty(page(**fields), seen(game, time), patience=50) == what


def test_two_looks_that_differ() -> None:
    bet = at(Step.BET_SUBMITTED)
    assert duty(page(), Seen(NO_GAME, OTHER, EXPIRY)) == REST, "another game, and not final"
    assert duty(page(), Seen(bet, NO_GAME, EXPIRY)) == REST, "it was there, and is gone"
    assert duty(page(told=1), Seen(NO_GAME, bet, EXPIRY)) == Send(
        SubmitCroupierSeed(BET, 0, SEEDS[0])
    )
    assert duty(page(), Seen(NO_GAME, bet, EXPIRY)) == REST, "seed 0 waits until the bet is final"


def test_by_default_he_has_no_patience_no_hurry_and_merges() -> None:
    assert duty(page(), seen(NO_GAME, EXPIRY + 1)) == ended("LAPSED", 0, EXPIRED)
    assert duty(page(), seen(at(Step.BET_SUBMITTED), final=NO_GAME)) == REST
    last = page(told=2, brought=2, heard=(SEEDS[2], SEEDS[3]), order=ORDER)
    what = duty(last, seen(at(Step.CROUPIER_SEED_1_SUBMITTED)))
    assert isinstance(what, Send) and isinstance(what.call, SubmitPlayerSeedAndResult)


# His seeds


@pytest.mark.parametrize(
    ("step", "known", "seed_id"), [(Step.BET_SUBMITTED, 0, 0), (Step.ORDER_SUBMITTED, 1, 1)]
)
def test_a_seed_is_told_in_time_and_brought(step: Step, known: int, seed_id: int) -> None:
    have = page(told=known, brought=known, heard=(SEEDS[2], None), order=ORDER)
    assert duty(have, seen(at(step))) == told(seed_id)
    assert duty(have, seen(at(step), DEADLINE + 1)) == Send(
        Complain(list(Silence)[step - 1], BET)
    ), "he pays for his own silence, too"
    done = have._replace(told=known + 1)
    assert duty(done, seen(at(step))) == Send(SubmitCroupierSeed(BET, seed_id, SEEDS[seed_id]))
    after = at(Step(step + 1))
    assert duty(done, seen(after)) == Write("brought", {"seed_id": seed_id})
    stopped = have._replace(stopped=True)
    assert duty(stopped, seen(at(step))) == REST, "it may have been told to somebody since"


@pytest.mark.parametrize(
    ("step", "known", "time", "what"),
    [
        (Step.BET_SUBMITTED, 0, DEADLINE - 30, REST),
        (Step.BET_SUBMITTED, 0, DEADLINE - 29, told(0)),
        (Step.BET_SUBMITTED, 0, DEADLINE, told(0)),
        (Step.ORDER_SUBMITTED, 1, DEADLINE - 30, REST),
        (Step.ORDER_SUBMITTED, 1, DEADLINE - 29, told(1)),
        (Step.ORDER_SUBMITTED, 1, DEADLINE, told(1)),
        (Step.ORDER_SUBMITTED, 0, DEADLINE, REST),
        (Step.HAND_DEALT, 1, DEADLINE, REST),
    ],
)
def test_in_a_hurry_he_tells_it_before_the_order_is_final(
    step: Step, known: int, time: int, what: Duty
) -> None:
    have = page(told=known, brought=known, order=ORDER)
    look = seen(at(step), time, final=NO_GAME)
    assert duty(have, look, margin=30) == what
    if what == told(1):
        unwritten = have._replace(order=None)
        wrote = duty(unwritten, look, margin=30)
        assert wrote == Write("ordered", {"order": list(ORDER)}), "first he writes it down"
    over = seen(at(step, GameOutcome.SETTLED), time, final=NO_GAME)
    assert duty(have, over, margin=30) == REST


# The Player's


def test_seeds_that_the_player_told_the_bank_alone_are_fetched() -> None:
    have = page(told=1, brought=1)
    for step in (Step.HAND_DEALT, Step.ORDER_SUBMITTED, Step.HAND_FINAL):
        assert duty(have, seen(at(step))) == Fetch(0)
        assert duty(have, seen(at(step)), deaf=(0,)) != Fetch(0)
    assert duty(have, seen(at(Step.CROUPIER_SEED_0_SUBMITTED))) == REST
    knows = page(told=2, brought=2, heard=(SEEDS[2], None), order=ORDER)
    assert duty(knows, seen(at(Step.HAND_FINAL))) == Fetch(1)
    assert duty(knows, seen(at(Step.HAND_FINAL)), deaf=(1,)) == Send(SubmitGameResult(BET))
    assert duty(knows, seen(at(Step.CROUPIER_SEED_1_SUBMITTED))) == REST
    stands = knows._replace(order=(0,) * 5)
    assert duty(stands, seen(at(Step.HAND_FINAL, order=0))) == Send(SubmitGameResult(BET))


@pytest.mark.parametrize("merges", [True, False])
def test_what_the_player_told_him_is_brought(merges: bool) -> None:
    have = page(told=1, brought=1, heard=(SEEDS[2], None))
    mail = have._replace(mail=(ORDER, SIGNED))
    first = seen(at(Step.CROUPIER_SEED_0_SUBMITTED))
    seed = SubmitPlayerSeed(BET, 0, SEEDS[2], SEEDS[0].signature)
    both = SubmitPlayerSeedAndOrder(BET, SEEDS[2], SEEDS[0].signature, ORDER, SIGNED)
    assert duty(have, first, merges=merges) == Send(seed)
    assert duty(mail, first, merges=merges) == Send(both if merges else seed)
    order = Send(SubmitReplacementOrder(BET, ORDER, SIGNED))
    assert duty(mail, seen(at(Step.HAND_DEALT)), merges=merges) == order
    assert duty(have, seen(at(Step.HAND_DEALT)), merges=merges) == REST
    last = page(told=2, brought=2, heard=(SEEDS[2], SEEDS[3]), order=ORDER)
    result: Call = SubmitPlayerSeedAndResult(BET, SEEDS[3], SEEDS[1].signature)
    if not merges:
        result = SubmitPlayerSeed(BET, 1, SEEDS[3], SEEDS[1].signature)
    assert duty(last, seen(at(Step.CROUPIER_SEED_1_SUBMITTED)), merges=merges) == Send(result)


def test_no_other_order_is_brought_once_seed_1_is_told() -> None:
    """The chain took the order back: only the one that he told it for may come again."""
    have = page(told=2, brought=2, heard=(SEEDS[2], None), order=ORDER)
    dealt = seen(at(Step.HAND_DEALT))
    again = have._replace(mail=(ORDER, SIGNED))
    assert duty(again, dealt) == Send(SubmitReplacementOrder(BET, ORDER, SIGNED))
    assert duty(have._replace(mail=((0, 1, 0, 0, 0), SIGNED)), dealt) == REST
    early = have._replace(told=1, brought=1, mail=((0, 1, 0, 0, 0), SIGNED))
    assert duty(early, dealt) == Send(SubmitReplacementOrder(BET, (0, 1, 0, 0, 0), SIGNED))


def test_the_bank_s_order_is_written_down() -> None:
    have = page(told=1, brought=1, heard=(SEEDS[2], None), order=(0, 1, 0, 0, 0))
    writes = Write("ordered", {"order": [*ORDER]})
    for stopped in (False, True):
        kept = have._replace(stopped=stopped)
        assert duty(kept, seen(at(Step.ORDER_SUBMITTED))) == writes
        deaf = kept._replace(heard=(None, None))
        assert duty(deaf, seen(at(Step.ORDER_SUBMITTED))) == Fetch(0)


# The end


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (GameOutcome.SETTLED, ""),
        (GameOutcome.PLAYER_FORFEITED, "the stake is lost"),
        (GameOutcome.CROUPIER_FORFEITED, "he pays"),
    ],
)
def test_an_end_is_written_down_when_it_is_final(outcome: GameOutcome, words: str) -> None:
    have = page(told=2, brought=2, heard=(SEEDS[2], SEEDS[3]), order=ORDER)
    over, before = at(Step.HAND_FINAL, outcome), at(Step.HAND_FINAL)
    what = duty(have, seen(over))
    assert isinstance(what, Write)
    assert (what.kind, what.fields["outcome"], what.fields["step"]) == ("ended", outcome.name, 6)
    assert what.fields["reason"].endswith(words)
    assert duty(have, seen(over, final=before)) == REST
    assert duty(have, seen(before)) == Send(SubmitGameResult(BET))


# What a game waits for


@pytest.mark.parametrize(
    ("step", "known", "wait"),
    [
        (Step.NONE, 0, Wait("the Bank to take the bet", EXPIRY, False, 0)),
        (Step.BET_SUBMITTED, 0, Wait("confirmations of the bet", DEADLINE, True, STAKE)),
        (Step.BET_SUBMITTED, 1, Wait("the Bank to take his seed 0", DEADLINE, True, STAKE)),
        (Step.CROUPIER_SEED_0_SUBMITTED, 1, Wait("the Player's seed 0", DEADLINE)),
        (Step.HAND_DEALT, 1, Wait("the Player's order", DEADLINE)),
        (Step.ORDER_SUBMITTED, 1, Wait("confirmations of the order", DEADLINE, True, 5 * STAKE)),
        (Step.ORDER_SUBMITTED, 2, Wait("the Bank to take his seed 1", DEADLINE, True, 5 * STAKE)),
        (Step.CROUPIER_SEED_1_SUBMITTED, 2, Wait("the Player's seed 1", DEADLINE)),
        (Step.HAND_FINAL, 2, Wait("the Bank to settle", 0)),
    ],
)
def test_what_a_game_waits_for(step: Step, known: int, wait: Wait) -> None:
    """And what he loses by his silence: one stake more than he has, then five for two cards."""
    assert waits_for(page(told=known), seen(at(step))) == wait
    assert wait.is_his == (step in (Step.BET_SUBMITTED, Step.ORDER_SUBMITTED))
    assert bool(wait.at_stake) == wait.is_his
    over = seen(at(step, GameOutcome.SETTLED))
    assert waits_for(page(told=known), over) is None
    assert waits_for(page(told=known, bet=None), seen(at(step))) is None
    assert waits_for(page(ended=End("SETTLED", 6, "")), seen(at(step))) is None


def test_calls_that_he_must_be_able_to_pay_for() -> None:
    seed = SubmitCroupierSeed
    owed = [owed_calls(page(), step) for step in Step]
    assert owed == [
        *[(seed, seed, Complain)] * 2,
        *[(seed, Complain)] * 3,
        *[(Complain,)] * 2,
    ]
    assert owed_calls(page(bet=None), Step.NONE) == ()
    assert owed_calls(page(ended=End("SETTLED", 6, "")), Step.HAND_FINAL) == ()
    assert owed_calls(page(refused="no money"), Step.NONE) == ()
    assert owed_calls(page(refused="no money"), Step.BET_SUBMITTED) == (seed, seed, Complain)
