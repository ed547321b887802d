"""The table of an oracle: one game of code breaking, and the few steps that drive it.

The house keeps the code, a client breaks it. An arena, the terminal and your own programs
take the same steps here, and let the keeper answer in their own way:

1. `publish` tells the commitment, before anything is asked.
2. `lend` mixes 32 bytes of the client's into the draw: once, and before the first guess.
3. `step` makes the client's move. The first one closes the draw.

A fair keeper commits to its draw, and opens it when the game ends. Nice and evil keepers draw
nothing: they publish a look-alike that nobody can open, and take note of a share.
"""

from __future__ import annotations

from typing import Final

from fairground.core import Move
from fairground.fair.bits import fresh
from fairground.fair.schemes import Chair
from fairground.games.codebreaking.rules import BREAKER, FAIR, CodeBreaking
from fairground.table import Table

CHAIN_LENGTH: Final = 2
"""One run of draws is all that an oracle needs; two links is the shortest chain there is."""

CHAIRS: Final = (Chair("keeper", by="house"), Chair("breaker", lends="stir"))


def rules_of(table: Table) -> CodeBreaking:
    """The rules of this table's game."""
    assert isinstance(table.game, CodeBreaking)
    return table.game


def publish(table: Table) -> str:
    """The commitment of a table that has just been opened: 64 hex digits.

    A fair keeper's is in the ticket of its hidden draw. The others' look-alike is written down
    as a note.
    """
    if rules_of(table).oracle != FAIR:
        table.note({"commitment": fresh().hex()})
    return commitment(table)


def commitment(table: Table) -> str:
    """Return the commitment published when the game was opened."""
    if rules_of(table).oracle == FAIR:
        return str(table.runs[0].ticket["blind"])
    noted = _noted(table, "commitment")
    assert noted is not None
    return noted


def lent(table: Table) -> str | None:
    """The share that was lent, in hex; empty if the draw was closed without one."""
    if rules_of(table).oracle == FAIR:
        share: str | None = table.runs[0].share(BREAKER, "stir")
        return share
    return _noted(table, "share")


def lend(table: Table, share: str) -> bool:
    """Lend a share, in hex; False if it comes too late: after another share, or a guess."""
    if rules_of(table).oracle == FAIR:
        return _close_the_draw(table, share)
    if lent(table) is not None or table.state.rows:
        return False
    table.note({"share": share})
    return True


def step(table: Table, move: Move) -> None:
    """Make the breaker's move: a guess, or giving up. Then the keeper is asked."""
    _close_the_draw(table, "")
    (ask,) = table.asks()
    table.submit(ask, move)


def is_solved(table: Table) -> bool:
    """True if the last guess was the code."""
    rows = table.state.rows
    return bool(rows) and rows[-1].marks[0] == rules_of(table).length


def _close_the_draw(table: Table, share: str) -> bool:
    """Deal the code, so that no share can be lent any more; whether it was not dealt before."""
    waiting = [ask for ask in table.asks() if ask.kind == "stir"]
    for ask in waiting:
        table.submit(ask, share)
    return bool(waiting)


def _noted(table: Table, name: str) -> str | None:
    """Return the entry of this name in the house's notes."""
    notes = (event["body"] for event in table.transcript.events if event["kind"] == "note")
    return next((body[name] for body in notes if name in body), None)
