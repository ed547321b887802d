"""The rule books, and the register by which a transcript finds its own.

Each game imports nothing of ours but `core`. A game's name carries a version; when
rules change so that old draws could lead elsewhere, the old class stays and a new
one is added under the next number.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from fairground.core import BadParams, Game, UnknownName

GAMES: Final[dict[str, str]] = {
    "codebreaking/1": "fairground.games.codebreaking:CodeBreaking",
    "fatestones/1": "fairground.games.fatestones:FateStones",
    "intransitive/1": "fairground.games.intransitive:Intransitive",
    "poker/1": "fairground.games.poker:Poker",
    "zombie/1": "fairground.games.zombie:Zombie",
}
"""Name → ``module:class``. Modules are imported when a game is first wanted."""


def game_class(name: object) -> type[Game[Any]]:
    """The rules of this name."""
    if not isinstance(name, str) or name not in GAMES:
        raise UnknownName(f"no game named {name!r}; there are: {', '.join(sorted(GAMES))}")
    return _rules(GAMES[name])


@cache
def _rules(path: str) -> type[Game[Any]]:
    module, _, rules = path.partition(":")
    found: type[Game[Any]] = getattr(import_module(module), rules)
    return found


def make_game(name: object, params: object) -> Game[Any]:
    """The game that the first event of a transcript describes."""
    if not isinstance(params, dict):
        raise BadParams(f"a game's parameters are an object, not {params!r}")
    return game_class(name).from_params(params)
