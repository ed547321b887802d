"""All contests of an arena, newest first."""

from __future__ import annotations

from collections.abc import Collection

from fairground.arena.contests.keeping import Contests
from fairground.arena.contests.live_book import KIND, LiveBook
from fairground.arena.contests.pages import part_of
from fairground.arena.contests.wire import CLOSED, RUNNING, ContestRow


class ContestLists:
    """The list of contests."""

    def __init__(self, contests: Contests) -> None:
        self._contests = contests
        self._closed: dict[str, ContestRow] = {}
        """Those that cannot change any more."""

    async def page(
        self, states: Collection[str], after: int, limit: int
    ) -> tuple[list[ContestRow], int | None]:
        """So many rows behind a place in the list (0: from its beginning), and the next place."""
        names = await self._contests.store.logs(KIND)
        found: list[ContestRow] = []
        last = min(after or len(names), len(names))
        for place in range(last - 1, -1, -1):
            row = await self._row(names[place])
            if row.state in states:
                if len(found) == limit:
                    return found, last
                found.append(row)
                last = place
        return found, None

    async def _row(self, name: str) -> ContestRow:
        if name in self._closed:
            return self._closed[name]
        row = await self._contests.look(name, _row)
        if row.state == CLOSED:
            self._closed[name] = row
        return row


def _row(live: LiveBook) -> ContestRow:
    book = live.book
    sizes = {(part.base, part.length) for part in book.parts}
    of = ", ".join(f"{base} digits, length {length}" for base, length in sorted(sizes)[:3])
    return ContestRow(
        live.name,
        f"{book.games:,} games of code breaking: {of}{' and more' if len(sizes) > 3 else ''}",
        CLOSED if book.closed else RUNNING,
        [part_of(part) for part in book.parts],
        book.commitment,
        book.closes,
        len(book.versions),
    )
