"""The Blind Croupier in a browser that is the Player: own key, own seeds, own checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fairground.games.poker.holds import holds
from fairground.verifier import verify
from tests.helpers.browser import cut_off, faults_of, is_wider_than_its_window
from tests.helpers.visitor import Visitor, visiting
from tests.page.test_games import saved

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route


CROUPIER = True


def with_chips(player: Visitor) -> None:
    player.page.goto(f"{player.url}/#/croupier")
    player.page.get_by_role("button", name="Bring 200 play chips").click()
    player.page.locator("[data-chips='200']").wait_for()


def places_a_bet(player: Visitor) -> None:
    with_chips(player)
    player.page.get_by_role("button", name="Deal").click()


def deal(player: Visitor) -> None:
    """To a hand that waits for a choice."""
    places_a_bet(player)
    player.page.locator("[data-stage=choose]").wait_for()


def test_a_hand_by_keys_with_a_reload_in_between(ada: Visitor, tmp_path: Path) -> None:
    deal(ada)
    cards = [card.get_attribute("aria-label") for card in ada.page.locator(".card-face").all()]
    ada.page.reload()
    ada.page.locator("[data-stage=choose]").wait_for()
    again = [card.get_attribute("aria-label") for card in ada.page.locator(".card-face").all()]
    assert again == cards and len(set(cards)) == 5
    first, ada.page = ada.page, ada.tab("#/croupier")
    ada.page.get_by_text("in another tab").wait_for()
    ada.page.get_by_role("button", name="Play here instead").click()
    ada.page.locator("[data-stage=choose]").wait_for()
    first.get_by_text("in another tab").wait_for()
    assert first.get_by_role("button", name="Draw").count() == 0

    for key in ("1", "3", "Enter"):
        ada.page.keyboard.press(key)
    ada.stamp.wait_for()
    assert ada.stamp.inner_text().upper() == "VALID"
    prize = int(ada.page.locator("[data-prize]").get_attribute("data-prize") or "")
    ada.page.locator(f"[data-chips='{195 + prize}']").wait_for()
    judged = verify(saved(ada, "Save the game", tmp_path / "hand.jsonl"))
    assert judged.ok and judged.payoff == (5 - prize, prize - 5)
    assert {claim.name for claim in judged.claims} >= {"UNIFORM", "UNFORESEEN"}


@pytest.mark.parametrize("heard", [True, False])
def test_a_bet_whose_answer_is_lost_is_played(ada: Visitor, heard: bool) -> None:
    """The page let one bet again. The seeds of the first were gone, and with them its stake."""
    bets: list[str] = []

    def loses_the_first(route: Route) -> None:
        bets.append(route.request.post_data or "")
        if len(bets) > 1:
            route.continue_()
            return
        if heard:
            route.fetch()
        route.abort()

    ada.page.route("**/bet", loses_the_first)
    deal(ada)
    assert set(bets) == {bets[0]} and len(bets) in ((1, 2) if heard else (2,))
    ada.page.keyboard.press("Enter")
    ada.stamp.wait_for()


def test_a_bet_that_he_declines_and_brings_is_played(ada: Visitor) -> None:
    said = {"status": 409, "code": "croupier/busy", "detail": "I am busy."}

    def declines(route: Route) -> None:
        route.fetch()
        kind = "application/problem+json"
        route.fulfill(status=409, content_type=kind, body=json.dumps(said))

    ada.page.route("**/bet", declines)
    deal(ada)
    ada.page.keyboard.press("Enter")
    ada.stamp.wait_for()


@pytest.mark.parametrize("lie", ["a seed", "a card", "the prize"])
def test_a_bank_that_lies_is_named(browser: Browser, arena: str, lie: str) -> None:
    """Something between the arena and the browser alters what the Bank says."""

    def altered(route: Route) -> None:
        answer = route.fetch()
        body = json.loads(answer.text())
        if lie == "a card" and body.get("hand"):
            body["hand"] = (body["hand"] & ~255) | ((body["hand"] & 255) + 1) % 52
        for event in body.get("events", ()):
            if lie == "a seed" and event["event"] == "CroupierSeedSubmitted":
                event["nonce"] = "0" * 64
            if lie == "the prize" and event["event"] == "GameSettled":
                event["prize"] = "1000000000000000"
        route.fulfill(response=answer, json=body)

    with visiting(browser, arena) as ada:
        ada.page.route("**/bank/games/**", altered)
        if lie == "a seed":
            places_a_bet(ada)
        else:
            deal(ada)
            ada.page.keyboard.press("Enter")
        ada.page.get_by_role("alert").get_by_text("The Bank does not keep its rules").wait_for()


def save_key(player: Visitor, passphrase: str, again: str, file: Path) -> None:
    """By the form that is open."""
    player.page.get_by_label("Passphrase of the file").fill(passphrase)
    player.page.get_by_label("The same passphrase again").fill(again)
    if passphrase != again:
        player.page.get_by_role("button", name="Save the file").click()
        player.page.get_by_text("The two passphrases are not the same").wait_for()
        return
    saved(player, "Save the file", file)


def open_key(player: Visitor, passphrase: str, file: Path) -> None:
    if not player.page.locator("input[type=file]").count():
        player.page.get_by_role("button", name="Use a saved key").click()
    player.page.get_by_label("Key file").set_input_files(file)
    player.page.get_by_label("Passphrase of the file").fill(passphrase)
    player.page.get_by_role("button", name="Open the file").click()


def test_a_key_moves_to_another_browser_and_none_is_lost(
    browser: Browser, arena: str, tmp_path: Path
) -> None:
    file, old = tmp_path / "key.json", tmp_path / "old.json"
    with visiting(browser, arena) as ada:
        with_chips(ada)
        ada.page.get_by_text("made in this browser and has never left it").wait_for()
        ada.page.get_by_role("button", name="Save the key").click()
        save_key(ada, "correct horse", "correct house", file)
        save_key(ada, "correct horse", "correct horse", file)
        ada.page.get_by_text("made in this browser, and you have saved a copy").wait_for()
        open_key(ada, "correct horse", file)
        ada.page.get_by_text("This file holds the key that you already use.").wait_for()
    with visiting(browser, arena) as bo:
        with_chips(bo)
        bo.page.get_by_role("button", name="Take all chips out").click()
        bo.page.get_by_role("button", name="Bring 200 play chips").first.click()
        bo.page.locator("[data-chips='200']").wait_for()
        open_key(bo, "wrong horse", file)
        bo.page.get_by_text("do not fit together").wait_for()
        open_key(bo, "correct horse", file)
        asks = bo.page.get_by_role("dialog", name="Use another key?")
        asks.get_by_text("has 200 chips at the Bank").wait_for()
        asks.get_by_role("button", name="Keep the old key").click()
        bo.page.get_by_text("made in this browser and has never left it").wait_for()

        open_key(bo, "correct horse", file)
        asks.get_by_role("button", name="Save the old key first").click()
        save_key(bo, "old passphrase", "old passphrase", old)
        asks.get_by_role("button", name="Use the other key").click()
        bo.page.get_by_text("It came from a file that you chose").wait_for()
        assert bo.page.get_by_text("made in this browser").count() == 0
        addresses = [json.loads(one.read_text())["address"] for one in (file, old)]
        bo.page.locator(f"[title='{addresses[0]}']").wait_for()

        bo.page.get_by_role("button", name="Use this key").click()
        bo.page.locator(f"[title='{addresses[1]}']").wait_for()
        bo.page.get_by_text("made in this browser, and you have saved a copy").wait_for()
        bo.page.locator("[data-chips='200']").wait_for()


RANKS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
RANKS += ["jack", "queen", "king", "ace"]
SUITS = ["hearts", "diamonds", "clubs", "spades"]


def card(name: str) -> int:
    """ "the ace of spades" as a number"""
    _, rank, _, suit = name.split()
    return 13 * SUITS.index(suit) + RANKS.index(rank)


def test_the_coach_counts_in_the_browser_what_the_solver_counts(ada: Visitor) -> None:
    """Before the choice, if asked; and afterwards what the choice has cost. Nobody is told."""
    deal(ada)
    asked: list[str] = []
    ada.page.on("request", lambda request: asked.append(request.url))
    faces = ada.page.locator(".card-face").all()
    hand = tuple(card(str(face.get_attribute("aria-label"))) for face in faces)
    values = {hold.order: 5 * float(hold.value) for hold in holds(hand, 5)}
    ada.page.keyboard.press("h")
    advice = ada.page.locator(".hintbox").inner_text()
    assert f"That brings {max(values.values()):.2f} chips on average" in advice
    assert [url for url in asked if "/croupier/games" not in url] == []
    ada.page.keyboard.press("1")
    ada.page.keyboard.press("Enter")
    after = ada.page.locator("[data-cost]")
    after.wait_for()
    mine = values[(0, 1, 1, 1, 1)]
    cost = float(str(after.get_attribute("data-cost")))
    assert cost == pytest.approx(max(values.values()) - mine, abs=1e-9)
    assert f"brings {mine:.2f} chips on average" in after.inner_text()


def test_everybody_can_read_it(browser: Browser, arena: str) -> None:
    small = {"width": 320, "height": 640}
    with visiting(browser, arena, bypass_csp=True, color_scheme="dark", viewport=small) as ada:
        ada.page.goto(f"{arena}/#/croupier")
        ada.page.get_by_role("button", name="Bring 200 play chips").first.wait_for()
        assert cut_off(ada.page) == []
        deal(ada)
        assert faults_of(ada.page) == []
        assert not is_wider_than_its_window(ada.page)
        assert cut_off(ada.page) == []
