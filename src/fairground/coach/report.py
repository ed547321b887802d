"""A review for its readers: in sentences, as a chart, as an HTML page, and as JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from html import escape
from textwrap import wrap
from typing import Any, Final, NamedTuple

from fairground.coach.judging import GUESSES, NOISE, WINS, Unit
from fairground.coach.review import FORMAT, LuckOdds, Review, SeatReview, Step
from fairground.core import InputError, Seat
from fairground.escape import shown
from fairground.games import GAMES
from fairground.games.codebreaking.rules import BREAKER, STAKE
from fairground.stats import interval_of
from fairground.words.plain import count, listed, number

MOST: Final = 3
"""Maximum number of equally good moves that are named."""


def seat_named(review: Review, name: str) -> Seat:
    """Return the seat with this name or number."""
    for seat in review.seats:
        if name in (seat.name, str(seat.seat)):
            return seat.seat
    names = ", ".join(shown(seat.name) for seat in review.seats)
    raise InputError(f"nobody at this table is called {name!r}; there are: {names}")


def readers(review: Review) -> list[Seat]:
    """Return the default readers: the people, or else all seats that decided something."""
    people = [seat.seat for seat in review.seats if seat.by == "self" and seat.decisions]
    return people or [seat.seat for seat in review.seats if seat.decisions]


GAME: Final = "the game"
"""The cost of giving up: no number of guesses finds the code any more."""


def whole_game(value: Fraction, unit: Unit) -> bool:
    """Return true if a value stands for a code that was not found, not for guesses."""
    return unit is GUESSES and abs(value) > STAKE // 2


def amount(value: Fraction, unit: Unit) -> str:
    """A value with its unit: "4.2 wins in 100 games"."""
    if whole_game(value, unit):
        return GAME
    scaled = value * unit.scale
    return f"{number(scaled)} {unit.one if scaled == 1 else unit.many}"


def scaled(value: Fraction, unit: Unit) -> str:
    """A value as people are shown it, without its unit."""
    return number(value * unit.scale)


def signed(value: Fraction, unit: Unit) -> str:
    """A change, with its sign, in the unit: "+4.2"."""
    if whole_game(value, unit):
        return GAME
    scaled = float(value * unit.scale)
    return f"{scaled + 0.0:+.{unit.digits}f}"


def counted(review: Review, seat: Seat) -> int:
    """Return the sign of a seat's values: -1 for a breaker, whose guesses are costs."""
    return -1 if review.judge.unit is GUESSES and seat == BREAKER else 1


def heading(review: Review, seat: Seat) -> str:
    """Return the heading of an account: the unit of its numbers."""
    many = review.judge.unit.many
    fewer = " (fewer are better)" if counted(review, seat) < 0 else ""
    return f"{many[0].upper()}{many[1:]}{fewer}:"


def title(review: Review) -> str:
    """Return the name of the game and of its players."""
    name = review.game.name
    names = listed([shown(seat.name) for seat in review.seats])
    return f"{GAMES[name].title if name in GAMES else name}: {names}"


def summary(review: Review, seat: Seat) -> Iterator[str]:
    """One seat's game in a few sentences."""
    one, unit = review.seats[seat], review.judge.unit
    name = shown(one.name)
    gives, takes = ("saved", "cost") if counted(review, seat) < 0 else ("gave", "took")
    if one.result is None:
        yield f"The game is not finished. {name} may expect {expected(one.now, unit)} from here."
    yield _skill(one, unit)
    kind, unkind = review.turns_of_luck(seat)
    if kind is not None:
        gave = amount(kind.change[seat], unit)
        what = f"The kindest {_chance(kind)}, in line {kind.line}"
        yield f"{what}, {gives} {name} {gave}: {kind.says}"
    if unkind is not None:
        took = amount(-unkind.change[seat], unit)
        what = f"The unkindest {_chance(unkind)}, in line {unkind.line}"
        yield f"{what}, {takes} {took}: {unkind.says}"
    if one.odds is not None:
        yield oddness(one.odds, name)


def _chance(step: Step) -> str:
    return step.kind if step.kind in ("answer", "meeting") else "draw"


def expected(value: Fraction, unit: Unit) -> str:
    """Return a seat's expectation in words."""
    if unit is GUESSES:
        return f"{number(abs(value))} guesses in all"
    if unit.name == "bets":
        verb = "to lose" if value < 0 else "to win"
        return f"{verb} {amount(abs(value), unit)}"
    return f"to win {number(value * 100)} in 100 games"


