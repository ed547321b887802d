"""An evening hand by hand, told as the document's seventeen steps.

News and calls come from three parties at once, in any order. `Steps` puts each under its step and
tells the steps in order. It computes the mixing and the shuffle again from the Bank's records.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from fairground.bank.bank_port import PLAY_MONEY, Bank, BankEvent, GameOutcome
from fairground.bank.chain.gas import MEASURED
from fairground.bank.messages import Bet
from fairground.bank.player.game import (
    Alarm,
    BankRecorded,
    Checked,
    GameEnded,
    News,
    NoGame,
    Party,
    PlayersGame,
    Sent,
    in_chips,
)
from fairground.bank.player.player import PlayerClient, WrongCroupier
from fairground.bank.seeds import Generator, commit_to, mix, unpacked_order
from fairground.bank.signatures import Signature
from fairground.core import Draw, FairgroundError
from fairground.games.poker.holds import holds
from fairground.games.poker.rules import HAND, Poker, State
from fairground.terminal.background import Backstage
from fairground.terminal.croupier.hand import CardArt, Hurry, NewsWords, Person, minutes, short
from fairground.terminal.evening import ME
from fairground.terminal.files import Saved
from fairground.terminal.sitting import YES, Left
from fairground.verifier import verify
from fairground.words.plain import count

STEPS: Final = (
    "The Player chooses a bet, signs it, and sends it to the Croupier.",
    "The Croupier brings the bet to the Bank.",
    "The Croupier works out his seed 0, and tells it to the Bank and to the Player.",
    "The Bank gives the stake to the Croupier.",
    "The Player works out seed 0 of their own, and tells the Croupier.",
    "The Croupier brings the Player's seed 0 to the Bank.",
    "The Player mixes both seeds 0 into game seed 0.",
    "The Player shuffles the deck with game seed 0, and draws five cards.",
    "The Player decides which cards to replace.",
    "The Player signs that order, and sends it to the Croupier.",
    "The Croupier brings the order to the Bank.",
    "The Croupier works out his seed 1, and tells it to the Bank and to the Player.",
    "The Player works out seed 1 of their own, and tells the Croupier.",
    "The Croupier brings the Player's seed 1 to the Bank.",
    "The Player mixes both seeds 1, and draws the new cards from the rest of the deck.",
    "The Croupier asks the Bank to settle. The Bank plays the game again, and pays.",
    "Meanwhile the Player and the Croupier may begin the next game.",
)
LAST: Final = len(STEPS)


class BankCalled(NamedTuple):
    """A call to the Bank in this process, with the gas that it would use on a chain."""

    who: Party
    call: str
    seed: int | None

    def __str__(self) -> str:
        seed = "" if self.seed is None else f" {self.seed}"
        gas = MEASURED.get((self.call, self.seed))
        cost = "" if gas is None else f", about {round(gas, -2):,} gas on a chain"
        return f"{self.who.value} calls the Bank: {self.call}{seed}{cost}"


_CALLS: Final = dict(zip(MEASURED, (2, 3, 6, 11, 12, 14, 16), strict=True))
"""The step of each call."""
_SENT: Final = {"the signed bet": 1, "seed 0": 5, "the order": 10, "seed 1": 13}
"""The step of each message from the Player to the Croupier."""


class Steps:
    """Tells the steps of one game after the other."""

    def __init__(
        self, art: CardArt, words: NewsWords, say: Callable[[str, str, str], None], calls: bool
    ) -> None:
        """``say`` prints a text behind a mark, in a style; ``calls``: whether calls are heard."""
        self._art = art
        self._words = words
        self._say = say
        self._called: frozenset[int] = frozenset(_CALLS.values()) if calls else frozenset()
        """The steps that need a call to be complete."""
        self._begin()

    def _begin(self) -> None:
        self._lines: dict[int, list[str]] = {}
        self._done: set[int] = set()
        self._heard: set[int | None] = set()
        self._next = 1
        self._seeds: dict[tuple[str, int], Signature] = {}
        self._hand: tuple[int, ...] = ()
        self._order: tuple[int, ...] = ()

    def hear(self, news: News | BankCalled) -> None:
        """Put news under their step; tell what is complete."""
        match news:
            case BankCalled(_, call, seed):
                step = _CALLS.get((call, seed))
                self._add(step, str(news), first=True)
                self._heard.add(step)
            case Sent(Party.PLAYER, Party.CROUPIER, what) if what in _SENT:
                if what == "the signed bet":
                    self._begin()
                elif what == "the order":
                    self._decided(news.detail)
                self._add(_SENT[what], self._words.explained(news))
                self._done.add(_SENT[what])
            case Sent(_, Party.PLAYER, "seed 0" | "seed 1" as what):
                self._add(3 if what == "seed 0" else 12, self._words.explained(news))
            case BankRecorded(event, bet):
                self._recorded(news, event, bet)
            case Checked() | Sent():
                self._tell(self._words.explained(news))
            case _:
                self.flush()
                self._tell(self._words.explained(news))
        self._tell_what_is_complete()

    def flush(self) -> None:
        """Tell all that is known, complete or not: the game takes another course."""
        for step in sorted(self._lines):
            self._tell_step(step)

    def _add(self, step: int | None, line: str, *, first: bool = False) -> None:
        if step is None or step < self._next:
            self._tell(line)
        else:
            lines = self._lines.setdefault(step, [])
            lines.insert(0 if first else len(lines), line)

    # What follows from what the Bank recorded

    def _recorded(self, news: BankRecorded, event: BankEvent, bet: Bet) -> None:
        values: dict[str, Any] = event.values
        line = self._words.explained(news)
        match event.name:
            case "BetSubmitted":
                self._complete(2, line)
            case "CroupierSeedSubmitted":
                number = values["seedId"]
                self._seeds["croupier", number] = values["signature"]
                self._complete(3 if number == 0 else 12, line, self._fits("his", number, values))
                if number == 0:
                    self._complete(4, f"{self._words.chips(bet.stake)} go to the Croupier")
            case "PlayerSeedSubmitted":
                number = values["seedId"]
                self._seeds["player", number] = values["signature"]
                self._complete(6 if number == 0 else 14, line, self._fits("your", number, values))
                self._mixed(number, bet)
            case "ReplacementOrderSubmitted":
                self._order = unpacked_order(values["order"])
                self._complete(11, line)
            case "GameSettled":
                self._done |= set(range(12, 16))  # where nothing was replaced there are none
                self._complete(16, line)
                self._done.add(LAST)
                self._lines.setdefault(LAST, [])
            case _:
                self.flush()
                self._tell(line)

    def _fits(self, whose: str, number: int, values: dict[str, Any]) -> str:
        commitment = short(commit_to(values["signature"]).hex())
        return f"the hash of {whose} seed {number} is {commitment} as committed to in the bet"

    def _complete(self, step: int, *lines: str) -> None:
        self._done.add(step)
        for line in lines:
            self._add(step, line)

    def _mixed(self, number: int, bet: Bet) -> None:
        """Steps 7 and 8, or 15: what the Player's program computes, computed here once more."""
        his, mine = self._seeds.get(("croupier", number)), self._seeds.get(("player", number))
        if his is None or mine is None:
            return  # we came in the middle of the game
        game_seed = mix(bet.struct_hash(), number, his, mine)
        found = short(f"{game_seed:064x}")
        said = f"game seed {number} = the hash of both seeds and the bet = {found}"
        if number == 0:
            numbers, state = _drawn(game_seed, State())
            self._hand = state.dealt
            self._complete(7, said)
            self._complete(8, _read(numbers), f"the cards: {self._art.cards(self._hand)}")
        else:
            numbers, state = _drawn(game_seed, State(self._hand, self._order))
            final = self._art.cards(Poker().final_hand(state))
            self._complete(15, said, _read(numbers), f"the final hand: {final}")

    def _decided(self, detail: str) -> None:
        order = [digit == "1" for digit in detail.split(",")]
        held = [card for card, goes in zip(self._hand, order, strict=False) if not goes]
        kept = self._art.cards(held) or "nothing"
        self._complete(9, f"hold {kept}; replace {sum(order)} of {HAND} cards")

    # Telling

    def _tell_what_is_complete(self) -> None:
        while self._next in self._done and self._next <= LAST:
            step = self._next
            if step in self._called and step not in self._heard and step in self._lines:
                return
            self._tell_step(step)

    def _tell_step(self, step: int) -> None:
        lines = self._lines.pop(step, None)
        self._next = max(self._next, step + 1)
        if lines is None:
            return
        self._say(f"Step {step}. {STEPS[step - 1]}", "", "bold")
        for line in lines:
            self._tell(line)

    def _tell(self, line: str) -> None:
        if line:
            self._say(line, "  ", "dim")


