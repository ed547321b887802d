"""The Blind Croupier at a contract: the browser asks a node of its user's, and nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from fairground.bank.chain.bank import deploy
from fairground.bank.messages import Key
from fairground.server.app import make_app
from fairground.server.croupier.opened import ArenaCroupier, CroupierPlace
from tests.helpers.anvil import Anvil, anvil
from tests.helpers.arena import in_a_thread
from tests.helpers.browser import faults_of, is_wider_than_its_window
from tests.helpers.chain_table import BANKROLL, CHIP, ETHER, STEP_TIME, rich
from tests.helpers.page import page
from tests.helpers.visitor import Visitor, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route


@pytest.fixture(scope="module")
def chain() -> Iterator[Anvil]:
    with anvil() as node:
        yield node


@pytest.fixture(scope="module")
def bank(chain: Anvil) -> tuple[str, Key]:
    """The address of a Bank, and the key of a Croupier who can pay."""
    node = chain.node()
    key = rich(node, Key.fresh(), BANKROLL + 10 * ETHER)
    with ThreadPoolExecutor(1) as thread:  # the browser has an event loop in this one
        address = thread.submit(lambda: asyncio.run(deploy(node, key, CHIP, STEP_TIME))).result()
    return address, key


@pytest.fixture(scope="module")
def arena(
    chain: Anvil, bank: tuple[str, Key], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """An arena whose Croupier plays at the contract."""
    page()
    address, key = bank
    place = CroupierPlace(chain.url, address, confirmations=0, bankroll=BANKROLL // CHIP)
    database = f"sqlite:///{tmp_path_factory.mktemp('arena') / 'arena.db'}"
    with in_a_thread(make_app(database, croupier=ArenaCroupier(place, [key]))) as url:
        yield url


def names_a_node(player: Visitor, url: str) -> None:
    player.page.get_by_label("The address of the node").fill(url)
    player.page.get_by_label("Blocks to wait for").fill("0")
    player.page.get_by_role("button", name="Use this node").click()


def deal(player: Visitor, chain: Anvil) -> str:
    """Names the node, brings chips, and bets; the address of the player's account."""
    screen = player.page
    screen.goto(f"{player.url}/#/croupier")
    names_a_node(player, chain.url)
    account = screen.locator("[data-address]").inner_text()
    chain.node().rpc("anvil_setBalance", account, hex(ETHER))
    screen.get_by_role("button", name="Look again").click()
    screen.get_by_role("button", name="Bring 200 chips").click()
    screen.locator("[data-chips='200']").wait_for()
    screen.get_by_role("button", name="Deal").click()
    screen.locator("[data-stage=choose]").wait_for()
    return account


def test_what_is_not_the_bank_is_not_believed(browser: Browser, arena: str, chain: Anvil) -> None:
    def another_contract(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        if (route.request.post_data_json or {}).get("method") == "eth_getCode":
            body["result"] = body["result"].replace("60", "61", 1)
        route.fulfill(response=answer, json=body)

    with visiting(browser, arena, bypass_csp=True, viewport={"width": 320, "height": 640}) as ada:
        ada.context.route("http://nobody.example/**", lambda route: route.abort())
        ada.context.route(f"{chain.url}/**", another_contract)
        ada.page.goto(f"{arena}/#/croupier")
        ada.page.get_by_label("The address of the node").wait_for()
        assert faults_of(ada.page) == [] and not is_wider_than_its_window(ada.page)
        for key in ("key", "another-key"):
            with ada.page.expect_request(f"http://nobody.example/{key}"):
                names_a_node(ada, f"http://nobody.example/{key}")
            ada.page.get_by_text("No node answers at nobody.example").wait_for()
        names_a_node(ada, chain.url)
        ada.page.get_by_text("its code is not the one that this page was made for").wait_for()
        assert ada.page.get_by_role("button", name="Deal").count() == 0


def test_a_hand_through_the_node_that_the_player_names(
    ada: Visitor, chain: Anvil, bank: tuple[str, Key]
) -> None:
    asked: set[str] = set()
    ada.page.on("request", lambda request: asked.add(urlsplit(request.url).netloc))
    account = deal(ada, chain)
    for key in ("1", "3", "Enter"):
        ada.page.keyboard.press(key)
    ada.stamp.wait_for()
    assert ada.stamp.inner_text().upper() == "VALID"
    prize = int(ada.page.locator("[data-prize]").get_attribute("data-prize") or "")
    ada.page.locator(f"[data-chips='{195 + prize}']").wait_for()
    assert chain.node().view(bank[0], 0, "getAccount", account)[0] == (195 + prize) * CHIP
    assert asked == {urlsplit(url).netloc for url in (ada.url, chain.url)}


def test_the_browser_goes_on_and_complains_when_the_croupier_is_gone(
    browser: Browser, arena: str, chain: Anvil, bank: tuple[str, Key]
) -> None:
    """It brings its seed and its order to the contract itself, and is paid for his silence."""
    node = chain.node()
    with visiting(browser, arena) as ada:
        account = deal(ada, chain)
        ada.context.route("**/croupier/**", lambda route: route.abort())
        node.rpc("anvil_setBalance", bank[1].address, "0x0")  # so he can do nothing any more
        for key in ("1", "2", "3", "Enter"):
            ada.page.keyboard.press(key)
        ada.page.get_by_text("The arena does not answer").wait_for()
        node.rpc("evm_increaseTime", STEP_TIME // 2)
        ada.page.locator("[data-step='4']").wait_for()
        node.rpc("evm_increaseTime", STEP_TIME)
        ended = ada.page.locator(".sentence", has_text="This browser complained")
        # Two cards were to be replaced: silence costs five times the stake of five chips.
        assert "the Bank made him pay 25 chips" in ended.inner_text()
        ada.page.locator("[data-chips='220']").wait_for()
        assert node.view(bank[0], 0, "getAccount", account)[0] == 220 * CHIP
