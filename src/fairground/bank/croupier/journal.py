"""The Croupier's durable memory: a log for each offer and each session, and his seeds in the vault.

He writes a line before he acts on it. After a crash at any instant he reads his journal, asks the
Bank, and continues. The log of an offer is named by its id, and the game that comes of it has the
same id. Its lines, chained like a transcript::

    offered   parties, game number, commitments, expiry    (his two seeds go into the vault)
    bet       the Player's signed bet, as it was received
    refused   the Bank did not take the bet, and why
    told      his seed 0 or 1 may go to the Bank from now on: noted as spent in the same commit
    brought   his seed 0 or 1 is at the Bank, for everybody to see: from now on he shows it, too
    heard     the Player's seed 0 or 1
    mail      the Player's signed order, as the Player told it to him
    ordered   the order that the Bank has; what was in the mail is only mail
    stopped   this is an older copy of the journal: he tells no more of his seeds
    ended     how; nothing follows, and the log is closed

No line holds a seed of his. A seed is read from the vault, and goes to the Bank only if the line
``told`` is there. His desk shows a seed only when the Bank has it. A Player who knew it before
could choose if he does not reach the Bank in time: let a bad hand lapse, or bring a good draw to
the Bank and take the penalty in place of a bad one.

`bank.session` lists the lines of a session. His untold seeds of a session are in the vault, too.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from Crypto.Cipher import AES
from Crypto.Hash import SHA256
from Crypto.Protocol.KDF import HKDF

from fairground.bank.bank_port import GameOutcome, Step, short_name
from fairground.bank.calls import as_json, from_json
from fairground.bank.croupier_port import MESSAGES, Closed, Offer, Sight, TooSoon, UnknownGame
from fairground.bank.hand import CHAIRS, LAPSED, STOPPED, Hand, HandEngine
from fairground.bank.ledger.lines import NO_CHAIN
from fairground.bank.messages import Bet, Domain, Key, Signer
from fairground.bank.schemes import read_public
from fairground.bank.seeds import SEED_IDS, Seed
from fairground.bank.session import Line, SessionPage
from fairground.bank.signatures import Signature
from fairground.core import Fault, InputError, whole, written
from fairground.fair.schemes import Chair
from fairground.store import Append, Conflict, Secret, Store, Stored
from fairground.transcript import NO_LINE, Event, canonical, check_chain, line_hash, parse

KIND: Final = "croupier"
KEY: Final = "croupier-key"


class End(NamedTuple):
    """The end of a game."""

    outcome: str
    """The Bank's word (`GameOutcome`), or `LAPSED`."""
    step: int
    """The last step that the Bank accepted."""
    reason: str
    """In words, if it was not settled."""


class JournalPage(NamedTuple):
    """The journal's knowledge of one game."""

    domain: Domain
    offer: Offer
    seeds: tuple[Seed, Seed]
    """His own. Secret, as far as they are not told."""
    lines: int
    head: str
    bet: Bet | None = None
    signature: Signature | None = None
    refused: str = ""
    told: int = 0
    """Number of his seeds that may go to the Bank."""
    brought: int = 0
    """Number of his seeds that the Bank has had."""
    heard: tuple[Seed | None, Seed | None] = (None, None)
    mail: tuple[tuple[int, ...], Signature] | None = None
    order: tuple[int, ...] | None = None
    stopped: bool = False
    """True in an older copy: seeds that are untold in it may have been told since."""
    ended: End | None = None

    def __repr__(self) -> str:
        return f"Page({self.offer.id!r}, lines={self.lines}, told={self.told})"

    @property
    def hand(self) -> Hand:
        """Return the messages that may go to the Bank: of his seeds those that he told.

        After seed 1 is told for one order, no other order may be brought.
        """
        assert self.bet is not None
        assert self.signature is not None
        first, second = (
            seed if self.told > seed_id else None for seed_id, seed in enumerate(self.seeds)
        )
        hand = Hand(self.bet, self.signature, his=(first, second), theirs=self.heard)
        order, signature = self.mail or (None, None)
        if self.told > 1 and order != self.order:
            return hand
        return hand._replace(order=order, order_signature=signature)

    @property
    def final(self) -> bool:
        stands = self.order is not None and not any(self.order)
        return self.heard[0] is not None and (stands or self.heard[1] is not None)


