"""For everyone: both themes, a phone, no pointer, a slow line; and nothing from anywhere else."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, Literal

import pytest

from fairground.clients.http import Http
from fairground.clients.table import open_table
from tests.helpers.browser import QUIET, cut_off, faults_of, is_wider_than_its_window
from tests.helpers.visitor import Visitor, visiting
from tests.page.test_games import holds, take_the_first

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Response

GAMES = {
    "Intransitive dice": "label.stone",
    "Code breaking": ".entry",
    "Zombie Dice": ".areas",
}


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 320)])
def test_axe_finds_nothing_and_nothing_is_too_wide(
    browser: Browser, arena: str, theme: Literal["light", "dark"], width: int
) -> None:
    options: dict[str, Any] = {
        "color_scheme": theme,
        "viewport": {"width": width, "height": 800},
        "bypass_csp": True,
        "reduced_motion": "reduce",
    }
    with visiting(browser, arena, **options) as ada:

        def is_good(where: str) -> None:
            assert faults_of(ada.page) == [], where
            assert not is_wider_than_its_window(ada.page), where
            assert cut_off(ada.page) == [], where

        ada.page.locator(".game").first.wait_for()
        is_good("lobby")
        ada.page.keyboard.press("?")
        ada.page.locator("dialog[open]").wait_for()
        is_good("keys")
        ada.page.keyboard.press("Escape")
        for title, choice in GAMES.items():
            ada.page.goto(f"{arena}/#/")
            ada.starts(title, "vs Random" if title == "Zombie Dice" else None)
            ada.page.locator(choice).first.wait_for()
            is_good(title)
        ada.page.goto(f"{arena}/#/play/zombie%2F2")
        ada.page.get_by_label("max turns").wait_for()
        is_good("a new game")
        ada.page.goto(f"{arena}/#/")
        ada.starts("FateStones", "vs Random")
        ada.page.locator("label.stone").first.wait_for()
        is_good("a choice")
        small = ada.page.evaluate(
            """() => [...document.querySelectorAll('main button, main select, main a.btn')]
            .filter(e => e.getBoundingClientRect().height < (e.matches('.n') ? 24 : 44)
                         && e.getBoundingClientRect().height > 0).map(e => e.outerHTML)"""
        )
        assert small == []
        ada.plays(take_the_first)
        is_good("a verdict")
        for place, waits in (("verify", ".zone"), ("tables", ".list li"), ("practise", "h1")):
            ada.page.goto(f"{arena}/#/{place}")
            ada.page.locator(waits).first.wait_for()
            is_good(place)


def test_a_game_without_a_pointer(ada: Visitor) -> None:
    """Tab and Enter alone, from the skip link to the stamp; focus is always to be seen."""
    ada.page.get_by_role("button", name="Play FateStones").wait_for()
    ada.page.keyboard.press("Tab")
    assert ada.page.evaluate("document.activeElement.textContent") == "Skip to the main part"
    ada.page.keyboard.press("Enter")
    for _ in range(12):
        ada.page.keyboard.press("Tab")
        name = ada.page.evaluate("document.activeElement.ariaLabel")
        if name == "Play FateStones":
            break
    ada.page.keyboard.press("Enter")
    ada.plays(take_the_first)
    holds(ada)
    said = ada.page.locator("#say", has_text="The game is over, and was checked: Valid.")
    said.wait_for(state="attached")


def test_what_comes_before_the_first_move_is_small_and_from_here(
    browser: Browser, arena: str
) -> None:
    sizes: dict[str, int] = {}

    def hears(response: Response) -> None:
        if "/page/" in response.url or response.url.endswith("/"):
            sizes[response.url] = int(response.headers["content-length"])

    with visiting(browser, "about:blank#") as ada:
        ada.url = arena
        ada.page.on("response", hears)
        requests: list[str] = []
        ada.page.on("request", lambda request: requests.append(request.url))
        ada.page.goto(arena)
        ada.starts("Zombie Dice", "vs Random")
        ada.page.wait_for_selector("[data-asked]")
        assert 20_000 < sum(sizes.values()) <= 100_000, sizes
        assert {url for url in requests if not url.startswith((arena, "data:"))} == set()


def test_a_lively_lobby_can_be_read_on_every_width(browser: Browser, arena: str) -> None:
    seats = [{"name": "Hieronymus", "lends": "chain"}, {"name": "Open seat", "open": True}]
    Http().post(f"{arena}/tables", {"game": "fatestones/1", "listed": True, "seats": seats})
    for width in (320, 768, 1280):
        with visiting(browser, arena, viewport={"width": width, "height": 800}) as ada:
            ada.page.locator(".seat", has_text="Hieronymus").wait_for()
            assert cut_off(ada.page) == [], width
            lists = ada.page.get_by_role("list").all()
            assert all(one.locator("li").count() for one in lists), "no list without an item"
            games = [box.bounding_box() for box in ada.page.locator(".game").all()]
            edges = [round(box["x"] + box["width"]) for box in games if box]
            assert edges[-1] == max(edges), "no hole beside the last game"
            ada.page.goto(f"{arena}/#/tables")
            button = ada.page.locator("li", has_text="Hieronymus").get_by_role("button")
            box = button.bounding_box()
            assert box and box["width"] < 140, "the names have the room, not the button"
            assert cut_off(ada.page) == [], width


def test_a_hint_comes_into_view_and_is_read_on_from(browser: Browser, arena: str) -> None:
    """On a phone it stands below the table. And the button that was pressed is gone by then."""
    phone: dict[str, Any] = {
        "viewport": {"width": 320, "height": 560},
        "has_touch": True,
        "is_mobile": True,
    }
    with visiting(browser, arena, **phone) as ada:
        ada.starts("FateStones", "vs Random")
        ada.page.get_by_role("button", name="Hint").tap()
        ada.page.locator(".hintbox:focus").wait_for()
        seen = ada.page.locator(".hintbox h2").bounding_box()
        assert seen and 0 <= seen["y"] <= 560


def test_what_is_heard_belongs_to_the_page_that_is_seen(ada: Visitor) -> None:
    ada.starts("FateStones", "vs Random")
    ada.page.locator("#say", has_text="Choose one of your 3 dice").wait_for(state="attached")
    ada.page.get_by_role("link", name="Play", exact=True).click()
    # Each link says where it goes, without what stands beside it.
    ada.page.get_by_role("link", name="Go on: FateStones with Random").wait_for()
    assert ada.page.locator("#say").inner_text() == ""


def test_what_is_chosen_is_seen_without_our_colours(browser: Browser, arena: str) -> None:
    outlined = "one => getComputedStyle(one).outlineStyle"
    with visiting(browser, arena, forced_colors="active") as ada:
        ada.starts("FateStones", "vs Random")
        ada.page.wait_for_selector("[data-asked]")
        ada.page.keyboard.press("2")
        ada.page.locator("label.stone :checked").wait_for()
        stones = ada.page.locator("label.stone")
        assert stones.nth(1).evaluate(outlined) == "solid"
        assert stones.nth(0).evaluate(outlined) == "none"
        assert ada.page.locator("nav.main [aria-current]").evaluate(outlined) == "solid"


def test_the_longest_names_break_nothing(browser: Browser, arena: str) -> None:
    """One word of 80 signs, as the arena admits it: nothing is pushed out of the window."""
    seats = [{"name": "W" * 79 + str(seat), "lends": "chain"} for seat in range(2)]
    for game, params, count in (("fatestones/1", {}, 1), ("zombie/2", {"players": 3}, 2)):
        wanted = {"game": game, "params": params, "seats": [*seats[:count], {"open": True}]}
        made = open_table(arena, wanted)
        with visiting(browser, arena, viewport={"width": 320, "height": 640}) as ada:
            ada.page.goto(f"{arena}/#/table/{made['self'].rpartition('/')[2]}")
            ada.page.get_by_role("button", name="Sit down").wait_for()
            assert cut_off(ada.page) == [] and not is_wider_than_its_window(ada.page)
            ada.page.get_by_role("button", name="Sit down").click()
            ada.page.locator(".waits", has_text="Waiting for").wait_for()
            assert cut_off(ada.page) == [] and not is_wider_than_its_window(ada.page)


def test_who_has_set_larger_type_gets_it_and_nothing_is_cut(browser: Browser, arena: str) -> None:
    """Twice as large on a usual window: the page is laid out as on half of it."""
    large = [*QUIET, "--blink-settings=defaultFontSize=32"]
    program = shutil.which("chromium")
    launch = browser.browser_type.launch
    with (
        launch(executable_path=program, args=large) as other,
        visiting(other, arena) as ada,
    ):
        ada.page.get_by_role("button", name="Play FateStones").wait_for()
        assert ada.page.evaluate("getComputedStyle(document.body).fontSize") == "32px"
        assert cut_off(ada.page) == [] and not is_wider_than_its_window(ada.page)
        ada.starts("FateStones", "vs Random")
        ada.page.wait_for_selector("[data-asked]")
        assert cut_off(ada.page) == [] and not is_wider_than_its_window(ada.page)
