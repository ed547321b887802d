"""``fairground croupier --session``: an evening in one session.

The Bank sees two calls for the whole evening: one that opens the session, one that closes it. With
no address all parties are in this process, and the Bank is the contract on a chain inside it; with
``--croupier URL`` he is in an arena, and the Bank is his ledger, or behind one's own node.

Where the Croupier does not go on, what he signed goes to the Bank. With ``--key`` the session is
written down, and goes on when the program is started again.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from fairground.bank.bank_port import Bank, DepositFunds, SubmitPublicKey
from fairground.bank.croupier_port import Closed, Declined, TooSoon
from fairground.bank.messages import Key
from fairground.bank.player.news import NoGame, in_chips
from fairground.bank.player.player import PlayerClient
from fairground.bank.player.side import Side
from fairground.bank.record import AT_HOME, CHAIRS
from fairground.bank.session.notes import FileNotes, SessionNotes
from fairground.bank.session.tower import Tower
from fairground.clients.http import Refused, Unreachable
from fairground.core import FairgroundError
from fairground.fair.schemes import Chair
from fairground.games.poker import HAND, rank
from fairground.terminal.background import Backstage
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.croupier.between import Between
from fairground.terminal.croupier.holding import Holding
from fairground.terminal.croupier.input import Hurry
from fairground.terminal.croupier.look import CardArt
from fairground.terminal.croupier.parties import BANKROLL, CHIP, GAS_MONEY, far_away
from fairground.terminal.croupier.words import minutes
from fairground.terminal.evening.seats import ME
from fairground.terminal.saving import Saved, data_directory
from fairground.terminal.seat import Left

if TYPE_CHECKING:
    from fairground.bank.session.desk import SessionDesk
    from fairground.bank.session.player import SessionPlayer

GOING: Final = (
    "Hand follows hand. q closes the session: the hand on the table is paid as it stands."
)

PATIENCE: Final = 60.0
"""Seconds that an arena may be away in the middle of a hand: it may be restarting."""

FIRST_HAND: Final = 600.0
"""Seconds until the Croupier takes a session for final, on a slow chain."""

PAUSE: Final = 0.5

LOOK: Final = 2.0
"""Seconds between two looks at the Bank, when the session ends there."""

T = TypeVar("T")


class _Table(NamedTuple):
    """Who takes part."""

    bank: Bank
    desk: SessionDesk
    key: Key
    notes: SessionNotes
    funds: int
    """What the Player puts in, in wei."""
    chairs: Sequence[Chair]
    gas: list[int] | None = None
    """Of each call to the Bank, where this program can see it."""


def run_session(options: argparse.Namespace, console: Console, art: CardArt, key: Key) -> int:
    """Play until ``q``, the end of the input, or ``--hands``; then close."""
    with Backstage[str]() as backstage:
        table = backstage.do(_table(backstage.stack, options, key), console.say)
        console.say(art.fold(f"The Bank: {table.bank.trusted}.", "", "  "))
        evening = _Evening(options, console, art, table, backstage)
        player = evening.sit_down()
        evening.play(player)
        return evening.save(player)


async def _table(stack: AsyncExitStack, options: argparse.Namespace, key: Key) -> _Table:
    here = options.croupier is None
    return await (_at_home if here else _elsewhere)(stack, options, key)


async def _at_home(stack: AsyncExitStack, options: argparse.Namespace, key: Key) -> _Table:
    """All parties in this process."""
    from fairground.bank.chain.embedded import open_bank
    from fairground.bank.session.croupier import SessionCroupier

    house, funds = Key.fresh(), options.buy_in * CHIP
    purses = {house.address: BANKROLL + GAS_MONEY, key.address: funds + GAS_MONEY}
    bank = await open_bank(purses, chip_cost=CHIP)
    stack.push_async_callback(bank.close)
    for owner, amount in ((house, BANKROLL), (key, funds)):
        proof = owner.prove(bank.domain, owner.address)
        await bank.send(owner, SubmitPublicKey(owner.address, proof))
        await bank.send(owner, DepositFunds(amount))
    gas: list[int] = []
    bank.watch = lambda sender, call, mined: gas.append(mined.gas)
    croupier = SessionCroupier(bank, house, BANKROLL, chairs=AT_HOME)
    return _Table(bank, croupier, key, SessionNotes(), funds, AT_HOME, gas)


async def _elsewhere(stack: AsyncExitStack, options: argparse.Namespace, key: Key) -> _Table:
    """The Croupier in an arena; the Bank in its ledger, or behind one's own node."""
    from fairground.bank.croupier.client import DeskClient
    from fairground.bank.session.client import SessionDeskClient

    folder = data_directory().with_name("croupier") / key.address
    parties = await far_away(
        stack, options.croupier, options.bank, key, folder if options.key is not None else None
    )
    notes = SessionNotes() if options.key is None else FileNotes(folder / "sessions")
    stack.callback(notes.close)
    side = Side(parties.bank, parties.desk, key, parties.notebook, lambda news: None)
    client = PlayerClient(side)
    await client.sit_down()
    bank, chip = parties.bank, parties.bank.terms.chip_cost
    wanted, stake = options.buy_in * chip, options.bet * options.level
    missing = wanted - await client.available()
    if missing > 0 and not any(True for _ in notes.pages(bank.domain)):
        purse = await bank.purse(key.address)
        if purse < missing and parties.faucet is not None:
            await parties.faucet(missing - purse)
        elif purse < missing:
            raise NoGame(
                f"the buy-in wants {in_chips(missing, chip)} more at the Bank, and your purse has "
                f"{in_chips(purse, chip)}: send some to {key.address}, or choose another --buy-in "
                f"(at least {stake})"
            )
        await bank.send(key, DepositFunds(missing))
    assert isinstance(parties.desk, DeskClient)
    return _Table(bank, SessionDeskClient(parties.desk), key, notes, wanted, CHAIRS)


