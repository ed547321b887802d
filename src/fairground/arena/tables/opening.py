"""How a table is opened: from what was wanted to a game in the hall."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from fairground.arena.live_games import Hall, Live, Private
from fairground.arena.tables.wire import NewTable
from fairground.core import BadParams, InputError
from fairground.fair.register import SCHEMES, dealer_class
from fairground.fair.schemes import Chair
from fairground.games import make_game

KIND: Final = "table"

SHORTEST_CHAIN, LONGEST_CHAIN = 2, 10_000
DEEPEST_THOUGHT: Final = 20_000
"""The largest number that may stand behind a player's name, such as ``mcts:2000``."""


def opened(
    hall: Hall,
    name: str,
    wanted: NewTable,
    digests: Mapping[str, str],
    note: Mapping[str, Any] | None = None,
) -> Live:
    """A new table as it was wanted, not yet stored; ``digests`` are those of its seats' tokens."""
    _check_options(wanted)
    game = make_game(wanted.game, wanted.params)
    chairs = [
        Chair(seat.name, "house" if seat.player is not None else "self", seat.lends)
        for seat in wanted.seats
    ]
    players = {
        number: _modest(seat.player)
        for number, seat in enumerate(wanted.seats)
        if seat.player is not None
    }
    return hall.open(
        KIND,
        game,
        dealer_class(wanted.dealer),
        chairs,
        players,
        name=name,
        note=note,
        private=Private(hall.clock(), tokens=dict(digests), seconds=float(wanted.seconds)),
        options=wanted.options,
    )


def _modest(player: str) -> str:
    """Refuse a player that would think for hours."""
    number = re.match(r"[0-9]*", player.partition(":")[2])
    if number and number[0] and (len(number[0]) > 9 or int(number[0]) > DEEPEST_THOUGHT):
        raise InputError(f"{player!r} thinks too long for this arena: at most {DEEPEST_THOUGHT}")
    return player


def tried_out(hall: Hall, name: str, wanted: NewTable) -> Live:
    """The same, to see whether it opens: with a hash chain that is made at once."""
    _check_options(wanted)
    if any(option.name == "length" for option in dealer_class(wanted.dealer).options):
        wanted = replace(wanted, options={**wanted.options, "length": SHORTEST_CHAIN})
    return opened(hall, name, wanted, {})


def _check_options(wanted: NewTable) -> None:
    """Refuse a scheme that tables cannot have, and options that it does not take."""
    possible = [name for name, listing in SCHEMES.items() if listing.at_tables]
    if wanted.dealer not in possible:
        raise BadParams(
            f"a table cannot be dealt by {wanted.dealer!r}; it can by {', '.join(possible)}"
        )
    known = {option.name for option in dealer_class(wanted.dealer).options}
    if unknown := sorted(wanted.options.keys() - known):
        allowed = ", ".join(sorted(known)) or "no options"
        raise BadParams(f"{wanted.dealer} takes {allowed}, not {unknown[0]!r}")
    length = wanted.options.get("length", SHORTEST_CHAIN)
    if type(length) is not int or not SHORTEST_CHAIN <= length <= LONGEST_CHAIN:
        raise BadParams(
            f"length must be an integer from {SHORTEST_CHAIN} to {LONGEST_CHAIN}, not {length!r}"
        )
    if wanted.options.get("stir", "once") not in ("once", "each"):
        raise BadParams(f"stir is once or each, not {wanted.options['stir']!r}")
