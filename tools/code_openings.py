"""Searches what the codes left after one guess or two need, and writes it for the coach.

python tools/code_openings.py     writes src/fairground/solve/codebreaking/data/openings-6-4.npz
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np

from fairground.games.codebreaking import Code, Row, number
from fairground.solve.codebreaking import openings
from fairground.solve.codebreaking.openings import BASE, LENGTH
from fairground.solve.codebreaking.searcher import Searcher
from fairground.solve.codebreaking.small import answers

PATH = Path(openings.__file__).parent / "data" / openings.FILE


def boards() -> list[tuple[Code, ...]]:
    """One guess or two, of each kind."""
    codes = list(product(range(BASE), repeat=LENGTH))
    ones = {openings.seen([code]).guesses for code in codes}
    twos = {openings.seen([one, two]).guesses for (one,) in ones for two in codes if one != two}
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
            keys.append(openings.key(list(map(Row, guesses, marks))))
            total = int(average.guesses * len(members))
            found = (number(average.guess, BASE), int(worst.guesses), number(worst.guess, BASE))
            rows.append((total, *found))
    np.savez_compressed(PATH, keys=np.array(keys, np.uint64), rows=np.array(rows, np.uint16))


if __name__ == "__main__":
    main()
