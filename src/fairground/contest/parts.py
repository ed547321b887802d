"""The parts of a contest, each a number of games of one kind.

**Relayed games.** A part may belong to an oracle factory elsewhere. Then the arena has a game
made there for each entry, relays its submissions and counts them. No two entries meet one code.
Only order and disguise follow from the contest's seed, and the answers are *unproven*, the word of
the factory. The game is played by the rules for a keeper who never drew a code. A checker can only
require that a code that was found fits all answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from fairground.core import BadParams
from fairground.fair.schemes import is_text
from fairground.games.codebreaking.rules import EVIL, CodeBreaking

MOST_GAMES: Final = 10_000
MOST_PARTS: Final = 100

KEEPER_HERE: Final = "keeper"
"""The name of the keeper's seat, where the arena keeps the game."""

KEEPER_ELSEWHERE: Final = "keeper elsewhere, unproven"
"""The name of the keeper's seat in a relayed game: its answers are somebody else's word."""

LONGEST_FACTORY: Final = 2_000
"""Characters of a factory's address."""


class Part(NamedTuple):
    """A number of games of one kind. Games are numbered through all parts of a contest."""

    base: int
    length: int
    oracle: str
    games: int
    factory: str | None = None
    """The factory that runs the games; ``None``: this arena."""

    def rules(self) -> CodeBreaking:
        """The rules of these games; raises `BadParams`.

        A factory elsewhere draws nothing that we know of. So its games are played by the rules
        of an evil keeper, whatever the factory calls its oracles.
        """
        asked = CodeBreaking(self.base, self.length, self.oracle)
        return asked if self.factory is None else CodeBreaking(self.base, self.length, EVIL)

    @property
    def keeper(self) -> str:
        return KEEPER_HERE if self.factory is None else KEEPER_ELSEWHERE

    def as_json(self) -> dict[str, Any]:
        """The part as the book has it."""
        return {name: value for name, value in self._asdict().items() if value is not None}


def check_parts(parts: Sequence[Part]) -> None:
    """Raise `BadParams` unless a contest can be made of these parts."""
    if not 1 <= len(parts) <= MOST_PARTS:
        raise BadParams(f"a contest has 1 to {MOST_PARTS} parts, not {len(parts)}")
    for part in parts:
        for what, value in zip(part._fields, part, strict=True):
            if what not in ("oracle", "factory") and type(value) is not int:
                raise BadParams(f"{what} must be an integer, not {value!r}")
        address = part.factory
        if address is not None and not (address and is_text(address, LONGEST_FACTORY)):
            raise BadParams(f"a factory is an address, not {address!r}")
        part.rules()
        if part.games < 1:
            raise BadParams(f"games must be at least 1, not {part.games}")
    if (games := sum(part.games for part in parts)) > MOST_GAMES:
        raise BadParams(f"a contest has at most {MOST_GAMES} games, not {games}")
