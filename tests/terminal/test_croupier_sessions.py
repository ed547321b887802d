"""The Player's program in a session (`fairground croupier --session`), when things go wrong.

It runs as it is. The Croupier is ours, honest or not, and the Bank's clock is moved by hand: a
step's time passes whenever nobody has to act any more.
"""

from __future__ import annotations

import asyncio
import json
import threading
from argparse import Namespace
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from fairground.bank.audit import settled_session, verify_session
from fairground.bank.bank_port import (
    AS_USUAL,
    BankAway,
    BankClock,
    BankEvent,
    BankGame,
    Call,
    ClaimSession,
    CloseSession,
    GameOutcome,
    Phase,
    Spending,
    Step,
    Terms,
)
from fairground.bank.croupier.session import SessionCroupier
from fairground.bank.croupier_port import Declined, Drawn, Taken
from fairground.bank.ledger.bank import LedgerBank
from fairground.bank.messages import Bet, Domain, Key, SessionState
from fairground.bank.player.notes import Notebook
from fairground.bank.seeds import Seed, deal, mix
from fairground.bank.session import SessionPage
from fairground.bank.signatures import Signature
from fairground.clients.http import Unreachable
from fairground.core import FairgroundError, InputError
from fairground.games.poker.holds import best_hold
from fairground.games.poker.rules import Poker
from fairground.store.sqlite import SqliteStore
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.croupier import command, session
from fairground.terminal.croupier.hand import CardArt
from tests.helpers.bank_game import enter
from tests.helpers.session_journal import MemoryJournal

CHIP, STEP_TIME = 10**15, 60
HOUSE, GUEST = Key(6401), Key(6402)
MONEY = 30_000 * CHIP
HOLDS_1_AND_3 = (0, 1, 0, 1, 1)


class Cut(SessionCroupier):
    """A Croupier whose line is cut after he took a bet; he himself is honest."""

    cut_at = ""
    is_cut = False

    def _pass(self) -> None:
        if self.is_cut:
            raise Unreachable("he does not answer")

    async def bet(self, name: bytes, bet: Bet, signature: Signature) -> Taken:
        self._pass()
        taken = await super().bet(name, bet, signature)
        self.is_cut = self.cut_at == "bet"
        self._pass()
        return taken

    async def order(
        self, name: bytes, seed: Seed, order: Sequence[int], signature: Signature
    ) -> Drawn | None:
        self._pass()
        return await super().order(name, seed, order, signature)

    async def state(
        self, name: bytes, seed: Seed | None, state: SessionState, signature: Signature
    ) -> Signature:
        self._pass()
        return await super().state(name, seed, state, signature)


class Thief(Cut):
    """He signs the last state, and does not bring it."""

    closes = False

    async def _settle(self, page: SessionPage) -> bool:
        return await super()._settle(page) if self.closes or not page.closing else False


class Flaky(LedgerBank):
    """A Bank that does not answer for a while, and remembers what was called."""

    failures = 0
    when_called: Callable[[Key, Call], None] = staticmethod(lambda sender, call: None)

    async def send(
        self, sender: Key, call: Call, spending: Spending = AS_USUAL
    ) -> Sequence[BankEvent]:
        self.when_called(sender, call)
        return await super().send(sender, call, spending)

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        if self.failures:
            self.failures -= 1
            raise BankAway("no chain answers")
        return await super().game(key, confirmations)