class _Journal:
    """The logs of one kind of one Croupier at one Bank. Others in the same store are left alone."""

    kind: str

    def __init__(
        self, store: Store, domain: Domain, croupier: str, cipher: SeedCipher | None = None
    ) -> None:
        """Without a ``cipher`` seeds are stored in plain text."""
        self._store, self._domain, self._croupier = store, domain, croupier
        self._cipher = cipher
        self._foreign: set[str] = set()

    async def open_logs(self) -> Sequence[str]:
        """Return the logs that are not closed, the oldest first."""
        logs = await self._store.logs(self.kind, open_only=True)
        return [log for log in logs if log not in self._foreign]

    async def _read(
        self, log: str, unknown: str, foreign: str = ""
    ) -> tuple[Stored, Sequence[Event]]:
        """Read a log with its seeds decrypted, following its chain.

        Raise `UnknownGame` with these words if there is none, or if it is of another Bank.
        """
        stored = await self._store.read(log)
        if stored is None or stored.kind != self.kind:
            raise UnknownGame(unknown)
        events = check_chain(stored.lines)
        whose = events[0].get("terms", events[0])["croupier"]
        if _domain(events[0]) != self._domain or whose != self._croupier:
            self._foreign.add(log)
            raise UnknownGame(foreign or unknown)
        if self._cipher is not None:
            secrets = tuple(self._cipher.decrypt(log, one) for one in stored.secrets)
            stored = stored._replace(secrets=secrets)
        return stored, events

    async def _commit(self, append: Append) -> None:
        if self._cipher is not None:
            secrets = tuple(self._cipher.encrypt(append.log, one) for one in append.secrets)
            append = append._replace(secrets=secrets)
        await self._store.commit(append)


class CroupierJournal(_Journal):
    """His single games."""

    kind = KIND

    async def open(self, offer: Offer, seeds: tuple[Seed, Seed]) -> JournalPage:
        """Write down a new offer, with its seeds; only then may it be told."""
        said = as_json(MESSAGES["offer"], offer[1:])
        line = _line(NO_LINE, "offered", **_place(self._domain), **said)
        secrets = tuple(
            Secret(_secret(seed_id), seed.hex().encode(), line_hash(line))
            for seed_id, seed in enumerate(seeds)
        )
        await self._commit(Append(offer.id, 0, (line,), KIND, secrets=secrets))
        return JournalPage(self._domain, offer, seeds, 1, line_hash(line))

    async def page(self, offer_id: str) -> JournalPage:
        """Return the knowledge of a game; raise `UnknownGame` if it is none of this Croupier's."""
        unknown = f"the Croupier knows of no game {offer_id!r}"
        foreign = f"the game {offer_id!r} is played at another Bank"
        return _page(*await self._read(offer_id, unknown, foreign))

    async def add(self, page: JournalPage, kind: str, **fields: Any) -> JournalPage:
        """Write one line, durably; raise `Conflict` if somebody else wrote meanwhile."""
        line = _line(page.head, kind, **fields)
        spent = ((_secret(fields["seed_id"]), page.head),) if kind == "told" else ()
        await self._commit(
            Append(page.offer.id, page.lines, (line,), closed=kind == "ended", spent=spent)
        )
        return _turned(page, parse(line, page.lines + 1), line)


class _Kept(NamedTuple):
    """A session's page in memory, and where its log ends."""

    page: SessionPage
    lines: int
    head: str


