"""A session as one party knows it: the sum of the lines that this party wrote down.

Both parties write the same kinds of lines, each before it acts on it. After a crash at any instant
a party reads its lines, and continues as if nothing had happened. It repeats its signed messages,
and never signs anything else in their place::

    session   the terms, with the Player's signature: before they leave
    seeds     one's own two seeds for the next hand: before their commitments leave
    bet       the bet, with the Player's signature
    taken     the Croupier's signature of it, and his seed 0; null if he told the Bank alone
    order     the Player's seed 0, the order and its signature
    drawn     the Croupier's seed 1, and his word on the order
    state     the Player's seed 1, and the state with the Player's signature
    signed    the Croupier's signature of that state: it counts from now on
    stopped   this is an older copy of the lines: no more is played, signed or told
    closed    the session is over at the Bank; nothing follows

`SessionHand` is one hand: its cards, its record, its worth. The transcript is that of a game at the
Bank, made by the same referee from the same messages. So both parties write the same bytes, and
`next_head` chains them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import (
    SILENT_AT,
    BankGame,
    ClaimSession,
    GameOutcome,
    Step,
)
from fairground.bank.calls import (
    SEED,
    SIGNATURE,
    Fields,
    FieldType,
    as_json,
    from_json,
    optional,
    pair,
)
from fairground.bank.croupier_port import MESSAGES
from fairground.bank.crypto.signatures import Signature, keccak
from fairground.bank.hand import Hand, Held
from fairground.bank.messages import (
    Bet,
    Domain,
    OrderAccepted,
    ReplacementOrder,
    SessionState,
    SessionTerms,
    Signer,
    must_be_signed,
)
from fairground.bank.record import CHAIRS, GameRecord
from fairground.bank.seeds import Seed, packed_order
from fairground.core import Fault
from fairground.fair.schemes import Chair
from fairground.games.poker.rules import BETS, LEVELS, PAYS, Rank

NO_HEAD: Final = bytes(32)
"""The head of a session without hands."""


def next_head(head: bytes, transcript: bytes) -> bytes:
    """The head after one more hand."""
    return keccak(head + keccak(transcript))


class SessionHand:
    """One hand. Each message is checked as the Bank would check it."""

    def __init__(
        self,
        domain: Domain,
        bet: Bet,
        signature: Signature,
        chairs: Sequence[Chair] = CHAIRS,
    ) -> None:
        self.record = GameRecord(domain, bet, signature, chairs)
        self.open = Hand(bet, signature)
        self._domain = domain

    @property
    def bet(self) -> Bet:
        return self.open.bet

    def taken(self, signature: Signature | None, seed: Seed) -> None:
        """Note that the Croupier took the bet, and told seed 0; to the Bank alone, if unsigned."""
        if signature is not None:
            must_be_signed(self._domain, self.bet, signature, self.bet.croupier_key)
        if self.open.his[0] is None:
            self.record.croupier_told(seed)
        self.open = self.open._replace(croupier_signature=signature, his=(seed, None))

    def peek(self, seed: Seed) -> tuple[int, ...]:
        """The hand that both seeds 0 deal; the Player's is in the record from now on."""
        self.record.player_told(seed)
        self.open = self.open._replace(theirs=(seed, None))
        return self.record.hand

    def ordered(self, seed: Seed, order: Sequence[int], signature: Signature) -> None:
        """The Player's seed 0, if it was not told before, and the order."""
        message = ReplacementOrder.of(self.bet, tuple(order))
        must_be_signed(self._domain, message, signature, self.bet.player_key)
        if self.open.theirs[0] is None:
            self.peek(seed)
        self.record.ordered(order, signature)
        self.open = self.open._replace(order=tuple(order), order_signature=signature)

    @property
    def acceptance(self) -> OrderAccepted:
        assert self.open.order is not None
        return OrderAccepted(self.bet.struct_hash(), packed_order(self.open.order))

    def drawn(self, seed: Seed, acceptance: Signature) -> None:
        must_be_signed(self._domain, self.acceptance, acceptance, self.bet.croupier_key)
        self.record.croupier_told(seed)
        self.open = self.open._replace(his=(self.open.his[0], seed), acceptance=acceptance)

    def final(self, seed: Seed) -> None:
        """The Player's seed 1; nothing new if it was told before."""
        if self.open.theirs[1] is not None:
            return
        self.record.player_told(seed)
        self.open = self.open._replace(theirs=(self.open.theirs[0], seed))

    @property
    def won(self) -> int:
        """Return the Player's net win in this hand, in wei; only when it is over."""
        final = self.record.prize - self.bet.bet * self.bet.level
        return final * self.bet.chip_cost

    def follows(self, terms: SessionTerms, before: SessionState) -> SessionState:
        return SessionState(
            terms.struct_hash(),
            before.hands + 1,
            before.player_share + self.won,
            next_head(before.head, self.record.data),
        )


