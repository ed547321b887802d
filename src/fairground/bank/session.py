"""A session as one party knows it: the sum of the lines that this party wrote down.

`SessionPage` is that sum. `Tower` is the folder in which a party leaves it for a watchtower.

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

The open hand is a `HandEngine`, as in a game at the Bank. `next_head` chains the transcripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import BankGame, ClaimSession
from fairground.bank.calls import (
    CALLS,
    ORDER,
    SEED,
    SIGNATURE,
    THE_BET,
    Fields,
    FieldType,
    as_json,
    from_json,
    optional,
    pair,
)
from fairground.bank.croupier_port import MESSAGES
from fairground.bank.hand import CHAIRS, Hand, HandEngine, Held
from fairground.bank.messages import Bet, Domain, SessionState, SessionTerms, Signer, must_be_signed
from fairground.bank.seeds import Seed
from fairground.bank.signatures import Signature
from fairground.core import FairgroundError, Fault, InputError, whole, written
from fairground.fair.schemes import Chair
from fairground.games.poker.rules import BETS, LEVELS, PAYS, Rank

NO_HEAD: Final = bytes(32)
"""The head of a session without hands."""


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
        self.hand: HandEngine | None = None
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
        """Return the page that these lines make. Hands that are done are not played again."""
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
        """Take one more line. Refuse it, and change nothing, if it does not fit what is there."""
        kind, hand = line["kind"], self.hand
        needs_hand = kind in ("taken", "order", "drawn")
        is_early = (needs_hand and hand is None) or (kind == "signed" and self.proposed is None)
        if is_early or kind == "session" or kind not in LINES:
            raise Fault("session/line", f"the notes of a session have a line too many: {kind!r}")
        said = from_json(LINES[kind], line)
        match kind, hand:
            case "seeds", _:
                (self.seeds,) = said
            case "bet", _:
                bet, signature = said
                self.hand = HandEngine(self.domain, bet, signature, self._chairs)
            case "taken", HandEngine():
                hand.taken(*said)
                if self.role is Signer.PLAYER and self.seeds is not None:
                    hand.follow(hand.known.told(Signer.PLAYER, 0, self.seeds[0]))
            case "order", HandEngine():
                hand.ordered(*said)
            case "drawn", HandEngine():
                hand.drawn(*said)
            case "state", _:
                if hand is not None and said[0] is not None:
                    hand.last_told(said[0])
                self.proposed = said[1], said[2]
            case "signed", _:
                assert self.proposed is not None
                must_be_signed(self.domain, self.proposed[0], said[0], self.terms.croupier_key)
                self._sign(*said)
            case "stopped", _:
                self.stopped = True
            case "closed", _:
                self.closed = True

    def _sign(self, signature: Signature, transcript: bytes) -> None:
        assert self.proposed is not None
        self.signed = Signed(*self.proposed, signature)
        if transcript:
            self.transcripts.append(transcript)
        self.hand = self.seeds = self.proposed = None

    def disputed(self, hand: Hand, game: BankGame) -> bytes:
        """Return the transcript of a hand that ended at the Bank, as far as it is known."""
        engine = HandEngine(self.domain, hand.bet, hand.player_signature, self._chairs)
        engine.end_at(hand, game.step, game.replaced, game.outcome)
        return engine.data

    def held(self) -> Held:
        """Return the messages that this party can bring to the Bank, with its own untold seeds.

        An older copy leaves out its untold seeds: they may have been told since, for another order.
        """
        hand = None
        if self.hand is not None and self.stopped:
            hand = self.hand.known
        elif self.hand is not None and self.seeds is not None:
            known = self.hand.known
            his = self.role is Signer.CROUPIER
            hand = known._replace(his=self.seeds) if his else known._replace(theirs=self.seeds)
        return Held(self.role, self.terms, self.signed.claim(self.terms), hand)


def _proposed(line: Mapping[str, Any]) -> tuple[SessionState, Signature]:
    _, state, signature = from_json(LINES["state"], line)
    return state, signature


# The file for a watchtower

FORMAT: Final = "fairground-session-left/1"
SUFFIX: Final = ".left"


class Tower:
    """A folder that a watchtower reads: on a disk that both can reach, or copied there.

    It has one file for each open session, replaced as a whole whenever the session goes on. The
    file holds the last state that both have signed, and the open hand so far. It holds no key, and
    no seed that the other party could use: one's own seed of a number is in it only after the
    other's is known. So a reader can bring signed messages to the Bank, and nothing else.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write to {str(folder)!r}: {error.strerror}") from None

    def leave(self, page: SessionPage) -> None:
        """Write the state of a session; delete the file when the session is closed."""
        path = self._folder / f"{page.name.hex()}-{page.role.name.lower()}{SUFFIX}"
        try:
            if page.closed:
                path.unlink(missing_ok=True)
                return
            fresh = path.with_suffix(".new")
            fresh.write_text(json.dumps(written_for(page)))
            fresh.replace(path)
        except OSError as error:
            raise InputError(
                f"the file for the watchtower cannot be written: {str(path)!r}: {error.strerror}"
            ) from None

    def left(self, domain: Domain) -> Iterator[tuple[str, Held | InputError]]:
        """Yield what was left of sessions at this Bank, by file name.

        A file that cannot be read, such as one that is copied just now, is an `InputError`.
        """
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            try:
                place, held = read_back(json.loads(path.read_text()))
            except FileNotFoundError:
                continue  # it was closed meanwhile
            except (
                OSError,
                ValueError,
                LookupError,
                TypeError,
                AttributeError,
                FairgroundError,
            ) as error:
                reason = f"{str(path)!r} is not what a party left, or only a part of it: {error}"
                yield path.name, InputError(reason)
            else:
                if place == domain:
                    yield path.name, held


HAND: Final[Fields] = {
    "bet": THE_BET,
    "player_signature": SIGNATURE,
    "croupier_signature": optional(SIGNATURE),
    "his": pair(optional(SEED)),
    "theirs": pair(optional(SEED)),
    "order": optional(ORDER),
    "order_signature": optional(SIGNATURE),
    "acceptance": optional(SIGNATURE),
}
CLAIM: Final = CALLS["claimSession"][1]


def written_for(page: SessionPage) -> dict[str, Any]:
    """Return the content of the file."""
    hand = page.hand
    counts = hand is not None and hand.known.his[0] is not None
    return {
        "format": FORMAT,
        "chain": written(page.domain.chain_id),
        "bank": page.domain.bank,
        "role": page.role.name.lower(),
        **as_json(CLAIM, page.signed.claim(page.terms)),
        "hand": as_json(HAND, hand.known) if hand is not None and counts else None,
    }


def read_back(raw: Any) -> tuple[Domain, Held]:
    """The inverse of `written_for`, as one who has no key of the parties holds it."""
    if raw["format"] != FORMAT:
        raise InputError(f"its format is {raw['format']!r}, and must be {FORMAT!r}")
    claim = ClaimSession(*from_json(CLAIM, raw))
    hand = None if raw["hand"] is None else Hand(*from_json(HAND, raw["hand"]))
    domain = Domain(whole(raw["chain"], "chain"), str(raw["bank"]))
    return domain, Held(Signer[raw["role"].upper()], claim.terms, claim, hand, has_key=False)
