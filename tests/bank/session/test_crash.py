"""Both parties of a session are killed at every step, and go on from what they wrote down."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fairground.bank.audit import verify_session
from fairground.bank.bank_port import BankSession, GameOutcome, Phase
from fairground.bank.croupier.journal import SessionJournal
from fairground.bank.croupier.session import SessionCroupier
from fairground.bank.croupier_port import Drawn, SessionDesk, SessionSight, Taken
from fairground.bank.ledger.bank import LedgerBank
from fairground.bank.messages import Bet, Key, SessionState, SessionTerms, Signer
from fairground.bank.player.notes import Notebook
from fairground.bank.player.session import SessionPlayer
from fairground.bank.seeds import Seed
from fairground.bank.session import CLOSED, SessionPage
from fairground.bank.signatures import Signature
from fairground.clients.http import Unreachable
from fairground.store import Append, Conflict
from fairground.store.sqlite import SqliteStore
from tests.helpers.bank_game import enter
from tests.helpers.width import WIDE

HOUSE, GUEST = Key(6301), Key(6302)
ORDERS = [(1, 0, 1, 1, 0), (0, 0, 0, 0, 0)]
CHIPS = 50_000


class PlayerKilled(BaseException):
    """The Player's program ends here."""


class CroupierKilled(BaseException):
    """The Croupier's ends here."""


class Fuse:
    """Ends a program at one of its steps, counted over both programs."""

    def __init__(self) -> None:
        self.left: int | None = None
        self.steps: list[str] = []

    def burn(self, step: str, kill: type[BaseException]) -> None:
        self.steps.append(step)
        if self.left is not None:
            self.left -= 1
            if self.left == 0:
                raise kill(step)


class FusedStore(SqliteStore):
    """The Croupier's journal: he may end before a commit, and after it."""

    fuse: Fuse

    async def commit(self, *appends: Append) -> None:
        self.fuse.burn("before he wrote", CroupierKilled)
        await super().commit(*appends)
        self.fuse.burn("after he wrote", CroupierKilled)


class FusedNotes(Notebook):
    """The Player's notes: the program may end before, after, and in the middle of a write."""

    fuse: Fuse

    def add(self, page: SessionPage, lines: Sequence[Any]) -> None:
        self.fuse.burn("before the Player wrote", PlayerKilled)
        super().add(page, lines)
        try:
            self.fuse.burn("while the Player wrote", PlayerKilled)
        except PlayerKilled:
            path = self._path(page)
            os.truncate(path, path.stat().st_size - 7)
            raise
        self.fuse.burn("after the Player wrote", PlayerKilled)