def _skill(one: SeatReview, unit: Unit) -> str:
    name = shown(one.name)
    made = count(one.decisions, "decision")
    if not one.decisions:
        return f"{name} had nothing to decide."
    if not one.mistakes:
        return f"{name} made {made}, and none could have been better."
    worse = "1 of them was" if one.mistakes == 1 else f"{one.mistakes} of them were"
    if one.decisions == one.mistakes == 1:
        return f"{name} made 1 decision, and it cost {amount(one.cost, unit)}."
    cost = amount(one.cost, unit)
    in_all = "" if cost == GAME or one.mistakes == 1 else " in all"
    return f"{name} made {made}. {worse} not the best, and cost {cost}{in_all}."


def oddness(odds: LuckOdds, name: str) -> str:
    """Return a sentence on how rare the luck was."""
    kind = "good" if odds.good else "bad"
    what = "the draws after the deal" if odds.unknown else "all draws"
    often = rarity(odds.low) if odds.low == odds.high else _between(odds.low, odds.high)
    return f"Luck at least this {kind} for {name}: {often}, if {what} were drawn again."


def rarity(chance: Fraction) -> str:
    """A chance as "1 game in 14"."""
    if chance <= 0:
        return "never"
    if chance >= Fraction(995, 1000):
        return "every time"
    games = 1 / chance
    if games < 10:
        return f"{number(Fraction(round(chance * 100)))} games in 100"
    return f"1 game in {round(games):,}"


def _between(low: Fraction, high: Fraction) -> str:
    """Two bounds of a chance, counted in the same way."""
    if rarity(low) == rarity(high):
        return f"about {rarity(low)}"
    if low <= 0:
        return f"at most {rarity(high)}"
    if high >= Fraction(1, 10):
        return f"{round(low * 100)} to {round(high * 100)} games in 100"
    return f"1 game in {round(1 / high):,} to {round(1 / low):,}"


def account(review: Review, seat: Seat) -> list[tuple[str, str]]:
    """Return the parts of the result, and their sum."""
    one, unit = review.seats[seat], review.judge.unit
    name = shown(one.name)
    others = [other for other in review.seats if other.seat != seat and other.decisions]
    sign = counted(review, seat)

    def part(value: Fraction) -> str:
        return signed(sign * value, unit)

    rows = [("expected at the start", part(one.start).lstrip("+")), ("luck", part(one.luck))]
    if one.decisions:
        rows.append((f"what {name} gave away", part(-one.cost)))
    if others:
        whose = shown(others[0].name) if len(others) == 1 else "the others"
        rows.append((f"what {whose} gave away", part(one.given)))
    if abs(one.model) > NOISE:
        rows.append(("what the model did not foresee", part(one.model)))
    end = "the result" if one.result is not None else "expected now"
    if whole_game(one.now, unit):
        found = one.now < 0 if counted(review, seat) < 0 else one.now > 0
        return [*rows, (end, "not found" if found else "no code fits")]
    return [*rows, (end, part(one.now).lstrip("+"))]


def _named(moves: Sequence[str]) -> str:
    """Several moves; apart by semicolons where one has a comma of its own."""
    if any("," in move for move in moves):
        return "; ".join([*moves[:-1], f"and {moves[-1]}"])
    return listed(moves)


def moment(step: Step, review: Review) -> str:
    """A decision: what was done, and where it cost something, how much and why."""
    asked = " (That was after a hint.)" if step.hinted else ""
    if not step.cost:
        return f"{step.says}{asked} Nothing was better."
    right = [other.says for other in step.alternatives if not other.cost] or ["stay"]
    more = [f"{len(right) - MOST} more"] if len(right) > MOST else []
    better = (
        f"Better, and equally good: {_named([*right[:MOST], *more])}"
        if len(right) > 1
        else f"Better: {right[0]}"
    )
    cost = amount(step.cost, review.judge.unit)
    return f"{step.says}{asked} That cost {cost}. {better}. {step.why}".rstrip()


HEIGHT: Final = 9
"""Lines of a chart in the terminal; an odd number, so that there is a middle."""

WIDE, HIGH, LEFT, TOP, BELOW = 720, 290, 64, 16, 56
"""Measures of the SVG, in its own units."""


class Curve(NamedTuple):
    """A seat's value after each step, the start first, and the range that it is drawn in."""

    values: list[float]
    steps: list[Step | None]
    low: float
    high: float


