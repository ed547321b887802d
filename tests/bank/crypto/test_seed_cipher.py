"""Seeds in a database are encrypted; Node's own cryptography reads and writes the same bytes."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import asyncpg
import pytest

from fairground.bank.chain.bank import ChainBank
from fairground.bank.croupier.croupier import Croupier, must_decrypt
from fairground.bank.croupier.journal import (
    CroupierJournal,
    SeedCipher,
    SeedsLocked,
    SessionJournal,
    seed_cipher,
    stop_open,
)
from fairground.bank.messages import Key
from fairground.bank.player.session import SessionPlayer
from fairground.bank.seeds import Seed
from fairground.cli import main
from fairground.server.serve import stop_what_was_open
from fairground.store import Secret, Store, open_store
from tests.helpers.anvil import open_bank
from tests.helpers.bank_game import enter
from tests.helpers.stores import new_database

CHIP = 10**12
HOUSE, PLAYER = Key(8101), Key(8102)
SECRET = Secret("seed.0", b"83cefdde", "ab" * 32)


def test_a_secret_comes_back_and_never_looks_the_same() -> None:
    cipher = SeedCipher(HOUSE)
    stored = [cipher.encrypt("a", SECRET) for _ in range(100)]
    assert {cipher.decrypt("a", one) for one in stored} == {SECRET}
    nonces = {one.secret[:12] for one in stored}
    assert len(nonces) == len(stored)
    assert not any(SECRET.secret in one.secret for one in stored)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda one: ("b", one),
        lambda one: ("a", one._replace(name="seed.1")),
        lambda one: ("a", one._replace(head="cd" * 32)),
        lambda one: ("a", SECRET),
        lambda one: ("a", one._replace(secret=b"")),
        lambda one: ("a", one._replace(secret=one.secret[:-1])),
        lambda one: ("a", one._replace(secret=bytes([one.secret[0] ^ 1]) + one.secret[1:])),
    ],
)
def test_it_opens_only_in_its_place_and_whole(
    spoil: Callable[[Secret], tuple[str, Secret]],
) -> None:
    cipher = SeedCipher(HOUSE)
    log, stored = spoil(cipher.encrypt("a", SECRET))
    with pytest.raises(SeedsLocked, match="does not open the seed"):
        cipher.decrypt(log, stored)


def test_another_key_does_not_open_it() -> None:
    with pytest.raises(SeedsLocked):
        SeedCipher(PLAYER).decrypt("a", SeedCipher(HOUSE).encrypt("a", SECRET))


NODE = """
const {hkdfSync, createCipheriv, createDecipheriv} = require("crypto");
const {key, place, stored, text} = JSON.parse(require("fs").readFileSync(0));
const derived = Buffer.from(
  hkdfSync("sha256", Buffer.from(key, "hex"), "", "fairground/croupier-seeds/1", 32));
const bytes = Buffer.from(stored, "hex");
const open = createDecipheriv("aes-256-gcm", derived, bytes.subarray(0, 12));
open.setAAD(Buffer.from(place));
open.setAuthTag(bytes.subarray(12, 28));
const read = Buffer.concat([open.update(bytes.subarray(28)), open.final()]).toString();
const nonce = Buffer.alloc(12, 7);
const seal = createCipheriv("aes-256-gcm", derived, nonce);
seal.setAAD(Buffer.from(place));
const sealed = Buffer.concat([seal.update(text), seal.final()]);
const written = Buffer.concat([nonce, seal.getAuthTag(), sealed]).toString("hex");
console.log(JSON.stringify({read, written}));
"""


def test_node_agrees() -> None:
    cipher = SeedCipher(HOUSE)
    asked = {
        "key": HOUSE.export().hex(),
        "place": f'["a", "seed.0", "{SECRET.head}"]',
        "stored": cipher.encrypt("a", SECRET).secret.hex(),
        "text": "another",
    }
    ran = subprocess.run(
        ["node", "-e", NODE], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    said = json.loads(ran.stdout)
    assert said["read"].encode() == SECRET.secret
    written = SECRET._replace(secret=bytes.fromhex(said["written"]))
    assert cipher.decrypt("a", written).secret == b"another"


# A Croupier on a chain


class Desk(NamedTuple):
    bank: ChainBank
    store: Store
    croupier: Croupier
    offer_id: str
    player: SessionPlayer

    async def seeds(self) -> list[Seed]:
        """All that he holds in secret: those of an offer, and of a session's next hand."""
        domain, cipher = self.bank.domain, seed_cipher(self.bank.domain, HOUSE)
        games = CroupierJournal(self.store, domain, HOUSE.address, cipher)
        sessions = SessionJournal(self.store, domain, HOUSE.address, cipher)
        page = await sessions.page(self.player.name)
        assert page.seeds is not None
        return [*(await games.page(self.offer_id)).seeds, *page.seeds]


