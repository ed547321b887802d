"""A player's skill: the average cost per game against perfect play, with an interval.

Luck is left out, so this settles far sooner than a count of wins. The interval is Student's, for
the mean of independent games; with one game, or only equal ones, there is none. Units differ from
game to game, so each game is rated apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

from fairground.coach.judging import Unit
from fairground.coach.review import Review
from fairground.core import Seat
from fairground.games.codebreaking.rules import STAKE
from fairground.stats import interval_of


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
        """For programs."""
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
