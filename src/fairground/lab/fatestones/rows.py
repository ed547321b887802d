"""The ten-column rows of FateStones: writing them, reading them, and judging them.

A row is one round: three dice of player 1 (the second and third may be missing), three of
player 2, each player's choice (an index from 0 into the dice that are left) and each
player's roll. A game is the rounds of one deal: it begins with three dice each, goes on
with the dice left after a tie, and ends with a higher roll or with a *scratch*, a tie
of the last dice.

Rows come as text (commas, or the bars of a Markdown table; with or without a header) or as
Parquet. A row is illegal if its cells cannot be read, if a die or a pick or a face is not what
it says it is, if a die lies there more often than the bag has it, if a round with fewer
than three dice continues nothing, or if a tie with dice left is followed by something else
than its next round. (Where the file ends after a tie, the log was just cut there.)

What a choice costs: the value of the position less what the chosen die earns against the
other side's *equilibrium* strategy, with perfect play afterwards; in chance to win. It is
never negative, and zero for every die that perfect play ever uses. It is computed exactly
for every legal row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from math import fsum
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.core import Unreadable
from fairground.games.fatestones import HAND, FateStones, Hand, Hands, Round, wrong_with
from fairground.lab.parquet import pyarrow
from fairground.solve.fatestones.choices import costs

COLUMNS: Final = (
    *(f"Player {player} Die {die}" for player in (1, 2) for die in (1, 2, 3)),
    *(f"Player {player} {what}" for what in ("Choice", "Result") for player in (1, 2)),
)
HEADER: Final = ",".join(COLUMNS)
PARQUET: Final = b"PAR1"


def row_of(played: Round) -> str:
    """A round as its ten columns, without a line feed."""
    cells: list[str] = []
    for hand in played.hands:
        cells += [*hand, *[""] * (HAND - len(hand))]
    return ",".join([*cells, *(str(number) for number in (*played.picks, *played.rolls))])


class Illegal(NamedTuple):
    """A row that no game can have produced."""

    line: int
    reason: str


class Loss(NamedTuple):
    """What one side's choices cost, over all legal rows."""

    average: float
    worst: Fraction
    worst_line: int | None
    """The first line that cost the worst; ``None`` where nothing cost anything."""


