"""``fairground croupier --session``: an evening in one session.

The Bank sees two calls for the whole evening: one opens the session, one closes it. Without an
address all parties are in this process, and the Bank is a ledger of play money. With
``--croupier URL`` he is in an arena. The Bank is then his ledger, or behind the Player's own node.

If the Croupier stops answering, his signatures go to the Bank. The program then waits for the Bank
to close the session. With ``--key`` the session is saved, and a later start resumes it.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from contextlib import AsyncExitStack
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from fairground.bank.bank_port import Backoff, Bank, BankAway, Call, DepositFunds
from fairground.bank.croupier_port import Closed, Declined, TooSoon
from fairground.bank.messages import Key
from fairground.bank.player.game import Side, in_chips
from fairground.bank.player.notes import Notebook
from fairground.bank.player.player import PlayerClient
from fairground.bank.session import Tower
from fairground.clients.http import Refused, Unreachable
from fairground.core import FairgroundError
from fairground.games.poker.rules import HAND, rank
from fairground.terminal.background import Backstage
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.croupier.hand import CardArt, Hurry, Person, minutes
from fairground.terminal.croupier.parties import BANKROLL, CHIP, at_home, far_away
from fairground.terminal.croupier.screen import fill_purse
from fairground.terminal.evening import ME
from fairground.terminal.files import Saved, data_directory
from fairground.terminal.sitting import Left

if TYPE_CHECKING:
    from fairground.bank.croupier_port import SessionDesk
    from fairground.bank.player.session import SessionPlayer

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

LONGEST_PAUSE: Final = 60.0
"""Maximum seconds between two tries when the Bank does not answer."""

HIS_TURN: Final = 60.0
"""Seconds that the Croupier has to bring a last state to the Bank before we do it."""

WAITING: Final = "Signed. Waiting for the Bank to close the session. Ctrl-C leaves that to others."

T = TypeVar("T")


class _Table(NamedTuple):
    """The parties of a session."""

    bank: Bank
    desk: SessionDesk
    key: Key
    notes: Notebook
    funds: int
    """The Player's deposit, in wei."""
    calls: list[Call] | None = None
    """Calls to the Bank, if this process sees them."""


def run_session(options: argparse.Namespace, console: Console, art: CardArt, key: Key) -> int:
    """Play until ``q``, the end of the input, or ``--hands``; then close."""
    with Backstage[str]() as backstage:
        table = backstage.do(_table(backstage.stack, options, key), console.say)
        console.say(art.fold(f"The Bank: {table.bank.trusted}.", "", "  "))
        evening = _Evening(options, console, art, table, backstage)
        player = evening.sit_down()
        try:
            evening.play(player)
        except KeyboardInterrupt:
            evening.tell_what_is_open(player)
            raise
        return evening.save(player)


