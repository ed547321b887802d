"""What can be drawn: figures by name, for the documents, and files of games.

Of a file of games (`datasets`) either what each player won is drawn, with its interval, or how
often each number stands in its columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from fairground.core import InputError, UnknownName
from fairground.extras import needs
from fairground.games import GAMES, make_game
from fairground.games.fatestones import FateStones, fair_dice
from fairground.lab.datasets import Card, lines_of, read_unchanged
from fairground.lab.plans import plan_of, states_of
from fairground.lab.plots import Bars, Curve, HeatMap, Plot, Whiskers
from fairground.lab.rows import INTEGER, schema_of
from fairground.lab.simulation import simulate
from fairground.lab.statistics import Tally, looks
from fairground.registers import known
from fairground.solve.fatestones.choices import meeting

SEED: Final = "figures"


class FigureListing(NamedTuple):
    """A figure: what it shows, and what draws it."""

    says: str
    draw: Callable[[], Plot]


def win_matrix() -> Plot:
    """The 32 fair dice of FateStones against one another."""
    dice = fair_dice()
    cells = [[meeting(a, b).score / 72 for b in dice] for a in dice]
    return HeatMap("The 32 dice of mean 3.5: win plus half a tie", dice, cells)


def deal_values() -> Plot:
    """The value of every deal of FateStones."""
    from fairground.solve.fatestones.deals import solve_all

    counts = {percent: many for percent, many in enumerate(solve_all().histogram) if many}
    return Bars("All 18,123,840 deals of FateStones", "chance to win, percent", {"": counts})


def guesses() -> Plot:
    """Guesses that strategies of code breaking need."""
    with needs("solve", "this figure"):
        from fairground.solve.codebreaking.trees import tree
    series = {}
    for strategy in ("minimax", "expected", "entropy", "parts", None):
        found = tree(6, 4, strategy)
        name = f"{strategy or 'optimal'}: {found.total() / 1296:.4f}"
        series[name] = dict(enumerate(found.distribution(), 1))
    return Bars("Code breaking, base 6, length 4: all 1,296 codes", "guesses", series)


def turns() -> Plot:
    """How long games of Zombie Dice take."""
    series = {}
    for who in ("cautious", "greedy"):
        game = make_game("zombie/2", {})
        plan = plan_of(game, (who, who), SEED, 400)
        rounds = Counter(list(states_of(plan, n))[-1].round for n in range(400))
        series[who] = dict(sorted(rounds.items()))
    return Bars("Rounds of a game of Zombie Dice between two alike", "rounds", series)


def convergence() -> Plot:
    """A mean and its interval as games are added, and the exact value."""
    game = make_game("codebreaking/1", {})
    with needs("solve", "this figure"):
        from fairground.solve.codebreaking.trees import tree
    at = [many for many in looks(100_000) if many > 0][::3]
    means = []
    tally = Tally.empty(2)
    for many in at:
        tally = simulate(plan_of(game, ("fair", "entropy"), SEED, many)).tally
        means.append(tally.mean(0))
    truth = tree(6, 4, "entropy").total() / 1296
    return Curve("Guesses of the strategy entropy (base 6, length 4)", "guesses", at, means, truth)


def strength() -> Plot:
    """What players of FateStones win against random, without luck."""
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
    """What each player won in a file of games; or how often each number is in these columns."""
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
