"""The ten-column rows of FateStones: write them, read them, judge them; and play single rounds.

A row is one round: three dice of player 1, three of player 2, then both choices and both rolls. The
second and third die may be missing. A choice is an index from 0 into the dice left. A game is the
rounds of one deal. It begins with three dice each, and a tie leads to the next round. It ends with
a higher roll or with a *scratch*, a tie of the last dice.

Rows are text (commas, or the bars of a Markdown table; with or without a header) or Parquet. A row
is illegal if

* a cell cannot be read, or a die, a pick or a face is impossible,
* a die is used more often than the bag has it,
* it has fewer than three dice and continues no tied round, or an illegal one,
* it is a tie with dice left, and something else than its next round follows. (At the end of a file
  the log was just cut off.)

Illegal rows are listed, and count as no win, loss, tie, game or scratch. Without a bag any of the
462 dice may be used, any number of times: the source document's own row has 111111 six times.

The cost of a choice is in chance to win: the value of the position less the worth of the chosen
die. That is counted against the other side's *equilibrium* strategy, with perfect play afterwards.
It is never negative, zero for every die that perfect play uses, and exact for every legal row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from math import fsum
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.core import InputError, Unreadable
from fairground.fair.bits import SeededStream, fresh
from fairground.games.fatestones.rules import HAND, FateStones, Hand, Hands, Round, wrong_with
from fairground.games.fatestones.solver.choices import costs
from fairground.players import make_player, play
from fairground.registry import needs

COLUMNS: Final = (
    *(f"Player {player} Die {die}" for player in (1, 2) for die in (1, 2, 3)),
    *(f"Player {player} {what}" for what in ("Choice", "Result") for player in (1, 2)),
)
HEADER: Final = ",".join(COLUMNS)
PARQUET: Final = b"PAR1"


def row_of(played: Round) -> str:
    """Return a round as its ten columns, without a line feed."""
    cells: list[str] = []
    for hand in played.hands:
        cells += [*hand, *[""] * (HAND - len(hand))]
    return ",".join([*cells, *(str(number) for number in (*played.picks, *played.rolls))])


class Illegal(NamedTuple):
    """A row that no game can have produced."""

    line: int
    reason: str


class Loss(NamedTuple):
    """The cost of one side's choices, over all legal rows."""

    average: float
    worst: Fraction
    worst_line: int | None
    """The first line with the worst cost; ``None`` if nothing was lost."""


