"""The Croupier of an arena: over HTTP, killed in the middle, at two servers; his options."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from fairground.bank.bank_port import GameOutcome
from fairground.bank.calls import Envelope, from_json
from fairground.bank.croupier.client import DeskClient
from fairground.bank.croupier.croupier import Croupier
from fairground.bank.croupier.journal import kept_key
from fairground.bank.croupier_port import (
    MESSAGES,
    STAGES,
    Closed,
    Declined,
    SaidOtherwise,
    TooSoon,
    UnknownGame,
)
from fairground.bank.ledger.bank import LedgerBank, LedgerClient
from fairground.bank.ledger.lines import FAUCET_CHIPS
from fairground.bank.messages import Bet, Domain, Key, SessionState, SessionTerms, must_be_signed
from fairground.bank.player.game import Side
from fairground.bank.player.notes import Notebook
from fairground.bank.player.player import PlayerClient
from fairground.bank.signatures import BadSignature
from fairground.cli import main
from fairground.clients.http import Http, Refused, Unreachable
from fairground.clients.table import follow
from fairground.server.app import make_app
from fairground.server.croupier.opened import ArenaCroupier, CroupierPlace
from fairground.server.croupier.wire import BetIn, SessionTermsIn, StateIn
from fairground.server.openapi import ANSWERS, BODIES
from fairground.store import open_store
from fairground.verifier import verify
from tests.helpers.arena import Process, in_a_thread
from tests.helpers.croupier import ORDER, STANDS, Guest, prize
from tests.helpers.width import WIDE

CHIP = 10**15
PURSE = 1_000 * CHIP
ONCE = Http(tries=1)
DEADLINE = 60

T = TypeVar("T")


class Visit:
    """A guest at an arena, who knows nothing but its address."""

    def __init__(self, url: str, bank: LedgerClient, guest: Guest) -> None:
        self.url, self.bank, self.guest = url, bank, guest
        self.desk = DeskClient(url)

    @classmethod
    async def at(cls, url: str, number: int = 0) -> Visit:
        bank = await LedgerClient.open(url)
        return cls(url, bank, Guest(bank, number))

    async def arrive(self) -> None:
        await self.bank.faucet(self.guest.address, PURSE)
        await self.guest.enter(self.bank, PURSE)

    async def wealth(self) -> int:
        return (await self.bank.account(self.guest.address)).available

    async def play(self, order: Sequence[int], stage: str = "over", offer: Any = None) -> Any:
        """On, until the Croupier waits for this."""
        offer = offer or await self.desk.offer(self.guest.address)
        bet = self.guest.bet_on(offer)
        while (sight := await self.guest.say_next(self.desk, offer, bet, order)).stage != stage:
            await asyncio.sleep(0.005)
        return offer, bet, sight


def run(test: Awaitable[T]) -> T:
    async def limited() -> T:
        return await asyncio.wait_for(test, DEADLINE)

    return asyncio.run(limited())


def test_a_player_who_trusts_nobody_plays_over_http(tmp_path: Path) -> None:
    """The Player's client, the Bank's and the desk's, against a live arena."""

    async def test(url: str) -> None:
        bank, desk = await LedgerClient.open(url), DeskClient(f"{url}/croupier")
        about = await desk.about()
        assert (about.domain, about.terms) == (bank.domain, bank.terms)
        assert "operator trusted" in about.trusted and about.confirmations == 0
        key = Key(7001)
        await bank.faucet(key.address, PURSE)
        player = PlayerClient(Side(bank, desk, key, Notebook(), lambda news: None))
        await player.sit_down()
        await player.fund(2, 4, PURSE)
        for order in (ORDER, STANDS):
            before = await player.available()
            game = await player.bet(2, 4)
            await game.deal()
            await game.draw(order)
            ended = await game.settle()
            assert ended.outcome == GameOutcome.SETTLED
            assert await player.available() == before - 8 * CHIP + ended.paid

    app = make_app(f"sqlite:///{tmp_path}/arena.db", croupier=ArenaCroupier(CroupierPlace()))
    with in_a_thread(app) as url:
        run(test(url))


