"""What FateStones says: who does what, the odds, and what perfect play would do."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from fairground.core import Seat
from fairground.games.fatestones import Hand
from fairground.solve.fatestones.choices import ROLLS, meeting, regrets, solve
from fairground.terminal.phrases import percent

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

LONGEST_FRACTION: Final = 15
"""Values can be fractions of forty digits: ``fairground solve fatestones`` shows them all."""


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


def exactly(share: Fraction) -> str:
    """A share in percents, and as a fraction where that is short enough to be read."""
    text = str(share)
    return f"{text} ({percent(share)})" if len(text) <= LONGEST_FRACTION else percent(share)


def advice(mine: Hand, theirs: Hand) -> list[str]:
    """What perfect play would do with these dice, with which chance, and what else costs."""
    found = solve(mine, theirs)
    costs, _ = regrets(mine, theirs)
    lines = [
        f"With perfect play you win with chance {exactly(found.value)}, "
        "a scratch counting one half. Choose by chance:",
    ]
    for number, (die, chance, cost) in enumerate(zip(mine, found.my_mix, costs, strict=True)):
        if chance == 1:
            lines.append(f"  {number}  {die}  always")
        elif chance:
            lines.append(f"  {number}  {die}  {exactly(chance)}")
        elif cost:
            lines.append(f"  {number}  {die}  never (costs {percent(cost)})")
        else:
            lines.append(f"  {number}  {die}  not needed (costs nothing)")
    return lines


def advised(mine: Hand, theirs: Hand) -> dict[str, str]:
    """The same for the record: chances as exact text."""
    return {str(i): str(chance) for i, chance in enumerate(solve(mine, theirs).my_mix)}


def cost(mine: Hand, theirs: Hand, pick: int) -> str:
    """What a choice that lies open now has cost, in chance to win against perfect play."""
    lost = regrets(mine, theirs)[0][pick]
    if not lost:
        return f"Your choice of {mine[pick]} was as good as any: it cost nothing."
    return f"Your choice of {mine[pick]} cost {percent(lost)} against perfect play."


def odds(mine: Hand, theirs: Hand) -> list[str]:
    """How each die fares against each: ways to win and to tie, out of 36."""
    lines = [
        f"Your dice (left) against theirs: ways to win + ways to tie, of {ROLLS}.",
        " " * 9 + "".join(f"  {die}" for die in theirs),
    ]
    for number, die in enumerate(mine):
        cells = "".join(
            f"{f'{meet.wins}+{meet.ties}':>8}" for meet in (meeting(die, other) for other in theirs)
        )
        lines.append(f"{number}  {die}{cells}")
    return lines


def choices(hand: Sequence[str]) -> str:
    """What may be typed for a die: "0, 1, 2"."""
    return ", ".join(str(number) for number in range(len(hand)))