async def _table(stack: AsyncExitStack, options: argparse.Namespace, key: Key) -> _Table:
    """The Croupier in this process or in an arena; the Bank in his ledger, or behind one's node."""
    if options.croupier is None:
        from fairground.bank.croupier.croupier import Habits

        chips, all_of_it = BANKROLL // CHIP, Fraction(1)
        habits = Habits(session_chips=chips, player_share=all_of_it, least_buy_in=1)
        parties, key = await at_home(stack, None, key, lambda called: None, habits)
    else:
        folder = data_directory().with_name("croupier") / key.address
        kept = folder if options.key is not None else None
        parties = await far_away(stack, options.croupier, options.bank, kept)
    side = Side(parties.bank, parties.desk, key, parties.notebook, lambda news: None)
    client = PlayerClient(side)
    await client.sit_down()
    bank, chip = parties.bank, parties.bank.terms.chip_cost
    wanted = options.buy_in * chip
    missing = wanted - await client.available()
    if missing > 0 and not any(True for _ in parties.notebook.pages(bank.domain)):
        await fill_purse(bank, key.address, parties.faucet, missing)
        await bank.send(key, DepositFunds(missing))
    calls: list[Call] | None = None
    if bank.in_process:
        calls = []
        bank.watch = lambda sender, call: calls.append(call)
    return _Table(bank, parties.desk.sessions, key, parties.notebook, wanted, calls)


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
        self._person = Person(console, art, options.bet, options.level)

    def _say(self, text: str) -> None:
        self._console.say(self._art.fold(text, "", "  "))

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        """In the loop behind the scenes, which also looks at the Bank while a person thinks."""
        return self._backstage.do(work, self._say)

    def _patiently(self, act: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Repeat a request until the Bank answers it; for a minute while the arena is away.

        The same words get the same answer, so nothing happens twice.
        """
        backoff, until, told = Backoff(PAUSE, LONGEST_PAUSE), time.monotonic() + PATIENCE, False
        while True:
            try:
                return self._do(act())
            except BankAway as error:
                pause = backoff.failed()
                self._say(f"The Bank does not answer; trying again in {pause:g} s: {error}")
            except (Unreachable, Refused) as error:
                away = isinstance(error, Unreachable) or error.status >= 500
                if not away or time.monotonic() > until:
                    raise
                if not told:
                    self._say(f"Waiting for the Croupier, up to a minute: {error}")
                told, pause = True, PAUSE
            time.sleep(pause)

    def sit_down(self) -> SessionPlayer:
        """Go on with a session that was left open, or open a new one."""
        from fairground.bank.player.session import SessionPlayer

        table, options = self._table, self._options
        for page in table.notes.pages(table.bank.domain):
            player = SessionPlayer(
                table.bank,
                table.desk,
                table.key,
                page,
                table.notes,
                tower=self._tower,
                confirmations=options.confirmations,
            )
            if self._patiently(player.is_open):
                self._say(f"You go on with a session: you have {self._chips(player.share)} in it.")
                return player
            self._close(player, together=player.leaves)
        player = self._do(
            SessionPlayer.open(
                table.bank,
                table.desk,
                table.key,
                table.funds,
                notes=table.notes,
                tower=self._tower,
                confirmations=options.confirmations,
                stake=(options.bet, options.level),
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
        together = True
        try:
            self._hands(player)
        except (Declined, Unreachable, Refused) as error:
            self._say(f"The Croupier does not go on: {error}")
            together = False
        finally:
            looking.cancel()
        self._close(player, together=together)

    def _close(self, player: SessionPlayer, *, together: bool) -> None:
        """End a session in which no more is played: by a state that both sign, or alone."""
        try:
            if together:
                self._patiently(player.close)
        except (Declined, Unreachable, Refused) as error:
            self._say(f"The Croupier does not sign the end: {error}")
        if player.page.closing:
            self._wait_for_the_bank(player)
        else:
            self._to_the_bank(player)

    async def _look(self, player: SessionPlayer) -> None:
        """Look at the Bank while a person thinks; end the session there if somebody closes it."""
        while True:
            await asyncio.sleep(min(LOOK, self._table.bank.terms.step_time / 40))
            try:
                await player.must_be_open()
            except Closed as error:
                self._backstage.tell(str(error))
                await self._end(player)
                return
            except FairgroundError:
                continue  # the Bank is away now: look again

    async def _end(self, player: SessionPlayer, wait: float = 0.0) -> None:
        """End the session at the Bank, however long that takes and whatever goes wrong.

        ``wait``: seconds that the Croupier has to close it before we do.
        """
        pause = min(LOOK, self._table.bank.terms.step_time / 40)
        backoff, until = Backoff(pause, LONGEST_PAUSE), time.monotonic() + wait
        while True:
            try:
                if await player.is_closed():
                    return
                if time.monotonic() >= until or await player.is_claimed():
                    await player.settle()
                await asyncio.sleep(backoff.worked())
            except FairgroundError as error:
                seconds = backoff.failed()
                self._backstage.tell(f"Trying again in {seconds:g} s: {error}")
                await asyncio.sleep(seconds)

    def _hands(self, player: SessionPlayer) -> None:
        options, hands = self._options, 0
        while options.games is None or hands < options.games:
            if not self._deals(player):
                return
            hands += 1
            order: Sequence[int] | None = (0,) * HAND
            if player.cards:
                order = self._order(player, hands)
                self._patiently(partial(self._drawn, player, order or (0,) * HAND))
            self._tell(player, order or (0,) * HAND)
            if order is None:
                return  # a hand that was dealt is paid as it stands

    def _deals(self, player: SessionPlayer) -> bool:
        """Deal the next hand, for less where the stake is too large; False: close."""
        from fairground.bank.player.session import BetTooLarge

        while True:
            try:
                self._patiently(partial(self._dealt, player))
            except BetTooLarge as error:
                self._say(f"{str(error)[0].upper()}{str(error)[1:]}.")
                if not error.most or not self._changes_bet(error.most):
                    return False
            else:
                return True

    def _changes_bet(self, most: int) -> bool:
        if self._by_program:
            self._options.bet = most
            return True
        while True:
            try:
                typed = self._console.ask(f"Your bet, 1 to {most} (Enter: {most}; q closes): ")
            except EndOfInput:
                return False
            if typed.lower() in ("q", "quit", "x", "exit"):
                return False
            if not typed or (typed.isdecimal() and 1 <= int(typed) <= most):
                self._options.bet = int(typed or most)
                return True
            self._say(f"{typed!r} is not a bet: type a number from 1 to {most}.")

    def _order(self, player: SessionPlayer, number: int, seconds: int = 0) -> Sequence[int] | None:
        """By the person, or by a program; ``None`` to close. ``seconds``: the time for it, if any.

        The hand has the level of its bet: it may have been left by another evening.
        """
        cards, hand = player.cards, player.page.hand
        assert hand is not None
        if self._by_program:
            from fairground.games.poker.holds import holds

            return holds(cards, hand.bet.level)[0].order
        self._console.say(f"\nHand {number}")
        self._person.tell(cards)
        hurry = Hurry(seconds, then="the best hold is played for you")
        try:
            return self._person.ask_to_hold(cards, hand.bet.level, hurry, _leave)
        except (Left, EndOfInput):
            return None

    def _tell(self, player: SessionPlayer, order: Sequence[int]) -> None:
        """Show the result of a hand: drawn for a person, one line for a program."""
        final, won = player.last_hand, player.last_won // self._chip
        if self._by_program:
            chips = f"{won:+} chip{'' if abs(won) == 1 else 's'}"
            self._console.say(f"{self._art.cards(final)}: {rank(final).words}, {chips}")
            return
        stake = self._options.bet * self._options.level
        self._person.show_final(final, tuple(order), won + stake, stake)
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
            await player.must_be_open()
            await player.go_on()

    def _to_the_bank(self, player: SessionPlayer) -> None:
        """End the session alone: what both signed counts there."""
        step = minutes(self._table.bank.terms.step_time)
        self._say(
            "What he signed goes to the Bank now. Each side has time to answer there, up to "
            f"{step} for a step; this program waits, and with --key you can start it again later."
        )
        ending = self._backstage.start(self._end(player))
        while not self._is_done(ending):
            if player.cards:
                self._order_at_the_bank(player)
            if player.is_late:
                self._say("Your time at the Bank is over: the stake of this hand is lost.")
                ending.cancel()
                return
        if player.fallback is not None:
            self._say("Your time for this hand ran out, so the best hold was played for you.")
        has = self._patiently(partial(self._table.bank.account, self._table.key.address)).available
        self._say(f"The session is over. Your account at the Bank: {self._chips(has)}.")

    def _order_at_the_bank(self, player: SessionPlayer) -> None:
        """Ask for the order of a hand that goes on at the Bank, while its time runs."""
        seconds = self._patiently(player.time_to_decide)
        order = self._order(player, player.signed.state.hands + 1, seconds) or (0,) * HAND
        self._do(_decided(player, order))

    def _is_done(self, work: Future[None]) -> bool:
        try:
            self._backstage.wait(work, self._say, PAUSE)
        except NotDone:
            return False
        return True

    def _wait_for_the_bank(self, player: SessionPlayer) -> None:
        """Wait until the Bank has closed a session by the last state, and say what it paid."""
        if not self._patiently(player.is_closed):
            self._say(WAITING)
            self._backstage.wait(self._backstage.start(self._end(player, HIS_TURN)), self._say)
        paid = self._patiently(player.paid)
        if paid is None:
            self._say("Closed.")
        else:
            self._say(f"Closed. You have {self._chips(paid)}.")
        if paid is not None and paid < player.share:
            signed = self._chips(player.share)
            self._say(f"That is less than the {signed} that both of you signed.")

    def tell_what_is_open(self, player: SessionPlayer) -> None:
        """Say to a person who leaves what becomes of an open session."""
        if player.page.closed:
            return
        again = (
            "Start again with the same --key soon: it goes on, or ends at the Bank."
            if self._options.key is not None
            else "Its key ends with this program."
        )
        self._say(f"\nThe session is not closed at the Bank. {again}")

    def save(self, player: SessionPlayer) -> int:
        from fairground.bank.audit import verify_session

        data, made = player.record.data, self._table.calls
        verdict = verify_session(data)
        hands = f"{verdict.hands} hand{'' if verdict.hands == 1 else 's'}"
        calls = "" if made is None else f"; the Bank took {len(made)} calls"
        self._console.say(f"{hands}, checked{calls}.")
        with Saved(self._options, "croupier-session", player.name) as saved:
            saved.write(data)
        if saved.path is not None:
            self._console.say(f"The session is in {saved.path}")
            self._console.say(f"  verify with: fairground verify {saved.path}")
        return 2 if saved.lost and self._options.save is not None else 0


async def _decided(player: SessionPlayer, order: Sequence[int]) -> None:
    """Give the order in the loop where `settle` may give one at the same time."""
    if player.cards:
        player.decide(order)


def _leave() -> None:
    raise Left
