"""Every page, state, width and theme: rules that always hold, and pictures that must stay the same.

``make shots`` makes the pictures again. Look at what changed before you commit them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.helpers.looks import PICTURES, THEMES, Looks, difference, keep
from tests.helpers.stages import staged
from tests.page.screens import SCREENS, Screen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CROUPIER = True
MAKING = bool(os.environ.get("SHOTS"))


SETTLED = """
new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))
"""
"""Effects of a change, such as scrolling to a line, follow the next frame."""


def comes(browser: Browser, arena: str, name: str) -> Page:
    """Open a screen, in its state."""
    screen = SCREENS[name]
    shown = staged(browser, arena, screen.stage, screen.place, seed=name)
    shown.locator(screen.ready).first.wait_for()
    screen.then(shown)
    shown.evaluate(SETTLED)
    return shown


def seen(shown: Page, name: str, screen: Screen) -> list[str]:
    """Return what is wrong: the rules in each width, and the pictures in each width and theme."""
    looks, wrong = Looks(shown), []
    for width in looks.in_every_width():
        wrong += [f"{width} px: {fault}" for fault in looks.faults(screen.chosen)]
        for theme in THEMES:
            path = PICTURES / f"{name}-{width}-{theme}.png"
            picture = looks.picture(theme)
            if MAKING:
                keep(picture, path)
            elif differs := difference(picture, path):
                wrong.append(differs)
    return wrong


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_keeps_the_rules_and_its_looks(browser: Browser, arena: str, name: str) -> None:
    shown = comes(browser, arena, name)
    assert seen(shown, name, SCREENS[name]) == []
    shown.context.close()


BLANK = ".field input, .field select { all: revert; border: 0; min-width: 0; }"
"""The style of forms after the block that gave them one was deleted."""

Defect = tuple[str, Callable[["Page"], object], tuple[str, ...]]
"""The screen that had it, what puts it back, and the rules that must find it."""

DEFECTS: dict[str, Defect] = {
    "fields without a style": (
        "new-codebreaking",
        lambda shown: shown.add_style_tag(content=BLANK),
        ("a field is", "a field has no border"),
    ),
    "a tie that the table does not show": (
        "fatestones-tie",
        lambda shown: shown.evaluate("document.querySelector('.tied').remove()"),
        ("a tie is not visible on the table",),
    ),
    "an index that stays chosen behind a tie": (
        "fatestones-tie",
        lambda shown: shown.evaluate("document.querySelector('.stone input').checked = true"),
        ("1 things are chosen, and a person chose 0",),
    ),
    "a word that lies over another": (
        "fatestones-chosen",
        lambda shown: shown.add_style_tag(
            content=".stone .picked { top: auto !important; bottom: 12px !important;"
            " right: 40% !important }"
        ),
        ("text lies over",),
    ),
    "a button without a name": (
        "zombie",
        lambda shown: shown.evaluate("document.querySelector('.felt .btn').textContent = ''"),
        ("a control has no name",),
    ),
}


@pytest.mark.skipif(MAKING, reason="no defect goes into a reference")
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_old_is_found_by_its_rule_and_by_the_pictures(
    browser: Browser, arena: str, defect: str
) -> None:
    name, put_back, rules = DEFECTS[defect]
    shown = comes(browser, arena, name)
    put_back(shown)
    wrong = seen(shown, name, SCREENS[name])
    shown.context.close()
    for rule in rules:
        assert any(rule in fault for fault in wrong), (rule, wrong)
    assert sum(".png" in fault for fault in wrong) >= 2, wrong
