"""A contest in the browser: opened, entered by hand and by a bot, closed, and checked there."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fairground.games.codebreaking.rules import marks
from tests.helpers.browser import Theme, cut_off, faults_of, is_wider_than_its_window
from tests.helpers.places import ROOT
from tests.helpers.visitor import Visitor, visiting
from tests.helpers.width import WIDE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def find_the_code(page: Page, base: int, length: int) -> int:
    """By keys alone, always with a code that fits what the board says; how many steps it took."""
    codes = list(product(range(base), repeat=length))
    for step in range(1, 100):
        page.locator(".entry").wait_for()
        guess = codes[0]
        for digit in guess:
            page.keyboard.press(str(digit))
        page.keyboard.press("Enter")
        row = page.locator(".board li").nth(step - 1)
        full, partial = (
            int(row.locator(".marks > span").nth(i).inner_text().split()[1]) for i in (0, 1)
        )
        if full == length:
            return step
        codes = [code for code in codes if marks(code, guess) == (full, partial)]
    raise AssertionError("never found")


def test_a_contest_from_its_opening_to_its_check(
    browser: Browser, arena: str, tmp_path: Path
) -> None:
    with visiting(browser, arena) as ada:
        screen = ada.page
        screen.goto(f"{arena}/#/contests")
        for name, value in {"Games": "2", "Digits (base)": "3", "Places": "2"}.items():
            screen.get_by_label(name).fill(value)
        screen.get_by_role("button", name="Open the contest").click()
        screen.wait_for_url("**/#/contest/*")
        contest = f"{arena}/contest/{screen.url.rpartition('/')[2]}"

        screen.get_by_label("Team").fill("Ada")  # and it stays there while others come in
        bot = [sys.executable, str(ROOT / "examples" / "bots" / "python_bot.py")]
        subprocess.run(
            [*bot, contest, "<img src=x>", "1.0"], cwd=tmp_path, check=True, capture_output=True
        )
        screen.locator(".teams").get_by_text("<img src=x>").wait_for()
        assert screen.locator(".teams img").count() == 0

        screen.get_by_role("button", name="Enter", exact=True).click()
        screen.get_by_text("You are in, as Ada.").wait_for()
        screen.get_by_role("link", name="Game 1").click()
        screen.get_by_text("This is the seed’s hash").wait_for()
        assert screen.get_by_text("This is its hash").count() == 0
        steps = find_the_code(screen, 3, 2)
        assert screen.locator(".board .left").last.inner_text() == "1 code left"
        screen.get_by_text(f"Found, in {steps} step").wait_for()
        screen.reload()
        screen.locator(".board li").nth(steps - 1).wait_for()
        assert screen.locator(".board li").count() == steps
        screen.get_by_role("link", name="Back to the contest").click()
        screen.locator("tr", has_text="Ada").get_by_text("1 of 2").wait_for()
        screen.locator("li", has_text="Game 1").get_by_text(f"found in {steps} step").wait_for()

        screen.get_by_role("button", name="Close the contest now").click()
        screen.get_by_role("button", name="Close it").click()
        screen.get_by_role("button", name="Check the whole contest here").click()
        assert screen.locator(".stamp").inner_text().upper() == "VALID"
        # Of two games an interval says nothing, least of all "5.00 to 5.00".
        screen.locator("tr", has_text="<img").get_by_text("too few games").wait_for()
        assert not re.search(r"\d to \d", screen.locator("main").inner_text())
        assert screen.locator(".iv").count() == 0
        screen.get_by_text("3 games played again in this browser").wait_for()


def test_a_bot_author_is_led_by_this_arenas_own_addresses(ada: Visitor, tmp_path: Path) -> None:
    ada.page.goto(f"{ada.url}/#/bots")
    ada.page.get_by_role("button", name="Open a practice contest").click()
    ada.page.locator("pre", has_text="/contest/").wait_for()
    fetch, run = ada.page.locator("pre").inner_text().splitlines()
    assert fetch == f"curl -O {ada.url}/page/python_bot.py"
    handed_out = ada.page.request.get(fetch.split()[-1])
    ours = ROOT / "examples" / "bots" / "python_bot.py"
    assert handed_out.body() == ours.read_bytes()
    *_, contest, team, version = run.split()
    subprocess.run(
        [sys.executable, str(ours), contest, team, version],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    ada.page.locator("tr", has_text="MyTeam").get_by_text("3 of 3").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark"] if WIDE else ["dark"])
def test_everybody_can_read_it(browser: Browser, arena: str, theme: Theme, tmp_path: Path) -> None:
    context = browser.new_context(
        bypass_csp=True, color_scheme=theme, viewport={"width": 320, "height": 640}
    )
    screen = context.new_page()
    for place in ("contests", "bots"):
        screen.goto(f"{arena}/#/{place}")
        screen.locator("h1").wait_for()
        assert faults_of(screen) == []
        assert not is_wider_than_its_window(screen)
    screen.goto(f"{arena}/#/contests")
    screen.get_by_label("Games").fill("3")
    screen.get_by_role("button", name="Open the contest").click()
    screen.get_by_role("heading", name="Standings").wait_for()
    contest = f"{arena}/contest/{screen.url.rpartition('/')[2]}"
    bot = [sys.executable, str(ROOT / "examples" / "bots" / "python_bot.py")]
    subprocess.run(
        [*bot, contest, "Grace Hopper", "1.0"], cwd=tmp_path, check=True, capture_output=True
    )
    screen.locator(".teams").get_by_text("3 of 3").wait_for()
    assert faults_of(screen) == []
    assert not is_wider_than_its_window(screen)
    assert cut_off(screen) == []
    context.close()
