"""How well somebody plays: what they give away per game against perfect play, with an interval.

Luck is left out, so this settles far sooner than a count of wins. The interval is Student's, for
the mean of independent games; with one game there is none. Units differ from game to game, so each
game is rated apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any, Final, NamedTuple

from fairground.coach.judging import Unit
from fairground.coach.reviewing import Review
from fairground.core import Seat
from fairground.games.codebreaking import STAKE

T95: Final = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""Student's t for 95 %, by degrees of freedom from 1; beyond these, the normal one."""

NORMAL: Final = 1.960


class Played(NamedTuple):
    """What one game says of one player."""

    name: str
    title: str
    unit: Unit
    cost: Fraction
    decisions: int
    mistakes: int
    luck: Fraction
    lost: int
    """Times that the whole game was given up, which is no matter of so many guesses."""


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
    """The interval of 95 %; ``None`` with a single game."""
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
    """What a review says of these seats; of all that decided something, if not told."""
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
    mean, half = interval(costs)
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
        cost=mean,
        low=None if half is None else max(0.0, mean - half),
        high=None if half is None else mean + half,
        luck=sum(float(game.luck) for game in games) / len(games),
        trend=trend,
        lost=sum(game.lost for game in games),
    )


FEW: Final = 6
"""With fewer games nothing is said of a trend."""


def interval(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean, and half of its interval of 95 %; ``None`` for a single value."""
    n = len(values)
    mean = sum(values) / n
    if n == 1:
        return mean, None
    spread = sqrt(sum((value - mean) ** 2 for value in values) / (n - 1))
    t = T95[n - 2] if n - 2 < len(T95) else NORMAL
    return mean, t * spread / sqrt(n)
