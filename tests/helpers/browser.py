"""A real browser for tests: Debian's Chromium, driven by Playwright, and axe for accessibility.

Playwright keeps an event loop running in the thread of the tests while it is open. So the browser
lives as long as a module of tests, or as the folder ``tests/page``. These tests do not call
``asyncio.run``: their arena runs in a thread or a process of its own (`tests.helpers.arena`).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import pytest

from tests.helpers.places import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Theme = Literal["light", "dark"]

ELSEWHERE = "arena.example"

QUIET = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # A name that is not this machine's own: browsers do not trust a plain connection to it.
    f"--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1",
]
AXE = ROOT / "tools" / "node" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run Chromium without a window."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        raise FileNotFoundError("chromium is missing: see debian-packages.txt")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for a module of tests."""
    with chromium() as opened:
        yield opened


@cache
def _axe() -> str:
    return AXE.read_text()


def faults_of(page: Page) -> list[str]:
    """Return the faults that axe finds on a page as it is now: rule and elements. Its context needs
    ``bypass_csp=True``, since our policies admit no script but our own."""
    page.evaluate(_axe())
    run = f"axe.run(document, {{runOnly: {json.dumps(RULES)}, resultTypes: ['violations']}})"
    found: dict[str, Any] = page.evaluate(run)
    return [
        f"{one['id']}: {one['help']}: {node['target']}: {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


CUT_OFF = """() => [...document.querySelectorAll('header.top *, main *')].filter(one => {
  if (one.closest('.sr, svg, meter, dialog') || !one.getClientRects().length) return false;
  const scrolls = (box) => box && (['auto', 'scroll'].includes(getComputedStyle(box).overflowX)
    || scrolls(box.parentElement));
  const out = one.getBoundingClientRect().right > innerWidth + 1 && !scrolls(one);
  return out || (one.matches('nav, .tag, .seat') && one.scrollWidth > one.clientWidth + 1);
}).map(one => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`)"""


def cut_off(page: Page) -> list[str]:
    """Return the elements that stick out of the window, or are cut in their box."""
    found: list[str] = page.evaluate(CUT_OFF)
    return found


def is_wider_than_its_window(page: Page) -> bool:
    """Return True if reading needs sideways scrolling."""
    root = "document.documentElement"
    wider: bool = page.evaluate(f"{root}.scrollWidth > {root}.clientWidth")
    return wider
