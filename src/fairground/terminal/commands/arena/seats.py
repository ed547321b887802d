"""Open seats of an arena, for ``fairground sit``: listing them, and taking one."""

from __future__ import annotations

import re
from typing import Any, Final

from fairground.clients.http import in_plain_words
from fairground.clients.lobby import sit_down, tables
from fairground.core import InputError
from fairground.games import GAMES
from fairground.terminal.console import Console

ARENA_URL: Final = re.compile(r"https?://(?:(?!/tables)\S)+")
TABLE_URL: Final = re.compile(r"(https?://(?:(?!/tables)\S)+)/tables/([^/\s]+)/?")

LENDS: Final = "chain"
"""What a person's program lends to chance: its own hash chain, which needs no thought."""


def list_seats(console: Console, arena: str) -> int:
    """Print the tables at which somebody may sit down."""
    rows = list(tables(arena, state="open"))
    if not rows:
        console.say("No seat is open there. Whoever opens a table can leave one open.")
        return 0
    for row in rows:
        console.say(_line(row))
    where = f"{arena.rstrip('/')}/tables/{in_plain_words(rows[0]['id'])}"
    console.say(f"To sit down, for example: fairground sit {where} --name NAME")
    return 0


def _line(row: dict[str, Any]) -> str:
    game = str(row["game"])
    title = GAMES[game].title if game in GAMES else game
    seats = row["seats"]
    there = [in_plain_words(seat["name"]) for seat in seats if not seat["open"]]
    free = sum(bool(seat["open"]) for seat in seats)
    company = f"with {', '.join(there)}" if there else "nobody is there yet"
    return (
        f"{in_plain_words(row['id'])}  {in_plain_words(title)}, {company}; "
        f"{free} seat{'s are' if free > 1 else ' is'} open"
    )


def take_seat(console: Console, table: str, name: str | None) -> str:
    """Sit down at a table; the private address of the seat, which is shown once."""
    if name is None:
        raise InputError("who are you? Say it with --name, such as --name Ada")
    found = TABLE_URL.fullmatch(table)
    assert found is not None
    seat = sit_down(found[1], found[2], name, lends=LENDS)
    console.say(f"Your seat is {seat}")
    console.say("Whoever has this address plays it. The game begins when everybody sits.")
    return seat
