"""Two dice of very many faces: how often the one shows more than the other, with NumPy.

`fairground.solve.intransitive` says when. Faces are whole numbers from 0 on; no count is rounded.
Where they lie close together, `shown` says how often each value is shown, and `value_by_value`
counts. Otherwise both dice are put `in_order`, and `merged`.

Importing this module imports NumPy; do it only where it is needed.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

AT_A_TIME: Final = 1 << 14
"""Values that are counted at a time: their counts stay in a near cache."""

ROW: Final = 64
"""Faces of a large die that are sorted at a time."""


def shown(faces: Any, span: int) -> Any:
    """How often each value up to ``span`` is shown.

    In bytes, if no count is too great for one: a small table, most of which is in a cache. A
    count that ran over has lost 256 faces or more, so that some are missing in the end.
    """
    shown = np.zeros(span, np.uint8)
    np.add.at(shown, faces, np.uint8(1))
    if int(shown.sum(dtype=np.uint32)) == len(faces):
        return shown
    return np.bincount(faces, minlength=span)


def value_by_value(mine: Any, theirs: Any) -> tuple[int, int]:
    """Of how often each value is shown: the pairs that mine wins, and those that it does not lose.

    Some values at a time, so that wide numbers are needed for a few of them only.
    """
    ties = not_lost = below = 0
    for at in range(0, len(mine), AT_A_TIME):
        a = mine[at : at + AT_A_TIME].astype(np.int64)
        b = theirs[at : at + AT_A_TIME].astype(np.int64)
        ties += int(a @ b)
        b[0] += below
        b.cumsum(out=b)  # from here on: how many faces are so high or lower
        not_lost += int(a @ b)
        below = b[-1]
    return not_lost - ties, not_lost


def in_order(faces: Any, span: int) -> Any:
    """Faces from 0 up to ``span``, sorted.

    NumPy's radix sort brings their upper 16 bits into order. Equal ones are then rarely many, and
    two passes over short rows sort them: each row of the second reaches from the middle of one to
    the middle of the next. (Rows are also what its vector instructions sort best: a whole array
    takes them five times as long on some processors.) Whatever is still out of order, a merge sort
    finds. It takes one look at what is in order.
    """
    if span < 2**62:
        digit = (faces >> max(0, span.bit_length() - 16)).astype(np.uint16)
        faces = faces.take(digit.argsort(kind="stable"))
        for begin in (0, ROW // 2):
            rows = (len(faces) - begin) // ROW
            faces[begin : begin + rows * ROW].reshape(rows, ROW).sort(axis=1)
    faces.sort(kind="stable")
    return faces


def merged(mine: Any, theirs: Any) -> tuple[int, int]:
    """Of two sorted rows: the pairs that mine wins, and those that it does not lose.

    In one row of both, with mine first among equals, as many of theirs are lower as stand before.
    """
    row = np.concatenate([mine, theirs])
    row *= 2
    row[len(mine) :] += 1
    row.sort(kind="stable")  # two runs, which are merged
    won = int(np.flatnonzero(row & 1 == 0).sum()) - len(mine) * (len(mine) - 1) // 2
    # The last of mine stands right before the first of theirs that is equal.
    level = row[:-1][row[1:] ^ row[:-1] == 1]
    first, between = row.searchsorted(level, "left"), row.searchsorted(level, "right")
    ties = (between - first) * (row.searchsorted(level + 1, "right") - between)
    return won, won + int(ties.sum())
