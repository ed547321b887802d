"""Pictures as SVG, PNG or text, and the figures that can be drawn by name.

A picture is a small value (`HeatMap`, `Bars`, `Whiskers`, `Curve`). `save` draws it with
matplotlib; the same data always gives the same bytes of SVG. `in_text` draws it with characters.

`FIGURES` are the pictures of the documents. `of_file` draws a file of games: the payoff of each
player with its interval, or how often each number occurs in some columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from fairground.core import InputError, UnknownName
from fairground.games import GAMES, make_game
from fairground.games.fatestones.rules import FateStones, fair_dice
from fairground.games.fatestones.solver.choices import meeting
from fairground.lab.datasets import Card, lines_of, read_unchanged
from fairground.lab.plans import plan_of, states_of
from fairground.lab.rows import INTEGER, schema_of
from fairground.lab.simulation import simulate
from fairground.lab.statistics import Tally, looks
from fairground.registry import known, needs
from fairground.stats import Interval

ENDINGS: Final = (".svg", ".png")
SHADES: Final = " ░▒▓█"


class HeatMap(NamedTuple):
    """A square table of shares: the row's wins against the column."""

    title: str
    names: Sequence[str]
    cells: Sequence[Sequence[float | None]]
    """``None``: the two did not meet."""


class Bars(NamedTuple):
    """The frequency of each number, for one or more series."""

    title: str
    axis: str
    series: Mapping[str, Mapping[int, int]]


class Whiskers(NamedTuple):
    """Numbers with their intervals."""

    title: str
    axis: str
    rows: Sequence[tuple[str, Interval]]


class Curve(NamedTuple):
    """A mean and its interval as the number of games grows, and the exact value if it is known."""

    title: str
    axis: str
    at: Sequence[int]
    means: Sequence[Interval]
    truth: float | None = None


Plot: TypeAlias = HeatMap | Bars | Whiskers | Curve


# As files


def save(plot: Plot, path: Path) -> None:
    """Write a picture; the suffix of the path chooses SVG or PNG."""
    if path.suffix not in ENDINGS:
        raise InputError(f"{str(path)!r}: a picture ends in {' or '.join(ENDINGS)}")
    figure = _figure(plot)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def as_svg(plot: Plot) -> str:
    """Return the picture as an SVG element, for an HTML page."""
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
    """Return the largest distance of a cell from one half; the colours cover just that range."""
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
        axes.plot(found.ends, [at, at], color="tab:blue", lw=2)
        axes.plot([found.mean], [at], "o", color="tab:blue")
    axes.set_yticks(range(len(plot.rows)), [name for name, _ in plot.rows])
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel(f"{plot.axis}, 95 % intervals")


def _draw_curve(figure: Any, axes: Any, plot: Curve) -> None:
    means = [one.mean for one in plot.means]
    lows, highs = zip(*(one.ends for one in plot.means), strict=True)
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
    """Draw a picture with characters; no line is longer than ``columns``."""
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
    ends = [end for _, one in plot.rows for end in one.ends]
    low, high = min(ends), max(ends)
    room = max(10, columns - wide - 24)

    def place(value: float) -> int:
        return round((room - 1) * (value - low) / ((high - low) or 1))

    lines = []
    for name, one in plot.rows:
        cells = [" "] * room
        low_end, high_end = map(place, one.ends)
        cells[low_end : high_end + 1] = "-" * (high_end + 1 - low_end)
        cells[place(one.mean)] = "o"
        lines.append(f"{name:<{wide}} {''.join(cells)} {one}")
    return [*lines, "", f"({plot.axis}, 95 % intervals)"]


def _curve_text(plot: Curve, columns: int) -> list[str]:
    rows = [(f"{at:,}", one) for at, one in zip(plot.at, plot.means, strict=True)]
    lines = _whiskers_text(Whiskers(plot.title, plot.axis, rows), columns)
    return [*lines, *([] if plot.truth is None else [f"(exact: {plot.truth:+.4f})"])]


SEED: Final = "figures"


class FigureListing(NamedTuple):
    """A figure: its caption, and the function that draws it."""

    says: str
    draw: Callable[[], Plot]


def win_matrix() -> Plot:
    """Draw the 32 fair dice of FateStones against one another."""
    dice = fair_dice()
    cells = [[meeting(a, b).score / 72 for b in dice] for a in dice]
    return HeatMap("The 32 dice of mean 3.5: win plus half a tie", dice, cells)


def deal_values() -> Plot:
    """Draw the values of all deals of FateStones."""
    from fairground.games.fatestones.solver.deals import solve_all

    counts = {percent: many for percent, many in enumerate(solve_all().histogram) if many}
    return Bars("All 18,123,840 deals of FateStones", "chance to win, percent", {"": counts})


