"""The games of a contest: its parts, and everything that follows from its seed.

**Relayed games.** A part may belong to an oracle factory elsewhere. Then the arena has a game
made there for each entry, relays its submissions and counts them. No two entries meet one code.
Only order and disguise follow from the contest's seed, and the answers are *unproven*, the word of
the factory. The game is played by the rules for a keeper who never drew a code. A checker can only
require that a code that was found fits all answers.

**The seed.** It is 32 bytes, committed in the book's first line (`contest_commitment`), and opened
in the line that closes the contest. Each thing is drawn under a tag of its own:

* the code of fair game g: scheme `contest/1`, run 1 of game g (`fair_code`);
* the order in which entry e meets the games: `order`;
* how the game g looks to entry e: `disguise`;
* what the evil keeper of game g draws from: `keeper_seed`, the same for all entries.

**The disguise.** The table behind an oracle plays in *raw* digits and places. An entry
sees other ones: digit c at place p of a submission is the raw digit ``digits[c]`` at the
raw place ``places[p]``. Matches are counted the same either way. A disguise belongs to one
entry *and* one game: one relabelling for all games of a team would be undone after a few.
A creator may choose to have none (``"disguise":"none"``). Then all meet identical codes, a program
scores equally under any name, and a player who has met a code can pass it on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from fairground.core import BadParams, Draw
from fairground.fair.bits import HashStream, Stream, Tag, digest
from fairground.fair.contest import ContestScheme, contest_commitment
from fairground.fair.schemes import Run, Setting, is_text
from fairground.games.codebreaking.rules import EVIL, Code, CodeBreaking

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


# What the seed decides


class Disguise(NamedTuple):
    """The disguise of one game for one entry."""

    digits: tuple[int, ...]
    """Digit of the entry → raw digit."""
    places: tuple[int, ...]
    """Place of the entry → raw place."""

    def to_raw(self, seen: Sequence[int]) -> Code:
        """Return the code at the table for an entry's submission."""
        raw = [0] * len(self.places)
        for place, digit in zip(self.places, seen, strict=True):
            raw[place] = self.digits[digit]
        return tuple(raw)

    def from_raw(self, raw: Sequence[int]) -> Code:
        """Return the submission for a code at the table: the inverse of the disguise."""
        seen = {digit: c for c, digit in enumerate(self.digits)}
        return tuple(seen[raw[place]] for place in self.places)


def shuffled(n: int, chance: Stream) -> tuple[int, ...]:
    """A uniform order of ``range(n)``: for i = n-1 down to 1, swap i with a draw below i+1."""
    out = list(range(n))
    for i in range(n - 1, 0, -1):
        j = chance.below(i + 1)
        out[i], out[j] = out[j], out[i]
    return tuple(out)


def order(contest: str, seed: bytes, entry: int, games: int) -> tuple[int, ...]:
    """The numbers of the games in the order in which this entry's oracles stand for them."""
    return shuffled(games, HashStream(digest(Tag.CONTEST_ORDER, contest, entry, seed)))


def disguise(contest: str, seed: bytes, entry: int, game: int, part: Part) -> Disguise:
    """Return the disguise of this game for this entry: draw the digits first, then the places."""
    chance = HashStream(digest(Tag.CONTEST_DISGUISE, contest, entry, game, seed))
    return Disguise(shuffled(part.base, chance), shuffled(part.length, chance))


def undisguised(part: Part) -> Disguise:
    """The game as it is."""
    return Disguise(tuple(range(part.base)), tuple(range(part.length)))


def keeper_seed(contest: str, seed: bytes, game: int) -> bytes:
    """Return the stream of our keeper of this game, the same for every opponent."""
    return digest(Tag.CONTEST_KEEPER, contest, game, seed)


def fair_code(contest: str, seed: bytes, game: int, part: Part) -> Code:
    """The raw code of a fair game, as the rules and the scheme `contest/1` give it to a table."""
    commitment = contest_commitment(contest, seed)
    public = {"commitment": commitment, "contest": contest, "game": game}
    rules = part.rules()
    start = rules.start()
    draw = rules.awaits(start)
    assert isinstance(draw, Draw)
    first = Run(1, draw.n, hidden=True, step=0, head="")
    opening = {"seed": seed.hex()}
    chance = ContestScheme(Setting(b"", ()), public).chance(first, {}, opening)
    code = rules.drawn(start, chance.below(draw.n)).code
    assert isinstance(code, tuple)
    return code


def oracle_name(contest: str, seed: bytes, entry: int, slot: int) -> str:
    """The name of an entry's oracle: it says whose it is, and nobody else can write it.

    It is made of the slot in the entry's own order, so names tell nothing of who meets the
    same code.
    """
    proof = digest(Tag.CONTEST_ADDRESS, contest, entry, slot, seed)[:16]
    return f"{contest}.{entry}.{slot}.{proof.hex()}"
