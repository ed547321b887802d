"""One hand before a person: the cards, which to hold, and what came of it.

Hand by hand and in a session it is the same question, and it looks the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from fairground.bank.player.news import in_chips
from fairground.games.poker import HAND, Card, rank
from fairground.terminal.console import Console
from fairground.terminal.croupier import words
from fairground.terminal.croupier.between import Between
from fairground.terminal.croupier.input import (
    BEST,
    HELP,
    PAYS,
    QUIT,
    Answer,
    Held,
    Hurry,
    KeyHold,
    ask_line,
)
from fairground.terminal.croupier.look import CardArt, in_words
from fairground.terminal.keys import can_read_keys
from fairground.words.plain import listed


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
        """The order: 1 replaces a card. Who wants to go is asked by ``leave``, which may raise."""
        how = words.HOLD_KEYS if self._by_keys else words.HOLD_LINE
        if not self._told_how:
            self._told_how = True
            self._say(how)
            if hurry.left:
                self._say(f"You have {words.minutes(hurry.left)} to decide.")
        keys = KeyHold(self._art, hand, hurry)
        while True:
            answer: Answer | None
            answer = keys.ask() if self._by_keys else ask_line(self._console, "Hold: ")
            if isinstance(answer, Held):
                return tuple(int(place not in answer.places) for place in range(HAND))
            if answer == QUIT:
                leave()
            elif answer == BEST:
                for line in words.best_hold(self._art, hand, level):
                    self._say(line)
            elif answer == PAYS:
                self._between.pays()
            elif answer == HELP:
                self._between.help(how)
            else:
                self._say(f"That is not understood. {words.HOLD_LINE}")
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
