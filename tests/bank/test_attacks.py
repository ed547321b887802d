"""Attacks on the people of the Blind Croupier that aim at their programs, not at the cards.

Each was tried because it might work; those that worked once are kept here, and fail now.
"""

from __future__ import annotations

import asyncio
import gc
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairground.bank.bank_port import BankAway, GameOutcome, Step, SubmitBet, SubmitCroupierSeed
from fairground.bank.croupier.client import MOST_LEFT, DeskClient
from fairground.bank.croupier.croupier import Croupier
from fairground.bank.croupier.service import CALL_TIME, SENDS, most_games
from fairground.bank.croupier_port import Busy
from fairground.bank.ledger.bank import LedgerClient
from fairground.bank.messages import Bet, Key
from fairground.bank.player.game import Suspicion
from fairground.bank.signatures import Signature
from fairground.clients.http import Http, Unreachable
from fairground.core import FairgroundError
from fairground.store.sqlite import SqliteStore
from tests.helpers.anvil import open_bank
from tests.helpers.croupier import BANKROLL, ORDER, PURSE, STEP_TIME
from tests.helpers.player import Crook, PlayersTable

Answer = Callable[[socket.socket], None]


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """A server on this machine that says to everybody whatever it likes."""
    over = threading.Event()

    def serve(client: socket.socket) -> None:
        with client, suppress(OSError):
            client.recv(65536)
            answer(client)

    def accept() -> None:
        while not over.is_set():
            with suppress(OSError):
                client, _ = server.accept()
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            over.set()
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            thread.join(10)


def said(body: bytes, status: str = "200 OK", header: str = "") -> Answer:
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{header}\r\n"
    return lambda client: client.sendall(head.encode("latin-1") + body)


def a_byte_at_a_time(client: socket.socket) -> None:
    """An answer that never ends, and never pauses long enough to count as silence."""
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while True:
        client.sendall(b" ")
        threading.Event().wait(0.01)


async def test_a_croupier_who_answers_for_ever_keeps_nobody_from_the_bank(
    table: PlayersTable,
) -> None:
    """The Player would have waited at his desk until the deadline had passed, and the stake."""

    class Drip(Crook):
        def __init__(self, table: PlayersTable, url: str) -> None:
            super().__init__(table.croupier)
            self._far = DeskClient(url, patience=0.02)

        async def around(self, name: str, said: tuple[Any, ...]) -> Any:
            is_far = name in ("seed", "order", "look")
            return await getattr(self._far if is_far else self.croupier, name)(*said)

    with answering(a_byte_at_a_time) as url:
        table.desk = Drip(table, url)
        began = table.house.clock.time
        _, game = await table.dealt()
        await game.draw(ORDER)
        ended = await game.settle()
        assert ended.outcome == GameOutcome.SETTLED
        assert table.house.clock.time - began < STEP_TIME
        reasons = " ".join(news.reason for news in table.told(Suspicion))
        assert "does not take seed 0" in reasons and "within 0.02 seconds" in reasons


def test_questions_that_he_leaves_open_do_not_pile_up() -> None:
    async def ask(url: str) -> None:
        desk = DeskClient(url, patience=0.02)
        for _ in range(MOST_LEFT):
            with pytest.raises(Unreachable, match="within"):
                await desk.look("x")
        with pytest.raises(Unreachable, match="answers none"):
            await desk.look("x")

    with answering(a_byte_at_a_time) as url:
        asyncio.run(asyncio.wait_for(ask(url), 60))


DEEP = b"[" * 200_000
"""JSON that no parser of ours goes to the ground of."""


