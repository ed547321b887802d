"""A game that the page has never heard of: played from its declarations alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.helpers.arena import Process
from tests.helpers.browser import faults_of
from tests.helpers.installing import install_newgame
from tests.helpers.page import WEB, page
from tests.helpers.visitor import visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An arena where the example game is installed, in a process of its own."""
    page()
    packages = install_newgame(tmp_path / "packages")
    path = [str(packages), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, path)))
    database = f"sqlite:///{tmp_path / 'arena.db'}"
    with Process(tmp_path, "--no-croupier", "--database", database) as process:
        yield process.url


def test_morra_without_a_line_of_typescript_for_it(browser: Browser, arena: str) -> None:
    assert not any("morra" in path.read_text().lower() for path in WEB.glob("*/*.ts*"))
    with visiting(browser, arena, bypass_csp=True) as ada:
        ada.starts("Two-finger Morra", "vs Random")
        ada.page.wait_for_selector("[data-asked]")
        assert "Round 1 of 3." in ada.page.locator(".felt").inner_text()
        assert faults_of(ada.page) == []
        choices = ada.page.locator(".choices .btn:not(.quiet)")
        assert choices.count() == 2

        def show_two(page: Page) -> None:
            page.keyboard.press("2")

        ada.plays(show_two)
        # The rules are not known here, so the page does not judge them. It says how deep it came.
        assert ada.stamp.inner_text().upper() == "NOT JUDGED"
        assert "all chance and all seals" in ada.page.locator(".verdict").inner_text()
        lines = ada.page.locator(".ticket").count()
        assert ada.checks == f"{lines} of {lines} lines check out"
