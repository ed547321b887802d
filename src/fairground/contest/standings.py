"""The statistics of a contest: ranks, intervals, and teams that are too close to call.

**Ranks.** Only official entries rank: more games solved first, then the smaller mean number
of steps over the solved games. A game is *unfinished* if it was given up, or was not solved when
the contest closed or the team entered again. It has no step count, it is shown, and it costs the
rank behind everyone who solved more. Entries that are equal on both counts share a rank.

**Intervals.** The mean's 95 % interval is Student's, over the solved games. In a mixed
contest the games' kinds are fixed and not drawn, so there it is wider than it need be.

**Pairs.** Two teams are compared on the same games. The codes are equal up to the disguise,
so they are equally hard, not identical to a program that prefers some digits. The test is
the exact sign-flip test: if the teams were equally good, each difference could as well
have had the other sign. Then ``p`` is the share of all sign patterns whose sum is at
least as far from zero. It needs no normal distribution and no simulation. It is made
twice: on solving at all (games decided for both), and on steps (games that both solved);
a pair's p is twice the smaller one. Holm's method over all pairs keeps the chance of even
one wrong "better" at 5 %. If that does not separate two teams, the verdict says so:
their order in the table is then no evidence.

**Relayed games** (at oracle factories elsewhere) count for solved games, mean and rank like any
other. But each entry has a code of its own there, so pairs are compared without them.

**Parts and factories.** For each part, and for each factory of relayed games, the table gives the
steps that the official entries needed there. Factories are ranked by the steps that they forced, so
that evil oracles can compete.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, Final, NamedTuple, TypeVar

from fairground.contest.book import NO_DISGUISE, SOLVED, Book, Entry
from fairground.stats import Mean, decimal, holm, mean_of, sign_flip

MOST_TEAMS_IN_ALL_PAIRS: Final = 10
"""With up to this many official entries, all pairs are compared. With more, each entry is compared
with the leader and with the next in the table."""

# The columns: one declaration each, for the watch page, the standings, the CSV and the clients


class EntryTally(NamedTuple):
    """One entry and its progress: the input of the columns."""

    entry: Entry
    rank: int | None
    games: int
    steps: Sequence[int]
    """Of each game that it solved."""
    unfinished: int
    mean: Mean

    @property
    def given_up(self) -> int:
        return len(self.entry.results) - len(self.steps)


def tally_of(entry: Entry, games: int, closed: bool, rank: int | None) -> EntryTally:
    """Return the progress of an entry in a contest of this many games."""
    steps = [one.steps for one in entry.results.values() if one.result == SOLVED]
    done = games if closed or entry.over else len(entry.results)
    return EntryTally(entry, rank, games, steps, done - len(steps), mean_of(steps, 1))


def column(shows: Callable[[EntryTally], Any], csv: int | None = None) -> Any:
    """A column: what it shows of an entry, and which place it has in the CSV, if any.

    A new one takes the last place there, so that clients that read by position still work.
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
    """Number of relayed games that wait for a factory that failed."""
    trouble: str | None = column(lambda of: next(reversed(of.entry.waiting.values()), None))
    """The last error of such a factory."""


@dataclass(frozen=True, kw_only=True)
class StandingsRow(ContestTeam):
    """A row with all columns of the standings."""

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


# Ranks and pairs


class Team(NamedTuple):
    """An entry's results by the number of the game, whatever order it met them in."""

    entry: Entry
    steps: Mapping[int, int]
    """Game → steps, where it was solved."""
    lost: frozenset[int]
    """Games that count as unfinished for good."""
    waiting: frozenset[int]
    """Relayed games that wait for a factory."""


def team_of(book: Book, entry: Entry, order: Sequence[int]) -> Team:
    """Bring an entry's results into the contest's own order."""
    steps = {order[s]: r.steps for s, r in entry.results.items() if r.result == SOLVED}
    given_up = {order[s] for s, r in entry.results.items() if r.result != SOLVED}
    over = book.closed or entry.over
    lost = frozenset(range(book.games)).difference(steps) if over else frozenset(given_up)
    return Team(entry, steps, lost, frozenset(order[slot] for slot in entry.waiting))


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
        return 2 * min(self.p_steps, self.p_solving)

    def better(self) -> Team | None:
        """Return the team that the stronger of the two tests favours; ``None`` if all is even."""
        balance = -sum(self.both) if self.p_steps <= self.p_solving else sum(self.solving)
        if not balance:
            return None
        return self.a if balance > 0 else self.b


def _compared(a: Team, b: Team, games: frozenset[int]) -> _Pair:
    """Two teams on these games."""
    solved = [games & team.steps.keys() for team in (a, b)]
    both = [a.steps[game] - b.steps[game] for game in sorted(solved[0] & solved[1])]
    decided = sorted(games & (a.steps.keys() | a.lost) & (b.steps.keys() | b.lost))
    solving = [int(game in a.steps) - int(game in b.steps) for game in decided]
    return _Pair(a, b, both, solving, sign_flip(both), sign_flip(solving))


def _pair_row(pair: _Pair, told: bool) -> dict[str, Any]:
    a, b = pair.a.entry, pair.b.entry
    winner = pair.better() if told else None
    if winner is None:
        says = f"{a.chair!r} and {b.chair!r} are too close to call"
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


# Parts and factories


