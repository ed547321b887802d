"""Grow the decision trees that are stored with the package, and write them.

Run it without arguments for all of them (some ten CPU-minutes), or name some:

    python bench/codebreaking_trees.py 6,4,optimal 6,4,optimal:5
"""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from fairground.games.codebreaking.rules import number
from fairground.games.codebreaking.solver import search
from fairground.games.codebreaking.solver.trees import DEEP, Branch, Tree, file_name, grow

DATA = Path(__file__).parents[1] / "src/fairground/games/codebreaking/solver/data"

EFFORT = {
    (6, 4, "optimal"): 1,
    (6, 4, "optimal:5"): 1,
    (7, 4, "optimal"): 20,
    (8, 4, "beam"): 32,
    (8, 4, "beam:6"): 16,
    (9, 4, "beam"): 8,
    (10, 4, "beam"): 4,
    (10, 4, "beam:7"): 1,
    (5, 5, "beam"): 8,
    (6, 5, "beam"): 8,
    (7, 5, "beam"): 2,
    (8, 5, "beam"): 3,
}


def pressed(tree: Tree) -> list[int]:
    """Return the list of guesses from which `plant` builds the tree again."""
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


def lower_bound(base: int, length: int) -> int:
    """Return a number of guesses below which no tree can be, for all codes together.

    For every kind of first guess and every answer to it, the most favourable second guess is taken,
    and after that the best that the number of answers allows.
    """
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


def main(names: list[str]) -> None:
    for (base, length, strategy), effort in EFFORT.items():
        if names and f"{base},{length},{strategy}" not in names:
            continue
        began = time.process_time()
        tree = grow(base, length, strategy, effort)
        seconds = time.process_time() - began
        figures = tree.figures()
        data = {
            key: figures[key]
            for key in ("base", "length", "strategy", "proven", "total", "worst", "distribution")
        }
        best = tree.proven and strategy == "optimal"
        data["at_least"] = tree.total() if best else lower_bound(base, length)
        data["guesses"] = pressed(tree)
        path = DATA / file_name(base, length, strategy)
        path.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
        print(f"{path.name}: {figures['total']} in all, worst {figures['worst']}", end="")
        print(f", proven {figures['proven']}, {seconds:.1f} CPU-seconds")


if __name__ == "__main__":
    main(sys.argv[1:])
