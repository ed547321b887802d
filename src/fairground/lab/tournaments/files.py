"""The results of a tournament as files: JSON, CSV, and a page with plots."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fairground.games import GAMES
from fairground.lab.plots import HeatMap, Whiskers, as_svg
from fairground.lab.tournaments.tournament import Table

ROUND = 6


def unit_of(table: Table) -> str:
    """What ratings are counted in."""
    return "Elo" if table.rules.seat is None else "more than the others in a game"


def as_json(table: Table) -> dict[str, Any]:
    """Everything, for programs."""
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
                "differences": {str(d): n for d, n in one.differences.items()},
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
    """The standings, a row for each player."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["rank", "player", "rating", "low", "high", "points", "encounters", "failures"])
    for row in table.standings:
        numbers = (_rounded(value) for value in (*row.rating, row.points))
        name = table.rules.players[row.player].name
        out.writerow([row.rank, name, *numbers, row.encounters, row.failures])
    return text.getvalue()


def cross_csv(table: Table) -> str:
    """The cross table: the share of games that the row won from the column."""
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    order = [row.player for row in table.standings]
    names = [table.rules.players[player].name for player in order]
    out.writerow(["player", *names])
    for a, name in zip(order, names, strict=True):
        out.writerow([name, *(_rounded(table.score(a, b)) for b in order)])
    return text.getvalue()


def whiskers_of(table: Table) -> Whiskers:
    """The ratings as a plot."""
    rows = [(table.rules.players[row.player].name, row.rating) for row in table.standings]
    return Whiskers("Ratings", unit_of(table), rows)


def heat_of(table: Table) -> HeatMap:
    """The cross table as a plot."""
    order = [row.player for row in table.standings]
    names = [table.rules.players[player].name for player in order]
    cells = [[table.score(a, b) for b in order] for a in order]
    return HeatMap("Who beats whom", names, cells)


def in_words(table: Table) -> Iterator[str]:
    """The standings and what cannot be told apart, for a terminal."""
    names = [one.name for one in table.rules.players]
    wide = max(map(len, names))
    yield f"rank  {'player':<{wide}}  {unit_of(table)}, 95 %"
    for row in table.standings:
        rank = f"{row.rank}{'=' if row.shared else ''}"
        half = ((row.rating.high or 0) - (row.rating.low or 0)) / 2
        digits = 0 if table.rules.seat is None else 4
        failed = f"  ({row.failures} games lost by failing)" if row.failures else ""
        rating = f"{row.rating.mean:+.{digits}f} ± {half:.{digits}f}"
        yield f"{rank:<4}  {names[row.player]:<{wide}}  {rating}{failed}"
    yield ""
    for a, b in table.not_separable:
        yield f"{names[a]} and {names[b]} are not separable"


def page(table: Table) -> str:
    """A page of its own, with both plots in it."""
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


def write(table: Table, folder: Path) -> list[Path]:
    """All files into a folder."""
    texts = {
        "results.json": json.dumps(as_json(table), indent=1) + "\n",
        "standings.csv": standings_csv(table),
        "cross.csv": cross_csv(table),
        "index.html": page(table),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]
