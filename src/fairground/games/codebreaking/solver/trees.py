"""Decision trees for code breaking: built, stored, walked and counted.

A tree is stored as the list of its guesses, each as a number in the base, in the order "node, then
its parts by answer". Sets of one code or two need no entry: the lower code is guessed first.
Answers are not stored, because they follow from the rules. So a stored tree cannot claim a false
result.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fairground.core import InputError, TooMany, UnknownName
from fairground.games.codebreaking.rules import Code, Marks, Row, digits, marks
from fairground.registry import needs

if TYPE_CHECKING:
    from fairground.games.codebreaking.solver.search import Space

OPTIMAL: Final = "optimal"
BEAM: Final = "beam"
ONE_STEP: Final = ("entropy", "expected", "parts", "minimax")
STRATEGIES: Final = (OPTIMAL, BEAM, *ONE_STEP)

TREE_CODES: Final = 33_000
"""Maximum number of codes of a space for which full trees are built."""

PROVABLE: Final = 2500
"""Maximum number of codes of a space in which the optimum is searched for."""

PROOF_NODES: Final = 60_000
"""Maximum number of sets that the search for an optimum settles."""

DEEP: Final = 24
"""A number of guesses that no tree here needs."""


class Branch(NamedTuple):
    """A guess, whether it may be the code itself, and the branch of each other answer."""

    guess: Code
    wins: bool
    parts: dict[Marks, Branch]


class Tree(NamedTuple):
    """A complete strategy for one base and length."""

    base: int
    length: int
    strategy: str
    proven: bool
    """True if exhaustive search has shown that no tree within its depth is cheaper."""
    root: Branch
    at_least: int | None = None
    """A lower bound on the total of every tree, if known: see `bench/codebreaking_trees.py`."""

    def distribution(self) -> list[int]:
        """Return how many codes are found with guess 1, 2, 3, ..."""
        counts = []
        level = [self.root]
        while level:
            counts.append(sum(node.wins for node in level))
            level = [part for node in level for part in node.parts.values()]
        return counts

    def total(self) -> int:
        """Return the sum of the guesses of all codes."""
        return sum(i * count for i, count in enumerate(self.distribution(), start=1))

    def after(self, rows: Sequence[Row]) -> Branch | None:
        """Return the node that the rows lead to; ``None`` if they leave the tree."""
        node = self.root
        for guess, answer in rows:
            if guess != node.guess or answer not in node.parts:
                return None
            node = node.parts[answer]
        return node

    def figures(self) -> dict[str, Any]:
        """Return the object that ``fairground solve codebreaking --json`` prints."""
        distribution = self.distribution()
        codes = sum(distribution)
        average = Fraction(self.total(), codes)
        return {
            "base": self.base,
            "length": self.length,
            "strategy": self.strategy,
            "proven": self.proven,
            "codes": codes,
            "total": self.total(),
            "average": str(average),
            "worst": len(distribution),
            "distribution": distribution,
        }


def plant(base: int, length: int, guesses: Iterator[int]) -> Branch:
    """Build the tree of a stored list of guesses, for all codes of a base and length."""

    def node(members: list[Code]) -> Branch:
        guess = digits(next(guesses), base, length) if len(members) > 2 else members[0]
        split: dict[Marks, list[Code]] = {}
        for code in members:
            split.setdefault(marks(code, guess), []).append(code)
        won = split.pop((length, 0), None)
        return Branch(guess, won is not None, {a: node(split[a]) for a in sorted(split)})

    return node(list(product(range(base), repeat=length)))


def file_name(base: int, length: int, strategy: str) -> str:
    """Return the name of the file of a tree."""
    return f"codebreaking-{base}-{length}-{strategy.replace(':', '-')}.json"


def stored(base: int, length: int, strategy: str) -> Tree | None:
    """Return the tree that comes with the package, or ``None``."""
    from importlib.resources import files

    path = (
        files("fairground.games.codebreaking.solver") / "data" / file_name(base, length, strategy)
    )
    if not path.is_file():
        return None
    data = json.loads(path.read_text(encoding="utf-8"))
    root = plant(base, length, iter(data["guesses"]))
    return Tree(base, length, strategy, data["proven"], root, data.get("at_least"))


def best_stored(base: int, length: int) -> Tree | None:
    """Return the cheapest tree for this size that comes with the package, or ``None``."""
    return stored(base, length, OPTIMAL) or stored(base, length, BEAM)


def grow(base: int, length: int, strategy: str, effort: int = 1) -> Tree:
    """Build a tree by search. ``effort`` multiplies the width of a beam search."""
    codes = base**length
    if codes > TREE_CODES or base * length > 64:
        raise TooMany(
            f"no full tree for {base}^{length} codes: at most {TREE_CODES}, "
            "and base times length at most 64"
        )
    with needs("solve", "a decision tree that is not stored"):
        import numpy as np

        from fairground.games.codebreaking.solver import search
    kind, _, limit = strategy.partition(":")
    depth = _depth(limit)
    if kind == OPTIMAL:
        if codes > PROVABLE:
            raise TooMany(f"the optimum is searched for up to {PROVABLE} codes, not {codes}")
        ranked = search.ranking("cost", codes, 0.466)
        widths = search.widths(codes, codes, budget=PROOF_NODES * effort)
    elif kind == BEAM:
        ranked = search.ranking("cost", codes, 0.55 if length < 5 else 0.5)
        widths = search.widths(codes, effort * (2 if codes <= 10_000 else 1), 30, 10 * effort)
    elif kind in ONE_STEP:
        ranked = search.ranking(kind, codes)
        widths = search.widths(codes, 1)
    else:
        raise UnknownName(f"no strategy named {strategy!r}; there are: {', '.join(STRATEGIES)}")
    at = search.space(base, length, depth, ranked)
    known, choice = search.memory()
    total = search.cheapest(
        at,
        np.arange(codes),
        search.HOPELESS,
        depth,
        0,
        search.place_permutations(at),
        widths,
        known,
        choice,
    )
    if total >= search.HOPELESS:
        raise InputError(f"no tree for {base}^{length} codes was found within {depth} guesses")
    proven = kind == OPTIMAL and len(known) <= int(widths[0])
    return Tree(base, length, strategy, proven, _collect(at, depth, choice))


def _depth(limit: str) -> int:
    """Parse the depth in ``optimal:5``."""
    if not limit:
        return DEEP
    if not limit.isascii() or not limit.isdigit() or not 1 <= int(limit) <= DEEP:
        raise InputError(f"the most guesses must be in 1..{DEEP}, not {limit!r}")
    return int(limit)


def _collect(at: Space, depth: int, choice: Any) -> Branch:
    """Build the tree that a finished search has found."""
    import numpy as np

    from fairground.games.codebreaking.solver.scoring import Ints
    from fairground.games.codebreaking.solver.search import split

    codes = [tuple(map(int, code)) for code in at.codes]
    win = at.length * (at.length + 1)

    def node(members: Ints, depth: int) -> Branch:
        guess = int(members[0])
        if len(members) > 2:
            name = np.bitwise_xor.reduce(at.names[members]) ^ np.uint64(depth)
            guess = choice[name]
        order = np.empty(len(members), np.int64)
        starts = np.empty(win + 2, np.int64)
        split(at, members, guess, order, starts)
        parts = {
            divmod(a, at.length + 1): node(order[starts[a] : starts[a + 1]], depth - 1)
            for a in range(win)
            if starts[a] < starts[a + 1]
        }
        return Branch(codes[guess], bool(starts[win] < starts[win + 1]), parts)

    return node(np.arange(len(codes)), depth)


@cache
def tree(base: int, length: int, strategy: str | None = None) -> Tree:
    """Return the tree of a strategy: stored, or else built now.

    ``optimal:6`` never needs more than six guesses. If the space is too large for a proof, it is
    the best that a beam search finds: ``beam:6``.

    Without a strategy, return the best known tree: the optimum if the search ends within its
    budget; otherwise the cheaper one of that search and of a beam search.
    """
    if strategy is not None:
        kind, _, limit = strategy.partition(":")
        if kind == OPTIMAL and limit and base**length > PROVABLE:
            strategy = f"{BEAM}:{limit}"
        return stored(base, length, strategy) or grow(base, length, strategy)
    if ready := best_stored(base, length):
        return ready
    if base**length > PROVABLE:
        return grow(base, length, BEAM)
    best = grow(base, length, OPTIMAL)
    return best if best.proven else min(best, grow(base, length, BEAM), key=Tree.total)
