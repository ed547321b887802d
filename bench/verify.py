"""How quickly transcripts are verified, against the least that any verifier must do.

The floor parses each line with ``json.loads`` and hashes it with SHA3-256, and nothing
else. `fairground.verify.verify` does that, and also re-encodes each line to its very bytes,
follows the chain of hashes, plays the game again by its rules through the same referee,
checks every commitment, HMAC, link and key, compares each line that the referee writes,
and states the claims. The figure is floor time divided by verify time, so 1 would mean
that all those checks are free.

The transcripts are many short games of intransitive dice under each scheme: few draws a
game, so that nothing is amortised.
"""

from __future__ import annotations

import cProfile
import hashlib
import json
import pstats
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from _machine import cpu_seconds, ratio, side_by_side, summary, write
from fairground.core import Seat
from fairground.fair.bits import SeededStream, Stream, digest
from fairground.fair.chains import LENGTH, ChainHolder, HashChainsDealer
from fairground.fair.contest import ContestDealer
from fairground.fair.hmac_user import HmacUserDealer
from fairground.fair.schemes import Chair, Dealer
from fairground.fair.unproven import SeededDealer, SystemDealer
from fairground.fair.vault import MemoryVault
from fairground.games.intransitive import COMPUTER, USER, Die, Intransitive
from fairground.players.hosted import Hosted
from fairground.players.intransitive import OptimalDice
from fairground.players.simple import RandomPlayer
from fairground.table import Ask, Table
from fairground.verify import verify

GAMES: Final = 200
REPETITIONS: Final = 9
TARGET: Final = 0.15
GAME: Final = Intransitive(
    [Die((2, 2, 4, 4, 9, 9)), Die((6, 8, 1, 1, 8, 6)), Die((7, 5, 3, 7, 5, 3))]
)
SHOWN: Final = 14
"""How many functions of the profile are kept."""


def _contest(name: bytes, vault: MemoryVault) -> Dealer:
    return ContestDealer(name, vault, contest="bench", game=name[-1], seed=bytes(32))


def _seeded(name: bytes, vault: MemoryVault) -> Dealer:
    return SeededDealer(name, vault, seed="bench", game=name[-1])


SCHEMES: Final[dict[str, tuple[Callable[[bytes, MemoryVault], Dealer], str]]] = {
    "hmac-sha3-user/1": (HmacUserDealer, "number"),
    "hash-chains/1, own chain": (HashChainsDealer, "chain"),
    "hash-chains/1, stirred each run": (partial(HashChainsDealer, stir="each"), "stir"),
    "contest/1": (_contest, "nothing"),
    "seeded/1": (_seeded, "nothing"),
    "system/1": (SystemDealer, "nothing"),
}
"""Scheme → who deals, and what the user lends."""


class User:
    """The user's side of one game: picks at random, and lends what the scheme asks for."""

    def __init__(self, name: bytes, chance: Stream, seat: Seat = USER) -> None:
        self._chance = chance
        self._holder = ChainHolder(name, seat, LENGTH)
        self._player = RandomPlayer(GAME, chance)

    def answer(self, table: Table, ask: Ask) -> Any:
        """What this seat says to an ask."""
        match ask.kind:
            case "move":
                return self._player.choose(GAME, table.view(ask.seat), ask.seat)
            case "number":
                return self._chance.below(ask.n)
            case "stir":
                return f"stir {self._chance.below(10**9)}"
            case kind:
                return self._holder.answer(kind, ask.run, ask.head)


def played(scheme: str, number: int) -> bytes:
    """One finished game as a transcript."""
    make, lends = SCHEMES[scheme]
    name = digest(f"bench/{scheme}", number)
    chairs = [Chair("Computer", by="house"), Chair("User", lends=lends)]
    table = Table.open(GAME, make(name, MemoryVault()), chairs)
    hosted = Hosted(table, {COMPUTER: OptimalDice(GAME)})
    user = User(name, SeededStream(scheme, number, 1 + USER))
    while asks := hosted.play():
        table.submit(asks[0], user.answer(table, asks[0]))
    return bytes(table.transcript)


def floor(transcripts: Sequence[bytes]) -> None:
    """Parse and hash every line."""
    for data in transcripts:
        for line in data.splitlines(keepends=True):
            json.loads(line)
            hashlib.sha3_256(line).hexdigest()


def verify_all(transcripts: Sequence[bytes]) -> None:
    """Verify every transcript; each must hold."""
    for data in transcripts:
        verdict = verify(data)
        if not verdict.ok:
            raise SystemExit(f"a fresh transcript does not verify: {verdict.fault}")


def profile(transcripts: Sequence[bytes]) -> list[dict[str, Any]]:
    """Where verifying spends its own time: the functions with the most, in per cent."""
    profiler = cProfile.Profile()
    profiler.runcall(verify_all, transcripts)
    stats: Any = pstats.Stats(profiler)
    rows = sorted(stats.stats.items(), key=lambda row: -row[1][2])
    return [
        {
            "function": f"{path.rpartition('fairground/')[2].rpartition('/')[2]}:{name}",
            "calls": calls,
            "own_percent": round(100 * own / stats.total_tt, 1),
            "with_callees_percent": round(100 * total / stats.total_tt, 1),
        }
        for (path, _, name), (_, calls, own, total, _) in rows[:SHOWN]
    ]


def main() -> None:
    transcripts = {
        scheme: [played(scheme, number) for number in range(GAMES)] for scheme in SCHEMES
    }
    everything = [data for games in transcripts.values() for data in games]
    result = {}
    for name, games in {"all schemes": everything, **transcripts}.items():
        samples = side_by_side(
            {
                "floor": partial(cpu_seconds, partial(floor, games)),
                "verify": partial(cpu_seconds, partial(verify_all, games)),
            },
            REPETITIONS,
        )
        lines = sum(data.count(b"\n") for data in games)
        seconds = summary(samples)
        result[name] = {
            "games": len(games),
            "lines": lines,
            "bytes": sum(map(len, games)),
            "cpu_seconds": seconds,
            "lines_per_cpu_second": round(lines / seconds["verify"]["median"]),
            "floor_over_verify": ratio(samples, "floor", "verify"),
        }
    write(
        "verify",
        {
            "unit": "CPU seconds of this process",
            "repetitions": REPETITIONS,
            "target": f"floor over verify at least {TARGET}",
            "schemes": result,
            "profile": profile(everything),
        },
    )


if __name__ == "__main__":
    main()
