"""Players of code breaking, for both seats.

Breakers follow a full decision tree in small spaces, stored or built. In spaces that can only be
listed, they compare a sample of guesses. In larger ones `AnnealingBreaker` hunts for a code that
fits. A keeper is a player like any other: it sees its own view, and the rules check its answers.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, cast

from fairground.core import Game, HouseFault, InputError, Move, Seat
from fairground.fair.bits import Stream
from fairground.games.codebreaking.rules import (
    BREAKER,
    GIVE_UP,
    KEEPER,
    NO_CODE,
    Code,
    CodeBreaking,
    Marks,
    Row,
    State,
    fits,
    marks,
)
from fairground.games.codebreaking.solver.advice import (
    enumerable,
    listed,
    opening,
    sets,
    split_well,
)
from fairground.games.codebreaking.solver.trees import OPTIMAL, TREE_CODES, Tree, tree
from fairground.players import Player
from fairground.registry import needs

if TYPE_CHECKING:
    from fairground.games.codebreaking.solver.search import Searcher
    from fairground.games.codebreaking.solver.sets import Listed, Sampled

DEEP_CODES: Final = 10_000
"""Spaces of at most this many codes are searched for the hardest answer."""

WORD: Final = 64
"""Bits of the word into which the search packs a code."""

FORCED: Final = "concession: proven forced, no other code fits every answer"
UNPROVEN: Final = (
    "concession: not proven forced; no other code was found within the limits of the search"
)


class Breaker(Player):
    """A player of the breaker's seat."""

    def choose(self, game: Game[Any], view: State, seat: Seat) -> Move:
        if not isinstance(game, CodeBreaking) or seat != BREAKER:
            raise InputError("this player breaks codes: it sits in seat 1 of code breaking")
        guess = self.guess(view.rows)
        return GIVE_UP if guess is None else guess

    @abstractmethod
    def guess(self, rows: tuple[Row, ...]) -> Code | None:
        """The next guess after these rows; ``None`` when no code fits them."""


class TreeBreaker(Breaker):
    """Follows the tree of a strategy where one can be had, else the strategy itself.

    Without a strategy, it is the best that is known; ``optimal:5`` is the cheapest tree that never
    needs more than 5 guesses.
    """

    strategy: str | None = None

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        if not isinstance(game, CodeBreaking):
            raise InputError("this player breaks codes only")
        self._game = game
        self.tree: Tree | None = None
        self._strategy = self.strategy if argument is None else f"{OPTIMAL}:{argument}"
        if game.codes <= TREE_CODES and game.base * game.length <= 64:
            self.tree = tree(game.base, game.length, self._strategy)
        elif not enumerable(game.base, game.length):
            raise InputError(
                f"{game.base}^{game.length} codes cannot be listed: let 'annealing' break them"
            )

    def guess(self, rows: tuple[Row, ...]) -> Code | None:
        node = self.tree.after(rows) if self.tree else None
        if node is not None:
            return node.guess
        if not rows:
            return opening(self._game.base, self._game.length)
        return split_well(listed(self._game.base, self._game.length, rows), self._strategy)


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
    return TreeBreaker(game, chance, argument)


class Keeper(Player):
    """A player of the keeper's seat."""

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


