"""Nothing is lost, nothing is answered twice: reloads, lost requests, a second tab, a restart."""

from __future__ import annotations

import json
import signal
import socket
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from tests.helpers.arena import Process
from tests.helpers.page import page
from tests.helpers.visitor import Visitor, visiting
from tests.page.test_games import holds, take_the_first

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Request, Route


def test_a_reload_at_every_kind_of_ask(browser: Browser, arena: str) -> None:
    sent: dict[str, set[str]] = defaultdict(set)
    lost: list[str] = []
    failed: set[str] = set()

    def kind_of(request: Request) -> str:
        """Nothing for other requests, which a reload may break off, too."""
        return str(json.loads(request.post_data or "{}").get("ask", "").partition(".")[0])

    def lose_one_of_each_kind(route: Route) -> None:
        kind = kind_of(route.request)
        if not kind:
            return route.continue_()
        body = json.loads(route.request.post_data or "")
        sent[body["ask"]].add(json.dumps(body["answer"]))
        if kind in lost:
            return route.continue_()
        lost.append(kind)
        if kind in ("link", "open"):  # it arrives, and its answer does not
            route.fetch()
        return route.abort()

    with visiting(browser, arena, {"**/seats/*": lose_one_of_each_kind}) as ada:

        def until_lost(kind: str) -> None:
            """The page retries, so it may have been lost already."""
            while kind not in failed:
                ada.page.wait_for_event("requestfailed")

        ada.page.on("requestfailed", lambda request: failed.add(kind_of(request)))
        ada.starts("FateStones", "vs Random")
        until_lost("tip")
        ada.page.reload()
        until_lost("link")
        ada.page.reload()
        ada.page.wait_for_selector("[data-asked]")
        ada.page.reload()
        ada.page.wait_for_selector("[data-asked]")
        ada.page.keyboard.press("2")
        ada.page.keyboard.press("Enter")
        until_lost("seal")
        ada.page.reload()
        until_lost("open")
        ada.page.reload()
        ada.plays(take_the_first)
        holds(ada)
    assert lost == ["tip", "link", "seal", "open"]
    assert {len(answers) for answers in sent.values()} == {1}


def test_one_tab_plays_a_seat_and_another_may_take_it_over(ada: Visitor) -> None:
    ada.starts("FateStones", "vs Random")
    ada.page.wait_for_selector("[data-asked]")
    second = ada.tab(ada.page.url.removeprefix(f"{ada.url}/"))
    second.get_by_text("being played in another tab").wait_for()
    assert second.locator("label.stone").count() == 0
    second.get_by_role("button", name="Play here instead").click()
    second.locator("label.stone").first.wait_for()
    ada.page.get_by_text("being played in another tab").wait_for()
    first, ada.page = ada.page, second
    ada.plays(take_the_first)
    holds(ada)
    first.locator(".stamp").wait_for()


def test_the_arena_is_killed_in_the_middle_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    page()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    options = (
        *("--port", port, "--no-croupier"),
        *("--database", f"sqlite:///{tmp_path / 'arena.db'}"),
    )
    with Process(tmp_path, *options) as first, visiting(browser, first.url) as ada:
        ada.starts("FateStones", "vs Random")
        ada.page.wait_for_selector("[data-asked]")
        first.end(signal.SIGKILL)
        ada.page.get_by_text("The connection is lost").wait_for()
        take_the_first(ada.page)
        ada.page.get_by_text("Your answer is kept, and is sent again").wait_for()
        with Process(tmp_path, *options):
            ada.plays(take_the_first)
            holds(ada)
            ada.page.get_by_text("The connection is lost").wait_for(state="detached")


def test_a_page_that_could_not_be_loaded_comes_when_the_arena_is_back(ada: Visitor) -> None:
    """Parts that are loaded later are requested again, and the page does not stay empty."""
    ada.page.get_by_role("button", name="Play FateStones").wait_for()
    ada.context.set_offline(True)
    ada.page.get_by_role("link", name="Contests", exact=True).click()
    ada.page.get_by_text("The connection is lost.").first.wait_for()
    ada.context.set_offline(False)
    ada.page.get_by_role("heading", name="Open a contest").wait_for()
    ada.page.get_by_role("heading", name="Contests", exact=True).wait_for()


def test_an_address_with_nothing_behind_it_says_so_in_the_title(ada: Visitor) -> None:
    for place in ("nowhere", "table/nobody@999999", "table/%E0%A4%A", "seat", "contest/nobody"):
        ada.page.goto(f"{ada.url}/#/play/zombie%2F2")
        ada.page.get_by_role("button", name="Open the table").wait_for()
        ada.page.goto(f"{ada.url}/#/{place}")
        words = ada.page.get_by_role("heading", name="There is n").inner_text()
        titled = ada.page.locator(f"//title[starts-with(., '{words}')]")
        titled.wait_for(state="attached")
        ada.page.get_by_role("link", name="To the lobby").wait_for()


def test_a_trouble_that_is_over_is_not_told_any_more(ada: Visitor) -> None:
    play = ada.page.get_by_role("button", name="Play FateStones")
    play.wait_for()
    ada.context.set_offline(True)
    play.click()
    trouble = ada.page.get_by_text("The arena does not answer.")
    trouble.wait_for()
    ada.context.set_offline(False)
    ada.page.get_by_role("link", name="Contests", exact=True).click()
    ada.page.get_by_role("heading", name="Open a contest").wait_for()
    ada.page.get_by_role("link", name="Play", exact=True).click()
    play.wait_for()
    trouble.wait_for(state="detached")