class World:
    """The Bank and the Croupier, as the program finds them."""

    def __init__(self, folder: Path, kind: type[Cut] = Cut) -> None:
        self.folder, self.kind, self.time = folder, kind, 1_900_000_000
        self.croupier: Cut | None = None
        self.fights = False
        """Whether the Croupier brings what he holds to the Bank."""
        self.waits_for_order = True
        """Whether time stands still while the Player may give an order at the Bank."""
        self.betrays = False
        """Whether he claims the first state when the last one is signed."""
        self.his = MONEY
        self.with_notes = False
        self.calls: list[tuple[Key, Call]] = []
        self.left: list[str] = []
        """What was left with the watchtower when the Player closed the session."""
        self.dealt = threading.Event()
        """The hand is at the Bank, and an order is due."""
        self.over = threading.Event()
        """Nothing is left at the Bank."""

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something where the parties live, while the program waits at a prompt."""
        asyncio.run_coroutine_threadsafe(work, self.loop).result()

    async def table(self, stack: AsyncExitStack, options: Namespace, key: Key) -> Any:
        self.loop = asyncio.get_running_loop()
        store = await SqliteStore.open(f"sqlite:///{self.folder}/bank.db")
        stack.push_async_callback(store.close)
        self.bank = await Flaky.open(store, Terms(CHIP, STEP_TIME), clock=lambda: self.time)
        if self.croupier is None:
            for one in (HOUSE, GUEST):
                await self.bank.issue(one.address, MONEY)
                await enter(self.bank, one, MONEY)
            self.croupier = self.kind(self.bank, HOUSE, self.his, MemoryJournal())
        self.bank.when_called = self._note
        self.croupier._bank, self.croupier._clock = self.bank, BankClock(self.bank)
        notes = Notebook(self.folder / "notes") if self.with_notes else Notebook()
        stack.callback(notes.close)
        driver = asyncio.create_task(self._drive())
        stack.callback(driver.cancel)
        funds = options.buy_in * CHIP
        return session._Table(self.bank, self.croupier, key, notes, funds)

    def _note(self, sender: Key, call: Call) -> None:
        self.calls.append((sender, call))
        if isinstance(call, CloseSession) and sender == GUEST:
            self.left = [path.read_text() for path in (self.folder / "tower").glob("*.left")]

    @property
    def name(self) -> bytes:
        assert self.croupier is not None
        journal = self.croupier.journal
        assert isinstance(journal, MemoryJournal)
        return next(iter(journal._pages))

    async def page(self) -> SessionPage:
        assert self.croupier is not None
        return await self.croupier.journal.page(self.name)

    async def claim_beginning(self) -> None:
        """The Croupier closes the session by its first state."""
        page = await self.page()
        state = SessionState(page.name, 0, page.terms.player_funds, bytes(32))
        nobodys = Signature(0, 0, 0)
        await self.bank.send(HOUSE, ClaimSession(page.terms, state, nobodys, nobodys))
        self.fights = True

    async def _drive(self) -> None:
        """The Croupier's own rounds, and the time."""
        while True:
            await asyncio.sleep(0.02)
            kept = await self.bank.session(HOUSE.address, GUEST.address)
            if not kept.number or self.croupier is None:
                continue
            if self.fights and self.croupier.is_cut == bool(self.croupier.cut_at):
                with suppress(FairgroundError):
                    await self.croupier.settle(self.name)
                kept = await self.bank.session(HOUSE.address, GUEST.address)
            page = await self.page()
            if self.betrays and page.closing and kept.phase == Phase.OPEN:
                await self.claim_beginning()
            hand = page.hand
            game = None if hand is None else await LedgerBank.game(self.bank, hand.bet.key)
            if game is not None and game.step == Step.HAND_DEALT and not game.outcome:
                if not self.dealt.is_set():
                    self.time = game.deadline - STEP_TIME // 4 + (0 if self.waits_for_order else 1)
                self.dealt.set()
                continue
            is_over = kept.phase == Phase.CLOSED and (game is None or game.outcome)
            if is_over:
                self.over.set()
            elif kept.phase == Phase.CLAIMED:
                self.time += STEP_TIME + 1


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"LOOK": 0.02, "PAUSE": 0.02, "PATIENCE": 0.1, "HIS_TURN": 0.1}.items():
        monkeypatch.setattr(session, name, value, raising=False)


Ask = Callable[[str], str]


def run(
    monkeypatch: pytest.MonkeyPatch, world: World, ask: Ask, *options: str
) -> tuple[int, SessionPage]:
    monkeypatch.setattr(session, "_table", world.table)
    monkeypatch.setattr(Console, "ask", lambda self, prompt: ask(prompt))
    record = world.folder / "evening.jsonl"
    parsed = command._parse(["--session", "--save", str(record), *options])
    art = CardArt.of_terminal(True)
    code = session.run_session(parsed, Console(), art, GUEST)
    return code, asyncio.run(world.page())


class Killed(BaseException):
    """The program is killed."""


