"""Company at an arena: what is listed, an open seat, another game together, and the news of it all.

    >>> for row in tables(arena, state="open"):                   # doctest: +SKIP
    ...     print(row["id"], row["words"])
    >>> seat = sit_down(arena, row["id"], "Ada", lends="chain")   # doctest: +SKIP
    >>> play(seat, "optimal")                                     # doctest: +SKIP
    >>> for news in follow(arena, [f"table:{name}", "lobby"]):    # doctest: +SKIP
    ...     print(news.kind, news.data)

`fairground.clients.table` plays the seat. A stream of news goes on after a break, behind the last
message that arrived: no line of a table is lost, none comes twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin

import httpx

from fairground.clients.http import (
    PAUSE,
    TRIES,
    Http,
    Refused,
    Repeat,
    Unreachable,
    read_json,
    streamed,
)
from fairground.clients.protocol import EVENTS

SILENCE: Final = 60.0
"""Seconds without a sign of life after which a connection counts as broken."""

LONGEST: Final = 10_000_000
"""Bytes of a line of a stream."""


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


# News


class Told(NamedTuple):
    """A message of a stream."""

    kind: str
    data: dict[str, Any]
    cursor: str
    """How far the stream was then: `follow` can go on from here in another program."""


def follow(
    arena: str,
    topics: Sequence[str],
    *,
    after: str = "-",
    sender: Http | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> Generator[Told, None, None]:
    """The messages of a stream about these topics, for as long as you want them."""
    cursor, silent = after, 0
    asked = {"topics": list(topics), "after": cursor}
    url = _ticket(arena, asked, sender or Http())
    while silent <= TRIES:
        why = "the stream ends at once"
        try:
            for told in _messages(url, cursor):
                cursor, silent = told.cursor, 0
                yield told
        except Refused as refused:
            if refused.status != 404:  # 404: the ticket has expired
                raise
            url = _ticket(arena, asked | {"after": cursor}, sender or Http())
        except Unreachable as broken:
            why = str(broken)
        silent += 1
        pause(PAUSE * 2**silent)
    raise Unreachable(f"{arena} does not answer any more: {why}")


def _ticket(arena: str, asked: dict[str, Any], sender: Http) -> str:
    made = sender.post(f"{arena.rstrip('/')}/events", asked)
    return urljoin(arena, str(made["stream"]))


def _messages(url: str, cursor: str) -> Iterator[Told]:
    """What comes by one connection."""
    headers = {"Accept": EVENTS, "Last-Event-ID": cursor}
    with streamed("GET", url, headers=headers, timeout=SILENCE) as answer:
        if answer.status_code != httpx.codes.OK:
            about = f"the arena answers {answer.status_code}"
            raise Refused(answer.status_code, "remote/refused", about)
        fields: dict[str, str] = {}
        for text in _lines(answer):
            name, _, value = text.partition(": ")
            if name:
                fields[name] = value
            else:
                if "data" in fields:
                    yield Told(fields["event"], read_json(fields["data"].encode()), fields["id"])
                fields = {}


def _lines(answer: httpx.Response) -> Iterator[str]:
    """The lines of a stream, each up to `LONGEST` bytes."""
    rest = b""
    for piece in answer.iter_raw():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.decode()
        if len(rest) > LONGEST:
            raise Unreachable(f"a line of the stream has more than {LONGEST:,} bytes")
