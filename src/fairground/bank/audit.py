"""Checking a finished game of the Blind Croupier: its transcript, and what the Bank made of it.

A transcript alone proves the cards: the bet is signed by the Player and holds commitments
to all four seeds, the seeds that were shown fit them, and the order of replacements is
signed as well, where its signature is in the transcript. (A Player may bring it to the
Bank alone; then the Croupier's copy lacks it.) It cannot prove that the Bank ever took the
bet. `settled` asks the Bank; its word is worth as much as the chain, or the operator,
behind it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from fairground.bank.bank_port import (
    RULES,
    Bank,
    BankEvent,
    BankGame,
    GameOutcome,
    Step,
    step_after,
)
from fairground.bank.chain.artifact import WrongBank
from fairground.bank.messages import Bet, Domain
from fairground.bank.schemes import UNPROVEN, CroupierScheme, read_public
from fairground.bank.seeds import packed_hand, packed_order
from fairground.core import Fault, InputError
from fairground.games.poker import PLAYER, Poker, hand_text
from fairground.replay import replay
from fairground.transcript import check_chain, read
from fairground.verify import Claim, Verdict

_CLOSING = {
    GameOutcome.SETTLED: "GameSettled",
    GameOutcome.RELEASED: "GameReleased",
    GameOutcome.PLAYER_FORFEITED: "PlayerForfeited",
    GameOutcome.CROUPIER_FORFEITED: "CroupierForfeited",
}
"""The event that closes a game, for each way in which it can end."""

_IN_WORDS = {
    GameOutcome.SETTLED: "the hand was paid",
    GameOutcome.RELEASED: "all stakes were released",
    GameOutcome.PLAYER_FORFEITED: "the Player was silent and lost the stake",
    GameOutcome.CROUPIER_FORFEITED: "the Croupier was silent and paid the penalty",
}


class TranscriptEnd(NamedTuple):
    """How a game ended, in the Bank's own terms."""

    domain: Domain
    bet: Bet
    version: int
    """Of the Bank whose rules it follows."""
    outcome: GameOutcome
    step: Step
    """The last one before its end."""
    order: int | None
    """``None`` where it was never given, and so the Bank need not have one."""
    hand: int | None
    """The final hand, or the one that was dealt when somebody fell silent."""
    paid: int
    """What the Player got out of the lock, in wei: the payoff, and the stake on top of it."""
    lines: int


def read_end(data: bytes) -> TranscriptEnd:
    """Read a transcript that `verify` found valid; refuse one that no Bank settles."""
    lines = read(data)
    events = check_chain(lines, reencode=False)
    if events[0].get("dealer") != CroupierScheme.name:
        raise InputError(
            f"a Bank settles games dealt by {CroupierScheme.name}; this one was dealt by "
            f"{events[0].get('dealer')!r}: leave --bank out"
        )
    domain, bet, _ = read_public(events[0]["public"])
    version = next(number for number, rules in RULES.items() if rules.name == events[0]["game"])
    table = replay(lines, events)
    state, silent = table.state, [e["seat"] for e in events if e["kind"] == "forfeit"]
    order = None if state.order is None else packed_order(state.order)
    hand = packed_hand(state.dealt) if state.dealt else None
    if not silent:
        outcome, step = GameOutcome.SETTLED, Step.HAND_FINAL
        hand = packed_hand(Poker(bet.bet, bet.level).final_hand(state))
    else:
        # A seed of the Croupier is a ticket, one of the Player a share, and each is a step.
        step = Step.BET_SUBMITTED
        for _ in filter(lambda event: event["kind"] in ("ticket", "share", "move"), events):
            step = step_after(step, state.order)
        outcome = GameOutcome.PLAYER_FORFEITED
        if silent[0] != PLAYER:
            free = version == 1 and not state.dealt
            outcome = GameOutcome.RELEASED if free else GameOutcome.CROUPIER_FORFEITED
    assert table.payoff is not None
    paid = bet.stake + table.payoff[PLAYER] * bet.chip_cost
    return TranscriptEnd(domain, bet, version, outcome, step, order, hand, paid, len(lines))


