"""Tournaments: all against all, or by the Swiss system.

If all seats of a game are alike, two players meet on the same deals from both sides. In other
games one seat is played for, and all players meet the same deals there. Either way the results of
a pair on one deal are one observation, a difference.

* **Ratings**: between alike seats Elo's scale by the model of Bradley and Terry, 0 on average;
  else the mean difference from the other players. Intervals are 95 %.
* **Separable**: the exact sign-flip test on a pair's differences, Holm's method over all pairs.
* **Ranks** are shared: yours is one more than the number of players that are separably better.

A contender is a built-in player, a file of your own with a function ``choose(game, view, seat)``,
or an address that answers ``{"move": ...}`` to ``{"game", "params", "seat", "view"}``. Views are
written as JSON (`fairground.json_views`), moves as in a transcript.

Every finished encounter is written to a journal, so that an interrupted tournament goes on.
"""

from __future__ import annotations

import contextlib
import csv
import html
import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from math import exp, log, sqrt
from pathlib import Path
from typing import Any, Final, NamedTuple

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from fairground.clients.http import Http, Repeat
from fairground.core import FairgroundError, Game, InputError, Move, Seat
from fairground.fair.bits import SeededStream
from fairground.games import GAMES
from fairground.json_views import as_json as view_as_json
from fairground.lab.plans import payoff_of, plan_of, usual_lineup
from fairground.lab.plots import HeatMap, Whiskers, as_svg
from fairground.lab.simulation import Journal, payoffs
from fairground.players import Player, make_player, play
from fairground.players.bot import BotFailure, BotLimits, BotPlayer
from fairground.stats import NORMAL, Interval, holm, sign_flip
from fairground.transcript import frozen

# Contenders

WEB: Final = ("http://", "https://")


class Contender(NamedTuple):
    """A player of the tournament: its name, and its specification."""

    name: str
    spec: str

    @property
    def kind(self) -> str:
        if self.spec.startswith(WEB):
            return "web"
        return "file" if self.spec.endswith(".py") else "player"


