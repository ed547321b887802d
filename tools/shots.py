"""Pictures of every screen of the page, from the real page: ``python tools/shots.py``.

An arena is opened on this machine, games are played in Chromium as a person plays them, and each
screen is saved to ``docs/pictures/``: light, dark, and on a phone. Names are given as arguments to
make only some of them: ``python tools/shots.py lobby fatestones``.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, Route

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.helpers.arena import in_a_thread  # noqa: E402
from tests.helpers.browser import chromium  # noqa: E402
from tests.helpers.page import page as built  # noqa: E402
from tests.helpers.visitor import Visitor  # noqa: E402

from fairground.clients.http import Http  # noqa: E402
from fairground.clients.oracles import Arena, Oracle  # noqa: E402
from fairground.games.codebreaking.rules import marks  # noqa: E402
from fairground.server.app import make_app  # noqa: E402 (found by the line above)
from fairground.server.croupier.opened import ArenaCroupier, CroupierPlace  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
VIEWS: dict[str, dict[str, Any]] = {
    "": {"viewport": {"width": 1280, "height": 860}, "color_scheme": "light"},
    "-dark": {"viewport": {"width": 1280, "height": 860}, "color_scheme": "dark"},
    "-phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "has_touch": True,
        "is_mobile": True,
    },
}
COLOURS = 256


def company(arena: str) -> None:
    """Fill the lobby: open tables, and a contest with standings."""
    http = Http()
    seats = [{"name": "Linus", "lends": "chain"}, {"name": "Open seat", "open": True}]
    http.post(f"{arena}/tables", {"game": "fatestones/1", "listed": True, "seats": seats})
    seats = [
        {"name": "Grace", "lends": "chain"},
        {"name": "Cautious", "player": "cautious"},
        {"name": "Open seat", "open": True},
    ]
    wanted = {"game": "zombie/2", "params": {"players": 3}, "listed": True, "seats": seats}
    http.post(f"{arena}/tables", wanted)
    contest = Arena(arena).new_contest({"base": 5, "length": 3, "games": 12})
    for team, place in (("Ada", 2), ("Linus", 1), ("Grace", 0)):
        for oracle in contest.enter(team, "1").oracles:
            find(oracle, place)


def find(oracle: Oracle, place: int) -> None:
    """Break a code with codes that fit: the middle one of them, one early on, or the first."""
    codes, full = list(product(range(5), repeat=3)), 0
    while full < 3:
        guess = codes[len(codes) * place // 4]
        counts = oracle.submit(guess)
        full = counts.full
        codes = [code for code in codes if marks(code, guess) == (counts.full, counts.partial)]


def lobby(ada: Visitor) -> None:
    """With a game of one's own that waits."""
    ada.starts("FateStones", "vs Random")
    ada.page.wait_for_selector("[data-asked]")
    ada.page.goto(f"{ada.url}/#/")
    ada.page.locator(".list.mine .tag.you").wait_for()
    ada.page.locator(".list").get_by_text("Linus").wait_for()
    ada.page.locator(".iv svg").wait_for()


def fatestones(ada: Visitor) -> None:
    """Before the choice is sealed, with the coach's advice."""
    ada.starts("FateStones", "vs Optimal")
    ada.page.wait_for_selector("[data-asked]")
    ada.page.keyboard.press("2")
    ada.page.get_by_role("button", name="Hint").click()
    ada.page.locator(".hintbox").wait_for()


def take_the_first(page: Page) -> None:
    """A move in FateStones."""
    page.keyboard.press("1")
    page.keyboard.press("Enter")


def verdict(ada: Visitor) -> None:
    """The stamp."""
    ada.starts("FateStones", "vs Optimal")
    ada.plays(take_the_first)


def replay(ada: Visitor) -> None:
    """A moment of the past, with its bytes."""
    verdict(ada)
    ada.page.locator(".ticket .n").nth(4).click()
    ada.page.locator(".bytes").wait_for()


