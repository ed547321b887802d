"""A person's decisions: the stake between two hands, and which cards to hold.

Cards are chosen with keys, or with lines where keys cannot be read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from fairground.bank.player.game import in_chips
from fairground.games.poker.rules import BETS, HAND, LEVELS, Card, Poker, rank
from fairground.terminal.console import (
    END,
    ENTER,
    Console,
    EndOfInput,
    can_read_keys,
    forget_typed,
    reading_keys,
)
from fairground.terminal.croupier import look
from fairground.terminal.croupier.look import CardArt, in_words, parse_hold
from fairground.terminal.sitting import Left
from fairground.words.plain import listed

BEST: Final = "b"
PAYS: Final = "p"
HELP: Final = "?"
QUIT: Final = "q"
ASIDES: Final = (BEST, PAYS, HELP, QUIT)
SPELLINGS: Final = {"best": BEST, "hint": BEST, "help": HELP, "quit": QUIT, "x": QUIT, "exit": QUIT}
"""The words of other games for the same things."""

PLACES: Final = tuple("12345"[:HAND])

WARN_AT: Final = (300, 120, 60, 30, 10)
"""Seconds before the deadline at which the person is warned."""


class Held(NamedTuple):
    """The places, from 0, of the cards to keep."""

    places: frozenset[int]


Answer = Held | str
"""Cards, or one of `ASIDES`."""


class Hurry:
    """The time left for a decision, by the clock of this machine."""

    def __init__(
        self,
        seconds: int,
        clock: Callable[[], float] = time.monotonic,
        then: str = "the stake is lost",
    ) -> None:
        self._clock, self._then = clock, then
        self._until = clock() + seconds
        self._said = [limit for limit in WARN_AT if limit < seconds]

    @property
    def left(self) -> int:
        return max(0, int(self._until - self._clock()))

    def warning(self) -> str | None:
        """Return the warning that is due, each once."""
        due = [limit for limit in self._said if self.left <= limit]
        if not due:
            return None
        self._said = [limit for limit in self._said if limit not in due]
        return f"Only {self.left} seconds are left to decide; then {self._then}."

    def next_in(self) -> float | None:
        return max(0.0, self._until - self._clock() - self._said[0]) if self._said else None


def ask_line(console: Console, prompt: str) -> Answer | None:
    """One line; ``None`` if it cannot be understood (then the caller says so)."""
    typed = console.ask(prompt)
    word = SPELLINGS.get(typed.lower(), typed.lower())
    if word in ASIDES:
        return word
    places = parse_hold(typed)
    return None if places is None else Held(places)


class KeyHold:
    """Holding by keys: the cards are marked, and the line below them changes, in place."""

    def __init__(self, art: CardArt, hand: Sequence[Card], hurry: Hurry) -> None:
        self._art = art
        self._hand = hand
        self._hurry = hurry
        self.held: set[int] = set()
        self._drawn = 0
        """Number of lines above the prompt that are drawn again."""

    def ask(self) -> Answer:
        """Until Enter, or a key that asks for something else."""
        forget_typed()
        self._drawn = 0
        with reading_keys(self._draw) as keys:
            self._draw()
            while True:
                if said := self._hurry.warning():
                    self._clear()
                    print(said)
                    self._show()
                key = keys.read(self._hurry.next_in())
                if key is None:
                    continue
                if key == ENTER:
                    print()
                    return Held(frozenset(self.held))
                if key == END:
                    print()
                    raise EndOfInput
                if (aside := SPELLINGS.get(key.lower(), key.lower())) in ASIDES:
                    print()
                    return aside
                if key in PLACES:
                    self.held ^= {int(key) - 1}
                    self._show()

    def _clear(self) -> None:
        """Take the cards and the prompt away, where the cursor stands behind them."""
        up = f"\x1b[{self._drawn}A" if self._drawn else ""
        print(f"\r{up}\x1b[J", end="")
        self._drawn = 0

    def _show(self) -> None:
        self._clear()
        self._draw()

    def _draw(self) -> None:
        lines = self._art.row(self._hand, self.held, marks=True)
        print("\n".join(lines))
        self._drawn = len(lines)
        kept = [self._hand[place] for place in sorted(self.held)]
        text = self._art.cards(kept) if kept else "nothing"
        print(f"Hold {text} > ", end="", flush=True)


class Between:
    """The stake, and the question whether to play on."""

    def __init__(self, console: Console, art: CardArt, bet: int, level: int) -> None:
        self._console = console
        self._art = art
        self.bet = bet
        self.level = level

    @property
    def chips(self) -> int:
        return Poker(self.bet, self.level).stake

    def ask(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Until the person wants the next hand; raise `Left` if they want none.

        ``meanwhile`` is done before each prompt.
        """
        while True:
            meanwhile()
            what = f"bet {self.bet}, level {self.level}: {self.chips} chips"
            try:
                typed = self._console.ask(f"Enter deals ({what}; ? helps, q quits): ").lower()
            except EndOfInput:
                raise Left from None  # nothing is at stake now
            if not typed:
                return
            typed = SPELLINGS.get(typed, typed)
            if typed == QUIT:
                raise Left
            if typed == PAYS:
                self.pays()
            elif typed == HELP:
                self.help(look.BETWEEN)
            else:
                self._change(typed)

    def _change(self, typed: str) -> None:
        if typed.startswith("b") and (bet := look.number_behind(typed, "bet", BETS)):
            self.bet = bet
        elif typed.startswith("l") and (level := look.number_behind(typed, "level", LEVELS)):
            self.level = level
        else:
            self._say(f"{typed!r} is not understood. {look.BETWEEN}")
            return
        self.pays()

    def pays(self) -> None:
        self._console.say()
        self._say(f"What a hand pays, in chips, for a bet of {self.bet}:")
        for line in self._art.pays(self.bet, self.level):
            self._console.say(line)
        self._console.say()

    def help(self, keys: str) -> None:
        for rule in look.RULES:
            self._console.say(self._art.fold(rule, "* ", "  "))
        self._say(keys)

    def _say(self, text: str) -> None:
        self._console.say(self._art.fold(text))


