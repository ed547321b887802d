"""A Croupier's journal of sessions in memory: for tests that are not about storing."""

from __future__ import annotations

from collections.abc import Sequence

from fairground.bank.bank_port import short_name
from fairground.bank.croupier.journal import SessionJournal
from fairground.bank.croupier_port import UnknownGame
from fairground.bank.session import Line, SessionPage


class MemoryJournal(SessionJournal):
    """Keeps the pages themselves."""

    def __init__(self) -> None:
        self._pages: dict[bytes, SessionPage] = {}

    async def page(self, name: bytes) -> SessionPage:
        if name not in self._pages:
            raise UnknownGame(f"the Croupier knows of no session {name.hex()}")
        return self._pages[name]

    async def open(self, page: SessionPage, line: Line) -> None:
        self._pages.setdefault(page.name, page)

    async def add(self, page: SessionPage, *lines: Line) -> None:
        for line in lines:
            page.turn(line)

    async def open_sessions(self) -> Sequence[bytes]:
        return [name for name, page in self._pages.items() if not page.closed]

    async def has_hands(self, short: bytes) -> bool:
        pages = self._pages.items()
        return any(short_name(name) == short and page.signed.state.hands for name, page in pages)
