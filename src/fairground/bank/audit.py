"""Check a finished game or session of the Blind Croupier: its record, and the settlement.

A transcript alone proves the cards. The Player signed the bet, which holds commitments to all four
seeds, and the seeds shown fit them. The order of replacements is signed as well, if its signature
is in the transcript. (A Player may bring it to the Bank alone; then the Croupier's copy lacks it.)

A transcript cannot prove that the Bank ever took the bet. `settled` asks the Bank; its word is
worth as much as the chain, or the operator, behind it.

The record of a whole session is a list of lines that prove the balance, offline.

::

    {"kind":"session","format":"fairground-session/1","chain":...,"bank":...,"terms":{...},"signature":...}
    {"kind":"hand","transcript":"..."}                          one for each hand, in their order
    {"kind":"state","state":{...},"player_signature":...,"croupier_signature":...}
    {"kind":"disputed","transcript":"..."}                      where the next hand went to the Bank

`verify_session` replays every hand from its transcript, and adds up the wins. It compares the sum,
and the hash of all transcripts, with the state that both have signed. `settled_session` asks a Bank
whether it closed the session so. A disputed hand is added to the balance as it ended at the Bank.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple

from fairground.answers import Answer, together, unanswered
from fairground.bank.bank_port import (
    Bank,
    BankEvent,
    BankGame,
    GameOutcome,
    Step,
    WrongBank,
    step_after,
)
from fairground.bank.calls import ADDRESS, SIGNATURE, THE_SESSION, THE_STATE, as_json, from_json
from fairground.bank.hand import next_head
from fairground.bank.messages import Bet, Domain, SessionState, SessionTerms, must_be_signed
from fairground.bank.schemes import UNPROVEN, CroupierScheme, read_public
from fairground.bank.seeds import packed_hand, packed_order
from fairground.bank.session import NO_HEAD
from fairground.bank.signatures import Signature
from fairground.core import FairgroundError, Fault, InputError, whole, written
from fairground.games.poker.rules import PLAYER, BankPoker, hand_text
from fairground.transcript import canonical
from fairground.verifier import Claim, Verdict, replay, verify
from fairground.words.plain import count


class _End(NamedTuple):
    """A way in which a hand can end at the Bank."""

    event: str
    in_words: str
    """Of a single game,"""
    in_session: str
    """and of a hand of a session."""


_LOST: Final = "the Player was silent and lost the stake"
_ENDS: Final = {
    GameOutcome.SETTLED: _End("GameSettled", "the hand was paid", "it was played to its end"),
    GameOutcome.PLAYER_FORFEITED: _End("PlayerForfeited", _LOST, _LOST),
    GameOutcome.CROUPIER_FORFEITED: _End(
        "CroupierForfeited",
        "the Croupier was silent and paid the penalty",
        "the Croupier was silent",
    ),
}


class TranscriptEnd(NamedTuple):
    """The end of a game, in the Bank's own terms."""

    domain: Domain
    bet: Bet
    outcome: GameOutcome
    step: Step
    """The last one before its end."""
    order: int | None
    """``None`` where it was never given, and so the Bank need not have one."""
    hand: int | None
    """The final hand, or the one that was dealt when somebody fell silent."""
    paid: int
    """Wei that the Player got out of the lock: the payoff plus the stake."""
    lines: int