def contenders(text: str) -> list[Contender]:
    """Parse contenders as they are typed:
    ``greedy,mcts:200,Bob=bot.py,Eve=http://127.0.0.1:9000``.
    """
    found: list[Contender] = []
    for word in (part.strip() for part in text.split(",")):
        name, equals, spec = word.partition("=")
        if not word or (equals and not (name and spec)):
            raise InputError(
                f"--players {text!r} is not understood. For example: --players "
                "greedy,mcts:200,Bob=bot.py,Eve=http://127.0.0.1:9000"
            )
        spec = spec if equals else word
        if not equals:
            name = Path(word).stem if word.endswith(".py") else word
        found.append(Contender(name, spec))
    names = [one.name for one in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise InputError(f"{sorted(twice)[0]!r} is there twice: give one another name, NAME=PLAYER")
    if len(found) < 2:
        raise InputError(f"a tournament needs at least two players, not {len(found)}")
    return found


class WebPlayer(Player):
    """A bot that answers at an address."""

    def __init__(self, url: str, http: Http | None = None) -> None:
        self._url = url
        self._http = http or Http()

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        asked = {
            "game": game.name,
            "params": game.params(),
            "seat": seat,
            "view": view_as_json(view),
        }
        try:
            told = self._http.post(self._url, asked, repeat=Repeat.ALWAYS)
            move = frozen(told["move"])
            game.check(view, seat, move)
        except KeyError:
            raise BotFailure('it answered without "move"') from None
        except FairgroundError as error:
            raise BotFailure(str(error)) from None
        return move


@contextlib.contextmanager
def hired(
    contender: Contender, game: Game[Any], seat: Seat, chance: SeededStream, limits: BotLimits
) -> Iterator[Player]:
    """Start a contender, and stop it afterwards."""
    if contender.kind == "web":
        yield WebPlayer(contender.spec)
    elif contender.kind == "file":
        bot = BotPlayer(Path(contender.spec), game, limits)
        try:
            yield bot
        finally:
            bot.close()
    else:
        yield make_player(contender.spec, game, chance, seat)


# Rules

ELO: Final = 400 / log(10)
FITTING: Final = 200
"""Maximum number of steps when fitting the ratings; far more than it needs."""

Progress = Callable[[int, int], None]

Results = list[tuple[tuple[int, ...], Seat | None]]
"""For each deal: the payoffs, and the seat whose bot failed."""


class Rules(NamedTuple):
    """The rules of a tournament."""

    game: Game[Any]
    players: tuple[Contender, ...]
    deals: int
    seed: str
    seat: Seat | None = None
    """The seat that is played for; ``None``: all seats are alike, and each deal is played twice."""
    rounds: int | None = None
    """Rounds of a Swiss tournament; ``None``: all against all."""

    def as_json(self) -> dict[str, Any]:
        told = self._asdict() | {"game": self.game.name, "params": self.game.params()}
        plain: dict[str, Any] = json.loads(json.dumps(told))
        return plain


class Encounter(Struct, frozen=True):
    """The results of two players on the same deals."""

    round: int
    a: int
    b: int
    each: int
    """Number of games on a deal."""
    halves: list[int]
    """By deal: half points of a, two for a win and one for an even game."""
    differences: list[int]
    """By deal: payoff of a less that of b."""
    failures: tuple[int, int] = (0, 0)
    """Games that each of them lost because its bot failed."""

    @property
    def deals(self) -> int:
        return len(self.halves)

    @property
    def score(self) -> float:
        return sum(self.halves) / (2 * self.each * self.deals)


def check(rules: Rules) -> None:
    """Raise `InputError` if the tournament cannot be held, before anything is played."""
    alike = len({rules.game.role(seat) for seat in range(rules.game.seats)}) == 1
    if rules.seat is None and not (alike and rules.game.seats == 2):
        raise InputError(
            f"the seats of {rules.game.name} are not two of the same kind: say which one is "
            "played for, with --seat"
        )
    if rules.deals < 1 or (rules.rounds is not None and rules.rounds < 1):
        raise InputError("at least one deal and one round are needed")
    for contender in rules.players:
        with hired(contender, rules.game, rules.seat or 0, SeededStream("check"), BotLimits()):
            pass


# Playing


def held(
    rules: Rules,
    journal: Path | None = None,
    progress: Progress = lambda done, of: None,
    limits: BotLimits | None = None,
) -> list[Encounter]:
    """Play the tournament on from the journal; return all encounters."""
    notes = None if journal is None else Journal(
        journal,
        {"tournament": rules.as_json()},
        f"{journal} belongs to another tournament: hold that one again as before, or choose "
        "another folder",
    )  # fmt: skip
    done = [convert(note, Encounter, str_keys=True) for note in (notes.notes if notes else ())]
    hall = Hall(rules, limits or BotLimits())
    for number, a, b, of in _pairings(rules, done):
        progress(len(done), of)
        one = hall.met(number, a, b)
        done.append(one)
        if notes is not None:
            notes.add(to_builtins(one, str_keys=True))
    progress(len(done), len(done))
    return done


def _pairings(rules: Rules, done: list[Encounter]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the encounters to play: round, both players, and the number of all encounters."""
    n = len(rules.players)
    if rules.rounds is None:
        everyone = list(combinations(range(n), 2))
        for a, b in everyone[len(done) :]:
            yield 0, a, b, len(everyone)
        return
    each = n // 2
    for number in range(rules.rounds):
        before = done[: number * each]
        now = swiss_round(n, before)
        for a, b in now[max(0, len(done) - number * each) :]:
            yield number, a, b, rules.rounds * each


def swiss_round(n: int, before: Sequence[Encounter]) -> list[tuple[int, int]]:
    """Pair players with similar scores, none twice if possible; with an odd number, one rests."""
    points = dict.fromkeys(range(n), 0.0)
    met: set[frozenset[int]] = set()
    played: Counter[int] = Counter()
    for one in before:
        points[one.a] += one.score
        points[one.b] += 1 - one.score
        met.add(frozenset((one.a, one.b)))
        played.update((one.a, one.b))
    rounds = max(played.values(), default=0)
    for player in points:
        points[player] += (rounds - played[player]) / 2  # a rest counts one half
    order = sorted(points, key=lambda player: (-points[player], player))
    if n % 2:
        rested = [player for player in order if played[player] < rounds]
        rests = next((p for p in reversed(order) if p not in rested), order[-1])
        order.remove(rests)
    return _paired(order, met) or _paired(order, set()) or []


def _paired(order: list[int], met: set[frozenset[int]]) -> list[tuple[int, int]] | None:
    """Pair neighbours by backtracking; return ``None`` if that is impossible."""
    if not order:
        return []
    first, *rest = order
    for other in rest:
        if frozenset((first, other)) in met:
            continue
        left = _paired([player for player in rest if player != other], met)
        if left is not None:
            return [(first, other), *left]
    return None


Games = list[tuple[int, int]]
"""The payoffs of both players in each game on one deal."""


class Hall:
    """Plays the encounters."""

    def __init__(self, rules: Rules, limits: BotLimits) -> None:
        self.rules = rules
        self.limits = limits
        self._alone: dict[int, Results] = {}

    def met(self, number: int, a: int, b: int) -> Encounter:
        """Let two players meet on all deals of a round."""
        rules, seat = self.rules, self.rules.seat
        if seat is not None:
            mine, yours = self.alone(a), self.alone(b)
            deals = [[(x[seat], y[seat])] for (x, _), (y, _) in zip(mine, yours, strict=True)]
            losers = [*(0 for _, lost in mine if lost == seat),
                      *(1 for _, lost in yours if lost == seat)]  # fmt: skip
        else:
            seed = rules.seed if rules.rounds is None else f"{rules.seed} {number}"
            one, other = rules.players[a], rules.players[b]
            first, second = self.played((one, other), seed), self.played((other, one), seed)
            deals = [
                [(x[0], x[1]), (y[1], y[0])] for (x, _), (y, _) in zip(first, second, strict=True)
            ]
            losers = [*(lost for _, lost in first if lost is not None),
                      *(1 - lost for _, lost in second if lost is not None)]  # fmt: skip
        return Encounter(
            number,
            a,
            b,
            len(deals[0]),
            [sum(1 + (x > y) - (x < y) for x, y in games) for games in deals],
            [sum(x - y for x, y in games) for games in deals],
            (losers.count(0), losers.count(1)),
        )

    def alone(self, at: int) -> Results:
        """Return a player's results in the seat that counts, beside the usual players."""
        rules, seat = self.rules, self.rules.seat
        if at not in self._alone:
            contender = rules.players[at]
            assert seat is not None
            taken = contender.spec if contender.kind == "player" else "random"
            usual = [Contender(spec, spec) for spec in usual_lineup(rules.game, {seat: taken})]
            lineup = (*usual[:seat], contender, *usual[seat + 1 :])
            self._alone[at] = self.played(lineup, rules.seed)
        return self._alone[at]

    def played(self, lineup: Sequence[Contender], seed: str) -> Results:
        """Play a lineup on every deal. A bot is started once."""
        game, deals = self.rules.game, self.rules.deals
        if all(one.kind == "player" for one in lineup):
            plan = plan_of(game, [one.spec for one in lineup], seed, deals)
            return [(payoff, None) for payoff in payoffs(plan)]
        chance = SeededStream(seed)
        with contextlib.ExitStack() as stack:
            bots = {
                seat: stack.enter_context(hired(one, game, seat, chance, self.limits))
                for seat, one in enumerate(lineup)
                if one.kind != "player"
            }
            return [_one_game(game, lineup, bots, seed, deal) for deal in range(deals)]


def _one_game(
    game: Game[Any],
    lineup: Sequence[Contender],
    bots: Mapping[Seat, Player],
    seed: str,
    deal: int,
) -> tuple[tuple[int, ...], Seat | None]:
    """Play one game; return its payoff, and the seat whose bot failed."""
    guarded = [
        _Guarded(
            bots.get(seat) or make_player(one.spec, game, SeededStream(seed, deal, 1 + seat), seat)
        )
        for seat, one in enumerate(lineup)
    ]
    last = game.start()
    try:
        for state in play(game, guarded, SeededStream(seed, deal)):
            last = state
    except _Failed as failure:
        return game.forfeit(last, failure.seat), failure.seat
    return payoff_of(game, last), None


class _Failed(Exception):
    """The bot in a seat failed."""

    def __init__(self, seat: Seat) -> None:
        super().__init__()
        self.seat = seat


class _Guarded(NamedTuple):
    """A player whose failure names its seat."""

    player: Player

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        try:
            return self.player.choose(game, view, seat)
        except BotFailure:
            raise _Failed(seat) from None


# What it says


class Standing(NamedTuple):
    """One player in the table."""

    player: int
    rank: int
    shared: bool
    rating: Interval
    points: float
    """Sum of its scores in all encounters."""
    encounters: int
    failures: int


class Table(NamedTuple):
    """The standings, with everything that they rest on."""

    rules: Rules
    encounters: tuple[Encounter, ...]
    standings: tuple[Standing, ...]
    better: frozenset[tuple[int, int]]
    """Pairs of players; the first is separably better than the second."""

    def score(self, a: int, b: int) -> float | None:
        """Return the share of games that a won from b, or ``None`` if they did not meet."""
        met = [one for one in self.encounters if {one.a, one.b} == {a, b}]
        if not met:
            return None
        total = sum((one.score if one.a == a else 1 - one.score) * one.deals for one in met)
        return total / sum(one.deals for one in met)

    @property
    def not_separable(self) -> list[tuple[int, int]]:
        """Return the pairs that met and are too close to call."""
        met = {(one.a, one.b) for one in self.encounters}
        return sorted((a, b) for a, b in met if not {(a, b), (b, a)} & self.better)


def tabled(rules: Rules, encounters: Sequence[Encounter]) -> Table:
    """Compute ratings, ranks and separable pairs."""
    n = len(rules.players)
    better = _separable(encounters)
    ratings = _elo(n, encounters) if rules.seat is None else _means(n, encounters)
    order = sorted(range(n), key=lambda player: (-ratings[player].mean, player))
    ranks = {player: 1 + sum((other, player) in better for other in range(n)) for player in order}
    rows = []
    for player in order:
        own = [one for one in encounters if player in (one.a, one.b)]
        rows.append(
            Standing(
                player,
                ranks[player],
                list(ranks.values()).count(ranks[player]) > 1,
                ratings[player],
                sum(one.score if one.a == player else 1 - one.score for one in own),
                len(own),
                max((one.failures[0 if one.a == player else 1] for one in own), default=0),
            )
        )
    rows.sort(key=lambda row: (row.rank, -row.rating.mean))
    return Table(rules, tuple(encounters), tuple(rows), better)


def _separable(encounters: Sequence[Encounter]) -> frozenset[tuple[int, int]]:
    """Holm's method over all pairs that met: smallest p first, until one fails."""
    together: dict[tuple[int, int], list[int]] = {}
    for one in encounters:
        together.setdefault((one.a, one.b), []).extend(one.differences)
    tested = list(together.items())
    told = holm([sign_flip(differences) for _, differences in tested])
    won = (((a, b), sum(differences)) for (a, b), differences in (tested[i] for i in told))
    return frozenset((a, b) if total > 0 else (b, a) for (a, b), total in won)


def _means(n: int, encounters: Sequence[Encounter]) -> list[Interval]:
    """Return each player's mean difference from its opponents, over all its encounters."""
    encounters = [replace(one, round=0) for one in encounters]  # the deals of all rounds are shared
    weights = [[0.0] * len(encounters) for _ in range(n)]
    for at, one in enumerate(encounters):
        weights[one.a][at], weights[one.b][at] = 1.0, -1.0
    found = []
    for row in weights:
        many = sum(map(abs, row)) or 1.0
        scaled = [weight / many / one.deals for weight, one in zip(row, encounters, strict=True)]
        columns = [one.differences for one in encounters]
        mean = sum(w * sum(column) for w, column in zip(scaled, columns, strict=True))
        found.append(_around(mean, scaled, encounters, columns))
    return found


def _around(
    mean: float,
    weights: Sequence[float],
    encounters: Sequence[Encounter],
    columns: Sequence[Sequence[int]],
) -> Interval:
    """Return the interval of a weighted sum of results, ``columns[encounter][deal]``.

    The encounters of a round share their deals, so all results on a deal are one observation.
    """
    sums: dict[tuple[int, int], float] = {}
    for weight, one, column in zip(weights, encounters, columns, strict=True):
        middle = sum(column) / len(column)
        for deal, value in enumerate(column if weight else ()):
            at = one.round, deal
            sums[at] = sums.get(at, 0.0) + weight * (value - middle)
    half = float(NORMAL) * sqrt(sum(value * value for value in sums.values()))
    return Interval(mean, mean - half, mean + half) if half > 0 else Interval(mean, None, None)


def _elo(n: int, encounters: Sequence[Encounter]) -> list[Interval]:
    """Return Elo ratings by the model of Bradley and Terry, with intervals.

    A tenth of an even deal is added to each encounter, so that a player who won everything has a
    rating. The variance is the sandwich estimate over deals, not games.
    """
    theta = [0.0] * n
    for _ in range(FITTING):
        slope, curve = _fit(theta, encounters)
        step = _solved(curve, slope)
        theta = [t + s for t, s in zip(theta, step, strict=True)]
        if max(map(abs, step)) < 1e-12:
            break
    _, curve = _fit(theta, encounters)
    middle = sum(theta) / n
    columns = [one.halves for one in encounters]
    found = []
    for player in range(n):
        row = _solved(curve, [float(other == player) - 1 / n for other in range(n)])
        weights = [ELO * (row[one.a] - row[one.b]) / (2 * one.each) for one in encounters]
        found.append(_around((theta[player] - middle) * ELO, weights, encounters, columns))
    return found


def _fit(
    theta: Sequence[float], encounters: Sequence[Encounter]
) -> tuple[list[float], list[list[float]]]:
    """Return slope and curvature of the likelihood."""
    n = len(theta)
    slope = [0.0] * n
    curve = [[1e-9 * (i == j) for j in range(n)] for i in range(n)]
    for one in encounters:
        a, b, deals = one.a, one.b, one.deals + 0.1
        expected = 1 / (1 + exp(theta[b] - theta[a]))
        score = (one.score * one.deals + 0.05) / deals
        pull, weight = deals * (score - expected), deals * expected * (1 - expected)
        for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            curve[i][j] += sign * weight
        slope[a] += pull
        slope[b] -= pull
    return slope, curve


def _solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """Solve a small symmetric system, which may be singular along (1, ..., 1)."""
    n = len(right)
    rows = [[*(matrix[i][j] + 1.0 / n for j in range(n)), right[i]] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(n):
            if r != i and rows[i][i]:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i], strict=True)]
    return [rows[i][n] / rows[i][i] for i in range(n)]


