"""Decision trees for code breaking: how they are built, kept, walked and counted.

A tree is stored as the list of its guesses, each as the number that it writes in
the base, in the order "node, then its parts by answer". Sets of one code or two
need no entry: the lower code is guessed first. A list has no answers in it, for
they follow from the rules; so a stored tree cannot claim what it does not do.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fairground.core import InputError, TooMany, UnknownName
from fairground.extras import needs
from fairground.games.codebreaking import Code, Marks, Row, digits, marks, number

if TYPE_CHECKING:
    from fairground.solve.codebreaking.search import Space

OPTIMAL: Final = "optimal"
BEAM: Final = "beam"
ONE_STEP: Final = ("entropy", "expected", "parts", "minimax")
STRATEGIES: Final = (OPTIMAL, BEAM, *ONE_STEP)

TREE_CODES: Final = 33_000
"""Full trees are built for spaces of at most this many codes."""

PROVABLE: Final = 2500
"""The optimum is searched for in spaces of at most this many codes."""

PROOF_NODES: Final = 60_000
"""Sets of codes that the search for an optimum may settle before it gives up."""

DEEP: Final = 24
"""More guesses than any tree here needs."""


class Branch(NamedTuple):
    """A guess, whether it may be the code itself, and what follows each other answer."""

    guess: Code
    wins: bool
    parts: dict[Marks, Branch]


class Tree(NamedTuple):
    """A complete strategy for one base and length."""

    base: int
    length: int
    strategy: str
    proven: bool
    """Whether exhaustive search has shown that no tree within its depth is cheaper."""
    root: Branch
    at_least: int | None = None
    """A number below which no tree can be, where one is known; see `lower_bound`."""

    def distribution(self) -> list[int]:
        """How many codes are found with guess 1, 2, 3, ..."""
        counts = []
        level = [self.root]
        while level:
            counts.append(sum(node.wins for node in level))
            level = [part for node in level for part in node.parts.values()]
        return counts

    def total(self) -> int:
        """The guesses that all codes together need."""
        return sum(i * count for i, count in enumerate(self.distribution(), start=1))

    def after(self, rows: Sequence[Row]) -> Branch | None:
        """The node that the rows lead to; ``None`` if they leave the tree."""
        node = self.root
        for guess, answer in rows:
            if guess != node.guess or answer not in node.parts:
                return None
            node = node.parts[answer]
        return node

    def figures(self) -> dict[str, Any]:
        """What ``fairground solve codebreaking --json`` prints."""
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
    """The tree of a stored list of guesses, for all codes of a base and length."""

    def node(members: list[Code]) -> Branch:
        guess = digits(next(guesses), base, length) if len(members) > 2 else members[0]
        split: dict[Marks, list[Code]] = {}
        for code in members:
            split.setdefault(marks(code, guess), []).append(code)
        won = split.pop((length, 0), None)
        return Branch(guess, won is not None, {a: node(split[a]) for a in sorted(split)})

    return node(list(product(range(base), repeat=length)))


def pressed(tree: Tree) -> list[int]:
    """The list of guesses of which `plant` grows the tree again."""
    guesses: list[int] = []

    def visit(node: Branch) -> int:
        """Append the node and its parts; return how many codes it settles."""
        at = len(guesses)
        guesses.append(number(node.guess, tree.base))
        settled = node.wins + sum(visit(part) for part in node.parts.values())
        if settled <= 2:
            del guesses[at:]
        return settled

    visit(tree.root)
    return guesses


def file_name(base: int, length: int, strategy: str) -> str:
    """Where the tree of a base, length and strategy is stored."""
    return f"codebreaking-{base}-{length}-{strategy.replace(':', '-')}.json"


def stored(base: int, length: int, strategy: str) -> Tree | None:
    """The tree that comes with the package, if there is one."""
    from importlib.resources import files

    path = files("fairground.solve.codebreaking") / "data" / file_name(base, length, strategy)
    if not path.is_file():
        return None
    data = json.loads(path.read_text(encoding="utf-8"))
    root = plant(base, length, iter(data["guesses"]))
    return Tree(base, length, strategy, data["proven"], root, data.get("at_least"))


def best_stored(base: int, length: int) -> Tree | None:
    """The cheapest tree for this size that comes with the package, if there is one."""
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

        from fairground.solve.codebreaking import search
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


def lower_bound(base: int, length: int) -> int:
    """No tree needs fewer guesses for all codes together.

    For every kind of first guess and every answer to it, the most favourable second guess is
    taken, and after that the best that the number of answers allows.
    """
    import numpy as np

    from fairground.solve.codebreaking import search

    at = search.space(base, length, DEEP, search.ranking("cost", base**length, 0.5))
    everything = np.arange(len(at.codes))
    order, starts = np.empty_like(everything), np.empty(length * (length + 1) + 2, np.int64)
    best = search.HOPELESS
    for guess in search.representatives(at, 0, search.place_permutations(at)):
        search.split(at, everything, guess, order, starts)
        total = len(everything)
        for part in (order[i:j] for i, j in pairwise(starts[:-1]) if i < j):
            floor = int(at.floors[DEEP - 1, len(part)])
            if len(part) > 2:
                floor = max(floor, int(search.rank(at, part, DEEP - 1, everything)[0].min()))
            total += floor
        best = min(best, total)
    return best


def _depth(limit: str) -> int:
    """The depth in ``optimal:5``."""
    if not limit:
        return DEEP
    if not limit.isascii() or not limit.isdigit() or not 1 <= int(limit) <= DEEP:
        raise InputError(f"the most guesses must be in 1..{DEEP}, not {limit!r}")
    return int(limit)


def _collect(at: Space, depth: int, choice: Any) -> Branch:
    """The tree that a finished search remembers."""
    import numpy as np

    from fairground.solve.codebreaking.kernels import Ints
    from fairground.solve.codebreaking.search import split

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
    """The tree of a strategy: stored, or else built now.

    ``optimal:6`` never needs more than six guesses; where the space is too large to prove that
    no such tree is cheaper, it is the best that a beam search finds: ``beam:6``.

    Without a strategy the best that we know: the optimum where the search ends
    within its budget, and elsewhere the cheaper of that unfinished search's tree and
    a beam search's.
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
