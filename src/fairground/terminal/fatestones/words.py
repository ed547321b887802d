"""What FateStones says: who does what, and what may be typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fairground.core import Seat

KEYS: Final = (
    "0, 1 or 2 (or the die itself) chooses; hint tells what perfect play would do; X leaves."
)
STIR_HELP: Final = (
    "Chance is dealt from a chain of hashes whose end was fixed before you came (the house's tip, "
    "in the first line of the record). What you type is mixed into it, so that nobody can have "
    "chosen the rolls, provided that nobody could guess your words: a throw of a real die, or "
    "what you see from the window. An empty line is allowed, but then nothing proves that the "
    "house did not choose the rolls. X leaves."
)


class SeatNames:
    """Sentences about the two seats: "you" and "I" against a machine, else two names."""

    def __init__(self, names: Sequence[str], me: Seat | None) -> None:
        self._names = names
        self._me = me

    def _either(self, seat: Seat, you: str, i: str, name: str) -> str:
        if self._me is None:
            return name
        return you if seat == self._me else i

    def name(self, seat: Seat) -> str:
        """Who sits there, at the beginning of a sentence."""
        return self._either(seat, "You", "I", self._names[seat])

    def does(self, seat: Seat, verb: str) -> str:
        """Who does something: "You roll", "I roll", "Ann rolls"."""
        return f"{self.name(seat)} {verb}{'s' if self._me is None else ''}"

    def whose(self, seat: Seat) -> str:
        """Whose something is, at the beginning of a sentence."""
        return self._either(seat, "Your", "My", f"{self._names[seat]}'s")

    def asked(self, seat: Seat, request: str) -> str:
        """A request to a seat, by its name where two people are at the keyboard."""
        addressed = f"{self._names[seat]}, {request[0].lower()}{request[1:]}"
        return self._either(seat, request, request, addressed)

    def to(self, seat: Seat) -> str:
        """The beginning of a request to a seat."""
        return self._either(seat, "Your", "Your", f"{self._names[seat]}, your")


def choices(hand: Sequence[str]) -> str:
    """What may be typed for a die: "0, 1, 2"."""
    return ", ".join(str(number) for number in range(len(hand)))
