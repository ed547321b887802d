"""Which cards to hold: by single keys on a terminal, by lines everywhere else."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from fairground.games.poker import HAND, Card
from fairground.terminal.console import Console, EndOfInput
from fairground.terminal.croupier.look import CardArt
from fairground.terminal.croupier.words import parse_hold
from fairground.terminal.keys import END, ENTER, forget_typed, reading_keys

BEST: Final = "b"
PAYS: Final = "p"
HELP: Final = "?"
QUIT: Final = "q"
ASIDES: Final = (BEST, PAYS, HELP, QUIT)
SPELLINGS: Final = {"best": BEST, "hint": BEST, "help": HELP, "quit": QUIT, "x": QUIT, "exit": QUIT}
"""The words of other games for the same things."""

PLACES: Final = tuple("12345"[:HAND])

WARN_AT: Final = (300, 120, 60, 30, 10)
"""Seconds before the deadline at which whoever still thinks is warned."""


class Held(NamedTuple):
    """The places, from 0, of the cards to keep."""

    places: frozenset[int]


Answer = Held | str
"""Cards, or one of `ASIDES`."""


class Hurry:
    """How long a person may still think, by the clock of this machine."""

    def __init__(self, seconds: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = clock() + seconds
        self._said = [limit for limit in WARN_AT if limit < seconds]

    @property
    def left(self) -> int:
        """Seconds."""
        return max(0, int(self._until - self._clock()))

    def warning(self) -> str | None:
        """What to say now, if anything: each once."""
        due = [limit for limit in self._said if self.left <= limit]
        if not due:
            return None
        self._said = [limit for limit in self._said if limit not in due]
        return f"Only {self.left} seconds are left to decide; then the stake is lost."

    def next_in(self) -> float | None:
        """Seconds until something is to be said."""
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
        """How many lines above the prompt are ours to draw again."""

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
        """The same again, in the same place."""
        self._clear()
        self._draw()

    def _draw(self) -> None:
        lines = self._art.row(self._hand, self.held, marks=True)
        print("\n".join(lines))
        self._drawn = len(lines)
        kept = [self._hand[place] for place in sorted(self.held)]
        text = self._art.cards(kept) if kept else "nothing"
        print(f"Hold {text} > ", end="", flush=True)