def curve(review: Review, seat: Seat) -> Curve:
    """Return the points to draw. The loss of a whole game of code breaking is cut off."""
    moved = [step for step in review.steps if abs(step.change[seat]) > NOISE]
    values = [review.start[seat], *(step.values[seat] for step in moved)]
    floats = [float(value) for value in values]
    if review.judge.unit is WINS:
        low, high = 0.0, 1.0
    else:
        seen = [value for value in floats if abs(value) < STAKE / 2]
        low, high = min(seen), max(seen)
        if high - low < 1e-9:
            low, high = low - 1, high + 1
    return Curve([min(max(v, low), high) for v in floats], [None, *moved], low, high)


def lines(review: Review, seat: Seat, columns: int) -> list[str]:
    """The chart for a terminal, in ASCII: o a value, X a costly decision of this seat."""
    drawn = curve(review, seat)
    if len(drawn.values) < 2:
        return ["Nothing changed what was to be expected from the first line to the last."]
    marks = (drawn.high, (drawn.high + drawn.low) / 2, drawn.low)
    labels = [_label(review, seat, at) for at in marks]
    margin = max(map(len, labels))
    room = max(8, min(columns - margin - 4, 72))
    many = len(drawn.values)
    grid = [[" "] * room for _ in range(HEIGHT)]
    for x in range(room):
        at = x * (many - 1) // max(1, room - 1) if many > room else x
        if at >= many:
            break
        grid[_row(drawn, at)][x] = "o"
    for at, step in enumerate(drawn.steps):
        if step is not None and step.seat == seat and step.cost > NOISE:
            x = at * (room - 1) // max(1, many - 1) if many > room else at
            if x < room:
                grid[_row(drawn, at)][x] = "X"
    names = {0: labels[0], HEIGHT // 2: labels[1], HEIGHT - 1: labels[2]}
    rows = [f"{names.get(y, ''):>{margin}} |{''.join(row).rstrip()}" for y, row in enumerate(grid)]
    rows.append(" " * margin + " +" + "-" * min(many, room))
    said = "from the first draw to the end; X: a decision that cost something"
    rows += [" " * (margin + 2) + line for line in wrap(said, max(20, columns - margin - 2))]
    return rows


def _label(review: Review, seat: Seat, at: float) -> str:
    return signed(counted(review, seat) * Fraction(at), review.judge.unit).lstrip("+")


def _row(drawn: Curve, at: int) -> int:
    share = (drawn.values[at] - drawn.low) / (drawn.high - drawn.low)
    return round((1 - share) * (HEIGHT - 1))


CHART_STYLE: Final = """
.fg-chart { font: 13px Georgia, serif; color: #2b2620; background: #fbf7ee; }
.fg-chart text { fill: currentColor; }
.fg-chart .line { fill: none; stroke: currentColor; stroke-width: 2; }
.fg-chart .axis { stroke: currentColor; stroke-width: 1; opacity: .4; }
.fg-chart .you { fill: #2b2620; } .fg-chart .luck { fill: #fbf7ee; stroke: currentColor; }
.fg-chart .cost { stroke: #9d2a1f; stroke-width: 3; }
@media (prefers-color-scheme: dark) {
  .fg-chart { color: #efe6d2; background: #221d18; }
  .fg-chart .you { fill: #efe6d2; } .fg-chart .luck { fill: #221d18; }
  .fg-chart .cost { stroke: #ff8f7d; }
}
"""


def svg(review: Review, seat: Seat) -> str:
    """The chart as SVG: squares are decisions, circles are chance, crosses cost something."""
    drawn = curve(review, seat)
    unit, one = review.judge.unit, review.seats[seat]
    name = escape(shown(one.name))
    across = (WIDE - LEFT - 16) / max(1, len(drawn.values) - 1)
    high = HIGH - TOP - BELOW

    def spot(at: int) -> tuple[float, float]:
        share = (drawn.values[at] - drawn.low) / (drawn.high - drawn.low)
        return LEFT + across * at, TOP + (1 - share) * high

    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(spot, range(len(drawn.values))))
    title = f"What {name} could expect, in {escape(unit.many)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" '
        f'class="fg-chart" role="img" aria-label="{title}">',
        f"<title>{title}</title><style>{CHART_STYLE}</style>",
    ]
    for at in (drawn.high, (drawn.high + drawn.low) / 2, drawn.low):
        y = TOP + (drawn.high - at) / (drawn.high - drawn.low) * high
        parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDE - 16}" y1="{y:.1f}" y2="{y:.1f}"/>')
        label = _label(review, seat, at)
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    parts.append(f'<polyline class="line" points="{points}"/>')
    for at, step in enumerate(drawn.steps):
        if step is not None:
            parts.append(_mark(step, seat, *spot(at), signed(step.change[seat], unit)))
    parts.append(
        f'<text x="{LEFT}" y="{HIGH - 24}">{title}.</text><text x="{LEFT}" y="{HIGH - 6}">'
        "Squares: decisions. Circles: chance. Crosses: decisions that cost something.</text></svg>"
    )
    return "".join(parts)


