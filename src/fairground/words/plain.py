"""Words for any game, made of what it declares. A game's own words override what they do better.

A ``Words`` object knows the game, the names at the table and who reads. The reader is "you";
everybody else is called by name::

    words = words_for(game, ["Computer", "Ann"], reader=1)
    words.move(view, 1, 0)          # "You take the die 2,2,4,4,9,9."
    words.move(view, 0, 1)          # "Computer takes the die 6,8,1,1,8,6."

All is said of a *view*: what the reader may see. So words cannot give away what is hidden.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any, ClassVar, Final, Generic, TypeVar

from fairground.core import HIDDEN, Game, IllegalMove, Move, Seat, TooMany
from fairground.escape import shown

MENU: Final = 40
"""The most moves that are listed in a menu; beyond that a move is typed."""

LONGEST: Final = 300
"""Characters of somebody else's words that are passed on."""

G = TypeVar("G", bound=Game[Any])


class PlainWords(Generic[G]):
    """Names, sentences and menus for one table and one reader."""

    rules: str = ""
    """The rules of the game in a few short sentences. A line feed begins a new paragraph."""

    looks: ClassVar[Mapping[str, str]] = {}
    """Field of the state → what it looks like to a screen that does not know the game: die, stone,
    card, pips, code, score, seat or text."""

    def __init__(self, game: G, names: Sequence[str], reader: Seat | None = None) -> None:
        self.game = game
        self.names = tuple(map(quoted, names))
        self.reader = reader

    # Who

    def who(self, seat: Seat) -> str:
        """Return a seat as the subject of a sentence: "You", or its name."""
        return "You" if seat == self.reader else self.names[seat]

    def whose(self, seat: Seat) -> str:
        """Return the possessive at the beginning of a sentence: "Your", "Ann's"."""
        return "Your" if seat == self.reader else f"{self.names[seat]}'s"

    def does(self, seat: Seat, verb: str, third: str | None = None) -> str:
        """Subject and verb: "You roll", "Ann rolls". ``third`` is the form behind a name."""
        return f"{self.who(seat)} {verb if seat == self.reader else third or verb + 's'}"

    def to(self, seat: Seat, question: str) -> str:
        """Return a question to a seat, which begins with its name where somebody else reads."""
        if seat == self.reader:
            return question
        return f"{self.names[seat]}, {question[0].lower()}{question[1:]}"

    def seat(self, seat: Seat) -> str:
        """Return the role of a seat, such as "keeper"."""
        return self.game.role(seat)

    # What is played

    def parameters(self) -> list[str]:
        """Return the parameters of the game, a line each."""
        return [f"{name}: {_text(value)}" for name, value in self.game.params().items()]

    # What lies on the table

    def state(self, view: Any) -> list[str]:
        """Return the view of the reader, a line each."""
        if hasattr(view, "_asdict"):
            return [f"{name}: {_text(value)}" for name, value in view._asdict().items()]
        return [_text(view)]

    # Moves

    def question(self, view: Any, seat: Seat) -> str:
        """Return the question to a seat."""
        return self.to(seat, "Your move?")

    def menu(self, view: Any, seat: Seat) -> list[Move] | None:
        """Return the moves to choose from by number; ``None`` where a move is typed."""
        try:
            moves = list(islice(self.game.choices(view, seat), MENU + 1))
        except TooMany:
            return None
        return moves if len(moves) <= MENU else None

    def example(self, view: Any, seat: Seat) -> str:
        """Return an explanation of how to type a move, for screens without a menu."""
        try:
            move = next(iter(self.game.choices(view, seat)))
        except TooMany:
            return "Type a move as JSON."
        return f"Type a move as JSON, such as {json.dumps(move)}."

    def option(self, view: Any, seat: Seat, move: Move) -> str:
        """Write a move for a menu."""
        return _text(move)

    def read(self, view: Any, seat: Seat, text: str) -> Move:
        """Read a move as a person types it: its number in the menu, its words, or JSON."""
        typed = text.strip()
        moves = self.menu(view, seat)
        if moves is not None:
            if typed.isascii() and typed.isdigit() and int(typed) < len(moves):
                return moves[int(typed)]
            for move in moves:
                if typed.casefold() == self.option(view, seat, move).casefold():
                    return move
            raise IllegalMove(f"choose a number from 0 to {len(moves) - 1}, not {text!r}")
        from fairground.transcript import frozen  # noqa: PLC0415  # for a few games only

        try:
            move = frozen(json.loads(typed))
        except ValueError:
            move = typed
        self.game.check(view, seat, move)
        return move

    def move(self, view: Any, seat: Seat, move: Move) -> str:
        """Return a sentence on a move that was made; ``view`` is how things lay before it."""
        return f"{self.does(seat, 'play')} {self.option(view, seat, move)}."

    def meeting(self, view: Any, moves: Mapping[Seat, Move]) -> str:
        """Return a sentence on moves that were made at once, and now lie open."""
        picks = [
            f"{self.whose(seat)} {self.option(view, seat, move)}" for seat, move in moves.items()
        ]
        return f"{listed(picks)} meet."

    def sealed(self, seat: Seat) -> str:
        """Return a sentence on a choice that is made, and not yet shown."""
        return f"{self.whose(seat)} choice is made, and sealed."

    # Chance

    def drawn(self, before: Any, after: Any, n: int, value: int | None) -> str | None:
        """Return a sentence on a draw; ``None`` where there is nothing to say of it.

        The value is ``None`` where the reader may not know it.
        """
        if value is None:
            return "Something is drawn that you may not see yet."
        return f"Drawn: {value} of 0 to {n - 1}."

    def opened(self, view: Any, draws: Sequence[int]) -> str | None:
        """A sentence on hidden draws that are shown after the end; ``None``: nothing to say."""
        return None

    # The end

    def over(self, view: Any, payoff: Sequence[int]) -> str:
        """Return a sentence on the ending, by the rules or because a player left."""
        best = max(payoff)
        top = [seat for seat, paid in enumerate(payoff) if paid == best]
        if len(top) == len(payoff):
            return "Nobody wins."
        if len(top) == 1:
            return f"{self.does(top[0], 'win')}."
        return f"{listed([self.who(seat) for seat in top])} win."

    def left(self, seat: Seat, by: str, reason: str) -> str:
        """Return a sentence on a player who left, with the reason given."""
        if by == "house":
            lost = "you have" if seat == self.reader else f"{self.names[seat]} has"
            return f"The house says that {lost} left the game: {in_quotes(reason)}"
        if seat == self.reader:
            return "You leave the game."
        return f"{self.names[seat]} leaves the game, and says: {in_quotes(reason)}"