class Holding:
    """Shows hands, and asks which cards to hold: by keys where there are some, else by lines."""

    def __init__(self, console: Console, art: CardArt, between: Between) -> None:
        self._console = console
        self._art = art
        self._between = between
        self._by_keys = can_read_keys()
        self._told_how = False

    def tell(self, hand: tuple[Card, ...]) -> None:
        """The cards that were dealt, drawn (unless the keys will draw them) and in words."""
        self._console.say()
        if not self._by_keys:
            self._show(hand)
        text = listed([in_words(card) for card in hand])
        self._say(f"{text[0].upper()}{text[1:]}. That is {_worth(hand)}.")

    def ask(
        self, hand: tuple[Card, ...], level: int, hurry: Hurry, leave: Callable[[], None]
    ) -> tuple[int, ...]:
        """Ask for the order: 1 replaces a card. ``leave`` confirms leaving, and may raise."""
        how = look.HOLD_KEYS if self._by_keys else look.HOLD_LINE
        if not self._told_how:
            self._told_how = True
            self._say(how)
            if hurry.left:
                self._say(f"You have {look.minutes(hurry.left)} to decide.")
        keys = KeyHold(self._art, hand, hurry)
        while True:
            answer: Answer | None
            answer = keys.ask() if self._by_keys else ask_line(self._console, "Hold: ")
            if isinstance(answer, Held):
                return tuple(int(place not in answer.places) for place in range(HAND))
            if answer == QUIT:
                leave()
            elif answer == BEST:
                for line in look.best_hold(self._art, hand, level):
                    self._say(line)
            elif answer == PAYS:
                self._between.pays()
            elif answer == HELP:
                self._between.help(how)
            else:
                self._say(f"That is not understood. {look.HOLD_LINE}")
            if not self._by_keys and (said := hurry.warning()):
                self._say(said)

    def show_final(
        self, final: tuple[Card, ...], order: tuple[int, ...], prize: int, stake: int
    ) -> None:
        """The cards in the end, and what they pay, in chips."""
        self._console.say()
        self._show(final, [place for place in range(HAND) if not order[place]])
        title = _worth(final).capitalize()
        if prize:
            back = "your stake back" if prize == stake else f"{prize:,} chips for {stake}"
            self._say(f"{title}: {back}.", "good")
        else:
            self._say(f"{title}: your stake of {in_chips(stake, 1)} is lost.", "bad")

    def _say(self, text: str, style: str = "") -> None:
        folded = self._art.fold(text)
        self._console.say(self._art.ink(folded, style) if style else folded)

    def _show(self, hand: tuple[Card, ...], held: Collection[int] = ()) -> None:
        for line in self._art.row(hand, held):
            self._console.say(line)


def _worth(hand: tuple[Card, ...]) -> str:
    made = rank(hand)
    return made.words if made else "nothing that pays"
