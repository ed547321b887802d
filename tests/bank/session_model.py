"""Every dispute that can follow a session, searched exhaustively over the Bank's own rules.

The model is `Books`, the rules of the contract in Python (``tests/bank/chain`` holds the two
to each other). A session of two hands is played between the parties, and stops in the third, at
each of its steps, or while it is closed by both. From there one party is honest: it answers at
the Bank by `fairground.bank.duties`, as our programs do. It looks in every quarter of a
step's time. An honest Player who has not given an order yet has none: `duty` says when one is due,
and only then the Player decides. The other party, the *cheat*, does anything that the signatures
in its hands allow, in any order and as often as it likes: old states, other orders, seeds,
silence, complaints. Between two answers of the honest party it may make any number of calls.

The search visits every position that the cheat can reach, and looks at what the honest party
has in the end. `Flaw` puts a flaw into the rules: then the search must find the loss.

Not in the model: two honest parties and a lost message, blocks that are taken back, and nodes
that do not answer. ``tests/terminal/test_croupier_sessions.py`` runs the programs for those.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import (
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    BringHand,
    Call,
    ClaimSession,
    CloseSession,
    Complain,
    ComplainTwoOrders,
    DepositFunds,
    FinishSession,
    GameOutcome,
    OpenSession,
    Phase,
    Silence,
    Step,
    SubmitAcceptedSeed,
    SubmitCroupierSeed,
    SubmitGameResult,
    SubmitPlayerSeed,
    SubmitPublicKey,
    SubmitReplacementOrder,
    Terms,
)
from fairground.bank.duties import Decide, informed
from fairground.bank.duties import session_duty as duty
from fairground.bank.hand import Hand, Held
from fairground.bank.ledger.rules import Books
from fairground.bank.messages import (
    Bet,
    Domain,
    Key,
    Message,
    OrderAccepted,
    ReplacementOrder,
    SeedMessage,
    SessionState,
    SessionTerms,
    Signer,
)
from fairground.bank.seeds import deal, make_seed, mix, packed_order, replace
from fairground.bank.signatures import Signature
from fairground.games.poker.rules import Poker, silence_price

CHIP, STEP_TIME = 1, 60
CROUPIER, PLAYER = Key(8101), Key(8102)
DOMAIN: Final = Domain(0, Key(8103).address)
HIS, MINE = 5_000, 40
NOBODYS: Final = Signature(0, 0, 0)

ORDERS: Final = {"A": (1, 0, 1, 1, 0), "B": (0, 1, 0, 0, 1), "stand": (0, 0, 0, 0, 0)}
CLOSING, CLOSED_BY_BOTH = 6, 7
"""Stops: the Player has signed a last state after hand 2; the Croupier has signed it, too."""

LOOK: Final = STEP_TIME // 4 - 1
"""Seconds between two looks of the honest party: one falls into the last quarter of a step."""


def shares_of(honest: Signer) -> tuple[int, int, int]:
    """Return what the Player has after 0, 1 and 2 hands: the cheat would like to go back."""
    return (MINE, MINE + 12, MINE - 3) if honest is Signer.CROUPIER else (MINE, MINE - 12, MINE + 3)


class Flaw(Books):
    """Rules with a flaw, if there is one; and signatures that are looked at once."""

    flaw = ""
    _seen: Final[dict[tuple[object, ...], bool]] = {}

    def _must_be_signed(self, message: Message, signature: Signature, key: str) -> None:
        if self.flaw == "anyone signs" and isinstance(message, SessionState):
            return
        if self.flaw == "one signature is enough" and isinstance(message, Bet):
            return
        asked = (message, signature, key)
        if asked not in self._seen:
            try:
                super()._must_be_signed(message, signature, key)
                self._seen[asked] = True
            except BankRefused:
                self._seen[asked] = False
        if not self._seen[asked]:
            raise BankRefused("BadSignature")

    def _may_tell(self, sender: str, bet: Bet, seed_id: int) -> None:
        if self.flaw != "seed 1 serves any order":
            super()._may_tell(sender, bet, seed_id)

    def _must_be_undisputed(self, sender: str, bet: Bet, game: BankGame, now: int) -> None:
        if self.flaw != "to stand settles at once":
            super()._must_be_undisputed(sender, bet, game, now)

    def _made(self, call: Any, sender: str, now: int) -> list[Any]:
        match call:
            case ComplainTwoOrders() if self.flaw == "two orders are allowed":
                raise BankRefused("WrongStep", (0,))
            case SubmitAcceptedSeed() if self.flaw == "a told seed 1 counts for nothing":
                raise BankRefused("WrongStep", (0,))
            case ClaimSession(terms) if self.flaw == "the first claim wins":
                kept = self.session(*terms[:2])
                if kept.phase == Phase.CLAIMED:
                    raise BankRefused("OldState", (kept.hands,))
        return super()._made(call, sender, now)

    def _live(self, terms: SessionTerms) -> BankSession:
        if self.flaw == "money is locked for ever":
            kept = super()._live(terms)
            if kept.phase == Phase.CLAIMED and kept.hands == 1:
                raise BankRefused("WrongSession", (kept.phase,))
            return kept
        return super()._live(terms)


FLAWS: Final = (
    "anyone signs",
    "one signature is enough",
    "seed 1 serves any order",
    "to stand settles at once",
    "two orders are allowed",
    "a told seed 1 counts for nothing",
    "the first claim wins",
    "money is locked for ever",
)


class Table(NamedTuple):
    """One session with an open hand: every message of it, by whoever may come to have it."""

    terms: SessionTerms
    bet: Bet
    seeds: dict[tuple[Signer, int], Any]
    shares: tuple[int, int, int] = shares_of(Signer.CROUPIER)

    @classmethod
    def of(cls, label: int) -> Table:
        parties = CROUPIER.address, PLAYER.address
        terms = SessionTerms(*parties, *parties, 0, MINE, HIS, 10**9)
        game_id = terms.game_id(2)
        seeds = {
            (role, i): make_seed(
                CROUPIER if role is Signer.CROUPIER else PLAYER,
                DOMAIN,
                SeedMessage(*parties, role, game_id, i, bytes([label % 256, label // 256] * 16)),
            )
            for role in Signer
            for i in (0, 1)
        }
        his = (seeds[Signer.CROUPIER, 0].commitment, seeds[Signer.CROUPIER, 1].commitment)
        theirs = (seeds[Signer.PLAYER, 0].commitment, seeds[Signer.PLAYER, 1].commitment)
        return cls(terms, Bet(*parties, *parties, game_id, 1, 1, CHIP, *his, *theirs, 0), seeds)

    def mixed(self, seed_id: int) -> int:
        his, theirs = (self.seeds[role, seed_id].signature for role in (Signer(1), Signer(0)))
        return mix(self.bet.struct_hash(), seed_id, his, theirs)

    @property
    def hand(self) -> tuple[int, ...]:
        return deal(self.mixed(0))

    def prize(self, order: str) -> int:
        return Poker(1, 1).prize(replace(self.hand, ORDERS[order], self.mixed(1)))

    def price(self, order: str) -> int:
        """What the Croupier pays for silence after this order."""
        return silence_price(1, 1, self.hand, ORDERS[order])

    def ordered(self, order: str) -> tuple[tuple[int, ...], Signature]:
        message = ReplacementOrder.of(self.bet, ORDERS[order])
        return ORDERS[order], PLAYER.sign(DOMAIN, message)

    def state(self, hands: int, share: int, *, last: bool = False) -> ClaimSession:
        state = SessionState(self.terms.struct_hash(), hands, share, bytes(32), last)
        signed = [key.sign(DOMAIN, state) for key in (PLAYER, CROUPIER)]
        return ClaimSession(self.terms, state, *signed)


class Knows(NamedTuple):
    """What a party holds when the session stops: the calls that it can make with it."""

    claims: tuple[ClaimSession, ...]
    hand: tuple[Call, ...]
    orders: tuple[str, ...]
    """Orders with the Player's signature that it holds."""


