"""Fairground: an arena of provably fair games.

The front door, for programs::

    import fairground as fg

    table = fg.open("intransitive", seats=["optimal", "random"])
    table.play()
    print(fg.verify(table).ok)

Every name in ``fg.__all__`` is explained in ``docs/python.md``. Each is imported when it is first
used, so ``import fairground`` costs next to nothing. The rooms of the house are drawn in
``docs/architecture.md``, and each opens with a table of contents.
"""

import sys

__version__ = "0.2.0"

TYPE_CHECKING = False  # as in `typing`, which would take longer to import than all of this

if TYPE_CHECKING:
    from types import ModuleType

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
    from fairground.door.coaching import Coaching, coach
    from fairground.door.lists import games, player, players
    from fairground.door.records import Record, read, verify, write
    from fairground.door.remote import RemoteArena, RemoteSeat, arena, sit
    from fairground.door.solutions import (
        CodeSolution,
        DiceSolution,
        FateStonesSolution,
        PokerSolution,
        ZombieSolution,
        solve,
    )
    from fairground.door.stories import Step, Story, replay
    from fairground.door.tables import PERSON, LocalTable, Question, game, open
    from fairground.fair.register import SCHEMES
    from fairground.games import GAMES, Listing
    from fairground.players import Player
    from fairground.verify import Verdict
else:
    ModuleType = type(sys)

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
    "coach",
    "game",
    "games",
    "open",
    "player",
    "players",
    "read",
    "replay",
    "sit",
    "solve",
    "verify",
    "write",
]

_ROOMS = {
    "door.coaching": "Coaching coach",
    "door.lists": "games player players",
    "door.tables": "PERSON LocalTable Question game open",
    "door.records": "Record read verify write",
    "door.remote": "RemoteArena RemoteSeat arena sit",
    "door.solutions": (
        "CodeSolution DiceSolution FateStonesSolution PokerSolution ZombieSolution solve"
    ),
    "door.stories": "Step Story replay",
    "fair.register": "SCHEMES",
    "games": "GAMES Listing",
    "players": "Player",
    "verify": "Verdict",
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names.split()}
"""Where each name comes from; those that are not here are errors and rules, of `core`."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"fairground has no {name!r}; it has: {', '.join(__all__)}")
    from importlib import import_module

    value: object = getattr(import_module(f"fairground.{_ROOM_OF.get(name, 'core')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return ["__version__", *__all__]


class _Package(ModuleType):
    """Makes ``fg.verify`` stay a function, although there is a module `fairground.verify`.

    The import system binds every imported submodule to its package. Where the front door has a
    function of that name, the function stays: the module is reached by ``from fairground.verify
    import ...``.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in __all__ and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
