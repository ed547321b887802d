"""What the Croupier of a session refuses, and what his page makes of each line.

The Bank says here what it is told to say. Signatures and seeds are real.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, Final, cast

import pytest

from fairground.bank import session as lines
from fairground.bank.bank_port import (
    NO_GAME,
    NO_KEY,
    NO_SESSION,
    Account,
    Bank,
    BankAway,
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    Call,
    ClaimSession,
    CloseSession,
    GameOutcome,
    OpenSession,
    Phase,
    Spending,
    Step,
    Terms,
    short_name,
)
from fairground.bank.croupier.session import SessionCroupier
from fairground.bank.croupier_port import Closed, Declined, Drawn, SaidOtherwise, TooSoon
from fairground.bank.hand import HandEngine
from fairground.bank.messages import (
    Bet,
    Domain,
    Key,
    ReplacementOrder,
    SessionState,
    SessionTerms,
    Signer,
)
from fairground.bank.seeds import Seed, fresh_seeds, packed_order
from fairground.bank.session import STOPPED, Line, SessionPage, beginning
from fairground.bank.signatures import BadSignature, Signature, checksummed
from fairground.core import Fault
from tests.helpers.session_journal import MemoryJournal

HOUSE, GUEST, OLD = Key(7101), Key(7102), Key(7103)
DOMAIN: Final = Domain(1, checksummed(f"0x{9:040x}"))
CHIP, STEP, NOW = 10, 100, 5_000
MINE, HIS = 1_000, 100_000
ORDER, OTHER, STANDS = (1, 1, 0, 0, 0), (1, 0, 0, 0, 0), (0, 0, 0, 0, 0)
PAUSE: Final = 2.5
"""A fortieth of a step."""


class Counter:
    """A Bank that says what it is told to say, and keeps what is sent to it."""

    in_process = False

    domain, terms = DOMAIN, Terms(CHIP, STEP)

    def __init__(self) -> None:
        self.time = NOW
        self.trouble: Exception | None = None
        """What befalls every call."""
        self.depth = 0
        """Blocks on what was sent last."""
        self.accounts = {GUEST.address: Account(MINE, 0, GUEST.address)}
        self.kept = self.final = NO_SESSION
        self.sent: list[Call] = []

    async def now(self) -> int:
        return self.time

    async def account(self, owner: str) -> Account:
        return self.accounts.get(owner, Account(0, 0, NO_KEY))

    async def session(self, croupier: str, player: str, confirmations: int = 0) -> BankSession:
        return self.kept if confirmations <= self.depth else self.final

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        return NO_GAME

    async def send(self, key: Key, call: Call, spending: Spending | None = None) -> list[Any]:
        if self.trouble is not None:
            raise self.trouble
        self.sent.append(call)
        if isinstance(call, CloseSession):
            self.final, self.depth = self.kept, 0
            self.kept = at_bank(call.terms, Phase.CLOSED)
            return [BankEvent("SessionClosed", {})]
        return []


class Journal(MemoryJournal):
    """Keeps the lines, too."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Line] = []

    async def open(self, page: SessionPage, line: Line) -> None:
        await super().open(page, line)
        self.lines.append(line)

    async def add(self, page: SessionPage, *lines: Line) -> None:
        await super().add(page, *lines)
        self.lines += lines


def at_bank(terms: SessionTerms, phase: Phase) -> BankSession:
    """The next session has the next number."""
    name = short_name(terms.struct_hash())
    return BankSession(name, terms.number + 1, phase, NOW, 0, MINE, HIS)


