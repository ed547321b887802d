"""Sessions with the Croupier of an arena: over HTTP, and after a restart."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from fairground.bank.audit import settled_session, verify_session
from fairground.bank.calls import THE_BET, THE_SESSION, THE_STATE
from fairground.bank.croupier.client import DeskClient, SessionDeskClient
from fairground.bank.croupier_port import Declined, SaidOtherwise, TooSoon, UnknownGame
from fairground.bank.ledger.bank import LedgerClient
from fairground.bank.messages import Bet, Domain, Key, ReplacementOrder, SessionTerms, Signer
from fairground.bank.player.notes import Notebook
from fairground.bank.player.session import SessionPlayer
from fairground.bank.seeds import fresh_seeds
from fairground.clients.http import Http, Refused
from fairground.core import InputError, written
from fairground.server.app import make_app
from fairground.server.croupier.opened import ArenaCroupier, CroupierPlace
from tests.helpers.arena import in_a_thread
from tests.helpers.bank_game import enter

CHIP = 10**15
FUNDS = 200 * CHIP
ORDER = (1, 0, 1, 1, 0)


class Guest:
    """A Player with a key, at an arena by its address."""

    def __init__(self, url: str, bank: LedgerClient, key: Key) -> None:
        self.url, self.bank, self.key = url, bank, key
        self.desk = SessionDeskClient(DeskClient(url))

    @classmethod
    async def at(cls, url: str, key: Key, money: int = 1_000 * CHIP) -> Guest:
        bank = await LedgerClient.open(url)
        await bank.faucet(key.address, money)
        await enter(bank, key, money)
        return cls(url, bank, key)

    async def sit(self, notes: Notebook | None = None) -> SessionPlayer:
        return await SessionPlayer.open(self.bank, self.desk, self.key, FUNDS, notes=notes)

    async def has(self) -> int:
        return (await self.bank.account(self.key.address)).available


def at_an_arena(folder: Path, *tests: Callable[[str], Awaitable[None]]) -> None:
    """Each test at an arena of its own, on one database: between them it is started again."""
    for test in tests:
        croupier = ArenaCroupier(CroupierPlace())
        app = make_app(f"sqlite:///{folder}/arena.db", croupier=croupier)
        with in_a_thread(app) as url:
            asyncio.run(asyncio.wait_for(test(url), 60))


def test_an_evening_over_http_is_settled_once(tmp_path: Path) -> None:
    async def test(url: str) -> None:
        guest = await Guest.at(url, Key(8001))
        player, won = await guest.sit(), 0
        assert Http().get(f"{url}/healthz")["croupier"]["open_sessions"] == 1
        for _ in range(6):
            await player.deal(1, 1)
            won += await player.draw(ORDER)
        sight = await guest.desk.look(player.name)
        assert (sight.state, sight.playing, sight.closed) == (player.signed.state, False, False)
        assert sight.croupier_signature == player.signed.croupier
        await player.close()
        assert await guest.has() == 1_000 * CHIP + won
        verdict = verify_session(player.record.data)
        assert (verdict.hands, verdict.share) == (6, FUNDS + won)

        async def opened(_: Domain) -> Any:
            return await LedgerClient.open(url)

        assert "after 6 hands" in await settled_session(player.record.data, opened)
        calls = Http().send("GET", f"{url}/bank/ledger").data.splitlines()
        named = [line for line in calls if b'"openSession"' in line or b'"closeSession"' in line]
        assert len(named) == 2, "the Bank was called twice for the whole evening"

    at_an_arena(tmp_path, test)


def test_both_are_started_again_in_the_middle_of_a_hand(tmp_path: Path) -> None:
    key, dealt = Key(8002), []

    async def begin(url: str) -> None:
        guest = await Guest.at(url, key)
        notes = Notebook(tmp_path / "notes")
        player = await guest.sit(notes)
        await player.deal(1, 1)
        await player.draw(ORDER)
        dealt.append(await player.deal(1, 5))
        notes.close()

    async def go_on(url: str) -> None:
        bank = await LedgerClient.open(url)
        notes = Notebook(tmp_path / "notes")
        (page,) = notes.pages(bank.domain)
        desk = SessionDeskClient(DeskClient(url))
        player = SessionPlayer(bank, desk, key, page, notes)
        assert await player.is_open()
        await player.go_on()
        assert player.cards == dealt[0], "the same hand"
        await player.draw(ORDER)
        await player.close()
        assert verify_session(player.record.data).hands == 2
        assert not list(notes.pages(bank.domain)), "nothing is open any more"
        notes.close()

    at_an_arena(tmp_path, begin, go_on)


def test_what_the_desk_refuses(tmp_path: Path) -> None:
    async def test(url: str) -> None:
        guest = await Guest.at(url, Key(8004))
        desk, domain = guest.desk, guest.bank.domain
        with pytest.raises(Declined, match="submit your public key"):
            await desk.session(Key(8005).address, FUNDS)
        with pytest.raises(Declined, match="less than"):
            await desk.session(guest.key.address, 10**24)
        with pytest.raises(UnknownGame):
            await desk.look(bytes(32))
        terms = await desk.session(guest.key.address, FUNDS)
        with pytest.raises(Refused, match="must be signed by") as refused:
            await desk.open(terms, Key(8005).sign(domain, terms))
        assert refused.value.code == "bank/bad-signature"
        dear = terms._replace(croupier_funds=terms.croupier_funds + 1)
        with pytest.raises(Declined, match="at the most"):
            await desk.open(dear, guest.key.sign(domain, dear))
        player = await guest.sit()
        with pytest.raises(SaidOtherwise, match="not closed"):
            await guest.sit()
        with pytest.raises(Declined, match="next hand is 0"):
            await desk.offer(player.name, 1)
        await player.deal(1, 1)
        hand = player.held().hand
        assert hand is not None
        with pytest.raises(TooSoon, match="not over"):
            state = player.signed.state._replace(hands=1)
            await desk.state(player.name, None, state, guest.key.sign(domain, state))
        order = guest.key.sign(domain, ReplacementOrder.of(hand.bet, ORDER))
        assert hand.his[0] is not None
        with pytest.raises(Refused, match="not what was committed") as refused:
            await desk.order(player.name, hand.his[0], ORDER, order)
        assert refused.value.code == "share/bad"
        await player.draw(ORDER)
        await player.close()

    at_an_arena(tmp_path, test)


NUMBERS: list[Any] = [-1, 0, 1, 6, 11, 255, 256, 2**53 - 1, 2**53, str(2**53), str(10**77), "1e9"]
NUMBERS += [str(2**255 - 1), str(2**256 - 1), str(2**256), str(10**78), 1.5, True, None, "", [1]]


def test_no_number_in_a_body_is_our_mistake(tmp_path: Path) -> None:
    """Every numeric field of every body, at its edges: refused with a text, or taken."""

    async def test(url: str) -> None:
        guest = await Guest.at(url, Key(8006))
        domain, key = guest.bank.domain, guest.key
        terms = await guest.desk.session(key.address, FUNDS)
        player = await guest.sit()
        await player.deal(1, 1)
        hand = player.page.hand
        assert hand is not None and player.page.seeds is not None
        seed = player.page.seeds[0].hex()
        state = player.signed.state
        here = f"croupier/sessions/{player.name.hex()}"
        ordered = key.sign(domain, ReplacementOrder.of(hand.bet, ORDER)).hex()
        bodies: list[tuple[str, dict[str, Any], list[list[Any]]]] = [
            (
                "croupier/sessions",
                {"player": key.address, "funds": written(FUNDS)},
                [["funds"]],
            ),
            (
                f"{here}/open",
                {
                    "terms": THE_SESSION.write(terms),
                    "signature": key.sign(domain, terms).hex(),
                },
                [["terms", name] for name in ("number", "player_funds", "croupier_funds")]
                + [["terms", "expiry"]],
            ),
            (f"{here}/offer", {"hand": 0}, [["hand"]]),
            (
                f"{here}/bet",
                {"bet": THE_BET.write(hand.bet), "signature": key.sign(domain, hand.bet).hex()},
                [["bet", name] for name in ("bet", "level", "chip_cost", "game_id", "expiry")],
            ),
            (
                f"{here}/order",
                {"seed": seed, "order": list(ORDER), "signature": ordered},
                [["order"], ["order", 0]],
            ),
            (
                f"{here}/state",
                {
                    "seed": None,
                    "state": THE_STATE.write(state),
                    "signature": key.sign(domain, state).hex(),
                },
                [["state", name] for name in ("hands", "player_share", "last")],
            ),
        ]
        tried = 0
        for where, body, fields in bodies:
            for field in fields:
                for number in NUMBERS:
                    if field == ["order"] or (field == ["order", 0] and number == 0):
                        continue  # an order is given once; the test needs the hand open
                    changed = copy.deepcopy(body)
                    inside: Any = changed
                    for name in field[:-1]:
                        inside = inside[name]
                    inside[field[-1]] = number
                    there = where
                    if where.endswith("/open") and (read := _readable(changed["terms"])):
                        there = f"croupier/sessions/{read.struct_hash().hex()}/open"
                        changed["signature"] = key.sign(domain, read).hex()
                    if where.endswith("/bet") and (bet := _bet(changed["bet"])) is not None:
                        changed["signature"] = key.sign(domain, bet).hex()
                    status, said = _posted(f"{url}/{there}", changed)
                    assert status in (200, 400, 404, 409, 422, 429, 503), (field, number, said)
                    tried += 1
        assert tried > 250
        # Level and bet beyond the game: said in words. (The first hand must be over for that.)
        await player.draw(ORDER)
        his = await guest.desk.offer(player.name, 1)
        seeds = fresh_seeds(key, domain, hand.bet[:2], Signer.PLAYER, player.terms.game_id(1))
        fair = hand.bet._replace(
            game_id=player.terms.game_id(1),
            croupier_commitment_0=his[0],
            croupier_commitment_1=his[1],
            player_commitment_0=seeds[0].commitment,
            player_commitment_1=seeds[1].commitment,
        )
        for what, number, bet, most in (
            ("level", 0, fair._replace(level=0), 5),
            ("level", 6, fair._replace(level=6), 5),
            ("bet", 0, fair._replace(bet=0), 10),
            ("bet", 11, fair._replace(bet=11), 10),
        ):
            body = {"bet": THE_BET.write(bet), "signature": key.sign(domain, bet).hex()}
            status, said = _posted(f"{url}/{here}/bet", body)
            assert status == 422, said
            assert f"the {what} must be 1 to {most}, not {number}" in said
        await player.close()

    at_an_arena(tmp_path, test)


def _readable(raw: dict[str, Any]) -> SessionTerms | None:
    try:
        found: SessionTerms = THE_SESSION.read(raw, "terms")
    except InputError:
        return None
    return found


def _bet(raw: dict[str, Any]) -> Bet | None:
    try:
        found: Bet = THE_BET.read(raw, "bet")
    except InputError:
        return None
    return found


def _posted(url: str, body: Any) -> tuple[int, str]:
    try:
        Http().post(url, body)
    except Refused as refused:
        return refused.status, str(refused)
    return 200, ""