class Line(SessionDesk):
    """Between the two: what is said is noted, and either may end before it is heard."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.said: dict[tuple[Any, ...], set[Any]] = {}

    def _note(self, *what: Any, value: Any) -> None:
        self.said.setdefault(what, set()).add(value)

    async def _pass(self, say: Callable[[SessionCroupier], Awaitable[Any]]) -> Any:
        fuse = self._world.fuse
        fuse.burn("before the Player spoke", PlayerKilled)
        try:
            answer = await say(self._world.croupier)
            fuse.burn("before he answered", CroupierKilled)
        except CroupierKilled:
            self._world.start_croupier()
            raise Unreachable("he is gone") from None
        fuse.burn("before the Player heard", PlayerKilled)
        return answer

    async def session(self, player: str, funds: int) -> SessionTerms:
        terms: SessionTerms = await self._pass(lambda his: his.session(player, funds))
        return terms

    async def open(self, terms: SessionTerms, signature: Signature) -> None:
        self._note("terms", terms.number, value=terms)
        await self._pass(lambda his: his.open(terms, signature))

    async def offer(self, session: bytes, hand: int) -> tuple[bytes, bytes]:
        found: tuple[bytes, bytes] = await self._pass(lambda his: his.offer(session, hand))
        self._note("offer", session, hand, value=found)
        return found

    async def bet(self, session: bytes, bet: Bet, signature: Signature) -> Taken:
        self._note("bet", session, bet.game_id, value=bet)
        found: Taken = await self._pass(lambda his: his.bet(session, bet, signature))
        self._note("seed 0", session, bet.game_id, value=found.seed)
        return found

    async def order(
        self, session: bytes, seed: Seed, order: Sequence[int], signature: Signature
    ) -> Drawn | None:
        self._note("order", session, seed.commitment, value=tuple(order))
        found: Drawn | None = await self._pass(
            lambda his: his.order(session, seed, order, signature)
        )
        self._note("seed 1", session, seed.commitment, value=found)
        return found

    async def state(
        self, session: bytes, seed: Seed | None, state: SessionState, signature: Signature
    ) -> Signature:
        self._note("state", session, state.hands, state.last, value=state)
        found: Signature = await self._pass(lambda his: his.state(session, seed, state, signature))
        return found

    async def look(self, session: bytes) -> SessionSight:
        raise AssertionError("nobody asks")


class World:
    """A ledger, and two parties who can be started again at any time."""

    def __init__(self, bank: LedgerBank, store: FusedStore, folder: Path, clock: list[int]) -> None:
        self.bank, self.store, self.folder, self.clock = bank, store, folder, clock
        self.chip = bank.terms.chip_cost
        self.fuse = store.fuse = Fuse()
        self.line = Line(self)
        self.notes: FusedNotes | None = None
        self.start_croupier()

    def start_croupier(self) -> None:
        journal = SessionJournal(self.store, self.bank.domain, HOUSE.address)
        self.croupier = SessionCroupier(self.bank, HOUSE, 10_000 * self.chip, journal=journal)

    async def start_player(self) -> SessionPlayer | None:
        """From the notes of an open session; ``None`` if there is none."""
        if self.notes is not None:
            self.notes.close()
        self.notes = FusedNotes(self.folder)
        self.notes.fuse = self.fuse
        for page in self.notes.pages(self.bank.domain):
            player = SessionPlayer(self.bank, self.line, GUEST, page, self.notes)
            if await player.is_open() or player.leaves:
                return player
            assert await player.settle(), "it is closed at the Bank, or never was there"
        return None

    async def kept(self) -> BankSession:
        return await self.bank.session(HOUSE.address, GUEST.address)

    async def chips(self, key: Key) -> int:
        return (await self.bank.account(key.address)).available // self.chip

    async def evening(self, number: int) -> SessionPlayer:
        """Two hands and the end; whoever is killed is started again, and goes on."""
        done: SessionPlayer | None = None
        while done is None:
            try:
                player = await self.start_player()
                if player is None and (await self.kept()).number > number:
                    break
                if player is None:
                    funds = 100 * self.chip
                    player = await SessionPlayer.open(
                        self.bank, self.line, GUEST, funds, notes=self.notes
                    )
                await player.go_on()
                await self._hands(player)
                if not player.page.closed:
                    await player.close()
                while not await player.settle():
                    pass
                done = player
            except (PlayerKilled, Unreachable):
                continue
        if done is None:
            # Killed when all was done but its last note: the notes have the whole evening.
            assert self.notes is not None
            paths = self.folder.glob("sessions/*.session")
            (path,) = (one for one in paths if f'"number":{number},' in one.read_text())
            done = self.ended(path)
        return done

    def ended(self, path: Path) -> SessionPlayer:
        assert self.notes is not None
        lines = [json.loads(line) for line in path.read_bytes().splitlines()]
        page = SessionPage.read(self.bank.domain, Signer.PLAYER, lines)
        return SessionPlayer(self.bank, self.line, GUEST, page, self.notes)

    async def _hands(self, player: SessionPlayer) -> None:
        while player.signed.state.hands < len(ORDERS) and not player.page.closed:
            if player.page.hand is None:
                await player.deal(1, 2)
            await player.draw(ORDERS[player.signed.state.hands])

    def nobody_said_two_things(self) -> None:
        for what, values in self.line.said.items():
            assert len(values) == 1, what


@pytest.fixture
@asynccontextmanager
async def world(tmp_path: Path) -> AsyncIterator[World]:
    store = await SqliteStore.open(f"sqlite:///{tmp_path}/bank.db")
    clock = [1_900_000_000]
    bank = await LedgerBank.open(store, clock=lambda: clock[0])
    for key in (HOUSE, GUEST):
        await bank.issue(key.address, CHIPS * bank.terms.chip_cost)
        await enter(bank, key, CHIPS * bank.terms.chip_cost)
    journal = await FusedStore.open(f"sqlite:///{tmp_path}/journal.db")
    yield World(bank, journal, tmp_path / "notes", clock)
    await journal.close()
    await bank.close()
    await store.close()


async def test_killed_at_every_step_the_evening_goes_on(world: World) -> None:
    await world.evening(0)
    steps = world.fuse.steps
    every = range(1, len(steps) + 1, 1 if WIDE else 11)
    assert len(set(steps)) == 8 and len(steps) > 60
    for number, kill_at in enumerate(every, 1):
        before = await world.chips(GUEST)
        world.fuse.left, world.fuse.steps = kill_at, []
        player = await world.evening(number)
        where = (kill_at, steps[kill_at - 1])
        assert world.fuse.left == 0 or world.fuse.left < 0, where
        verdict = verify_session(player.record.data)
        assert verdict.hands == len(ORDERS), where
        won = verdict.share // world.chip - 100
        assert await world.chips(GUEST) == before + won, where
        assert await world.chips(GUEST) + await world.chips(HOUSE) == 2 * CHIPS
        assert (await world.kept()).phase == Phase.CLOSED
        world.nobody_said_two_things()
        for path in world.folder.glob("sessions/*.session"):
            path.unlink()


async def test_killed_at_every_step_both_can_end_it_at_the_bank(world: World) -> None:
    """After the crash neither speaks to the other any more."""

    async def cut_off(world: World) -> None:
        try:
            player = await world.start_player()
            assert player is None
            funds = 100 * world.chip
            player = await SessionPlayer.open(
                world.bank, world.line, GUEST, funds, notes=world.notes
            )
            await world._hands(player)
            await player.close()
        except (PlayerKilled, Unreachable):
            pass

    async def ended_at_the_bank(world: World) -> SessionPlayer | None:
        world.start_croupier()
        player = await world.start_player()
        for _ in range(24):
            for _ in range(4):  # each answers the other, before time passes
                over = player is None or await player.settle()
                for name in await world.croupier.journal.open_sessions():
                    over = await world.croupier.settle(name) and over
                if over:
                    return player
            # Somebody who looks seldom, but in the last quarter of each step.
            world.clock[0] += world.bank.terms.step_time * 7 // 8
        raise AssertionError("it does not end")

    await world.evening(0)
    for kill_at in range(1, len(world.fuse.steps) + 1, 1 if WIDE else 11):
        before = await world.chips(GUEST)
        world.fuse.left = kill_at
        await cut_off(world)
        world.fuse.left = None
        player = await ended_at_the_bank(world)
        has = await world.chips(GUEST)
        assert has + await world.chips(HOUSE) == 2 * CHIPS
        assert (await world.kept()).phase == Phase.CLOSED
        if player is None:
            continue
        *_, told = await world.bank.told(player.terms.struct_hash())
        closed = told.values
        assert closed["hands"] >= player.signed.state.hands, "none older than the Player has"
        hand = player.held().hand
        game = None if hand is None else await world.bank.game(hand.bet.key)
        if hand is None or game is None or game.step == 0:
            assert has == before - 100 + closed["playerShare"] // world.chip
        else:
            # Nobody loses a stake by a crash, also where no order was given before it.
            assert game.outcome == GameOutcome.SETTLED
        world.nobody_said_two_things()


async def test_after_a_start_two_who_read_at_once_have_one_page(world: World) -> None:
    """Found by the campaign: his rounds read a session while a request wrote on another page.

    What the request had written and told was not on the page that was kept. So he would have made
    other seeds, or taken another bet, for the same hand.
    """
    player = await SessionPlayer.open(world.bank, world.line, GUEST, 100 * world.chip)
    world.start_croupier()
    desk, journal = world.croupier, world.croupier.journal
    told, _, _ = await asyncio.gather(
        desk.offer(player.name, 0), journal.page(player.name), desk.visit(player.name)
    )
    assert await desk.offer(player.name, 0) == told, "the same seeds, and no others"
    world.start_croupier()
    assert await world.croupier.offer(player.name, 0) == told, "as they are in the store"


async def test_nobody_writes_on_a_page_that_is_not_the_kept_one(world: World) -> None:
    player = await SessionPlayer.open(world.bank, world.line, GUEST, 100 * world.chip)
    journal = world.croupier.journal
    other = SessionJournal(world.store, world.bank.domain, HOUSE.address)
    page = await other.page(player.name)
    with pytest.raises(Conflict):
        await journal.add(page, CLOSED)
    assert not (await journal.page(player.name)).closed