class Table:
    """The Croupier, and a Guest who says to him whatever a test wants."""

    def __init__(self, **more: Any) -> None:
        self.bank, self.journal, self.time = Counter(), Journal(), 0.0
        self.croupier = self.started(**more)

    def started(self, **more: Any) -> SessionCroupier:
        """He is started (again): with the same journal."""
        bank = cast("Bank", self.bank)
        return SessionCroupier(
            bank, HOUSE, HIS, journal=self.journal, own=lambda: self.time, **more
        )

    async def opened(self, phase: Phase = Phase.OPEN) -> SessionTerms:
        terms = await self.croupier.session(GUEST.address, MINE)
        await self.croupier.open(terms, GUEST.sign(DOMAIN, terms))
        self.bank.kept = self.bank.final = at_bank(terms, phase)
        self.name = terms.struct_hash()
        self.terms = terms
        return terms

    async def bet(self, **fields: Any) -> Bet:
        """On his offer, for the next hand."""
        hands = (await self.croupier.look(self.name)).state.hands
        his = await self.croupier.offer(self.name, hands)
        parties, number = (HOUSE.address, GUEST.address), self.terms.game_id(hands)
        self.seeds = fresh_seeds(GUEST, DOMAIN, parties, Signer.PLAYER, number)
        hers = self.seeds[0].commitment, self.seeds[1].commitment
        keys = self.terms.croupier_key, GUEST.address
        return Bet(*parties, *keys, number, 1, 1, CHIP, *his, *hers, 0)._replace(**fields)

    async def dealt(self) -> Bet:
        """A hand that waits for an order."""
        bet = await self.bet()
        await self.croupier.bet(self.name, bet, GUEST.sign(DOMAIN, bet))
        return bet

    async def order(self, bet: Bet, order: Sequence[int]) -> Drawn | None:
        signature = GUEST.sign(DOMAIN, ReplacementOrder.of(bet, tuple(order)))
        return await self.croupier.order(self.name, self.seeds[0], order, signature)

    async def state(self, seed: Seed | None, state: SessionState) -> Signature:
        return await self.croupier.state(self.name, seed, state, GUEST.sign(DOMAIN, state))

    async def last(self) -> SessionState:
        """The state that closes the session as it stands."""
        return (await self.croupier.look(self.name)).state._replace(last=True)

    async def refuses(self, what: Awaitable[object], kind: type[Exception], words: str) -> None:
        """Refused by just this; nothing is written, and nothing is sent to the Bank."""
        before = len(self.journal.lines), len(self.bank.sent)
        with pytest.raises(kind, match=words) as caught:
            await what
        assert type(caught.value) is kind
        assert (len(self.journal.lines), len(self.bank.sent)) == before


# Opening


async def test_with_whom_he_opens_no_session() -> None:
    table = Table()
    ask, bank = table.croupier.session, table.bank
    bank.accounts[HOUSE.address] = Account(MINE, 0, HOUSE.address)
    await table.refuses(ask(HOUSE.address.lower(), 1), Declined, "nobody plays with himself")
    await table.refuses(ask(OLD.address, 10), Declined, "knows no key of .*submit your public")
    for funds in (0, CHIP - 1):
        await table.refuses(ask(GUEST.address, funds), Declined, "at least one chip, 10 wei")
    words = f"you have {MINE} wei at the Bank, less than {MINE + 1}"
    await table.refuses(ask(GUEST.address, MINE + 1), Declined, words)
    terms = await ask(GUEST.address, MINE)
    names = HOUSE.address, GUEST.address
    assert terms == SessionTerms(*names, *names, 0, MINE, HIS, NOW + 600)


@pytest.mark.parametrize(
    ("field", "more", "words"),
    [
        ("number", 1, "the terms must be"),
        ("player_funds", 0, ""),
        ("expiry", 1, "the terms must be"),
        ("expiry", -1, ""),
        ("croupier_funds", 1, f"he puts in {HIS} wei at the most"),
        ("croupier_funds", -1, ""),
    ],
)
async def test_he_opens_a_session_on_his_own_terms_alone(field: str, more: int, words: str) -> None:
    table = Table()
    terms = await table.croupier.session(GUEST.address, MINE)
    terms = terms._replace(**{field: getattr(terms, field) + more})
    signed = GUEST.sign(DOMAIN, terms)
    await table.refuses(
        table.croupier.open(terms, OLD.sign(DOMAIN, terms)),
        Declined if words else BadSignature,
        words or "must be signed by",
    )
    if words:
        await table.refuses(table.croupier.open(terms, signed), Declined, words)
    else:
        await table.croupier.open(terms, signed)
        assert table.bank.sent == [OpenSession(terms, signed)]