# Files

ROUND = 6


def unit_of(table: Table) -> str:
    """Return the unit of the ratings."""
    return "Elo" if table.rules.seat is None else "more than the others in a game"


def table_as_json(table: Table) -> dict[str, Any]:
    """Return everything as JSON values."""
    names = [one.name for one in table.rules.players]
    return {
        "tournament": table.rules.as_json(),
        "unit": unit_of(table),
        "standings": [
            {
                "rank": row.rank,
                "shared": row.shared,
                "player": names[row.player],
                "rating": {k: _rounded(v) for k, v in row.rating._asdict().items()},
                "points": _rounded(row.points),
                "encounters": row.encounters,
                "failures": row.failures,
            }
            for row in table.standings
        ],
        "encounters": [
            {
                "round": one.round,
                "a": names[one.a],
                "b": names[one.b],
                "deals": one.deals,
                "score": _rounded(one.score),
                "differences": {str(d): n for d, n in sorted(Counter(one.differences).items())},
                "failures": list(one.failures),
            }
            for one in table.encounters
        ],
        "better": [[names[a], names[b]] for a, b in sorted(table.better)],
        "not_separable": [[names[a], names[b]] for a, b in table.not_separable],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, ROUND)


def standings_csv(table: Table) -> str:
    """Return the standings as CSV, a row for each player."""
    head = ["rank", "player", "rating", "low", "high", "points", "encounters", "failures"]
    rows = [
        [row["rank"], row["player"], *row["rating"].values(), *(row[name] for name in head[5:])]
        for row in table_as_json(table)["standings"]
    ]
    return _csv([head, *rows])


