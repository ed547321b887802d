"""Every page of the arena in the states that people see: how to get there, and what is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.helpers.page import WEB

if TYPE_CHECKING:
    from playwright.sync_api import Page

Step = Callable[["Page"], object]


def nothing(page: Page) -> None:
    """Leave the page as it is."""


@dataclass(frozen=True)
class Screen:
    """A page in a state. It stands on a stage, or at a ``place`` of the arena."""

    ready: str
    """Selector of an element of the finished page."""
    stage: str | None = None
    place: str = ""
    then: Step = nothing
    chosen: int = 0
    """Number of things that a person has chosen on the table."""


def pressing(*keys: str) -> Step:
    def press(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return press


def clicking(name: str, wait: str) -> Step:
    def click(page: Page) -> None:
        page.get_by_role("button", name=name, exact=True).first.click()
        page.locator(wait).first.wait_for()

    return click


def both(*steps: Step) -> Step:
    def take(page: Page) -> None:
        for step in steps:
            step(page)

    return take


def dropping(name: str, content: bytes, wait: str) -> Step:
    def drop(page: Page) -> None:
        file = {"name": name, "mimeType": "text/plain", "buffer": content}
        page.locator("input[type=file]").first.set_input_files(file)  # type: ignore[arg-type]
        page.locator(wait).first.wait_for()

    return drop


SAMPLE: Final = (WEB / "verify" / "sample.jsonl").read_bytes()
FORGED: Final = SAMPLE.replace(b'"kind":"open"', b'"kind":"opem"', 1)
BRING: Final = clicking("Bring 200 play chips", "[data-chips='200']")

SCREENS: Final = {
    "lobby": Screen(".iv svg", stage="lobby"),
    "lobby-empty": Screen(".game", place="/"),
    "keys": Screen(".game", place="/", then=pressing("?")),
    "new-zombie": Screen("main form", place="/play/zombie%2F2"),
    "new-codebreaking": Screen("main form", place="/play/codebreaking%2F1"),
    "fatestones": Screen("[data-asked]", stage="fatestones"),
    "fatestones-chosen": Screen("[data-asked]", stage="fatestones", then=pressing("2"), chosen=1),
    "fatestones-tie": Screen("[data-asked]", stage="tie"),
    "fatestones-over": Screen(".stamp", stage="fatestones-over"),
    "fatestones-replay": Screen(".stamp", stage="fatestones-over", then=pressing("Home")),
    "watching": Screen(".stamp", stage="watching"),
    "intransitive": Screen("[data-asked]", stage="intransitive"),
    "intransitive-over": Screen(".stamp", stage="intransitive-over"),
    "codebreaking": Screen(".entry", stage="codebreaking"),
    "codebreaking-typed": Screen(".entry", stage="codebreaking", then=pressing("0", "1"), chosen=2),
    "codebreaking-large": Screen(".entry", stage="codebreaking-large"),
    "keeper": Screen(".reply", stage="keeper"),
    "zombie": Screen("[data-asked]", stage="zombie"),
    "zombie-over": Screen(".stamp", stage="zombie-over"),
    "poker": Screen("[data-asked]", stage="poker"),
    "poker-held": Screen("[data-asked]", stage="poker", then=pressing("1", "3"), chosen=2),
    "review": Screen(
        ".stamp", stage="review", then=clicking("Review my decisions", ".review .sum")
    ),
    "practise": Screen(".entry", stage="practise"),
    "practise-empty": Screen("h1", place="/practise"),
    "waiting": Screen("main .list li", stage="waiting"),
    "tables": Screen(".list li", stage="tables"),
    "contests": Screen(".list li", stage="contests"),
    "contest": Screen(".teams", stage="contest"),
    "contest-entered": Screen(".teams", stage="entered"),
    "contest-game": Screen(".guess", stage="contest-oracle"),
    "oracle": Screen(".guess", stage="oracle"),
    "bots": Screen("main h1", place="/bots"),
    "verify": Screen(".zone", place="/verify"),
    "verify-holds": Screen(".zone", place="/verify", then=dropping("g.jsonl", SAMPLE, ".stamp")),
    "verify-forged": Screen(".zone", place="/verify", then=dropping("g.jsonl", FORGED, ".stamp")),
    "verify-letter": Screen(
        ".zone", place="/verify", then=dropping("letter.txt", b"Dear Ada,\n", ".stamp")
    ),
    "not-found": Screen("main", place="/nowhere"),
    "croupier": Screen("[data-chips='0']", place="/croupier"),
    "croupier-chips": Screen("[data-chips='0']", place="/croupier", then=BRING),
    "croupier-save-key": Screen(
        "[data-chips='0']", place="/croupier", then=clicking("Save the key", "#key-again")
    ),
    "croupier-open-key": Screen(
        "[data-chips='0']", place="/croupier", then=clicking("Use a saved key", "#key-file")
    ),
    "verify-html": Screen(".zone", place="verify.html"),
    "verify-html-holds": Screen(
        ".zone", place="verify.html", then=clicking("Try the example", ".stamp")
    ),
}
"""By name. The pictures have these names, too."""
