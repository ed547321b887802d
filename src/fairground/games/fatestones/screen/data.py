"""``fairground episode``, ``episodes`` and ``dice-sets``: FateStones as data."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from fairground.games.fatestones.rows import (
    PARQUET,
    Episode,
    Loss,
    Report,
    episode,
    read_cells,
    report,
)
from fairground.games.fatestones.rules import Die, all_dice, fair_dice
from fairground.games.fatestones.screen.screen import (
    HANDS,
    add_dice,
    add_hands,
    dice_file,
    hands,
    two_players,
)
from fairground.games.fatestones.solver.ranking import (
    Contradictions,
    Ranked,
    contradictions,
    ranking,
)
from fairground.terminal.console import Arguments, Ink
from fairground.terminal.waiting import progress_bar


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
    """The episode as ``--json`` prints it."""
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