def test_a_game_is_waited_for_and_followed(tmp_path: Path) -> None:
    """Nobody has to ask again and again: ``after`` and ``wait``, and the one stream."""

    def waited(where: str) -> list[str]:
        """The stages that somebody sees who waits for the next one each time."""
        seen = ["offered"]
        while seen[-1] != "over":
            seen.append(ONCE.get(f"{where}?after={seen[-1]}&wait=20", wait=20)["stage"])
        return seen

    def followed(url: str, name: str) -> list[str]:
        stages: list[str] = []
        stream = follow(url, [f"croupier:{name}"])
        while not stages or stages[-1] != "over":
            stages.append(next(stream).data["stage"])
        stream.close()
        return stages

    async def test(url: str) -> None:
        visit = await Visit.at(url)
        await visit.arrive()
        offer = await visit.desk.offer(visit.guest.address)
        where = f"{url}/croupier/games/{offer.id}"
        waiting = asyncio.create_task(asyncio.to_thread(waited, where))
        following = asyncio.create_task(asyncio.to_thread(followed, url, offer.id))
        while not following.done():
            await visit.play(ORDER, offer=offer)
            await asyncio.sleep(0.005)
        for stages in (await waiting, await following):
            assert stages[-1] == "over" and len(stages) > 2
            assert [*stages] == sorted(set(stages), key=STAGES.index), "each once, in order"
        began = time.monotonic()
        assert ONCE.get(f"{where}?after=over&wait=0.2", wait=1)["stage"] == "over"
        assert time.monotonic() - began >= 0.2, "it waited, in vain"

    app = make_app(f"sqlite:///{tmp_path}/arena.db", croupier=ArenaCroupier(CroupierPlace()))
    with in_a_thread(app) as url:
        run(test(url))


