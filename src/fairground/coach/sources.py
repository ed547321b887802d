"""From transcripts to reviews: run them again through the referee, then judge them."""

from __future__ import annotations

from typing import Any

from fairground.coach.judging import Judge
from fairground.coach.reviewing import Review, review
from fairground.core import Fault
from fairground.fair.register import SCHEMES, Schemes
from fairground.games import GAMES, Games
from fairground.replay import replay
from fairground.table import Table
from fairground.transcript import check_chain, parse, read


def review_of(
    data: bytes,
    judge: Judge[Any] | None = None,
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> Review:
    """Judge the game of a transcript; raises a `Fault` where the transcript does not hold."""
    return review(replayed(data, games=games, schemes=schemes), judge)


def replayed(data: bytes, *, games: Games = GAMES, schemes: Schemes = SCHEMES) -> Table:
    """The table of a transcript, run again; a line that was cut off is left out."""
    lines = read(data)
    if not lines[-1].endswith(b"\n"):
        lines.pop()
    return replay(lines, check_chain(lines), games=games, schemes=schemes)


def games_in(data: bytes) -> list[bytes]:
    """The transcripts in a file: one, or those of all games of a contest file."""
    lines = data.splitlines(keepends=True)
    heading = parse(lines[0], 1) if lines else {}
    if heading.get("kind") != "book":
        return [data]
    games = []
    at = 0
    while at < len(lines):
        heading = parse(lines[at], at + 1)
        many = heading.get("lines", 0)
        if type(many) is not int or not 0 <= many <= len(lines):
            raise Fault("contest/malformed", f"line {at + 1} counts no lines of the file", at + 1)
        if heading.get("kind") == "game":
            games.append(b"".join(lines[at + 1 : at + 1 + many]))
        at += 1 + many
    return games