async def test_a_session_of_an_older_copy_is_not_opened_and_not_played() -> None:
    table = Table()
    terms = await table.opened()
    page = await table.journal.page(table.name)
    page.turn(STOPPED)
    await table.refuses(table.croupier.offer(table.name, 0), Closed, "restored from a copy")
    table.bank.kept, table.bank.sent = NO_SESSION, []
    with pytest.raises(Closed, match="restored from a copy"):
        await table.croupier.open(terms, GUEST.sign(DOMAIN, terms))
    assert table.bank.sent == []


# Hands


async def test_no_hand_before_the_bank_has_the_session_for_good() -> None:
    table = Table(confirmations=3)
    await table.opened()
    kept, offer = table.bank.kept, table.croupier.offer
    for now, final in ((kept, NO_SESSION), (NO_SESSION, kept), (NO_SESSION, NO_SESSION)):
        table.bank.kept, table.bank.final = now, final
        await table.refuses(offer(table.name, 0), TooSoon, "under 3 blocks yet")
    table.bank.kept = table.bank.final = kept
    assert await offer(table.name, 0) == await offer(table.name, 0)
    # Without a number of blocks he waits for none.
    table = Table()
    await table.opened()
    table.bank.final = NO_SESSION
    await table.croupier.offer(table.name, 0)


async def test_each_message_has_its_turn() -> None:
    table = Table()
    await table.opened()
    no, number = bytes(32), table.terms.game_id(0)
    bet = Bet(*table.terms[:4], number, 1, 1, CHIP, no, no, no, no, 0)
    table.seeds = fresh_seeds(GUEST, DOMAIN, bet[:2], Signer.PLAYER, 0)
    say = table.croupier.bet(table.name, bet, GUEST.sign(DOMAIN, bet))
    await table.refuses(say, TooSoon, "ask for an offer first")
    await table.refuses(table.order(bet, ORDER), TooSoon, "there is no open hand")
    await table.refuses(table.croupier.offer(table.name, 1), Declined, "the next hand is 0")
    bet = await table.dealt()
    await table.refuses(table.croupier.offer(table.name, 0), Declined, "when the last is done")
    close, over = await table.last(), "the hand is not over: tell your seed 1"
    for seed in (None, table.seeds[1]):
        await table.refuses(table.state(seed, close), TooSoon, over)
    await table.order(bet, ORDER)
    await table.refuses(table.state(None, close), TooSoon, over)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"croupier_commitment_0": bytes(32)}, "must be those of the offer"),
        ({"croupier_commitment_1": bytes(32)}, "must be those of the offer"),
        ({"bet": 10, "level": 11}, "the level must be 1 to 5, not 11"),
        ({"level": 0}, "the level must be 1 to 5, not 0"),
        ({"level": 6}, "the level must be 1 to 5, not 6"),
        ({"bet": 0}, "the bet must be 1 to 10, not 0"),
        ({"bet": 255}, "the bet must be 1 to 10, not 255"),
        ({"level": 5, "bet": 10}, "the Croupier has .* wei left in the session"),
        ({"chip_cost": 1, "croupier_commitment_0": bytes(32)}, f"a chip costs {CHIP} wei"),
    ],
)
async def test_bets_that_he_does_not_take(fields: dict[str, Any], words: str) -> None:
    table = Table()
    await table.opened()
    bet = await table.bet(**fields)
    say = table.croupier.bet(table.name, bet, GUEST.sign(DOMAIN, bet))
    await table.refuses(say, Declined, f"the bet does not fit: .*{words}")
    assert not (await table.croupier.look(table.name)).playing


