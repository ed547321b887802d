"""The Croupier's durable memory: one log for each offer, and his seeds in the vault beside it.

The log of an offer is named by its id, and the game that comes of it has the same id.

He writes a line before he acts on it. After a crash at any instant he reads his journal, asks the
Bank, and continues. The lines of a game, chained like a transcript::

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
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from fairground.bank.bank_port import SILENT_AT, GameOutcome, Step
from fairground.bank.croupier_port import Closed, Offer, Sight, TooSoon, UnknownGame
from fairground.bank.crypto.seed_cipher import SeedCipher
from fairground.bank.crypto.signatures import Signature
from fairground.bank.ledger.lines import NO_CHAIN
from fairground.bank.messages import Bet, Domain, Key
from fairground.bank.record import GameRecord, Messages
from fairground.bank.schemes import public_of, read_public
from fairground.bank.seeds import Seed
from fairground.core import Fault, whole, written
from fairground.store import Append, Conflict, Secret, Store, Stored
from fairground.transcript import NO_LINE, Event, canonical, check_chain, line_hash, parse

KIND: Final = "croupier"
KEY: Final = "croupier-key"


LAPSED: Final = "LAPSED"
"""The end of a game that the Bank never had. All other ends are the Bank's outcomes."""

STOPPED: Final = (
    "this arena was restored from a copy, in which this game was open; its seeds may have been "
    "told since, so the Croupier tells no more of them"
)


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
        """Without the seeds: what is shown may be logged."""
        return f"Page({self.offer.id!r}, lines={self.lines}, told={self.told})"

    @property
    def final(self) -> bool:
        stands = self.order is not None and not any(self.order)
        return self.heard[0] is not None and (stands or self.heard[1] is not None)


class CroupierJournal:
    """The pages of one Croupier at one Bank. Others' in the same store are left alone."""

    def __init__(
        self, store: Store, domain: Domain, croupier: str, cipher: SeedCipher | None = None
    ) -> None:
        """Without a ``cipher`` seeds are stored in plain text."""
        self._store = store
        self._domain = domain
        self._croupier = croupier
        self._cipher = cipher
        self._foreign: set[str] = set()

    async def open(self, offer: Offer, seeds: tuple[Seed, Seed]) -> JournalPage:
        """Write down a new offer, with its seeds; only then may it be told."""
        line = _line(
            NO_LINE,
            "offered",
            chain=written(self._domain.chain_id),
            bank=self._domain.bank,
            croupier=offer.croupier,
            player=offer.player,
            croupier_key=offer.croupier_key,
            game_id=written(offer.game_id),
            commitments=[commitment.hex() for commitment in offer.commitments],
            expiry=written(offer.expiry),
        )
        secrets = tuple(
            Secret(_secret(seed_id), seed.hex().encode(), line_hash(line))
            for seed_id, seed in enumerate(seeds)
        )
        if self._cipher is not None:
            secrets = tuple(self._cipher.encrypt(offer.id, secret) for secret in secrets)
        await self._store.commit(Append(offer.id, 0, (line,), KIND, secrets=secrets))
        return JournalPage(self._domain, offer, seeds, 1, line_hash(line))

    async def page(self, offer_id: str) -> JournalPage:
        """Return the knowledge of a game; raise `UnknownGame` if it is none of this Croupier's."""
        stored = await self._store.read(offer_id)
        if stored is None or stored.kind != KIND:
            raise UnknownGame(f"the Croupier knows of no game {offer_id!r}")
        first = parse(stored.lines[0], 1)
        if _domain(first) != self._domain or first["croupier"] != self._croupier:
            self._foreign.add(offer_id)
            raise UnknownGame(f"the game {offer_id!r} is played at another Bank")
        if self._cipher is not None:
            decrypted = tuple(self._cipher.decrypt(offer_id, one) for one in stored.secrets)
            stored = stored._replace(secrets=decrypted)
        return read(stored)

    async def open_offers(self) -> Sequence[str]:
        """The offers whose games are not over, by their ids, the oldest first."""
        offer_ids = await self._store.logs(KIND, open_only=True)
        return [offer_id for offer_id in offer_ids if offer_id not in self._foreign]

    async def add(self, page: JournalPage, kind: str, **fields: Any) -> JournalPage:
        """Write one line, durably; raise `Conflict` if somebody else wrote meanwhile."""
        line = _line(page.head, kind, **fields)
        spent = ((_secret(fields["seed_id"]), page.head),) if kind == "told" else ()
        await self._store.commit(
            Append(page.offer.id, page.lines, (line,), closed=kind == "ended", spent=spent)
        )
        return _turned(page, parse(line, page.lines + 1), line)

    async def add_bet(self, page: JournalPage, bet: Bet, signature: Signature) -> JournalPage:
        """Write down a bet that he takes."""
        return await self.add(page, "bet", public=public_of(self._domain, bet, signature))