def read_end(data: bytes) -> TranscriptEnd:
    """Read a transcript that `verify` found valid; refuse one that no Bank settles."""
    table = replay(data)
    events = table.transcript.events
    if table.scheme.name != CroupierScheme.name:
        raise InputError(
            f"a Bank settles games dealt by {CroupierScheme.name}; this one was dealt by "
            f"{table.scheme.name!r}: leave --bank out"
        )
    if events[0]["game"] != BankPoker.name:
        raise InputError(
            f"a Bank settles games of {BankPoker.name}; this one is of {events[0]['game']!r}: "
            "leave --bank out"
        )
    domain, bet, _ = read_public(events[0]["public"])
    state, silent = table.state, [e["seat"] for e in events if e["kind"] == "forfeit"]
    order = None if state.order is None else packed_order(state.order)
    hand = packed_hand(state.dealt) if state.dealt else None
    if not silent:
        outcome, step = GameOutcome.SETTLED, Step.HAND_FINAL
        hand = packed_hand(BankPoker(bet.bet, bet.level).final_hand(state))
    else:
        # A seed of the Croupier is a ticket, one of the Player a share, and each is a step.
        step = Step.BET_SUBMITTED
        for _ in filter(lambda event: event["kind"] in ("ticket", "share", "move"), events):
            step = step_after(step, state.order)
        outcome = GameOutcome.PLAYER_FORFEITED
        if silent[0] != PLAYER:
            outcome = GameOutcome.CROUPIER_FORFEITED
    assert table.payoff is not None
    paid = bet.stake + table.payoff[PLAYER] * bet.chip_cost
    return TranscriptEnd(domain, bet, outcome, step, order, hand, paid, len(events))


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
        f"{_ENDS[game.outcome].in_words}; the Player got {_chips(game.paid, game.bet)} for a "
        f"stake of {_chips(game.bet.stake, game.bet)}",
        (1, game.lines),
    )
    proven = tuple(remark for remark in verdict.remarks if UNPROVEN not in remark)
    paid = Answer("paid", "yes", f"the Bank paid the Player {_chips(game.paid, game.bet)}")
    return verdict._replace(
        claims=(*verdict.claims, claim), remarks=proven, answers=(*verdict.answers, paid)
    )


