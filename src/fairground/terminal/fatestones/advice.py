"""What FateStones advises: the odds, what perfect play would do, and what a choice has cost.

It needs the solver, so it is imported when the first dice lie on the table.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from fairground.games.fatestones import Hand
from fairground.solve.fatestones.choices import ROLLS, meeting, regrets, solve
from fairground.terminal.phrases import percent

LONGEST_FRACTION: Final = 15
"""Values can be fractions of forty digits: ``fairground solve fatestones`` shows them all."""


def exactly(share: Fraction) -> str:
    """A share in percents, and as a fraction where that is short enough to be read."""
    text = str(share)
    return f"{text} ({percent(share)})" if len(text) <= LONGEST_FRACTION else percent(share)


def advice(mine: Hand, theirs: Hand) -> list[str]:
    """What perfect play would do with these dice, with which chance, and what else costs."""
    found = solve(mine, theirs)
    costs, _ = regrets(mine, theirs)
    lines = [
        f"With perfect play you win with chance {exactly(found.value)}, "
        "a scratch counting one half. Choose by chance:",
    ]
    for number, (die, chance, cost) in enumerate(zip(mine, found.my_mix, costs, strict=True)):
        if chance == 1:
            lines.append(f"  {number}  {die}  always")
        elif chance:
            lines.append(f"  {number}  {die}  {exactly(chance)}")
        elif cost:
            lines.append(f"  {number}  {die}  never (costs {percent(cost)})")
        else:
            lines.append(f"  {number}  {die}  not needed (costs nothing)")
    return lines


def advised(mine: Hand, theirs: Hand) -> dict[str, str]:
    """The same for the record: chances as exact text."""
    return {str(i): str(chance) for i, chance in enumerate(solve(mine, theirs).my_mix)}


def cost(mine: Hand, theirs: Hand, pick: int) -> str:
    """What a choice that lies open now has cost, in chance to win against perfect play."""
    lost = regrets(mine, theirs)[0][pick]
    if not lost:
        return f"Your choice of {mine[pick]} was as good as any: it cost nothing."
    return f"Your choice of {mine[pick]} cost {percent(lost)} against perfect play."


def odds(mine: Hand, theirs: Hand) -> list[str]:
    """How each die fares against each: ways to win and to tie, out of 36."""
    lines = [
        f"Your dice (left) against theirs: ways to win + ways to tie, of {ROLLS}.",
        " " * 9 + "".join(f"  {die}" for die in theirs),
    ]
    for number, die in enumerate(mine):
        cells = "".join(
            f"{f'{meet.wins}+{meet.ties}':>8}" for meet in (meeting(die, other) for other in theirs)
        )
        lines.append(f"{number}  {die}{cells}")
    return lines
