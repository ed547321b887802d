"""How far from perfect is `mcts`, for growing budgets? Exactly, on a stated sample of deals.

For each deal the search's average strategies are taken in all positions that can come up
(the deal, and the nine positions with two dice each), with a search of the full budget
for each, and the best reply to them is computed. The best reply knows the very strategies
that the search came to, which is harder on the search than a real opponent could be.

    python bench/fatestones_mcts.py            # writes the JSON and the plot
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from math import sqrt
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from fairground.fair.bits import SeededStream
from fairground.games.fatestones.rules import Die, FateStones, Hand, State, fair_dice
from fairground.games.fatestones.solver.choices import meeting, value
from fairground.players.mcts import Budget, Search

SEED = "fatestones-mcts"
DEALS = 60
BUDGETS = (10, 30, 100, 300, 1000, 3000, 10000)
HERE = Path(__file__).resolve().parent
RESULT = HERE / "results" / "fatestones_mcts.json"
PLOT = HERE.parent / "docs" / "figures" / "fatestones-mcts.svg"
RANDOM, GREEDY = 0.017911434004, 0.017595254242
"""Exploitability over all deals, from `_fatestones_exploitability.compare_players`."""


def deal(number: int) -> tuple[Hand, Hand]:
    chance, bag = SeededStream(SEED, number), list(fair_dice())
    dice: list[Die] = [bag.pop(chance.below(len(bag))) for _ in range(6)]
    return tuple(dice[0::2]), tuple(dice[1::2])


def kept(mine: Hand, theirs: Hand, budget: int, chance: SeededStream) -> float:
    """Return the value for "mine" when the other side replies best in every round."""
    if len(mine) == 1:
        return meeting(mine[0], theirs[0]).score / 72
    game = FateStones(hands=(mine, theirs))
    search = Search(game, State("choose", (mine, theirs)), chance)
    search.run(Budget(budget, None))
    strategy = search.strategy(0)
    replies = []
    for j, their in enumerate(theirs):
        total = 0.0
        for i, my in enumerate(mine):
            rest = mine[:i] + mine[i + 1 :], theirs[:j] + theirs[j + 1 :]
            met = meeting(my, their)
            total += strategy[i] * (met.wins + met.ties * kept(*rest, budget, chance)) / 36
        replies.append(total)
    return min(replies)


def loss(job: tuple[int, int]) -> float:
    number, budget = job
    mine, theirs = deal(number)
    return float(value(mine, theirs)) - kept(
        mine, theirs, budget, SeededStream(SEED, number, 1 + budget)
    )


def plot(rows: list[dict[str, float]]) -> None:
    matplotlib.rcParams["svg.hashsalt"] = SEED  # the same picture has the same bytes
    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    budgets = [row["budget"] for row in rows]
    means = [row["mean"] for row in rows]
    axes.errorbar(
        budgets,
        means,
        yerr=[row["half_width"] for row in rows],
        marker="o",
        capsize=3,
        label="mcts",
    )
    axes.axhline(RANDOM, linestyle=":", color="grey", label="random (all deals)")
    axes.axhline(GREEDY, linestyle="--", color="grey", label="greedy (all deals)")
    axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("iterations for each choice")
    axes.set_ylabel("exploitability (chance to win)")
    axes.set_title(f"{DEALS} random deals, 95 % intervals")
    axes.legend()
    figure.tight_layout()
    figure.savefig(PLOT, metadata={"Date": None})


def main() -> None:
    rows: list[dict[str, float]] = []
    if "--plot" in sys.argv[1:]:
        rows = json.loads(RESULT.read_text())["budgets"]
    else:
        with ProcessPoolExecutor(2) as pool:
            for budget in BUDGETS:
                losses = list(pool.map(loss, [(number, budget) for number in range(DEALS)]))
                mean = sum(losses) / DEALS
                deviation = sqrt(sum((x - mean) ** 2 for x in losses) / (DEALS - 1))
                row = {
                    "budget": budget,
                    "mean": mean,
                    "half_width": 1.96 * deviation / sqrt(DEALS),
                    "worst": max(losses),
                }
                rows.append(row)
                print(row, flush=True)
        result = {"seed": SEED, "deals": DEALS, "interval": "95 %, normal", "budgets": rows}
        RESULT.write_text(json.dumps(result, indent=1) + "\n")
    plot(rows)


if __name__ == "__main__":
    main()
