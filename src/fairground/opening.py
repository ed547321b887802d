"""Opening a table in one step: its name, the house's secrets, the dealer and the first line.

A table's name is 32 fresh bytes that the dealer mixes into all it commits to. Here it is made and
handed on in one place, so it cannot differ from what the dealer knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from fairground.core import Game, InputError
from fairground.fair.register import SCHEMES, Schemes, dealer_class
from fairground.fair.schemes import Chair, Dealer
from fairground.fair.vault import MemoryVault, Vault
from fairground.table import Table, new_name
from fairground.transcript import Transcript

USUAL: Final = "hash-chains/1"
"""The scheme that fits every game."""


def new_table(
    game: Game[Any],
    chairs: Sequence[Chair],
    scheme: str = USUAL,
    /,
    *,
    name: bytes | None = None,
    vault: Vault | None = None,
    transcript: Transcript | None = None,
    schemes: Schemes = SCHEMES,
    **options: Any,
) -> Table:
    """A new table of this game, dealt under this scheme; ``options`` are the scheme's.

    ``name`` is for a caller that had to name something after the table before it was there, such
    as a file. Without a ``vault`` the house's secrets live as long as this process.
    """
    full, _ = schemes.find(schemes.newest(scheme))
    dealer = _dealer(full, dealer_class(full, schemes), name or new_name(), vault, options)
    return Table.open(game, dealer, chairs, transcript=transcript)


def _dealer(
    name: str, made: type[Dealer], table: bytes, vault: Vault | None, options: dict[str, Any]
) -> Dealer:
    try:
        return made(table, vault or MemoryVault(), **options)
    except TypeError:
        from inspect import Parameter, signature

        _, _, *wanted = signature(made).parameters.values()  # table and vault are given
        missing = {p.name for p in wanted if p.default is Parameter.empty} - options.keys()
        unknown = options.keys() - {p.name for p in wanted}
        if not missing and not unknown:
            raise
        takes = ", ".join(p.name for p in wanted) or "no options"
        wrong = f"needs {_quoted(missing)}" if missing else f"has no option {_quoted(unknown)}"
        raise InputError(f"the scheme {name} {wrong}; it takes: {takes}") from None


def _quoted(names: set[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names))
