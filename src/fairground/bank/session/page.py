"""A session as one party knows it: the sum of the lines that this party wrote down.

Both parties write the same kinds of lines, each before it acts on it. So after a crash at any
instant a party reads its lines, and goes on as if nothing had happened: what was signed is
there to be said again, and nothing else is ever signed in its place::

    session   the terms, with the Player's signature: before they leave
    seeds     one's own two seeds for the next hand: before their commitments leave
    bet       the bet, with the Player's signature
    taken     the Croupier's signature of it, and his seed 0
    order     the Player's seed 0, the order and its signature
    drawn     the Croupier's seed 1, and his word on the order
    state     the Player's seed 1, and the state with the Player's signature
    signed    the Croupier's signature of that state: it counts from now on
    stopped   this is an older copy of the lines: no more is played, signed or told
    closed    the session is over at the Bank; nothing follows
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import (
    SILENT_AT,
    BankGame,
    ClaimSession,
    CloseSession,
    GameOutcome,
    Step,
)
from fairground.bank.crypto.curve import Signature
from fairground.bank.fields import SIGNATURE, THE_BET, THE_SESSION, THE_STATE
from fairground.bank.messages import (
    Bet,
    Domain,
    SessionState,
    SessionTerms,
    Signer,
    must_be_signed,
)
from fairground.bank.record import CHAIRS, GameRecord, Messages
from fairground.bank.seeds import Seed
from fairground.bank.session.duties import Held, OpenHand
from fairground.bank.session.hand import NO_HEAD, SessionHand
from fairground.core import Fault
from fairground.fair.schemes import Chair

NOBODYS: Final = Signature(0, 0, 0)
"""Stands where no signature is wanted."""

Line = dict[str, Any]


class Signed(NamedTuple):
    """A state, with both signatures."""

    state: SessionState
    player: Signature = NOBODYS
    croupier: Signature = NOBODYS

    def claim(self, terms: SessionTerms) -> ClaimSession:
        """The call that claims it."""
        return ClaimSession(terms, *self)

    def close(self, terms: SessionTerms) -> CloseSession:
        """The call that closes the session by it: for a last state."""
        return CloseSession(terms, *self)


def beginning(terms: SessionTerms) -> Signed:
    """A session without hands: nothing must be signed."""
    return Signed(SessionState(terms.struct_hash(), 0, terms.player_funds, NO_HEAD))


# The lines


def opened(terms: SessionTerms, signature: Signature) -> Line:
    """A session that is to be opened."""
    return _line("session", terms=THE_SESSION.write(terms), signature=signature.hex())


def seeded(seeds: tuple[Seed, Seed]) -> Line:
    """One's own seeds for the next hand. Secret."""
    return _line("seeds", seeds=[seed.hex() for seed in seeds])


def bet_on(bet: Bet, signature: Signature) -> Line:
    """The bet of the next hand."""
    return _line("bet", bet=THE_BET.write(bet), signature=signature.hex())


def taken(signature: Signature, seed: Seed) -> Line:
    """The Croupier took the bet."""
    return _line("taken", signature=signature.hex(), seed=seed.hex())


def ordered(seed: Seed, order: Sequence[int], signature: Signature) -> Line:
    """The Player's order."""
    return _line("order", seed=seed.hex(), order=list(order), signature=signature.hex())


def drawn(seed: Seed, acceptance: Signature) -> Line:
    """The Croupier's seed 1, for this order."""
    return _line("drawn", seed=seed.hex(), acceptance=acceptance.hex())


def proposed(seed: Seed | None, state: SessionState, signature: Signature) -> Line:
    """The state after the hand, or the last one, signed by the Player."""
    told = None if seed is None else seed.hex()
    return _line("state", seed=told, state=THE_STATE.write(state), signature=signature.hex())


def signed(signature: Signature, transcript: bytes = b"") -> Line:
    """The Croupier signed the state, too. With it the transcript of the hand, to be kept."""
    return _line("signed", signature=signature.hex(), transcript=transcript.decode())


CLOSED: Final[Line] = {"kind": "closed"}
STOPPED: Final[Line] = {"kind": "stopped"}


def _line(kind: str, **fields: Any) -> Line:
    return {"kind": kind, **fields}


