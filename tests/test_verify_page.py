"""verify.html from a disk, in a real browser without a network: as `fairground verify` judges.

``make campaign`` brings a thousand honest records and ten thousand forged ones before it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import fairground as fg
from fairground.bank.audit import verify_session
from fairground.contest.file import check
from fairground.core import FairgroundError
from fairground.receipts import found
from fairground.verifier import verify
from tests.helpers.browser import Theme, faults_of, is_wider_than_its_window
from tests.helpers.forging import events_of, rechain
from tests.helpers.page import WEB, page
from tests.helpers.places import DATA, ROOT, TESTS
from tests.helpers.width import WIDE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

GAMES = TESTS / "vectors" / "games"
SAMPLE = WEB / "verify" / "sample.jsonl"
STAMPS = {
    "valid": "Valid",
    "invalid": "Invalid",
    "unfinished": "Unfinished",
    "cannot be judged": "Not judged",
}
RECORDS = [
    *sorted((TESTS / "playthroughs").glob("*chain*.jsonl"))[::4],
    *sorted(GAMES.glob("receipts-*.jsonl"))[::6],
    *sorted(GAMES.glob("refused-*.jsonl"))[::12],
    *sorted(GAMES.glob("unfinished-*.jsonl"))[:1],
    GAMES / "croupier-at-home.jsonl",
    GAMES / "refused-dice--another-game.jsonl",
    DATA / "claims" / "G-name-prints-claims.jsonl",
]


@contextmanager
def opened(browser: Browser, theme: Theme = "light", width: int = 1280) -> Iterator[Page]:
    """The page, from its file, with the network cut: it must not ask for anything."""
    context = browser.new_context(
        offline=True,
        color_scheme=theme,
        viewport={"width": width, "height": 800},
        reduced_motion="reduce",
    )
    asked: list[str] = []
    wrong: list[str] = []
    tab = context.new_page()
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda said: wrong.append(said.text))
    url = (page() / "verify.html").as_uri()
    tab.goto(url)
    settle(tab)
    yield tab
    assert [one for one in asked if not one.startswith("data:")] == [url]
    assert wrong == []
    context.close()


def settle(tab: Page) -> None:
    """Until it has judged what it looks at."""
    tab.wait_for_selector("main[aria-busy=false] .stamp", state="attached")


def drop(tab: Page, *paths: Path) -> None:
    tab.set_input_files("input[type=file]", list(paths))
    tab.wait_for_selector(f".chip >> text={paths[0].name}")
    settle(tab)


def with_receipts(path: Path) -> list[Path]:
    beside = path.with_suffix(".receipts")
    return [path, beside] if beside.exists() else [path]


def told(tab: Page) -> dict[str, Any]:
    """What the page says of what it looks at."""
    settle(tab)
    said: dict[str, Any] = tab.evaluate(
        """() => {
          const text = (found) => found?.textContent.trim() ?? null;
          const all = (chosen, from = document) => [...from.querySelectorAll(chosen)];
          return {
            stamp: text(document.querySelector(".stamp")),
            fault: text(document.querySelector(".fault .mono")),
            about: text(document.querySelector(".about")),
            status: text(document.querySelector("[role=status]")),
            result: text(document.querySelector(".result")),
            answers: all(".answers > div").map((one) => [
              text(one.querySelector("dt")),
              text(one.querySelector("dd strong")),
              text(one.querySelector("dd span")),
            ]),
            claims: all(".claims li").map((one) => [
              text(one.querySelector(".tag-line")),
              text(one.querySelector("p")),
            ]),
          };
        }"""
    )
    return said


def payoff_of(about: str | None) -> list[int]:
    signed = re.findall(r"\u00a0([+−]?[\d,]+)(?= ·|$)", about or "")
    return [int(one.replace(",", "").replace("−", "-")) for one in signed]


def must_agree(tab: Page, path: Path) -> None:
    """The page and `fairground verify` on one record, with the receipts beside it."""
    drop(tab, *with_receipts(path))
    theirs = told(tab)
    data = path.read_bytes()
    try:
        ours = verify(data, found(path, data))
    except FairgroundError:  # not even a transcript
        assert theirs["stamp"] == STAMPS["cannot be judged"], path
        return
    assert theirs["stamp"] == STAMPS[ours.judged], path
    code = theirs["fault"] and theirs["fault"].partition(": ")[0]
    assert code == (ours.fault and ours.fault.code), path
    assert theirs["claims"] == [[claim.name, claim.sentence] for claim in ours.claims], path
    assert payoff_of(theirs["about"]) == list(ours.payoff or ()), path
    assert theirs["result"] == ours.result, path
    answers = [[answer.label, answer.answer or "–", answer.says] for answer in ours.answers]
    assert theirs["answers"] == (answers if ours.ok else []), path


def test_it_says_what_verify_says(browser: Browser) -> None:
    with opened(browser) as tab:
        for path in RECORDS:
            must_agree(tab, path)


if WIDE:

    def test_of_thousands_too(browser: Browser, tmp_path: Path) -> None:
        """A thousand honest records and ten thousand forged ones."""
        subprocess.run(
            [sys.executable, ROOT / "tools" / "checker_campaign.py", "--seed", "page",
             "--made", "1000", "--mutants", "10000", "--out", tmp_path],
            check=True,
        )  # fmt: skip
        with opened(browser) as tab:
            for path in sorted(tmp_path.glob("*.jsonl")):
                must_agree(tab, path)


def test_a_long_record_leaves_the_page_alive(browser: Browser, tmp_path: Path) -> None:
    """While it is checked, other things happen: a clock of the page ticks, and it says how far."""
    table = fg.open("zombie", players=2, max_turns=300, seats=["random", "random"], seed="long")
    table.play()
    path = tmp_path / "long.jsonl"
    path.write_bytes(bytes(table))
    with opened(browser) as tab:
        tab.evaluate(
            """() => {
              globalThis.ticks = 0;
              const tick = () => {
                if (document.querySelector("main").ariaBusy === "true") globalThis.ticks++;
                setTimeout(tick);
              };
              tick();
            }"""
        )
        must_agree(tab, path)
        assert tab.evaluate("globalThis.ticks") > 2  # at once it would be one


def test_the_record_of_a_session_too(browser: Browser, tmp_path: Path) -> None:
    whole = DATA / "sessions" / "evening.jsonl"
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(whole.read_bytes().replace(b'"hands":3', b'"hands":4'))
    with opened(browser) as tab:
        drop(tab, whole)
        assert told(tab)["stamp"] == "Valid"
        ours = verify_session(whole.read_bytes())
        assert told(tab)["result"] == ours.result == "The Player loses 8 chips in 3 hands."
        assert [says for *_, says in told(tab)["answers"]] == [a.says for a in ours.answers]
        drop(tab, forged)
        assert told(tab)["stamp"] == "Invalid"


@pytest.mark.parametrize("name", ["contest", "contest-refused-standings"])
def test_a_contest_too(browser: Browser, name: str) -> None:
    path = GAMES / f"{name}.jsonl"
    ours = check(path.read_bytes())
    with opened(browser) as tab:
        drop(tab, path)
        theirs = told(tab)
        rows = tab.locator("tbody tr").count()
    assert theirs["stamp"] == ("Valid" if ours.ok else "Invalid")
    assert theirs["claims"] == [[claim.name, claim.sentence] for claim in ours.claims]
    table = ours.table or {"official": [], "training": []}
    assert rows == len(table["official"]) + len(table["training"])


def test_a_newcomer_sees_it_catch_two_forgeries(browser: Browser) -> None:
    with opened(browser) as tab:
        assert told(tab)["stamp"] == "Valid"
        tab.get_by_role("button", name="Change one digit").click()
        assert told(tab)["fault"].startswith("transcript/broken-chain")
        assert tab.locator(".ticket.bad .n").text_content() == "12"
        tab.get_by_role("button", name="Forge it better").click()
        assert told(tab)["fault"].startswith("table/mismatch")
        assert tab.locator(".ticket.bad .n").text_content() == "12"
        tab.get_by_role("button", name="Undo").click()
        assert told(tab)["status"].startswith("Valid.")


def test_every_forgery_of_a_record_that_holds_is_caught(browser: Browser) -> None:
    with opened(browser) as tab:
        for path in sorted((TESTS / "playthroughs").glob("*.jsonl"))[::3]:
            drop(tab, path)
            for button in ("Change one digit", "Forge it better"):
                tab.get_by_role("button", name=button).click()
                assert told(tab)["stamp"] == "Invalid", (path.name, button)


def cut_short(data: bytes) -> bytes:
    """A game up to its first decision, and then the word that seat 1 left: all hashes fit."""
    events = events_of(data)
    first = next(i for i, event in enumerate(events) if event["kind"] in ("seal", "move"))
    left = {"kind": "forfeit", "seat": 1, "by": "seat", "reason": "sorry, I have to go"}
    return rechain([*events[:first], left, {"kind": "end", "payoff": [1, -1]}])


def test_a_game_cut_short_is_not_said_to_be_whole(browser: Browser, tmp_path: Path) -> None:
    """Hashes show that a file agrees with itself. Only receipts show what was left out."""
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(cut_short(SAMPLE.read_bytes()))
    assert verify(cut.read_bytes()).ok
    with opened(browser) as tab:
        drop(tab, cut)
        assert told(tab)["stamp"] == "Valid"
        text = tab.locator("main").inner_text()
        assert not re.search("taken out|no line was", text, re.IGNORECASE)
        assert "Whether lines were left out or written anew, only receipts show" in text
        drop(tab, cut, SAMPLE.with_suffix(".receipts"))
        assert told(tab)["fault"].startswith("transcript/receipt")


def test_no_text_says_that_hashes_show_a_whole_game() -> None:
    """Nor that a record alone convinces everybody: nothing is signed."""
    texts = [*WEB.glob("words/*.ts"), WEB / "words.ts", WEB / "verify" / "words.ts"]
    texts += [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    for path in texts:
        text = " ".join(path.read_text().split())
        for wrong in ("no line was changed", "caught all the same", "prove it to anyone"):
            assert wrong not in text.lower(), path


def test_receipts_count_and_can_be_taken_away(browser: Browser) -> None:
    head = json.loads(SAMPLE.with_suffix(".receipts").read_text().splitlines()[0])["head"]
    with opened(browser) as tab:
        tab.get_by_role("button", name="Take example.receipts away").click()
        assert "ORDERED" not in dict(told(tab)["claims"])
        tab.get_by_label("A receipt that you kept").fill(head)
        tab.keyboard.press("Enter")
        assert "lines 1 to 2 stood" in dict(told(tab)["claims"])["ORDERED"]
        tab.get_by_label("A receipt that you kept").fill("5e" * 32)
        tab.keyboard.press("Enter")
        assert told(tab)["fault"].startswith("transcript/receipt")


def test_the_bytes_behind_a_step_are_those_of_the_record(browser: Browser) -> None:
    line = json.loads(SAMPLE.read_text().splitlines()[11])
    with opened(browser) as tab:
        step = tab.locator(".ticket", has_text="The dice were rolled")
        step.locator("summary").click()
        step.locator(".draws").wait_for()
        shown = (step.locator("details").text_content() or "").replace(" ", "")
        assert line["evidence"]["link"] in shown
        assert '"fairground/chains-stream/1"' in shown
        assert all(f"mod6={value}" in shown for _, value in line["draws"])


def test_what_a_file_says_stays_text(browser: Browser, tmp_path: Path) -> None:
    """Names of files and seats are shown, and never become elements."""
    evil = tmp_path / "<img src=x onerror=alert(1)>.jsonl"
    evil.write_bytes((DATA / "claims" / "G-name-prints-claims.jsonl").read_bytes())
    with opened(browser) as tab:
        drop(tab, evil)
        assert tab.locator("img").count() == 0
        assert "\x1b" not in (tab.text_content("body") or "")


def test_it_says_of_nothing_that_it_was_fixed_where_nothing_was(browser: Browser) -> None:
    with opened(browser) as tab:
        drop(tab, TESTS / "playthroughs" / "intransitive-1-seed--system-plain.jsonl")
        assert told(tab)["stamp"] == "Valid"
        assert told(tab)["claims"] == []
        assert "fixed" not in (tab.text_content("main") or "").lower()


def test_values_of_any_kind_are_judged(browser: Browser, tmp_path: Path) -> None:
    """An object where a seat belongs, and the like: forged records have everything."""
    events = events_of(SAMPLE.read_bytes())
    places = [
        (number, member)
        for number, event in enumerate(events)
        for member in sorted(set(event) - {"prev"})
    ]
    with opened(browser) as tab:
        for number, member in places[:: 1 if WIDE else 4]:
            path = tmp_path / f"{number}-{member}.jsonl"
            forged = [dict(one) for one in events]
            forged[number][member] = {"odd": [None]}
            path.write_bytes(rechain(forged))
            must_agree(tab, path)


@pytest.mark.parametrize(("theme", "width"), [("light", 320), ("dark", 1280)])
def test_it_is_for_everybody(browser: Browser, theme: Theme, width: int) -> None:
    context = browser.new_context(
        offline=True, bypass_csp=True, color_scheme=theme, reduced_motion="reduce",
        viewport={"width": width, "height": 800},
    )  # fmt: skip
    tab = context.new_page()
    tab.goto((page() / "verify.html").as_uri())
    tab.locator("summary").nth(4).click()
    tab.locator(".working").first.wait_for()
    assert faults_of(tab) == []
    assert not is_wider_than_its_window(tab)
    tab.get_by_role("button", name="Forge it better").click()
    settle(tab)
    assert faults_of(tab) == []
    drop(tab, GAMES / "contest.jsonl")
    assert faults_of(tab) == []
    assert not is_wider_than_its_window(tab)
    context.close()


def test_the_keyboard_suffices(browser: Browser) -> None:
    with opened(browser) as tab:
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.textContent") == "Skip to the verdict"
        tab.keyboard.press("Enter")
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        assert told(tab)["stamp"] == "Invalid"
