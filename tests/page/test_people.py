"""Several people: two and three browsers at one table, six tabs that watch, and what others see."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING

from fairground.clients.http import Http
from fairground.clients.table import open_table
from tests.helpers.browser import ELSEWHERE
from tests.helpers.visitor import Visitor, visiting
from tests.page.test_games import holds

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

ATTACK = "<img src=x onerror=alert(1)>'\"&"


def opens(visitor: Visitor, game: str, *others: str, **fields: str) -> None:
    """A table with free seats."""
    visitor.page.goto(f"{visitor.url}/#/play/{game}")
    for label, value in fields.items():
        visitor.page.get_by_label(label.replace("_", " ")).fill(value)
    for seat in others:
        visitor.page.get_by_label(seat).select_option("open")
    visitor.page.get_by_role("button", name="Open the table").click()
    visitor.page.get_by_text("begins when every seat is taken").wait_for()


def sits_down(visitor: Visitor, beside: str) -> None:
    """From the lobby, where the open tables are."""
    row = visitor.page.locator(".list li").filter(has_text=beside).filter(has_text="free")
    row.get_by_role("button", name="Sit down").click()
    visitor.page.wait_for_url(re.compile("#/seat/"))


def seal_by_turns(visitors: list[Visitor]) -> None:
    """All are asked at the same time. Each takes the first die, until there is a stamp."""
    for _ in range(20):
        for visitor in visitors:
            visitor.page.locator("label.stone, .stamp").first.wait_for()
            if visitor.stamp.count():
                return
            lines = visitor.page.locator("[data-lines]").get_attribute("data-lines")
            visitor.page.keyboard.press("1")
            visitor.page.keyboard.press("Enter")
            visitor.page.locator(f"[data-lines]:not([data-lines='{lines}'])").wait_for()
    raise AssertionError("the game does not end")


def roll_by_turns(visitors: dict[str, Visitor]) -> None:
    """Let the player on turn roll once and stop, until there is a stamp."""
    now = next(iter(visitors.values()))
    for _ in range(2000):
        page = now.page
        page.locator("[data-asked], .stamp, tr.now .tag.house").first.wait_for()
        if now.stamp.count():
            return
        if page.locator("[data-asked]").count():
            lines = page.locator("[data-lines]").get_attribute("data-lines")
            stop = page.get_by_role("button", name="Stop and score")
            page.keyboard.press("x" if stop.is_enabled() else "r")
            page.locator(f"[data-lines]:not([data-lines='{lines}'])").wait_for()
        else:  # what was there a moment ago may be gone
            for name in page.locator("tr.now .tag.house").all_inner_texts():
                now = visitors[name]
    raise AssertionError("the game does not end")


def test_two_browsers_and_six_tabs_that_watch(browser: Browser, arena: str) -> None:
    with visiting(browser, arena) as ada, visiting(browser, arena) as bob:
        ada.named("Ada")
        bob.named("Bob")
        opens(ada, "fatestones%2F1", "Seat 1, player")
        sits_down(bob, "Ada")
        bob.page.locator("label.stone").first.wait_for()
        ada.page.get_by_label("Say something to the table").fill("Good luck <b>")
        ada.page.get_by_role("button", name="Say it").click()
        bob.page.locator(".ticket", has_text='"Ada" says').get_by_text("“Good luck <b>”").wait_for()
        bob.page.locator("#say", has_text='"Ada" says: Good luck <b>').wait_for(state="attached")
        table = re.findall("#/seat/([^/]+)/", bob.page.url)[0]
        tabs = [bob.tab(f"#/table/{table}") for _ in range(6)]
        seal_by_turns([ada, bob])
        holds(ada)
        holds(bob)
        for tab in tabs:
            tab.locator(".stamp").wait_for()
            assert tab.locator(".proof .big").inner_text() == ada.checks
        # Only one of Bob's seven tabs holds a stream: the others hear from it.
        held = bob.page.evaluate("navigator.locks.query()")
        names = [lock["name"] for lock in held["held"]]
        assert names.count("fairground/stream") == 1
        ada.page.get_by_text("What this rests on").click()
        claims = ada.page.locator(".claims").inner_text()
        assert "UNIFORM" in claims and 'for "Ada"' in claims and 'for "Bob"' in claims

        bob.page.get_by_role("button", name="Play again").click()
        ada.page.get_by_text("you are asked to play again").wait_for()
        ada.page.get_by_role("button", name="Play again").click()
        ada.page.locator("label.stone").first.wait_for()


def test_without_a_safe_connection_one_can_look_and_is_told_why_not_play(
    browser: Browser, arena: str
) -> None:
    elsewhere = arena.replace("127.0.0.1", ELSEWHERE)
    seats = [{"name": "Cid"}, {"name": "Dot", "player": "random"}]
    made = open_table(arena, {"game": "fatestones/1", "seats": seats, "listed": True})
    Http().post(f"{made['seats'][0]['url']}/forfeit", {})
    with visiting(browser, elsewhere) as ada:
        assert ada.page.evaluate("isSecureContext") is False
        ada.page.get_by_text("open this arena by https").wait_for()
        ada.page.get_by_role("button", name="Play FateStones", exact=True).click()
        ada.page.locator("main").get_by_text("open this arena by https").wait_for()
        ada.page.goto(f"{elsewhere}/#/croupier")
        ada.page.get_by_role("heading", name="Blind Croupier").wait_for()
        assert ada.page.get_by_role("button", name="Deal").count() == 0

        ada.page.goto(f"{elsewhere}/#/tables")
        ada.page.get_by_label("Which tables").select_option("over")
        ada.page.get_by_label("Which game").select_option("fatestones/1")
        row = ada.page.locator(".list li", has_text="Cid and Dot")
        row.get_by_role("link", name="Look").click()
        ada.stamp.wait_for()
        assert made["self"].rpartition("/")[2] in ada.page.url
        holds(ada)
        # Chromium notes that it honours one of our headers on safe connections only.
        ada.troubles = [one for one in ada.troubles if "Opener-Policy" not in one]


def test_all_tables_a_page_at_a_time(ada: Visitor) -> None:
    """The list of all games comes late, after the one that was asked for then."""
    seats = [{"name": "Waiting", "lends": "chain"}, {"open": True}]
    for _ in range(21):
        open_table(ada.url, {"game": "intransitive/1", "seats": seats, "listed": True})
    open_table(ada.url, {"game": "fatestones/1", "seats": seats, "listed": True})
    late: list[Route] = []

    def hold(route: Route) -> None:
        late.append(route)

    everything = re.compile(r"/tables\?state=open%2Cplaying%2Cover&after=0$")
    ada.page.route(everything, hold)
    ada.page.get_by_role("link", name="All tables").click()
    ada.page.get_by_label("Which game").select_option("intransitive/1")
    ada.page.locator("[data-rows='20']").wait_for()
    with ada.page.expect_response(late[0].request.url):
        late[0].continue_()
    assert ada.page.locator(".list li").filter(has_text="FateStones").count() == 0
    ada.page.get_by_role("button", name="Show more").click()
    ada.page.locator("[data-rows='21']").wait_for()
    assert ada.page.get_by_role("button", name="Show more").count() == 0
    ada.page.get_by_role("button", name="Sit down").last.click()
    ada.page.locator("label.stone, .waits").first.wait_for()


def test_three_browsers_one_of_them_with_a_name_that_is_an_attack(
    browser: Browser, arena: str
) -> None:
    with ExitStack() as stack:
        ada, bob, eve = (stack.enter_context(visiting(browser, arena)) for _ in range(3))
        ada.named("Ada")
        bob.named("Bob")
        eve.named(ATTACK)
        ada.page.goto(f"{arena}/#/play/zombie%2F2")
        ada.page.get_by_label("How many seats").fill("3")
        ada.page.get_by_label("max turns").fill("1")
        for seat in ("Seat 1, zombie", "Seat 2, zombie"):
            ada.page.get_by_label(seat).select_option("open")
        ada.page.get_by_role("button", name="Open the table").click()
        ada.page.get_by_text("begins when every seat is taken").wait_for()
        sits_down(bob, "Ada")
        sits_down(eve, "Ada")

        roll_by_turns({"Ada": ada, "Bob": bob, ATTACK: eve})
        for visitor in (ada, bob, eve):
            holds(visitor)
            assert visitor.page.locator("img").count() == 0
            assert "<img src=x" in visitor.page.locator(".scores").inner_text()


def test_an_open_table_is_taken_down_again(browser: Browser, arena: str) -> None:
    with visiting(browser, arena) as ada, visiting(browser, arena) as bob:
        ada.named("Ada who leaves")
        opens(ada, "fatestones%2F1", "Seat 1, player")
        row = bob.page.locator(".list li", has_text="Ada who leaves")
        row.wait_for()
        ada.page.get_by_role("button", name="Take this table down").click()
        row.wait_for(state="detached")
        ada.page.get_by_text("No games yet.").wait_for()
        # Another way that a table can be gone: this browser was away when it was taken down.
        opens(ada, "fatestones%2F1", "Seat 1, player")
        seat = ada.page.url.partition("#/seat/")[2].replace("/", "/seats/")
        assert ada.context.request.delete(f"{arena}/tables/{seat}").status == 204
        ada.page.goto(f"{arena}/#/")
        mine = ada.page.locator(".list.mine li", has_text="waits until every seat is taken")
        mine.get_by_role("link", name="Go on").click()
        ada.page.get_by_role("heading", name="There is no such table here.").wait_for()
        ada.page.get_by_role("button", name="Take it off my games").click()
        ada.page.get_by_text("No games yet.").wait_for()


def test_who_waits_in_the_lobby_is_told_that_somebody_sat_down(
    browser: Browser, arena: str
) -> None:
    """A player who gets up makes room for another."""
    seats = ("Seat 1, zombie", "Seat 2, zombie")
    with visiting(browser, arena) as ada, visiting(browser, arena) as bob:
        ada.named("Ada who waits")
        bob.named("Bob")
        opens(ada, "zombie%2F2", *seats, How_many_seats="3")
        ada.page.goto(f"{arena}/#/")
        for again in (False, True):
            sits_down(bob, "Ada who waits")
            bob.page.get_by_role("button", name="Get up").wait_for()
            if not again:
                bob.page.get_by_role("button", name="Get up").click()
                bob.page.wait_for_url(f"{arena}/#/")
        with visiting(browser, arena) as cy:
            sits_down(cy.named("Cy"), "Ada who waits")
            ada.page.locator(".list.mine li", has_text="your move").wait_for()