def seed_cipher(domain: Domain, key: Key) -> SeedCipher | None:
    """Return what encrypts a Croupier's seeds, or ``None`` at a Bank in a ledger.

    There his key lies in the same database, so encryption would protect nothing.
    """
    if domain.chain_id == NO_CHAIN:
        return None
    return SeedCipher(key)


async def stop_open_games(store: Store) -> int:
    """After a restore: he tells no more seeds in what was open in the copy; how many games.

    An offer that nobody had bet on is over: who knows its seeds by now could choose their own to
    fit them. A game at a chain goes on. The chain is no copy, and has its one order.
    """
    stopped = 0
    for log in await store.logs(KIND, open_only=True):
        stored = await store.read(log)
        assert stored is not None
        events = check_chain(stored.lines)
        kinds, head = {event["kind"] for event in events}, line_hash(stored.lines[-1])
        if "bet" not in kinds:
            line = _line(head, "ended", outcome=LAPSED, step=0, reason=STOPPED)
        elif _domain(events[0]).chain_id == NO_CHAIN and "stopped" not in kinds:
            line = _line(head, "stopped")
        else:
            continue
        await store.commit(Append(log, len(events), (line,), closed="bet" not in kinds))
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


def _secret(seed_id: int) -> str:
    return f"seed.{seed_id}"


def _line(head: str, kind: str, **fields: Any) -> bytes:
    return canonical({"kind": kind, "prev": head, **fields}) + b"\n"


def _domain(first: Event) -> Domain:
    return Domain(whole(first["chain"], "chain"), first["bank"])


def read(stored: Stored) -> JournalPage:
    """Read a log with decrypted seeds, following its chain; raise a `Fault` where it is broken."""
    first, *others = check_chain(stored.lines)
    secrets = {one.name: Seed.from_hex(one.secret.decode()) for one in stored.secrets}
    offer = Offer(
        stored.log,
        first["croupier"],
        first["player"],
        first["croupier_key"],
        whole(first["game_id"], "game_id"),
        (bytes.fromhex(first["commitments"][0]), bytes.fromhex(first["commitments"][1])),
        whole(first["expiry"], "expiry"),
    )
    seeds = secrets[_secret(0)], secrets[_secret(1)]
    page = JournalPage(_domain(first), offer, seeds, 1, line_hash(stored.lines[0]))
    for event, line in zip(others, stored.lines[1:], strict=True):
        page = _turned(page, event, line)
    return page


def _turned(page: JournalPage, event: Event, line: bytes) -> JournalPage:
    """The page with one more line on it."""
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


def recorded(page: JournalPage) -> GameRecord:
    """The transcript of a game: what the Bank has of it, or will have."""
    if page.ended is not None and page.ended.outcome == LAPSED:
        raise Closed(f"no game came about: {page.ended.reason}")
    if page.ended is None and not page.final:
        raise TooSoon("the transcript can be had when the final hand is known, or at the end")
    assert page.bet is not None
    assert page.signature is not None
    # Where another order than the one in the mail came to the Bank, its signature is there alone.
    order, signature = page.mail or (None, None)
    messages = Messages(
        page.seeds[0],
        page.heard[0],
        page.order,
        signature if order == page.order else None,
        page.seeds[1],
        page.heard[1],
    )
    step = Step.HAND_FINAL if page.ended is None else Step(page.ended.step)
    record = GameRecord(page.domain, page.bet, page.signature)
    record.follow(messages, step)
    if record.step < step:
        raise TooSoon("the Player's seed is at the Bank alone, which does not tell it now")
    if page.ended is not None and page.ended.outcome != GameOutcome.SETTLED.name:
        record.silent(SILENT_AT[step])
    return record
