"""Speed of verifying, against the least that any verifier must do.

The floor parses each line with ``json.loads`` and hashes it with SHA3-256, and nothing
else. `fairground.verifier.verify` does that, and also writes each line again to its very bytes,
follows the chain of hashes, plays the game again by its rules through the same referee,
checks every commitment, HMAC, link and key, compares each line that the referee writes,
and states the claims. The figure is floor time divided by verify time, so 1 would mean
that all those checks are free.

Every game is played under every scheme. They are as short as games are: few draws each, so that
nothing is amortised. (``long`` has one game of each kind with thousands of lines.)

``second_checker`` is one long record of Zombie Dice, checked by `fairground verify` and by
check.mjs in Node, each in a process of its own. Both must say that it is valid.

    python bench/verify.py                # writes results/verify.json
    python bench/verify.py --profile      # prints where the time goes, and writes nothing
"""

from __future__ import annotations

import cProfile
import hashlib
import json
import os
import pstats
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from _machine import child_cpu_seconds, cpu_seconds, ratio, side_by_side, summary, write
from fairground.core import Game, Move
from fairground.fair.bits import digest
from fairground.fair.chains import LENGTH
from fairground.games.codebreaking.rules import BREAKER, GIVE_UP, CodeBreaking
from fairground.games.fatestones.rules import FateStones
from fairground.games.intransitive.rules import Die, Intransitive
from fairground.games.poker.rules import Poker
from fairground.games.zombie.rules import PASS, Zombie
from fairground.table import Ask, Table
from fairground.testing.driving import Driver
from fairground.testing.modes import FixedVault, Mode, mode
from fairground.verifier import verify

ROOT: Final = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from tests.helpers.page import page  # noqa: E402 (found by the line above)

EVENTS: Final = 1500
"""About how many lines are verified of each game under each scheme."""

LONG: Final = 6000
LONGEST: Final = 100_000
"""About how many lines the record has that the second checker reads."""
GUESSES: Final = 10
REPETITIONS: Final = 9
TARGET: Final = 0.40
SHOWN: Final = 40
"""Number of functions of the profile to keep."""

GAMES: Final[dict[str, Callable[[], Game[Any]]]] = {
    "intransitive dice": lambda: Intransitive(
        [Die((2, 2, 4, 4, 9, 9)), Die((6, 8, 1, 1, 8, 6)), Die((7, 5, 3, 7, 5, 3))]
    ),
    "code breaking": CodeBreaking,
    "Zombie Dice": Zombie,
    "FateStones": FateStones,
    "video poker": Poker,
}

SCHEMES: Final[dict[str, Mode]] = {
    "hmac-sha3-user/1": mode("hmac-sha3-user-number"),
    "hash-chains/1, own chain": Mode("hash-chains/1", "own", "chain", (("length", LENGTH),)),
    "hash-chains/1, stirred each run": mode("hash-chains-each"),
    "contest/1": mode("contest-cup"),
    "seeded/1": mode("seeded-tape"),
    "system/1": mode("system-plain"),
}


class Seats(Driver):
    """Both seats. Ten guesses, then no more; nobody passes in Zombie Dice."""

    def __init__(self, table: Table, seed: str, lines: int) -> None:
        super().__init__(table, seed)
        self._lines = lines

    def move(self, ask: Ask) -> Move:
        """A guess, or any move that one would choose."""
        table = self.table
        if isinstance(table.game, CodeBreaking) and ask.seat == BREAKER:
            wanted = self._lines or 2 * GUESSES + 4
            if table.transcript.step >= wanted:
                return GIVE_UP
            return tuple(self.below(ask._replace(kind=f"digit {i}"), 6) for i in range(4))
        moves = [m for m in table.game.choices(table.view(ask.seat), ask.seat) if m != PASS]
        return moves[self.below(ask, len(moves))]


