"""Moves and views as numbers: an observation is an array of integers, an action is one integer.

Our games have codecs of their own. Another small game is explored once, from its start through
every draw and every move: that finds all its moves, and the length of its views. For a larger one
write a `Codec` and pass it to the environment.
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
from fairground.games.codebreaking import rules as codebreaking
from fairground.games.fatestones import rules as fatestones
from fairground.games.intransitive import rules as intransitive
from fairground.games.poker import rules as poker
from fairground.games.zombie import rules as zombie

Row = NDArray[np.int32]
MOST_STATES: Final = 50_000
"""Maximum number of states of a game whose moves are found by exploring it."""
MOST_CODES: Final = 100_000
SHOWN_ROWS: Final = 12
"""Number of rows of a board of code breaking that an agent sees: the last ones."""
LARGE: Final = 2**31 - 1


class Codec(ABC):
    """Converts a game's moves and views to numbers."""

    size: int
    """Number of integers in a view."""
    low: int = 0
    high: int = LARGE
    """The bounds of all integers of a view."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game

    @abstractmethod
    def actions(self, seat: Seat) -> Sequence[Move]:
        """Return every move that this seat may ever choose, always in the same order."""

    @abstractmethod
    def numbers(self, view: Any, seat: Seat) -> Iterable[int]:
        """Return at most `size` integers; missing ones are 0."""

    # What follows from these

    @cached_property
    def _tables(self) -> list[tuple[Sequence[Move], dict[Move, int]]]:
        listed = [tuple(self.actions(seat)) for seat in range(self.game.seats)]
        return [(moves, {move: at for at, move in enumerate(moves)}) for moves in listed]

    def count(self, seat: Seat) -> int:
        return len(self._tables[seat][0])

    def move(self, seat: Seat, action: int) -> Move:
        return self._tables[seat][0][action]

    def action(self, seat: Seat, move: Move) -> int:
        return self._tables[seat][1][move]

    def legal(self, view: Any, seat: Seat) -> list[int]:
        """Return the legal actions of a seat, in ascending order."""
        at = self._tables[seat][1]
        return sorted(at[move] for move in self.game.choices(view, seat))

    def mask(self, legal: Sequence[int], seat: Seat) -> NDArray[np.int8]:
        """Return legal actions as ones among zeros."""
        made = np.zeros(self.count(seat), np.int8)
        made[list(legal)] = 1
        return made

    def encode(self, view: Any, seat: Seat) -> Row:
        row = np.zeros(self.size, np.int32)
        found = list(self.numbers(view, seat))
        row[: len(found)] = found
        return row

    @property
    def acting(self) -> list[Seat]:
        return [seat for seat in range(self.game.seats) if self.count(seat)]


class DiceCodec(Codec):
    """1 if I choose first; my die and the other's, counted from 1 (0: none yet)."""

    game: intransitive.Intransitive

    def __init__(self, game: intransitive.Intransitive) -> None:
        super().__init__(game)
        self.size, self.high = 3, max(2, len(game.dice))

    def actions(self, seat: Seat) -> Sequence[Move]:
        return range(len(self.game.dice))

    def numbers(self, view: intransitive.State, seat: Seat) -> Iterable[int]:
        picks = [0 if pick is None else pick + 1 for pick in view.picks]
        return int(view.first == seat), picks[seat], picks[1 - seat]


class StonesCodec(Codec):
    """The faces of my dice, then of the other's: three times six each, 0 for a die that is gone."""

    size = 2 * fatestones.HAND * fatestones.FACES
    high = 6

    def actions(self, seat: Seat) -> Sequence[Move]:
        return range(fatestones.HAND)

    def numbers(self, view: fatestones.State, seat: Seat) -> Iterator[int]:
        for hand in (view.hands[seat], view.hands[1 - seat]):
            for place in range(fatestones.HAND):
                yield from _faces(hand[place]) if place < len(hand) else (0,) * 6


_faces = lru_cache(maxsize=512)(fatestones.pips)


class ZombieCodec(Codec):
    """The brains of all players, beginning with me; then the turn.

    The turn has brains, rolls, the colours in the three cells (from 1; 0: empty), and bag, brain
    dice and shotgun dice by colour. The round follows, and who is still playing.
    """

    def __init__(self, game: zombie.Zombie) -> None:
        super().__init__(game)
        self.size = 2 * game.seats + 6 + 9

    def actions(self, seat: Seat) -> Sequence[Move]:
        return zombie.ROLL, zombie.HOLD

    def numbers(self, view: zombie.State, seat: Seat) -> Iterator[int]:
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
        return list(product((0, 1), repeat=poker.HAND)) if seat == poker.PLAYER else ()

    def numbers(self, view: poker.State, seat: Seat) -> Iterable[int]:
        return (card + 1 for card in view.dealt)


class CodeCodec(Codec):
    """The phase, the number of rows, the code if I may know it, the open guess, and the last rows.

    A row has digits, full and partial matches. All digits are counted from 1.
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
        codes = list(product(range(self.game.base), repeat=self.game.length))
        if seat == codebreaking.BREAKER:
            return [*codes, codebreaking.GIVE_UP]
        answers = list(codebreaking.possible_marks(self.game.length))
        if self.game.length == 2:  # an answer is a pair of numbers, and so is a code
            codes = [code for code in codes if code not in answers]
        return [*answers, *codes, codebreaking.NO_CODE]

    def numbers(self, view: codebreaking.State, seat: Seat) -> Iterator[int]:
        yield from (self.PHASES.index(view.phase), len(view.rows))
        for code in (view.code, view.asked):
            known = code if isinstance(code, tuple) else (-1,) * self.game.length
            yield from (digit + 1 for digit in known)
        for row in view.rows[-SHOWN_ROWS:]:
            yield from (digit + 1 for digit in row.guess)
            yield from row.marks


class WalkedCodec(Codec):
    """Any small game: its views as flat lists of integers.

    A tuple is written after its length, nothing as -1, and text as its index among all texts that
    occur.
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
        return self._moves[seat]

    def numbers(self, view: Any, seat: Seat) -> Iterable[int]:
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
    """Yield every reachable state."""
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


CODECS: Final[dict[type, type[Codec]]] = {
    intransitive.Intransitive: DiceCodec,
    fatestones.FateStones: StonesCodec,
    zombie.Zombie: ZombieCodec,
    poker.Poker: PokerCodec,
    codebreaking.CodeBreaking: CodeCodec,
}


@lru_cache(maxsize=32)
def codec_of(game: Game[Any]) -> Codec:
    """Return the codec of a game."""
    known = (codec for rules, codec in CODECS.items() if isinstance(game, rules))
    return next(known, WalkedCodec)(game)
