"""What clients have open at the same time: here, and by the word of the other workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping


class Holdings:
    """How many things of one kind each client has open."""

    def __init__(self) -> None:
        self._here: Counter[str] = Counter()
        self._elsewhere: dict[int, dict[str, int]] = {}
        """Worker → what clients have open there."""
        self._changed: set[str] | None = None
        """Clients of whom there are news; ``None``: nobody has ever asked for news."""

    def of(self, client: str) -> int:
        """What this client has open, at all workers."""
        there = (clients.get(client, 0) for clients in self._elsewhere.values())
        return self._here[client] + sum(there)

    def add(self, client: str, number: int) -> None:
        """It opens so many more here, or ends so many (a negative number)."""
        self._here[client] += number
        if not self._here[client]:
            del self._here[client]
        if self._changed is not None:
            self._changed.add(client)

    def here(self) -> dict[str, int]:
        """Everything that is open here."""
        return dict(self._here)

    def news(self) -> dict[str, int]:
        """What has changed here since the last call; at first: nothing."""
        changed, self._changed = self._changed, set()
        return {client: self._here[client] for client in changed or ()}

    def told(self, worker: int, news: Mapping[str, int]) -> None:
        """Another worker says what has changed there."""
        clients = self._elsewhere.setdefault(worker, {})
        for client, number in news.items():
            if number:
                clients[client] = number
            else:
                clients.pop(client, None)

    def gone(self, worker: int) -> None:
        """That worker is not there any more, and nothing is open at it."""
        self._elsewhere.pop(worker, None)