@asynccontextmanager
async def at_the_desk(url: str) -> AsyncIterator[Desk]:
    bank = await open_bank({HOUSE.address: 10**20, PLAYER.address: 10**20}, chip_cost=CHIP)
    store = await open_store(url)
    try:
        croupier = Croupier(bank, HOUSE, store, bankroll=50_000 * CHIP)
        await croupier.prepare()
        offer = await croupier.offer(PLAYER.address)
        await enter(bank, PLAYER, 100 * CHIP)
        player = await SessionPlayer.open(bank, croupier.sessions, PLAYER, 100 * CHIP)
        await croupier.sessions.offer(player.name, 0)
        yield Desk(bank, store, croupier, offer.id, player)
    finally:
        await store.close()
        await bank.close()


async def everything_in(url: str) -> bytes:
    """All bytes that a reader of the database can see."""
    if url.startswith("sqlite"):
        folder = Path(url.removeprefix("sqlite:///")).parent
        return b"\n".join(file.read_bytes() for file in folder.iterdir())
    db = await asyncpg.connect(url)
    rows = [await db.fetch(f"SELECT * FROM {table}") for table in ("vault", "chunks", "memories")]
    await db.close()
    return b"\n".join(
        one if isinstance(one, bytes) else str(one).encode()
        for row in rows
        for r in row
        for one in r
    )


def shown(seeds: list[Seed], data: bytes) -> list[Seed]:
    """The seeds that occur in these bytes, as text or as bytes."""
    return [
        seed
        for seed in seeds
        if seed.hex().encode() in data
        or bytes.fromhex(seed.hex()) in data
        or seed.signature.words in data
        or seed.signature.hex().encode() in data
    ]


async def test_no_seed_is_in_the_database_in_plain_text(store_url: str) -> None:
    async with at_the_desk(store_url) as desk:
        seeds = await desk.seeds()
        assert len({seed.hex() for seed in seeds}) == 4
        data = await everything_in(store_url)
        assert b"commitments" in data, "the journal is readable; only its seeds are not"
        assert shown(seeds, data) == []
        await must_decrypt(desk.store, desk.bank.domain, HOUSE)


async def test_plain_seeds_of_an_older_version_are_refused(store_url: str) -> None:
    async with at_the_desk(store_url) as desk:
        domain = desk.bank.domain
        old = CroupierJournal(desk.store, domain, HOUSE.address)
        page = await CroupierJournal(
            desk.store, domain, HOUSE.address, seed_cipher(domain, HOUSE)
        ).page(desk.offer_id)
        await old.open(page.offer._replace(id="older"), page.seeds)
        with pytest.raises(SeedsLocked, match=r"'older'.*serve --database"):
            await must_decrypt(desk.store, domain, HOUSE)
        assert shown(list(page.seeds), await everything_in(store_url)), (
            "the search finds plain ones"
        )


async def test_so_are_those_of_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairground.bank.croupier.croupier.seed_cipher", lambda *_: None)

    async with at_the_desk(f"sqlite:///{tmp_path}/croupier.db") as desk:
        monkeypatch.undo()
        await stop_open(desk.store, CroupierJournal)  # which closes the offer
        with pytest.raises(SeedsLocked, match="'session-"):
            await must_decrypt(desk.store, desk.bank.domain, HOUSE)


async def test_a_croupier_with_another_key_leaves_them_alone(store_url: str) -> None:
    async with at_the_desk(store_url) as desk:
        await must_decrypt(desk.store, desk.bank.domain, PLAYER)


async def test_backup_and_restore_need_no_key(tmp_path: Path) -> None:
    url, copy = f"sqlite:///{tmp_path}/croupier.db", tmp_path / "copies" / "copy.db"
    again = f"sqlite:///{tmp_path}/again/croupier.db"
    copy.parent.mkdir()
    (tmp_path / "again").mkdir()

    async with at_the_desk(url) as desk:
        seeds = await desk.seeds()
        backup = ["backup", str(copy), "--database", url]
        assert await asyncio.to_thread(main, backup) == 0
        assert shown(seeds, copy.read_bytes()) == []
        restore = ["restore", str(copy), "--database", again]
        assert await asyncio.to_thread(main, restore) == 0
        store = await open_store(again)
        journal = CroupierJournal(
            store, desk.bank.domain, HOUSE.address, seed_cipher(desk.bank.domain, HOUSE)
        )
        page = await journal.page(desk.offer_id)
        assert page.seeds == tuple(seeds[:2])
        assert page.ended is not None, "nobody had bet on it"
        sessions = SessionJournal(
            store, desk.bank.domain, HOUSE.address, seed_cipher(desk.bank.domain, HOUSE)
        )
        assert (await sessions.page(desk.player.name)).stopped
        await store.close()


async def test_the_same_restore_on_postgresql(cluster: str) -> None:
    url = await asyncio.to_thread(new_database, cluster)

    async with at_the_desk(url):
        stopped = await stop_what_was_open(url)
        assert (stopped.hands, stopped.sessions) == (1, 1)
