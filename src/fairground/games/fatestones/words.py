"""Words for FateStones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from fairground.core import Move, Seat
from fairground.games.fatestones.rules import FateStones, Hand, State
from fairground.words.plain import PlainWords, count, listed

SMALL_BAG: Final = 12
"""The most dice of a bag that are all named."""


class FateStonesWords(PlainWords[FateStones]):
    """Two hands of odd dice."""

    rules = (
        "Three dice each are dealt from one bag, and everyone sees all six. A die is written as "
        "its six faces: 111666 shows a one or a six.\n"
        "Both choose one of their dice in secret. The choices are sealed, so that nobody can "
        "change theirs. Then both dice are rolled, and the higher roll wins the game.\n"
        "A tie uses up both dice, and both choose again from those that are left. A tie with the "
        "last dice is a scratch."
    )
    looks: ClassVar[Mapping[str, str]] = {
        "phase": "text",
        "hands": "stone",
        "picks": "die",
        "rolls": "pips",
        "scratches": "score",
    }

    def parameters(self) -> list[str]:
        after = (
            "After a scratch the bag is filled, and dealt anew."
            if self.game.scratch == "redeal"
            else "A scratch ends the game, and nobody wins."
        )
        if self.game.hands is not None:
            hands = [f"{self.whose(seat)} dice: {_dice(self.game.hands[seat])}." for seat in (0, 1)]
            return [*hands, after]
        bag = f"The bag holds {count(len(self.game.bag), 'die', 'dice')}"
        named = f": {', '.join(self.game.bag)}" if len(self.game.bag) <= SMALL_BAG else ""
        return [f"{bag}{named}.", after]

    def state(self, view: State) -> list[str]:
        lines = [
            f"{self.whose(seat)} dice: {_dice(hand)}."
            for seat, hand in enumerate(view.hands)
            if hand
        ]
        if view.picks is not None:
            lines += [f"{self._took(view, seat)}." for seat in (0, 1)]
        return lines or ["No dice are dealt."]

    def _took(self, view: State, seat: Seat) -> str:
        assert view.picks is not None
        return f"{self.does(seat, 'take')} the die {view.hands[seat][view.picks[seat]]}"

    def question(self, view: State, seat: Seat) -> str:
        return self.to(seat, "Which die do you roll?")

    def option(self, view: State, seat: Seat, move: Move) -> str:
        assert isinstance(move, int)
        hand = view.hands[seat]
        die = hand[move]
        return f"{die} in place {move}" if hand.count(die) > 1 else die

    def read(self, view: State, seat: Seat, text: str) -> Move:
        die = "".join(text.split())
        hand = view.hands[seat]
        return hand.index(die) if die in hand else super().read(view, seat, text)

    def move(self, view: State, seat: Seat, move: Move) -> str:
        assert isinstance(move, int)
        return f"{self.does(seat, 'take')} the die {view.hands[seat][move]}."

    def drawn(self, before: State, after: State, n: int, value: int | None) -> str | None:
        if before.phase == "deal":
            if after.phase == "deal":
                return None
            hands = [
                f"{self.does(seat, 'have', 'has')} {_dice(after.hands[seat])}" for seat in (0, 1)
            ]
            return f"The dice are dealt. {hands[0]}. {hands[1]}."
        assert before.picks is not None
        seat = len(before.rolls)
        die = before.hands[seat][before.picks[seat]]
        face = after.rolls[0] if seat == 0 else after.last.rolls[1] if after.last else 0
        rolls = f"{self.does(seat, 'roll')} the die {die}: it shows {face}."
        if after.phase == "choose":
            return f"{rolls} A tie: both dice are gone. Choose again."
        if after.phase == "deal":
            return f"{rolls} A tie with the last dice is a scratch. The bag is filled again."
        return rolls

    def over(self, view: State, payoff: Sequence[int]) -> str:
        if view.phase != "over" or view.last is None:
            return super().over(view, payoff)
        high, low = max(view.last.rolls), min(view.last.rolls)
        if high == low:
            return f"A scratch: both rolled {high} with the last dice. Nobody wins."
        return f"{self.does(0 if payoff[0] > 0 else 1, 'win')}: {high} is more than {low}."


def _dice(hand: Hand) -> str:
    return listed(hand)