class SessionJournal(_Journal):
    """His sessions. Several servers may write: one that finds new lines reads the page again."""

    kind = "croupier-session"

    def __init__(
        self,
        store: Store,
        domain: Domain,
        croupier: str,
        cipher: SeedCipher | None = None,
        chairs: Sequence[Chair] = CHAIRS,
    ) -> None:
        super().__init__(store, domain, croupier, cipher)
        self._chairs = chairs
        self._kept: dict[bytes, _Kept] = {}

    async def page(self, name: bytes) -> SessionPage:
        """Return the page of a session; raise `UnknownGame` if it is none of his."""
        kept = self._kept.get(name)
        if kept is not None and not await self._store.lines(_log(name), kept.lines, 1):
            return kept.page
        unknown = f"the Croupier knows of no session {name.hex()}"
        stored, events = await self._read(_log(name), unknown)
        lines: list[dict[str, Any]] = [dict(line) for line in events]
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

    async def open(self, page: SessionPage, line: Line) -> None:
        """Write a new session with its first line; an older log of the same name stays."""
        if await self._store.read(_log(page.name)) is not None:
            return
        data = _line(NO_LINE, **_place(self._domain), **line)
        await self._commit(Append(_log(page.name), 0, (data,), self.kind))
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
                public = {key: value for key, value in line.items() if key != "seeds"}
                written_down.append(_line(head, **public))
                head = line_hash(written_down[-1])
                for seed_id, seed in enumerate(line.get("seeds", ())):
                    name = _secret(number + len(written_down) - 1, seed_id)
                    secrets.append(Secret(name, seed.encode(), head))
            log, data, seeds = _log(page.name), tuple(written_down), tuple(secrets)
            await self._commit(Append(log, number, data, closed=page.closed, secrets=seeds))
        except BaseException:
            self._kept.pop(page.name, None)  # what is in memory is not what is in the store
            raise
        self._kept[page.name] = _Kept(page, number + len(written_down), head)
        if page.closed:
            del self._kept[page.name]

    async def open_sessions(self) -> Sequence[bytes]:
        """Return the names of the sessions that are not closed, the oldest first."""
        return [_name(log) for log in await self.open_logs()]

    async def has_hands(self, short: bytes) -> bool:
        """Return whether a hand was played in the session that the Bank knows by this short name.

        (The Bank forgets the number of hands when it closes a session.)
        """
        for name in map(_name, await self._store.logs(self.kind)):
            if short_name(name) == short:
                page = await self.page(name)
                if page.closed:
                    self._kept.pop(name, None)
                return page.signed.state.hands > 0
        return False


def _log(name: bytes) -> str:
    return f"session-{name.hex()}"


def _name(log: str) -> bytes:
    return bytes.fromhex(log.removeprefix("session-"))


# Seeds in a database are encrypted: AES-256-GCM
#
# The encryption key comes from the private key of his account (HKDF-SHA256). That key lies in a
# key file under a passphrase, so a reader of the database needs the key file *and* the
# passphrase. A new passphrase for the same key file changes nothing here.
#
# Each seed has a fresh nonce, and is bound to its place: the log, its name there, and the line
# that it was made for. A seed that was moved to another place does not decrypt.


PURPOSE: Final = b"fairground/croupier-seeds/1"
_KEY_BYTES: Final = 32
_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16


class SeedsLocked(InputError):
    """Seeds in a database that this Croupier's key does not open."""

    code = "bank/seeds-locked"