def cross_csv(table: Table) -> str:
    """Return the cross table as CSV: the share of games that the row won from the column."""
    _, names, cells = heat_of(table)
    rows = [[name, *map(_rounded, row)] for name, row in zip(names, cells, strict=True)]
    return _csv([["player", *names], *rows])


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def whiskers_of(table: Table) -> Whiskers:
    """Return the ratings as a picture."""
    rows = [(table.rules.players[row.player].name, row.rating) for row in table.standings]
    return Whiskers("Ratings", unit_of(table), rows)


def heat_of(table: Table) -> HeatMap:
    """Return the cross table as a picture."""
    order = [row.player for row in table.standings]
    names = [table.rules.players[player].name for player in order]
    cells = [[table.score(a, b) for b in order] for a in order]
    return HeatMap("Who beats whom", names, cells)


def in_words(table: Table) -> Iterator[str]:
    """Yield the standings and the pairs that are too close to call, for a terminal."""
    names = [one.name for one in table.rules.players]
    wide = max(map(len, names))
    yield f"rank  {'player':<{wide}}  {unit_of(table)}, 95 %"
    for row in table.standings:
        rank = f"{row.rank}{'=' if row.shared else ''}"
        digits = 0 if table.rules.seat is None else 4
        failed = f"  ({row.failures} games lost by failing)" if row.failures else ""
        rating = f"{row.rating.mean:+.{digits}f}"
        rating += "" if row.rating.low is None else f" ± {row.rating.half:.{digits}f}"
        yield f"{rank:<4}  {names[row.player]:<{wide}}  {rating}{failed}"
    yield ""
    for a, b in table.not_separable:
        yield f"{names[a]} and {names[b]} are too close to call"


def page(table: Table) -> str:
    """Return an HTML page with the standings and both pictures."""
    listing = GAMES[table.rules.game.name]
    words = html.escape("\n".join(in_words(table)))
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tournament: {html.escape(listing.title)}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto }}
body {{ padding: 0 1rem }}
pre {{ overflow-x: auto; background: #f4f1ea; padding: 1rem; }}
svg {{ max-width: 100%; height: auto; }}
</style>
<h1>{html.escape(listing.title)}</h1>
<p>{len(table.encounters)} encounters of {table.rules.deals:,} deals each,
seed <code>{html.escape(table.rules.seed)}</code>. Equal ranks cannot be told apart.</p>
<pre>{words}</pre>
<h2>Ratings</h2>
{as_svg(whiskers_of(table))}
<h2>Who beats whom</h2>
{as_svg(heat_of(table))}
</html>
"""


def write_files(table: Table, folder: Path) -> list[Path]:
    """Write all files into a folder; return their paths."""
    texts = {
        "results.json": json.dumps(table_as_json(table), indent=1) + "\n",
        "standings.csv": standings_csv(table),
        "cross.csv": cross_csv(table),
        "index.html": page(table),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]