def _forced(teams: Sequence[Team], games: frozenset[int]) -> dict[str, Any]:
    """Return the steps that the teams needed for these games."""
    steps = [team.steps[game] for team in teams for game in sorted(games & team.steps.keys())]
    lost = sum(len(games & team.lost) for team in teams)
    return {
        "solved": len(steps),
        "unfinished": lost,
        "still_open": len(games) * len(teams) - len(steps) - lost,
        "waiting": sum(len(games & team.waiting) for team in teams),
        "steps": sum(steps),
        **mean_of(steps, 1)._asdict(),
        "worst": max(steps, default=None),
    }


def _part_rows(book: Book, teams: Sequence[Team]) -> list[dict[str, Any]]:
    """Each part: its kind, what it took all official entries together, and each of them."""
    out, first = [], 0
    for number, part in enumerate(book.parts):
        games = frozenset(range(first, first + part.games))
        first += part.games
        row = {
            "part": number,
            "base": part.base,
            "length": part.length,
            "oracle_type": part.oracle,
            "oraclefactory": part.factory,
            "games": part.games,
            **_forced(teams, games),
            "teams": [{"entry": one.entry.number, **_forced([one], games)} for one in teams],
        }
        out.append(row)
    return out


def _factory_rows(book: Book, teams: Sequence[Team]) -> list[dict[str, Any]]:
    """Each factory, by the steps that it forced; ``None`` is this arena itself."""
    kept: dict[str | None, list[int]] = {}
    for game, part in enumerate(book.part_of):
        kept.setdefault(part.factory, []).append(game)
    if kept.keys() <= {None}:
        return []
    rows = [
        {"oraclefactory": factory, "games": len(games), **_forced(teams, frozenset(games))}
        for factory, games in kept.items()
    ]

    def forced(row: dict[str, Any]) -> Fraction:
        return Fraction(row["steps"], row["solved"] or 1)

    rows.sort(key=lambda row: -forced(row))
    ranks: list[int | None] = []
    for place, row in enumerate(rows):
        level = place and forced(rows[place - 1]) == forced(row)
        ranks.append((ranks[-1] if level else place + 1) if row["solved"] else None)
    return [{"rank": rank, **row} for rank, row in zip(ranks, rows, strict=True)]


NOTES: Final = (
    "Teams met the same codes, equal up to a disguise of digits and places drawn for each "
    "entry and game.",
    "Only official entries rank; training entries are shown apart. More games solved ranks "
    "first, then the smaller mean. Unfinished games have no steps.",
    "Intervals are 95 %, Student's. Pairs: exact sign-flip test, Holm's method at 5 %.",
)

UNDISGUISED: Final = (
    "Teams met the same codes in the same digits and places: there is no disguise. Who has met a "
    "code can tell it to another team, or enter again under another name. So ranks are evidence "
    "only among teams that did neither."
)
PARTS: Final = (
    "Parts and factories: steps of all official entries together, in the games that they solved. "
    "Factories rank by the larger mean. Intervals take all these games as independent."
)

RELAYED: Final = (
    "{n} games are relayed to oracle factories elsewhere, a code of its own for each entry. They "
    "are unproven: their answers are the factories' word. They count for the rank, and not "
    "for the comparison of pairs. A game whose factory failed until the end is unfinished."
)


def standing(book: Book, orders: Mapping[int, Sequence[int]]) -> dict[str, Any]:
    """Return the whole table of a contest as JSON; ``orders`` gives each entry's order of games."""
    places = ranked(book.present)
    official = [team_of(book, entry, orders[entry.number]) for _, entry in places]
    same = frozenset(game for game, part in enumerate(book.part_of) if part.factory is None)
    if not same:
        chosen = []  # no two of them met the same code
    elif len(official) <= MOST_TEAMS_IN_ALL_PAIRS:
        chosen = list(combinations(official, 2))
    else:
        chosen = [(official[0], team) for team in official[1:]]
        chosen += list(pairwise(official[1:]))
    pairs = [_compared(a, b, same) for a, b in chosen]
    told = holm([pair.p for pair in pairs])
    codes = UNDISGUISED if book.disguise == NO_DISGUISE else NOTES[0]
    notes = [*((codes,) if same else ()), *NOTES[1:]]
    if relayed := book.games - len(same):
        notes.append(RELAYED.format(n=relayed))
    return {
        "contest": book.contest,
        "final": book.closed,
        "games": book.games,
        "official": [_row(book, entry, rank) for rank, entry in places],
        "training": [_row(book, entry) for entry in book.present if entry.training],
        "pairs": [_pair_row(pair, i in told) for i, pair in enumerate(pairs)],
        "disguise": book.disguise,
        "parts": _part_rows(book, official),
        "factories": _factory_rows(book, official),
        "removed": [removed_row(entry) for entry in book.removed],
        "notes": [*notes, PARTS],
    }


def removed_row(entry: Entry) -> dict[str, Any]:
    """An entry that the contest's creator took out."""
    return {
        "entry": entry.number,
        "team_name": entry.team,
        "software_version": entry.version,
        "reason": entry.removed,
    }


def _row(book: Book, entry: Entry, rank: int | None = None) -> dict[str, Any]:
    """Return a row of the standings. An entry in training has no member ``rank``."""
    row = asdict(row_of(StandingsRow, tally_of(entry, book.games, book.closed, rank)))
    if rank is None:
        del row["rank"]
    return row
