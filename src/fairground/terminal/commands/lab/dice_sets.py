"""``fairground dice-sets``: all dice, or the fair ones, from the best to the worst."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from fairground.games.fatestones import Die, all_dice, fair_dice
from fairground.solve.fatestones.ranking import Contradictions, Ranked, contradictions, ranking
from fairground.terminal.console import Arguments
from fairground.terminal.ink import Ink

SETS: Final[dict[str, Callable[[], tuple[Die, ...]]]] = {"all": all_dice, "fair": fair_dice}

EXPLANATION: Final = """\
The ranking: every die meets every other one of the set. To beat is to win more often than to
lose. A die's balance is how many dice it beats, less how many beat it; the higher balance ranks
higher. Level dice are ranked by their score (win plus half a tie, on average over the set), then
by the mean of their faces, then by their number, the smaller first, which is arbitrary.

It respects dominance: a die that is at least as good as another face by face beats whatever the
other beats, loses only to what the other loses to, and beats the other one itself, so that its
balance is higher. So of all 462 dice 111111 comes last and 666666 first. No ranking can agree
with every pair, since dice beat one another in circles."""


def _arguments() -> Arguments:
    parser = Arguments(
        "dice-sets",
        "The dice of FateStones: six faces of one to six pips, written in ascending order. All\n"
        "462 of them, or the 32 with a mean of 3.5 that the game is played with; ranked.\n\n"
        + EXPLANATION,
        "Examples:\n"
        "  fairground dice-sets --set fair\n"
        "  fairground dice-sets --set all --csv > faces.csv\n"
        "  fairground dice-sets --set fair --plain > bag.txt",
    )
    parser.add_argument(
        "--set", choices=sorted(SETS), default="fair", help="which dice (default: %(default)s)"
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument(
        "--csv", action="store_true", help="a table with a header: die,rank,balance,score,mean"
    )
    shape.add_argument(
        "--plain",
        action="store_true",
        help="only the dice, in ascending order, one on each line: a file for --dice",
    )
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground dice-sets``"""
    options = _arguments().parse_args(arguments)
    dice = SETS[options.set]()
    if options.plain:
        print("\n".join(dice))
        return 0
    ranked = ranking(dice)
    if options.csv:
        print("die,rank,balance,score,mean")
        for die in ranked:
            print(f"{die.die},{die.rank},{die.balance},{die.score},{die.mean}")
        return 0
    print(f"{len(dice)} dice, the best first\n")
    art = Ink.of_terminal()
    print("\n".join(_table(ranked, art.columns)))
    for paragraph in EXPLANATION.split("\n\n"):
        print(f"\n{art.fold(' '.join(paragraph.split()))}")
    print()
    print(art.fold(_verdict(contradictions([die.die for die in ranked]))))
    return 0


def _table(ranked: Sequence[Ranked], columns: int) -> list[str]:
    """As many columns as fit, to be read from top to bottom."""
    head = "rank  die     balance   score  mean"
    cells = [
        f"{die.rank:>4}  {die.die}  {die.balance:>+7d}  {float(die.score):.4f}  "
        f"{float(die.mean):.2f}"
        for die in ranked
    ]
    beside = max(1, min((columns + 3) // (len(head) + 3), 3))
    height = -(-len(cells) // beside)
    lines = [" | ".join([head] * beside)]
    for row in range(height):
        lines.append(" | ".join(cells[row::height]))
    return lines


def _verdict(found: Contradictions) -> str:
    decided = found.pairs - found.level
    return (
        f"Of {found.pairs:,} pairs, {found.level:,} are level. The ranking contradicts "
        f"{found.against:,} of the other {decided:,} ({100 * found.against / decided:.1f}%): "
        "there the die ranked lower beats the one ranked higher."
    )