def _mark(step: Step, seat: Seat, x: float, y: float, change: str) -> str:
    told = f"<title>Line {step.line}: {escape(shown(step.says))} {change}</title>"
    if step.seat is None:
        return f'<circle class="luck" cx="{x:.1f}" cy="{y:.1f}" r="4">{told}</circle>'
    if step.seat == seat and step.cost > NOISE:
        cross = f"M{x - 5:.1f} {y - 5:.1f}l10 10m0-10l-10 10"
        return f'<path class="cost" d="{cross}">{told}</path>'
    return f'<rect class="you" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8">{told}</rect>'


PAGE_STYLE = """
body { font: 17px/1.5 Georgia, serif; color: #2b2620; background: #fbf7ee; margin: 2rem auto;
  max-width: 46rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { padding: .2rem .8rem; text-align: left; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
tr.sum td { border-top: 1px solid currentColor; }
svg { width: 100%; height: auto; } summary { cursor: pointer; }
@media (prefers-color-scheme: dark) { body { color: #efe6d2; background: #221d18; } }
"""


def html(review: Review, seats: Sequence[Seat]) -> str:
    """The whole page."""
    named = escape(title(review))
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{named}</title><style>{PAGE_STYLE}</style></head><body>",
        f"<h1>{named}</h1><p>{escape(shown(review.ending))}</p>",
        f"<p>{escape(review.judge.basis.says)}</p>",
    ]
    for seat in seats:
        parts += _seat_as_html(review, seat)
    parts.append("</body></html>\n")
    return "\n".join(parts)


def _seat_as_html(review: Review, seat: Seat) -> list[str]:
    parts = [f"<h2>{escape(shown(review.seats[seat].name))}</h2>"]
    parts += [f"<p>{escape(shown(text))}</p>" for text in summary(review, seat)]
    parts.append(svg(review, seat))
    rows = account(review, seat)
    parts.append(f"<table><caption>{escape(heading(review, seat))}</caption>")
    for at, (what, value) in enumerate(rows):
        end = ' class="sum"' if at == len(rows) - 1 else ""
        parts.append(f'<tr{end}><td>{escape(what)}</td><td class="n">{value}</td></tr>')
    parts.append("</table>")
    if moments := review.moments(seat):
        parts.append("<h2>What mattered most</h2><ol>")
        parts += [f"<li>{escape(shown(moment(step, review)))}</li>" for step in moments]
        parts.append("</ol>")
    parts.append("<h2>Every decision</h2>")
    parts += [_decision_as_html(step, review) for step in review.decisions(seat)]
    return parts


def _decision_as_html(step: Step, review: Review) -> str:
    unit = review.judge.unit
    sign = 1 if step.seat is None else counted(review, step.seat)

    def cell(value: Fraction) -> str:
        return f'<td class="n">{signed(value, unit).lstrip("+")}</td>'

    rows = "".join(
        f"<tr><td>{escape(shown(other.says))}</td>{cell(sign * other.value)}{cell(other.cost)}</tr>"
        for other in step.alternatives
    )
    head = '<tr><th>move</th><th class="n">value</th><th class="n">cost</th></tr>'
    said = escape(f"Line {step.line}: {shown(step.says)} {step.verdict.capitalize()}.")
    return f"<details><summary>{said}</summary><table>{head}{rows}</table></details>"