def knowledge(at: Table, stop: int, role: Signer) -> Knows:
    """What this party has when the third hand stops after ``stop`` messages.

    0 nothing; 1 the Player's bet; 2 the Croupier's signature and seed 0; 3 the Player's seed 0
    and order A; 4 the Croupier's seed 1 and his word on A; 5 the Player's seed 1 and state 3.
    Or there is no third hand: 6 the Player's last state; 7 the Croupier's signature of it.
    """
    croupier = role is Signer.CROUPIER
    claims = [at.state(hands, at.shares[hands]) for hands in range(3)]
    if stop == 5 and croupier:
        claims.append(at.state(3, at.shares[2] - 1 + at.prize("A")))
    if stop >= CLOSING:
        if croupier or stop == CLOSED_BY_BOTH:
            claims.append(at.state(2, at.shares[2], last=True))
        return Knows(tuple(claims), (), ())
    if stop >= 2 or (stop == 1 and croupier):
        signed = [key.sign(DOMAIN, at.bet) for key in (PLAYER, CROUPIER)]
        calls: list[Call] = [BringHand(at.terms, at.bet, *signed)]
    else:
        alone = (PLAYER if not croupier else CROUPIER).sign(DOMAIN, at.bet)
        calls = [BringHand(at.terms, at.bet, alone, alone)] if stop == 1 else []
    his = [at.seeds[Signer.CROUPIER, i] for i in (0, 1)]
    theirs = [at.seeds[Signer.PLAYER, i] for i in (0, 1)]
    if croupier or stop >= 2:
        calls.append(SubmitCroupierSeed(at.bet, 0, his[0]))
    if croupier or stop >= 4:
        calls.append(SubmitCroupierSeed(at.bet, 1, his[1]))
    if stop >= 4 or croupier:
        accepted = ["A"] if stop >= 3 or not croupier else list(ORDERS)
        for order in accepted:
            message = OrderAccepted(at.bet.struct_hash(), packed_order(ORDERS[order]))
            word = CROUPIER.sign(DOMAIN, message)
            calls.append(SubmitAcceptedSeed(at.bet, his[1], word))
    if not croupier or stop >= 3:
        calls.append(SubmitPlayerSeed(at.bet, 0, theirs[0], his[0].signature))
    if not croupier or stop >= 5:
        calls.append(SubmitPlayerSeed(at.bet, 1, theirs[1], his[1].signature))
    orders = tuple(ORDERS) if not croupier else ("A",) if stop >= 3 else ()
    return Knows(tuple(claims), tuple(calls), orders)


