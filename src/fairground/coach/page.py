"""A review as one HTML file, which needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from html import escape

from fairground.coach import telling
from fairground.coach.chart import svg
from fairground.coach.reviewing import Review, Step
from fairground.core import Seat
from fairground.shown import shown

STYLE = """
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
    title = escape(telling.title(review))
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{title}</title><style>{STYLE}</style></head><body>",
        f"<h1>{title}</h1><p>{escape(shown(review.ending))}</p>",
        f"<p>{escape(review.judge.basis.says)}</p>",
    ]
    for seat in seats:
        parts += _seat(review, seat)
    parts.append("</body></html>\n")
    return "\n".join(parts)


def _seat(review: Review, seat: Seat) -> list[str]:
    parts = [f"<h2>{escape(shown(review.seats[seat].name))}</h2>"]
    parts += [f"<p>{escape(shown(text))}</p>" for text in telling.summary(review, seat)]
    parts.append(svg(review, seat))
    rows = telling.account(review, seat)
    parts.append(f"<table><caption>{escape(telling.heading(review, seat))}</caption>")
    for at, (what, value) in enumerate(rows):
        end = ' class="sum"' if at == len(rows) - 1 else ""
        parts.append(f'<tr{end}><td>{escape(what)}</td><td class="n">{value}</td></tr>')
    parts.append("</table>")
    if moments := review.moments(seat):
        parts.append("<h2>What mattered most</h2><ol>")
        parts += [f"<li>{escape(shown(telling.moment(step, review)))}</li>" for step in moments]
        parts.append("</ol>")
    parts.append("<h2>Every decision</h2>")
    parts += [_decision(step, review) for step in review.decisions(seat)]
    return parts


def _decision(step: Step, review: Review) -> str:
    unit = review.judge.unit
    sign = 1 if step.seat is None else telling.counted(review, step.seat)

    def cell(value: Fraction) -> str:
        return f'<td class="n">{telling.signed(value, unit).lstrip("+")}</td>'

    rows = "".join(
        f"<tr><td>{escape(shown(other.says))}</td>{cell(sign * other.value)}{cell(other.cost)}</tr>"
        for other in step.alternatives
    )
    head = '<tr><th>move</th><th class="n">value</th><th class="n">cost</th></tr>'
    said = escape(f"Line {step.line}: {shown(step.says)} {step.verdict.capitalize()}.")
    return f"<details><summary>{said}</summary><table>{head}{rows}</table></details>"
