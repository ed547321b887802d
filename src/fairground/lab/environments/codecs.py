"""Moves and views as numbers: what an agent sees is a row of integers, what it does is one.

Our games have codecs of their own. Another small game is walked through once, from its start
through every draw and every move: that finds all its moves, and how long its views get. For a
larger one write a `Codec` and hand it to the environment.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from fairground.core import HIDDEN, Draw, Game, InputError, Move, Over, Seat
from fairground.games import codebreaking, fatestones, intransitive, poker, zombie

Row = NDArray[np.int32]
MOST_STATES: Final = 50_000
"""A game with more states is not walked through."""
MOST_CODES: Final = 100_000
SHOWN_ROWS: Final = 12
"""Of a board of code breaking, the last rows that an agent sees."""
LARGE: Final = 2**31 - 1


class Codec(ABC):
    """How a game's moves and views become numbers."""

    size: int
    """How many numbers a view has."""
    low: int = 0
    high: int = LARGE
    """Between these all numbers of a view lie."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game

    @abstractmethod
    def actions(self, seat: Seat) -> Sequence[Move]:
        """Every move that this seat may ever choose, always in the same order."""

    @abstractmethod
    def numbers(self, view: Any, seat: Seat) -> Iterable[int]:
        """At most `size` numbers; what is missing is 0."""

    # What follows from these

    @cached_property
    def _tables(self) -> list[tuple[Sequence[Move], dict[Move, int]]]:
        listed = [tuple(self.actions(seat)) for seat in range(self.game.seats)]
        return [(moves, {move: at for at, move in enumerate(moves)}) for moves in listed]

    def count(self, seat: Seat) -> int:
        """How many actions a seat has."""
        return len(self._tables[seat][0])

    def move(self, seat: Seat, action: int) -> Move:
        """The move that an action stands for."""
        return self._tables[seat][0][action]

    def action(self, seat: Seat, move: Move) -> int:
        """The action that stands for a move."""
        return self._tables[seat][1][move]

    def legal(self, view: Any, seat: Seat) -> list[int]:
        """The actions that a seat may choose from now, in ascending order."""
        at = self._tables[seat][1]
        return sorted(at[move] for move in self.game.choices(view, seat))

    def mask(self, legal: Sequence[int], seat: Seat) -> NDArray[np.int8]:
        """The same as ones among zeros."""
        made = np.zeros(self.count(seat), np.int8)
        made[list(legal)] = 1
        return made

    def encode(self, view: Any, seat: Seat) -> Row:
        """A view as a row."""
        row = np.zeros(self.size, np.int32)
        found = list(self.numbers(view, seat))
        row[: len(found)] = found
        return row

    @property
    def acting(self) -> list[Seat]:
        """The seats that ever move."""
        return [seat for seat in range(self.game.seats) if self.count(seat)]


class DiceCodec(Codec):
    """Who chooses first (1: I), my die and the other's, counted from 1 (0: none yet)."""

    game: intransitive.Intransitive

    def __init__(self, game: intransitive.Intransitive) -> None:
        super().__init__(game)
        self.size, self.high = 3, max(2, len(game.dice))

    def actions(self, seat: Seat) -> Sequence[Move]:
        """The numbers of the dice."""
        return range(len(self.game.dice))

    def numbers(self, view: intransitive.State, seat: Seat) -> Iterable[int]:
        """See above."""
        picks = [0 if pick is None else pick + 1 for pick in view.picks]
        return int(view.first == seat), picks[seat], picks[1 - seat]


class StonesCodec(Codec):
    """The faces of my dice, then of the other's: three times six each, 0 where one is gone."""

    size = 2 * fatestones.HAND * fatestones.FACES
    high = 6

    def actions(self, seat: Seat) -> Sequence[Move]:
        """The places of the dice left."""
        return range(fatestones.HAND)

    def numbers(self, view: fatestones.State, seat: Seat) -> Iterator[int]:
        """See above."""
        for hand in (view.hands[seat], view.hands[1 - seat]):
            for place in range(fatestones.HAND):
                yield from _faces(hand[place]) if place < len(hand) else (0,) * 6


_faces = lru_cache(maxsize=512)(fatestones.pips)


class ZombieCodec(Codec):
    """My brains and those of the others in turn order after me; then the turn.

    Of the turn: brains, rolls, the colours in the three cells (from 1; 0: empty), and bag, brain
    dice and shotgun dice by colour. At last the round, and who is still playing.
    """

    def __init__(self, game: zombie.Zombie) -> None:
        super().__init__(game)
        self.size = 2 * game.seats + 6 + 9

    def actions(self, seat: Seat) -> Sequence[Move]:
        """Roll, hold."""
        return zombie.ROLL, zombie.HOLD

    def numbers(self, view: zombie.State, seat: Seat) -> Iterator[int]:
        """See above."""
        at = view.order.index(seat)
        others = (*view.order[at:], *view.order[:at])
        yield from (view.scores[other] for other in others)
        yield from (view.brains, view.rolls)
        yield from (0 if die is None else die.colour + 1 for die in view.cells)
        yield from (*view.bag, *view.brain_dice, *view.shotgun_dice)
        yield view.round
        yield from (int(other in view.playing) for other in others)


