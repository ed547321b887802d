"""Which games can be played here, made of what games, players and schemes declare."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

import msgspec
from litestar import Response, get
from msgspec import Struct

from fairground.clients.protocol import JSON
from fairground.core import Game
from fairground.fair.register import SCHEMES, dealer_class
from fairground.games import GAMES, make_game
from fairground.json_views import schema
from fairground.players import offered
from fairground.words import words_for


class SeatRole(Struct):
    """A kind of seat, how many there may be, and which of our players can take it."""

    name: str
    least: int
    most: int
    players: dict[str, str]
    """Name → what it does. Some take a number behind a colon."""


class PlayablePlayer(Struct):
    """A player of ours that can sit at a table of this game."""

    name: str
    sentence: str
    """Description of the player."""
    exact: bool
    """True if its moves are optimal, as far as the sentence says."""
    slow: bool
    roles: list[str]
    """The seats that it can take."""
    argument: str | None = None
    """The argument that may follow its name and a colon."""


class PlayableGame(Struct):
    """A game that a table can be opened for."""

    name: str
    title: str
    summary: str
    roles: list[SeatRole]
    params: dict[str, Any]
    """A JSON Schema of its parameters, with defaults."""
    players: list[PlayablePlayer]
    view: dict[str, Any]
    """A JSON Schema of what a seat sees. `x-look` says what a field looks like: die, stone, card,
    pips, code, score, seat, hidden or text."""
    move: dict[str, Any]
    """A JSON Schema of a move, with the default parameters."""
    how: str
    """The rules in a few sentences."""
    rules: str | None = None
    """Address of the rules, if this arena serves them."""


class PlayableScheme(Struct):
    """A fairness scheme that a table can be dealt by."""

    name: str
    summary: str
    lends: list[str]
    """The contributions to chance that seats may choose under this scheme."""
    options: list[str]


class Playable(Struct):
    """Everything that a table can be made of."""

    games: list[PlayableGame]
    schemes: list[PlayableScheme]


@get(
    "/games",
    summary="The games, their seats, parameters and players",
    response_description="All games, schemes and players of this arena",
)
async def get_games() -> Response[Playable]:
    """The games, players and schemes that `POST /tables` accepts."""
    told: Any = await asyncio.to_thread(_told)
    return Response(told, media_type=JSON)


@cache
def _told() -> bytes:
    """Return the catalogue as JSON. It takes a second to make, and is the same for everyone."""
    games = [_game(name) for name in GAMES]
    return msgspec.json.encode(Playable(games, [_scheme(name) for name in _at_tables()]))


def _game(name: str) -> PlayableGame:
    listing, game = GAMES[name], make_game(name, {})
    first, roles = 0, []
    for role in game.roles:
        players = {who: at.summary for who, at in offered(game, first).items()}
        roles.append(SeatRole(*role, players))
        first += role.least
    words = words_for(game, [""] * game.seats)
    return PlayableGame(
        name,
        listing.title,
        listing.summary,
        roles,
        type(game).schema(),
        _players(game),
        schema(type(game.start()), words.looks),
        game.move_schema(),
        words.rules,
    )


def _players(game: Game[Any]) -> list[PlayablePlayer]:
    found: dict[str, PlayablePlayer] = {}
    for seat in range(game.seats):
        for name, at in offered(game, seat).items():
            player = found.setdefault(
                name, PlayablePlayer(name, at.summary, at.exact, at.slow, [], at.argument)
            )
            if game.role(seat) not in player.roles:
                player.roles.append(game.role(seat))
    return list(found.values())


def _at_tables() -> list[str]:
    return [name for name, listing in SCHEMES.items() if listing.at_tables]


def _scheme(name: str) -> PlayableScheme:
    dealer = dealer_class(name)
    lends = ["nothing", *dealer.scheme.conditions]
    return PlayableScheme(name, SCHEMES[name].summary, lends, [one.name for one in dealer.options])