class SeedCipher:
    """Encrypts and decrypts the secrets of one Croupier."""

    def __init__(self, key: Key) -> None:
        self._account = key.address
        derived = HKDF(key.export(), _KEY_BYTES, b"", SHA256, context=PURPOSE)
        assert isinstance(derived, bytes), "one key, not several"
        self._key = derived

    def encrypt(self, log: str, secret: Secret) -> Secret:
        """Return the secret as it is stored: nonce, tag, ciphertext."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        cipher = AES.new(self._key, AES.MODE_GCM, nonce=nonce, mac_len=_TAG_BYTES)
        cipher.update(_bound_to(log, secret))
        text, tag = cipher.encrypt_and_digest(secret.secret)
        return secret._replace(secret=nonce + tag + text)

    def decrypt(self, log: str, stored: Secret) -> Secret:
        """Return a stored secret in plain text; raise `SeedsLocked` if it is not ours."""
        nonce, tag, text = _parts(stored.secret)
        try:
            cipher = AES.new(self._key, AES.MODE_GCM, nonce=nonce, mac_len=_TAG_BYTES)
            cipher.update(_bound_to(log, stored))
            return stored._replace(secret=cipher.decrypt_and_verify(text, tag))
        except ValueError:
            raise SeedsLocked(
                f"the key of {self._account} does not open the seed {stored.name!r} of {log!r} in "
                "the database: it was stored by an older Fairground without encryption, or it was "
                "changed. Start with a new database: fairground serve --database sqlite:///new.db"
            ) from None


def _bound_to(log: str, secret: Secret) -> bytes:
    return json.dumps([log, secret.name, secret.head]).encode()


def _parts(stored: bytes) -> tuple[bytes, bytes, bytes]:
    behind = _NONCE_BYTES + _TAG_BYTES
    return stored[:_NONCE_BYTES], stored[_NONCE_BYTES:behind], stored[behind:]


def seed_cipher(domain: Domain, key: Key) -> SeedCipher | None:
    """Return what encrypts a Croupier's seeds, or ``None`` at a Bank in a ledger.

    There his key lies in the same database, so encryption would protect nothing.
    """
    return None if domain.chain_id == NO_CHAIN else SeedCipher(key)


async def stop_open(store: Store, journal: type[CroupierJournal | SessionJournal]) -> int:
    """After a restore, tell no more seeds in games that were open in the copy; return how many.

    An offer that nobody had bet on is over: who knows its seeds by now could choose their own to
    fit them. A game at a chain goes on. The chain is no copy, and has its one order.
    """
    stopped = 0
    for log in await store.logs(journal.kind, open_only=True):
        stored = await store.read(log)
        assert stored is not None
        events = check_chain(stored.lines)
        kinds, head = {event["kind"] for event in events}, line_hash(stored.lines[-1])
        single = journal is CroupierJournal
        unused = single and "bet" not in kinds
        if unused:
            line = _line(head, "ended", outcome=LAPSED, step=0, reason=STOPPED)
        elif "stopped" in kinds or (single and _domain(events[0]).chain_id != NO_CHAIN):
            continue
        else:
            line = _line(head, "stopped")
        await store.commit(Append(log, len(events), (line,), closed=unused))
        stopped += 1
    return stopped


async def kept_key(store: Store) -> Key:
    """The key of this store's own Croupier: made once, kept in the vault, told to nobody."""
    stored = await store.read(KEY)
    if stored is None:
        key = Key.fresh()
        line = _line(NO_LINE, "key", address=key.address)
        secret = Secret("key", key.export(), line_hash(line))
        with contextlib.suppress(Conflict):  # another worker was faster: then it is theirs
            await store.commit(Append(KEY, 0, (line,), KEY, closed=True, secrets=(secret,)))
            return key
        stored = await store.read(KEY)
    assert stored is not None
    return Key(int.from_bytes(stored.secrets[0].secret, "big"))


# Lines and pages


def _secret(*place: int) -> str:
    return ".".join(map(str, ("seed", *place)))


def _line(head: str, kind: str, **fields: Any) -> bytes:
    return canonical({"kind": kind, "prev": head, **fields}) + b"\n"


def _place(domain: Domain) -> dict[str, Any]:
    return {"chain": written(domain.chain_id), "bank": domain.bank}


def _domain(first: Event) -> Domain:
    return Domain(whole(first["chain"], "chain"), first["bank"])


