"""Fairground: an arena of provably fair games.

The front door, for programs::

    import fairground as fg

    table = fg.open("intransitive", seats=["optimal", "random"])
    table.play()
    print(fg.verify(table).ok)

Every name is explained in ``docs/python.md``, and is imported when it is first used (PEP 562). No
name is also the name of a package here, so ``import fairground.games.zombie as zombie`` works. The
packages are drawn in ``docs/architecture.md``.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.2.0"

if TYPE_CHECKING:
    from fairground.clients.oracles import RemoteArena, arena
    from fairground.clients.table import RemoteSeat, sit
    from fairground.core import (
        BadParams,
        FairgroundError,
        Fault,
        Game,
        IllegalMove,
        InputError,
        MissingExtra,
        UnknownName,
        Unreadable,
    )
    from fairground.door.records import Record, Step, Story, read, replay, verify, write
    from fairground.door.solutions import (
        Coaching,
        CodeSolution,
        DiceSolution,
        PokerSolution,
        ZombieSolution,
        list_games,
        list_players,
        player,
        review,
        solve,
    )
    from fairground.door.tables import PERSON, LocalTable
    from fairground.door.tables import open as open
    from fairground.fair.register import SCHEMES
    from fairground.games import GAMES, Listing, game
    from fairground.games.fatestones.solver.choices import Solution as FateStonesSolution
    from fairground.players import Player
    from fairground.players.runner import Question
    from fairground.verifier import Verdict

__all__ = [
    "GAMES",
    "PERSON",
    "SCHEMES",
    "BadParams",
    "Coaching",
    "CodeSolution",
    "DiceSolution",
    "FairgroundError",
    "FateStonesSolution",
    "Fault",
    "Game",
    "IllegalMove",
    "InputError",
    "Listing",
    "LocalTable",
    "MissingExtra",
    "Player",
    "PokerSolution",
    "Question",
    "Record",
    "RemoteArena",
    "RemoteSeat",
    "Step",
    "Story",
    "UnknownName",
    "Unreadable",
    "Verdict",
    "ZombieSolution",
    "arena",
    "game",
    "list_games",
    "list_players",
    "player",
    "read",
    "replay",
    "review",
    "sit",
    "solve",
    "verify",
    "write",
]
"""Every public name but `open`, which a star import would put in place of the builtin."""

_NAMES = {
    "core": (
        "BadParams FairgroundError Fault Game IllegalMove InputError MissingExtra UnknownName"
        " Unreadable"
    ),
    "door.records": "Record Step Story read replay verify write",
    "door.solutions": (
        "Coaching CodeSolution DiceSolution FateStonesSolution PokerSolution ZombieSolution"
        " list_games list_players player review solve"
    ),
    "door.tables": "PERSON LocalTable open",
    "clients.oracles": "RemoteArena arena",
    "clients.table": "RemoteSeat sit",
    "fair.register": "SCHEMES",
    "games": "GAMES Listing game",
    "players": "Player",
    "players.runner": "Question",
    "verifier": "Verdict",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"fairground has no {name!r}; it has: {', '.join(sorted(_MODULE_OF))}")
    value: object = getattr(import_module(f"fairground.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return ["__version__", *_MODULE_OF]
