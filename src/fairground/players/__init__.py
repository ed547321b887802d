"""Who decides: players that need no person, from a coin-flipper to perfect play.

A player has one method. Write your own in three lines::

    class FirstMove(Player):
        def choose(self, game, view, seat):
            return next(iter(game.choices(view, seat)))

`make_player` builds a player from what a user types, such as ``optimal`` or ``mcts:200``.
`offered` lists the players that can take a seat. Both read the register in `players.register`,
in which every player declares which games and which seats it can play.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from fairground.core import Game, InputError, Move, Seat, UnknownName
from fairground.players.register import NEEDED, PLAYERS, PlayerListing
from fairground.registry import known, load

if TYPE_CHECKING:
    from fairground.fair.bits import Stream

__all__ = ["Player", "PlayerListing", "fitting", "listing_of", "make_player", "offered", "prepare"]


class Player(ABC):
    """Someone who decides. It is handed only its own view, never the full state."""

    remarks: Sequence[str] = ()
    """What the player has to say for the record after `choose`. Whoever drives the table
    writes these into the transcript as notes, and clears them."""

    slow: bool = False
    """Whether a choice can take long, so that a server had better think in a thread."""

    @abstractmethod
    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        """A legal move for ``seat`` in the position that ``view`` shows."""

    @property
    def size(self) -> int:
        """About how many bytes of memory its thoughts take; 0: few."""
        return 0

    def memory(self) -> bytes:
        """What this player would have to think again if it were made anew; empty: nothing.

        A player that is made again and has `recall` called with it goes on as this one would.
        """
        return b""

    def recall(self, memory: bytes) -> None:
        """Take over what a player of the same game and seed had in mind, if it is of use."""
        return


def fitting(game: Game[Any], seat: Seat) -> dict[str, PlayerListing]:
    """The players that can take this seat, by name, with everything installed."""
    return {
        name: listing for name, listing in _of(game).items() if _unfit(listing, game, seat) is None
    }


def offered(game: Game[Any], seat: Seat) -> dict[str, PlayerListing]:
    """The players that can take this seat here and now, by name."""
    return {n: listing for n, listing in fitting(game, seat).items() if not _missing(listing)}


def listing_of(spec: str, game: Game[Any]) -> PlayerListing:
    """What the player declares that ``spec`` names."""
    return _of(game)[spec.partition(":")[0]]


def make_player(spec: str, game: Game[Any], chance: Stream, seat: Seat) -> Player:
    """Build the player that ``spec`` names, for this seat; refuse one that cannot play it."""
    listing = check_player(spec, game, seat)
    _, colon, argument = spec.partition(":")
    player: Player = load(listing.path)(game, chance, argument if colon else None)
    return player


def check_player(spec: str, game: Game[Any], seat: Seat) -> PlayerListing:
    """Return what the player declares that ``spec`` names; refuse one that cannot play this seat.

    It is not built, so what it says of its argument is not heard.
    """
    name, colon, argument = spec.partition(":")
    listing = _of(game).get(name)
    if listing is None:
        there = known(name, offered(game, seat))
        raise UnknownName(f"no player named {name!r} for {game.name}; {there}")
    if reason := _unfit(listing, game, seat):
        there = ", ".join(sorted(offered(game, seat))) or "none"
        raise UnknownName(f"{name} {reason}; for the {game.role(seat)} there are: {there}")
    if colon and listing.argument is None:
        raise InputError(f"{name} takes nothing after a colon, but got {argument!r}")
    return listing


def prepare(spec: str, game: Game[Any], progress: Callable[[float], None]) -> None:
    """Do the long work that a player needs once, if it needs any; ``progress`` hears how far."""
    listing = _of(game).get(spec.partition(":")[0])
    if listing is not None and listing.prepare is not None:
        load(listing.prepare)(game, progress)


def _of(game: Game[Any]) -> dict[str, PlayerListing]:
    """The players listed for any game, and for games of this family."""
    family = game.name.partition("/")[0]
    return {name: at for (of, name), at in PLAYERS.items() if of in (None, family)}


def _unfit(listing: PlayerListing, game: Game[Any], seat: Seat) -> str | None:
    """Why this player cannot take this seat; ``None`` if it can."""
    if listing.roles and game.role(seat) not in listing.roles:
        return f"plays the {' or the '.join(listing.roles)}, not the {game.role(seat)}"
    params = game.params()
    for parameter, value in listing.where.items():
        if params.get(parameter) != value:
            return f"plays only where {parameter} is {value}"
    if listing.sees_all and game.hides:
        return f"must see everything, and {game.name} hides something"
    if listing.lists_moves and not game.listable:
        return "goes through all moves, and here they are too many"
    return None


def _missing(listing: PlayerListing) -> bool:
    """Whether an optional package that this player needs is not installed."""
    if listing.extra is None:
        return False
    from importlib.util import find_spec

    return any(find_spec(module) is None for module in NEEDED[listing.extra])
