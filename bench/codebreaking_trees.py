"""Grow the decision trees that are stored with the package, and write them.

Run it without arguments for all of them (some ten CPU-minutes), or name some:

    python bench/codebreaking_trees.py 6,4,optimal 6,4,optimal:5
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from fairground.solve.codebreaking.trees import file_name, grow, lower_bound, pressed

DATA = Path(__file__).parents[1] / "src" / "fairground" / "solve" / "codebreaking" / "data"

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