async def test_one_bet_and_one_order_for_a_hand() -> None:
    table = Table()
    await table.opened()
    bet = await table.dealt()
    sight = await table.croupier.look(table.name)
    assert sight == (table.terms, *beginning(table.terms), True, False)
    more = bet._replace(bet=2)
    say = table.croupier.bet(table.name, more, GUEST.sign(DOMAIN, more))
    await table.refuses(say, SaidOtherwise, "the first counts")
    drawn = await table.order(bet, ORDER)
    assert drawn is not None and drawn == await table.order(bet, ORDER)
    for other in (OTHER, STANDS):
        words = r"the order \[1, 1, 0, 0, 0\] came first"
        await table.refuses(table.order(bet, other), SaidOtherwise, words)


async def test_a_hand_that_stands_needs_no_seed_1() -> None:
    """If it is told all the same, it is not taken."""
    table = Table()
    await table.opened()
    bet = await table.dealt()
    assert await table.order(bet, STANDS) is None
    hand = (await table.journal.page(table.name)).hand
    assert hand is not None
    follows = hand.follows(table.terms, beginning(table.terms).state)
    await table.state(table.seeds[1], follows)
    sight = await table.croupier.look(table.name)
    assert (sight.state, sight.playing) == (follows, False)
    assert table.journal.lines[-2]["seed"] is None


async def test_a_key_that_he_does_not_have_any_more() -> None:
    table = Table(signing=[OLD])
    terms = await table.opened()
    assert terms.croupier_key == OLD.address
    table.croupier = table.started()
    words = f"opened with the key {OLD.address}, .*it goes to the Bank"
    await table.refuses(table.croupier.offer(table.name, 0), Closed, words)


# Closing


@pytest.mark.parametrize(
    ("phase", "is_of_it", "closes"),
    [(Phase.OPEN, True, True), (Phase.CLOSED, True, False), (Phase.OPEN, False, False)],
)
async def test_the_last_state_is_brought_where_the_session_is_open(
    phase: Phase, is_of_it: bool, closes: bool
) -> None:
    table = Table()
    terms = await table.opened()
    await table.croupier.offer(table.name, 0)
    there = terms if is_of_it else terms._replace(number=1)
    table.bank.kept, table.bank.sent = at_bank(there, phase), []
    last = await table.last()
    his = await table.state(None, last)
    signed = GUEST.sign(DOMAIN, last)
    assert table.bank.sent == ([CloseSession(terms, last, signed, his)] if closes else [])
    assert await table.croupier.look(table.name) == (terms, last, signed, his, False, True)
    assert await table.journal.open_sessions() == []
    table.bank.kept = at_bank(terms, Phase.OPEN)
    await table.refuses(table.croupier.offer(table.name, 0), Closed, "open another one")


