"""What a seat could expect, step by step: as a picture of letters, and as SVG."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from textwrap import wrap
from typing import Final, NamedTuple

from fairground.coach.judging import NOISE, WINS
from fairground.coach.reviewing import Review, Step
from fairground.coach.telling import counted, signed
from fairground.core import Seat
from fairground.games.codebreaking import STAKE
from fairground.shown import shown

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
    """What is drawn. To lose a whole game of code breaking would flatten all else: it is cut."""
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


STYLE: Final = """
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
        f"<title>{title}</title><style>{STYLE}</style>",
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
