"""The ledger Bank over HTTP: a wallet of somebody else's, problems, lost answers, liars."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from eth_account.messages import encode_typed_data
from litestar import Litestar, get
from litestar.testing import TestClient

from fairground.bank.bank_port import BankAway, DepositFunds, WithdrawFunds
from fairground.bank.calls import Envelope, event_as_json
from fairground.bank.ledger.bank import LedgerClient
from fairground.bank.ledger.lines import FAUCET_CHIPS, read_ledger
from fairground.bank.messages import Domain
from fairground.bank.signatures import Signature, keccak
from fairground.clients.http import Http
from fairground.core import InputError
from fairground.server.app import make_app
from fairground.server.croupier.opened import ArenaCroupier, CroupierPlace
from tests.helpers.arena import in_a_thread
from tests.helpers.bank_game import Round, enter
from tests.helpers.bank_laws import CROUPIER, PLAYER, STRANGER
from tests.helpers.banks import Clock

Client = TestClient[Litestar]
CHIP = 10**15
Asgi = Callable[[Any, Any, Any], Awaitable[None]]


def arena(folder: Path) -> Litestar:
    return make_app(
        f"sqlite:///{folder}/arena.db", croupier=ArenaCroupier(CroupierPlace(), clock=Clock())
    )


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with TestClient(arena(tmp_path)) as client:
        yield client


def problem(answer: Any, status: int, code: str) -> Any:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json")
    body = answer.json()
    assert (body["status"], body["code"]) == (status, code)
    return body


def sealed(client: Client, number: int, call: Any) -> dict[str, Any]:
    domain = Domain(0, client.get("/bank").json()["bank"])
    return Envelope.sealed(PLAYER, domain, number, call).as_json()


def test_any_wallet_can_make_a_call(client: Client) -> None:
    """Everything by hand: the call's JSON, the EIP-712 message, and eth-account's signature."""
    about = client.get("/bank").json()
    assert about["chain"] == 0
    assert about["trusted"].startswith("operator trusted")
    assert "Play money" in about["notice"]
    wallet = Account.from_key(PLAYER.export())
    given = client.post("/bank/faucet", json={"owner": wallet.address, "amount": 5000})
    assert given.json()["purse"] == 5000

    signable = encode_typed_data(
        domain_data={
            "name": "Fairground Bank",
            "version": "1",
            "chainId": 0,
            "verifyingContract": about["bank"],
        },
        message_types={
            "LedgerCall": [
                {"name": "sender", "type": "address"},
                {"name": "number", "type": "uint256"},
                {"name": "call", "type": "bytes32"},
            ]
        },
        message_data={
            "sender": wallet.address,
            "number": given.json()["next_number"],
            "call": keccak(b'{"amount":1234,"call":"depositFunds"}'),
        },
    )
    signed = wallet.sign_message(signable)
    body = {
        "sender": wallet.address,
        "number": 0,
        "call": {"call": "depositFunds", "amount": 1234},
        "signature": Signature(signed.v, signed.r, signed.s).hex(),
        "remark": "members that nobody knows are ignored",
    }
    for _ in range(2):
        answer = client.post("/bank/calls", json=body)
        assert answer.status_code == 200, answer.text
        event = {"event": "FundsDeposited", "owner": wallet.address, "amount": 1234}
        assert answer.json() == {"events": [event]}
    assert client.get(f"/bank/accounts/{wallet.address.lower()}").json() == {
        "owner": wallet.address,
        "available": 1234,
        "open_games": 0,
        "key": "0x" + "00" * 20,
        "purse": 5000 - 1234,
        "next_number": 1,
    }


def test_a_refusal_has_the_contracts_name_and_values(client: Client) -> None:
    body = sealed(client, 0, WithdrawFunds(10**20))
    for _ in range(2):
        told = problem(client.post("/bank/calls", json=body), 409, "bank/refused")
        assert told["refusal"] == "InsufficientFunds"
        assert told["values"] == [PLAYER.address, 0, str(10**20)]
        assert "InsufficientFunds" in told["detail"]
    told = problem(
        client.post("/bank/calls", json=sealed(client, 0, DepositFunds(1))), 409, "bank/refused"
    )
    assert (told["refusal"], told["values"]) == ("WrongNumber", [1])
    much = {"owner": PLAYER.address, "amount": str(FAUCET_CHIPS * CHIP + 1)}
    told = problem(client.post("/bank/faucet", json=much), 409, "bank/refused")
    assert told["refusal"] == "FaucetEmpty"


def test_what_is_malformed_or_forged_is_refused_in_words(client: Client) -> None:
    good = sealed(client, 0, DepositFunds(1))
    told = problem(client.post("/bank/calls", json=good | {"number": 1}), 422, "bank/bad-signature")
    assert PLAYER.address in told["detail"]
    bad: list[tuple[dict[str, Any], str]] = [
        (good | {"sender": "me"}, "sender must be 40 hex digits behind 0x, not 'me'"),
        (good | {"number": "7"}, "not '7'"),
        (good | {"number": -1}, "not -1"),
        (good | {"call": {"call": "steal"}}, "no call is named 'steal'"),
        (good | {"signature": "ab"}, "130 lower-case hex digits"),
    ]
    for body, words in bad:
        told = problem(client.post("/bank/calls", json=body), 422, "bank/malformed")
        assert words in told["detail"]
    problem(client.post("/bank/calls", json=good | {"number": 1.5}), 400, "arena/malformed")
    for path in ("accounts/me", "games/" + "0" * 63, "games/no/events", "next/me/you"):
        problem(client.get(f"/bank/{path}"), 422, "bank/malformed")
    for owner, amount in (("me", 1), (PLAYER.address, -1), (PLAYER.address, str(2**256))):
        body = {"owner": owner, "amount": amount}
        problem(client.post("/bank/faucet", json=body), 422, "bank/malformed")
    problem(client.get("/bank/ledger?after=-1"), 400, "arena/malformed")


def test_an_arena_without_a_bank_says_so(tmp_path: Path) -> None:
    with TestClient(make_app(f"sqlite:///{tmp_path}/arena.db")) as client:
        problem(client.get("/bank"), 404, "arena/unknown")


# The client


@asynccontextmanager
async def with_client(app: Any) -> AsyncIterator[LedgerClient]:
    with in_a_thread(app) as url:
        bank = await LedgerClient.open(url, Http(pause=lambda _: None))
        await bank.faucet(PLAYER.address, 1_000 * CHIP)
        yield bank


async def test_anyone_can_audit_the_ledger(tmp_path: Path) -> None:
    app = arena(tmp_path)

    async with with_client(app) as bank:
        await bank.faucet(CROUPIER.address, 40_000 * CHIP)
        await enter(bank, CROUPIER, 40_000 * CHIP)
        await enter(bank, PLAYER, 1_000 * CHIP)
        game = await Round.new(bank, CROUPIER, PLAYER)
        await game.take(bank, 7)
        found = Http().send("GET", f"{bank.url}/ledger?after=0").data.splitlines(keepends=True)
        ledger = read_ledger(found)
        assert ledger.books.domain == bank.domain
        for key in (CROUPIER, PLAYER):
            assert ledger.books.account(key.address) == await bank.account(key.address)
        assert (
            Http().send("GET", f"{bank.url}/ledger?after={len(found) - 2}").data.splitlines(True)
            == (found[-2:])
        )
        told = Http().get(f"{bank.url}/games/{game.bet.key.hex()}/events")["events"]
        assert told == list(map(event_as_json, await bank.told(game.bet.key)))
        assert len(told) == 7


class Losing:
    """A gateway that forwards a call, and then answers something else in place of the arena."""

    def __init__(self, app: Any, status: int) -> None:
        self._app, self._status = app, status
        self.losses = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] != "/bank/calls" or not self.losses:
            await self._app(scope, receive, send)
            return
        self.losses -= 1

        async def swallow(message: Any) -> None:
            pass

        await self._app(scope, receive, swallow)
        await send({"type": "http.response.start", "status": self._status, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def test_a_lost_answer_is_asked_for_again(tmp_path: Path) -> None:
    gateway = Losing(arena(tmp_path), 503)

    async with with_client(gateway) as bank:
        gateway.losses = 2
        (event,) = await bank.send(PLAYER, DepositFunds(7))
        assert event.values == {"owner": PLAYER.address, "amount": 7}
        assert (await bank.account(PLAYER.address)).available == 7


async def test_after_bank_away_an_equal_call_stands_for_the_one_that_went_astray(
    tmp_path: Path,
) -> None:
    gateway = Losing(arena(tmp_path), 504)

    async with with_client(gateway) as bank:
        gateway.losses = 1
        with pytest.raises(BankAway):
            await bank.send(PLAYER, DepositFunds(7))
        assert await bank.send(PLAYER, DepositFunds(7))
        assert (await bank.account(PLAYER.address)).available == 7
        gateway.losses = 1
        with pytest.raises(BankAway):
            await bank.send(PLAYER, DepositFunds(5))
        assert await bank.send(PLAYER, DepositFunds(1))
        assert (await bank.account(PLAYER.address)).available == 13, "another call is another"


async def test_one_key_in_two_programs(tmp_path: Path) -> None:
    async with with_client(arena(tmp_path)) as bank:
        other = await LedgerClient.open(bank.url.removesuffix("/bank"))
        for _ in range(5):
            await asyncio.gather(
                bank.send(PLAYER, DepositFunds(1)), other.send(PLAYER, DepositFunds(10))
            )
        assert (await bank.account(PLAYER.address)).available == 55


def test_nothing_is_signed_for_a_ledger_that_claims_to_be_on_a_chain() -> None:
    said: dict[str, Any] = {"chain": 1, "bank": STRANGER.address, "chip_cost": 1, "step_time": 60}

    @get("/bank")
    async def lie() -> dict[str, Any]:
        return said

    async def run(url: str) -> None:
        with pytest.raises(InputError, match="claims to be on the chain 1"):
            await LedgerClient.open(url)
        for nonsense in ({"chain": 0}, {"chain": 0, "bank": "?"}):
            said.clear()
            said.update(nonsense)
            with pytest.raises(BankAway, match="does not answer as a Bank in a ledger does"):
                await LedgerClient.open(url)

    with in_a_thread(Litestar([lie], logging_config=None)) as url:
        asyncio.run(run(url))
    with pytest.raises(BankAway, match="does not answer"):
        asyncio.run(LedgerClient.open(url, Http(tries=1)))