def played(game: Game[Any], scheme: Mode, number: int, lines: int = 0) -> bytes:
    """Return the transcript of a finished game; with ``lines``, of at least that length."""
    name = digest(f"bench/{scheme.name}", number)
    dealer = scheme.make(FixedVault(f"vault {number}"), name)
    table = Table.open(game, dealer, scheme.chairs(game.seats))
    seats = Seats(table, f"bench {number}", lines)
    while seats.once():
        pass
    return bytes(table.transcript)


def some(game: Game[Any], scheme: Mode) -> list[bytes]:
    """Games of about `EVENTS` lines together."""
    games: list[bytes] = []
    while sum(data.count(b"\n") for data in games) < EVENTS:
        games.append(played(game, scheme, len(games)))
    return games


def long_games() -> dict[str, list[bytes]]:
    """One long game of each kind that can be long."""
    rules: dict[str, Game[Any]] = {
        "code breaking": CodeBreaking(),
        "Zombie Dice": Zombie(2, brains_to_win=3 * LONG // 10),
        "FateStones": FateStones(["333333"] * 999 + ["333334"]),
    }
    return {
        f"{name}, long": [played(game, SCHEMES["hash-chains/1, stirred each run"], 0, LONG)]
        for name, game in rules.items()
    }


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
    """Return the functions in which verifying spends most of its time, in per cent."""
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


def measured(games: Sequence[bytes]) -> dict[str, Any]:
    """Floor and verify in turns."""
    samples = side_by_side(
        {
            "floor": partial(cpu_seconds, partial(floor, games)),
            "verify": partial(cpu_seconds, partial(verify_all, games)),
        },
        REPETITIONS,
    )
    lines = sum(data.count(b"\n") for data in games)
    seconds = summary(samples)
    return {
        "games": len(games),
        "lines": lines,
        "bytes": sum(map(len, games)),
        "microseconds_a_line": {
            side: round(1e6 * seconds[side]["median"] / lines, 2) for side in seconds
        },
        "floor_over_verify": ratio(samples, "floor", "verify"),
    }


def second_checker() -> dict[str, Any]:
    """Return the time of both checkers for one record, their starts included."""
    game = Zombie(2, brains_to_win=9 * LONGEST // 100)
    data = played(game, SCHEMES["hash-chains/1, stirred each run"], 0, LONGEST)
    lines = data.count(b"\n")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "long.jsonl"
        file.write_bytes(data)
        commands = {
            "verify": [sys.executable, "-m", "fairground", "verify", str(file)],
            "check.mjs": ["node", str(page() / "check.mjs"), str(file)],
        }
        samples = side_by_side(
            {
                name: partial(child_cpu_seconds, command, os.environ)
                for name, command in commands.items()
            },
            REPETITIONS,
        )
    seconds = summary(samples)
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    return {
        "game": "Zombie Dice",
        "node": node.stdout.strip(),
        "lines": lines,
        "bytes": len(data),
        "microseconds_a_line": {
            side: round(1e6 * seconds[side]["median"] / lines, 2) for side in seconds
        },
        "check_over_verify": ratio(samples, "check.mjs", "verify"),
    }


def main() -> None:
    transcripts = {
        (game, scheme): some(rules(), how)
        for game, rules in GAMES.items()
        for scheme, how in SCHEMES.items()
    }
    everything = [data for games in transcripts.values() for data in games]
    if "--profile" in sys.argv:
        for row in profile(everything):
            print(row)
        return
    cells: dict[str, dict[str, Any]] = {game: {} for game in GAMES}
    for (game, scheme), games in transcripts.items():
        cells[game][scheme] = measured(games)
        print(game, scheme, cells[game][scheme]["floor_over_verify"], file=sys.stderr)
    write(
        "verify",
        {
            "unit": "CPU seconds of this process",
            "repetitions": REPETITIONS,
            "target": f"floor over verify at least {TARGET}",
            "all": measured(everything),
            "games": cells,
            "long": {name: measured(games) for name, games in long_games().items()},
            "second_checker": second_checker(),
            "profile": profile(everything),
        },
    )


if __name__ == "__main__":
    main()