async def settled(
    verdict: Verdict, data: bytes, opened: Callable[[Domain], Awaitable[Bank]]
) -> Verdict:
    """Ask the Bank whether it settled a game just as its transcript says.

    ``verdict`` is that of `verify`, and valid; ``opened`` finds the Bank of a domain,
    and compares its code where it has any.
    """
    try:
        game = read_end(data)
        bank = await opened(game.domain)
        try:
            if bank.domain != game.domain:
                raise _elsewhere(game.domain, bank.domain)
            if bank.version != game.version:
                reason = (
                    f"this Bank plays {RULES[bank.version].name}, and the record is of "
                    f"{RULES[game.version].name}"
                )
                raise Fault("bank/other-bet", reason, 1)
            _compare(game, await bank.game(game.bet.key), await bank.told(game.bet.key))
        finally:
            await bank.close()
    except WrongBank as error:
        return _failed(verdict, Fault(error.code, str(error), 1))
    except Fault as fault:
        return _failed(verdict, fault)
    claim = Claim(
        "SETTLED",
        None,
        None,
        f"the Bank told the truth ({bank.trusted})",
        f"the Bank {game.domain.bank} took this very bet and closed the game so: "
        f"{_IN_WORDS[game.outcome]}; the Player got {game.paid} wei for a stake of "
        f"{game.bet.stake} wei",
        (1, game.lines),
    )
    proven = tuple(remark for remark in verdict.remarks if UNPROVEN not in remark)
    return verdict._replace(claims=(*verdict.claims, claim), remarks=proven)


def _elsewhere(wanted: Domain, found: Domain) -> Fault:
    reason = (
        f"this game was played at the Bank {wanted.bank} on chain {wanted.chain_id}, and here "
        f"is the Bank {found.bank} on chain {found.chain_id}"
    )
    return Fault("bank/other-chain", reason, 1)


def _compare(game: TranscriptEnd, kept: BankGame, told: Sequence[BankEvent]) -> None:
    bet = game.bet
    if kept.step == Step.NONE:
        reason = (
            f"the Bank knows no game {bet.game_id} of {bet.croupier} and {bet.player}: "
            "this bet was never taken, or not in this history of the chain"
        )
        raise Fault("bank/unknown-game", reason)
    if not kept.is_of(bet):
        raise Fault("bank/other-bet", f"game {bet.game_id} of these two was another bet", 1)
    if kept.outcome == GameOutcome.OPEN:
        step = Step(kept.step).name.lower().replace("_", " ")
        reason = f"the game is still open at the Bank: the last step was {step}"
        raise Fault("bank/open", reason)
    outcome = GameOutcome(kept.outcome)
    if outcome != game.outcome:
        said = f"the Bank says that {_IN_WORDS[outcome]}, and not that {_IN_WORDS[game.outcome]}"
        raise Fault("bank/other-outcome", said, game.lines)
    if kept.step != game.step:
        steps = [Step(step).name.lower().replace("_", " ") for step in (kept.step, game.step)]
        said = f"the last step at the Bank was {steps[0]}, and in this record {steps[1]}"
        raise Fault("bank/other-outcome", said, game.lines)
    if game.order is not None and kept.order != game.order:
        reason = f"the Bank took the order {kept.replaced}, which is not the one in this record"
        raise Fault("bank/other-order", reason)
    if game.hand is not None and kept.hand != game.hand:
        raise Fault("bank/other-hand", f"the Bank has another hand: {hand_text(kept.cards)}")
    paid = [_paid(event, bet) for event in told if event.name == _CLOSING[outcome]]
    if paid != [game.paid]:
        reason = f"the Bank paid {paid} wei, and the transcript says {game.paid}"
        raise Fault("bank/other-prize", reason, game.lines)


def _paid(event: BankEvent, bet: Bet) -> int:
    """What the Player got by the event that closed the game."""
    if event.name == "GameReleased":
        return bet.stake
    return int(event.values.get("prize", event.values.get("penalty", 0)))


def _failed(verdict: Verdict, fault: Fault) -> Verdict:
    return verdict._replace(judged="invalid", claims=(), payoff=None, fault=fault)
