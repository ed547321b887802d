"""Words for Zombie Dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from fairground.core import IllegalMove, Move, Seat
from fairground.games.zombie.rules import (
    BRAIN,
    CELLS,
    COLOURS,
    FOOTPRINTS,
    HOLD,
    PASS,
    ROLL,
    SHOTGUN,
    Cells,
    State,
    Zombie,
)
from fairground.words.plain import PlainWords, count, listed

TYPED: Final = {"": ROLL, "r": ROLL, "roll": ROLL, "h": HOLD, "hold": HOLD}
"""Typed command → move."""

FACES: Final = {BRAIN: "brain", FOOTPRINTS: "footprint", SHOTGUN: "shotgun"}


class ZombieWords(PlainWords[Zombie]):
    """Brains, shotguns, and whose turn it is."""

    rules = (
        "You are a zombie, and eat brains. In your turn you roll three dice from a bag. A brain "
        "counts one, a shotgun hurts, and footprints are rolled again next time.\n"
        "After each roll you choose. If you hold, you keep the brains of this turn, and the next "
        "player rolls. If you roll again, you may get more. With three shotguns in one turn "
        "you lose the brains of this turn.\n"
        "Green dice are kind, yellow dice are fair, and red dice are dangerous. The most brains "
        "win; those who are level at the top play extra rounds."
    )
    looks: ClassVar[Mapping[str, str]] = {
        "phase": "text",
        "order": "seat",
        "playing": "seat",
        "seat": "seat",
        "scores": "score",
        "turns": "score",
        "brains": "score",
        "scored": "score",
        "cells": "die",
        "rolled": "die",
    }

    def parameters(self) -> list[str]:
        game = self.game
        lines = [f"{count(game.seats, 'zombie')} play."]
        for colour, dice, faces in zip(COLOURS, game.dice, game.faces, strict=True):
            if dice:
                many = count(dice, f"{colour} die with", f"{colour} dice, each with")
                lines.append(f"{many} {_shown(faces)}.")
        if game.max_turns:
            lines.append(f"The game ends after {count(game.max_turns, 'round')}.")
        else:
            brains = count(game.brains_to_win, "brain")
            lines.append(f"The game ends with the round in which somebody has {brains}.")
        return lines

    def state(self, view: State) -> list[str]:
        if view.phase == "shuffle":
            return ["The order of the zombies is not drawn yet."]
        lines = [
            f"{self.does(seat, 'have', 'has')} {count(view.scores[seat], 'brain')} after "
            f"{count(view.turns[seat], 'turn')}."
            for seat in view.order
            if seat not in view.gone
        ]
        lines += [f"{self.does(seat, 'are', 'is')} out." for seat in view.gone]
        if view.phase == "over":
            return lines
        of = f" of {self.game.max_turns}" if self.game.max_turns and not view.extra else ""
        lines.append(f"Round {view.round}{of}.")
        if view.extra:
            lines.append("Extra round: only those who are level at the top play.")
        seat = view.playing[view.at]
        turn = "your" if seat == self.reader else f"{self.names[seat]}'s"
        so_far = [count(view.brains, "brain"), count(sum(view.shotgun_dice), "shotgun")]
        done = f": {listed(so_far)} so far" if view.rolls else ""
        lines.append(f"It is {turn} turn{done}.")
        if view.phase == "decide":
            lines += [self.dice(view), self.next_roll(view)]
        return lines

    def dice(self, view: State) -> str:
        """Tell the colours of the dice in the bag, and of those that show footprints."""
        bag = _colours(view.bag)
        colours = [die.colour for die in view.cells if die is not None]
        feet = [colours.count(at) for at in range(3)]
        again = f" Footprints: {_colours(feet)}." if any(feet) else ""
        return f"In the bag: {bag or 'nothing'}.{again}"

    def next_roll(self, view: State) -> str:
        """Tell how many dice the next roll takes from the bag, and which go back first."""
        taken = self.game.to_take(view)
        first = ""
        if view.cells.count(None) > sum(view.bag) and any(view.brain_dice):
            dice = sum(view.brain_dice)
            back = f"{count(dice, 'brain die', 'brain dice')} {'goes' if dice == 1 else 'go'}"
            first = f"The bag is short: {back} back into it first (the brains still count). "
        kept = CELLS - view.cells.count(None)
        if not taken:
            return f"Next roll: only the {count(kept, 'footprint')} again."
        again = f" and {count(kept, 'footprint')} again" if kept else ""
        return f"{first}Next roll: {count(taken, 'die', 'dice')} from the bag{again}."

    def question(self, view: State, seat: Seat) -> str:
        if view.rolls == 0:
            return self.to(seat, "You roll first. Roll?")
        return self.to(seat, f"Roll again, or hold {count(view.brains, 'brain')}?")

    def option(self, view: State, seat: Seat, move: Move) -> str:
        return str(move)

    def read(self, view: State, seat: Seat, text: str) -> Move:
        move = TYPED.get(text.strip().lower())
        if move is not None:
            self.game.check(view, seat, move)
            return move
        try:
            return super().read(view, seat, text)
        except IllegalMove:
            can = "r to roll" if view.rolls == 0 else "r to roll or h to hold"
            raise IllegalMove(f"type {can}, not {text!r}") from None

    def move(self, view: State, seat: Seat, move: Move) -> str:
        if move == ROLL:
            return f"{self.does(seat, 'roll')}."
        if move == PASS:
            return f"{self.does(seat, 'lose')} the turn: {lost(view.brains)}."
        total = view.scores[seat] + view.brains
        held = count(view.brains, "brain")
        return f"{self.does(seat, 'hold')} {held}, which makes {total}."

    def drawn(self, before: State, after: State, n: int, value: int | None) -> str | None:
        if before.phase == "shuffle":
            if after.phase == "shuffle":
                return None
            order = listed([self._named(seat) for seat in after.order])
            return f"The order of turns is: {order}."
        if after.phase in ("take", "throw"):
            return None
        seat = before.playing[before.at]
        if after.turns == before.turns:
            return f"{self.whose(seat)} roll shows {rolled(after.rolled)}."
        assert after.last is not None
        shots = sum(after.last.shotgun_dice)
        was = "were" if seat == self.reader else "was"
        return (
            f"{self.whose(seat)} roll shows {rolled(after.last.rolled)}. "
            f"{self.who(seat)} {was} shot {shots} times: {lost(after.last.brains)}."
        )

    def _named(self, seat: Seat) -> str:
        return "you" if seat == self.reader else self.names[seat]

    def over(self, view: State, payoff: Sequence[int]) -> str:
        if view.phase == "over":
            (seat,) = view.playing
            return f"{self.does(seat, 'win')} with {count(view.scores[seat], 'brain')}."
        if max(payoff) == 0:
            return "The game ends without a winner."
        return super().over(view, payoff)


def rolled(cells: Cells) -> str:
    """Describe a roll: ``2 brains and 1 shotgun``."""
    return _shown("".join(die.face for die in cells if die))


def _shown(faces: str) -> str:
    """Count faces in words, brains first."""
    order = (BRAIN, SHOTGUN, FOOTPRINTS)
    return listed([count(faces.count(f), FACES[f]) for f in order if f in faces])


def lost(brains: int) -> str:
    """Tell the cost of a turn without a result."""
    return f"{count(brains, 'brain')} lost" if brains else "nothing lost"


def _colours(dice: Sequence[int]) -> str:
    """Return the number of dice of each colour, in words."""
    return listed([f"{many} {name}" for name, many in zip(COLOURS, dice, strict=True) if many])
