"""Queries that several routes share: a page of a list, and waiting for news."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from litestar.params import QueryParameter

from fairground.arena.http.problems import Malformed, quoted

MOST_ROWS: Final = 100
"""Of one page."""

LONGEST_WAIT: Final = 30.0
"""Seconds that an answer may wait for something to happen."""

Behind = Annotated[
    int, QueryParameter(name="after", ge=0, description="the `next` of the page before")
]
Limit = Annotated[
    int, QueryParameter(name="limit", ge=1, le=MOST_ROWS, description="so many at most")
]


Wait = Annotated[
    float,
    QueryParameter(
        name="wait",
        ge=0,
        le=LONGEST_WAIT,
        description="wait up to this many seconds for something behind `after`",
    ),
]


def read_states(text: str, possible: Sequence[str]) -> set[str]:
    """States with commas between them."""
    states = set(text.split(","))
    if odd := sorted(states - {*possible}):
        raise Malformed(f"state: one or more of {','.join(possible)}, not {quoted(odd[0])}")
    return states