def test_both_write_the_same_record_and_his_routes_refuse_clearly(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    database = f"sqlite:///{tmp_path}/arena.db"

    async def secrets(offer_id: str) -> list[str]:
        store = await open_store(database)
        stored = await store.read(offer_id)
        await store.close()
        assert stored is not None
        return [one.secret.decode() for one in stored.secrets]

    async def test(url: str) -> None:
        visit = await Visit.at(url)
        await visit.arrive()
        desk, guest = visit.desk, visit.guest
        offer = await desk.offer(guest.address)
        where = f"{url}/croupier/games/{offer.id}"
        for seed in await secrets(offer.id):
            assert seed[64:128] not in ONCE.send("GET", where).data.decode() + caplog.text
        bet = guest.bet_on(offer)
        wrong = bet._replace(level=1, chip_cost=2**70)
        with pytest.raises(Declined, match=f"chip_cost must be {CHIP}, not {2**70}"):
            await desk.bet(offer.id, wrong, guest.sign(wrong))
        with pytest.raises(TooSoon, match="no bet"):
            await desk.seed(offer.id, 0, guest.seeds[offer.id][0])
        with pytest.raises(Refused) as refusal:
            await desk.bet(offer.id, bet, Key(5).sign(visit.bank.domain, bet))
        assert (refusal.value.status, refusal.value.code) == (422, BadSignature.code)
        with pytest.raises(UnknownGame, match="'nobody'"):
            await desk.look("nobody")
        with pytest.raises(TooSoon, match="final hand"):
            await desk.transcript(offer.id)
        for path, body in {
            "seed": {"seed_id": 2, "seed": "00"},
            "order": {"order": [1, 2, 3], "signature": "00"},
            "bet": {"bet": {}, "signature": "00"},
        }.items():
            with pytest.raises(Refused) as refusal:
                ONCE.post(f"{where}/{path}", body)
            assert (refusal.value.status, refusal.value.code) == (400, "arena/malformed")

        _, _, sight = await visit.play(ORDER, offer=offer)
        transcript = await desk.transcript(offer.id)
        verdict = verify(transcript)
        assert verdict.ok and verdict.payoff is not None
        won = prize(bet, guest.final_hand(offer, bet, sight, ORDER))
        assert verdict.payoff[1] == won // CHIP - 5
        assert await visit.wealth() == PURSE - 5 * CHIP + won
        with pytest.raises(Closed):
            await desk.seed(offer.id, 0, guest.seeds[offer.id][0])
        other = bet._replace(bet=2)
        with pytest.raises(SaidOtherwise):
            await desk.bet(offer.id, other, guest.sign(other))

    with in_a_thread(make_app(database, croupier=ArenaCroupier(CroupierPlace()))) as url:
        run(test(url))


def test_bodies_have_the_fields_that_are_signed() -> None:
    for body, message in ((BetIn, Bet), (SessionTermsIn, SessionTerms), (StateIn, SessionState)):
        assert body.__struct_fields__ == message._fields


def test_the_examples_are_signed_by_their_parties() -> None:
    """They were written once, as a story of the keys 1 and 2: a reader may check them."""
    (bank,), (sent,) = ANSWERS["get_bank"].values(), BODIES["make_call"].values()
    domain = Domain(bank["chain"], bank["bank"])
    Envelope.from_json(sent).must_be_signed(domain)
    for route in ("place_bet", "bet_on_hand"):
        (said,) = BODIES[route].values()
        bet, signature = from_json(MESSAGES["bet"], said)
        must_be_signed(domain, bet, signature, bet.player_key)


def test_an_arena_without_a_croupier(tmp_path: Path) -> None:
    with in_a_thread(make_app(f"sqlite:///{tmp_path}/arena.db")) as url:
        for path in ("croupier", "bank", "croupier/games/x", "bank/ledger"):
            with pytest.raises(Refused, match="in this arena") as refusal:
                ONCE.get(f"{url}/{path}")
            assert refusal.value.status == 404


@pytest.mark.campaign
def test_schemathesis_finds_nothing(tmp_path: Path) -> None:
    """On his routes and the ledger's; what a game's rules decide is answered by 409 and 422."""
    settings = tmp_path / "schemathesis.toml"
    settings.write_text(
        "[checks.positive_data_acceptance]\n"
        'expected-statuses = ["2xx", "404", "409", "422"]\n'
        "[checks.negative_data_rejection]\n"
        'expected-statuses = ["400", "404", "406", "409", "413", "415", "422"]\n'
    )
    app = make_app(f"sqlite:///{tmp_path}/arena.db", croupier=ArenaCroupier(CroupierPlace()))
    with in_a_thread(app) as url:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "--config-file", settings),
                *("run", f"{url}/schema/openapi.json", "--no-color", "--checks", "all"),
                *("--generation-deterministic", "--continue-on-failure", "--warnings", "off"),
                *("--include-path-regex", "^/(croupier|bank)", "--max-examples", "3"),
                *("--phases", "examples,coverage,fuzzing" if WIDE else "examples,fuzzing"),
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
    assert done.returncode == 0, done.stdout[-10_000:] + done.stderr[-2_000:]
    assert "No issues found" in done.stdout


GOOD = {
    "account": Key(1).address,
    "key": Key(1).address,
    "chain": 0,
    "bank": Key(2).address,
    "chip_cost": 5,
    "step_time": 600,
    "trusted": "me",
    "confirmations": 0,
}


A_BET = from_json(MESSAGES["bet"], BODIES["bet_on_hand"]["one chip at level 5"])
SEED = BODIES["tell_seed"]["seed 0"]["seed"]


@pytest.mark.parametrize(
    ("answer", "call"),
    [
        ([], lambda desk: desk.about()),
        ({**GOOD, "account": "me"}, lambda desk: desk.about()),
        ({**GOOD, "chip_cost": -1}, lambda desk: desk.about()),
        ({"id": "../../bank", "commitments": []}, lambda desk: desk.offer(Key(3).address)),
        ({"stage": "dealt", "seeds": [None, None], "trouble": ""}, lambda desk: desk.look("x")),
        ({"stage": "over", "seeds": ["00", None], "trouble": ""}, lambda desk: desk.look("x")),
        ({"stage": "over", "seeds": [None], "trouble": ""}, lambda desk: desk.look("x")),
        ({"signature": None, "seed": SEED}, lambda desk: desk.sessions.bet(bytes(32), *A_BET)),
    ],
)
def test_what_is_no_croupier_is_found_out(
    answer: Any, call: Callable[[DeskClient], Awaitable[Any]]
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        while scope["type"] == "lifespan":
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(answer).encode()})

    async def test(url: str) -> None:
        with pytest.raises(Unreachable, match=r"answers as no Croupier does|no JSON object"):
            await call(DeskClient(url, ONCE))

    with in_a_thread(app) as url:
        run(test(url))


