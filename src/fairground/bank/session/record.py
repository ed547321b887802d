"""The record of a whole session: lines that prove the balance, offline.

::

    {"kind":"session","format":"fairground-session/1","chain":...,"bank":...,"terms":{...},"signature":...}
    {"kind":"hand","transcript":"..."}                          one for each hand, in their order
    {"kind":"state","state":{...},"player_signature":...,"croupier_signature":...}
    {"kind":"disputed","transcript":"..."}                      where the next hand went to the Bank

`verify_session` plays every hand again by its transcript, adds up what each brought, and
compares the sum, and the hash of all transcripts, with the state that both have signed. With a
Bank at hand, `settled_session` asks it whether it closed the session just so. A hand that was
brought before the Bank is added to the balance as it ended there.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple

from fairground.bank.audit import TranscriptEnd, read_end
from fairground.bank.bank_port import Bank, BankEvent, GameOutcome
from fairground.bank.crypto.curve import Signature
from fairground.bank.fields import ADDRESS, SIGNATURE, THE_SESSION, THE_STATE
from fairground.bank.messages import Domain, SessionState, SessionTerms, must_be_signed
from fairground.bank.session.hand import NO_HEAD, next_head
from fairground.core import FairgroundError, Fault, InputError, whole, written
from fairground.transcript import canonical
from fairground.verify import verify

FORMAT: Final = "fairground-session/1"


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
        """The record as lines."""
        first = {
            "kind": "session",
            "format": FORMAT,
            "chain": written(self.domain.chain_id),
            "bank": self.domain.bank,
            "terms": THE_SESSION.write(self.terms),
            "signature": self.signature.hex(),
        }
        hands = [{"kind": "hand", "transcript": one.decode()} for one in self.transcripts]
        last = {
            "kind": "state",
            "state": THE_STATE.write(self.state),
            "player_signature": self.player_signature.hex(),
            "croupier_signature": self.croupier_signature.hex(),
        }
        lines = [first, *hands, last]
        if self.disputed:
            lines.append({"kind": "disputed", "transcript": self.disputed.decode()})
        return b"".join(canonical(line) + b"\n" for line in lines)


class SessionVerdict(NamedTuple):
    """What a session's record proves."""

    terms: SessionTerms
    hands: int
    share: int
    """What the Player has in the end, in wei, by what both have signed."""
    disputed: TranscriptEnd | None = None
    """The hand after that, which ended at the Bank."""

    def sentence(self, chip_cost: int) -> str:
        """In words. How a disputed hand ended is for the Bank to say."""
        won = (self.share - self.terms.player_funds) // chip_cost
        return (
            f"both parties signed that after {self.hands} hands the Player has {self.share} wei of "
            f"{self.terms.total}: {won:+} chips; and the hands, played again, come to just that"
            + ("; one more hand ended at the Bank, which --bank asks" if self.disputed else "")
        )


def is_session(data: bytes) -> bool:
    """Whether this is the record of a session, by its first line."""
    head = data[: data.find(b"\n") + 1]
    return f'"format":"{FORMAT}"'.encode() in head


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
        return SessionRecord(
            Domain(whole(first["chain"], "chain"), bank),
            terms,
            SIGNATURE.read(first["signature"], "signature"),
            tuple(str(hand["transcript"]).encode() for hand in hands),
            THE_STATE.read(last["state"], "state"),
            SIGNATURE.read(last["player_signature"], "player_signature"),
            SIGNATURE.read(last["croupier_signature"], "croupier_signature"),
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
    for number, transcript in enumerate(record.transcripts):
        line = number + 2
        share += _won(record, number, transcript, line)
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
    disputed = _hand(record, state.hands, record.disputed, end + 1) if record.disputed else None
    return SessionVerdict(terms, state.hands, share, disputed)


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


def _hand(record: SessionRecord, number: int, transcript: bytes, line: int) -> TranscriptEnd:
    """How a hand ended; raise `Fault` unless it is valid, and this one of this session."""
    verdict = verify(transcript)
    if not verdict.ok or verdict.payoff is None:
        reason = f"hand {number}: {verdict.fault.reason if verdict.fault else 'it is not over'}"
        raise Fault("session/hand", reason, line)
    end = read_end(transcript)
    wanted = (*record.terms[:4], record.terms.game_id(number))
    if end.domain != record.domain or end.bet[:5] != wanted:
        raise Fault("session/hand", f"hand {number} is of another session, or another hand", line)
    return end


def _won(record: SessionRecord, number: int, transcript: bytes, line: int) -> int:
    """What a hand between the two brought the Player, net, in wei."""
    end = _hand(record, number, transcript, line)
    if end.outcome != GameOutcome.SETTLED:
        raise Fault("session/hand", f"hand {number} was not played to its end", line)
    return end.paid - end.bet.stake


async def settled_session(data: bytes, opened: Callable[[Domain], Awaitable[Bank]]) -> str:
    """Ask the Bank whether it closed the session just so; what it says, in words.

    Raise `Fault` where it says otherwise.
    """
    record = read_session(data)
    bank = await opened(record.domain)
    try:
        told = await bank.told(record.terms.struct_hash())
        closed, line = _closing(told), len(record.transcripts) + 2
        if closed is None:
            known = "is still open" if told else "is not known there"
            code = "bank/open" if told else "bank/unknown-game"
            raise Fault(code, f"the session {known}", line)
        hand: bytes = closed.values["hand"]
        brought = await bank.told(hand) if any(hand) else ()
    finally:
        await bank.close()
    _compare(record, closed, line)
    said = (
        f"the Bank {record.domain.bank} closed the session after {closed.values['hands']} hands, "
        f"and paid the Player {closed.values['playerShare']} wei"
    )
    if not any(hand):
        return said
    how, paid = _end_of(record, hand, brought, line)
    total = closed.values["playerShare"] + paid
    return f"{said}; the next hand was brought before it, where {how}: {total} wei in all"


def _compare(record: SessionRecord, closed: BankEvent, line: int) -> None:
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
    """How a hand that was brought before the Bank ended there: in words, and what was paid."""
    for event in told:
        if event.name in ENDS:
            paid = int(event.values.get("prize", event.values.get("penalty", 0)))
            break
    else:
        raise Fault("bank/open", f"the hand {hand.hex()} is still open at the Bank", line)
    if record.disputed:
        end = read_end(record.disputed)
        if (end.outcome, end.paid) != (ENDS[event.name][0], paid):
            reason = f"the Bank paid {paid} wei for the last hand, and the record says {end.paid}"
            raise Fault("bank/other-outcome", reason, line + 1)
    return f"{ENDS[event.name][1]}, and it paid {paid} wei", paid


ENDS: Final = {
    "GameSettled": (GameOutcome.SETTLED, "it was played to its end"),
    "PlayerForfeited": (GameOutcome.PLAYER_FORFEITED, "the Player was silent and lost the stake"),
    "CroupierForfeited": (GameOutcome.CROUPIER_FORFEITED, "the Croupier was silent"),
}
"""How a hand ends at a Bank of version 2."""


def _closing(told: Sequence[BankEvent]) -> BankEvent | None:
    return next((event for event in told if event.name == "SessionClosed"), None)