class Report(NamedTuple):
    """A summary of a file of rows. Wins and losses are those of player 1, in legal rounds."""

    rows: int
    """All that were read, illegal ones too."""
    wins: int
    losses: int
    ties: int
    games: int
    scratches: int
    illegal: tuple[Illegal, ...]
    loss_player1: Loss
    loss_player2: Loss

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values: exact numbers as text, decimals as decimals."""
        out: dict[str, Any] = self._asdict()
        out["illegal"] = [bad._asdict() for bad in self.illegal]
        for player in ("loss_player1", "loss_player2"):
            loss: Loss = out[player]
            out[player] = {**loss._asdict(), "worst": str(loss.worst)}
        return out


def read_cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file as text cells, each with its line number; skip a header."""
    try:
        with path.open("rb") as file:
            parquet = file.read(4) == PARQUET
        if parquet:
            yield from parquet_cells(path)
            return
        with path.open(encoding="utf-8-sig", newline=None) as text:
            yield from text_cells(text)
    except OSError as error:
        raise Unreadable(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Unreadable(f"{path} is neither text nor Parquet") from None


def text_cells(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield rows from lines of text; skip blank lines, headers and Markdown rulers."""
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


def parquet_cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a Parquet file as text, each with its number."""
    with needs("lab", "a Parquet file"):
        from pyarrow import parquet
    number = 0
    for batch in parquet.ParquetFile(path).iter_batches():
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            number += 1
            yield number, ["" if value is None else str(value) for value in values]


class _Row(NamedTuple):
    """The readable part of a row, and everything that is wrong with it."""

    line: int
    hands: Hands
    picks: tuple[int, int]
    rolls: tuple[int, int]
    wrong: tuple[str, ...]
    opens: bool = True
    """True for the first round of a game."""

    def but(self, reason: str, condition: object = True) -> _Row:
        """Return the row with one more thing that is wrong, if the condition holds."""
        return self._replace(wrong=(*self.wrong, reason)) if condition else self

    @property
    def tie(self) -> bool:
        return self.rolls[0] == self.rolls[1] and self.rolls[0] != UNKNOWN


UNKNOWN: Final = -1
"""Marks a number that could not be read."""


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


def _read(line: int, cells: list[str], bag: Counter[str] | None) -> _Row:
    if len(cells) != len(COLUMNS):
        nothing = (UNKNOWN, UNKNOWN)
        return _Row(line, ((), ()), nothing, nothing, (f"{len(cells)} columns, not ten",))
    wrong: list[str] = []
    hands = _hand(cells[0:3], 1, wrong), _hand(cells[3:6], 2, wrong)
    picks = _number(cells[6], 0, 2), _number(cells[7], 0, 2)
    rolls = _number(cells[8], 1, 6), _number(cells[9], 1, 6)
    if len(hands[0]) != len(hands[1]) or not hands[0]:
        wrong.append(f"{_dice(len(hands[0]))} against {_dice(len(hands[1]))}")
    for die, used in Counter((*hands[0], *hands[1])).items():
        if bag is not None and wrong_with(die) is None and used > bag[die]:
            has = f", but this set of dice has it {_times(bag[die])}"
            wrong.append(
                f"{die} is used {_times(used)}"
                + (has if bag[die] else " but is not in this set of dice")
            )
    for seat in (0, 1):
        hand, pick, roll, player = hands[seat], picks[seat], rolls[seat], seat + 1
        if not 0 <= pick < len(hand):
            wrong.append(f"player {player} picks {cells[6 + seat]!r} of {len(hand)} dice")
        elif roll == UNKNOWN or str(roll) not in hand[pick]:
            wrong.append(f"player {player} rolls {cells[8 + seat]!r} with {hand[pick]}")
    return _Row(line, hands, picks, rolls, tuple(wrong))


def _dice(count: int) -> str:
    return "1 die" if count == 1 else f"{count} dice"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _goes_on(row: _Row) -> bool:
    """Return whether the round leaves the game undecided with dice left."""
    return row.tie and min(len(hand) for hand in row.hands) > 1


def _follows(before: _Row, row: _Row) -> bool:
    """Return whether the dice of a row are those left after a tie."""
    for hand, pick, left in zip(before.hands, before.picks, row.hands, strict=True):
        places = [pick] if 0 <= pick < len(hand) else list(range(len(hand)))
        if sorted(left) not in [sorted(hand[:p] + hand[p + 1 :]) for p in places]:
            return False
    return True


Progress = Callable[[int], None]
"""Called with the number of rows read."""


def report(
    rows: Iterable[tuple[int, list[str]]],
    dice: Sequence[str] | None = None,
    progress: Progress | None = None,
    judged: Callable[[tuple[Fraction, Fraction]], object] | None = None,
) -> Report:
    """Judge the rows of `read_cells`, by a bag of dice or (without one) by any dice.

    ``judged`` is called with the costs of each legal row for both players.
    """
    bag = None if dice is None else Counter(FateStones(dice).bag)
    count = 0
    counts: Counter[str] = Counter()
    illegal: list[Illegal] = []
    lost: tuple[list[float], list[float]] = ([], [])
    worst: list[tuple[Fraction, int | None]] = [(Fraction(0), None)] * 2

    def judge(row: _Row) -> None:
        if row.wrong:
            illegal.append(Illegal(row.line, "; ".join(row.wrong)))
            return
        one, other = row.rolls
        counts["wins"] += one > other
        counts["losses"] += one < other
        counts["ties"] += one == other
        counts["games"] += row.opens
        counts["scratches"] += row.tie and len(row.hands[0]) == 1
        both = costs(*row.hands, *row.picks)
        if judged is not None:
            judged(both)
        for seat, cost in enumerate(both):
            lost[seat].append(float(cost))
            if cost > worst[seat][0]:
                worst[seat] = cost, row.line

    waiting: _Row | None = None  # a tie with dice left, whose next round must come now
    for line, cells in rows:
        row = _read(line, cells, bag)
        count += 1
        follows = waiting is not None and _follows(waiting, row)
        if waiting is not None:
            alone = "a tie with dice left, but no next round follows"
            judge(waiting if follows else waiting.but(alone))
        if waiting is not None and follows:
            row = row._replace(opens=False)
            row = row.but(f"it continues line {waiting.line}, which is illegal", waiting.wrong)
        elif 0 < len(row.hands[0]) < HAND:
            row = row.but(f"{_dice(len(row.hands[0]))} each, but no tied round came before")
        waiting = row if _goes_on(row) else None
        if waiting is None:
            judge(row)
        if progress is not None:
            progress(count)
    if waiting is not None:
        judge(waiting)
    return Report(
        rows=count,
        wins=counts["wins"],
        losses=counts["losses"],
        ties=counts["ties"],
        games=counts["games"],
        scratches=counts["scratches"],
        illegal=tuple(illegal),
        loss_player1=Loss(_mean(lost[0]), *worst[0]),
        loss_player2=Loss(_mean(lost[1]), *worst[1]),
    )


def _mean(numbers: list[float]) -> float:
    return fsum(numbers) / len(numbers) if numbers else 0.0


class Episode(NamedTuple):
    """One choice and one roll."""

    played: Round
    seed: str
    """The seed that repeats the episode."""

    @property
    def row(self) -> str:
        return row_of(self.played)


def episode(
    mine: Sequence[str],
    theirs: Sequence[str],
    players: Sequence[str] = ("optimal", "optimal"),
    seed: str | None = None,
) -> Episode:
    """Play one round between two hands: both choose, both roll. Without a seed, make one up."""
    if len(players) != 2:
        raise InputError(f"two players are needed, such as optimal,mcts:200; not {len(players)}")
    seed = fresh().hex() if seed is None else seed
    game = FateStones(hands=(mine, theirs))
    seated = {
        seat: make_player(spec, game, SeededStream(seed, 0, 1 + seat), seat)
        for seat, spec in enumerate(players)
    }
    states = play(game, seated, SeededStream(seed))
    played = next(state.last for state in states if state.last is not None)
    return Episode(played, seed)
