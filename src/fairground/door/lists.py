"""Which games there are, and who can play them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from fairground.core import Game, InputError, Seat
from fairground.door.tables import chance_of
from fairground.door.tables import game as make_game
from fairground.games import GAMES, Games, Listing
from fairground.players import Player, PlayerListing, make_player, offered

L = TypeVar("L")


class NamedList(dict[str, L], Generic[L]):
    """Listings by name. It prints a line for each."""

    def __init__(self, listed: Mapping[str, L], says: Callable[[L], str]) -> None:
        super().__init__(listed)
        self._says = says

    def __repr__(self) -> str:
        wide = max(map(len, self), default=0)
        return "\n".join(f"{name:<{wide}}  {self._says(one)}" for name, one in self.items())


def games(register: Games = GAMES) -> NamedList[Listing]:
    """All games by name: ours, and those of other packages."""
    return NamedList(dict(register), lambda one: f"{one.title}: {one.summary}")


def players(which: str | Game[Any], seat: Seat = 0, **params: Any) -> NamedList[PlayerListing]:
    """The players that can take this seat of a game, by name."""
    return NamedList(offered(_seated(which, seat, params), seat), _says)


def _says(listing: PlayerListing) -> str:
    return listing.summary + (f" ({listing.argument})" if listing.argument else "")


def player(
    spec: str,
    which: str | Game[Any],
    seat: Seat = 0,
    *,
    seed: str | int | None = None,
    **params: Any,
) -> Player:
    """The player that ``spec`` names, such as ``"optimal"`` or ``"mcts:200"``, for this seat.

    Ask it with ``player.choose(game, view, seat)``. With a ``seed`` its luck is always the same.
    """
    return make_player(spec, _seated(which, seat, params), chance_of(seed, seat), seat)


def _seated(which: str | Game[Any], seat: Seat, params: Mapping[str, Any]) -> Game[Any]:
    game = make_game(which, **params)
    if type(seat) is not int or not 0 <= seat < game.seats:
        raise InputError(f"{game.name} has the seats 0..{game.seats - 1}, but no seat {seat!r}")
    return game
