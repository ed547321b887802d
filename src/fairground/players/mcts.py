"""Tree search for games of simultaneous moves and chance: `mcts`.

A tree of positions grows: those in which somebody owes a move. In each of them every seat to
move runs *regret matching* of its own (the search is decoupled): it plays each of its moves in
proportion to how much better that move would have done so far, and it never sees what
the others are about to do. The average of these strategies approaches an equilibrium in
two-seat zero-sum games (Lisý et al., 2013), which the usual "best move" of a tree
search does not: with simultaneous moves any fixed move can be punished. Negative regret
is forgotten, and later strategies weigh more in the average ("regret matching plus"): early
strategies, made of few samples, soon count for little.

One iteration walks down from the root, draws chance from the handed stream, adds one
position, finishes the game with uniform moves, and carries the payoff back. A seat's regrets
in a position are updated for all its moves at once: by the mean payoff seen so far for each
other move against the same moves of the others, less that of the move that was made.

A turn of a single seat is the same thing with nobody else moving, and the average
strategy then settles on the best move. So the search serves every game whose views hide
nothing; where they do, it would have to guess what is hidden, and it does not.

The budget is a number of iterations (``mcts:200``), which is reproducible, or a time for
each choice (``mcts:50ms``), which is not.
"""

from __future__ import annotations

import re
import time
from collections.abc import Hashable
from itertools import islice
from typing import Any, Final, NamedTuple

from fairground.core import Awaits, Draw, Game, InputError, Move, Over, Seat
from fairground.fair.bits import Stream
from fairground.games.fatestones.rules import FateStones
from fairground.games.kernels import NativeStream
from fairground.players import Player, RandomPlayer, play

DEFAULT: Final = 1000
"""Iterations unless told otherwise."""

MOST: Final = 10**9

SPREAD: Final = 64
"""Draws with at most this many outcomes are spread evenly over them inside the tree."""

Vector = list[float]


class Budget(NamedTuple):
    """The limit of thought about one move: iterations, or milliseconds."""

    iterations: int | None
    milliseconds: int | None


def parse_budget(argument: str | None) -> Budget:
    """Read what was written after ``mcts:``."""
    if argument is None:
        return Budget(DEFAULT, None)
    fits = re.fullmatch(r"([1-9][0-9]{0,9})(ms)?", argument)
    if fits is None or int(fits[1]) > MOST:
        raise InputError(
            f"mcts wants a number of iterations such as mcts:200, or a time such as mcts:50ms, "
            f"not {argument!r}"
        )
    number = int(fits[1])
    return Budget(None, number) if fits[2] else Budget(number, None)


class Position:
    """The knowledge of the search about one position."""

    __slots__ = ("averages", "means", "moves", "regrets", "seats", "visits")

    def __init__(self, game: Game[Any], state: Any, seats: tuple[Seat, ...]) -> None:
        self.seats = seats
        self.moves: list[list[Move]] = [list(game.choices(state, seat)) for seat in seats]
        self.regrets: list[Vector] = [[0.0] * len(moves) for moves in self.moves]
        self.averages: list[Vector] = [[0.0] * len(moves) for moves in self.moves]
        self.means: dict[tuple[int, ...], tuple[int, Vector]] = {}
        """Picks of all seats to move → how often, and the mean payoff of each of them."""
        self.visits = 0

    def strategy(self, i: int) -> Vector:
        """Regret matching: in proportion to regret, which is never negative; else uniform."""
        regrets = self.regrets[i]
        total = 0.0
        for regret in regrets:  # not `sum`, which rounds otherwise in later versions of Python
            total += regret
        if total <= 0.0:
            return [1.0 / len(regrets)] * len(regrets)
        return [regret / total for regret in regrets]

    def average(self, i: int) -> Vector:
        """The average of the strategies played here: what approaches equilibrium."""
        return shares(self.averages[i])

    def select(self, chance: Stream) -> tuple[int, ...]:
        """Picks of all seats to move, with some exploration, which fades with the visits."""
        self.visits = visits = self.visits + 1
        explore = visits ** (-1.0 / 3.0)
        picks = []
        for i, moves in enumerate(self.moves):
            strategy = self.strategy(i)
            sums = self.averages[i]
            for move, weight in enumerate(strategy):
                sums[move] += weight * visits
            if fraction(chance) < explore:
                picks.append(chance.below(len(moves)))
            else:
                picks.append(pick(strategy, fraction(chance)))
        return tuple(picks)

    def learn(self, picks: tuple[int, ...], payoff: tuple[int, ...]) -> None:
        """Carry one payoff into the means and the regrets."""
        means = self.means
        seen, mean = means.get(picks, (0, [0.0] * len(self.seats)))
        seen += 1
        mean = [m + (payoff[s] - m) / seen for m, s in zip(mean, self.seats, strict=True)]
        means[picks] = seen, mean
        for i, regrets in enumerate(self.regrets):
            mine, got, others = picks[i], mean[i], list(picks)
            for move, regret in enumerate(regrets):
                if move == mine:
                    continue
                others[i] = move
                known = means.get(tuple(others))
                if known is not None:
                    more = regret + known[1][i] - got
                    regrets[move] = more if more > 0.0 else 0.0


def shares(weights: Vector) -> Vector:
    """Weights as parts of one; all alike if there are none."""
    total = sum(weights)
    if total <= 0.0:
        return [1.0 / len(weights)] * len(weights)
    return [weight / total for weight in weights]