class Place(NamedTuple):
    """A position of the search."""

    books: Flaw
    now: int
    told: tuple[BankEvent, ...] = ()
    """What the Bank recorded of the hand."""


def opened(at: Table, flaw: str) -> Place:
    """The session is open at the Bank."""
    books = Flaw(DOMAIN, Terms(CHIP, STEP_TIME), 10**9)
    books.flaw = flaw
    for key, funds in ((CROUPIER, HIS), (PLAYER, MINE)):
        books.issue(key.address, funds)
        proof = key.prove(DOMAIN, key.address)
        books.apply(key.address, SubmitPublicKey(key.address, proof), 1000)
        books.apply(key.address, DepositFunds(funds), 1000)
    opening = OpenSession(at.terms, PLAYER.sign(DOMAIN, at.terms))
    books.apply(CROUPIER.address, opening, 1000)
    return Place(books, 1000)


def made(place: Place, sender: Key, call: Call) -> Place | None:
    """The position after a call; ``None`` if it is refused or changes nothing."""
    books = copy.deepcopy(place.books)
    try:
        events = books.apply(sender.address, call, place.now)
    except BankRefused:
        return None
    return Place(books, place.now, (*place.told, *events)) if events else None


def shape(at: Table, place: Place) -> tuple[object, ...]:
    """What tells positions apart."""
    session = place.books.session(*at.terms[:2])
    game = place.books.game(at.bet.key)
    accounts = tuple(place.books.account(key.address) for key in (CROUPIER, PLAYER))
    return session, game, accounts, place.now


