"""Everything that follows from a contest's seed: all that chance decides, and nothing else.

The seed is 32 bytes, committed in the book's first line as `fair.contest.contest_commitment`,
opened in the line that closes the contest. Each thing is drawn under a tag of its own:

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
from typing import NamedTuple

from fairground.contest.parts import Part
from fairground.core import Draw
from fairground.fair.bits import HashStream, Stream, Tag, digest
from fairground.fair.contest import ContestScheme, contest_commitment
from fairground.fair.schemes import Run, Setting
from fairground.games.codebreaking.rules import Code


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
