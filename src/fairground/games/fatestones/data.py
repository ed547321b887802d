"""FateStones as data: ``fairground episode``, ``episodes``, ``dice-sets`` and ``solve``."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fairground.games.fatestones.rows import (
    PARQUET,
    Episode,
    Loss,
    Report,
    episode,
    read_cells,
    report,
)
from fairground.games.fatestones.rules import Die, Hand, all_dice, fair_dice
from fairground.games.fatestones.screen import (
    HANDS,
    add_dice,
    add_hands,
    dice_file,
    hands,
    two_players,
    writing,
)
from fairground.games.fatestones.solver.choices import (
    Contradictions,
    Mixed,
    Ranked,
    by_die,
    contradictions,
    ranking,
    solve,
)
from fairground.terminal.console import Arguments, Ink, decimal
from fairground.terminal.waiting import progress_bar

if TYPE_CHECKING:
    from fairground.games.fatestones.solver.deals import SampleSummary, Summary


def _arguments() -> Arguments:
    parser = Arguments(
        "episode",
        "One round of FateStones: given the dice of both sides, each player chooses one, both are\n"
        "rolled, and the round is printed as the ten columns of the data sets: three dice of\n"
        "player 1, three of player 2 (those that are gone are empty), both choices (0 to 2), both\n"
        "results. The same seed gives the same episode; without one, a new one is made up.",
        "Examples:\n"
        f"  fairground episode {HANDS}\n"
        f"  fairground episode {HANDS} --players optimal,mcts:200 --seed 7",
    )
    add_hands(parser, required=True)
    parser.add_argument(
        "--players",
        metavar="P,Q",
        default="optimal,optimal",
        help="who chooses: optimal, mcts:200, greedy, random (default: %(default)s)",
    )
    parser.add_argument("--seed", metavar="S", help="any text")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run_episode(arguments: Sequence[str]) -> int:
    """``fairground episode``"""
    options = _arguments().parse_args(arguments)
    mine, theirs = hands(options)
    players = two_players(options.players)
    found = episode(mine, theirs, players, options.seed)
    if options.json:
        print(json.dumps(as_json(found, players)))
        return 0
    dice, rolls = found.played.dice, found.played.rolls
    for number, (who, die, roll) in enumerate(zip(players, dice, rolls, strict=True), start=1):
        print(f"Player {number} ({who}) chooses {die} and rolls {roll}")
    print(found.row)
    if options.seed is None:
        given = f"--mine {options.mine} --theirs {options.theirs} --players {options.players}"
        print(f"Again: fairground episode {given} --seed {shlex.quote(found.seed)}")
    return 0


def as_json(found: Episode, players: Sequence[str]) -> dict[str, Any]:
    """Return the episode as ``--json`` prints it."""
    played = found.played
    return {
        "mine": list(played.hands[0]),
        "theirs": list(played.hands[1]),
        "players": list(players),
        "seed": found.seed,
        "choices": list(played.picks),
        "dice": list(played.dice),
        "results": list(played.rolls),
        "row": found.row,
    }


STEP: Final = 200
"""Rows between two looks at the progress bar."""


def _episodes_arguments() -> Arguments:
    parser = Arguments(
        "episodes",
        "Read rounds of FateStones in ten columns (commas, a Markdown table or Parquet; with or\n"
        "without a header) and report: rows, wins, losses and ties of player 1, games, scratches,\n"
        "what each side's choices cost against perfect play. Illegal rows are listed with the\n"
        "reason, and counted nowhere else.",
        "Examples:\n"
        "  fairground episodes episodes.csv\n"
        "  fairground episodes episodes.csv --set fair\n"
        "  fairground episodes episodes.parquet --dice bag.txt --json",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="the rows")
    bag = parser.add_mutually_exclusive_group()
    bag.add_argument(
        "--set",
        choices=["all", "fair"],
        default="all",
        help="which dice a deal may have. all: any of the 462, any number of times. fair: the 32 "
        "with a mean of 3.5, each once, as the game deals them (default: %(default)s)",
    )
    add_dice(bag)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run_episodes(arguments: Sequence[str]) -> int:
    """``fairground episodes``"""
    options = _episodes_arguments().parse_args(arguments)
    dice = fair_dice() if options.set == "fair" else dice_file(options.dice)
    with progress_bar("rows") as advance:
        size = _rows_at_most(options.file)

        def seen(count: int) -> None:
            if count % STEP == 0:
                advance(count, size)

        found = report(read_cells(options.file), dice, seen)
        advance(found.rows, found.rows)
    if options.json:
        print(json.dumps(found.as_json()))
    else:
        print("\n".join(_lines(found)))
    return 1 if found.illegal else 0


def _rows_at_most(path: Path) -> int | None:
    """Return the number of lines of a text file, or ``None`` if that is slow to find."""
    try:
        with path.open("rb") as file:
            if file.read(len(PARQUET)) == PARQUET:
                return None
            return 1 + sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return None  # reading it will say what is wrong


def _lines(found: Report) -> list[str]:
    lines = [
        f"rows       {found.rows:,}",
        f"wins       {found.wins:,} (of player 1, in legal rows)",
        f"losses     {found.losses:,}",
        f"ties       {found.ties:,}",
        f"games      {found.games:,}",
        f"scratches  {found.scratches:,}",
        f"illegal    {len(found.illegal):,}",
        "",
        "What choices cost against perfect play, in chance to win:",
        _cost("player 1", found.loss_player1),
        _cost("player 2", found.loss_player2),
    ]
    if found.illegal:
        lines += ["", "Illegal rows:"]
        lines += [f"  line {bad.line}: {bad.reason}" for bad in found.illegal]
    return lines


def _cost(who: str, loss: Loss) -> str:
    where = "" if loss.worst_line is None else f", in line {loss.worst_line}"
    worst = f"{loss.worst} = {float(loss.worst):.12f}" if loss.worst else "0"
    return f"{who}   {loss.average:.12f} on average, {worst} at worst{where}"


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


def _dice_sets_arguments() -> Arguments:
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


def run_dice_sets(arguments: Sequence[str]) -> int:
    """``fairground dice-sets``"""
    options = _dice_sets_arguments().parse_args(arguments)
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
    """Arrange the dice in columns that fit, read from top to bottom."""
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


EXAMPLE: Final = f"fairground solve fatestones {HANDS}"
OUT: Final = Path("fatestones-values.bin")
BAR: Final = 60


def _solve_arguments() -> Arguments:
    parser = Arguments(
        "solve fatestones",
        "Perfect play, exactly: the chance that the first side finally wins (a scratch counting\n"
        "one half), and with which chance each side should choose each die. Or the values of all\n"
        "deals of a bag, written to a compact file (docs/games/fatestones.md has its format).",
        f"Examples:\n  {EXAMPLE}\n"
        "  fairground solve fatestones --mine 111666,222555 --theirs 333444,123456 --json\n"
        "  fairground solve fatestones --all --out values.bin\n"
        "  fairground solve fatestones --all --dice bag.txt --no-out\n"
        "  fairground solve fatestones --sample 100000 --dice all.txt",
    )
    add_hands(parser, required=False)
    parser.add_argument("--all", action="store_true", help="every deal of the bag")
    parser.add_argument(
        "--sample",
        metavar="N",
        type=int,
        help="the twenty deals of N sixes drawn at random, for a bag of more than 53 dice",
    )
    add_dice(parser)
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help=f"where the values of --all are written (default: {OUT} in this directory)",
    )
    where.add_argument("--no-out", action="store_true", help="only sum the values up")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run_solve(arguments: Sequence[str]) -> int:
    """``fairground solve fatestones``"""
    parser = _solve_arguments()
    options = parser.parse_args(arguments)
    many, saved = options.all or options.sample is not None, options.out or options.no_out
    if options.all and options.sample is not None:
        parser.error("--all is every deal, --sample some of them: give one of the two")
    if options.sample is not None and saved:
        parser.error("--sample writes no file of values: --out and --no-out belong to --all")
    if many and (options.mine is not None or options.theirs is not None):
        what = "--all is about every deal" if options.all else "--sample draws the hands"
        parser.error(f"{what}, so it takes neither --mine nor --theirs")
    if many:
        return _deals(options)
    if options.mine is None or options.theirs is None:
        parser.error("both --mine and --theirs are needed, or --all, or --sample")
    if options.dice is not None or saved:
        parser.error("--dice, --out and --no-out belong to --all and --sample")
    found = solve(*hands(options))
    mine, theirs = by_die(found.mine, found.my_mix), by_die(found.theirs, found.their_mix)
    if options.json:
        texts = [{die: str(share) for die, share in side.items()} for side in (mine, theirs)]
        print(json.dumps({"value": str(found.value), "mine": texts[0], "theirs": texts[1]}))
        return 0
    print(f"Value for mine: {found.value} = {decimal(found.value, 12)}")
    print("(the chance to win finally under perfect play, a scratch counting one half)")
    for title, hand, mix in (
        ("Mine", found.mine, found.my_mix),
        ("Theirs", found.theirs, found.their_mix),
    ):
        print(f"\n{title}: choose")
        print("\n".join(_strategy(hand, mix)))
    return 0


def _strategy(hand: Hand, mix: Mixed) -> list[str]:
    shares = by_die(hand, mix)
    wide = max(len(str(share)) for share in shares.values())
    return [
        f"  {die}  with chance {share!s:>{wide}} = {decimal(share, 12)}"
        if share
        else f"  {die}  never"
        for die, share in shares.items()
    ]


def _deals(options: argparse.Namespace) -> int:
    """Solve all deals of a bag, or a sample of them."""
    from fairground.games.fatestones.solver.deals import Summary, solve_all, solve_sample

    dice = dice_file(options.dice)
    out: Path | None = options.out or OUT
    if options.no_out or options.sample is not None:
        out = None
    summary: Summary | SampleSummary
    with nullcontext() if out is None else writing(out), progress_bar("deals") as advance:
        if options.sample is None:
            summary = solve_all(dice, out, progress=advance)
        else:
            summary = solve_sample(dice, options.sample, progress=advance)
    if options.json:
        print(json.dumps(_as_json(summary, out)))
        return 0
    print(
        "\n".join(_all_lines(summary) if isinstance(summary, Summary) else _sample_lines(summary))
    )
    print(*histogram(summary.histogram, shutil.get_terminal_size().columns), sep="\n")
    if out is not None:
        print(f"\nThe values are in {out} ({out.stat().st_size:,} bytes).")
    return 0


def _as_json(summary: Summary | SampleSummary, out: Path | None) -> dict[str, Any]:
    record: dict[str, Any] = summary._asdict()
    record["best"] = [list(hand) for hand in summary.best]
    if hasattr(summary, "pure"):
        return record | {name: record[name]._asdict() for name in ("spread", "pure")}
    return record | {"file": None if out is None else str(out)}


def _sample_lines(summary: SampleSummary) -> list[str]:
    best, other = (",".join(hand) for hand in summary.best)
    share, margin = (100 * figure for figure in summary.pure)
    return [
        f"{summary.solved:,} deals, drawn from the {summary.deals:,} of {summary.dice} dice",
        f"best of them: {best} against {other}: {summary.highest:.12f}",
        f"typical edge: {summary.spread.mean:.5f} +- {summary.spread.margin:.5f}"
        " (root mean square distance from one half; 95%)",
        f"pure:         {share:.2f}% +- {margin:.2f}% of all deals: each side has one",
        "              right die, so that it need not be hidden (95%)",
        f"exactness:    bounds enclose every value to within {summary.proven:.1e};",
        f"              {summary.checked} of them differ from exact fractions by at most"
        f" {summary.error:.1e}",
        "",
        "How many deals of the sample have which value, in whole percents:",
    ]


def _all_lines(summary: Summary) -> list[str]:
    best, other = (",".join(hand) for hand in summary.best)
    pure = 100 * summary.saddles / summary.deals
    return [
        f"{summary.deals:,} deals of {len(summary.dice)} dice",
        f"best deal:    {best} against {other}: {summary.highest:.12f}",
        f"typical edge: {summary.spread:.12f} (root mean square distance from one half)",
        f"pure:         {summary.saddles:,} deals ({pure:.1f}%) in which each side has one right "
        "die,",
        "              so that it need not be hidden",
        f"exactness:    bounds enclose every value to within {summary.proven:.1e}, the rounding of",
        f"              sums aside; a random sample of {summary.checked} differs",
        f"              from exact fractions by at most {summary.error:.1e}",
        "",
        "How many deals have which value, in whole percents:",
    ]


def histogram(counts: Sequence[int], columns: int) -> list[str]:
    """Return one line for each percent that occurs or lies between two that do."""
    there = [percent for percent, count in enumerate(counts) if count]
    most = max(counts)
    digits = len(f"{most:,}")
    room = max(1, min(BAR, columns - digits - 8))
    lines = []
    for percent in range(min(there), max(there) + 1):
        bar = "#" * (room * counts[percent] // most)
        lines.append(f"{percent:>3}%  {counts[percent]:>{digits},}  {bar}".rstrip())
    return lines