class SessionPage:
    """What one party knows of one session."""

    def __init__(
        self,
        domain: Domain,
        role: Signer,
        terms: SessionTerms,
        opening: Signature,
        chairs: Sequence[Chair] = CHAIRS,
    ) -> None:
        self.domain, self.role, self.terms, self.opening = domain, role, terms, opening
        self.name = terms.struct_hash()
        self.signed = beginning(terms)
        """The last state that both have signed."""
        self.seeds: tuple[Seed, Seed] | None = None
        """One's own, for the next hand or the open one."""
        self.hand: SessionHand | None = None
        self.proposed: tuple[SessionState, Signature] | None = None
        """The state that the Player signed, and the Croupier not yet."""
        self.transcripts: list[bytes] = []
        """Of the hands that are done, in their order, where they were kept."""
        self.stopped = False
        """Whether this is an older copy: what was not told in it may have been told since."""
        self.closed = False
        self._chairs = chairs

    @classmethod
    def read(
        cls, domain: Domain, role: Signer, lines: Sequence[Line], chairs: Sequence[Chair] = CHAIRS
    ) -> SessionPage:
        """The page that these lines make. Hands that are done are not played again."""
        first, *others = lines
        terms = THE_SESSION.read(first["terms"], "terms")
        opening = SIGNATURE.read(first["signature"], "signature")
        page = cls(domain, role, terms, opening, chairs)
        done = max((i for i, line in enumerate(others) if line["kind"] == "signed"), default=-1)
        for line in others[: done + 1]:
            if line["kind"] == "state":
                page.proposed = _state(line)
            elif line["kind"] == "signed":
                page._sign(line)
        for line in others[done + 1 :]:
            page.turn(line)
        return page

    @property
    def closing(self) -> bool:
        """Whether both have signed a last state: no hand follows."""
        return self.signed.state.last

    def turn(self, line: Mapping[str, Any]) -> None:
        """One more line; refused, and nothing changed, if it does not fit what is there."""
        kind, hand = line["kind"], self.hand
        if kind == "seeds":
            first, second = map(Seed.from_hex, line["seeds"])
            self.seeds = first, second
        elif kind == "bet":
            bet = THE_BET.read(line["bet"], "bet")
            self.hand = SessionHand(self.domain, bet, _signature(line), self._chairs)
        elif kind == "taken" and hand is not None:
            hand.taken(_signature(line), Seed.from_hex(line["seed"]))
            if self.role is Signer.PLAYER and self.seeds is not None:
                hand.peek(self.seeds[0])
        elif kind == "order" and hand is not None:
            hand.ordered(Seed.from_hex(line["seed"]), line["order"], _signature(line))
        elif kind == "drawn" and hand is not None:
            hand.drawn(Seed.from_hex(line["seed"]), Signature.from_hex(line["acceptance"]))
        elif kind == "state":
            if hand is not None and line["seed"] is not None:
                hand.final(Seed.from_hex(line["seed"]))
            self.proposed = _state(line)
        elif kind == "signed" and self.proposed is not None:
            state = self.proposed[0]
            must_be_signed(self.domain, state, _signature(line), self.terms.croupier_key)
            self._sign(line)
        elif kind == "stopped":
            self.stopped = True
        elif kind == "closed":
            self.closed = True
        else:
            raise Fault("session/line", f"the notes of a session have a line too many: {kind!r}")

    def _sign(self, line: Mapping[str, Any]) -> None:
        assert self.proposed is not None
        self.signed = Signed(*self.proposed, _signature(line))
        if line["transcript"]:
            self.transcripts.append(line["transcript"].encode())
        self.hand = self.seeds = self.proposed = None

    def disputed(self, hand: OpenHand, game: BankGame) -> bytes:
        """The transcript of a hand that ended at the Bank, as far as its messages are known."""
        record = GameRecord(self.domain, hand.bet, hand.player_signature, self._chairs)
        ours = hand.order == game.replaced
        record.follow(
            Messages(
                hand.his[0],
                hand.theirs[0],
                game.replaced,
                hand.order_signature if ours else None,
                hand.his[1],
                hand.theirs[1],
            ),
            game.step,
        )
        if game.outcome != GameOutcome.SETTLED and game.step in SILENT_AT:
            record.silent(SILENT_AT[Step(game.step)])
        return record.data

    def held(self) -> Held:
        """What this party can bring to the Bank: with own seeds that were not told yet.

        In an older copy, only with those that were told in it: they may have been told since, for
        another order.
        """
        hand = None
        if self.hand is not None and self.stopped:
            hand = self.hand.open
        elif self.hand is not None and self.seeds is not None:
            known = self.hand.open
            his = self.role is Signer.CROUPIER
            hand = known._replace(his=self.seeds) if his else known._replace(theirs=self.seeds)
        return Held(self.role, self.terms, self.signed.claim(self.terms), hand)


def _signature(line: Mapping[str, Any]) -> Signature:
    return Signature.from_hex(line["signature"])


def _state(line: Mapping[str, Any]) -> tuple[SessionState, Signature]:
    return THE_STATE.read(line["state"], "state"), _signature(line)
