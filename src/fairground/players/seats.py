"""What seats are called, and who plays them where nobody is named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fairground.core import Game, InputError, Seat
from fairground.players import offered
from fairground.registry import known

BEST: Final = ("best", "optimal")
"""What the strongest player is called, where a game has one."""


def seat_labels(game: Game[Any]) -> list[str]:
    """What each seat is called on the command line: ``keeper``, or ``player1``, ``player2``."""
    roles = [game.role(seat) for seat in range(game.seats)]
    return [
        role if roles.count(role) == 1 else f"{role}{roles[: seat + 1].count(role)}"
        for seat, role in enumerate(roles)
    ]


def seat_title(label: str) -> str:
    """``player1`` as a name: "Player 1"."""
    role = label.rstrip("0123456789")
    return f"{role.capitalize()} {label.removeprefix(role)}".strip()


def usual_player(game: Game[Any], seat: Seat) -> str | None:
    """Whoever plays where nobody is named: strong if that is quick; ``None``: nobody can."""
    here = offered(game, seat)
    quick = [name for name, listing in here.items() if not listing.slow]
    for name in BEST:
        if name in quick:
            return name
    own = [name for name in quick if name != "random"]
    return next(iter([*own, *quick, *here]), None)


def wanted_seats(
    game: Game[Any], given: Sequence[str], option: str, example: str
) -> dict[Seat, str]:
    """Who was named for which seat, as ``SEAT=PLAYER``."""
    labels = seat_labels(game)
    wanted: dict[Seat, str] = {}
    for text in given:
        label, equals, player = text.partition("=")
        if not equals or not player:
            raise InputError(f"{option} {text!r} is not understood. For example: {example}")
        if label not in labels:
            raise InputError(
                f"{option} {text!r}: {game.name} has no seat {label!r}; "
                f"{known(label, dict.fromkeys(labels))}"
            )
        seat = labels.index(label)
        if seat in wanted:
            raise InputError(f"{option} {text!r}: the seat {label} is given twice")
        wanted[seat] = player
    return wanted
