"""Searches what the codes left after one guess or two need, and writes it for the coach.

python tools/code_openings.py     writes games/codebreaking/solver/data/openings-6-4.npz
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np

from fairground.games.codebreaking.rules import Code, Row, number
from fairground.games.codebreaking.solver import worth
from fairground.games.codebreaking.solver.search import Searcher
from fairground.games.codebreaking.solver.worth import BASE, LENGTH, answers

PATH = Path(worth.__file__).parent / "data" / worth.FILE


def boards() -> list[tuple[Code, ...]]:
    """One guess or two, of each kind."""
    codes = list(product(range(BASE), repeat=LENGTH))
    ones = {worth.seen([code]).guesses for code in codes}
    twos = {worth.seen([one, two]).guesses for (one,) in ones for two in codes if one != two}
    return sorted(ones) + sorted(twos)


def main() -> None:
    """Search them all: some minutes."""
    searcher, table = Searcher(BASE, LENGTH), answers(BASE, LENGTH)
    keys, rows = [], []
    for guesses in boards():
        told = np.stack([table[number(guess, BASE)] for guess in guesses], axis=1)
        for board in np.unique(told, axis=0):
            members = np.flatnonzero((told == board).all(axis=1)).astype(np.int64)
            if len(members) <= 2:
                continue
            marks = [divmod(int(answer), LENGTH + 1) for answer in board]
            average, worst = searcher.average(members, guesses), searcher.worst(members, guesses)
            assert average.proven and worst.proven
            assert average.guess is not None and worst.guess is not None
            keys.append(worth.key(list(map(Row, guesses, marks))))
            total = int(average.guesses * len(members))
            found = (number(average.guess, BASE), int(worst.guesses), number(worst.guess, BASE))
            rows.append((total, *found))
    np.savez_compressed(PATH, keys=np.array(keys, np.uint64), rows=np.array(rows, np.uint16))


if __name__ == "__main__":
    main()