class EvilKeeper(Keeper):
    """The least informative keeper: it changes its mind whenever that helps.

    It gives the answer that leaves the breaker the most codes (ties: the fewest full matches, then
    the fewest partial ones), over *all* that it has said before. Where the codes can be listed this
    is exact. Beyond that it holds a sample of codes that fit everything, and answers by what most
    of them say. So each answer has a witness, which is scored again against the whole board before
    a word is said.

    ``evil:deep`` gives the answer that costs the best breaker the most guesses instead, where that
    can be computed. The most codes are not always the hardest ones.

    Its answers depend on the board and on its seed alone. The same questions meet the same
    adversary, and a keeper that takes over in the middle of a game goes on as the first would have.
    ``chance`` gives it a seed of eight bytes, once.
    """

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        super().__init__(game, chance, argument)
        self._searcher = None if argument is None else _searcher(game, argument)
        self._seed = int.from_bytes(chance.take(8), "big")
        self._forget()

    def _forget(self) -> None:
        self._mind: Listed | Sampled | None = None
        self._rows: Sequence[Row] = ()
        self._kept = b""
        """The memory of an earlier keeper of this game, until it is read."""
        self._asked: Code | None = None
        """The guess for which the mind has been made up."""

    @property
    def size(self) -> int:
        return len(self._kept) + (0 if self._mind is None else self._mind.size)

    def memory(self) -> bytes:
        """Return the sample, the number of its rows, and its guess. A list is soon made again.

        The first line is JSON, the rest the codes, packed.
        """
        mind = self._mind
        if mind is None or enumerable(mind.base, mind.length):
            return b""
        mind = cast("Sampled", mind)
        about = {"rows": len(self._rows), "asked": self._asked, "chance": mind.chance}
        return json.dumps(about).encode() + b"\n" + mind.packed()

    def recall(self, memory: bytes) -> None:
        self._kept = memory

    def answer(self, game: CodeBreaking, view: State) -> Move:
        assert view.asked is not None
        if self._rows == view.rows and self._asked not in (None, view.asked):
            self._forget()
        mind = self._recall(game, view.rows)
        said = self._make_up(mind, view.asked)
        witness = mind.witness(view.asked, said)
        if not fits(witness, view.rows) or marks(witness, view.asked) != said:
            raise HouseFault(f"the witness {witness!r} does not fit the board")
        return said

    def show(self, game: CodeBreaking, view: State) -> Move:
        mind = self._recall(game, view.rows)
        return mind.code(0) if len(mind) else NO_CODE

    def _recall(self, game: CodeBreaking, rows: Sequence[Row]) -> Listed | Sampled:
        """The codes in mind after these rows: continued if possible, else from the start."""
        if self._kept:
            self._take_over(game, rows)
        if self._mind is None or self._rows != rows[: len(self._rows)]:
            self._forget()
            if enumerable(game.base, game.length):
                self._mind = listed(game.base, game.length, ())
            else:
                self._mind = sets().Sampled(game.base, game.length, self._seed)
        for row in rows[len(self._rows) :]:
            # For a row that it has not answered itself it goes through the same motions.
            self._make_up(self._mind, row.guess)
            self._mind.keep(row)
            self._asked = None
        self._rows = rows
        return self._mind

    def _take_over(self, game: CodeBreaking, rows: Sequence[Row]) -> None:
        head, _, packed = self._kept.partition(b"\n")
        self._kept = b""
        about = json.loads(head)
        self._rows = rows[: about["rows"]]
        self._asked = None if about["asked"] is None else tuple(about["asked"])
        self._mind = sets().Sampled.taken_over(
            game.base, game.length, self._rows, about["chance"], packed
        )

    def _make_up(self, mind: Listed | Sampled, guess: Code) -> Marks:
        """Look around among the codes that fit, and decide; a second time changes nothing."""
        if self._asked != guess:
            mind.refresh()
        said = self._preferred(mind, guess)
        if said == (mind.length, 0) and self._asked != guess:
            settled = mind.look_harder(guess)
            said = self._preferred(mind, guess)
            if said == (mind.length, 0):
                self.remarks.append(FORCED if settled else UNPROVEN)
        self._asked = guess
        return said

    def _preferred(self, mind: Listed | Sampled, guess: Code) -> Marks:
        """The answer after which the breaker has the most left to do."""
        if self._searcher is not None:  # then all codes are listed
            return self._hardest(self._searcher, cast("Listed", mind), guess)
        least: Marks = sets().least_informative(mind.sizes(guess), mind.length)
        return least

    def _hardest(self, searcher: Searcher, mind: Listed, guess: Code) -> Marks:
        """The answer that costs the best breaker the most guesses; ties: as without depth."""
        numbers, answers = mind.numbers().astype("int64"), mind.answers(guess)
        asked = (*(row.guess for row in self._rows), guess)

        def burden(answer: int) -> tuple[Fraction, int, int]:
            part = numbers[answers == answer]
            right = answer == mind.length * (mind.length + 1)
            return Fraction(0) if right else searcher.worst(part, asked).guesses, len(part), -answer

        full, partial = divmod(max(map(int, set(answers)), key=burden), mind.length + 1)
        return full, partial


def _searcher(game: Game[Any], argument: str) -> Searcher:
    """Return the search for the guesses that a set of codes needs; refuse too large a space."""
    with needs("solve", "the evil keeper"):
        from fairground.games.codebreaking.solver.search import Searcher
    if argument != "deep":
        raise InputError(f"the evil keeper is 'evil' or 'evil:deep', not 'evil:{argument}'")
    assert isinstance(game, CodeBreaking)
    if game.codes > DEEP_CODES or game.base * game.length > WORD:
        raise InputError(
            f"'evil:deep' needs at most {DEEP_CODES} codes, and base times length at most {WORD};"
            f" base {game.base} and length {game.length} are more: take 'evil'"
        )
    return Searcher(game.base, game.length)
