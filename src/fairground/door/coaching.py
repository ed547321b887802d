"""What each decision of a game was worth, for programs and for the prompt of Python."""

from __future__ import annotations

from typing import Any

from fairground.coach import telling
from fairground.coach.chart import svg
from fairground.coach.page import html
from fairground.coach.reviewing import Review, SeatReview, Step
from fairground.coach.shape import as_json
from fairground.coach.sources import review_of
from fairground.core import Seat
from fairground.door.records import Source, bytes_of


class Coaching:
    """A reviewed game. Printed, it tells what mattered most."""

    def __init__(self, review: Review, seat: Seat | None = None) -> None:
        self.review = review
        self._readers = telling.readers(review) if seat is None else [seat]

    @property
    def seats(self) -> tuple[SeatReview, ...]:
        """Each seat's game in numbers: luck, cost, result."""
        return self.review.seats

    @property
    def steps(self) -> tuple[Step, ...]:
        """Everything that changed what the seats could expect, in order."""
        return self.review.steps

    def as_json(self) -> dict[str, Any]:
        """The review as ``fairground coach --json`` prints it."""
        return as_json(self.review)

    def svg(self) -> str:
        """The chart of the seat that is told, or of the first of them."""
        return svg(self.review, self._readers[0] if self._readers else 0)

    def html(self) -> str:
        """The review as one page."""
        return html(self.review, self._readers)

    def __str__(self) -> str:
        lines = [telling.title(self.review), self.review.ending]
        for seat in self._readers:
            lines += telling.summary(self.review, seat)
            lines += [telling.moment(step, self.review) for step in self.review.moments(seat)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{telling.title(self.review)}; {len(self.steps)} steps judged. print() tells them>"


def coach(source: Source, seat: Seat | str | None = None) -> Coaching:
    """Judge every decision of a game, and tell luck from skill.

    ``seat`` is a number or a name: whose game is told when the answer is printed.
    """
    review = review_of(bytes_of(source))
    return Coaching(review, None if seat is None else telling.seat_named(review, str(seat)))
