"""FateStones: all deals solved, and rounds simulated beside OpenSpiel's `pig`.

    python bench/fatestones.py

All deals: CPU-seconds after compilation for the values of all 18,123,840 deals, a random
sample of which is compared with exact fractions in every run. Simulation: rounds for each
CPU-second against steps of `pig` played out from Python, the two taking turns. Pig is
played in two ways: as OpenSpiel's own documentation does it (``np.random.choice`` for
chance), and as fast as we can drive it from Python. All deals are equally likely there, so one
number of the standard library's generator picks an outcome.

One deal: the exact value of one deal after the other from Python, nothing remembered, beside
nashpy. It gets the same odds of two dice, solves the same ten matrix games in its quickest way
that never fails (support enumeration), and gives floating point numbers.
"""

from __future__ import annotations

import random  # noqa: TID251 - it drives the peer, which is none of ours
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
import pyspiel

from _machine import Samples, ratio, side_by_side, summary, write
from fairground.fair.bits import SeededStream
from fairground.games.fatestones.kernel import as_text, play, workspace_of
from fairground.games.fatestones.rules import FateStones, Hand
from fairground.games.fatestones.solver import choices
from fairground.games.fatestones.solver.deals import solve_all

REPETITIONS = 5
GAMES = 500_000
STEPS = 100_000
SLOW_STEPS = 10_000
DEALS = 200


def rate(work: Callable[[], int]) -> float:
    begin = time.process_time()
    done = work()
    return done / (time.process_time() - begin)


def pig(steps: int, pick: Callable[[list[tuple[int, float]]], int]) -> int:
    game = pyspiel.load_game("pig")
    chance = random.Random(1).random
    done = 0
    while done < steps:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                action = pick(state.chance_outcomes())
            else:
                legal = state.legal_actions()
                action = legal[int(chance() * len(legal))]
            state.apply_action(action)
            done += 1
    return done


def documented_pick(outcomes: list[tuple[int, float]]) -> int:
    actions, chances = zip(*outcomes, strict=True)
    return int(np.random.choice(actions, p=chances))


FAST = random.Random(2).random
"""The standard library's: of all generators the quickest to ask for one number."""


def fast_pick(outcomes: list[tuple[int, float]]) -> int:
    return outcomes[int(FAST() * len(outcomes))][0]


def rounds(players: tuple[str, str]) -> Callable[[], float]:
    workspace = workspace_of(FateStones(), players, "bench", GAMES)
    return lambda: rate(lambda: int(play(0, GAMES, workspace)))


def rows_of_text() -> Callable[[], float]:
    workspace = workspace_of(FateStones(), ("random", "random"), "bench", GAMES)

    def work() -> int:
        done = int(play(0, GAMES, workspace))
        as_text(workspace, done)
        return done

    return lambda: rate(work)


def all_deals() -> dict[str, object]:
    solve_all(("123456",) * 6)  # compile
    seconds, errors, proven = [], [], []
    for _ in range(REPETITIONS):
        begin = time.process_time()
        found = solve_all(sample=300)
        seconds.append(time.process_time() - begin)
        errors.append(found.error)
        proven.append(found.proven)
    return {
        "deals": found.deals,
        "cpu_seconds": summary({"": seconds})[""],
        "compared_with_exact_fractions": REPETITIONS * found.checked,
        "largest_difference": max(errors),
        "proven_within": max(proven),
    }


def some_deals() -> list[tuple[Hand, Hand]]:
    stream, deals = SeededStream("one deal"), []
    for _ in range(DEALS):
        bag = list(FateStones().bag)
        six = [bag.pop(stream.below(len(bag))) for _ in range(6)]
        deals.append((tuple(six[:3]), tuple(six[3:])))
    return deals


def by_nashpy(mine: Hand, theirs: Hand) -> float:
    """The value of a position, with the package for the matrix games."""
    if len(mine) == 1:
        return choices.meeting(mine[0], theirs[0]).score / (2 * choices.ROLLS)
    matrix = np.empty((len(mine), len(theirs)))
    for i, a in enumerate(mine):
        for j, b in enumerate(theirs):
            wins, ties = choices.meeting(a, b)
            rest = by_nashpy(mine[:i] + mine[i + 1 :], theirs[:j] + theirs[j + 1 :])
            matrix[i, j] = (wins + ties * rest) / choices.ROLLS
    game = import_module("nashpy").Game(matrix)
    rows, columns = next(game.support_enumeration(non_degenerate=False))
    return float(rows @ matrix @ columns)


def one_deal() -> dict[str, Any]:
    deals = some_deals()
    largest = max(abs(float(choices.value(*deal)) - by_nashpy(*deal)) for deal in deals)
    assert largest < 1e-12, f"nashpy finds a value that is {largest} off"

    def ours() -> int:
        for deal in deals:
            choices._worth_of_two.cache_clear()
            choices._equilibrium.cache_clear()
            choices.solve(*deal)
        return DEALS

    def theirs() -> int:
        for deal in deals:
            by_nashpy(*deal)
        return DEALS

    samples = side_by_side(
        {"fairground, exact": lambda: rate(ours), "nashpy": lambda: rate(theirs)}, REPETITIONS
    )
    return {
        "deals": DEALS,
        "peer": f"nashpy {version('nashpy')}",
        "largest_difference": largest,
        "deals_per_cpu_second": summary(samples),
        "times_nashpy": ratio(samples, "fairground, exact", "nashpy"),
    }


def main() -> None:
    per_second: Samples = side_by_side(
        {
            "pig steps, as documented": lambda: rate(lambda: pig(SLOW_STEPS, documented_pick)),
            "pig steps, driven fast": lambda: rate(lambda: pig(STEPS, fast_pick)),
            "rounds, random against random": rounds(("random", "random")),
            "rounds, greedy against random": rounds(("greedy", "random")),
            "rounds written as text": rows_of_text(),
        },
        REPETITIONS,
    )
    ours = "rounds, random against random"
    write(
        "fatestones",
        {
            "repetitions": REPETITIONS,
            "all_deals": all_deals(),
            "one_deal": one_deal(),
            "per_cpu_second": summary(per_second),
            "times_pig_as_documented": ratio(per_second, ours, "pig steps, as documented"),
            "times_pig_driven_fast": ratio(per_second, ours, "pig steps, driven fast"),
        },
    )


if __name__ == "__main__":
    main()
