"""A person with a browser, who acts on the page in the words of the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, Route

PATIENCE = 20_000
"""Milliseconds that anything may take on a loaded machine."""


class Visitor:
    """One browser with its own secrets; it may open several tabs."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context = context
        self.url = url
        self.troubles: list[str] = []
        """Complaints of its tabs: script errors, and loads that a policy stopped."""
        context.set_default_timeout(PATIENCE)
        self.page = self.tab()

    def tab(self, place: str = "") -> Page:
        """A further tab."""
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("console", self._hears)
        page.goto(f"{self.url}/{place}")
        return page

    def _hears(self, said: ConsoleMessage) -> None:
        if said.type == "error" and "Failed to load resource" not in said.text:
            self.troubles.append(said.text)

    def named(self, name: str) -> Visitor:
        """Tells the page a name."""
        self.page.get_by_label("Your name").fill(name)
        self.page.get_by_label("Your name").blur()
        return self

    def starts(self, title: str, against: str | None = None) -> None:
        """One click in the lobby."""
        if against:
            self.page.get_by_label(f"Opponent in {title}").select_option(label=against)
        self.page.get_by_role("button", name=f"Play {title}", exact=True).click()
        self.page.wait_for_url(re.compile("#/seat/"))

    @property
    def stamp(self) -> Locator:
        """The verdict, once the game is over."""
        return self.page.locator(".stamp")

    @property
    def checks(self) -> str:
        """The head of the strip."""
        return self.page.locator(".proof .big").inner_text()

    def plays(self, step: Callable[[Page], None]) -> None:
        """Makes moves by ``step``, each when it is wanted, until the stamp is there."""
        for _ in range(400):
            self.page.locator(".stamp, [data-asked]").first.wait_for()
            if self.stamp.count():
                return
            lines = self.page.locator("[data-lines]").get_attribute("data-lines")
            step(self.page)
            self.page.locator(f"[data-lines]:not([data-lines='{lines}'])").wait_for()
        raise AssertionError("the game does not end")


@contextmanager
def visiting(
    browser: Browser, url: str, routes: Mapping[str, Callable[[Route], None]] = {}, **options: Any
) -> Iterator[Visitor]:
    """A browser for a while. In the end it must not have complained.

    ``routes`` stand between it and the arena: what they do with a request is what it sees.
    """
    context = browser.new_context(**options)
    for pattern, handler in routes.items():
        context.route(pattern, handler)
    visitor = Visitor(context, url)
    try:
        yield visitor
        assert visitor.troubles == []
    finally:
        context.close()