def quoted(text: object) -> str:
    """Return a stranger's text, shortened and escaped so that it cannot deceive."""
    return shown(str(text)[:LONGEST])


def in_quotes(text: object) -> str:
    """Return a stranger's words for the end of one of our sentences."""
    said = quoted(text).replace('"', "'")
    return f'"{said}"' if said.endswith((".", "?", "!")) else f'"{said}."'


def count(n: int, one: str, many: str | None = None) -> str:
    """Return a number with its word: "1 die", "2 dice"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def listed(parts: Sequence[str]) -> str:
    """Join parts of a sentence with commas and an "and"."""
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


SURE: Final = Fraction(999, 1000)


def in_100(share: Fraction) -> str:
    """Return a share of all cases: "41 in 100", "0.4 in 100"; a little is never nothing."""
    return f"{number(100 * share)} in 100"


def times_in_100(share: Fraction) -> str:
    """Return a probability as a frequency: "41 times in 100"."""
    return f"{_hundredths(share)} times in 100"


def games(share: Fraction) -> str:
    """Return a probability as a share: "41 of 100 games"."""
    return f"{_hundredths(share)} of 100 games"


def _hundredths(share: Fraction) -> str:
    times = 100 * share
    return number(Fraction(round(times)) if times >= 10 else times)


def number(value: Fraction) -> str:
    """Write a number with as many digits as matter: 41, 4.1, 0.41."""
    size = abs(value)
    if value.denominator == 1:
        return f"{value.numerator:,}"
    digits = 0 if size >= 100 else 1 if size >= 10 else 2
    text = f"{float(value):,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        return "less than 0.01" if value > 0 else "almost 0"
    return text.rstrip("0").rstrip(".") if "." in text else text


def once_in(chance: Fraction) -> str:
    """Return a rarity: "every time", "92 times in 100", "1 time in 14", "never"."""
    if not chance:
        return "never"
    if chance >= SURE:
        return "every time"
    if chance >= Fraction(1, 10):
        return times_in_100(chance)
    return f"1 time in {number(1 / chance)}"


def compared(chance: Fraction, other: Fraction) -> str:
    """Compare two chances, counted in the same way: "25 times in 100 instead of 4.8"."""
    if SURE > chance >= Fraction(1, 10) and 0 < other < SURE:
        return f"{times_in_100(chance)} instead of {times_in_100(other).split()[0]}"
    return f"{once_in(chance)} instead of {once_in(other)}"


def _text(value: Any) -> str:
    """Write a value in plain signs: a text as it is, lists with commas, blanks as "hidden"."""
    if value is HIDDEN:
        return "hidden"
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_text, value)) or "-"
    return quoted(value)
