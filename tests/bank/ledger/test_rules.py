"""Sessions in the Bank's rules to the second and to the wei, on books alone.

The laws (`tests/helpers/bank_laws.py`) hold single games, and so does the contract, beside which
every call is made to the same books (`tests/helpers/evm.py`). Signatures are taken as good here
(``trusting``), so any bytes can be one. All amounts and times are worked out by hand.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from fairground.bank.bank_port import (
    NO_KEY,
    BankRefused,
    BringHand,
    Call,
    ClaimSession,
    Complain,
    ComplainTwoOrders,
    DepositFunds,
    FinishSession,
    GameOutcome,
    OpenSession,
    Phase,
    Silence,
    Step,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPublicKey,
    SubmitReplacementOrder,
    Terms,
    WithdrawFunds,
)
from fairground.bank.crypto.signatures import Signature, checksummed
from fairground.bank.ledger.rules import Books, check_terms, lock_of
from fairground.bank.messages import IN_SESSION, Bet, Domain, SessionState, SessionTerms
from fairground.bank.seeds import Seed

CROUPIER, PLAYER, STRANGER, POOR = (checksummed(f"0x{i:040x}") for i in range(1, 5))
KEYS: Final = {CROUPIER: checksummed(f"0x{101:040x}"), PLAYER: checksummed(f"0x{102:040x}")}
CHIP: Final = 10
STEP: Final = 100
FUNDS: Final = 1_000_000
NOW: Final = 5_000
EXPIRY: Final = 5_000
SIGNED: Final = Signature(27, 1, 1)

SEEDS: Final = [Seed(bytes([i]) * 32, Signature(27, i, i)) for i in range(1, 5)]
"""The Croupier's two, then the Player's two."""


def books() -> Books:
    made = Books(Domain(1, STRANGER), Terms(CHIP, STEP), 3 * FUNDS)
    for owner, key in KEYS.items():
        made.issue(owner, 2 * FUNDS)
        made.apply(owner, DepositFunds(FUNDS), NOW, trusting=True)
        made.apply(owner, SubmitPublicKey(key, SIGNED), NOW, trusting=True)
    return made


def a_bet(**fields: Any) -> Bet:
    """Two at level 3: a stake of 60 wei, and a royal flush pays 2 · 750 · 10."""
    one, two, three, four = (seed.commitment for seed in SEEDS)
    keys = KEYS[CROUPIER], KEYS[PLAYER]
    plain = Bet(CROUPIER, PLAYER, *keys, 0, 2, 3, CHIP, one, two, three, four, EXPIRY)
    return plain._replace(**fields)


STAKE: Final = 60
TOP: Final = 15_000


def do(on: Books, sender: str, call: Call, now: int = NOW) -> None:
    on.apply(sender, call, now, trusting=True)
    assert sum(on.balances().values()) == 0, "no wei is made or lost"


def refused(on: Books, sender: str, call: Call, now: int = NOW) -> str:
    """The reason, as the contract has it; nothing changes."""
    before = repr(on.tables())
    with pytest.raises(BankRefused) as caught:
        on.apply(sender, call, now, trusting=True)
    assert repr(on.tables()) == before
    return str(caught.value).removeprefix("the Bank refused: ")


def money(on: Books) -> tuple[int, int]:
    """What Player and Croupier have gained, free of games."""
    return on.account(PLAYER).available - FUNDS, on.account(CROUPIER).available - FUNDS


def steps(bet: Bet, order: tuple[int, ...] = (1, 1, 0, 0, 0)) -> list[Call]:
    """A whole game, call by call."""
    first = [
        SubmitBet(bet, SIGNED),
        SubmitCroupierSeed(bet, 0, SEEDS[0]),
        SubmitPlayerSeed(bet, 0, SEEDS[2], SEEDS[0].signature),
        SubmitReplacementOrder(bet, order, SIGNED),
    ]
    second = [
        SubmitCroupierSeed(bet, 1, SEEDS[1]),
        SubmitPlayerSeed(bet, 1, SEEDS[3], SEEDS[1].signature),
    ]
    return [*first, *(second if any(order) else ()), SubmitGameResult(bet)]


def played(on: Books, bet: Bet, until: int, order: tuple[int, ...] = (1, 1, 0, 0, 0)) -> Books:
    """So many steps of it, each a second after the last."""
    for after, call in enumerate(steps(bet, order)[:until]):
        do(on, CROUPIER if isinstance(call, SubmitBet) else PLAYER, call, NOW + after)
    return on


# What a Bank is made with


@pytest.mark.parametrize(
    ("cost", "time", "taken"),
    [
        (1, 60, True),
        (0, 60, False),
        (2**60, 60, True),
        (2**60 + 1, 60, False),
        (1, 59, False),
        (1, 2_592_000, True),
        (1, 2_592_001, False),
    ],
)
def test_terms(cost: int, time: int, taken: bool) -> None:
    """A chip costs something, up to 2^60 wei; a step takes a minute to thirty days."""
    if taken:
        check_terms(Terms(cost, time))
    else:
        with pytest.raises(BankRefused, match="BadTerms"):
            check_terms(Terms(cost, time))


def test_signatures_count_unless_they_were_taken_once() -> None:
    with pytest.raises(BankRefused, match="BadSignature"):
        books().apply(STRANGER, SubmitPublicKey(POOR, SIGNED), NOW)


# Sessions

TERMS: Final = SessionTerms(
    CROUPIER, PLAYER, KEYS[CROUPIER], KEYS[PLAYER], 0, 1_000, 40_000, EXPIRY
)


def state(hands: int, share: int, last: bool = False) -> SessionState:
    return SessionState(TERMS.struct_hash(), hands, share, bytes(32), last)


def claim(hands: int, share: int) -> ClaimSession:
    return ClaimSession(TERMS, state(hands, share), SIGNED, SIGNED)


def in_session() -> Books:
    on = books()
    do(on, CROUPIER, OpenSession(TERMS, SIGNED), EXPIRY)
    return on


def test_a_session_has_fewer_than_2_to_the_96_hands() -> None:
    on = in_session()
    assert refused(on, PLAYER, claim(2**96, 0)) == "BadShare()"
    do(on, PLAYER, claim(2**96 - 1, 0))


def test_a_claim_stands_until_a_newer_state_comes_in_time() -> None:
    on = in_session()
    assert refused(on, STRANGER, claim(3, 500)) == "NotAParty()"
    deadline = NOW + STEP
    (event,) = on.apply(PLAYER, claim(3, 500), NOW, trusting=True)
    assert (event.name, *event.values.values()) == (
        *("SessionClaimed", TERMS.struct_hash(), 3, 500, deadline),
    )
    kept = on.session(CROUPIER, PLAYER)
    assert (kept.phase, kept.deadline, kept.player_share) == (Phase.CLAIMED, deadline, 500)
    assert refused(on, CROUPIER, claim(3, 400)) == "OldState(3)"
    assert refused(on, CROUPIER, claim(4, 400), deadline + 1) == f"TooLate({deadline})"
    do(on, STRANGER, claim(4, 400), deadline)
    kept = on.session(CROUPIER, PLAYER)
    assert (kept.deadline, kept.hands, kept.player_share) == (deadline + STEP, 4, 400)
    finish = FinishSession(TERMS)
    end = deadline + 2 * STEP
    assert refused(on, PLAYER, finish, end) == f"TooEarly({end})"
    (event,) = on.apply(STRANGER, finish, end + 1, trusting=True)
    assert (event.name, *event.values.values()) == (
        *("SessionClosed", TERMS.struct_hash(), 4, bytes(32), 400, 40_600),
    )
    assert money(on) == (400 - 1_000, 600)
    assert refused(on, PLAYER, finish, end + 1) == "WrongSession(3)"


HAND: Final = a_bet(game_id=IN_SESSION | 3)
"""The fourth hand of session 0."""


def bring(**fields: Any) -> BringHand:
    return BringHand(TERMS, HAND._replace(**fields), SIGNED, SIGNED)


def claimed(share: int = 500) -> Books:
    on = in_session()
    do(on, PLAYER, claim(3, share))
    return on


def test_the_open_hand_comes_between_the_claim_and_its_end() -> None:
    assert refused(in_session(), PLAYER, bring(), NOW + STEP + 1) == "WrongSession(1)"
    assert refused(claimed(), PLAYER, bring(), NOW + STEP) == f"TooEarly({NOW + STEP})"
    late = NOW + 2 * STEP + 1
    assert refused(claimed(), PLAYER, bring(), late) == f"TooLate({NOW + 2 * STEP})"
    for now in (NOW + STEP + 1, NOW + 2 * STEP):
        on = claimed()
        closed, begun = on.apply(STRANGER, bring(), now, trusting=True)
        assert (closed.name, closed.values["hand"]) == ("SessionClosed", HAND.key)
        assert begun.name == "BetSubmitted"
        assert begun.values == {
            **{"croupier": CROUPIER, "player": PLAYER, "gameId": HAND.game_id},
            **{"game": HAND.key, "betHash": HAND.struct_hash(), "deadline": now + STEP},
        }
        assert money(on) == (500 - STAKE - 1_000, 500 - TOP)
        assert on.balances()[lock_of(HAND.key)] == STAKE + TOP
        game = on.game(HAND.key)
        assert (game.step, game.deadline) == (Step.BET_SUBMITTED, now + STEP)
        assert (game.order, game.hand) == (0, 0)
        assert [on.account(owner).open_games for owner in KEYS] == [1, 1]
        assert on.session(CROUPIER, PLAYER).phase == Phase.CLOSED


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"game_id": IN_SESSION | 4}, f"WrongHand({IN_SESSION | 3})"),
        ({"player": STRANGER}, f"WrongHand({IN_SESSION | 3})"),
        ({"player_key": NO_KEY}, f"WrongHand({IN_SESSION | 3})"),
        ({"bet": 0}, "BadBet()"),
        ({"level": 6}, "BadBet()"),
        ({"chip_cost": 1}, "WrongChipCost()"),
        ({"player_commitment_1": SEEDS[0].commitment}, "EqualCommitments()"),
    ],
)
def test_hands_that_are_refused(fields: dict[str, Any], reason: str) -> None:
    assert refused(claimed(), PLAYER, bring(**fields), NOW + STEP + 1) == reason


def test_a_hand_takes_the_last_wei_of_both_shares() -> None:
    for share, owner, found, needed in (
        (STAKE - 1, PLAYER, STAKE - 1, STAKE),
        (41_000 - TOP + 1, CROUPIER, TOP - 1, TOP),
    ):
        told = f"InsufficientFunds({owner}, {found}, {needed})"
        assert refused(claimed(share), PLAYER, bring(), NOW + STEP + 1) == told
    for share in (STAKE, 41_000 - TOP):
        do(claimed(share), PLAYER, bring(), NOW + STEP + 1)


BROUGHT: Final = NOW + STEP + 1


def brought(done: int, order: tuple[int, ...] = (1, 1, 0, 0, 0)) -> Books:
    """The hand before the Bank, so many steps on; all at the same second."""
    on = claimed()
    do(on, PLAYER, bring(), BROUGHT)
    for call in steps(HAND, order)[1:done]:
        do(on, CROUPIER, call, BROUGHT)
    return on


def test_two_orders_for_one_hand_forfeit_it() -> None:
    other = ComplainTwoOrders(HAND, (0, 1, 0, 0, 0), SIGNED)
    on = brought(4)
    assert refused(on, CROUPIER, other._replace(order=(2, 0, 0, 0, 0)), BROUGHT) == "BadOrder()"
    same = other._replace(order=(1, 1, 0, 0, 0))
    assert refused(on, CROUPIER, same, BROUGHT) == "SameOrder()"
    for done in (1, 2, 3, 5, 6):
        assert refused(brought(done), CROUPIER, other, BROUGHT) == f"WrongStep({done})"
    plain = played(books(), a_bet(), 4)
    told = refused(plain, CROUPIER, ComplainTwoOrders(a_bet(), (0, 1, 0, 0, 0), SIGNED))
    assert told == "WrongStep(4)", "only a session's Croupier tells a seed for an order"
    for stands in (on, brought(4, (0, 0, 0, 0, 0))):
        (event,) = stands.apply(CROUPIER, other, BROUGHT, trusting=True)
        assert event == ("PlayerForfeited", {"game": HAND.key, "lastStep": Step.HAND_DEALT})
        assert stands.game(HAND.key).outcome == GameOutcome.PLAYER_FORFEITED
        assert money(stands) == (440 - 1_000, 560)
        assert refused(stands, CROUPIER, other, BROUGHT) == "GameOver()"


def test_an_order_to_replace_nothing_settles_when_no_other_was_shown() -> None:
    """Only the Croupier, whom another order could harm, may settle at once."""
    deadline = BROUGHT + STEP
    for call in (SubmitGameResult(HAND), Complain(Silence.SECOND_CROUPIER_SEED, HAND)):
        on = brought(4, (0, 0, 0, 0, 0))
        assert refused(on, PLAYER, call, deadline) == f"TooEarly({deadline})"
        do(on, PLAYER, call, deadline + 1)
        do(brought(4, (0, 0, 0, 0, 0)), CROUPIER, call, BROUGHT)
    do(brought(6), PLAYER, SubmitGameResult(HAND), BROUGHT)


# Drafts


def test_a_draft_of_a_draft() -> None:
    """What the inner one empties is empty in the outer one only, until that is settled."""
    on = books()
    outer = on.draft()
    inner = outer.draft()
    do(inner, PLAYER, WithdrawFunds(FUNDS))
    assert outer.account(PLAYER).available == FUNDS
    inner.settle()
    assert outer.account(PLAYER).available == 0
    assert on.account(PLAYER).available == FUNDS
    outer.settle()
    assert on.account(PLAYER).available == 0
    assert 0 not in on.tables()["_money"].values(), "nothing is kept of what is nothing"