def cheats_calls(at: Table, knows: Knows, flaw: str) -> Iterator[Call]:
    """All that a cheat can try."""
    yield from knows.claims
    for claim in knows.claims:
        yield CloseSession(*claim)
    if flaw == "anyone signs":
        for share in (0, at.terms.total):
            state = SessionState(at.terms.struct_hash(), 9, share, bytes(32))
            yield ClaimSession(at.terms, state, NOBODYS, NOBODYS)
    if flaw == "one signature is enough":
        # A bet with commitments that are made up: the Croupier cannot open them.
        made_up = at.bet._replace(croupier_commitment_0=b"1" * 32, croupier_commitment_1=b"2" * 32)
        yield BringHand(at.terms, made_up, NOBODYS, NOBODYS)
        yield Complain(Silence.FIRST_CROUPIER_SEED, made_up)
    yield FinishSession(at.terms)
    yield from knows.hand
    for order in knows.orders:
        yield SubmitReplacementOrder(at.bet, *at.ordered(order))
        yield ComplainTwoOrders(at.bet, *at.ordered(order))
    yield SubmitGameResult(at.bet)
    for silence in Silence:
        yield Complain(silence, at.bet)


def holding(at: Table, stop: int, role: Signer) -> Held:
    """What the honest party holds when the third hand stops, as our programs hold it."""
    croupier = role is Signer.CROUPIER
    newest = knowledge(at, stop, role).claims[-1]
    if stop in (0, CLOSING, CLOSED_BY_BOTH) or (stop == 1 and croupier):
        # A bet that he did not sign is none to him.
        return Held(role, at.terms, newest)
    mine, his = (key.sign(DOMAIN, at.bet) for key in (PLAYER, CROUPIER))
    hand = Hand(at.bet, mine, his if stop >= 2 else None)
    seeds = [at.seeds[Signer.CROUPIER, i] for i in (0, 1)]
    theirs = [at.seeds[Signer.PLAYER, i] for i in (0, 1)]
    if croupier:
        hand = hand._replace(his=(seeds[0], seeds[1]))
        known = (theirs[0] if stop >= 3 else None, theirs[1] if stop >= 5 else None)
        hand = hand._replace(theirs=known)
    else:
        told = (seeds[0] if stop >= 2 else None, seeds[1] if stop >= 4 else None)
        hand = hand._replace(his=told, theirs=(theirs[0], theirs[1]))
    if stop >= 3:
        hand = _with_order(at, hand)
    if stop >= 4:
        message = OrderAccepted(at.bet.struct_hash(), packed_order(ORDERS["A"]))
        hand = hand._replace(acceptance=CROUPIER.sign(DOMAIN, message))
    return Held(role, at.terms, newest, hand)


def _with_order(at: Table, hand: Hand) -> Hand:
    order, signature = at.ordered("A")
    return hand._replace(order=order, order_signature=signature)


def decided(at: Table, held: Held) -> Held:
    """What the honest Player holds after a decision, for which there was no more time."""
    assert held.hand is not None and held.role is Signer.PLAYER
    return held._replace(hand=_with_order(at, held.hand))


def least_due(at: Table, stop: int, role: Signer) -> int:
    """What the honest party must have in the end, whatever the other does."""
    share = at.shares[2] if role is Signer.PLAYER else at.terms.total - at.shares[2]
    if stop >= CLOSING:
        return share
    if stop < 2:
        # No hand that both signed. To the Player: the Croupier may still take it, and play it.
        fair = [0, at.prize("A") - 1, at.price("A") - 1]
        return share + (min(fair) if role is Signer.PLAYER and stop == 1 else 0)
    if role is Signer.PLAYER:
        # Order A, which the Player gave or gives: the prize, or the price if it was not told.
        told = [at.prize("A")] + ([] if stop >= 4 else [at.price("A")])
        return share - 1 + min(told)
    orders = ["A"] if stop >= 3 else list(ORDERS)
    return share + 1 - max(at.prize(order) for order in orders)