def fraction(chance: Stream) -> float:
    """A number from 0 up to (not including) 1, in steps of 2^-32."""
    return int.from_bytes(chance.take(4), "big") / 2**32


def pick(strategy: Vector, at: float) -> int:
    """The index at which the strategy's running sum passes ``at``."""
    for index, weight in enumerate(strategy):
        at -= weight
        if at < 0.0:
            return index
    # Rounding may leave a sliver at the end: it belongs to the last move in use.
    return max(index for index, weight in enumerate(strategy) if weight > 0.0)


class SearchSpot:
    """One state inside the tree, with what it awaits and where it leads.

    The rules are asked once for each step; afterwards a walk only follows links.
    """

    __slots__ = ("after", "awaits", "left", "position", "state")

    def __init__(self, state: Hashable, awaits: Awaits) -> None:
        self.state: Any = state
        self.awaits = awaits
        self.after: dict[int | tuple[int, ...], SearchSpot] = {}
        """The draw, or the picks of all seats to move → the next spot."""
        self.left: list[int] = []
        """Draws that have yet to come before any of them comes again."""
        self.position: Position | None = None


class Search:
    """One tree, growing from one position."""

    def __init__(self, game: Game[Any], root: Hashable, chance: Stream) -> None:
        self._game = game
        self._chance = chance
        self._spots: dict[Hashable, SearchSpot] = {}
        self._root = self._spot(root)
        self._uniform = [RandomPlayer(game, chance)] * game.seats

    def _spot(self, state: Hashable) -> SearchSpot:
        """The spot of a state, by whichever way it was reached."""
        spot = self._spots.get(state)
        if spot is None:
            spot = self._spots[state] = SearchSpot(state, self._game.awaits(state))
        return spot

    def _outcome(self, spot: SearchSpot, n: int) -> int:
        """A draw inside the tree: no outcome comes again before all the others came.

        Each is as likely as it must be, but the means settle much sooner than with
        independent draws: after n visits every outcome has been counted once.
        """
        if n > SPREAD:
            return self._chance.below(n)
        if not spot.left:
            spot.left = list(range(n))
        return spot.left.pop(self._chance.below(len(spot.left)))

    def iterate(self) -> None:
        """Walk down, add one position, finish the game at random, carry the payoff back."""
        game, chance = self._game, self._chance
        spot, path = self._root, []
        new = False
        while not new and not isinstance(awaits := spot.awaits, Over):
            step: int | tuple[int, ...]
            if isinstance(awaits, Draw):
                step = self._outcome(spot, awaits.n)
            else:
                if spot.position is None:
                    spot.position = Position(game, spot.state, awaits.seats)
                    new = True
                step = spot.position.select(chance)
                path.append((spot.position, step))
            after = spot.after.get(step)
            if after is None:
                after = spot.after[step] = self._spot(self._stepped(spot, step))
            spot = after
        over = spot.awaits
        if not isinstance(over, Over):
            *_, end = play(game, self._uniform, chance, spot.state)
            over = game.awaits(end)
            assert isinstance(over, Over)
        for position, picks in path:
            position.learn(picks, over.payoff)

    def _stepped(self, spot: SearchSpot, step: int | tuple[int, ...]) -> Hashable:
        """The state after a draw, or after these picks."""
        state: Hashable
        if isinstance(step, int):
            state = self._game.drawn(spot.state, step)
        else:
            at = spot.position
            assert at is not None  # these are its picks
            chosen = zip(at.seats, at.moves, step, strict=True)
            state = self._game.played(spot.state, {seat: moves[p] for seat, moves, p in chosen})
        return state

    def run(self, budget: Budget) -> None:
        """Iterate as long as the budget allows, and at least once."""
        if budget.iterations is not None:
            for _ in range(budget.iterations):
                self.iterate()
            return
        assert budget.milliseconds is not None  # a budget is one or the other
        end = time.monotonic() + budget.milliseconds / 1000
        self.iterate()
        while time.monotonic() < end:
            self.iterate()

    @property
    def root(self) -> Position:
        """The position from which the search grows; `run` the search first."""
        assert self._root.position is not None
        return self._root.position

    def strategy(self, seat: Seat) -> dict[Move, float]:
        """The average strategy of a seat at the root; `run` the search first."""
        at = self.root
        i = at.seats.index(seat)
        return dict(zip(at.moves[i], at.average(i), strict=True))


class MctsPlayer(Player):
    """Thinks by `Search`, and plays the average strategy."""

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        self._budget = parse_budget(argument)
        self._chance = chance

    def strategy(self, game: Game[Any], view: Any, seat: Seat) -> dict[Move, float]:
        """Return the chance with which it plays each move here, after a search of its budget.

        A simulation hands it a stream that a compiled search can read. At a table the plain
        search runs, because the compiled one takes a while to load.
        """
        iterations = self._budget.iterations
        if (
            isinstance(self._chance, NativeStream)
            and isinstance(game, FateStones)
            and game.scratch == "end"
            and iterations is not None
        ):
            from fairground.games.fatestones.solver import mcts as compiled

            if iterations <= compiled.MOST:
                weights = compiled.averages(view.hands, iterations, self._chance)[seat]
                return dict(enumerate(shares(weights)))
        search = Search(game, view, self._chance)
        search.run(self._budget)
        return search.strategy(seat)

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        first = list(islice(game.choices(view, seat), 2))
        if len(first) == 1:
            return first[0]
        strategy = self.strategy(game, view, seat)
        moves = list(strategy)
        return moves[pick(list(strategy.values()), fraction(self._chance))]
