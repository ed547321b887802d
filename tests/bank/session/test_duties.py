"""What an honest party does at the Bank to end a session: every case, by hand."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, Final, cast

import pytest

from fairground.bank.bank_port import (
    CROUPIER_OWES,
    NO_GAME,
    NO_SESSION,
    Bank,
    BankClock,
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    BringHand,
    Call,
    CloseSession,
    Complain,
    ComplainTwoOrders,
    FinishSession,
    GameOutcome,
    Phase,
    Silence,
    Spending,
    Step,
    SubmitAcceptedSeed,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitReplacementOrder,
    Terms,
    short_name,
)
from fairground.bank.duties import Decide, informed, is_over, next_call, settle
from fairground.bank.duties import session_duty as duty
from fairground.bank.hand import Hand, HandEngine, Held
from fairground.bank.messages import IN_SESSION, Bet, Domain, Key, ReplacementOrder, Signer
from fairground.bank.seeds import deal, fresh_seeds, mix, replace
from fairground.bank.session import fits
from fairground.bank.signatures import keccak
from fairground.games.poker.rules import PAYS, rank
from tests.bank.ledger.test_rules import (
    CHIP,
    HAND,
    SEEDS,
    SIGNED,
    STAKE,
    STEP,
    TERMS,
    TOP,
    claim,
    state,
)

DEADLINE: Final = 7_000
ORDER: Final = (1, 1, 0, 0, 0)
WHOLE: Final = Hand(
    HAND, SIGNED, SIGNED, (SEEDS[0], SEEDS[1]), (SEEDS[2], SEEDS[3]), ORDER, SIGNED, SIGNED
)
PLAYER, CROUPIER = Signer.PLAYER, Signer.CROUPIER


def held(role: Signer = PLAYER, hands: int = 3, **fields: Any) -> Held:
    return Held(role, TERMS, claim(hands, 500), **{"hand": WHOLE, **fields})


def session(phase: Phase, hands: int = 3) -> BankSession:
    name = short_name(TERMS.struct_hash())
    return BankSession(name, 1, phase, DEADLINE, hands, 500, 40_500)


def game(step: Step, order: int = 3, outcome: GameOutcome = GameOutcome.OPEN) -> BankGame:
    return BankGame(short_name(HAND.struct_hash()), step, outcome, DEADLINE, order, 0)


def test_an_open_session_is_claimed_by_who_has_the_key() -> None:
    assert duty(held(), session(Phase.OPEN), NO_GAME, 0, STEP) == claim(3, 500)
    assert duty(held(has_key=False), session(Phase.OPEN), NO_GAME, 0, STEP) is None
    other = session(Phase.OPEN)._replace(session=bytes(32))
    assert duty(held(), other, NO_GAME, 0, STEP) is None
    assert duty(held(hand=None), NO_SESSION, game(Step.HAND_FINAL), 0, STEP) is None


@pytest.mark.parametrize(
    ("now", "hands", "hand", "call"),
    [
        (DEADLINE, 2, WHOLE, claim(3, 500)),
        (DEADLINE, 3, WHOLE, None),
        (DEADLINE + 1, 3, WHOLE, BringHand(TERMS, HAND, SIGNED, SIGNED)),
        (DEADLINE + STEP, 3, WHOLE, BringHand(TERMS, HAND, SIGNED, SIGNED)),
        (DEADLINE + STEP + 1, 3, WHOLE, FinishSession(TERMS)),
        (DEADLINE + 1, 3, None, None),
        (DEADLINE + 1, 4, WHOLE, None),  # the hand that is held was played since
        (DEADLINE + 1, 3, WHOLE._replace(croupier_signature=None), None),
    ],
)
def test_a_claimed_session(now: int, hands: int, hand: Hand | None, call: Call | None) -> None:
    claimed = session(Phase.CLAIMED, hands)
    assert duty(held(hand=hand), claimed, NO_GAME, now, STEP) == call


CLOSED: Final = session(Phase.CLOSED)


@pytest.mark.parametrize("step", [step for step in Step if Step.NONE < step < Step.HAND_FINAL])
def test_the_others_silence_is_complained_of_behind_the_deadline(step: Step) -> None:
    """Nobody complains about themselves; only a late Croupier must in the end, to free his lock."""
    silence = list(Silence)[step - 1]
    silent = CROUPIER if silence in CROUPIER_OWES else PLAYER
    other = PLAYER if silent is CROUPIER else CROUPIER
    for has_key in (True, False):
        late = duty(held(other, has_key=has_key), CLOSED, game(step), DEADLINE + 1, STEP)
        assert late == Complain(silence, HAND)
        mine = held(silent, has_key=has_key)
        assert duty(mine, CLOSED, game(step), DEADLINE + STEP, STEP) is None
        gives_up = Complain(silence, HAND) if silent is CROUPIER and has_key else None
        assert duty(mine, CLOSED, game(step), DEADLINE + STEP + 1, STEP) == gives_up
    assert not isinstance(duty(held(other), CLOSED, game(step), DEADLINE, STEP), Complain)
    for over in (GameOutcome.SETTLED, GameOutcome.PLAYER_FORFEITED):
        assert duty(held(), CLOSED, game(step, outcome=over), DEADLINE + 1, STEP) is None


PLAYERS_SEED_0: Final = SubmitPlayerSeed(HAND, 0, SEEDS[2], SEEDS[0].signature)
PLAYERS_SEED_1: Final = SubmitPlayerSeed(HAND, 1, SEEDS[3], SEEDS[1].signature)
ACCEPTED: Final = SubmitAcceptedSeed(HAND, SEEDS[1], SIGNED)
TELLS: Final = SubmitCroupierSeed(HAND, 1, SEEDS[1])
RESULT: Final = SubmitGameResult(HAND)


@pytest.mark.parametrize(
    ("step", "lacks", "players", "croupiers"),
    [
        (Step.NONE, {}, None, None),
        (Step.BET_SUBMITTED, {}, *[SubmitCroupierSeed(HAND, 0, SEEDS[0])] * 2),
        (Step.BET_SUBMITTED, {"his": (None, SEEDS[1])}, None, None),
        (Step.CROUPIER_SEED_0_SUBMITTED, {}, *[PLAYERS_SEED_0] * 2),
        (Step.CROUPIER_SEED_0_SUBMITTED, {"his": (None, SEEDS[1])}, None, None),
        (Step.CROUPIER_SEED_0_SUBMITTED, {"theirs": (None, SEEDS[3])}, None, None),
        (Step.HAND_DEALT, {}, *[SubmitReplacementOrder(HAND, ORDER, SIGNED)] * 2),
        (Step.HAND_DEALT, {"order": None}, Decide(HAND), None),
        (Step.HAND_DEALT, {"order_signature": None}, Decide(HAND), None),
        (Step.ORDER_SUBMITTED, {}, ACCEPTED, TELLS),
        (Step.ORDER_SUBMITTED, {"acceptance": None}, None, TELLS),
        (Step.ORDER_SUBMITTED, {"order": None}, ACCEPTED, TELLS),
        (Step.ORDER_SUBMITTED, {"his": (SEEDS[0], None)}, None, None),
        (Step.CROUPIER_SEED_1_SUBMITTED, {}, *[PLAYERS_SEED_1] * 2),
        (Step.CROUPIER_SEED_1_SUBMITTED, {"his": (SEEDS[0], None)}, None, None),
        (Step.CROUPIER_SEED_1_SUBMITTED, {"theirs": (SEEDS[2], None)}, None, None),
        (Step.HAND_FINAL, {}, RESULT, RESULT),
    ],
)
def test_the_open_hand_goes_on_as_far_as_one_holds_it(
    step: Step, lacks: dict[str, Any], players: Call | None, croupiers: Call | None
) -> None:
    hand = WHOLE._replace(**lacks)
    for role, call in ((PLAYER, players), (CROUPIER, croupiers)):
        assert duty(held(role, hand=hand), CLOSED, game(step), DEADLINE, STEP) == call


def test_which_hand_is_of_a_session_and_what_is_not_signed() -> None:
    """Outside of a session anybody brings his seed 1, without his word on the order."""
    at = game(Step.ORDER_SUBMITTED)
    first, single = (HAND._replace(game_id=IN_SESSION - less) for less in (0, 1))
    assert next_call(WHOLE._replace(bet=first), at, 0) == ACCEPTED._replace(bet=first)
    assert next_call(WHOLE._replace(bet=single), at, 0) == TELLS._replace(bet=single)
    unsigned = WHOLE._replace(order_signature=None)
    for step, call in ((Step.CROUPIER_SEED_0_SUBMITTED, PLAYERS_SEED_0), (Step.HAND_DEALT, None)):
        assert next_call(unsigned, game(step), 0, merges=True) == call


def test_who_has_not_decided_is_asked_until_the_last_quarter() -> None:
    """Then an order must be given, but for a watchtower, which cannot sign one."""
    undecided, at = WHOLE._replace(order=None, order_signature=None), game(Step.HAND_DEALT)
    last = DEADLINE - STEP // 4
    for now, wanted in ((last, None), (last + 1, Decide(HAND)), (DEADLINE, Decide(HAND))):
        assert duty(held(hand=undecided), CLOSED, at, now, STEP) == wanted
        assert duty(held(hand=undecided, has_key=False), CLOSED, at, now, STEP) is None


@pytest.mark.parametrize("role", Signer)
@pytest.mark.parametrize("has_key", [True, False])
def test_a_last_state_closes_a_session_that_lives(role: Signer, has_key: bool) -> None:
    """Whoever holds it, and whatever was claimed: it is final at once."""
    last = claim(3, 500)._replace(state=state(3, 500)._replace(last=True))
    mine = held(role, hand=None, has_key=has_key)._replace(state=last)
    for phase, hands in ((Phase.OPEN, 0), (Phase.CLAIMED, 2), (Phase.CLAIMED, 3)):
        for now in (0, DEADLINE, DEADLINE + 2 * STEP):
            wanted = CloseSession(*last)
            assert duty(mine, session(phase, hands), NO_GAME, now, STEP) == wanted
    assert duty(mine, CLOSED, NO_GAME, 0, STEP) is None


def test_the_croupier_tells_seed_1_when_the_order_is_final_or_was_accepted() -> None:
    """An order that the chain may take back could become another."""
    at = game(Step.ORDER_SUBMITTED)
    new = WHOLE._replace(acceptance=None)
    assert duty(held(CROUPIER, hand=new), CLOSED, at, 0, STEP, firm=False) is None
    assert duty(held(CROUPIER), CLOSED, at, 0, STEP, firm=False) == TELLS
    tower = held(CROUPIER, has_key=False)
    assert duty(tower, CLOSED, at, 0, STEP) == ACCEPTED, "a watchtower is not the Croupier"


def test_another_order_at_the_bank_is_shown_by_the_croupier_alone() -> None:
    complaint = ComplainTwoOrders(HAND, ORDER, SIGNED)
    for at in (game(Step.ORDER_SUBMITTED, 1), game(Step.HAND_FINAL, 0)):
        for has_key in (True, False):
            croupier = held(CROUPIER, has_key=has_key)
            assert duty(croupier, CLOSED, at, DEADLINE, STEP) == complaint
        assert duty(held(), CLOSED, at, DEADLINE, STEP) != complaint
    drawn = game(Step.HAND_FINAL, 1)
    assert duty(held(CROUPIER), CLOSED, drawn, DEADLINE, STEP) == RESULT, "it is too late to"


def test_a_hand_that_stands_is_settled_at_once_by_the_croupier_only() -> None:
    stands = WHOLE._replace(order=(0,) * 5)
    at = game(Step.HAND_FINAL, 0)
    assert duty(held(CROUPIER, hand=stands), CLOSED, at, DEADLINE, STEP) == RESULT
    for one in (held(hand=stands), held(CROUPIER, hand=stands, has_key=False)):
        assert duty(one, CLOSED, at, DEADLINE, STEP) is None
        assert duty(one, CLOSED, at, DEADLINE + 1, STEP) == RESULT


def test_seeds_that_were_brought_to_the_bank_alone_are_heard() -> None:
    nothing = Hand(HAND, SIGNED)
    events = [
        BankEvent("BetSubmitted", {}),
        *(
            BankEvent(name, {"seedId": i, "nonce": seed.nonce, "signature": seed.signature})
            for name, i, seed in (
                ("CroupierSeedSubmitted", 0, SEEDS[0]),
                ("PlayerSeedSubmitted", 0, SEEDS[2]),
                ("CroupierSeedSubmitted", 1, SEEDS[1]),
                ("PlayerSeedSubmitted", 1, SEEDS[3]),
            )
        ),
    ]
    heard = informed(held(hand=nothing), events).hand
    assert heard == nothing._replace(his=(SEEDS[0], SEEDS[1]), theirs=(SEEDS[2], SEEDS[3]))
    assert informed(held(hand=None), events) == held(hand=None)
    assert informed(held(), []) == held()


def test_when_the_bank_has_nothing_more_of_it() -> None:
    running, done = game(Step.HAND_DEALT), game(Step.HAND_FINAL, outcome=GameOutcome.SETTLED)
    assert [is_over(held(), CLOSED, one) for one in (NO_GAME, running, done)] == [True, False, True]
    assert not is_over(held(), session(Phase.OPEN), NO_GAME)
    assert not is_over(held(), session(Phase.CLAIMED), done)
    assert is_over(held(), NO_SESSION, NO_GAME), "it is of another session by now"


class Counter:
    """A Bank that says what it is told to say, and keeps what is sent to it."""

    terms = Terms(CHIP, STEP)

    def __init__(self, at: BankGame, final: BankGame, time: int, refuses: str = "") -> None:
        self.at, self.final, self.time, self.refuses = at, final, time, refuses
        self.sent: list[tuple[Call, Spending]] = []

    async def now(self) -> int:
        return self.time

    async def session(self, croupier: str, player: str, confirmations: int = 0) -> BankSession:
        return CLOSED if self.at.step else session(Phase.CLAIMED, 1)

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        return self.final if confirmations else self.at

    async def told(self, key: bytes) -> list[BankEvent]:
        assert self.at.step, "it knows no such game"
        seed = SEEDS[2]
        told = {"seedId": 0, "nonce": seed.nonce, "signature": seed.signature}
        return [BankEvent("PlayerSeedSubmitted", told)]

    async def send(self, key: Key, call: Call, spending: Spending) -> list[BankEvent]:
        if self.refuses:
            raise BankRefused(self.refuses)
        self.sent.append((call, spending))
        return []


def settled(bank: Counter, one: Held, *more: Any) -> bool | Decide:
    return asyncio.run(settle(cast("Bank", bank), Key(7), one, *more))


class Watch(BankClock):
    """Counts how often it is set again."""

    again = 0

    def start_again(self) -> None:
        self.again += 1
        super().start_again()


def test_a_second_that_has_come_is_not_rounded_away() -> None:
    """Whatever our own clock shows: `own` has fractions that a sum with the time cannot hold."""
    for own in (11570.009679779958, 32474.37470920291, 27454.269755755424, 0.1):
        bank = Counter(NO_GAME, NO_GAME, DEADLINE + STEP + 1)
        clock = BankClock(cast("Bank", bank), partial(float, own))
        assert asyncio.run(clock()) == DEADLINE + STEP + 1


def test_seed_1_waits_for_confirmations_while_there_is_time() -> None:
    """Until a quarter of a step before the deadline; it may cost what silence would."""
    new = held(CROUPIER, hand=WHOLE._replace(acceptance=None))
    ordered, dealt = game(Step.ORDER_SUBMITTED), game(Step.HAND_DEALT)
    hurry = DEADLINE - STEP // 4 + 1
    for final, confirmations, time, tells in (
        (dealt, 0, hurry - 1, True),
        (dealt, 1, hurry - 1, False),
        (dealt, 1, hurry, True),
        (ordered, 1, hurry - 1, True),
    ):
        bank = Counter(ordered, final, time)
        assert settled(bank, new, confirmations) is False
        expected = [(TELLS, Spending(at_stake=5 * STAKE))] if tells else []
        assert bank.sent == expected
    bank = Counter(ordered, dealt, hurry - 1)
    settled(bank, new)
    assert bank.sent, "he waits for none unless he is told to"
    assert settled(Counter(NO_GAME, NO_GAME, DEADLINE), held(hand=None), 1) is False


def test_what_the_player_told_the_bank_alone_is_heard_in_time() -> None:
    deaf = held(CROUPIER, hand=WHOLE._replace(theirs=(None, None)))
    bank = Counter(game(Step.CROUPIER_SEED_0_SUBMITTED), NO_GAME, 0)
    settled(bank, deaf)
    assert bank.sent == [(PLAYERS_SEED_0, Spending())]


def test_a_newer_state_may_cost_as_much_as_it_changes() -> None:
    bank = Counter(NO_GAME, NO_GAME, DEADLINE)
    assert settled(bank, held(hand=None)) is False
    assert bank.sent == [(claim(3, 500), Spending(at_stake=0))]
    more = held(hand=None)._replace(state=claim(3, 430))
    bank = Counter(NO_GAME, NO_GAME, DEADLINE)
    settled(bank, more)
    assert bank.sent == [(claim(3, 430), Spending(at_stake=70))]
    bank = Counter(NO_GAME, NO_GAME, DEADLINE + STEP + 1)
    settled(bank, held())
    assert bank.sent == [(FinishSession(TERMS), Spending())]


def test_what_has_moved_on_is_looked_at_again_and_what_is_wrong_is_told() -> None:
    done = game(Step.HAND_FINAL)
    for name in ("TooEarly", "TooLate", "AlreadySubmitted", "OldState", "WrongStep", "GameOver"):
        bank = Counter(done, done, 0, name)
        clock = Watch(cast("Bank", bank))
        assert settled(bank, held(), 0, clock) is False
        assert clock.again == (name == "TooEarly"), "the Bank says that it is not so late"
    with pytest.raises(BankRefused, match="BadSignature"):
        settled(Counter(done, done, 0, "BadSignature"), held())
    over = game(Step.HAND_FINAL, outcome=GameOutcome.SETTLED)
    assert settled(Counter(over, over, 0), held()) is True


def test_a_hand_as_it_is_told_message_by_message() -> None:
    """With real signatures: it holds what was said, and what the Player won."""
    domain = Domain(1, TERMS.croupier)
    his, theirs = Key(1), Key(2)
    parties = TERMS.croupier, TERMS.player
    number = TERMS.game_id(0)
    hers = fresh_seeds(theirs, domain, parties, PLAYER, number)
    own = fresh_seeds(his, domain, parties, CROUPIER, number)
    one, two, three, four = (seed.commitment for seed in (*own, *hers))
    keys = his.address, theirs.address
    bet = Bet(*parties, *keys, number, 2, 3, CHIP, one, two, three, four, 9_000)
    hand = HandEngine(domain, bet, theirs.sign(domain, bet))
    hand.taken(his.sign(domain, bet), own[0])
    hand.follow(hand.known.told(PLAYER, 0, hers[0]))
    cards = hand.hand
    assert cards == deal(mix(bet.struct_hash(), 0, own[0].signature, hers[0].signature))
    order = theirs.sign(domain, ReplacementOrder.of(bet, ORDER))
    hand.ordered(hers[0], ORDER, order)
    hand.drawn(own[1], his.sign(domain, hand.acceptance))
    for _ in range(2):
        hand.last_told(hers[1])
    assert (hand.known.his, hand.known.theirs) == (own, hers)
    assert (hand.known.order, hand.known.order_signature) == (ORDER, order)
    final = replace(cards, ORDER, mix(bet.struct_hash(), 1, own[1].signature, hers[1].signature))
    won = 2 * PAYS[3][rank(final)] * CHIP - STAKE
    before = state(0, 1_000)
    after = hand.follows(TERMS, before)
    assert (after.hands, after.player_share) == (1, 1_000 + won)
    assert after.head == keccak(before.head + keccak(hand.data))


def test_bets_that_can_follow_a_state() -> None:
    """The fourth hand; to the last wei of both."""
    after = state(3, STAKE)
    assert fits(TERMS, after, HAND, CHIP) == ""
    assert fits(TERMS, state(3, TERMS.total - TOP), HAND, CHIP) == ""
    for before, bet, reason in (
        (after, HAND._replace(game_id=HAND.game_id + 1), f"the number {HAND.game_id}"),
        (after, HAND._replace(player=TERMS.croupier), "the parties and keys"),
        (after, HAND._replace(chip_cost=CHIP + 1), f"a chip costs {CHIP} wei"),
        (after, HAND._replace(player_commitment_0=HAND.player_commitment_1), "must differ"),
        (state(3, STAKE - 1), HAND, f"the Player has {STAKE - 1} wei left"),
        (state(3, TERMS.total - TOP + 1), HAND, f"the Croupier has {TOP - 1} wei left"),
    ):
        assert reason in fits(TERMS, before, bet, CHIP)