class Report(NamedTuple):
    """What a file of rows says; wins and losses are those of player 1's rounds."""

    rows: int
    wins: int
    losses: int
    ties: int
    games: int
    scratches: int
    illegal: tuple[Illegal, ...]
    loss_player1: Loss
    loss_player2: Loss

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values: exact numbers as text, decimals as decimals."""
        out: dict[str, Any] = self._asdict()
        out["illegal"] = [bad._asdict() for bad in self.illegal]
        for player in ("loss_player1", "loss_player2"):
            loss: Loss = out[player]
            out[player] = {**loss._asdict(), "worst": str(loss.worst)}
        return out


def read_cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file as text cells, each with its line number (a header is left out)."""
    try:
        with path.open("rb") as file:
            parquet = file.read(4) == PARQUET
        if parquet:
            yield from _parquet_cells(path)
            return
        with path.open(encoding="utf-8-sig", newline=None) as text:
            yield from text_cells(text)
    except OSError as error:
        raise Unreadable(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Unreadable(f"{path} is neither text nor Parquet") from None


def text_cells(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Rows from lines of text; blank lines, headers and Markdown rulers are left out."""
    first = True
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        if not line:
            continue
        bars = line.startswith("|")
        cells = [cell.strip() for cell in (line.strip("|").split("|") if bars else line.split(","))]
        ruler = bars and set(line) <= set("|-: ")
        header = first and len(cells) == len(COLUMNS) and not any(cell.isdigit() for cell in cells)
        first = False
        if not header and not ruler:
            yield number, cells


def _parquet_cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    parquet = pyarrow("parquet")
    number = 0
    for batch in parquet.ParquetFile(path).iter_batches():
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            number += 1
            yield number, ["" if value is None else str(value) for value in values]


class _Row(NamedTuple):
    """What could be read of a row, and everything that is wrong with it."""

    line: int
    hands: Hands
    picks: tuple[int, int]
    rolls: tuple[int, int]
    wrong: tuple[str, ...]

    @property
    def tie(self) -> bool:
        return self.rolls[0] == self.rolls[1] and self.rolls[0] != UNKNOWN


UNKNOWN: Final = -1
"""A number that could not be read."""


def _number(cell: str, low: int, high: int) -> int:
    ok = len(cell) == 1 and cell in "0123456789" and low <= int(cell) <= high
    return int(cell) if ok else UNKNOWN


def _hand(cells: Sequence[str], player: int, wrong: list[str]) -> Hand:
    hand = tuple(cell for cell in cells if cell)
    if list(hand) != list(cells[: len(hand)]):
        wrong.append(f"player {player} has a gap between dice")
    for die in hand:
        reason = wrong_with(die)
        if reason is not None:
            wrong.append(f"player {player}: {die!r} is not a die: {reason}")
    return hand


def _read(line: int, cells: list[str], bag: Counter[str]) -> _Row:
    if len(cells) != len(COLUMNS):
        nothing = (UNKNOWN, UNKNOWN)
        return _Row(line, ((), ()), nothing, nothing, (f"{len(cells)} columns, not ten",))
    wrong: list[str] = []
    hands = _hand(cells[0:3], 1, wrong), _hand(cells[3:6], 2, wrong)
    picks = _number(cells[6], 0, 2), _number(cells[7], 0, 2)
    rolls = _number(cells[8], 1, 6), _number(cells[9], 1, 6)
    if len(hands[0]) != len(hands[1]) or not hands[0]:
        wrong.append(f"{len(hands[0])} dice against {len(hands[1])}")
    for die, count in Counter((*hands[0], *hands[1])).items():
        if wrong_with(die) is None and count > bag[die]:
            wrong.append(f"{die} lies there {count} times, but the set has {bag[die]}")
    for seat in (0, 1):
        hand, pick, roll, player = hands[seat], picks[seat], rolls[seat], seat + 1
        if not 0 <= pick < len(hand):
            wrong.append(f"player {player} picks {cells[6 + seat]!r} of {len(hand)} dice")
        elif roll == UNKNOWN or str(roll) not in hand[pick]:
            wrong.append(f"player {player} rolls {cells[8 + seat]!r} with {hand[pick]}")
    return _Row(line, hands, picks, rolls, tuple(wrong))


def _goes_on(row: _Row) -> bool:
    """Whether the round leaves the game undecided with dice left."""
    return row.tie and min(len(hand) for hand in row.hands) > 1


def _follows(before: _Row, row: _Row) -> bool:
    """Whether the dice of a row are those left after a tie."""
    for hand, pick, left in zip(before.hands, before.picks, row.hands, strict=True):
        places = [pick] if 0 <= pick < len(hand) else list(range(len(hand)))
        if sorted(left) not in [sorted(hand[:p] + hand[p + 1 :]) for p in places]:
            return False
    return True


Progress = Callable[[int], None]
"""Told how many rows have been read."""


def report(
    rows: Iterable[tuple[int, list[str]]],
    dice: Sequence[str] | None = None,
    progress: Progress | None = None,
    judged: Callable[[tuple[Fraction, Fraction]], object] | None = None,
) -> Report:
    """Judge the rows of `read_cells` under a bag of dice (by default the 32 fair ones).

    ``judged`` is told what each legal row cost both players.
    """
    bag = Counter(FateStones(dice).bag)
    count = wins = losses = ties = games = scratches = 0
    illegal: list[Illegal] = []
    lost: tuple[list[float], list[float]] = ([], [])
    worst: list[tuple[Fraction, int | None]] = [(Fraction(0), None)] * 2
    waiting: _Row | None = None  # a tie with dice left, whose next round must come now

    def judge(row: _Row, wrong: Iterable[str]) -> None:
        reasons = [*row.wrong, *wrong]
        if reasons:
            illegal.append(Illegal(row.line, "; ".join(reasons)))
            return
        both = costs(*row.hands, *row.picks)
        if judged is not None:
            judged(both)
        for seat, cost in enumerate(both):
            lost[seat].append(float(cost))
            if cost > worst[seat][0]:
                worst[seat] = cost, row.line

    for line, cells in rows:
        row = _read(line, cells, bag)
        count += 1
        known = UNKNOWN not in row.rolls
        wins += known and row.rolls[0] > row.rolls[1]
        losses += known and row.rolls[0] < row.rolls[1]
        ties += row.tie
        orphan: list[str] = []
        goes_on = waiting is not None and _follows(waiting, row)
        if waiting is not None:
            judge(waiting, [] if goes_on else ["a tie with dice left, but no next round follows"])
        elif 0 < len(row.hands[0]) < HAND:
            orphan = [f"{len(row.hands[0])} dice each, but no tied round came before"]
        games += not goes_on
        scratches += row.tie and len(row.hands[0]) == 1
        if _goes_on(row):
            waiting = row._replace(wrong=(*row.wrong, *orphan))
        else:
            waiting = None
            judge(row, orphan)
        if progress is not None:
            progress(count)
    if waiting is not None:
        judge(waiting, [])
    return Report(
        rows=count,
        wins=wins,
        losses=losses,
        ties=ties,
        games=games,
        scratches=scratches,
        illegal=tuple(illegal),
        loss_player1=Loss(_mean(lost[0]), *worst[0]),
        loss_player2=Loss(_mean(lost[1]), *worst[1]),
    )


def _mean(numbers: list[float]) -> float:
    return fsum(numbers) / len(numbers) if numbers else 0.0
