"""A house that cheats: the strip names the line, and the browser answers no more."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from fairground.clients.http import Http
from fairground.transcript import NO_LINE, canonical, line_hash
from tests.helpers.visitor import visiting
from tests.helpers.width import WIDE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

Events = list[dict[str, Any]]


def chained(events: Events) -> list[bytes]:
    """Return the events as lines, each naming the one before it: a consistent forgery."""
    lines: list[bytes] = []
    for event in events:
        prev = line_hash(lines[-1]) if lines else NO_LINE
        lines.append(canonical(event | {"prev": prev}) + b"\n")
    return lines


def at(events: Events, kind: str, **members: Any) -> int:
    """The first event of a kind: its index, or one behind the last."""
    found = (
        index
        for index, event in enumerate(events)
        if event["kind"] == kind and all(event.get(name) == v for name, v in members.items())
    )
    return next(found, len(events))


def another_deal(events: Events) -> list[bytes]:
    """Deals other dice than the links give, and chains all lines anew."""
    index = at(events, "dealt")
    if index < len(events):
        n, value = events[index]["draws"][0]
        events[index]["draws"][0] = [n, (value + 1) % n]
    return chained(events)


def a_missing_line(events: Events) -> list[bytes]:
    """Takes out the line in which the guest opens the seal, and leaves all others as they are."""
    lines = chained(events)
    index = at(events, "open", seat=1)
    return lines[:index] + lines[index + 1 :]


def a_withheld_line(events: Events) -> list[bytes]:
    """Does not show that it has opened its seal, and asks the guest to open."""
    return chained(events[: at(events, "open", seat=0)])


def another_order(events: Events) -> list[bytes]:
    """Puts the house's seal behind its guest's."""
    mine, theirs = at(events, "seal", seat=1), at(events, "seal", seat=0)
    if mine < len(events):
        events[mine], events[theirs] = events[theirs], events[mine]
    return chained(events)


def words_in_your_mouth(events: Events) -> list[bytes]:
    """Replaces the guest's seal by one whose key the house knows."""
    index = at(events, "seal", seat=1)
    if index < len(events):
        events[index]["commitment"] = "ab" * 32
    return chained(events)


def another_link(events: Events) -> list[bytes]:
    """Reveals a link of another chain than the one that it fixed."""
    index = at(events, "dealt")
    if index < len(events):
        events[index]["evidence"] = {"link": "cd" * 32}
    return chained(events)


def a_line_left_out(events: Events) -> list[bytes]:
    """Leaves out that the guest gave a link at all."""
    index = at(events, "share", share="link")
    return chained(events[:index] + events[index + 1 :])


CHEATS = [
    (another_deal, 5, "not what rules and evidence give"),
    (a_missing_line, 9, "does not name the hash of the line before it"),
    (a_withheld_line, 8, "speaks of this line, and does not show it"),
    (another_order, 6, "It tells two histories"),
    (words_in_your_mouth, 7, "It is not what you answered"),
    (another_link, 5, "does not fit what it had fixed"),
    (a_line_left_out, 4, "Nothing called for this line"),
]
FEWER = [cheat for cheat in CHEATS if cheat[0] not in (another_link, a_line_left_out)]
"""Without those that are found by what finds another one, too."""


@pytest.mark.parametrize(("cheat", "line", "reason"), CHEATS if WIDE else FEWER)
def test_the_strip_names_the_line(
    browser: Browser, arena: str, cheat: Callable[[Events], list[bytes]], line: int, reason: str
) -> None:
    http = Http()

    def forged(route: Route) -> None:
        table, after = re.findall(r"(.*)/transcript\?after=(\d+)", route.request.url)[0]
        honest = http.send("GET", f"{table}/transcript?after=0").data.splitlines()
        events = [json.loads(one) for one in honest]
        for event in events:
            del event["prev"]
        body = b"".join(cheat(events)[int(after) :])
        route.fulfill(body=body, content_type="application/jsonl")

    between = {"**/transcript?*": forged, "**/events": lambda route: route.abort()}
    with visiting(browser, arena, between) as ada:
        ada.starts("FateStones", "vs Random")
        sealed = ada.page.locator("label.stone, .alarm").first
        sealed.wait_for()
        if ada.page.locator("label.stone").count():
            ada.page.keyboard.press("1")
            ada.page.keyboard.press("Enter")
        ada.page.locator(".alarm").wait_for()
        assert reason in ada.page.locator(".alarm").inner_text()
        assert ada.page.locator(".ticket.fault .n").inner_text() == str(line)
        assert ada.page.locator(".proof[data-broken]").count() == 1
        assert ada.checks.startswith(f"{line - 1} of")
        assert ada.page.locator("label.stone").count() == 0
        assert ada.page.get_by_role("button", name="Save the game").is_visible()
        assert ada.stamp.count() == 0
