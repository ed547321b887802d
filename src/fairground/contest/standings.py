"""What the results of a contest mean: ranks, intervals, and who cannot be told apart.

**Ranks.** Only official entries rank: more games solved first, then the smaller mean number
of steps over the solved games. A game that was given up, or that was not solved when the
contest closed (or when the team entered again), is *unfinished*: it is no step count, it
is shown, and it costs the rank behind everyone who solved more. Equal on both counts:
equal rank.

**Intervals.** The mean's 95 % interval is Student's, over the solved games. In a mixed
contest the games' kinds are fixed and not drawn, so there it is wider than it need be.

**Pairs.** Two teams are compared on the same games. The codes are equal up to the disguise,
so they are equally hard, not identical to a program that prefers some digits. The test is
the exact sign-flip test: if the teams were equally good, each difference could as well
have had the other sign, and ``p`` is the exact share of all sign patterns whose sum is at
least as far from zero. It needs no normal distribution and no simulation. It is made
twice: on solving at all (games decided for both), and on steps (games that both solved);
a pair's p is twice the smaller one. Holm's method over all pairs keeps the chance of even
one wrong "better" at 5 %. Where that does not tell two teams apart, the verdict says so:
their order in the table is then no evidence.

**Relayed games** (at oracle factories elsewhere) count for solved games, mean and rank like any
other. But each entry has a code of its own there, so pairs are compared without them.

Everything is computed in integers and decimals of fixed precision, so that it comes out
the same to the last digit wherever a contest file is checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, Final, NamedTuple, TypeVar

from fairground.contest.book import SOLVED, Book, Entry

DIGITS: Final = Context(prec=40, rounding=ROUND_HALF_EVEN)
PLACES: Final = Decimal("1e-12")
LEVEL: Final = Fraction(1, 20)

MOST_TEAMS_IN_ALL_PAIRS: Final = 10
"""With up to this many official entries, all pairs are compared. With more, each entry is compared
with the leader and with the next in the table."""

COUNTABLE: Final = 2**23
"""Bits of the integer that the exact test may need. This is enough for 2,000 games of code breaking
with usual differences."""

_POINTS: Final = """
12.706205 4.302653 3.182446 2.776445 2.570582 2.446912 2.364624 2.306004 2.262157 2.228139
2.200985 2.178813 2.160369 2.144787 2.131450 2.119905 2.109816 2.100922 2.093024 2.085963
2.079614 2.073873 2.068658 2.063899 2.059539 2.055529 2.051831 2.048407 2.045230 2.042272
"""
STUDENT: Final = tuple(map(Decimal, _POINTS.split()))
"""The 97.5 % points of Student's distribution with 1 to 30 degrees of freedom."""

NORMAL: Final = Decimal("1.959963984540054")


def student(freedom: int) -> Decimal:
    """The 97.5 % point of Student's t: a table, then Cornish and Fisher's expansion."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    with localcontext(DIGITS):
        z, v = NORMAL, Decimal(freedom)
        terms = (
            z,
            (z**3 + z) / (4 * v),
            (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2),
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3),
        )
        return sum(terms, Decimal(0))


def decimal(value: Fraction | Decimal) -> str:
    """A number with 12 digits behind the point, as text."""
    if isinstance(value, Fraction):
        value = DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))
    return format(value.quantize(PLACES, ROUND_HALF_EVEN, DIGITS), "f")


class Mean(NamedTuple):
    """A mean with its 95 % interval; ``None`` where there is too little to say."""

    mean: str | None
    low: str | None
    high: str | None


def mean_of(values: Sequence[int]) -> Mean:
    """The mean of these integers, and Student's interval around it."""
    n = len(values)
    if n == 0:
        return Mean(None, None, None)
    total = sum(values)
    mean = Fraction(total, n)
    if n == 1:
        return Mean(decimal(mean), None, None)
    variance = Fraction(n * sum(v * v for v in values) - total * total, n * (n - 1))
    square = DIGITS.divide(Decimal(variance.numerator), Decimal(variance.denominator * n))
    half = DIGITS.multiply(DIGITS.sqrt(square), student(n - 1))
    middle = DIGITS.divide(Decimal(total), Decimal(n))
    return Mean(
        decimal(mean), decimal(DIGITS.subtract(middle, half)), decimal(DIGITS.add(middle, half))
    )


