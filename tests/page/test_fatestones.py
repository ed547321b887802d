"""FateStones from the lobby to the stamp, its replay, and the file that is saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fairground.arena.app import make_app
from fairground.verify import verify
from tests.helpers.arena import in_a_thread
from tests.helpers.page import page
from tests.helpers.visitor import visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    page()
    folder = tmp_path_factory.mktemp("arena")
    with in_a_thread(make_app(f"sqlite:///{folder / 'arena.db'}")) as url:
        yield url


def take_the_first(page: Page) -> None:
    """By keys alone."""
    lines = page.locator("[data-lines]").get_attribute("data-lines")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"[data-lines]:not([data-lines='{lines}'])")


def test_from_the_lobby_to_a_checked_proof_and_back_through_it(
    browser: Browser, arena: str, tmp_path: Path
) -> None:
    with visiting(browser, arena) as ada:
        ada.named("Ada").starts("FateStones", "greedy")
        ada.page.wait_for_selector("[data-asked]")
        assert ada.page.title().startswith("● your move")
        ada.plays(take_the_first)
        assert ada.stamp.inner_text().upper() == "HOLDS"
        lines = ada.page.locator(".ticket .n").count()
        assert ada.checks == f"{lines} of {lines} lines check out"

        with ada.page.expect_download() as saving:
            ada.page.get_by_role("button", name="Save the game").click()
        saving.value.save_as(tmp_path / "game.jsonl")
        with ada.page.expect_download() as saving:
            ada.page.get_by_role("button", name="Save the receipts").click()
        saving.value.save_as(tmp_path / "game.receipts")
        saved = (tmp_path / "game.jsonl").read_bytes()
        assert len(saved.splitlines()) == lines
        judged = verify(saved, [])
        assert judged.ok
        claims = ada.page.locator(".claims li")
        assert claims.filter(has_text="UNFORESEEN").count() == 1
        assert "which is only its word" not in claims.filter(has_text="UNIFORM").inner_text()

        ada.page.keyboard.press("ArrowLeft")
        assert ada.page.url.endswith(f"@{lines - 1}")
        ada.page.keyboard.press("Home")
        assert ada.page.url.endswith("@1")
        assert ada.page.locator(".ticket[aria-current=step] .n").inner_text() == "1"
        ada.page.keyboard.press("End")
        assert "@" not in ada.page.url

        ada.page.keyboard.press("l")
        ada.page.locator(".list.mine").get_by_text("holds").wait_for()