Play = Callable[..., tuple[int, SessionPage]]
Shown = Callable[[], str]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, world: World) -> Play:
    """Run the program: what a person answers to a prompt, then its options."""
    return partial(run, monkeypatch, world)


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Shown:
    """What the program printed, in one line."""
    return lambda: " ".join(capsys.readouterr().out.split())


T = TypeVar("T")


def at_the_bank(world: World, look: Callable[[LedgerBank], Awaitable[T]]) -> T:
    """Look at the Bank's own books, after the program has ended."""

    async def main() -> T:
        store = await SqliteStore.open(f"sqlite:///{world.folder}/bank.db")
        bank = await LedgerBank.open(store, clock=lambda: world.time)
        try:
            return await look(bank)
        finally:
            await bank.close()
            await store.close()

    return asyncio.run(main())


def chips(world: World) -> int:
    """What the Player has at the Bank."""

    async def look(bank: LedgerBank) -> int:
        return (await bank.account(GUEST.address)).available // CHIP

    return at_the_bank(world, look)


def brought_game(world: World) -> tuple[Bet, BankGame]:
    async def look(bank: LedgerBank) -> tuple[Bet, BankGame]:
        hand = (await world.page()).hand
        assert hand is not None
        return hand.bet, await bank.game(hand.bet.key)

    return at_the_bank(world, look)


def said_by_verify(world: World) -> tuple[str, str]:
    """What `verify` says of the saved record: without a Bank, and with one."""

    async def look() -> tuple[str, str]:
        data = (world.folder / "evening.jsonl").read_bytes()

        async def opened(_: Domain) -> Any:
            store = await SqliteStore.open(f"sqlite:///{world.folder}/bank.db")
            return await LedgerBank.open(store, clock=lambda: world.time)

        return verify_session(data).sentence(), await settled_session(data, opened)

    return asyncio.run(look())


def must_be_played_out(world: World, order: Sequence[int], stake: int, out: str) -> None:
    """The hand was settled with this order, and everybody says the same of it."""
    bet, game = brought_game(world)
    assert game.outcome == GameOutcome.SETTLED, "the stake was not lost in silence"
    assert game.replaced == tuple(order)
    assert (bet.bet * bet.level) == stake
    won = Poker(bet.bet, bet.level).prize(game.cards) - stake
    before = MONEY // CHIP
    assert chips(world) == before + won
    assert f"Your account at the Bank: {before + won:,} chips" in out
    alone, with_bank = said_by_verify(world)
    assert f"{won:+} chips" in alone
    assert "it was played to its end" in with_bank
    assert f"{(200 + won) * CHIP} wei in all" in with_bank


def test_an_order_that_was_typed_in_time_counts(world: World, play: Play, shown: Shown) -> None:
    """The Croupier claims while the Player looks at the cards."""

    def ask(prompt: str) -> str:
        world.do(world.claim_beginning())
        assert world.dealt.wait(30), "his hand is at the Bank while the Player thinks"
        return "13"

    code, _ = play(ask, "--bet", "3")
    assert code == 0
    must_be_played_out(world, HOLDS_1_AND_3, 15, shown())


def test_who_does_not_decide_gets_the_best_hold(world: World, play: Play, shown: Shown) -> None:
    """The person is away from the keyboard for longer than the step's time."""
    world.waits_for_order = False

    def ask(prompt: str) -> str:
        world.do(world.claim_beginning())
        assert world.over.wait(30)
        return "13"

    code, page = play(ask, "--bet", "3")
    assert code == 0 and page.hand is not None
    out = shown()
    must_be_played_out(world, best_hold(hand_of(world), 5).order, 15, out)
    assert "the best hold was played for you" in out


def test_one_lost_answer_between_honest_programs(world: World, play: Play, shown: Shown) -> None:
    """The Croupier took the bet, and the Player never heard of it."""
    world.fights, world.kind = True, CutAtBet
    code, _ = play(nobody, "--bet", "2", "--seat", "player=optimal")
    assert code == 0
    order = best_hold(hand_of(world), 5).order
    must_be_played_out(world, order, 10, shown())


def test_a_person_is_asked_at_the_bank_after_a_lost_answer(
    world: World, play: Play, shown: Shown
) -> None:
    world.fights, world.kind = True, CutAtBet
    code, _ = play(lambda prompt: "13", "--bet", "3")
    assert code == 0
    must_be_played_out(world, HOLDS_1_AND_3, 15, shown())