def _drawn(game_seed: int, state: State) -> tuple[list[tuple[int, int]], State]:
    """The numbers that a game seed gives, each with how many cards were left; the state then."""
    game, chance, numbers = Poker(), Generator(game_seed), []
    while isinstance(awaits := game.awaits(state), Draw):
        value = chance.below(awaits.n)
        numbers.append((awaits.n, value))
        state = game.drawn(state, value)
    return numbers, state


def _read(numbers: Sequence[tuple[int, int]]) -> str:
    each = ", ".join(f"{value + 1} of {n}" for n, value in numbers)
    return f"the numbers that it gives, each a card of those that are left: {each}"


T = TypeVar("T")

Faucet = Callable[[str, int], Awaitable[None]]
"""Makes play money, in wei, in somebody's purse."""


async def fill_purse(bank: Bank, owner: str, faucet: Faucet | None, wanted: int) -> None:
    """See that an owner can bring so much to the Bank; at a ledger, the faucet makes the rest."""
    purse, chip = await bank.purse(owner), bank.terms.chip_cost
    if purse >= wanted:
        return
    if faucet is None:
        raise NoGame(
            f"the buy-in takes {in_chips(wanted, chip)} to the Bank, and your purse has "
            f"{in_chips(purse, chip)}: send some to {owner}, or choose another --buy-in"
        )
    await faucet(owner, wanted - purse)


