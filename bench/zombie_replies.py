"""The quality of players of Zombie Dice: the exact gain of the best reply to them.

    python bench/zombie_replies.py [PLAYERS ...]     # three: 4 CPU-minutes; four: half an hour

All seats but one are played by one kind of player, with the usual dice; the one knows it, and plays
the best reply (`_zombie_replies`). A gain of 0.01 is one game in a hundred. For the
coach's model (`zombie.solver.several.greedy_model`) the error of its chances is measured.
Writes results/zombie_replies_3.json and results/zombie_replies_4.json.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import _zombie_replies as replies
from _machine import machine, write
from fairground.fair.bits import SeededStream
from fairground.games.zombie.judge import CrowdJudge, SolvedZombieJudge
from fairground.games.zombie.rules import Zombie
from fairground.games.zombie.solver import several

STATES = 400
"""Situations in which the coach's model is compared."""


def minds(game: Zombie, players: int) -> dict[str, replies.Mind]:
    """Return the players to reply to."""
    known = several.ready(game, players)
    assert known is not None
    found: dict[str, replies.Mind] = {
        "the stored solution": replies.Solution(game, known),
        "the duel with the strongest rival": replies.Rival(game),
    }
    if players == 3:  # whoever counts brains seldom stops for good: its turns take long to follow
        found["greedy"] = replies.Brains(game)
    return found


def gains(game: Zombie, players: int, mind: replies.Mind) -> dict[str, Any]:
    """Return each seat's wins with the best reply, and the gain of all together."""
    began = time.process_time()
    won = replies.replied(game, mind, players)
    gained = sum(won) - 1
    print(f"  {won}: {gained:.2e}", flush=True)
    return {
        "won": won,
        "gained_by_all": gained,
        "mean_gain": gained / players,
        "cpu_seconds": time.process_time() - began,
    }


def model(players: int) -> dict[str, Any]:
    """Measure the error of the coach's model of a crowd, in random situations."""
    game = Zombie(players)
    perfect, crowd = SolvedZombieJudge(game), CrowdJudge(game)
    state = game.start()._replace(phase="decide", unsettled=0, playing=tuple(range(players)))
    stream, off = SeededStream("how far off", players), []
    for _ in range(STATES):
        scores = tuple(stream.below(game.brains_to_win) for _ in range(players))
        here = state._replace(scores=scores, at=stream.below(players))
        pairs = zip(perfect.worth(here), crowd.worth(here), strict=True)
        off.append(max(abs(float(a - b)) for a, b in pairs))
    low, high = np.quantile(off, (0.5, 0.9)).tolist()
    return {"situations": STATES, "median": low, "nine_of_ten": high, "most": max(off)}


def main() -> None:
    for players in [int(word) for word in sys.argv[1:]] or [3, 4]:
        game, rows = Zombie(players), []
        for name, mind in minds(game, players).items():
            print(f"{players} players, {name}", flush=True)
            rows.append({"against": name, **gains(game, players, mind)})
        result = {"players": players, "rows": rows, "model_off": model(players)}
        write(f"zombie_replies_{players}", {"machine": machine(), **result})


if __name__ == "__main__":
    main()
