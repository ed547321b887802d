"""Finding company at an arena: what is listed, an open seat, another game together.

    >>> for row in tables(arena, state="open"):                   # doctest: +SKIP
    ...     print(row["id"], row["words"])
    >>> seat = sit_down(arena, row["id"], "Ada", lends="chain")   # doctest: +SKIP
    >>> play(seat, "optimal")                                     # doctest: +SKIP

`fairground.clients.table` plays the seat.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fairground.clients.http import Http, Repeat, Unreachable


def tables(
    arena: str, *, state: str = "open,playing", game: str | None = None, http: Http | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of all listed tables in one of these states, newest first."""
    only = "" if game is None else f"&game={game}"
    return _pages(f"{arena.rstrip('/')}/tables?state={state}{only}", "tables", http or Http())


def contests(
    arena: str, *, state: str = "running", http: Http | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of all contests in one of these states, newest first."""
    return _pages(f"{arena.rstrip('/')}/contests?state={state}", "contests", http or Http())


def _pages(url: str, member: str, http: Http) -> Iterator[dict[str, Any]]:
    after: int | None = 0
    while after is not None:
        page = http.get(f"{url}&after={after}")
        rows, after = page.get(member), page.get("next")
        if not isinstance(rows, list) or not isinstance(after, int | None):
            raise Unreachable(f"this is no list of {member}: {str(page)[:100]}")
        yield from rows


def sit_down(
    arena: str,
    table: str,
    name: str,
    *,
    lends: str = "nothing",
    seat: int | None = None,
    http: Http | None = None,
) -> str:
    """Take an open seat of a table; its private address, which nobody is told again."""
    wanted = {"name": name, "lends": lends} | ({} if seat is None else {"seat": seat})
    url = f"{arena.rstrip('/')}/tables/{table}/seats"
    return str((http or Http()).post(url, wanted, repeat=Repeat.UNCOUNTED)["url"])


def hint(seat: str, http: Http | None = None) -> dict[str, Any]:
    """Advice on the move that a seat is asked for; the record says that it was asked for."""
    return (http or Http()).post(f"{seat}/hint", {})


def remark(seat: str, text: str, http: Http | None = None) -> None:
    """Say something, for the record."""
    (http or Http()).send("POST", f"{seat}/remark", {"text": text}, repeat=Repeat.UNCOUNTED)


def rematch(seat: str, http: Http | None = None) -> str:
    """Play the same game again: the private address of our seat in it.

    It begins when all people of the first game have asked for it.
    """
    made = (http or Http()).post(f"{seat}/rematch", {})
    return next(str(one["url"]) for one in made["seats"] if one.get("url"))
