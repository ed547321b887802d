"""FateStones: all deals solved, and rounds simulated beside OpenSpiel's `pig`.

    python bench/fatestones.py

All deals: CPU-seconds after compilation for the values of all 18,123,840 deals. In every run a
random sample of them is compared with exact fractions.

Simulation: whole games between random players, beside whole games of OpenSpiel's `pig` between
random players. A step is one random number and one change of the state: a pick or a roll. The
deal and the pick of a last die are not counted as steps. The loop over pig is the quickest that we
know: it asks for the current player only, and not for legal actions or chance outcomes. The games
differ, and the peer is called from Python for each step. Rounds stand beside steps of pig too.

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
from fairground.games.fatestones.kernel import NONE, as_text, play, workspace_of
from fairground.games.fatestones.rules import FACES, FateStones, Hand
from fairground.games.fatestones.solver import choices
from fairground.games.fatestones.solver.deals import solve_all

REPETITIONS = 9
GAMES = 500_000
STEPS = 200_000
DEALS = 200
MOVES, HOLD = 2, 1
"""Roll or hold, in pig."""
CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)


def rate(work: Callable[[], int]) -> float:
    begin = time.process_time()
    done = work()
    return done / (time.process_time() - begin)


def pig() -> int:
    game = pyspiel.load_game("pig")
    number, done = random.Random(1).random, 0
    while done < STEPS:
        state = game.new_initial_state()
        player, apply = state.current_player, state.apply_action
        while (who := player()) != TERMINAL:
            apply(int(number() * (FACES if who == CHANCE else MOVES)))
            done += 1
    return done


def steps_of_pig_are_legal() -> None:
    """Check on one game what the quick loop takes for granted.

    With enough points to win, a player may only hold. The quick loop may roll on there, because
    asking would cost it time; that makes no step slower.
    """
    state = pyspiel.load_game("pig").new_initial_state()
    number = random.Random(2).random
    while not state.is_terminal():
        chance = state.current_player() == CHANCE
        legal = state.legal_actions()
        assert legal == list(range(FACES if chance else MOVES)) or legal == [HOLD], legal
        odds = {odds for _, odds in state.chance_outcomes()} if chance else {1 / FACES}
        assert len(odds) == 1, odds
        state.apply_action(legal[int(number() * len(legal))])


def steps_a_round() -> float:
    """Return the mean number of picks and rolls in a round; no pick is counted of a last die."""
    workspace = workspace_of(FateStones(), ("random", "random"), "bench", GAMES)
    played = int(play(0, GAMES, workspace))
    forced = int((workspace.rows[:played, 1] == NONE).sum())
    return 4 - 2 * forced / played


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
    steps_of_pig_are_legal()
    per_second: Samples = side_by_side(
        {
            "pig steps": lambda: rate(pig),
            "rounds, random against random": rounds(("random", "random")),
            "rounds, greedy against random": rounds(("greedy", "random")),
            "rounds written as text": rows_of_text(),
        },
        REPETITIONS,
    )
    ours, many = "picks and rolls, random against random", steps_a_round()
    per_second[ours] = [many * each for each in per_second["rounds, random against random"]]
    write(
        "fatestones",
        {
            "repetitions": REPETITIONS,
            "all_deals": all_deals(),
            "one_deal": one_deal(),
            "steps_a_round": round(many, 4),
            "per_cpu_second": summary(per_second),
            "steps_to_pig_steps": ratio(per_second, ours, "pig steps"),
            "rounds_to_pig_steps": ratio(per_second, "rounds, random against random", "pig steps"),
        },
    )


if __name__ == "__main__":
    main()