def as_json(review: Review) -> dict[str, Any]:
    """Return a review as ``fairground coach --json`` prints it and as the page draws it.

    The schema is `fairground/schemas/review.json`; `docs/coach.md` explains its members. A number
    is an object: ``exact`` is a fraction as text (null if the solver is not exact), ``value`` is
    the same number as a decimal.
    """
    basis, name = review.judge.basis, review.game.name
    exact = basis.exact
    return {
        "format": FORMAT,
        "game": name,
        "title": GAMES[name].title if name in GAMES else name,
        "params": review.game.params(),
        "table": review.table,
        "finished": review.finished,
        "ending": review.ending,
        "unit": unit_as_json(review.judge.unit),
        "basis": basis._asdict(),
        "seats": [_seat_as_json(seat, exact) for seat in review.seats],
        "steps": [_step_as_json(step, exact) for step in review.steps],
        "moments": [review.steps.index(step) for step in review.moments()],
    }


def unit_as_json(unit: Unit) -> dict[str, Any]:
    """Return the unit of the numbers."""
    return {"name": unit.name, "one": unit.one, "many": unit.many, "scale": unit.scale}


def in_json(value: Any, exact: bool) -> Any:
    """Return any part of a review as JSON: records are objects, and fractions are numbers."""
    if isinstance(value, Fraction):
        return {"exact": str(value) if exact else None, "value": float(value)}
    if isinstance(value, tuple):
        if hasattr(value, "_asdict"):
            return {name: in_json(part, exact) for name, part in value._asdict().items()}
        return [in_json(part, exact) for part in value]
    return value


def _seat_as_json(seat: SeatReview, exact: bool) -> dict[str, Any]:
    odds = seat.odds
    told: dict[str, Any] = in_json(seat, exact)
    if odds is not None:
        told["odds"] = odds._asdict() | {"low": float(odds.low), "high": float(odds.high)}
    return told


def _step_as_json(step: Step, exact: bool) -> dict[str, Any]:
    told: dict[str, Any] = in_json(step, exact)
    if step.kind not in ("decision", "leave"):
        return {name: told[name] for name in ("line", "kind", "seat", "says", "values", "change")}
    return told


class Played(NamedTuple):
    """One game of one player."""

    name: str
    title: str
    unit: Unit
    cost: Fraction
    decisions: int
    mistakes: int
    luck: Fraction
    lost: int
    """Times that the player gave up the whole game, which no number of guesses expresses."""


class Rating(NamedTuple):
    """A player's games of one kind."""

    name: str
    title: str
    unit: Unit
    games: int
    decisions: int
    mistakes: int
    cost: float
    """Given away per game, on average."""
    low: float | None
    high: float | None
    """The 95 % interval; ``None`` with one game, or where every game cost the same."""
    luck: float
    """Per game, on average."""
    trend: float | None
    """Cost per game of the later half less that of the earlier; ``None`` with few games."""
    lost: int
    """Games that were given up; they count nothing in the cost."""

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "unit": self.unit.name}


def played(review: Review, title: str, seats: Sequence[Seat] | None = None) -> list[Played]:
    """Return the games of these seats; by default of all that decided something."""
    games = []
    for seat in review.seats:
        if seat.decisions and (seats is None or seat.seat in seats):
            costs = [step.cost for step in review.decisions(seat.seat)]
            usual = [cost for cost in costs if cost <= STAKE // 2]
            games.append(
                Played(
                    seat.name,
                    title,
                    review.judge.unit,
                    sum(usual, Fraction(0)),
                    seat.decisions,
                    seat.mistakes,
                    seat.luck,
                    len(costs) - len(usual),
                )
            )
    return games


def ratings(games: Iterable[Played]) -> list[Rating]:
    """Everybody's rating in each game, the best first; games are in the order of time."""
    apart: dict[tuple[str, str], list[Played]] = defaultdict(list)
    for game in games:
        apart[game.title, game.name].append(game)
    made = [_rating(those) for those in apart.values()]
    return sorted(made, key=lambda rating: (rating.title, rating.cost, rating.name))


def _rating(games: Sequence[Played]) -> Rating:
    costs = [float(game.cost) for game in games]
    cost = interval_of(costs)
    first = games[0]
    middle = len(costs) // 2
    trend = None
    if len(costs) >= FEW:
        trend = sum(costs[-middle:]) / middle - sum(costs[:middle]) / middle
    return Rating(
        name=first.name,
        title=first.title,
        unit=first.unit,
        games=len(games),
        decisions=sum(game.decisions for game in games),
        mistakes=sum(game.mistakes for game in games),
        cost=cost.mean,
        low=None if cost.low is None else max(0.0, cost.low),
        high=cost.high,
        luck=sum(float(game.luck) for game in games) / len(games),
        trend=trend,
        lost=sum(game.lost for game in games),
    )


FEW: Final = 6
"""Minimum number of games for a trend."""