@pytest.mark.parametrize(
    "trouble",
    [
        BankAway("the Bank does not answer"),
        BankRefused("InsufficientFunds", (HOUSE.address, 0, 1)),
        BankRefused("BadSignature"),
    ],
)
async def test_a_last_state_that_the_bank_did_not_take_is_brought_again(
    trouble: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """The Player has the signature; the session stays open until the Bank has closed it."""
    table = Table()
    await table.opened()
    last = await table.last()
    table.bank.trouble = trouble
    his = await table.state(None, last)
    sight = await table.croupier.look(table.name)
    assert (sight.state, sight.croupier_signature, sight.closed) == (last, his, False)
    assert table.croupier.trouble == {table.name: str(trouble)}
    await table.refuses(table.croupier.offer(table.name, 0), Closed, "open another one")
    for _ in range(3):
        assert await table.croupier.visit(table.name) == PAUSE
    assert caplog.text.count(str(trouble)) == 1, "the reason is logged once"
    assert await table.journal.open_sessions() == [table.name]
    table.bank.trouble, table.bank.sent = None, []
    await table.croupier.visit(table.name)
    assert [type(call) for call in table.bank.sent] == [CloseSession]
    assert await table.journal.open_sessions() == []
    assert table.croupier.trouble == {}


async def test_who_closed_it_first_is_no_trouble() -> None:
    table = Table()
    terms = await table.opened()
    table.bank.trouble = BankRefused("WrongSession", (3,))
    await table.state(None, await table.last())
    assert table.croupier.trouble == {}
    assert await table.journal.open_sessions() == [table.name], "until he has seen it"
    table.bank.kept = at_bank(terms, Phase.CLOSED)
    await table.croupier.visit(table.name)
    assert await table.journal.open_sessions() == []


async def test_a_close_that_the_chain_takes_back_is_made_again() -> None:
    table = Table(confirmations=3)
    terms = await table.opened()
    table.bank.depth = 3
    table.bank.sent = []
    await table.state(None, await table.last())
    for depth in range(3):
        table.bank.depth = depth
        await table.croupier.visit(table.name)
        assert await table.journal.open_sessions() == [table.name]
    table.bank.kept = at_bank(terms, Phase.OPEN)  # three blocks are taken back
    await table.croupier.visit(table.name)
    assert [type(call) for call in table.bank.sent] == [CloseSession] * 2
    table.bank.depth = 3
    await table.croupier.visit(table.name)
    assert await table.journal.open_sessions() == []


async def test_the_first_bet_must_come_soon() -> None:
    """An offer binds the Player to nothing. The time runs when a hand could be played."""
    table = Table(confirmations=2)
    table.bank.terms = Terms(CHIP, 10_000)
    terms = await table.opened()
    opened, table.bank.final, table.bank.sent = table.bank.final, NO_SESSION, []
    for table.time in (0, 299, 600):
        await table.croupier.visit(table.name)
    table.bank.final = opened
    for table.time in (890, 900):
        await table.croupier.visit(table.name)
        await table.croupier.offer(table.name, 0)
        assert table.bank.sent == []
    table.time = 901
    await table.croupier.visit(table.name)
    assert table.bank.sent == [beginning(terms).claim(terms)]

    table = Table()
    table.bank.terms = Terms(CHIP, 10_000)
    await table.opened()
    await table.dealt()
    table.bank.sent, table.time = [], 10_000
    await table.croupier.visit(table.name)
    assert table.bank.sent == [], "who has bet has a step's time"


async def test_who_is_silent_for_more_than_a_step_is_brought_to_the_bank() -> None:
    table = Table()
    terms = await table.opened()
    table.bank.sent = []
    for time, calls in ((STEP, []), (STEP + 0.1, [beginning(terms).claim(terms)])):
        table.time = time
        assert await table.croupier.visit(table.name) == PAUSE
        assert table.bank.sent == calls


@pytest.mark.parametrize(
    ("late", "number", "waits"),
    [(0, 0, True), (1, 0, False), (0, 1, False)],
)
async def test_a_session_that_the_bank_does_not_have(late: int, number: int, waits: bool) -> None:
    """It can be opened until its time is over, or until another has its number."""
    table = Table()
    terms = await table.opened()
    table.bank.kept = NO_SESSION._replace(number=number)
    table.bank.time = terms.expiry + late
    assert await table.croupier.visit(table.name) == PAUSE
    assert (await table.croupier.look(table.name)).closed is not waits
    if not waits:
        table.bank.kept = at_bank(terms, Phase.OPEN)
        await table.refuses(table.croupier.offer(table.name, 0), Closed, "open another one")


async def test_a_session_that_is_claimed_is_not_taken_for_one_to_come() -> None:
    table = Table()
    await table.opened()
    await table.croupier.offer(table.name, 0)
    table.bank.kept = at_bank(table.terms, Phase.CLAIMED)._replace(number=0)
    await table.croupier.visit(table.name)
    await table.refuses(table.croupier.offer(table.name, 0), Closed, "no more is played")


# The page


def test_a_session_without_hands_needs_no_signature() -> None:
    names = HOUSE.address, GUEST.address
    terms = SessionTerms(*names, *names, 0, MINE, HIS, NOW)
    nobodys = Signature(0, 0, 0)
    state = SessionState(terms.struct_hash(), 0, MINE, bytes(32))
    assert beginning(terms).claim(terms) == ClaimSession(terms, state, nobodys, nobodys)


def ordered() -> tuple[Table, Bet]:
    """A hand with an order, as the Croupier wrote it down."""

    async def main() -> tuple[Table, Bet]:
        table = Table()
        await table.opened()
        bet = await table.dealt()
        await table.order(bet, ORDER)
        return table, bet

    return asyncio.run(main())


def hand_of(page: SessionPage) -> HandEngine:
    assert page.hand is not None
    return page.hand


def test_a_page_is_the_sum_of_its_lines() -> None:
    table, bet = ordered()
    first, seeds, placed, taken = table.journal.lines[:4]
    read = SessionPage.read

    # The Player has seen the cards when the bet is taken; the Croupier has not.
    hers = lines.line("seeds", table.seeds)
    player = read(DOMAIN, Signer.PLAYER, [first, hers, placed, taken])
    assert len(hand_of(player).hand) == 5
    croupier = read(DOMAIN, Signer.CROUPIER, [first, seeds, placed, taken])
    assert hand_of(croupier).hand == ()

    # The Player's seed 1 comes with the state.
    page = read(DOMAIN, Signer.CROUPIER, table.journal.lines)
    state = SessionState(page.name, 1, MINE, bytes(32))
    page.turn(lines.line("state", table.seeds[1], state, GUEST.sign(DOMAIN, state)))
    held = page.held().hand
    assert held is not None and held.theirs == table.seeds

    # An older copy brings only those of his seeds that were told in it.
    for stopped in (False, True):
        page = read(DOMAIN, Signer.CROUPIER, [first, seeds, *([STOPPED] if stopped else [])])
        assert page.held().hand is None
        page = read(DOMAIN, Signer.CROUPIER, [first, seeds, placed, taken])
        if stopped:
            page.turn(STOPPED)
        held = page.held().hand
        assert held is not None and held.bet == bet
        assert [seed is not None for seed in held.his] == [True, not stopped]


@pytest.mark.parametrize("kind", ["session", "taken", "order", "drawn", "signed", "sung"])
def test_a_line_that_does_not_follow(kind: str) -> None:
    table, _ = ordered()
    page = SessionPage.read(DOMAIN, Signer.CROUPIER, table.journal.lines[:2])
    with pytest.raises(Fault, match=f"a line too many: '{kind}'") as fault:
        page.turn({"kind": kind})
    assert fault.value.code == "session/line"


def test_the_transcript_of_a_hand_that_ended_at_the_bank() -> None:
    """With the signature of the order, if it is the one that the Bank has."""
    table, bet = ordered()
    page = SessionPage.read(DOMAIN, Signer.CROUPIER, table.journal.lines)
    hand = page.held().hand
    assert hand is not None and hand.order_signature is not None
    signature = hand.order_signature.hex().encode()
    name = short_name(bet.struct_hash())
    for order, is_shown in ((ORDER, True), (OTHER, False)):
        forfeited = BankGame(
            name, Step.ORDER_SUBMITTED, GameOutcome.CROUPIER_FORFEITED, NOW, packed_order(order), 0
        )
        told = page.disputed(hand, forfeited)
        assert (signature in told) is is_shown
        assert b"did not show seed 1 in time" in told
    # Two orders were shown when nothing more was awaited: nobody was silent.
    stood = BankGame(name, Step.HAND_FINAL, GameOutcome.PLAYER_FORFEITED, NOW, 0, 0)
    told = page.disputed(hand, stood)
    assert signature not in told and b"silent" not in told and b"did not show" not in told
