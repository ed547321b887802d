"""Durable lines of sessions (`page`): the Croupier's journal, and the Player's notes.

In the Croupier's store each session is a log, named by the hash of its terms, and chained like a
transcript. His untold seeds lie in the vault beside it.

The Player has one private file for each session, to which lines are only added. Each line is on the
disk before its message leaves the program. A last line that was cut off by a crash was never sent.
The file stays when the session is closed: it holds all hands.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import short_name
from fairground.bank.croupier_port import UnknownGame
from fairground.bank.crypto.seed_cipher import SeedCipher
from fairground.bank.messages import Domain, Signer
from fairground.bank.player.notes import PRIVATE_FILE, PRIVATE_FOLDER, locked, sync_folder
from fairground.bank.record import CHAIRS
from fairground.bank.seeds import SEED_IDS
from fairground.bank.session.page import STOPPED, Line, SessionPage
from fairground.core import FairgroundError, InputError, Unreadable, whole, written
from fairground.fair.schemes import Chair
from fairground.store import Append, Conflict, Secret, Store
from fairground.transcript import NO_LINE, canonical, check_chain, line_hash

KIND: Final = "croupier-session"


def unknown(name: bytes) -> UnknownGame:
    """Return the error for an unknown session."""
    return UnknownGame(f"the Croupier knows of no session {name.hex()}")


class _Kept(NamedTuple):
    """A page in memory, and where its log ends."""

    page: SessionPage
    lines: int
    head: str


class SessionJournal:
    """The Croupier's lines in the store, written before he acts.

    Several servers may write: one that finds new lines reads the page again.
    """

    def __init__(
        self,
        store: Store,
        domain: Domain,
        croupier: str,
        cipher: SeedCipher | None = None,
        chairs: Sequence[Chair] = CHAIRS,
    ) -> None:
        """Without a ``cipher`` seeds are stored in plain text."""
        self._cipher = cipher
        self._store, self._domain, self._croupier = store, domain, croupier
        self._chairs = chairs
        self._kept: dict[bytes, _Kept] = {}
        self._foreign: set[str] = set()
        """Sessions at another Bank, in the same store."""

    async def page(self, name: bytes) -> SessionPage:
        """Return the page of a session; raise `UnknownGame` if it is none of his."""
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
        found = stored.secrets
        if self._cipher is not None:
            found = tuple(self._cipher.decrypt(stored.log, one) for one in found)
        secrets = {one.name: one.secret.decode() for one in found}
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
        """Write a new session with its first line; an older log of the same name stays."""
        if await self._store.read(_log(page.name)) is not None:
            return
        chain, bank = self._place
        data = canonical({"prev": NO_LINE, "chain": chain, "bank": bank, **line}) + b"\n"
        await self._store.commit(Append(_log(page.name), 0, (data,), KIND))
        self._kept[page.name] = _Kept(page, 1, line_hash(data))

    async def add(self, page: SessionPage, *lines: Line) -> None:
        """Turn the page by these lines, and commit them; raise `Conflict` if others wrote."""
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
            if self._cipher is not None:
                secrets = [self._cipher.encrypt(log, secret) for secret in secrets]
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
        """Return the names of the sessions that are not closed, the oldest first."""
        logs = await self._store.logs(KIND, open_only=True)
        return [bytes.fromhex(log.removeprefix(PREFIX)) for log in logs if log not in self._foreign]

    async def has_hands(self, short: bytes) -> bool:
        """Return whether a hand was played in the session that the Bank knows by this short name.

        (The Bank forgets the number of hands when it closes a session.)
        """
        for log in await self._store.logs(KIND):
            name = bytes.fromhex(log.removeprefix(PREFIX))
            if short_name(name) == short:
                page = await self.page(name)
                if page.closed:
                    self._forget(name)
                return page.signed.state.hands > 0
        return False


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


class SessionNotes:
    """Notes in memory only: for a Bank that ends with this program."""

    def open(self, page: SessionPage, line: Line) -> None:
        """A new session, with its first line; durable on return."""

    def write(self, page: SessionPage, lines: Sequence[Line]) -> None:
        """More lines; durable on return."""

    def pages(self, domain: Domain) -> Iterator[SessionPage]:
        """The sessions at this Bank that are not closed."""
        yield from ()

    def close(self) -> None:
        """Let others have them."""


class FileNotes(SessionNotes):
    """Notes in private files of one folder, for one program at a time."""

    def __init__(self, folder: Path, chairs: Sequence[Chair] = CHAIRS) -> None:
        self._folder, self._chairs = folder, chairs
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)
            self._lock = locked(folder / "lock")
        except OSError as error:
            raise InputError(f"cannot keep notes in {str(folder)!r}: {error.strerror}") from None

    def _path(self, page: SessionPage) -> Path:
        return self._folder / f"{page.name.hex()}.session"

    def open(self, page: SessionPage, line: Line) -> None:
        place = {"chain": written(page.domain.chain_id), "bank": page.domain.bank}
        self._append(page, [{**place, **line}])

    def write(self, page: SessionPage, lines: Sequence[Line]) -> None:
        self._append(page, lines)

    def _append(self, page: SessionPage, lines: Sequence[Line]) -> None:
        path = self._path(page)
        fresh = not path.exists()
        data = b"".join(canonical(line) + b"\n" for line in lines)
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
            try:
                os.write(file, data)
                os.fsync(file)
            finally:
                os.close(file)
            if fresh:
                sync_folder(self._folder)
        except OSError as error:
            raise InputError(
                f"the notes of the session cannot be written to {str(path)!r}: {error.strerror}"
            ) from None

    def pages(self, domain: Domain) -> Iterator[SessionPage]:
        for path in sorted(self._folder.glob("*.session")):
            lines = self._read(path)
            if not lines or lines[-1]["kind"] == "closed":
                continue
            first = lines[0]
            if Domain(whole(first["chain"], "chain"), str(first["bank"])) == domain:
                yield SessionPage.read(domain, Signer.PLAYER, lines, self._chairs)

    def _read(self, path: Path) -> list[dict[str, Any]]:
        try:
            data = path.read_bytes()
            whole_lines = data[: data.rfind(b"\n") + 1]
            if len(whole_lines) < len(data):
                os.truncate(path, len(whole_lines))
            return [json.loads(line) for line in whole_lines.splitlines()]
        except (OSError, ValueError, KeyError, TypeError, FairgroundError) as error:
            raise Unreadable(
                f"the notes of an open session cannot be read: {str(path)!r} ({error}). Without "
                "them what is in the session cannot be claimed; move the file away to play on"
            ) from None

    def close(self) -> None:
        os.close(self._lock)