class CroupierScreen:
    """Tells and asks. All that is said by the parties comes through ``backstage``."""

    def __init__(
        self,
        options: argparse.Namespace,
        person: Person,
        backstage: Backstage[News | BankCalled],
        player: PlayerClient,
        faucet: Faucet | None,
    ) -> None:
        self._options, self._console, self._art = options, person.console, person.art
        self._backstage, self._player, self._person = backstage, player, person
        self._bank = player.side.bank
        self._words = NewsWords(person.art, self._bank.terms.chip_cost)
        self._buy_in = options.buy_in * self._bank.terms.chip_cost
        self._faucet = faucet
        calls = self._bank.watch is not None
        steps = Steps(person.art, self._words, self._say_behind, calls)
        self._steps = steps if options.explain else None
        self._lasting = options.lasting or options.key is not None
        self._settling: list[tuple[PlayersGame, Future[GameEnded]]] = []
        self._hands = 0
        self._won = 0
        """In wei; below zero if more was lost."""
        self._records = 0
        self.valid = True
        """True if all records so far are valid."""
        self.lost = False
        """True if a requested record could not be written."""
        self.open: PlayersGame | None = None
        """The game in which the person's stake is at risk."""

    # The evening

    def play(self, hands: int | None, *, asked: bool = False) -> None:
        """Play this many hands, or until the person leaves. ``asked``: skip the first question."""
        if hands is None and not asked:
            self._person.pays()
        while hands is None or self._hands < hands:
            if hands is None and not asked:
                self._person.ask_for_hand(self._hear_all)
            asked = False
            try:
                self._play(self._begun())
            except (Alarm, WrongCroupier):
                raise
            except FairgroundError as reason:
                if hands is not None or (self.open is not None and not isinstance(reason, NoGame)):
                    raise
                self.open = None
                self._person.say(f"No game: {reason}.", "bad")

    def end(self) -> None:
        """Wait for the Bank, take the money home if wanted, and sum up."""
        if self._settling:
            self._person.say("Waiting for the Bank to settle. Ctrl-C leaves that to the Croupier.")
        self._settled(None)
        if self._options.withdraw:
            taken = self._do(self._player.withdraw())
            self._person.say(f"Withdrawn from the Bank: {self._words.chips(taken)}.")
        if self._hands:
            won = f"{'won' if self._won > 0 else 'lost'} {self._words.chips(abs(self._won))}"
            sum_ = won if self._won else "broke even"
            self._person.say(f"{count(self._hands, 'hand')} played, {sum_}. {PLAY_MONEY}", "bold")
        self._person.say(f"The Bank: {self._bank.trusted}.")

    def take_up(self) -> None:
        """Go on with what an earlier client left open, whether the Croupier is there or not."""
        for game in self._player.unfinished():
            self._person.say(f"Game {game.bet.game_id} was left open: going on with it.", "bold")
            self._play(game)
        self._settled(None)
        self._hands = self._won = 0

    def sit_down(self) -> None:
        """Meet the Croupier, and say who he is, what he has, and on which terms we play."""
        about = self._do(self._player.sit_down())
        funds = self._do(self._bank.account(about.account)).available
        terms = self._bank.terms
        for text in (
            f"The Croupier: {about.account}, {self._words.chips(funds)} at the Bank.",
            f"You: {self._player.address}.",
            f"A chip costs {terms.chip_cost:,} wei at this Bank, and a step may take "
            f"{minutes(terms.step_time)}.",
        ):
            self._console.say(self._art.fold(text, "", "  "))

    def tell_what_is_open(self) -> None:
        """Say to a person who leaves in the middle of a game what becomes of it."""
        if self.open is None:
            return
        again = (
            "Start again with the same key in time, and the game goes on; if you do not, the stake "
            "is lost."
            if self._lasting
            else "The key ends with this program, so the stake is lost."
        )
        self._person.say(f"You leave in the middle of a game. {again}")

    def _hear_all(self) -> None:
        self._settled(0)
        self._backstage.hear(self.hear)

    # One hand

    def _begun(self) -> PlayersGame:
        stake = self._person
        deposited = self._do(self._funded(stake.bet, stake.level))
        if deposited:
            self._person.say(f"You deposit {self._words.chips(deposited)} at the Bank.")
        return self._do(self._player.bet(stake.bet, stake.level))

    async def _funded(self, bet: int, level: int) -> int:
        """Deposit what is missing; a ledger's faucet fills an empty purse with play money."""
        player = self._player
        missing = await player.missing(bet, level)
        if missing:
            await fill_purse(self._bank, player.address, self._faucet, max(missing, self._buy_in))
        return await player.fund(bet, level, self._buy_in)

    def _play(self, game: PlayersGame) -> None:
        self.open = game
        self._do(game.deal())
        if game.ended is None:
            self._do(game.draw(game.order or self._ask_order(game)))
        self.open = None
        self._hands += 1
        self._settling.append((game, self._backstage.start(game.settle())))
        if self._steps is not None:
            # Step by step: the Bank settles before the cards are shown.
            self._backstage.wait(self._settling[-1][1], self.hear)
        if game.witness.is_final:
            self._show_final(game)
        self._settled(0)

    def _ask_order(self, game: PlayersGame) -> tuple[int, ...]:
        hand, level = game.witness.hand, game.bet.level
        self._person.tell(hand)
        if self._options.player != ME:
            return holds(hand, level)[0].order
        hurry = Hurry(self._do(game.seconds_left()))
        return self._person.ask_to_hold(hand, level, hurry, lambda: self._leave(game))

    def _leave(self, game: PlayersGame) -> None:
        stake = self._words.chips(game.bet.stake)
        later = "if you do not come back in time" if self._lasting else "if you leave now"
        question = f"Your stake of {stake} is lost {later}. Leave all the same (y/n)? "
        if self._console.ask(question).lower() in YES:
            raise Left

    def _show_final(self, game: PlayersGame) -> None:
        witness, bet = game.witness, game.bet
        order = game.order or (0,) * HAND
        self._person.show_final(witness.final, order, witness.prize, bet.bet * bet.level)

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
        self._won += ended.paid - ended.stake
        balance = self._do(self._player.balance())
        outcome = "Settled. " if ended.outcome == GameOutcome.SETTLED else ""
        self._person.say(f"{outcome}Your account at the Bank: {self._words.chips(balance)}.")
        if ended.lapsed:
            return
        path = self._keep(game)
        verdict = verify(game.witness.data)
        self.valid = self.valid and verdict.ok
        if verdict.fault is not None:
            self._person.say(
                f"The record of this game is {verdict.judged.upper()}: {verdict.fault}", "bad"
            )
        else:
            self._person.say(f"Checked: the record of {verdict.events} lines is valid.")
        if path is not None:
            self._person.say(f"The game is in {path}")
            self._console.say(f"  verify with: fairground verify {shlex.quote(str(path))}")

    def _keep(self, game: PlayersGame) -> Path | None:
        """Save a game that is over: in FILE, then FILE-2 and so on; return where, if anywhere."""
        self._records += 1
        options = argparse.Namespace(no_save=self._options.no_save, save=self._options.save)
        if options.save is not None and self._records > 1:
            options.save = options.save.with_stem(f"{options.save.stem}-{self._records}")
        with Saved(options, "croupier", game.bet.struct_hash()) as saved:
            saved.write(game.witness.data)
        self.lost = self.lost or (saved.lost and options.save is not None)
        return saved.path

    # Saying

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return self._backstage.do(work, self.hear)

    def hear(self, news: News | BankCalled) -> None:
        """Print the news of the parties; most of it only with ``--explain``."""
        if self._steps is not None:
            self._steps.hear(news)
        elif not isinstance(news, BankCalled) and (text := self._words.told(news)):
            self._say_behind(text, "", "bold")

    def _say_behind(self, text: str, mark: str, style: str) -> None:
        self._console.say(self._art.ink(self._art.fold(text, mark, mark + "  "), style))
