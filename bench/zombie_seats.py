"""Results of `optimal` among several rivals, where its play is an approximation.

    python bench/zombie_seats.py [GAMES]     # some CPU-minutes; writes results/zombie_seats.json

Each game goes through the rules, with the default dice and a tape of its own; the seats
are shuffled by the game itself, so `optimal` sits anywhere equally often.
"""

from __future__ import annotations

import sys
from math import sqrt

from _machine import machine, write
from fairground.fair.bits import SeededStream
from fairground.games.zombie.rules import DEFAULTS, Zombie
from fairground.players import make_player, play

RIVALS = (("greedy",), ("greedy",) * 2, ("cautious",) * 2, ("greedy",) * 4)
SEED = "among several"


def wins(rivals: tuple[str, ...], games: int) -> int:
    """Count the games that `optimal` wins in seat 0."""
    game = Zombie.from_params({**DEFAULTS, "players": 1 + len(rivals)})
    players = [
        make_player(name, game, SeededStream(SEED), seat)
        for seat, name in enumerate(("optimal", *rivals))
    ]
    won = 0
    for number in range(games):
        *_, s = play(game, players, SeededStream(SEED, number))
        won += s.playing[0] == 0
    return won


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 6000
    rows = []
    for rivals in RIVALS:
        share = wins(rivals, games) / games
        row = {
            "against": list(rivals),
            "games": games,
            "share": share,
            "standard_error": sqrt(share * (1 - share) / games),
            "even_share": 1 / (1 + len(rivals)),
        }
        rows.append(row)
        print(row, flush=True)
    write("zombie_seats", {"machine": machine(), "seed": SEED, "rows": rows})


if __name__ == "__main__":
    main()