# As a process


def test_killed_in_the_middle_the_game_goes_on(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/arena.db"

    async def begin(url: str, stage: str, visit: Visit | None, offer: Any) -> tuple[Visit, Any]:
        if visit is None:
            visit = await Visit.at(url)
            await visit.arrive()
        visit.desk, visit.bank = DeskClient(url), await LedgerClient.open(url)
        offer, _, _ = await visit.play(ORDER, stage, offer)
        return visit, offer

    async def end(url: str, visit: Visit, offer: Any) -> None:
        visit.desk, visit.bank = DeskClient(url), await LedgerClient.open(url)
        _, bet, sight = await visit.play(ORDER, offer=offer)
        won = prize(bet, visit.guest.final_hand(offer, bet, sight, ORDER))
        assert await visit.wealth() == PURSE - 5 * CHIP + won
        assert verify(await visit.desk.transcript(offer.id)).ok

    visit, offer, accounts = None, None, set()
    for stage in ("offered", "awaits-order"):
        with Process(tmp_path, "--database", database) as arena:
            assert f"{arena.url}/croupier (at a ledger of play money)" in arena.printed
            accounts.add(ONCE.get(f"{arena.url}/croupier")["account"])
            visit, offer = run(begin(arena.url, stage, visit, offer))
            assert arena.end(signal.SIGKILL) == -signal.SIGKILL
    assert visit is not None
    with Process(tmp_path, "--database", database) as arena:
        accounts.add(ONCE.get(f"{arena.url}/croupier")["account"])
        run(end(arena.url, visit, offer))
        assert arena.end() == 0
    assert len(accounts) == 1, "he is the same after each restart"


@pytest.mark.parametrize("moment", range(12))
async def test_two_servers_bring_one_bankroll(
    moment: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever one of them overtakes the other, both are ready, and it is at the Bank once."""

    store = await open_store(f"sqlite:///{tmp_path}/arena.db")
    bank, key, asked = await LedgerBank.open(store), await kept_key(store), 0

    async def ready() -> None:
        bankroll = await bank.endow(key.address, FAUCET_CHIPS * bank.terms.chip_cost)
        async with Croupier(bank, key, store, bankroll=bankroll) as croupier:
            await croupier.prepare()

    def overtaken(ask: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def asking(*what: Any) -> Any:
            nonlocal asked
            asked += 1
            if asked == moment + 1:
                await ready()
            return await ask(*what)

        return asking

    for name in ("purse", "account", "issue", "send"):
        monkeypatch.setattr(bank, name, overtaken(getattr(bank, name)))
    await ready()
    account = await bank.account(key.address)
    assert account.available == FAUCET_CHIPS * CHIP and not await bank.purse(key.address)
    await bank.close()
    await store.close()


# Options


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--bank", "http://127.0.0.1:1"], "needs --bank-address, --croupier-key as well"),
        (["--confirmations", "3"], "--confirmations is for a Croupier on a chain"),
        (["--bankroll", "3"], "--bankroll is for a Croupier on a chain"),
        (["--no-croupier", "--bank", "http://x", "--bank-address", "0x", "--croupier-key", "k"],
         "which of the two?"),
        (["--bank", "http://x", "--bank-address", "0x12", "--croupier-key", "k"],
         "--bank-address must be 40 hex digits behind 0x, not '0x12'"),
        (["--bank", "http://x", "--bank-address", "0x" + 40 * "1", "--croupier-key", "nowhere"],
         "cannot read 'nowhere'"),
        (["--bank", "http://x", "--bank-address", "0x" + 40 * "1", "--croupier-key", "k",
          "--confirmations", "-1"], "confirmations are 0 to 1000"),
    ],
)  # fmt: skip
def test_options_that_cannot_work(
    capsys: pytest.CaptureFixture[str], options: list[str], reason: str
) -> None:
    assert main(["serve", *options]) == 2
    assert reason in capsys.readouterr().err
