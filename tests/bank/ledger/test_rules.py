"""The Bank's rules to the second and to the wei, on books alone.

The tests of the contract make each call to these books as well (`tests.helpers.evm`). Here is what
the contract cannot say: the faucet, drafts, and deadlines worked out by hand. Signatures are taken
as good (``trusting``), so any bytes can be one.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from fairground.bank.bank_port import (
    BankGame,
    BankRefused,
    Call,
    ClaimSession,
    Complain,
    DepositFunds,
    Silence,
    SubmitBet,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPublicKey,
    SubmitReplacementOrder,
    Terms,
    WithdrawFunds,
)
from fairground.bank.ledger.rules import Books, check_terms, lock_of
from fairground.bank.messages import IN_SESSION, Bet, Domain, SessionState, SessionTerms
from fairground.bank.seeds import Seed
from fairground.bank.signatures import Signature, checksummed

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


STAKE: Final = 60
TOP: Final = 15_000


def a_bet(**fields: Any) -> Bet:
    """Two at level 3: a stake of 60 wei, and a royal flush pays 2 · 750 · 10."""
    one, two, three, four = (seed.commitment for seed in SEEDS)
    keys = KEYS[CROUPIER], KEYS[PLAYER]
    plain = Bet(CROUPIER, PLAYER, *keys, 0, 2, 3, CHIP, one, two, three, four, EXPIRY)
    return plain._replace(**fields)


BET: Final = a_bet()
STEPS: Final[list[Call]] = [
    SubmitBet(BET, SIGNED),
    SubmitCroupierSeed(BET, 0, SEEDS[0]),
    SubmitPlayerSeed(BET, 0, SEEDS[2], SEEDS[0].signature),
    SubmitReplacementOrder(BET, (1, 1, 0, 0, 0), SIGNED),
    SubmitCroupierSeed(BET, 1, SEEDS[1]),
    SubmitPlayerSeed(BET, 1, SEEDS[3], SEEDS[1].signature),
    SubmitGameResult(BET),
]
"""A whole game, call by call."""

TERMS: Final = SessionTerms(
    CROUPIER, PLAYER, KEYS[CROUPIER], KEYS[PLAYER], 0, 1_000, 40_000, EXPIRY
)
HAND: Final = a_bet(game_id=IN_SESSION | 3)
"""The fourth hand of session 0."""


def state(hands: int, share: int, last: bool = False) -> SessionState:
    return SessionState(TERMS.struct_hash(), hands, share, bytes(32), last)


def claim(hands: int, share: int) -> ClaimSession:
    return ClaimSession(TERMS, state(hands, share), SIGNED, SIGNED)


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


def played(until: int) -> Books:
    """So many steps of the game, each a second after the last."""
    on = books()
    for after, call in enumerate(STEPS[:until]):
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


# Purses and accounts


def test_less_than_128_bits_of_money_is_ever_made() -> None:
    on = Books(Domain(1, STRANGER), Terms(CHIP, STEP), 2**130)
    with pytest.raises(BankRefused, match="FaucetEmpty"):
        on.issue(POOR, 2**128)
    on.issue(POOR, 2**127)
    with pytest.raises(BankRefused, match="FaucetEmpty"):
        on.issue(STRANGER, 2**127)
    on.issue(STRANGER, 2**127 - 1)


def test_signatures_count_unless_they_were_taken_once() -> None:
    with pytest.raises(BankRefused, match="BadSignature"):
        books().apply(STRANGER, SubmitPublicKey(POOR, SIGNED), NOW)


# Steps and deadlines


@pytest.mark.parametrize("done", range(1, 6))
def test_a_step_can_be_taken_until_its_deadline_and_complained_of_behind_it(done: int) -> None:
    """Each deadline is a step's time after the step before it."""
    bet, silence = BET, list(Silence)[done - 1]
    deadline = NOW + done - 1 + STEP
    on = played(done)
    assert on.game(bet.key).deadline == deadline
    call = STEPS[done]
    assert refused(on, PLAYER, call, deadline + 1) == f"TooLate({deadline})"
    complaint = Complain(silence, bet)
    assert refused(on, PLAYER, complaint, deadline) == f"TooEarly({deadline})"
    for other in Silence:
        if other is not silence:
            told = refused(on, PLAYER, Complain(other, bet), deadline + 1)
            assert told == f"WrongStep({done})"
    late = played(done)
    do(on, PLAYER, call, deadline)
    assert on.game(bet.key).step == done + 1
    do(late, PLAYER, complaint, deadline + 1)
    assert refused(late, PLAYER, complaint, deadline + 1) == "GameOver()"
    assert refused(late, PLAYER, call, deadline) == "GameOver()"
    assert [late.account(owner).open_games for owner in KEYS] == [0, 0]
    assert lock_of(bet.key) not in late.balances()
    gained, lost = money(late)
    assert gained + lost == 0


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


def test_a_game_that_nobody_knows_is_all_zeros() -> None:
    assert books().game(bytes(32)) == BankGame(bytes(32), 0, 0, 0, 0, 0)
    assert books().session(CROUPIER, PLAYER) == (bytes(32), 0, 0, 0, 0, 0, 0)
