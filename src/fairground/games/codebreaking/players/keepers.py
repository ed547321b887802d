"""Keepers of a secret code: the honest and the kind one. The evil one is in `evil`.

A keeper is a player like any other: it sees its own view, and the rules check what it answers.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from fairground.core import Game, InputError, Move, Seat
from fairground.fair.bits import Stream
from fairground.games.codebreaking.rules import KEEPER, CodeBreaking, State, marks
from fairground.players import Player


class Keeper(Player):
    """What all keepers share: they keep, and leave the breaking to others."""

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        self.remarks: list[str] = []

    def choose(self, game: Game[Any], view: State, seat: Seat) -> Move:
        if not isinstance(game, CodeBreaking) or seat != KEEPER:
            raise InputError("this player keeps codes: it sits in seat 0 of code breaking")
        return self.answer(game, view) if view.phase == "answer" else self.show(game, view)

    @abstractmethod
    def answer(self, game: CodeBreaking, view: State) -> Move:
        """Full and partial matches for the guess that was asked."""

    @abstractmethod
    def show(self, game: CodeBreaking, view: State) -> Move:
        """A code that fits every answer."""


class FairKeeper(Keeper):
    """Tells the truth about the code that was drawn."""

    def answer(self, game: CodeBreaking, view: State) -> Move:
        assert isinstance(view.code, tuple) and view.asked is not None
        return marks(view.code, view.asked)

    def show(self, game: CodeBreaking, view: State) -> Move:
        assert isinstance(view.code, tuple)
        return view.code


class NiceKeeper(Keeper):
    """Makes the first submission its code."""

    def answer(self, game: CodeBreaking, view: State) -> Move:
        return game.length, 0

    def show(self, game: CodeBreaking, view: State) -> Move:
        return view.rows[-1].guess if view.rows else (0,) * game.length