def intransitive(ada: Visitor) -> None:
    """Dice that beat each other in a circle."""
    ada.starts("Intransitive dice")
    ada.page.locator("label.stone").last.click()


def codebreaking(ada: Visitor) -> None:
    """In the middle of the board."""
    ada.starts("Code breaking", "an evil keeper")
    for row, guess in enumerate(("0012", "1334", "2545")):
        ada.page.locator(".entry").wait_for()
        ada.page.keyboard.type(guess)
        ada.page.keyboard.press("Enter")
        ada.page.locator(".guess .left").nth(row).wait_for()
    ada.page.locator(".entry").wait_for()
    ada.page.keyboard.type("01")


def keeper(ada: Visitor) -> None:
    """The other side of the board."""
    ada.starts("Code breaking", "I keep the code")
    ada.page.get_by_role("button", name="1 in place, 1 elsewhere:").click()
    ada.page.locator(".guess").nth(1).wait_for()
    ada.page.locator(".reply").first.wait_for()


def zombie(ada: Visitor) -> None:
    """Some brains, perhaps a shotgun."""
    ada.starts("Zombie Dice", "vs Cautious")

    def roll(page: Page) -> None:
        page.wait_for_selector("[data-asked]")
        lines = page.locator("[data-lines]").get_attribute("data-lines")
        page.keyboard.press("r")
        page.locator(f"[data-lines]:not([data-lines='{lines}'])").wait_for()
        page.wait_for_selector("[data-asked]")

    roll(ada.page)
    while ada.page.get_by_role("button", name="Stop and score").is_disabled():
        roll(ada.page)


def review(ada: Visitor) -> None:
    """The review of a wasteful breaker."""
    ada.page.goto(f"{ada.url}/#/play/codebreaking%2F1")
    for label, value in (("base", "3"), ("length", "3")):
        ada.page.get_by_label(label).fill(value)
    ada.page.get_by_label("oracle").select_option("evil")
    ada.page.get_by_label("Seat 1, keeper").select_option("evil")
    ada.page.get_by_role("button", name="Open the table").click()
    guesses = ["000", "000", *("".join(code) for code in product("012", repeat=3))]

    def ask(page: Page) -> None:
        page.keyboard.type(guesses.pop(0))
        page.keyboard.press("Enter")

    ada.plays(ask)
    ada.page.get_by_role("button", name="Review my decisions").click()
    ada.page.locator(".review .sum").wait_for()


def practise(ada: Visitor) -> None:
    """A decision that is tried again."""
    review(ada)
    ada.page.goto(f"{ada.url}/#/practise")
    ada.page.locator(".entry").wait_for()
    ada.page.keyboard.type("012")
    ada.page.keyboard.press("Enter")
    ada.page.locator(".alternatives").wait_for()


def croupier(ada: Visitor) -> None:
    """A hand that waits for a choice, with the coach's advice."""
    ada.page.goto(f"{ada.url}/#/croupier")
    ada.page.get_by_role("button", name="Bring 200 play chips").click()
    ada.page.locator("[data-chips='200']").wait_for()
    ada.page.get_by_role("button", name="Deal").click()
    ada.page.locator("[data-stage=choose]").wait_for()
    ada.page.keyboard.press("2")
    ada.page.keyboard.press("h")
    ada.page.locator(".hintbox").wait_for()


def node(ada: Visitor) -> None:
    """A Croupier who plays at a contract."""

    def on_a_chain(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | {"chain": 11155111})

    ada.context.route("**/croupier", on_a_chain)
    ada.page.goto(f"{ada.url}/#/croupier")
    ada.page.get_by_label("The address of the node").wait_for()


def contest(ada: Visitor) -> None:
    """Standings with intervals."""
    ada.page.goto(f"{ada.url}/#/contests")
    ada.page.locator(".list a").first.click()
    ada.page.locator(".teams").first.wait_for()


