"""The words of two-finger Morra. The rules stay silent."""

from __future__ import annotations

from fairground.core import Move, Seat
from fairground.words import PlainWords
from morra.rules import Morra, State


class MorraWords(PlainWords[Morra]):
    """Sentences for one table and one reader. `PlainWords` says the rest."""

    rules = (
        "A coin says who is odd. Then both show one finger or two at the same time. "
        "If the sum is odd, whoever is odd wins the sum; else the other does."
    )

    def state(self, view: State) -> list[str]:
        """Return the table, line by line."""
        lines = [f"Round {min(view.played + 1, self.game.rounds)} of {self.game.rounds}."]
        if view.odd is not None:
            lines.append(f"{self.does(view.odd, 'are', 'is')} odd.")
        ahead, points = (0, view.points) if view.points > 0 else (1, -view.points)
        if points:
            lines.append(f"{self.does(ahead, 'lead')} by {points}.")
        return lines

    def question(self, view: State, seat: Seat) -> str:
        """Return the question to a seat."""
        return "One finger or two?"

    def menu(self, view: State, seat: Seat) -> list[Move] | None:
        """No menu: fingers are typed as they are, 1 or 2."""
        return None

    def option(self, view: State, seat: Seat, move: Move) -> str:
        """A move in words."""
        return "one finger" if move == 1 else "two fingers"

    def move(self, view: State, seat: Seat, move: Move) -> str:
        """A sentence on a move that was made."""
        return f"{self.does(seat, 'show')} {self.option(view, seat, move)}."

    def drawn(self, before: State, after: State, n: int, value: int | None) -> str | None:
        """A sentence on the coin."""
        return None if after.odd is None else f"The coin: {self.does(after.odd, 'are', 'is')} odd."
