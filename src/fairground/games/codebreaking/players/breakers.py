"""Breakers of codes: by a perfect tree, by one-step rules, by search in large spaces.

In small spaces they follow a full decision tree, stored or built. Where the codes can only be
listed, they compare a sample of guesses. In larger spaces `AnnealingBreaker` hunts for a code
that fits.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from fairground.core import Game, InputError, Move, Seat
from fairground.fair.bits import Stream
from fairground.games.codebreaking.rules import BREAKER, GIVE_UP, Code, CodeBreaking, Row, State
from fairground.games.codebreaking.solver.advice import enumerable, listed, opening, split_well
from fairground.games.codebreaking.solver.trees import OPTIMAL, TREE_CODES, Tree, tree
from fairground.players import Player
from fairground.registry import needs


class Breaker(Player):
    """What all breakers share: they break, and leave the keeping to others."""

    def choose(self, game: Game[Any], view: State, seat: Seat) -> Move:
        if not isinstance(game, CodeBreaking) or seat != BREAKER:
            raise InputError("this player breaks codes: it sits in seat 1 of code breaking")
        guess = self.guess(view.rows)
        return GIVE_UP if guess is None else guess

    @abstractmethod
    def guess(self, rows: tuple[Row, ...]) -> Code | None:
        """The next guess after these rows; ``None`` when no code fits them."""


class TreeBreaker(Breaker):
    """Follows the tree of a strategy where one can be had, else the strategy itself."""

    strategy: str | None = None
    """The best that is known, unless a subclass names another."""

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        if not isinstance(game, CodeBreaking):
            raise InputError("this player breaks codes only")
        self._game = game
        self.tree: Tree | None = None
        self._strategy = self.strategy_for(argument)
        if game.codes <= TREE_CODES and game.base * game.length <= 64:
            self.tree = tree(game.base, game.length, self._strategy)
        elif not enumerable(game.base, game.length):
            raise InputError(
                f"{game.base}^{game.length} codes cannot be listed: let 'annealing' break them"
            )

    def strategy_for(self, argument: str | None) -> str | None:
        """What was written after the colon decides only for `OptimalBreaker`."""
        return self.strategy

    def guess(self, rows: tuple[Row, ...]) -> Code | None:
        node = self.tree.after(rows) if self.tree else None
        if node is not None:
            return node.guess
        if not rows:
            return opening(self._game.base, self._game.length)
        return split_well(listed(self._game.base, self._game.length, rows), self._strategy)


class OptimalBreaker(TreeBreaker):
    """The cheapest tree known; ``optimal:5`` the cheapest that never needs more than 5."""

    def strategy_for(self, argument: str | None) -> str | None:
        return None if argument is None else f"{OPTIMAL}:{argument}"


class EntropyBreaker(TreeBreaker):
    """The guess whose answer carries the most information."""

    strategy = "entropy"


class ExpectedBreaker(TreeBreaker):
    """The guess that leaves the fewest codes on average."""

    strategy = "expected"


class PartsBreaker(TreeBreaker):
    """The guess with the most different answers."""

    strategy = "parts"


class MinimaxBreaker(TreeBreaker):
    """The guess whose worst answer leaves the fewest codes."""

    strategy = "minimax"


class AnnealingBreaker(Breaker):
    """Hunts for a code that fits, at any size; ``annealing:400`` sets the rounds per guess."""

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        with needs("solve", "the player annealing"):
            from fairground.games.codebreaking.solver.large_spaces import ROUNDS, LargeSpaceSearch
        if not isinstance(game, CodeBreaking):
            raise InputError("this player breaks codes only")
        rounds = ROUNDS
        if argument is not None:
            if not argument.isascii() or not argument.isdigit() or not 1 <= int(argument) <= 10**6:
                raise InputError(f"the rounds per guess must be in 1..1000000, not {argument!r}")
            rounds = int(argument)
        seed = int.from_bytes(chance.take(8), "big")
        self._hunt = LargeSpaceSearch(game.base, game.length, seed, rounds)

    def guess(self, rows: tuple[Row, ...]) -> Code | None:
        return self._hunt.next(rows)


def best_breaker(game: Game[Any], chance: Stream, argument: str | None = None) -> Breaker:
    """The best breaker that we have for a game: a tree, a split, or search in a large space."""
    if isinstance(game, CodeBreaking) and not enumerable(game.base, game.length):
        return AnnealingBreaker(game, chance, argument)
    return OptimalBreaker(game, chance, argument)