def guesses() -> Plot:
    """Draw the guesses that strategies of code breaking need."""
    with needs("solve", "this figure"):
        from fairground.games.codebreaking.solver.trees import tree
    series = {}
    for strategy in ("minimax", "expected", "entropy", "parts", None):
        found = tree(6, 4, strategy)
        name = f"{strategy or 'optimal'}: {found.total() / 1296:.4f}"
        series[name] = dict(enumerate(found.distribution(), 1))
    return Bars("Code breaking, base 6, length 4: all 1,296 codes", "guesses", series)


def turns() -> Plot:
    """Draw the length of games of Zombie Dice."""
    series = {}
    for who in ("cautious", "greedy"):
        game = make_game("zombie/2", {})
        plan = plan_of(game, (who, who), SEED, 400)
        rounds = Counter(list(states_of(plan, n))[-1].round for n in range(400))
        series[who] = dict(sorted(rounds.items()))
    return Bars("Rounds of a game of Zombie Dice between two alike", "rounds", series)


def convergence() -> Plot:
    """Draw a mean and its interval as games are added, and the exact value."""
    game = make_game("codebreaking/1", {})
    with needs("solve", "this figure"):
        from fairground.games.codebreaking.solver.trees import tree
    at = [many for many in looks(100_000) if many > 0][::3]
    means = []
    tally = Tally.empty(2)
    for many in at:
        tally = simulate(plan_of(game, ("fair", "entropy"), SEED, many)).tally
        means.append(tally.mean(0))
    truth = tree(6, 4, "entropy").total() / 1296
    return Curve("Guesses of the strategy entropy (base 6, length 4)", "guesses", at, means, truth)


def strength() -> Plot:
    """Draw the payoffs of players of FateStones against random, without luck."""
    rows = []
    for who in ("random", "greedy", "mcts:30", "optimal"):
        plan = plan_of(FateStones(scratch="end"), (who, "random"), SEED, 300,
                       mirror=True, luck=True)  # fmt: skip
        rows.append((who, simulate(plan, jobs=1).tally.mean(0, 2, corrected=True)))
    return Whiskers("FateStones against random", "payoff in a game, without luck", rows)


FIGURES: Final[dict[str, FigureListing]] = {
    "win-matrix": FigureListing("which die of FateStones beats which", win_matrix),
    "deal-values": FigureListing("the values of all deals of FateStones", deal_values),
    "guesses": FigureListing("guesses of each strategy of code breaking", guesses),
    "turns": FigureListing("how long games of Zombie Dice take", turns),
    "convergence": FigureListing("an interval that shrinks to the exact value", convergence),
    "strength": FigureListing("players of FateStones against random", strength),
}


# Files of games


def of_file(path: Path, columns: Sequence[str] = ()) -> Plot:
    """Draw the payoff of each player in a file of games; or the frequencies in these columns."""
    card = read_unchanged(path)
    return _counts(path, card, columns) if columns else _payoffs(card)


def _title(card: Card) -> str:
    return f"{GAMES[card.plan.game].title}: {card.games:,} games, seed {card.plan.seed}"


def _payoffs(card: Card) -> Plot:
    entrants, tally = card.plan.entrants, card.tally
    each, corrected = len(entrants[0].cells), tally.knows_luck
    rows = [
        (entrant.name, tally.mean(at, each, corrected=corrected))
        for at, entrant in enumerate(entrants)
    ]
    axis = "payoff in a game, without luck" if corrected else "payoff in a game"
    return Whiskers(_title(card), axis, rows)


def _counts(path: Path, card: Card, columns: Sequence[str]) -> Plot:
    schema = schema_of(card.plan)
    kinds = {column.name: column.kind for column in schema.columns}
    for name in columns:
        if name not in kinds:
            raise UnknownName(f"{str(path)!r} has no column {name!r}; {known(name, kinds)}")
        if kinds[name] != INTEGER:
            raise InputError(f"the column {name!r} holds text: only numbers can be counted")
    places = [schema.names.index(name) for name in columns]
    counts: list[Counter[int]] = [Counter() for _ in columns]
    for line in lines_of(path, card, schema):
        cells = line.split(",")
        for place, count in zip(places, counts, strict=True):
            if cells[place]:
                count[int(cells[place])] += 1
    series = {
        name: dict(sorted(count.items())) for name, count in zip(columns, counts, strict=True)
    }
    return Bars(_title(card), columns[0] if len(columns) == 1 else "number", series)