def most_bet(funds: int, rest: int, level: int, chip_cost: int) -> int:
    """Return the largest bet that fits; 0 if none does.

    ``funds``: what the Player has in the session, in wei. ``rest``: what the Croupier has.
    """
    if level not in LEVELS:
        return 0
    stake, prize = level * chip_cost, PAYS[level][Rank.ROYAL_FLUSH] * chip_cost
    return min(BETS[-1], funds // stake, rest // prize)


def unsound(bet: Bet) -> str:
    """Return why no Croupier takes such a bet; empty if one may."""
    for name, given, allowed in (("bet", bet.bet, BETS), ("level", bet.level, LEVELS)):
        if type(given) is not int or given not in allowed:
            return f"the {name} must be {allowed[0]} to {allowed[-1]}, not {given!r}"
    return "" if len(set(bet.commitments)) == 4 else "the four commitments must differ"


def fits(terms: SessionTerms, before: SessionState, bet: Bet, chip_cost: int) -> str:
    """Return why a bet cannot follow this state; empty if it can."""
    if reason := unsound(bet):
        return reason
    wanted = (*terms[:4], terms.game_id(before.hands))
    if bet[:5] != wanted:
        return f"it must name the parties and keys of the session, and the number {wanted[4]}"
    if bet.chip_cost != chip_cost:
        return f"a chip costs {chip_cost} wei"
    if bet.stake > before.player_share:
        return f"the Player has {before.player_share} wei left in the session"
    rest = terms.total - before.player_share
    if bet.top_prize > rest:
        return f"the Croupier has {rest} wei left in the session, less than the top prize"
    return ""


NOBODYS: Final = Signature(0, 0, 0)
"""Stands where no signature is wanted."""

Line = dict[str, Any]


class Signed(NamedTuple):
    """A state, with both signatures."""

    state: SessionState
    player: Signature = NOBODYS
    croupier: Signature = NOBODYS

    def claim(self, terms: SessionTerms) -> ClaimSession:
        return ClaimSession(terms, *self)


def beginning(terms: SessionTerms) -> Signed:
    """A session without hands: nothing must be signed."""
    return Signed(SessionState(terms.struct_hash(), 0, terms.player_funds, NO_HEAD))


# The lines

TEXT: Final = FieldType(bytes.decode, lambda value, _: value.encode())

LINES: Final[dict[str, Fields]] = {
    **{kind: MESSAGES[kind] for kind in ("session", "bet", "order", "state")},
    "seeds": {"seeds": pair(SEED)},
    "taken": {"signature": optional(SIGNATURE), "seed": SEED},
    "drawn": {"seed": SEED, "acceptance": SIGNATURE},
    "signed": {"signature": SIGNATURE, "transcript": TEXT},
    "stopped": {},
    "closed": {},
}
"""The members of each line, besides its kind. The transcript of a hand is kept with its state."""


def line(kind: str, *values: Any) -> Line:
    """Return a line with these values of its members."""
    return {"kind": kind, **as_json(LINES[kind], values)}


CLOSED: Final = line("closed")
STOPPED: Final = line("stopped")


class SessionPage:
    """The knowledge of one party of one session."""

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
        """Transcripts of the finished hands, in order, where they were kept."""
        self.stopped = False
        """True in an older copy: seeds that are untold in it may have been told since."""
        self.closed = False
        self._chairs = chairs

    @classmethod
    def read(
        cls, domain: Domain, role: Signer, lines: Sequence[Line], chairs: Sequence[Chair] = CHAIRS
    ) -> SessionPage:
        """The page that these lines make. Hands that are done are not played again."""
        first, *others = lines
        terms, opening = from_json(LINES["session"], first)
        page = cls(domain, role, terms, opening, chairs)
        done = max((i for i, line in enumerate(others) if line["kind"] == "signed"), default=-1)
        for line in others[: done + 1]:
            if line["kind"] == "state":
                page.proposed = _proposed(line)
            elif line["kind"] == "signed":
                page._sign(*from_json(LINES["signed"], line))
        for line in others[done + 1 :]:
            page.turn(line)
        return page

    @property
    def closing(self) -> bool:
        """True if both have signed a last state: no hand follows."""
        return self.signed.state.last

    def turn(self, line: Mapping[str, Any]) -> None:
        """One more line; refused, and nothing changed, if it does not fit what is there."""
        kind, hand = line["kind"], self.hand
        needs_hand = kind in ("taken", "order", "drawn")
        is_early = (needs_hand and hand is None) or (kind == "signed" and self.proposed is None)
        if is_early or kind == "session" or kind not in LINES:
            raise Fault("session/line", f"the notes of a session have a line too many: {kind!r}")
        said = from_json(LINES[kind], line)
        if kind == "seeds":
            (self.seeds,) = said
        elif kind == "bet":
            bet, signature = said
            self.hand = SessionHand(self.domain, bet, signature, self._chairs)
        elif kind == "taken" and hand is not None:
            hand.taken(*said)
            told = hand.open.theirs[0] is not None
            if self.role is Signer.PLAYER and self.seeds is not None and not told:
                hand.peek(self.seeds[0])
        elif kind == "order" and hand is not None:
            hand.ordered(*said)
        elif kind == "drawn" and hand is not None:
            hand.drawn(*said)
        elif kind == "state":
            if hand is not None and said[0] is not None:
                hand.final(said[0])
            self.proposed = _proposed(line)
        elif kind == "signed" and self.proposed is not None:
            must_be_signed(self.domain, self.proposed[0], said[0], self.terms.croupier_key)
            self._sign(*said)
        elif kind == "stopped":
            self.stopped = True
        elif kind == "closed":
            self.closed = True

    def _sign(self, signature: Signature, transcript: bytes) -> None:
        assert self.proposed is not None
        self.signed = Signed(*self.proposed, signature)
        if transcript:
            self.transcripts.append(transcript)
        self.hand = self.seeds = self.proposed = None

    def disputed(self, hand: Hand, game: BankGame) -> bytes:
        """The transcript of a hand that ended at the Bank, as far as its messages are known."""
        record = GameRecord(self.domain, hand.bet, hand.player_signature, self._chairs)
        signature = hand.order_signature if hand.order == game.replaced else None
        known = hand._replace(order=game.replaced, order_signature=signature)
        record.follow(known, game.step)
        if game.outcome != GameOutcome.SETTLED and game.step in SILENT_AT:
            record.silent(SILENT_AT[Step(game.step)])
        return record.data

    def held(self) -> Held:
        """Return the messages that this party can bring to the Bank, with its own untold seeds.

        An older copy leaves out its untold seeds: they may have been told since, for another order.
        """
        hand = None
        if self.hand is not None and self.stopped:
            hand = self.hand.open
        elif self.hand is not None and self.seeds is not None:
            known = self.hand.open
            his = self.role is Signer.CROUPIER
            hand = known._replace(his=self.seeds) if his else known._replace(theirs=self.seeds)
        return Held(self.role, self.terms, self.signed.claim(self.terms), hand)


def _proposed(line: Mapping[str, Any]) -> tuple[SessionState, Signature]:
    _, state, signature = from_json(LINES["state"], line)
    return state, signature