def _page(stored: Stored, events: Sequence[Event]) -> JournalPage:
    first, *others = events
    secrets = {one.name: Seed.from_hex(one.secret.decode()) for one in stored.secrets}
    offer = Offer(stored.log, *from_json(MESSAGES["offer"], first))
    seeds = secrets[_secret(0)], secrets[_secret(1)]
    page = JournalPage(_domain(first), offer, seeds, 1, line_hash(stored.lines[0]))
    for event, line in zip(others, stored.lines[1:], strict=True):
        page = _turned(page, event, line)
    return page


def _turned(page: JournalPage, event: Event, line: bytes) -> JournalPage:
    page = page._replace(lines=page.lines + 1, head=line_hash(line))
    match event["kind"]:
        case "bet":
            bet, signature = _bet(canonical(event["public"]))
            return page._replace(bet=bet, signature=signature)
        case "refused":
            return page._replace(refused=event["reason"])
        case "told":
            return page._replace(told=event["seed_id"] + 1)
        case "brought":
            return page._replace(brought=event.get("seed_id", 0) + 1)
        case "heard":
            seed = Seed.from_hex(event["seed"])
            first, second = page.heard
            return page._replace(heard=(first, seed) if event["seed_id"] else (seed, second))
        case "mail":
            return page._replace(
                mail=(tuple(event["order"]), Signature.from_hex(event["signature"]))
            )
        case "ordered":
            return page._replace(order=tuple(event["order"]))
        case "stopped":
            return page._replace(stopped=True)
        case "ended":
            return page._replace(ended=End(event["outcome"], event["step"], event["reason"]))
    raise Fault("journal/line", f"the journal has a line that we do not know: {event['kind']!r}")


@lru_cache(1000)
def _bet(public: bytes) -> tuple[Bet, Signature]:
    """A signed bet as the journal has it: its signature is checked once, not at each look."""
    _, bet, signature = read_public(json.loads(public))
    return bet, signature


# What he shows. It follows from the journal alone, so it is the same before and after a restart.


def sight(page: JournalPage, trouble: str = "") -> Sight:
    """A game as its Player may see it: no seed that is not told."""
    first, second = page.seeds
    reason = page.refused or (STOPPED if page.stopped else "")
    if page.ended is not None:
        reason = page.ended.reason
    return Sight(
        stage(page),
        (first if page.brought > 0 else None, second if page.brought > 1 else None),
        reason or trouble,
    )


def stage(page: JournalPage) -> str:
    """Return the stage of the game: one of `croupier_port.STAGES`."""
    if page.ended is not None or (page.refused and not page.told):
        return "over"
    if page.final:
        return "settling"
    if page.bet is None:
        return "offered"
    if not page.brought:
        return "bet-sent"
    if page.heard[0] is None:
        return "awaits-seed-0"
    if page.mail is None and page.order is None:
        return "awaits-order"
    return "order-sent" if page.brought == 1 else "awaits-seed-1"


def recorded(page: JournalPage) -> HandEngine:
    """Return the record of a game: what the Bank has of it, or will have."""
    ended = page.ended or End(GameOutcome.SETTLED.name, Step.HAND_FINAL, "")
    if ended.outcome == LAPSED:
        raise Closed(f"no game came about: {ended.reason}")
    if page.ended is None and not page.final:
        raise TooSoon("the transcript can be had when the final hand is known, or at the end")
    assert page.bet is not None
    assert page.signature is not None
    order, signature = page.mail or (None, None)
    known = page.hand._replace(his=page.seeds, order=order, order_signature=signature)
    engine = HandEngine(page.domain, page.bet, page.signature)
    engine.end_at(known, ended.step, page.order, GameOutcome[ended.outcome])
    if engine.step < ended.step:
        raise TooSoon("the Player's seed is at the Bank alone, which does not tell it now")
    return engine