def oracle(ada: Visitor) -> None:
    """A code, found by hand."""
    made = Arena(ada.url).new_oracle()
    ada.page.goto(f"{ada.url}/#/oracle/{made.uri.rpartition('/')[2]}")
    for row, guess in enumerate(("0012", "1334")):
        ada.page.locator(".entry").wait_for()
        ada.page.keyboard.type(guess)
        ada.page.keyboard.press("Enter")
        ada.page.locator(".guess .left").nth(row).wait_for()


def page_of(place: str, waits: str) -> Callable[[Visitor], None]:
    """A page that is there without a game."""

    def go(ada: Visitor) -> None:
        ada.page.goto(f"{ada.url}/#/{place}")
        ada.page.locator(waits).first.wait_for()

    return go


def new_game(ada: Visitor) -> None:
    """Seats and players of the game."""
    ada.page.goto(f"{ada.url}/#/play/zombie%2F2")
    ada.page.get_by_label("How many seats").fill("3")
    ada.page.get_by_label("Seat 1, zombie").select_option("open")


def verify(ada: Visitor) -> None:
    """A file that was saved and dropped again."""
    verdict(ada)
    with tempfile.TemporaryDirectory() as folder:
        with ada.page.expect_download() as saving:
            ada.page.get_by_role("button", name="Save the game").click()
        saving.value.save_as(Path(folder) / "game.jsonl")
        ada.page.goto(f"{ada.url}/#/verify")
        ada.page.locator("input[type=file]").set_input_files(Path(folder) / "game.jsonl")
        ada.stamp.wait_for()


def cheated(ada: Visitor) -> None:
    """An arena that changes a line afterwards."""
    verdict(ada)
    table = ada.page.url.partition("#/seat/")[2].partition("/")[0]

    def forge(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(
            response=answer, body=answer.text().replace('"draws":[[32,', '"draws":[[32,1', 1)
        )

    ada.context.route("**/transcript?*", forge)
    ada.page.goto(f"{ada.url}/#/table/{table}")
    ada.page.locator(".alarm").wait_for()


SCREENS: dict[str, Callable[[Visitor], None]] = {
    "lobby": lobby,
    "fatestones": fatestones,
    "verdict": verdict,
    "replay": replay,
    "intransitive": intransitive,
    "codebreaking": codebreaking,
    "keeper": keeper,
    "zombie": zombie,
    "review": review,
    "practise": practise,
    "tables": page_of("tables", ".list li"),
    "contests": page_of("contests", "main form"),
    "contest": contest,
    "oracle": oracle,
    "bots": page_of("bots", "main h1"),
    "croupier": croupier,
    "node": node,
    "new-game": new_game,
    "verify": verify,
    "cheated": cheated,
}


def shoot(browser: Browser, arena: str, names: list[str]) -> None:
    """One picture of each screen in each view."""
    for name in names:
        for ending, options in VIEWS.items():
            context = browser.new_context(reduced_motion="reduce", **options)
            ada = Visitor(context, arena).named("Ada")
            SCREENS[name](ada)
            path = PICTURES / f"{name}{ending}.png"
            ada.page.evaluate("document.activeElement?.blur(); scrollTo(0, 0)")
            ada.page.screenshot(path=path, full_page=ending != "-phone")
            context.close()
            picture = Image.open(path).convert("RGB")
            picture.quantize(COLOURS, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)
            sys.stdout.write(f"{path.relative_to(ROOT)} {path.stat().st_size // 1024} kB\n")


def app(folder: str) -> Any:
    """An arena with a Croupier at a ledger of play money."""
    croupier = ArenaCroupier(CroupierPlace())
    return make_app(f"sqlite:///{folder}/arena.db", croupier=croupier)


def main() -> None:
    """Make them all, or those that are named."""
    built()
    PICTURES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        chromium() as browser,
        in_a_thread(app(folder)) as arena,
    ):
        company(arena)
        shoot(browser, arena, sys.argv[1:] or list(SCREENS))


if __name__ == "__main__":
    main()
