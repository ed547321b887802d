"""The finding of the authors of FateStones, repeated and corrected.

    python examples/fatestones_finding.py [LOG]

They wrote: (1) no method of ranking all 462 dice placed ``111111`` as the worst and ``666666`` as
the best, and so (2) the game takes the 32 dice whose average roll is 3.5, which are equivalent.

LOG is a file of rounds in ten columns, such as that of their simulator. Without one, as many random
games are made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import median, pstdev

from fairground.games.fatestones.rows import read_cells, report
from fairground.games.fatestones.rules import FateStones, all_dice, fair_dice, pips
from fairground.games.fatestones.solver.choices import meeting, ranking
from fairground.lab.plans import plan_of
from fairground.lab.simulation import simulate
from fairground.stats import share

Key = Callable[[str], float | Fraction]

BY_DISTRIBUTION: dict[str, Key] = {
    "median": lambda die: median(pips(die)),
    "most frequent face": lambda die: max(pips(die), key=lambda face: (die.count(str(face)), face)),
    "highest face": lambda die: max(pips(die)),
    "lowest face": lambda die: min(pips(die)),
    "spread": lambda die: pstdev(pips(die)),
}
"""Ways to look at one die alone, as a spreadsheet would."""


def beaten(die: str) -> int:
    """Return the number of dice that it beats in over one half of all throws."""
    return sum(meeting(die, other).wins > 18 for other in all_dice())


def placed(key: Key) -> tuple[list[str], list[str]]:
    """The worst and the best dice by a key: several, where it cannot tell them apart."""
    values = {die: key(die) for die in all_dice()}
    low, high = min(values.values()), max(values.values())
    return [d for d in values if values[d] == low], [d for d in values if values[d] == high]


def ranks() -> None:
    print("1. A ranking with 111111 as the worst die and 666666 as the best\n")
    methods = BY_DISTRIBUTION | {"dice beaten": beaten}
    for name, key in methods.items():
        worst, best = placed(key)
        right = worst == ["111111"] and best == ["666666"]
        print(f"   by {name:<19} {len(worst):>3} dice are worst, {len(best):>3} are best"
              f"{'' if right else ': it cannot tell'}")  # fmt: skip
    ranked = [one.die for one in ranking(all_dice())]
    print(f"   by {'balance':<19} {ranked[-1]} is worst, {ranked[0]} is best")
    print("\n   Balance: how many dice it beats, less how many beat it. A die that is at least as")
    print("   good face by face always ranks higher, so the method exists.\n")


def equals(log: Path | None) -> None:
    print("2. Are the 32 dice with a mean of 3.5 equivalent?\n")
    if log is not None:
        found = report(read_cells(log))
        won, decided = found.wins, found.wins + found.losses
        print(f"   Their log: {found.games:,} random games,", end=" ")
    else:
        plan = plan_of(FateStones(scratch="end"), ("random", "random"), "finding", 10_000)
        counts = simulate(plan).tally.counts[0]
        won, decided = counts[1], counts[1] + counts[-1]
        print("   10,000 random games,", end=" ")
    part = share(won, decided)
    assert part.low is not None and part.high is not None
    print(f"{100 * part.mean:.1f} % won by player 1 (95 %: {100 * part.low:.1f} to "
          f"{100 * part.high:.1f}).")  # fmt: skip
    print("   With random choices both sides are equal, and the log cannot show more.\n")
    dice = fair_dice()
    edge, a, b = max((meeting(a, b).score, a, b) for a in dice for b in dice)
    print(f"   But die for die they differ: {a} against {b} earns {100 * edge / 72:.1f} %.")
    level = sum(meeting(a, b).score == 36 for a in dice for b in dice if a < b)
    print(f"   Of {len(dice) * (len(dice) - 1) // 2} pairs {level} are level.")
    plan = plan_of(FateStones(scratch="end"), ("optimal", "random"), "finding", 2000,
                   mirror=True, luck=True)  # fmt: skip
    gain = simulate(plan, jobs=1).tally.mean(0, 2, corrected=True)
    assert gain.low is not None and gain.high is not None
    low, high = 50 * (1 + gain.low), 50 * (1 + gain.high)
    print(f"   Whoever plays perfectly wins {50 * (1 + gain.mean):.2f} % against random choices")
    print(f"   (95 %: {low:.2f} to {high:.2f}; exactly 50.86, by all 18,123,840 deals).")
    print("   So they are equal on average, and not equivalent: that is what makes it a game.")


if __name__ == "__main__":
    ranks()
    equals(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
