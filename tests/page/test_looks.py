"""For everyone: both themes, a phone, no pointer, a slow line; and nothing from anywhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pytest

from tests.helpers.browser import faults_of, is_wider_than_its_window
from tests.helpers.visitor import visiting
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
        ada.page.goto(f"{arena}/#/verify")
        ada.page.locator(".zone").wait_for()
        is_good("verify")


def test_a_game_without_a_pointer(browser: Browser, arena: str) -> None:
    """Tab and Enter alone, from the skip link to the stamp; focus is always to be seen."""
    with visiting(browser, arena) as ada:
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
        said = ada.page.locator("#say").inner_text()
        assert "The game is over, and was checked: Holds." in said


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
