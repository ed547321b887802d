"""How cost grows with the length of a game: playing, going on and verifying are linear.

CPU time is measured at two lengths of the same game, the least of four runs each. The exponent is
the slope between them: 1 is linear, 2 quadratic. A board that is copied for every guess comes out
well above that. Every change is tried with one game; the campaign plays all of them, and longer.
"""

from __future__ import annotations

import gc
import pickle
import time
from collections.abc import Callable
from functools import partial
from math import log
from typing import Any

import pytest

from fairground.core import Game, Move
from fairground.fair.bits import SIZE, frame
from fairground.games.codebreaking.rules import CodeBreaking, Row, Rows
from fairground.games.fatestones.rules import FateStones
from fairground.games.zombie.rules import Zombie
from fairground.table import Ask, Table
from fairground.testing.driving import Driver, open_table
from fairground.testing.modes import mode
from fairground.verifier import replay, verify
from tests.helpers.width import WIDE

SHORT, LONG = (3_000, 48_000) if WIDE else (1_000, 8_000)
STEEPEST = 1.15
RUNS = 4

ENDLESS: dict[str, Callable[[], Game[Any]]] = {
    "fair": lambda: CodeBreaking(100, 4),
    "evil": lambda: CodeBreaking(100, 4, "evil"),
    "zombie": lambda: Zombie(2, brains_to_win=100, max_turns=0),
    "fatestones": lambda: FateStones(["333333"] * 999 + ["333334"]),
}
"""Games that last as long as their players like. (A round of dice and a hand of poker do not.)"""


class Tireless(Driver):
    """Never finds the code, never shows it, and never scores."""

    def move(self, ask: Ask) -> Move:
        table = self.table
        if isinstance(table.game, Zombie):
            return "pass"
        if not isinstance(table.game, CodeBreaking):
            return super().move(ask)
        if ask.seat == 1:
            return (0, 0, 0, self.below(ask, 2))
        return next(iter(table.game.moves(table.state, ask.seat)))


def played(rules: Callable[[], Game[Any]], lines: int) -> Table:
    driver = Tireless(open_table(rules(), mode("seeded-tape")))
    while driver.table.transcript.step < lines and driver.once():
        pass
    assert driver.table.transcript.step >= lines
    driver.table.forfeit(1, "enough")
    assert driver.table.closed
    return driver.table


def again(table: Table) -> None:
    assert replay(bytes(table.transcript)).transcript.step == table.transcript.step


def seconds(act: Callable[[], object]) -> float:
    """The CPU time of this, without the collector, whose rounds grow with all that is alive."""
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        act()
        return time.process_time() - began
    finally:
        gc.enable()


def slope(act: Callable[[Table], object], short: Table, long: Table) -> float:
    """The exponent between two lengths: the least of some runs each, in turns."""
    runs = [(seconds(partial(act, short)), seconds(partial(act, long))) for _ in range(RUNS)]
    of_short, of_long = map(min, zip(*runs, strict=True))
    return log(of_long / of_short) / log(long.transcript.step / short.transcript.step)


@pytest.mark.parametrize("name", ENDLESS if WIDE else ["fair"])
def test_every_event_costs_the_same_however_long_the_game(name: str) -> None:
    short, long = (played(ENDLESS[name], lines) for lines in (SHORT, LONG))
    measures: dict[str, Callable[[Table], object]] = {
        "play": lambda table: played(ENDLESS[name], table.transcript.step - 3),
        "go on": again,
        "verify": lambda table: verify(bytes(table.transcript)).claims,
    }
    if not WIDE:
        del measures["verify"]  # mostly the same work as to go on
    for what, act in measures.items():
        power = slope(act, short, long)
        assert power < STEEPEST, f"to {what} grows with the power {power:.2f}"


def test_what_is_hashed_is_framed_in_linear_time() -> None:
    """A contest files a digest of all its games: each part was a copy of all before it."""

    def framed_parts(count: int) -> float:
        return min(seconds(lambda: frame("test", *[bytes(SIZE)] * count)) for _ in range(RUNS))

    assert log(framed_parts(40_000) / framed_parts(5_000)) / log(8) < 1.5


# A board that grows in constant time reads like a tuple


def row(digit: int) -> Row:
    return Row((digit,), (0, 0))


def test_rows_read_like_a_tuple() -> None:
    rows = Rows([row(1), row(2)]).plus(row(3))
    same = (row(1), row(2), row(3))
    assert rows == same and same == rows and rows == Rows(same) and hash(rows) == hash(same)
    assert rows != same[:2] and rows != list(same)
    assert repr(rows) == repr(same) and list(rows) == list(same) and len(rows) == 3
    assert rows[-1] == row(3) and rows[0] == row(1) and rows[1:] == same[1:]
    assert rows[::-2] == same[::-2]
    with pytest.raises(IndexError):
        rows[3]
    assert pickle.loads(pickle.dumps(rows)) == same


def test_a_board_that_grows_in_two_ways_stays_as_it_was() -> None:
    stem = Rows().plus(row(1))
    left, right = stem.plus(row(2)), stem.plus(row(3))
    assert stem == (row(1),)
    assert left == (row(1), row(2)) and right == (row(1), row(3))
    assert left.plus(row(4)) == (row(1), row(2), row(4))
    assert right == (row(1), row(3)) and stem[:5] == (row(1),) and row(2) not in stem
