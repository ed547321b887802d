"""Stages for the tests of the page's looks: ``python tools/stages.py``, or with names for some.

Games are played in Chromium at an arena on this machine, and what the page has got by then is
written to ``tests/data/stages/`` (`tests.helpers.stages`). Each run gives other games, so this is
only for a new screen, or when the arena's answers change. ``make shots`` comes after it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable

import shots
from playwright.sync_api import Page
from tests.helpers.arena import in_a_thread
from tests.helpers.browser import chromium
from tests.helpers.stages import record
from tests.helpers.visitor import Visitor

Reach = Callable[[Visitor], None]


def asked(title: str, against: str | None = None) -> Reach:
    """A game from the lobby, to its first question."""

    def reach(ada: Visitor) -> None:
        ada.starts(title, against)
        ada.page.wait_for_selector("[data-asked]")

    return reach


def tie(ada: Visitor) -> None:
    """Game after game, until one begins with a tie."""
    while True:
        ada.page.goto(f"{ada.url}/#/")
        asked("FateStones", "vs Optimal")(ada)
        shots.take_the_first(ada.page)
        ada.page.locator(".stamp, .tied").first.wait_for()
        if not ada.stamp.count():
            ada.page.wait_for_selector("[data-asked]")
            return


def watching(ada: Visitor) -> None:
    """A game that is over, as somebody else sees it."""
    shots.verdict(ada)
    table = ada.page.url.partition("#/seat/")[2].partition("/")[0]
    ada.page.goto(f"{ada.url}/#/table/{table}")
    ada.stamp.wait_for()


def intransitive_over(ada: Visitor) -> None:
    """With the first die."""

    def take(page: Page) -> None:
        page.locator("label.stone").first.click()
        page.get_by_role("button", name="Take it").click()

    ada.starts("Intransitive dice")
    ada.plays(take)


def zombie_over(ada: Visitor) -> None:
    """One roll in each turn."""

    def roll(page: Page) -> None:
        stops = page.get_by_role("button", name="Stop and score").is_enabled()
        page.keyboard.press("x" if stops else "r")

    ada.starts("Zombie Dice", "vs Random")
    ada.plays(roll)


def codebreaking_large(ada: Visitor) -> None:
    """A code of 40 places, and one guess."""
    ada.page.goto(f"{ada.url}/#/play/codebreaking%2F1")
    for label, value in (("base", "100"), ("length", "40")):
        ada.page.get_by_label(label).fill(value)
    ada.page.get_by_role("button", name="Open the table").click()
    ada.page.locator(".entry input").fill(" ".join(str(2 * i) for i in range(40)))
    ada.page.keyboard.press("Enter")
    ada.page.locator(".guess .marks").first.wait_for()
    ada.page.locator(".entry").wait_for()


def poker(ada: Visitor) -> None:
    """Five cards."""
    ada.page.goto(f"{ada.url}/#/play/poker%2F2")
    ada.page.get_by_role("button", name="Open the table").click()
    ada.page.wait_for_selector("[data-asked]")


def practise(ada: Visitor) -> None:
    """A position to practise."""
    shots.review(ada)
    ada.page.goto(f"{ada.url}/#/practise")
    ada.page.locator(".entry").wait_for()


def entered(ada: Visitor, team: str = "By hand") -> None:
    """A contest that was entered by hand."""
    shots.contest(ada)
    ada.page.get_by_label("Team").fill(team)
    ada.page.get_by_role("button", name="Enter", exact=True).click()
    ada.page.get_by_text("You are in").wait_for()


def contest_oracle(ada: Visitor) -> None:
    """A game of a contest."""
    entered(ada, "Another hand")
    ada.page.get_by_role("link", name="Game 1", exact=True).click()
    ada.page.locator(".entry").wait_for()
    ada.page.keyboard.type("001")
    ada.page.keyboard.press("Enter")
    ada.page.locator(".guess .left").first.wait_for()


def waiting(ada: Visitor) -> None:
    """A table with a free seat."""
    ada.page.goto(f"{ada.url}/#/play/zombie%2F2")
    ada.page.get_by_label("Seat 1, zombie").select_option("open")
    ada.page.get_by_role("button", name="Open the table").click()
    ada.page.get_by_role("button", name="Take this table down").wait_for()


STAGES: dict[str, tuple[Reach, str]] = {
    "lobby": (shots.lobby, ".list.mine .tag.you"),
    "fatestones": (asked("FateStones", "vs Optimal"), "[data-asked]"),
    "tie": (tie, "[data-asked]"),
    "fatestones-over": (shots.verdict, ".stamp"),
    "watching": (watching, ".stamp"),
    "intransitive": (asked("Intransitive dice"), "[data-asked]"),
    "intransitive-over": (intransitive_over, ".stamp"),
    "codebreaking": (shots.codebreaking, ".entry"),
    "codebreaking-large": (codebreaking_large, ".entry"),
    "keeper": (shots.keeper, ".reply"),
    "zombie": (shots.zombie, "[data-asked]"),
    "zombie-over": (zombie_over, ".stamp"),
    "poker": (poker, "[data-asked]"),
    "review": (shots.review, ".stamp"),
    "practise": (practise, ".entry"),
    "tables": (shots.page_of("tables", ".list li"), ".list li"),
    "contests": (shots.page_of("contests", "main form"), ".list li"),
    "contest": (shots.contest, ".teams"),
    "entered": (entered, ".teams"),
    "contest-oracle": (contest_oracle, ".guess"),
    "oracle": (shots.oracle, ".guess"),
    "waiting": (waiting, "main .list li"),
}
"""The way there, and a selector of the page after its reload."""


def main() -> None:
    """Record them all, or those that are named."""
    shots.built()
    with (
        tempfile.TemporaryDirectory() as folder,
        chromium() as browser,
        in_a_thread(shots.app(folder)) as arena,
    ):
        shots.company(arena)
        for name in sys.argv[1:] or STAGES:
            ada = Visitor(browser.new_context(reduced_motion="reduce"), arena).named("Ada")
            reach, ready = STAGES[name]
            reach(ada)
            press = "Review my decisions" if name == "review" else None
            record(ada.page, name, ready, press)
            ada.context.close()


if __name__ == "__main__":
    main()
