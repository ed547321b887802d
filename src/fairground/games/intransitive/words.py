"""Words for intransitive dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from fairground.core import IllegalMove, Move, Seat
from fairground.games.intransitive.rules import COMPUTER, USER, Die, Intransitive, State
from fairground.words.plain import PlainWords

LONGEST_LABEL: Final = 60


def label(die: Die) -> str:
    """Return a die; a very long one by its beginning and its number of faces."""
    text = str(die)
    if len(text) <= LONGEST_LABEL:
        return text
    return f"{text[: LONGEST_LABEL - 20]}... ({len(die.faces)} faces)"


class IntransitiveWords(PlainWords[Intransitive]):
    """Two players take different dice and roll."""

    rules = (
        "Two players take different dice and roll them once. The higher roll wins.\n"
        "A fair coin decides who takes a die first. The dice may beat each other in a circle, so "
        "no die need be the best. Whoever takes second can look for a die that beats the first."
    )
    looks: ClassVar[Mapping[str, str]] = {
        "first": "seat",
        "picks": "die",
    }

    def parameters(self) -> list[str]:
        return [f"Die {number}: {label(die)}" for number, die in enumerate(self.game.dice)]

    def state(self, view: State) -> list[str]:
        if view.first is None:
            return ["It is not known yet who takes a die first."]
        lines = [f"{self.does(view.first, 'take')} a die first."]
        for seat in (COMPUTER, USER):
            pick = view.picks[seat]
            if pick is not None:
                rolled = view.rolls[seat] is not None
                result = f" and rolled {self.game.result(view, seat)}" if rolled else ""
                has = self.does(seat, "have", "has")
                lines.append(f"{has} the die {label(self.game.dice[pick])}{result}.")
        return lines

    def question(self, view: State, seat: Seat) -> str:
        return self.to(seat, "Which die do you take?")

    def option(self, view: State, seat: Seat, move: Move) -> str:
        """Return the die. One with a single face must not look like a number of the menu."""
        assert isinstance(move, int)
        die = self.game.dice[move]
        return label(die) if len(die.faces) > 1 else f"only {die}"

    def read(self, view: State, seat: Seat, text: str) -> Move:
        """Read a number of the menu, or a die as it was given."""
        try:
            return super().read(view, seat, text)
        except IllegalMove:
            typed = "".join(text.split())
            for move in self.game.moves(view, seat):
                assert isinstance(move, int)
                if typed == str(self.game.dice[move]):
                    return move
            raise

    def move(self, view: State, seat: Seat, move: Move) -> str:
        assert isinstance(move, int)
        return f"{self.does(seat, 'take')} the die {label(self.game.dice[move])}."

    def drawn(self, before: State, after: State, n: int, value: int | None) -> str | None:
        if before.first is None:
            assert after.first is not None
            return f"{self.does(after.first, 'take')} a die first."
        seat = COMPUTER if before.rolls[COMPUTER] is None else USER
        pick = after.picks[seat]
        assert pick is not None
        die, result = label(self.game.dice[pick]), self.game.result(after, seat)
        return f"{self.does(seat, 'roll')} the die {die}: it shows {result}."

    def over(self, view: State, payoff: Sequence[int]) -> str:
        if None in view.rolls:
            return super().over(view, payoff)
        results = [self.game.result(view, seat) for seat in (COMPUTER, USER)]
        if payoff[COMPUTER] == payoff[USER]:
            return f"A tie: both rolled {results[0]}. Nobody wins."
        winner = COMPUTER if payoff[COMPUTER] > payoff[USER] else USER
        return f"{self.does(winner, 'win')}: {max(results)} is more than {min(results)}."