class PokerCodec(Codec):
    """The five cards, counted from 1."""

    size = poker.HAND
    high = poker.DECK

    def actions(self, seat: Seat) -> Sequence[Move]:
        """The 32 orders; the croupier never moves."""
        return list(product((0, 1), repeat=poker.HAND)) if seat == poker.PLAYER else ()

    def numbers(self, view: poker.State, seat: Seat) -> Iterable[int]:
        """See above."""
        return (card + 1 for card in view.dealt)


class CodeCodec(Codec):
    """What is awaited, how many rows there are, the code if I may know it, the open guess, and
    the last `SHOWN_ROWS` rows: digits, full and partial matches. All digits are counted from 1.
    """

    game: codebreaking.CodeBreaking
    PHASES: Final = ("draw", "guess", "answer", "show", "over")

    def __init__(self, game: codebreaking.CodeBreaking) -> None:
        super().__init__(game)
        if game.codes > MOST_CODES:
            raise InputError(
                f"{game.base}^{game.length} codes are too many actions: an environment has at "
                f"most {MOST_CODES:,}"
            )
        self.size = 2 + 2 * game.length + SHOWN_ROWS * (game.length + 2)

    def actions(self, seat: Seat) -> Sequence[Move]:
        """The breaker's codes and giving up; the keeper's answers, codes and the admission."""
        codes = list(product(range(self.game.base), repeat=self.game.length))
        if seat == codebreaking.BREAKER:
            return [*codes, codebreaking.GIVE_UP]
        answers = list(codebreaking.possible_marks(self.game.length))
        if self.game.length == 2:  # an answer is a pair of numbers, and so is a code
            codes = [code for code in codes if code not in answers]
        return [*answers, *codes, codebreaking.NO_CODE]

    def numbers(self, view: codebreaking.State, seat: Seat) -> Iterator[int]:
        """See above."""
        yield from (self.PHASES.index(view.phase), len(view.rows))
        for code in (view.code, view.asked):
            known = code if isinstance(code, tuple) else (-1,) * self.game.length
            yield from (digit + 1 for digit in known)
        for row in view.rows[-SHOWN_ROWS:]:
            yield from (digit + 1 for digit in row.guess)
            yield from row.marks


class WalkedCodec(Codec):
    """Any small game: its views as plain numbers, one after the other.

    A group of values is written behind its length, nothing as -1, text as its place in the list of
    all texts that occur.
    """

    def __init__(self, game: Game[Any]) -> None:
        super().__init__(game)
        moves: list[set[Move]] = [set() for _ in range(game.seats)]
        texts: set[str] = set()
        flat: list[list[Any]] = []
        for state in states_of(game):
            for seat in range(game.seats):
                row = list(_flat(game.view(state, seat)))
                texts.update(value for value in row if isinstance(value, str))
                flat.append(row)
            awaits = game.awaits(state)
            if not isinstance(awaits, (Draw, Over)):
                for seat in awaits.seats:
                    moves[seat].update(game.choices(state, seat))
        self._moves = [sorted(found, key=repr) for found in moves]
        self._texts = {text: at for at, text in enumerate(sorted(texts))}
        self.size = max(map(len, flat))
        numbers = [self._number(value) for row in flat for value in row]
        self.low, self.high = min(0, *numbers), max(1, *numbers)

    def actions(self, seat: Seat) -> Sequence[Move]:
        """What was found."""
        return self._moves[seat]

    def numbers(self, view: Any, seat: Seat) -> Iterable[int]:
        """See above."""
        return (self._number(value) for value in _flat(view))

    def _number(self, value: Any) -> int:
        return self._texts[value] if isinstance(value, str) else int(value)


def _flat(value: Any) -> Iterator[Any]:
    if value is None or value is HIDDEN:
        yield -1
    elif isinstance(value, tuple):
        if not hasattr(value, "_fields"):
            yield len(value)
        for item in value:
            yield from _flat(item)
    else:
        yield value


def states_of(game: Game[Any]) -> Iterator[Any]:
    """Every state that can be reached."""
    seen = {game.start()}
    todo = list(seen)
    while todo:
        state = todo.pop()
        yield state
        if len(seen) > MOST_STATES:
            raise InputError(
                f"{game.name} has more than {MOST_STATES:,} states: its moves and views cannot be "
                "found by walking through it. Hand in a Codec of your own: codec=..."
            )
        match game.awaits(state):
            case Over():
                continue
            case Draw(n):
                after = (game.drawn(state, value) for value in range(min(n, MOST_STATES + 1)))
            case turn:
                each = [list(game.choices(state, seat)) for seat in turn.seats]
                after = (
                    game.played(state, dict(zip(turn.seats, moves, strict=True)))
                    for moves in product(*each)
                )
        for one in after:
            if one not in seen:
                seen.add(one)
                todo.append(one)


@lru_cache(maxsize=32)
def codec_of(game: Game[Any]) -> Codec:
    """The codec of a game."""
    if isinstance(game, intransitive.Intransitive):
        return DiceCodec(game)
    if isinstance(game, fatestones.FateStones):
        return StonesCodec(game)
    if isinstance(game, zombie.Zombie):
        return ZombieCodec(game)
    if isinstance(game, poker.Poker):
        return PokerCodec(game)
    if isinstance(game, codebreaking.CodeBreaking):
        return CodeCodec(game)
    return WalkedCodec(game)