class Loss(NamedTuple):
    """The honest party ended below what it is due, or money stayed in the Bank."""

    stop: int
    honest: str
    due: int
    has: int
    story: tuple[str, ...]


def search(label: int, stop: int, role: Signer, flaw: str = "") -> tuple[Loss | None, int]:
    """The first loss of the honest party in this role, and how many positions were visited."""
    at = Table.of(label)._replace(shares=shares_of(role))
    other = Signer.PLAYER if role is Signer.CROUPIER else Signer.CROUPIER
    key, cheat = (CROUPIER, PLAYER) if role is Signer.CROUPIER else (PLAYER, CROUPIER)
    held = holding(at, stop, role)
    tries = list(cheats_calls(at, knowledge(at, stop, other), flaw))
    due = least_due(at, stop, role)
    todo: list[tuple[Place, Held, tuple[str, ...], int]] = [(opened(at, flaw), held, (), 0)]
    seen = set()
    while todo:
        place, held, story, ticks = todo.pop()
        ordered = held.hand is not None and held.hand.order is not None
        here = *shape(at, place), ordered
        if here in seen:
            continue
        seen.add(here)
        for call in tries:
            after = made(place, cheat, call)
            if after is not None:
                todo.append((after, held, (*story, f"cheat: {_word(call)}"), ticks))
        after, held, story = _answered(at, place, key, held, story)
        has = after.books.account(key.address).available
        if _over(at, after):
            if has < due:
                return Loss(stop, role.name, due, has, story), len(seen)
            continue
        if ticks == MOST_LOOKS:
            return Loss(stop, role.name, due, has, (*story, "money is locked")), len(seen)
        todo.append((_later(at, after), held, (*story, "time passes"), ticks + 1))
    return None, len(seen)


MOST_LOOKS: Final = 24
"""Looks after which a session that is not over counts as locked."""


def _later(at: Table, place: Place) -> Place:
    """The next look that matters: in the last quarter of a time that runs, or just behind it."""
    session, game = place.books.session(*at.terms[:2]), place.books.game(at.bet.key)
    ends = [session.deadline, session.deadline + STEP_TIME, game.deadline]
    moments = [moment for end in ends for moment in (end - LOOK, end + 1)]
    coming = [moment for moment in moments if moment > place.now]
    return place._replace(now=min(coming, default=place.now + STEP_TIME + 1))


def _answered(
    at: Table, place: Place, key: Key, held: Held, story: tuple[str, ...]
) -> tuple[Place, Held, tuple[str, ...]]:
    """The honest party does all that it can do now."""
    while True:
        session, game = place.books.session(*at.terms[:2]), place.books.game(at.bet.key)
        call = duty(informed(held, place.told), session, game, place.now, STEP_TIME)
        if isinstance(call, Decide):
            held, before = decided(at, held), held
            if held == before:
                break
            story = (*story, "honest: decides")
            continue
        after = None if call is None else made(place, key, call)
        if call is None or after is None:
            break
        place, story = after, (*story, f"honest: {_word(call)}")
    return place, held, story


def _over(at: Table, place: Place) -> bool:
    session, game = place.books.session(*at.terms[:2]), place.books.game(at.bet.key)
    return session.phase == Phase.CLOSED and (
        game.step == Step.NONE or game.outcome != GameOutcome.OPEN
    )


def _word(call: Call) -> str:
    detail = getattr(call, "order", getattr(call, "seed_id", ""))
    if isinstance(call, ClaimSession | CloseSession):
        detail = call.state.hands
    return f"{type(call).__name__} {detail}".strip()


def found(condition: Callable[[Table], bool]) -> int:
    """A hand for which this is so: seeds are tried until one fits."""
    return next(label for label in range(20_000) if condition(Table.of(label)))
