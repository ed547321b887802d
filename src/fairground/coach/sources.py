"""From a transcript to a review: run it again through the referee, then judge it."""

from __future__ import annotations

from typing import Any

from fairground.coach.judging import Judge
from fairground.coach.reviewing import Review, review
from fairground.fair.register import SCHEMES, Schemes
from fairground.games import GAMES, Games
from fairground.replay import replay
from fairground.transcript import check_chain, read


def review_of(
    data: bytes,
    judge: Judge[Any] | None = None,
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> Review:
    """Judge the game of a transcript; raises a `Fault` where the transcript does not hold."""
    lines = read(data)
    if not lines[-1].endswith(b"\n"):
        lines.pop()
    return review(replay(lines, check_chain(lines), games=games, schemes=schemes), judge)