@pytest.mark.parametrize("kind", ["claimed", "lost"])
def test_the_same_after_a_restart(
    world: World, play: Play, shown: Shown, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The program is killed with the hand on its way to the Bank."""

    world.kind = CutAtBet if kind == "lost" else Cut
    world.with_notes = True

    def killed(*_: object) -> str:
        if kind == "claimed":
            world.do(world.claim_beginning())
        raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        if kind == "lost":
            patched.setattr(session._Evening, "_to_the_bank", killed)
        play(killed, "--bet", "3")
    world.fights = True
    # The next evening goes on with the old hand, and then opens a session of its own.
    answers = iter(["13"])

    def ask(prompt: str) -> str:
        if (answer := next(answers, None)) is None:
            assert world.croupier is not None
            raise EndOfInput
        return answer

    assert world.croupier is not None
    monkeypatch.setattr(world.croupier, "session", declines)
    with suppress(Declined):  # he opens no other session
        play(ask, "--bet", "3")
    _, game = brought_game(world)
    assert game.outcome == GameOutcome.SETTLED
    assert game.replaced == HOLDS_1_AND_3
    assert "Your account at the Bank" in shown()


def test_the_program_stays_when_the_bank_does_not_answer(
    world: World, play: Play, shown: Shown
) -> None:
    """In the middle of a dispute its node is away, again and again."""

    def ask(prompt: str) -> str:
        world.do(world.claim_beginning())
        assert world.dealt.wait(30)
        world.bank.failures = 3
        return "13"

    code, _ = play(ask, "--bet", "3")
    assert code == 0 and world.bank.failures == 0
    out = shown()
    assert "no chain answers" in out
    must_be_played_out(world, HOLDS_1_AND_3, 15, out)


def test_a_question_to_the_bank_is_asked_until_it_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(session, "PAUSE", 0.001)
    said: list[str] = []
    evening: Any = object.__new__(session._Evening)
    evening._do, evening._say = asyncio.run, said.append

    async def act() -> int:
        if len(said) < 3:
            raise BankAway("no chain answers")
        return 7

    assert evening._patiently(act) == 7
    assert len(said) == 3 and "no chain answers" in said[0]


@pytest.mark.parametrize("betrays", [False, True])
def test_a_last_state_that_he_keeps_to_himself_is_brought_by_the_player(
    world: World, play: Play, shown: Shown, tmp_path: Path, betrays: bool
) -> None:
    """He may claim an older one, too: the Bank pays what both signed last."""
    world.kind = Thief
    world.betrays = betrays
    tower = ("--tower", str(tmp_path / "tower"))
    evening = ("--hands", "5", "--bet", "1", "--level", "2", "--seat", "player=optimal")
    code, page = play(nobody, *evening, *tower)
    assert code == 0
    out = shown()
    signed = page.signed.state
    assert signed.last and signed.hands == 5

    async def look(bank: LedgerBank) -> BankEvent:
        *_, closed = await bank.told(page.name)
        return closed

    closed = at_the_bank(world, look)
    assert (closed.name, closed.values["hands"]) == ("SessionClosed", 5)
    assert closed.values["playerShare"] == signed.player_share
    assert chips(world) == (MONEY - 200 * CHIP + signed.player_share) // CHIP
    waited, said = out.index("Signed. Waiting for the Bank"), out.index("Closed. You have")
    assert waited < said, "no sum is shown before the Bank has said it"
    assert f"Closed. You have {signed.player_share // CHIP:,} chips." in out
    (left,) = world.left
    assert json.loads(left)["state"]["last"], "the watchtower could have brought it, too"
    assert not list((tmp_path / "tower").glob("*.left")), "it is not needed any more"


def test_an_honest_close_is_told_as_the_bank_told_it(
    world: World, play: Play, shown: Shown
) -> None:
    code, page = play(lambda prompt: "q", "--bet", "1")
    share = page.signed.state.player_share // CHIP
    assert code == 0 and f"Closed. You have {share} chips." in shown()
    assert page.closed


def test_a_close_that_was_signed_before_a_crash_is_waited_for(
    world: World, play: Play, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise Killed

    world.kind = Thief
    world.with_notes = True
    with monkeypatch.context() as patched:
        patched.setattr(session._Evening, "_wait_for_the_bank", killed)
        with pytest.raises(Killed):
            play(lambda prompt: "q", "--bet", "1")
    page = asyncio.run(world.page())
    assert world.croupier is not None
    monkeypatch.setattr(world.croupier, "session", declines)
    with pytest.raises(Declined, match="not today"):
        play(nobody, "--bet", "1")
    out = shown()
    assert f"Closed. You have {page.signed.state.player_share // CHIP} chips." in out
    assert chips(world) == (MONEY - 200 * CHIP + page.signed.state.player_share) // CHIP


def test_nothing_is_played_after_an_end_that_only_the_player_signed(
    world: World, play: Play, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """He did not answer. He could sign it later, and so undo all hands that follow."""

    class Dead(Cut):
        async def state(
            self, name: bytes, seed: Seed | None, state: SessionState, signature: Signature
        ) -> Signature:
            if state.last and not self.cut_at:
                raise Killed
            return await super().state(name, seed, state, signature)

    world.kind = Dead
    world.with_notes = True
    with pytest.raises(Killed):
        play(lambda prompt: "q", "--bet", "1")
    assert world.croupier is not None
    world.croupier.cut_at = "not any more"
    with monkeypatch.context() as patched:
        patched.setattr(SessionCroupier, "session", declines)
        with pytest.raises(Declined, match="not today"):
            play(nobody)
    page = asyncio.run(world.page())
    assert (page.signed.state.hands, page.closed) == (1, True), "no second hand was dealt"
    assert "Closed. You have" in shown()


@pytest.mark.parametrize(("his", "fits"), [(10_000, "is 2"), (3_999, "no bet fits")])
def test_nothing_is_opened_for_a_bet_that_does_not_fit(
    world: World, play: Play, his: int, fits: str
) -> None:
    world.his = his * CHIP
    with pytest.raises(InputError, match=f"a bet of 10 at level 5 is too large here.*{fits}"):
        play(nobody, "--bet", "10", "--level", "5")
    assert world.calls == [], "the Bank was not called"


@pytest.mark.parametrize("player", ["me", "optimal"])
def test_the_session_goes_on_with_a_smaller_bet(
    world: World, play: Play, shown: Shown, player: str
) -> None:
    """A session that was left is taken up with a bet that the Croupier's part cannot pay."""

    def killed(prompt: str) -> str:
        raise Killed

    world.his, world.with_notes = 10_000 * CHIP, True
    with pytest.raises(Killed):
        play(killed, "--bet", "1", "--level", "1")
    answers = iter(["12345", "11", "x2", "", "12345"])
    seat = ("--seat", f"player={player}", "--hands", "2")
    large = ("--bet", "10", "--level", "5")
    code, page = play(lambda prompt: next(answers), *large, *seat)
    assert code == 0 and page.closed
    out = shown()
    assert "too large here: the largest bet that fits is 2" in out
    assert page.signed.state.hands == 2
    kinds = {type(call).__name__ for _, call in world.calls}
    assert kinds == {"OpenSession", "CloseSession"}, "nobody went to the Bank"
    if player == "me":
        assert "'11' is not a bet" in out and "'x2' is not a bet" in out


class CutAtBet(Cut):
    cut_at = "bet"


async def declines(*_: object) -> None:
    raise Declined("not today")


def nobody(prompt: str) -> str:
    raise AssertionError("nobody is asked")


def hand_of(world: World) -> tuple[int, ...]:
    """The cards before the draw, worked out from the seeds that the Bank recorded."""

    async def look(bank: LedgerBank) -> tuple[int, ...]:
        hand = (await world.page()).hand
        assert hand is not None
        seeds = {
            event.name: event.values["signature"]
            for event in await bank.told(hand.bet.key)
            if event.values.get("seedId") == 0
        }
        his, mine = seeds["CroupierSeedSubmitted"], seeds["PlayerSeedSubmitted"]
        return deal(mix(hand.bet.struct_hash(), 0, his, mine))

    return at_the_bank(world, look)