class _Evening:
    """One session, from sitting down to the record."""

    def __init__(
        self,
        options: argparse.Namespace,
        console: Console,
        art: CardArt,
        table: _Table,
        backstage: Backstage[str],
    ) -> None:
        self._options, self._console, self._art, self._table = options, console, art, table
        self._backstage = backstage
        self._chip = table.bank.terms.chip_cost
        self._by_program = options.player != ME
        self._tower = None if options.tower is None else Tower(options.tower)
        self._holding = Holding(console, art, Between(console, art, options.bet, options.level))

    def _say(self, text: str) -> None:
        self._console.say(self._art.fold(text, "", "  "))

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        """In the loop behind the scenes, which also looks at the Bank while a person thinks."""
        return self._backstage.do(work, self._say)

    def sit_down(self) -> SessionPlayer:
        """Go on with a session that was left open, or open a new one."""
        from fairground.bank.session.player import SessionPlayer

        table = self._table
        for page in table.notes.pages(table.bank.domain):
            player = SessionPlayer(
                table.bank, table.desk, table.key, page, table.notes, tower=self._tower
            )
            if self._do(player.is_open()):
                self._say(f"You go on with a session: you have {self._chips(player.share)} in it.")
                return player
            self._to_the_bank(player)
        player = self._do(
            SessionPlayer.open(
                table.bank,
                table.desk,
                table.key,
                table.funds,
                notes=table.notes,
                tower=self._tower,
                confirmations=self._options.confirmations,
                chairs=table.chairs,
            )
        )
        self._say(f"The session is open: you put in {self._chips(table.funds)}.")
        return player

    def _chips(self, wei: int) -> str:
        return in_chips(wei, self._chip)

    def play(self, player: SessionPlayer) -> None:
        """Hands, until the person goes; then close."""
        if not self._by_program:
            self._say(GOING)
        looking = self._backstage.start(self._look(player))
        try:
            self._hands(player)
            self._patiently(player.close)
        except (Declined, Unreachable, Refused) as error:
            self._say(f"The Croupier does not go on: {error}")
            self._to_the_bank(player)
            return
        finally:
            looking.cancel()
        self._say(f"Closed. You have {self._chips(player.share)}.")

    async def _look(self, player: SessionPlayer) -> None:
        """While a person thinks: bring the newest state where an older one was claimed."""
        while True:
            await asyncio.sleep(min(LOOK, self._table.bank.terms.step_time / 40))
            try:
                await player.must_be_open()
            except Closed as error:
                self._backstage.tell(str(error))
                await player.settle()
                return
            except FairgroundError:
                continue  # the Bank is away now: look again

    def _hands(self, player: SessionPlayer) -> None:
        options, hands = self._options, 0
        stake = options.bet * options.level * self._chip
        while options.games is None or hands < options.games:
            self._patiently(partial(self._dealt, player))
            hands += 1
            order: Sequence[int] | None = (0,) * HAND
            if player.cards:
                order = self._order(player.cards, hands)
                self._patiently(partial(self._drawn, player, order or (0,) * HAND))
            self._tell(player, order or (0,) * HAND)
            if order is None:
                return  # a hand that was dealt is paid as it stands
            if player.share < stake:
                self._console.say("You have too little left for this stake.")
                return

    def _order(self, cards: tuple[int, ...], number: int) -> Sequence[int] | None:
        """By the person, or by a program; ``None`` to close."""
        if self._by_program:
            from fairground.solve.poker.holds import holds

            return holds(cards, self._options.level)[0].order
        self._console.say(f"\nHand {number}")
        self._holding.tell(cards)
        try:
            return self._holding.ask(cards, self._options.level, Hurry(0), _leave)
        except (Left, EndOfInput):
            return None

    def _tell(self, player: SessionPlayer, order: Sequence[int]) -> None:
        """What came of a hand: drawn for a person, in a line of a program's many hands."""
        final, won = player.last_hand, player.last_won // self._chip
        if self._by_program:
            chips = f"{won:+} chip{'' if abs(won) == 1 else 's'}"
            self._console.say(f"{self._art.cards(final)}: {rank(final).words}, {chips}")
            return
        stake = self._options.bet * self._options.level
        self._holding.show_final(final, tuple(order), won + stake, stake)
        self._say(f"You have {self._chips(player.share)} in the session.")

    async def _dealt(self, player: SessionPlayer) -> None:
        """The next hand; or what was begun, once more."""
        until = time.monotonic() + FIRST_HAND
        while player.page.hand is None:
            try:
                await player.deal(self._options.bet, self._options.level)
            except TooSoon:
                # He waits for blocks on the session, as many as he likes.
                if player.page.hand or player.signed.state.hands or time.monotonic() > until:
                    raise
                await asyncio.sleep(PAUSE)
            else:
                return
        await player.go_on()

    async def _drawn(self, player: SessionPlayer, order: Sequence[int]) -> None:
        if player.cards:
            await player.draw(order)
        else:
            await player.go_on()

    def _patiently(self, act: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Say it again while the arena is away: the same words get the same answer."""
        until, told = time.monotonic() + PATIENCE, False
        while True:
            try:
                return self._do(act())
            except (Unreachable, Refused) as error:
                away = isinstance(error, Unreachable) or error.status >= 500
                if not away or time.monotonic() > until:
                    raise
                if not told:
                    self._say(f"Waiting for the Croupier, up to a minute: {error}")
                told = True
                time.sleep(PAUSE)

    def _to_the_bank(self, player: SessionPlayer) -> None:
        """End the session alone: what both signed counts there."""
        step = minutes(self._table.bank.terms.step_time)
        self._say(
            "What he signed goes to the Bank now. Each side has time to answer there, up to "
            f"{step} for a step; this program waits, and with --key you can start it again later."
        )
        while not self._do(player.settle()):
            time.sleep(LOOK)
        has = self._do(self._table.bank.account(self._table.key.address)).available
        self._say(f"The session is over. Your account at the Bank: {self._chips(has)}.")

    def save(self, player: SessionPlayer) -> int:
        """Check the record, and write it down."""
        from fairground.bank.session.record import verify_session

        data, gas = player.record.data, self._table.gas
        verdict = verify_session(data)
        hands = f"{verdict.hands} hand{'' if verdict.hands == 1 else 's'}"
        calls = "" if gas is None else f"; the Bank took {len(gas)} calls, {sum(gas):,} gas"
        self._console.say(f"{hands}, checked{calls}.")
        with Saved(self._options, "croupier-session", player.name) as saved:
            saved.write(data)
        if saved.path is not None:
            self._console.say(f"The session is in {saved.path}")
            self._console.say(f"  verify with: fairground verify {saved.path}")
        return 2 if saved.lost and self._options.save is not None else 0


def _leave() -> None:
    raise Left