def sign_flip(differences: Sequence[int]) -> Fraction:
    """The exact two-sided p of the sign-flip test.

    Of the 2^m sign patterns of the m differences that are not zero, the share whose sum is
    at least as far from zero as the sum that was seen. A pattern's sum is Σ|d| less twice
    the sum of those made negative, so it is enough to count subsets by their sum: the
    coefficients of Π(1 + x^|d|), here packed side by side into one large integer.

    A program that needs thousands of steps could make that integer as large as it likes;
    beyond `COUNTABLE` bits only the signs count.
    """
    sizes = sorted(abs(d) for d in differences if d)
    total, seen, width = sum(sizes), abs(sum(differences)), len(sizes) + 1
    if total * width > COUNTABLE:
        return sign_flip_of_signs(differences)
    packed = 1
    for size in sizes:
        packed += packed << (size * width)
    # Sums s of the subset made negative with total - 2s >= seen; the other tail mirrors it.
    tail = bin(packed & ((1 << (((total - seen) // 2 + 1) * width)) - 1))[2:]
    count = sum(int(tail[max(0, end - width) : end], 2) for end in range(len(tail), 0, -width))
    return _both_tails(count, len(sizes), seen)


def sign_flip_of_signs(differences: Sequence[int]) -> Fraction:
    """The same test with every difference counted as one: the exact sign test."""
    signs = [1 if d > 0 else -1 for d in differences if d]
    seen = abs(sum(signs))
    count, ways = 0, 1
    for k in range((len(signs) - seen) // 2 + 1):
        count += ways
        ways = ways * (len(signs) - k) // (k + 1)
    return _both_tails(count, len(signs), seen)


def _both_tails(count: int, m: int, seen: int) -> Fraction:
    return Fraction(2 * count, 2**m) if seen else Fraction(1)


# The columns: one declaration each, for the watch page, the standings, the CSV and the clients


class EntryTally(NamedTuple):
    """What the columns are computed from: one entry, and how far it is."""

    entry: Entry
    rank: int | None
    games: int
    steps: Sequence[int]
    """Of each game that it solved."""
    unfinished: int
    mean: Mean

    @property
    def given_up(self) -> int:
        """How many games it gave up."""
        return len(self.entry.results) - len(self.steps)


def tally_of(entry: Entry, games: int, closed: bool, rank: int | None) -> EntryTally:
    """How far an entry is, in a contest of this many games."""
    steps = [one.steps for one in entry.results.values() if one.result == SOLVED]
    done = games if closed or entry.over else len(entry.results)
    return EntryTally(entry, rank, games, steps, done - len(steps), mean_of(steps))


def column(shows: Callable[[EntryTally], Any], csv: int | None = None) -> Any:
    """A column: what it shows of an entry, and which place it has in the CSV, if any.

    A new one takes the last place there, so that whoever reads by position can go on.
    """
    return field(metadata={"shows": shows, "csv": csv})


@dataclass(frozen=True, kw_only=True)
class ContestTeam:
    """An entry, and how it stands. Only official entries have a rank."""

    team_name: str = column(lambda of: of.entry.team, csv=2)
    software_version: str = column(lambda of: of.entry.version, csv=3)
    entry: int = column(lambda of: of.entry.number)
    training: bool = column(lambda of: of.entry.training, csv=4)
    rank: int | None = column(lambda of: of.rank, csv=1)
    solved: int = column(lambda of: len(of.steps), csv=6)
    given_up: int = column(lambda of: of.given_up, csv=7)
    unfinished: int = column(lambda of: of.unfinished, csv=8)
    still_open: int = column(lambda of: of.games - len(of.steps) - of.unfinished, csv=9)
    mean: str | None = column(lambda of: of.mean.mean, csv=12)
    worst: int | None = column(lambda of: max(of.steps, default=None), csv=15)
    waiting: int = column(lambda of: len(of.entry.waiting), csv=10)
    """How many relayed games wait for a factory that failed."""
    trouble: str | None = column(lambda of: next(reversed(of.entry.waiting.values()), None))
    """What was wrong with such a factory the last time."""


@dataclass(frozen=True, kw_only=True)
class StandingsRow(ContestTeam):
    """The same with everything that the standings tell."""

    games: int = column(lambda of: of.games, csv=5)
    steps: int = column(lambda of: sum(of.steps), csv=11)
    low: str | None = column(lambda of: of.mean.low, csv=13)
    high: str | None = column(lambda of: of.mean.high, csv=14)
    counts: Sequence[Sequence[int]] = column(lambda of: _counted(of.steps))
    """Pairs of a number of steps, and how many games took that many."""


def _counted(steps: Sequence[int]) -> list[list[int]]:
    return [[one, many] for one, many in sorted(Counter(steps).items())]


CSV_COLUMNS: Final = tuple(
    one.name
    for one in sorted(
        (one for one in fields(StandingsRow) if one.metadata["csv"] is not None),
        key=lambda one: one.metadata["csv"],
    )
)

R = TypeVar("R", bound=ContestTeam)


def row_of(kind: type[R], tally: EntryTally) -> R:
    """A row with these columns."""
    return kind(**{one.name: one.metadata["shows"](tally) for one in fields(kind)})


def _as_json(row: StandingsRow) -> dict[str, Any]:
    """A row of the standings. Who is training has no rank, and so no such member."""
    told = {one.name: getattr(row, one.name) for one in fields(row)}
    return told if row.rank is not None else {k: v for k, v in told.items() if k != "rank"}


# Ranks and pairs


class Team(NamedTuple):
    """An entry's results by the number of the game, whatever order it met them in."""

    entry: Entry
    steps: Mapping[int, int]
    """Game → steps, where it was solved."""
    lost: frozenset[int]
    """Games that count as unfinished for good."""


def team_of(book: Book, entry: Entry, order: Sequence[int]) -> Team:
    """Bring an entry's results into the contest's own order."""
    steps = {order[s]: r.steps for s, r in entry.results.items() if r.result == SOLVED}
    given_up = {order[s] for s, r in entry.results.items() if r.result != SOLVED}
    over = book.closed or entry.over
    lost = frozenset(range(book.games)).difference(steps) if over else frozenset(given_up)
    return Team(entry, steps, lost)


def rank_key(entry: Entry) -> tuple[int, Fraction]:
    """By this official entries are ranked: more solved, then the smaller mean."""
    values = [r.steps for r in entry.results.values() if r.result == SOLVED]
    return -len(values), Fraction(sum(values), len(values) or 1)


def ranked(entries: Sequence[Entry]) -> list[tuple[int, Entry]]:
    """Official entries with their ranks; equals share one."""
    keyed = sorted(
        (rank_key(entry), entry.number, entry) for entry in entries if not entry.training
    )
    out: list[tuple[int, Entry]] = []
    for place, (key, _, entry) in enumerate(keyed, 1):
        same = out and keyed[place - 2][0] == key
        out.append((out[-1][0] if same else place, entry))
    return out


class _Pair(NamedTuple):
    a: Team
    b: Team
    both: list[int]
    """Steps of a less steps of b, on the games that both solved."""
    solving: list[int]
    """1: only a solved it, -1: only b, 0: both or neither; of games decided for both."""
    p_steps: Fraction
    p_solving: Fraction

    @property
    def p(self) -> Fraction:
        return min(Fraction(1), 2 * min(self.p_steps, self.p_solving))

    def better(self) -> Team | None:
        """Whom the stronger of the two tests favours."""
        balance = -sum(self.both) if self.p_steps <= self.p_solving else sum(self.solving)
        return self.a if balance > 0 else self.b if balance < 0 else None


def _compared(a: Team, b: Team, games: frozenset[int]) -> _Pair:
    """Two teams on these games."""
    solved = [games & team.steps.keys() for team in (a, b)]
    both = [a.steps[game] - b.steps[game] for game in sorted(solved[0] & solved[1])]
    decided = sorted(games & (a.steps.keys() | a.lost) & (b.steps.keys() | b.lost))
    solving = [int(game in a.steps) - int(game in b.steps) for game in decided]
    return _Pair(a, b, both, solving, sign_flip(both), sign_flip(solving))


def _holm(pairs: Sequence[_Pair]) -> set[int]:
    """Which pairs are told apart: by Holm's method, smallest p first, until one fails."""
    told = set()
    by_p = sorted(range(len(pairs)), key=lambda i: (pairs[i].p, i))
    for tried, i in enumerate(by_p):
        if pairs[i].p * (len(pairs) - tried) > LEVEL:
            break
        told.add(i)
    return told


def _pair_row(pair: _Pair, told: bool) -> dict[str, Any]:
    a, b = pair.a.entry, pair.b.entry
    winner = pair.better() if told else None
    if winner is None:
        says = f"{a.chair!r} and {b.chair!r} are not separable: their order is no evidence"
    else:
        loser = pair.b if winner is pair.a else pair.a
        by = "steps" if pair.p_steps <= pair.p_solving else "games solved"
        says = f"{winner.entry.chair!r} is better than {loser.entry.chair!r}, by {by}"
    return {
        "a": a.number,
        "b": b.number,
        "both_solved": len(pair.both),
        "only_a_solved": sum(one > 0 for one in pair.solving),
        "only_b_solved": sum(one < 0 for one in pair.solving),
        "difference": mean_of(pair.both)._asdict(),
        "p_steps": decimal(pair.p_steps),
        "p_solving": decimal(pair.p_solving),
        "separable": winner is not None,
        "better": None if winner is None else winner.entry.number,
        "says": says,
    }


NOTES: Final = (
    "Teams met the same codes, equal up to a disguise of digits and places drawn for each "
    "entry and game.",
    "Only official entries rank; training entries are shown apart. More games solved ranks "
    "first, then the smaller mean. Unfinished games have no steps.",
    "Intervals are 95 %, Student's. Pairs: exact sign-flip test, Holm's method at 5 %.",
)

RELAYED: Final = (
    "{n} games are relayed to oracle factories elsewhere, a code of its own for each entry. They "
    "are unproven: their answers are the factories' word. They count for the rank, and not "
    "for the comparison of pairs. A game whose factory failed until the end is unfinished."
)


class Snapshot(NamedTuple):
    """All that the table is made from, at one moment."""

    contest: str
    final: bool
    games: int
    same: frozenset[int]
    """The games in which all meet the same code: those that are not relayed."""
    official: tuple[tuple[int, Team], ...]
    training: tuple[Team, ...]


def snapshot(book: Book, orders: Mapping[int, Sequence[int]]) -> Snapshot:
    """The results so far; ``orders`` gives each entry's order of games."""
    teams = {e.number: team_of(book, e, orders[e.number]) for e in book.entries}
    return Snapshot(
        book.contest,
        book.closed,
        book.games,
        frozenset(game for game, part in enumerate(book.part_of) if part.factory is None),
        tuple((rank, teams[entry.number]) for rank, entry in ranked(book.entries)),
        tuple(teams[entry.number] for entry in book.entries if entry.training),
    )


def standing(now: Snapshot) -> dict[str, Any]:
    """The whole table of a contest, as JSON."""
    official = [team for _, team in now.official]
    if len(official) <= MOST_TEAMS_IN_ALL_PAIRS:
        chosen = list(combinations(official, 2))
    else:
        chosen = [(official[0], team) for team in official[1:]]
        chosen += list(pairwise(official[1:]))
    pairs = [_compared(a, b, now.same) for a, b in chosen]
    notes, relayed = list(NOTES if now.same else NOTES[1:]), now.games - len(now.same)
    if relayed:
        notes.append(RELAYED.format(n=relayed))
    told = _holm(pairs)
    return {
        "contest": now.contest,
        "final": now.final,
        "games": now.games,
        "official": [_row(now, team.entry, rank) for rank, team in now.official],
        "training": [_row(now, team.entry) for team in now.training],
        "pairs": [_pair_row(pair, i in told) for i, pair in enumerate(pairs)],
        "notes": notes,
    }


def _row(now: Snapshot, entry: Entry, rank: int | None = None) -> dict[str, Any]:
    return _as_json(row_of(StandingsRow, tally_of(entry, now.games, now.final, rank)))
