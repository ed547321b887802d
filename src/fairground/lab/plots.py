"""Pictures: heat maps, distributions, convergence, whiskers; as SVG, PNG, or in a terminal.

What is drawn is a small value (`HeatMap`, `Bars`, `Whiskers`, `Curve`). `save` draws it with
matplotlib, and the same data always gives the same bytes of SVG. `in_text` draws it with
letters, and needs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from fairground.core import InputError
from fairground.extras import needs
from fairground.lab.statistics import Interval

ENDINGS: Final = (".svg", ".png")
SHADES: Final = " ░▒▓█"


class HeatMap(NamedTuple):
    """A square table of shares: who wins how often against whom."""

    title: str
    names: Sequence[str]
    cells: Sequence[Sequence[float | None]]
    """``None``: they did not meet."""


class Bars(NamedTuple):
    """How often each number came, for one or more series."""

    title: str
    axis: str
    series: Mapping[str, Mapping[int, int]]


class Whiskers(NamedTuple):
    """Numbers with their intervals."""

    title: str
    axis: str
    rows: Sequence[tuple[str, Interval]]


class Curve(NamedTuple):
    """A mean and its interval as more is known, and the truth if that is known."""

    title: str
    axis: str
    at: Sequence[int]
    means: Sequence[Interval]
    truth: float | None = None


Plot: TypeAlias = HeatMap | Bars | Whiskers | Curve


# As files


def save(plot: Plot, path: Path) -> None:
    """Write a picture; the ending of the name says of which kind."""
    if path.suffix not in ENDINGS:
        raise InputError(f"{str(path)!r}: a picture ends in {' or '.join(ENDINGS)}")
    figure = _figure(plot)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def as_svg(plot: Plot) -> str:
    """The picture as the text of an SVG element, for a page."""
    from io import StringIO

    text = StringIO()
    _figure(plot).savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue().partition("\n<!DOCTYPE")[2].partition(">\n")[2]


def _figure(plot: Plot) -> Any:
    with needs("lab", "a picture"):
        import matplotlib as mpl
        from matplotlib.figure import Figure
    mpl.rcParams["svg.hashsalt"] = plot.title  # the same picture has the same bytes
    mpl.rcParams["svg.fonttype"] = "none"
    size = (
        (7.0, max(2.5, 0.35 * len(plot.rows) + 1.2)) if isinstance(plot, Whiskers) else (7.0, 4.4)
    )
    if isinstance(plot, HeatMap):
        side = max(4.0, 0.24 * len(plot.names) + 2)
        size = (side + 1, side)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    axes.set_title(plot.title)
    _DRAWN[type(plot)](figure, axes, plot)
    return figure


def _draw_heat(figure: Any, axes: Any, plot: HeatMap) -> None:
    cells = [[float("nan") if cell is None else cell for cell in row] for row in plot.cells]
    reach = _reach(plot)
    image = axes.imshow(cells, cmap="RdBu_r", vmin=0.5 - reach, vmax=0.5 + reach)
    at = range(len(plot.names))
    axes.set_xticks(at, plot.names, rotation=90)
    axes.set_yticks(at, plot.names)
    if len(plot.names) <= 12:
        for i, row in enumerate(plot.cells):
            for j, cell in enumerate(row):
                if cell is not None:
                    dark = abs(cell - 0.5) > 0.7 * reach
                    axes.text(j, i, f"{100 * cell:.0f}", ha="center", va="center",
                              color="white" if dark else "black")  # fmt: skip
    figure.colorbar(image, ax=axes, label="share of the row")


def _reach(plot: HeatMap) -> float:
    """How far from one half the cells go: the colours cover just that."""
    return max((abs(cell - 0.5) for row in plot.cells for cell in row if cell is not None),
               default=0.0) or 0.5  # fmt: skip


def _draw_bars(figure: Any, axes: Any, plot: Bars) -> None:
    many = len(plot.series)
    for at, (name, counts) in enumerate(plot.series.items()):
        total = sum(counts.values())
        places = [number + (at - (many - 1) / 2) * 0.8 / many for number in counts]
        shares = [100 * count / total for count in counts.values()]
        axes.bar(places, shares, 0.8 / many, label=name)
    axes.set_xlabel(plot.axis)
    axes.set_ylabel("percent")
    if many > 1:
        axes.legend()


def _draw_whiskers(figure: Any, axes: Any, plot: Whiskers) -> None:
    for at, (_, found) in enumerate(plot.rows):
        low = found.mean if found.low is None else found.low
        high = found.mean if found.high is None else found.high
        axes.plot([low, high], [at, at], color="tab:blue", lw=2)
        axes.plot([found.mean], [at], "o", color="tab:blue")
    axes.set_yticks(range(len(plot.rows)), [name for name, _ in plot.rows])
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel(f"{plot.axis}, 95 % intervals")


def _draw_curve(figure: Any, axes: Any, plot: Curve) -> None:
    means = [one.mean for one in plot.means]
    lows = [one.mean if one.low is None else one.low for one in plot.means]
    highs = [one.mean if one.high is None else one.high for one in plot.means]
    axes.fill_between(plot.at, lows, highs, alpha=0.25, label="95 % interval")
    axes.plot(plot.at, means, label="mean")
    if plot.truth is not None:
        axes.axhline(plot.truth, ls="--", color="black", label="exact")
    axes.set_xscale("log")
    axes.set_xlabel("games")
    axes.set_ylabel(plot.axis)
    axes.legend()


_DRAWN: Final[dict[type, Callable[[Any, Any, Any], None]]] = {
    HeatMap: _draw_heat,
    Bars: _draw_bars,
    Whiskers: _draw_whiskers,
    Curve: _draw_curve,
}


# In a terminal


def in_text(plot: Plot, columns: int = 80) -> list[str]:
    """The same with letters, no line longer than the terminal is wide."""
    match plot:
        case HeatMap():
            lines = _heat_text(plot, columns)
        case Bars():
            lines = _bars_text(plot, columns)
        case Whiskers():
            lines = _whiskers_text(plot, columns)
        case Curve():
            lines = _curve_text(plot, columns)
    return [plot.title, "", *(line[:columns].rstrip() for line in lines)]


def _heat_text(plot: HeatMap, columns: int) -> list[str]:
    wide = max(map(len, plot.names))
    number = 5 * len(plot.names) + wide <= columns
    reach = _reach(plot)
    lines = []
    for name, row in zip(plot.names, plot.cells, strict=True):
        if number:
            cells = "".join("    ." if cell is None else f"{100 * cell:5.0f}" for cell in row)
        else:
            cells = " " + "".join(
                "." if cell is None else SHADES[min(4, int(2.5 * (1 + (cell - 0.5) / reach)))]
                for cell in row
            )
        lines.append(f"{name:<{wide}}{cells}")
    said = "percent won by the row" if number else "the darker, the more the row wins"
    return [*lines, "", f"({said}; columns in the order of the rows)"]


def _bars_text(plot: Bars, columns: int) -> list[str]:
    lines = []
    for name, counts in plot.series.items():
        total, most = sum(counts.values()), max(counts.values())
        lines.append(f"{name}:" if len(plot.series) > 1 else f"{plot.axis}:")
        wide = max(len(str(number)) for number in counts)
        for number, count in counts.items():
            head = f"  {number:>{wide}} {100 * count / total:5.1f} % "
            lines.append(head + "#" * round((columns - len(head)) * count / most))
    return lines


def _whiskers_text(plot: Whiskers, columns: int) -> list[str]:
    wide = max(len(name) for name, _ in plot.rows)
    ends = [end for _, one in plot.rows for end in one if end is not None]
    low, high = min(ends), max(ends)
    room = max(10, columns - wide - 24)

    def place(value: float) -> int:
        return round((room - 1) * (value - low) / ((high - low) or 1))

    lines = []
    for name, one in plot.rows:
        cells = [" "] * room
        if one.low is not None and one.high is not None:
            for at in range(place(one.low), place(one.high) + 1):
                cells[at] = "-"
        cells[place(one.mean)] = "o"
        lines.append(f"{name:<{wide}} {''.join(cells)} {one}")
    return [*lines, "", f"({plot.axis}, 95 % intervals)"]


def _curve_text(plot: Curve, columns: int) -> list[str]:
    rows = [(f"{at:,}", one) for at, one in zip(plot.at, plot.means, strict=True)]
    lines = _whiskers_text(Whiskers(plot.title, plot.axis, rows), columns)
    return [*lines, *([] if plot.truth is None else [f"(exact: {plot.truth:+.4f})"])]