@pytest.mark.parametrize(
    "answer",
    [
        said(DEEP),
        said(DEEP, "409 Conflict"),
        said(b"", "302 Found", "Location: http://[\r\n"),
        said(b"", "302 Found", "Location: http://\xff\xfe/\r\n"),
        said(b"zz\r\n", "409 Conflict", "Transfer-Encoding: chunked\r\n"),
        said(b'{"stage": "offered", "seeds": NaN, "trouble": ""}'),
    ],
)
@pytest.mark.filterwarnings("ignore:unclosed", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_nothing_that_a_croupier_answers_ends_the_players_program(answer: Answer) -> None:
    with answering(answer) as url:
        desk = DeskClient(url, Http(tries=1))
        with pytest.raises(FairgroundError) as caught:
            asyncio.run(desk.look("x"))
        assert str(caught.value).isprintable()
    gc.collect()  # urllib leaves the answer open whose redirection makes no sense


def test_his_words_do_not_rule_the_players_terminal() -> None:
    """An escape sequence could wipe an alarm off the screen, and write a balance over it."""
    trouble = (
        b'{"stage": "offered", "seeds": [null, null], "trouble": "\\u001b[2J\\u202eYou won\\r"}'
    )
    with answering(said(trouble)) as url:
        assert asyncio.run(DeskClient(url).look("x")).trouble == "[2J You won"
    problem = b'{"code": "croupier/busy", "detail": "\\u001b]0;x\\u0007\\nYou won"}'
    with (
        answering(said(problem, "409 Conflict")) as url,
        pytest.raises(FairgroundError, match=r"^\]0;x You won$"),
    ):
        asyncio.run(DeskClient(url).look("x"))


class Said(Http):
    """A ledger that answers one thing."""

    def __init__(self, body: Any) -> None:
        super().__init__()
        self._body = body

    def get(self, url: str, *, wait: float = 0) -> Any:
        return self._body


ABOUT = {"chain": 0, "bank": "0x" + 40 * "1", "chip_cost": 1000, "step_time": 600}
GAME = {"bet_hash": 64 * "0", "step": 3, "outcome": 0, "deadline": 0, "order": 0, "hand": 0}


@pytest.mark.parametrize(
    "lie",
    [{"step": 7}, {"outcome": 5}, {"order": 32}, {"hand": 2**40 - 1}, {"hand": str(2**70)}],
)
def test_a_ledger_that_speaks_of_games_that_cannot_be(lie: dict[str, Any]) -> None:
    bank = LedgerClient("http://127.0.0.1/bank", ABOUT, Said(GAME | lie))
    with pytest.raises(BankAway, match="not answer as a Bank"):
        asyncio.run(bank.game(bytes(32)))


def test_a_ledger_with_cards_or_terms_that_cannot_be() -> None:
    values = {"game": 64 * "0", "hand": 2**40 - 1, "rank": 0, "prize": 0}
    bank = LedgerClient(
        "http://127.0.0.1/bank", ABOUT, Said({"events": [{"event": "GameSettled"} | values]})
    )
    with pytest.raises(BankAway, match="five cards"):
        asyncio.run(bank.told(bytes(32)))
    with pytest.raises(BankAway, match="no Bank has such terms"):
        asyncio.run(LedgerClient.open("http://127.0.0.1", Said(ABOUT | {"chip_cost": 0})))


async def test_who_is_cut_off_from_the_bank_shows_no_hand(table: PlayersTable) -> None:
    """A Player who knew it would bring a good hand to the Bank, and let a bad one lapse."""
    made, croupier, guest = table.house, table.croupier, table.house.guest
    table.his_bank.lost = lambda call: isinstance(call, SubmitCroupierSeed)
    offer = await croupier.offer(guest.address)
    bet = guest.bet_on(offer)
    await croupier.bet(offer.id, bet, guest.sign(bet))
    for _ in range(3):
        await croupier.pump()
        sight = await croupier.look(offer.id)
        assert (sight.stage, sight.seeds) == ("bet-sent", (None, None))
        assert sight.trouble == "the call got lost"
    assert (await made.ledger.game(bet.key)).step == Step.BET_SUBMITTED
    made.clock.time += STEP_TIME + 1
    await croupier.pump()
    assert (await croupier.look(offer.id)).seeds == (None, None)
    assert await made.wealth() == (BANKROLL - bet.stake, PURSE + bet.stake)


async def test_seed_0_is_told_late_rather_than_never(table: PlayersTable) -> None:
    made, croupier, guest = table.house, table.croupier, table.house.guest
    for late in (0, 1):
        offer = await croupier.offer(guest.address)
        bet = guest.bet_on(offer)
        await made.ledger.send(made.key, SubmitBet(bet, guest.sign(bet)))
        made.clock.time += STEP_TIME - STEP_TIME // 4 + late
        # He was away until now, and finds the bet at the Bank.
        await croupier.bet(offer.id, bet, guest.sign(bet))
        await croupier.pump()
        assert (await made.ledger.game(bet.key)).step == (Step.CROUPIER_SEED_0_SUBMITTED)
        stored = await made.store.read(offer.id)
        assert stored is not None and stored.spent


async def test_on_a_chain_he_has_no_more_games_than_he_can_serve(tmp_path: Path) -> None:
    """Who could make him late with a hundred seeds at once would earn thirty stakes for each."""
    key = Key(6000)

    assert most_games(60) * CALL_TIME == SENDS * 60 // 2
    bank = await open_bank({key.address: 10**21}, step_time=60)
    store = await SqliteStore.open(f"sqlite:///{tmp_path}/croupier.db")
    croupier = Croupier(bank, key, store, bankroll=10**18)
    for number in range(most_games(60) // 2):
        await croupier.offer(Key(8000 + number).address)
    with pytest.raises(Busy, match="players with money"):
        await croupier.offer(Key(7999).address)
    await store.close()
    await bank.close()


async def test_a_stranger_cannot_take_the_offer_of_a_player_away(table: PlayersTable) -> None:
    """Anyone may ask in anyone's name; it cost the Player's client two minutes each time."""

    class Crowded(Crook):
        async def bet(self, offer_id: str, bet: Bet, signature: Signature) -> None:
            for _ in range(3):
                await self.croupier.offer(bet.player)  # a stranger, just before the bet arrives
            await self.croupier.bet(offer_id, bet, signature)

    table.desk = Crowded(table.croupier)
    _, game = await table.dealt()
    await game.draw(ORDER)
    assert (await game.settle()).outcome == GameOutcome.SETTLED
    assert not table.told(Suspicion)


async def test_a_slow_clock_at_the_bank_does_not_make_him_give_up(
    table: PlayersTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By his own clock he is late, by the Bank's he is not: silence would cost thirty stakes."""
    ours = 1000.0
    clock = SimpleNamespace(monotonic=lambda: ours)
    monkeypatch.setattr("fairground.bank.bank_port.time", clock)

    made, croupier, guest = table.house, table.croupier, table.house.guest
    offer = await croupier.offer(guest.address)
    bet = guest.bet_on(offer)
    table.his_bank.lost = lambda call: isinstance(call, SubmitCroupierSeed) and call.seed_id > 0
    while (await guest.say_next(croupier, offer, bet, ORDER)).stage != "order-sent":
        await croupier.pump()
    await croupier.pump()
    assert (await made.ledger.game(bet.key)).step == Step.ORDER_SUBMITTED
    ours += STEP_TIME + 1  # while the Bank's clock stands still
    table.his_bank.lost = lambda call: False
    while (await guest.say_next(croupier, offer, bet, ORDER)).stage != "over":
        await croupier.pump()
    assert (await made.ledger.game(bet.key)).outcome == GameOutcome.SETTLED


async def test_a_bet_that_lapsed_is_kept_in_mind_while_it_may_come_back(
    table: PlayersTable,
) -> None:
    """A chain that takes blocks back may take it after all; without its seeds it is lost."""
    table.his_bank.lost = lambda call: isinstance(call, SubmitBet)
    player = await table.player(confirmations=3)
    game = await player.bet(1, 5)
    await game.deal()
    assert game.ended is not None and game.ended.lapsed
    await player.balance()
    assert [note.signed for note in table.notebook.notes()] != []
    table.house.clock.time = game.bet.expiry + STEP_TIME + 1
    await player.balance()
    assert not list(table.notebook.notes())


async def test_a_page_of_his_journal_shows_no_seed(table: PlayersTable) -> None:
    croupier = table.croupier
    offer = await croupier.offer(table.key.address)
    page = await croupier._journal.page(offer.id)
    assert offer.id in repr(page)
    assert all(str(seed.signature.r) not in repr(page) for seed in page.seeds)
