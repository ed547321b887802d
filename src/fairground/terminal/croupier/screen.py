"""An evening with the Croupier: hand after hand, told as it happens, asked of a person."""

from __future__ import annotations

import shlex
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from fairground.bank.bank_port import PLAY_MONEY, GameOutcome
from fairground.bank.player.game import PlayersGame
from fairground.bank.player.news import Alarm, GameEnded, News, NoGame
from fairground.bank.player.player import PlayerClient, WrongCroupier
from fairground.core import FairgroundError
from fairground.games.poker import HAND
from fairground.solve.poker.holds import holds
from fairground.terminal.background import Backstage
from fairground.terminal.console import Console
from fairground.terminal.croupier import words
from fairground.terminal.croupier.between import Between
from fairground.terminal.croupier.holding import Holding
from fairground.terminal.croupier.input import Hurry
from fairground.terminal.croupier.look import CardArt
from fairground.terminal.croupier.steps import BankCalled, Steps
from fairground.terminal.seat import YES, Left
from fairground.verify import verify
from fairground.words.plain import count

T = TypeVar("T")


@dataclass
class EveningTally:
    """The evening so far."""

    hands: int = 0
    won: int = 0
    """In wei; below zero if more was lost."""


class CroupierScreen:
    """Tells and asks. All that is said by the parties comes through ``backstage``."""

    def __init__(
        self,
        console: Console,
        art: CardArt,
        backstage: Backstage[News | BankCalled],
        player: PlayerClient,
        between: Between,
        *,
        buy_in: int,
        faucet: Callable[[int], Awaitable[None]] | None,
        explain: bool,
        lasting: bool,
        keep: Callable[[PlayersGame], Path | None],
        by_program: bool = False,
    ) -> None:
        """``keep`` saves the transcript of a game; ``buy_in`` is in chips; what a
        ``faucet`` gives is play money. ``by_program``: the best hold is always taken.
        """
        self._console = console
        self._art = art
        self._backstage = backstage
        self._player = player
        self._chip = player.side.bank.terms.chip_cost
        self._words = words.NewsWords(art, self._chip)
        self._between = between
        self._holding = Holding(console, art, between)
        self._buy_in = buy_in * self._chip
        self._faucet = faucet
        calls = getattr(player.side.bank, "watch", None) is not None
        self._steps = Steps(art, self._words, self._say_behind, calls) if explain else None
        self._lasting = lasting
        self._keep = keep
        self._by_program = by_program
        self._settling: list[tuple[PlayersGame, Future[GameEnded]]] = []
        self._tally = EveningTally()
        self.valid = True
        """Whether all records so far are valid."""
        self.open: PlayersGame | None = None
        """The game in which the person's stake is at risk."""

    # The evening

    def play(self, hands: int | None, *, asked: bool = False) -> None:
        """So many hands, or until the person leaves; ``asked``: for the first they have asked."""
        if hands is None and not asked:
            self._between.pays()
        while hands is None or self._tally.hands < hands:
            if hands is None and not asked:
                self._between.ask(self._hear_all)
            asked = False
            try:
                self._play(self._begun())
            except (Alarm, WrongCroupier):
                raise
            except FairgroundError as reason:
                if hands is not None or (self.open is not None and not isinstance(reason, NoGame)):
                    raise
                self.open = None
                self._say(f"No game: {reason}.", "bad")

    def end(self, withdraw: bool) -> None:
        """Wait for the Bank, take the money home if wanted, and sum up."""
        if self._settling:
            self._say("Waiting for the Bank to settle. Ctrl-C leaves that to the Croupier.")
        self._settled(None)
        bank = self._player.side.bank
        if withdraw:
            taken = self._do(self._player.withdraw())
            self._say(f"Withdrawn from the Bank: {self._words.chips(taken)}.")
        if self._tally.hands:
            many = count(self._tally.hands, "hand")
            won = self._tally.won
            sign = (
                f"{'won' if won > 0 else 'lost'} {self._words.chips(abs(won))}"
                if won
                else "broke even"
            )
            self._say(f"{many} played, {sign}. {PLAY_MONEY}", "bold")
        self._say(f"The Bank: {bank.trusted}.")

    def take_up(self) -> None:
        """Go on with what an earlier client left open, whether the Croupier is there or not."""
        for game in self._player.unfinished():
            self._say(f"Game {game.bet.game_id} was left open: going on with it.", "bold")
            self._play(game)
        self._settled(None)
        self._tally = EveningTally()

    def _hear_all(self) -> None:
        self._settled(0)
        self._backstage.hear(self.hear)

    # One hand

    def _begun(self) -> PlayersGame:
        stake = self._between
        deposited = self._do(self._funded(stake.bet, stake.level))
        if deposited:
            self._say(f"You deposit {self._words.chips(deposited)} at the Bank.")
        return self._do(self._player.bet(stake.bet, stake.level))

    async def _funded(self, bet: int, level: int) -> int:
        """Deposit what is missing; a ledger's faucet fills an empty purse with play money."""
        player, bank = self._player, self._player.side.bank
        missing = await player.missing(bet, level)
        purse, wanted = await bank.purse(player.address), max(missing, self._buy_in)
        if missing and wanted > purse:
            if self._faucet is None:
                raise NoGame(
                    f"the buy-in is {self._words.chips(wanted)}, and your purse has "
                    f"{self._words.chips(purse)}: send some to {player.address}, or choose another "
                    "--buy-in"
                )
            await self._faucet(wanted - purse)
        return await player.fund(bet, level, self._buy_in)

    def _play(self, game: PlayersGame) -> None:
        self.open = game
        self._do(game.deal())
        if game.ended is None:
            self._do(game.draw(game.order or self._ask_order(game)))
        self.open = None
        self._tally.hands += 1
        self._settling.append((game, self._backstage.start(game.settle())))
        if self._steps is not None:
            # Step by step: the Bank settles before the cards are shown.
            self._backstage.wait(self._settling[-1][1], self.hear)
        if game.witness.is_final:
            self._show_final(game)
        self._settled(0)

    def _ask_order(self, game: PlayersGame) -> tuple[int, ...]:
        hand, level = game.witness.hand, game.bet.level
        self._holding.tell(hand)
        if self._by_program:
            return holds(hand, level)[0].order
        hurry = Hurry(self._do(game.seconds_left()))
        return self._holding.ask(hand, level, hurry, lambda: self._leave(game))

    def _leave(self, game: PlayersGame) -> None:
        stake = self._words.chips(game.bet.stake)
        later = "if you do not come back in time" if self._lasting else "if you leave now"
        question = f"Your stake of {stake} is lost {later}. Leave all the same (y/n)? "
        if self._console.ask(question).lower() in YES:
            raise Left

    def _show_final(self, game: PlayersGame) -> None:
        witness, bet = game.witness, game.bet
        order = game.order or (0,) * HAND
        self._holding.show_final(witness.final, order, witness.record.prize, bet.bet * bet.level)

    # The end of a hand

    def _settled(self, seconds: float | None) -> None:
        """Take note of games that the Bank has settled, waiting so long for the first."""
        for game, future in list(self._settling):
            try:
                ended = self._backstage.wait(future, self.hear, seconds)
            except NotDone:
                return  # the next game may begin meanwhile
            self._settling.remove((game, future))
            self._ended(game, ended)

    def _ended(self, game: PlayersGame, ended: GameEnded) -> None:
        self._tally.won += ended.paid - ended.stake
        balance = self._do(self._player.balance())
        outcome = "Settled. " if ended.outcome == GameOutcome.SETTLED else ""
        self._say(f"{outcome}Your account at the Bank: {self._words.chips(balance)}.")
        if ended.lapsed:
            return
        path = self._keep(game)
        verdict = verify(game.witness.record.data)
        self.valid = self.valid and verdict.ok
        if verdict.fault is not None:
            self._say(
                f"The record of this game is {verdict.judged.upper()}: {verdict.fault}", "bad"
            )
        else:
            self._say(f"Checked: the record of {verdict.events} lines is valid.")
        if path is not None:
            self._say(f"The game is in {path}")
            self._console.say(f"  verify with: fairground verify {shlex.quote(str(path))}")

    # Saying

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return self._backstage.do(work, self.hear)

    def hear(self, news: News | BankCalled) -> None:
        """What the parties told, put into words; most only if it is to be explained."""
        if self._steps is not None:
            self._steps.hear(news)
        elif not isinstance(news, BankCalled) and (text := self._words.told(news)):
            self._say_behind(text, "", "bold")

    def _say_behind(self, text: str, mark: str, style: str) -> None:
        self._console.say(self._art.ink(self._art.fold(text, mark, mark + "  "), style))

    def _say(self, text: str, style: str = "") -> None:
        folded = self._art.fold(text)
        self._console.say(self._art.ink(folded, style) if style else folded)
