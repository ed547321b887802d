"""Ending a session alone: a party brings what it holds to the Bank, as far as it goes now."""

from __future__ import annotations

from typing import Final

from fairground.bank.bank_port import (
    NO_GAME,
    Bank,
    BankGame,
    BankRefused,
    BankSession,
    Call,
    ClaimSession,
    GameOutcome,
    Phase,
    Spending,
    Step,
    SubmitCroupierSeed,
    price_of_silence,
)
from fairground.bank.clock import BankClock
from fairground.bank.messages import Key
from fairground.bank.session.duties import Held, duty, informed

MOVED_ON: Final = ("TooEarly", "TooLate", "AlreadySubmitted", "OldState", "WrongStep", "GameOver")
"""Things are not as they were when we looked: somebody was faster, or the time has not come."""


async def settle(
    bank: Bank, key: Key, held: Held, confirmations: int = 0, clock: BankClock | None = None
) -> bool:
    """Do what can be done now; whether nothing is left to do.

    ``confirmations``: blocks behind an order before the Croupier tells his seed 1 for it.
    ``clock``: goes on where the Bank's own stands still between two blocks.
    """
    clock = clock or BankClock(bank)
    while True:
        session = await bank.session(held.terms.croupier, held.terms.player)
        game = NO_GAME if held.hand is None else await bank.game(held.hand.bet.key)
        if is_over(held, session, game):
            return True
        if held.hand is not None and game.step:
            held = informed(held, await bank.told(held.hand.bet.key))
        now, step_time = await clock(), bank.terms.step_time
        firm = confirmations == 0
        if held.hand is not None and not firm:
            final = await bank.game(held.hand.bet.key, confirmations)
            firm = final.step == game.step or now > game.deadline - step_time // 4
        call = duty(held, session, game, now, step_time, firm=firm)
        if call is None:
            return False
        try:
            if not await bank.send(key, call, _spending(bank, held, session, game, call)):
                return False
        except BankRefused as refused:
            if refused.name in MOVED_ON:
                if refused.name == "TooEarly":
                    clock.start_again()
                return False
            raise


def is_over(held: Held, session: BankSession, game: BankGame) -> bool:
    """Whether the Bank has nothing more of this session, nor of its open hand."""
    closed = session.phase == Phase.CLOSED or not session.is_of(held.terms)
    return closed and (game.step == Step.NONE or game.outcome != GameOutcome.OPEN)


def _spending(bank: Bank, held: Held, session: BankSession, game: BankGame, call: Call) -> Spending:
    """What a call may cost: as much as its sender loses without it."""
    if isinstance(call, SubmitCroupierSeed) and call.seed_id == 1:
        return Spending(at_stake=price_of_silence(bank.version, call.bet, game))
    if isinstance(call, ClaimSession) and session.phase == Phase.CLAIMED:
        return Spending(at_stake=abs(call.state.player_share - session.player_share))
    return Spending()