def _chips(wei: int, bet: Bet) -> str:
    return count(wei // bet.chip_cost, "chip")


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
        banks, wanted = _ENDS[outcome].in_words, _ENDS[game.outcome].in_words
        said = f"the Bank says that {banks}, and not that {wanted}"
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
    paid = [_paid(event) for event in told if event.name == _ENDS[outcome].event]
    if paid != [game.paid]:
        reason = f"the Bank paid {paid} wei, and the transcript says {game.paid}"
        raise Fault("bank/other-prize", reason, game.lines)


def _paid(event: BankEvent) -> int:
    """Return the wei that the Player got by the event that closed the game."""
    return int(event.values.get("prize", event.values.get("penalty", 0)))


def _failed(verdict: Verdict, fault: Fault) -> Verdict:
    answers = unanswered(fault, "invalid")
    return verdict._replace(
        judged="invalid", claims=(), payoff=None, fault=fault, result=None, answers=answers
    )


FORMAT: Final = "fairground-session/1"

STATE: Final = {
    "state": THE_STATE,
    "player_signature": SIGNATURE,
    "croupier_signature": SIGNATURE,
}


class SessionRecord(NamedTuple):
    """A session, as one party has it."""

    domain: Domain
    terms: SessionTerms
    signature: Signature
    """The Player's, of the terms."""
    transcripts: tuple[bytes, ...]
    state: SessionState
    player_signature: Signature
    croupier_signature: Signature
    disputed: bytes = b""
    """The transcript of the hand that ended at the Bank, if one did."""

    @property
    def data(self) -> bytes:
        first = {
            "kind": "session",
            "format": FORMAT,
            "chain": written(self.domain.chain_id),
            "bank": self.domain.bank,
            "terms": THE_SESSION.write(self.terms),
            "signature": self.signature.hex(),
        }
        hands = [{"kind": "hand", "transcript": one.decode()} for one in self.transcripts]
        last = {"kind": "state", **as_json(STATE, self[4:7])}
        lines = [first, *hands, last]
        if self.disputed:
            lines.append({"kind": "disputed", "transcript": self.disputed.decode()})
        return b"".join(canonical(line) + b"\n" for line in lines)


class SessionVerdict(NamedTuple):
    """The verdict on a session's record."""

    terms: SessionTerms
    hands: int
    share: int
    """Wei of the Player in the end, by the state that both have signed."""
    chip_cost: int
    """In wei, by the first bet; 1 where nothing was played."""
    last: bool
    """True if both have signed that no hand follows."""
    answers: tuple[Answer, ...]
    disputed: TranscriptEnd | None = None
    """The hand after that, which ended at the Bank."""

    def sentence(self) -> str:
        """Return it in words, with a hand that ended at the Bank in the sum."""
        if self.hands:
            said = (
                f"both parties signed that after {count(self.hands, 'hand')} the Player has "
                f"{self.chips(self.share)} of {self.chips(self.terms.total)}; and the hands, "
                "played again, come to just that"
            )
        elif self.last:
            said = "both parties signed that no hand was played"
        else:
            said = "both parties signed no hand to its end"
        if self.disputed is None:
            return said
        more = (self.disputed.paid - self.disputed.bet.stake) // self.chip_cost
        return (
            f"{said}; one more hand ended at the Bank and brought {more:+} chips: "
            f"{self.won + more:+} chips in all, if the Bank says the same (--bank asks it)"
        )

    def chips(self, wei: int) -> str:
        """A sum in chips."""
        return count(wei // self.chip_cost, "chip")

    @property
    def won(self) -> int:
        """Chips that the Player won by the signed state."""
        return (self.share - self.terms.player_funds) // self.chip_cost

    @property
    def result(self) -> str:
        """What happened, in a sentence."""
        said = f"in {count(self.hands, 'hand')}" + ("" if self.last or self.disputed else " so far")
        if self.won:
            verb = "wins" if self.won > 0 else "loses"
            said = f"The Player {verb} {count(abs(self.won), 'chip')} {said}."
        else:
            said = f"The Player breaks even {said}."
        return f"{said} One more hand ended at the Bank." if self.disputed else said


def read_session(data: bytes) -> SessionRecord:
    """Read a record; raise `Fault` where it is not one."""
    number = 0
    try:
        lines = []
        for line in data.splitlines():
            number += 1
            lines.append(json.loads(line))
            if canonical(lines[-1]) != line:
                raise InputError("it is not written in the one way that counts")
        number = 1
        disputed = lines.pop() if lines and lines[-1].get("kind") == "disputed" else None
        first, *hands, last = lines
        if (first["kind"], first["format"], last["kind"]) != ("session", FORMAT, "state"):
            raise InputError("it does not begin and end as a session does")
        if any(hand["kind"] != "hand" for hand in hands):
            raise InputError("between its first line and its state there are hands")
        terms, bank = THE_SESSION.read(first["terms"], "terms"), ADDRESS.read(first["bank"], "bank")
        if THE_SESSION.write(terms) != first["terms"] or bank != first["bank"]:
            raise InputError("an address is not spelled as EIP-55 wants it")
        state, player_signature, croupier_signature = from_json(STATE, last)
        return SessionRecord(
            Domain(whole(first["chain"], "chain"), bank),
            terms,
            SIGNATURE.read(first["signature"], "signature"),
            tuple(str(hand["transcript"]).encode() for hand in hands),
            state,
            player_signature,
            croupier_signature,
            b"" if disputed is None else str(disputed["transcript"]).encode(),
        )
    except (KeyError, TypeError, ValueError, FairgroundError) as error:
        reason = f"this is no record of a session: {error or type(error).__name__}"
        raise Fault("session/format", reason, number or 1) from None


def verify_session(data: bytes) -> SessionVerdict:
    """Check a record; raise `Fault` at the first line that is wrong."""
    record = read_session(data)
    terms, end = record.terms, len(record.transcripts) + 2
    _must_be_signed(record, terms, record.signature, terms.player_key, 1)
    head, share = NO_HEAD, terms.player_funds
    answers = []
    for number, transcript in enumerate(record.transcripts):
        won, verdict = _won(record, number, transcript, number + 2)
        share += won
        answers.append(verdict.answers)
        head = next_head(head, transcript)
    state = record.state
    wanted = SessionState(terms.struct_hash(), len(record.transcripts), share, head)
    if state._replace(last=False) != wanted:
        reason = (
            f"the hands come to {wanted.player_share} wei after {wanted.hands} hands, and the "
            f"signed state says {state.player_share} after {state.hands}, or names other hands"
        )
        raise Fault("session/other-balance", reason, end)
    if state.hands or state.last:
        _must_be_signed(record, state, record.player_signature, terms.player_key, end)
        _must_be_signed(record, state, record.croupier_signature, terms.croupier_key, end)
    disputed = None
    if record.disputed:
        disputed, verdict = _hand(record, state.hands, record.disputed, end + 1)
        answers.append(verdict.answers)
    first = read_end(record.transcripts[0]) if record.transcripts else disputed
    chip_cost = 1 if first is None else first.bet.chip_cost
    answered = together(answers, last=state.last, disputed=disputed is not None)
    return SessionVerdict(terms, state.hands, share, chip_cost, state.last, answered, disputed)


def _must_be_signed(
    record: SessionRecord,
    message: SessionTerms | SessionState,
    signature: Signature,
    key: str,
    line: int,
) -> None:
    try:
        must_be_signed(record.domain, message, signature, key)
    except InputError as error:
        raise Fault("session/signature", str(error), line) from None


def _hand(
    record: SessionRecord, number: int, transcript: bytes, line: int
) -> tuple[TranscriptEnd, Verdict]:
    """Return the end of a hand; raise `Fault` unless it is valid, and this one of this session."""
    verdict = verify(transcript)
    if not verdict.ok or verdict.payoff is None:
        reason = f"hand {number}: {verdict.fault.reason if verdict.fault else 'it is not over'}"
        raise Fault("session/hand", reason, line)
    end = read_end(transcript)
    wanted = (*record.terms[:4], record.terms.game_id(number))
    if end.domain != record.domain or end.bet[:5] != wanted:
        raise Fault("session/hand", f"hand {number} is of another session, or another hand", line)
    return end, verdict


def _won(record: SessionRecord, number: int, transcript: bytes, line: int) -> tuple[int, Verdict]:
    """Return the Player's net win of a hand between the two, in wei."""
    end, verdict = _hand(record, number, transcript, line)
    if end.outcome != GameOutcome.SETTLED:
        raise Fault("session/hand", f"hand {number} was not played to its end", line)
    return end.paid - end.bet.stake, verdict


async def settled_session(data: bytes, opened: Callable[[Domain], Awaitable[Bank]]) -> str:
    """Ask the Bank whether it closed the session just so; what it says, in words.

    Raise `Fault` where it says otherwise.
    """
    record = read_session(data)
    bank = await opened(record.domain)
    try:
        told = await bank.told(record.terms.struct_hash())
        closed = next((event for event in told if event.name == "SessionClosed"), None)
        line = len(record.transcripts) + 2
        if closed is None:
            known = "is still open" if told else "is not known there"
            code = "bank/open" if told else "bank/unknown-game"
            raise Fault(code, f"the session {known}", line)
        hand: bytes = closed.values["hand"]
        brought = await bank.told(hand) if any(hand) else ()
    finally:
        await bank.close()
    _compare_session(record, closed, line)
    said = (
        f"the Bank {record.domain.bank} closed the session after {closed.values['hands']} hands, "
        f"and paid the Player {closed.values['playerShare']} wei"
    )
    if not any(hand):
        return said
    how, paid = _end_of(record, hand, brought, line)
    total = closed.values["playerShare"] + paid
    return f"{said}; the next hand was brought before it, where {how}: {total} wei in all"


def _compare_session(record: SessionRecord, closed: BankEvent, line: int) -> None:
    """Raise `Fault` unless the Bank paid what the record says, less the stake of a brought hand."""
    paid: dict[str, Any] = closed.values
    rest = record.state.player_share - paid["playerShare"]
    right = rest > 0 if any(paid["hand"]) else rest == 0
    if record.disputed:
        end = read_end(record.disputed)
        right = paid["hand"] == end.bet.key and rest == end.bet.stake
    if paid["hands"] != record.state.hands or not right:
        reason = (
            f"the Bank closed the session after {paid['hands']} hands and paid the Player "
            f"{paid['playerShare']} wei, and the record says {record.state.player_share} wei after "
            f"{record.state.hands}"
        )
        raise Fault("bank/other-outcome", reason, line)


def _end_of(
    record: SessionRecord, hand: bytes, told: Sequence[BankEvent], line: int
) -> tuple[str, int]:
    """Return the end of a disputed hand at the Bank: in words, and the wei that were paid."""
    ends = {end.event: outcome for outcome, end in _ENDS.items()}
    closed = next((event for event in told if event.name in ends), None)
    if closed is None:
        raise Fault("bank/open", f"the hand {hand.hex()} is still open at the Bank", line)
    outcome, paid = ends[closed.name], _paid(closed)
    if record.disputed:
        end = read_end(record.disputed)
        if (end.outcome, end.paid) != (outcome, paid):
            reason = f"the Bank paid {paid} wei for the last hand, and the record says {end.paid}"
            raise Fault("bank/other-outcome", reason, line + 1)
    return f"{_ENDS[outcome].in_session}, and it paid {paid} wei", paid
