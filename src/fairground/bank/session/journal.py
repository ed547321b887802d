"""Where a Croupier writes down his sessions: in memory, or durably in a store.

In a store each session is a log, named by the hash of its terms, with the lines of `page`,
chained like a transcript. His seeds lie in the vault beside it until they are told.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from fairground.bank.croupier_port import UnknownGame
from fairground.bank.messages import Domain, Signer
from fairground.bank.record import CHAIRS
from fairground.bank.seeds import SEED_IDS
from fairground.bank.session.page import STOPPED, Line, SessionPage
from fairground.core import written
from fairground.fair.schemes import Chair
from fairground.store import Append, Conflict, Secret, Store
from fairground.transcript import NO_LINE, canonical, check_chain, line_hash

KIND: Final = "croupier-session"


def unknown(name: bytes) -> UnknownGame:
    """There is no such session."""
    return UnknownGame(f"the Croupier knows of no session {name.hex()}")


class SessionJournal(ABC):
    """What a Croupier writes before he acts. `add` is durable when it returns."""

    @abstractmethod
    async def page(self, name: bytes) -> SessionPage:
        """What is written of a session; raise `UnknownGame` if it is none of his."""

    @abstractmethod
    async def open(self, page: SessionPage, line: Line) -> None:
        """A new session, with its first line; an older page of the same name stays."""

    @abstractmethod
    async def add(self, page: SessionPage, *lines: Line) -> None:
        """Turn the page by these lines, and keep them; raise `Conflict` if others wrote."""

    @abstractmethod
    async def open_sessions(self) -> Sequence[bytes]:
        """The sessions that are not closed, the oldest first."""


class MemoryJournal(SessionJournal):
    """For a Bank that ends with this program."""

    def __init__(self) -> None:
        self._pages: dict[bytes, SessionPage] = {}

    async def page(self, name: bytes) -> SessionPage:
        """The page itself."""
        if name not in self._pages:
            raise unknown(name)
        return self._pages[name]

    async def open(self, page: SessionPage, line: Line) -> None:
        """Keep the page."""
        self._pages.setdefault(page.name, page)

    async def add(self, page: SessionPage, *lines: Line) -> None:
        """Turn it."""
        for line in lines:
            page.turn(line)

    async def open_sessions(self) -> Sequence[bytes]:
        """Those that are not closed."""
        return [name for name, page in self._pages.items() if not page.closed]


class _Kept(NamedTuple):
    """A page in memory, and where its log ends."""

    page: SessionPage
    lines: int
    head: str


class StoreJournal(SessionJournal):
    """In the arena's store. Several workers may write: who finds new lines reads again."""

    def __init__(
        self, store: Store, domain: Domain, croupier: str, chairs: Sequence[Chair] = CHAIRS
    ) -> None:
        self._store, self._domain, self._croupier = store, domain, croupier
        self._chairs = chairs
        self._kept: dict[bytes, _Kept] = {}
        self._foreign: set[str] = set()
        """Sessions at another Bank, in the same store."""

    async def page(self, name: bytes) -> SessionPage:
        """The page as it is in the store now."""
        kept = self._kept.get(name)
        if kept is not None and not await self._store.lines(_log(name), kept.lines, 1):
            return kept.page
        return await self._read(name)

    async def _read(self, name: bytes) -> SessionPage:
        stored = await self._store.read(_log(name))
        if stored is None or stored.kind != KIND:
            raise unknown(name)
        lines: list[dict[str, Any]] = [dict(line) for line in check_chain(stored.lines)]
        first = lines[0]
        if (first["chain"], first["bank"]) != self._place or not self._is_his(first):
            self._foreign.add(stored.log)
            raise unknown(name)
        secrets = {one.name: one.secret.decode() for one in stored.secrets}
        for number, line in enumerate(lines):
            if line["kind"] == "seeds":
                line["seeds"] = [secrets[_secret(number, seed_id)] for seed_id in SEED_IDS]
        known = self._kept.get(name)
        if known is not None and known.lines >= len(lines):
            return known.page  # somebody else has read it meanwhile: there is one page, not two
        page = SessionPage.read(self._domain, Signer.CROUPIER, lines, self._chairs)
        self._kept[name] = _Kept(page, len(lines), line_hash(stored.lines[-1]))
        return page

    @property
    def _place(self) -> tuple[int | str, str]:
        return written(self._domain.chain_id), self._domain.bank

    def _is_his(self, first: dict[str, Any]) -> bool:
        return bool(first["terms"]["croupier"] == self._croupier)

    def _forget(self, name: bytes) -> None:
        self._kept.pop(name, None)

    async def open(self, page: SessionPage, line: Line) -> None:
        """A new log; an older one of the same name stays."""
        if await self._store.read(_log(page.name)) is not None:
            return
        chain, bank = self._place
        data = canonical({"prev": NO_LINE, "chain": chain, "bank": bank, **line}) + b"\n"
        await self._store.commit(Append(_log(page.name), 0, (data,), KIND))
        self._kept[page.name] = _Kept(page, 1, line_hash(data))

    async def add(self, page: SessionPage, *lines: Line) -> None:
        """One commit for all of them; seeds go into the vault."""
        known = self._kept.get(page.name)
        if known is None or known.page is not page:
            raise Conflict("this page was read before somebody wrote on it: read it again")
        _, number, head = known
        written_down: list[bytes] = []
        secrets: list[Secret] = []
        try:
            for line in lines:
                page.turn(line)
                kept = {key: value for key, value in line.items() if key != "seeds"}
                data = canonical({"prev": head, **kept}) + b"\n"
                for seed_id, seed in enumerate(line.get("seeds", ())):
                    name = _secret(number + len(written_down), seed_id)
                    secrets.append(Secret(name, seed.encode(), line_hash(data)))
                written_down.append(data)
                head = line_hash(data)
            log, closed = _log(page.name), page.closed
            await self._store.commit(
                Append(log, number, tuple(written_down), closed=closed, secrets=tuple(secrets))
            )
        except BaseException:
            self._forget(page.name)  # what is in memory is not what is in the store
            raise
        self._kept[page.name] = _Kept(page, number + len(written_down), head)
        if page.closed:
            self._forget(page.name)

    async def open_sessions(self) -> Sequence[bytes]:
        """By their logs."""
        logs = await self._store.logs(KIND, open_only=True)
        return [bytes.fromhex(log.removeprefix(PREFIX)) for log in logs if log not in self._foreign]


PREFIX: Final = "session-"


async def stop_open_sessions(store: Store) -> int:
    """After a restore: no session that was open in the copy is played on; how many there were."""
    stopped = 0
    for log in await store.logs(KIND, open_only=True):
        stored = await store.read(log)
        assert stored is not None
        if any(event["kind"] == "stopped" for event in check_chain(stored.lines)):
            continue
        line = canonical({"prev": line_hash(stored.lines[-1]), **STOPPED}) + b"\n"
        await store.commit(Append(log, len(stored.lines), (line,)))
        stopped += 1
    return stopped


def _log(name: bytes) -> str:
    return PREFIX + name.hex()


def _secret(line: int, seed_id: int) -> str:
    return f"seed.{line}.{seed_id}"
