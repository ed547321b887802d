"""A game of the Blind Croupier step by step, as its document numbers the steps: 1 to 17.

News and calls come from three parties at once, in any order. Here each is put under its step, and
the steps are told in their order: one waits until all before it are told. What each party computes
(the mixing, the shuffle) is worked out again from what the Bank has recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import BankEvent
from fairground.bank.crypto.curve import Signature
from fairground.bank.messages import Bet
from fairground.bank.player.news import BankRecorded, Checked, News, Party, Sent
from fairground.bank.seeds import Generator, commit_to, mix, unpacked_order
from fairground.core import Draw
from fairground.games.poker import HAND, Poker, State
from fairground.terminal.croupier.look import CardArt
from fairground.terminal.croupier.words import NewsWords, short

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
    """Somebody called the Bank on the chain in this process."""

    who: Party
    call: str
    seed: int | None
    gas: int

    def __str__(self) -> str:
        seed = "" if self.seed is None else f" {self.seed}"
        return f"{self.who.value} calls the Bank: {self.call}{seed}, {self.gas:,} gas"


_CALLS: Final = {
    ("submitBet", None): 2,
    ("submitCroupierSeedAsSignature", 0): 3,
    ("submitPlayerSeedAsSignature", 0): 6,
    ("submitReplacementOrder", None): 11,
    ("submitCroupierSeedAsSignature", 1): 12,
    ("submitPlayerSeedAsSignature", 1): 14,
    ("submitGameResult", None): 16,
}
_SENT: Final = {"the signed bet": 1, "seed 0": 5, "the order": 10, "seed 1": 13}
"""What the Player sends to the Croupier."""


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
                self._seen("croupier", number, values["signature"])
                self._complete(3 if number == 0 else 12, line, self._fits("his", number, values))
                if number == 0:
                    self._complete(4, f"{self._words.chips(bet.stake)} go to the Croupier")
            case "PlayerSeedSubmitted":
                number = values["seedId"]
                self._seen("player", number, values["signature"])
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

    def _seen(self, who: str, number: int, signature: Signature) -> None:
        self._seeds[who, number] = signature

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
