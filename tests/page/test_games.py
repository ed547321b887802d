"""Each game in the browser, from the lobby to a checked proof."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fairground.clients.table import WAIT, RemoteTable, open_table
from fairground.games.codebreaking import Row, fits
from fairground.verify import verify
from tests.helpers.visitor import Visitor, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


KEPT = {
    "game": "codebreaking/1",
    "params": {"base": 3, "length": 2, "oracle": "evil"},
    "seats": [{"name": "Ada", "lends": "chain"}, {"name": "Bo"}],
}


def says(program: RemoteTable, move: Any) -> None:
    """A move of a program, as soon as it is asked for one."""
    while not program.asks():
        program.look(WAIT)
    program.answer(program.asks()[0], move)
    program.look()


def take_the_first(page: Page) -> None:
    """By keys alone."""
    page.keyboard.press("1")
    page.keyboard.press("Enter")


def saved(visitor: Visitor, button: str, path: Path) -> bytes:
    """What a button of the page saves."""
    with visitor.page.expect_download() as saving:
        visitor.page.get_by_role("button", name=button).click()
    saving.value.save_as(path)
    return path.read_bytes()


def holds(visitor: Visitor) -> None:
    """The stamp says so, and every line has its mark."""
    visitor.stamp.wait_for()
    assert visitor.stamp.inner_text().upper() == "HOLDS"
    lines = visitor.page.locator(".ticket").count()
    assert visitor.page.locator(".mark[data-mark=yes]").count() == lines
    assert visitor.checks == f"{lines} of {lines} lines check out"


def test_fatestones_and_back_through_it(browser: Browser, arena: str, tmp_path: Path) -> None:
    with visiting(browser, arena) as ada:
        ada.named("Ada").starts("FateStones", "vs Greedy")
        ada.page.wait_for_selector("[data-asked]")
        assert ada.page.title().startswith("● your move")
        ada.plays(take_the_first)
        holds(ada)

        record = saved(ada, "Save the game", tmp_path / "game.jsonl")
        saved(ada, "Save the receipts", tmp_path / "game.receipts")
        lines = len(record.splitlines())
        shown = ada.page.locator(".claims li").all_inner_texts()
        assert not any("which is only its word" in claim for claim in shown)
        judged = verify(record)
        assert {str(claim).partition(":")[0] for claim in judged.claims} | {"ORDERED"} == {
            claim.splitlines()[-1].partition(" ")[0] for claim in shown
        }

        ada.page.keyboard.press("ArrowLeft")
        assert ada.page.url.endswith(f"@{lines - 1}")
        ada.page.keyboard.press("Home")
        assert ada.page.url.endswith("@1")
        assert ada.page.locator(".ticket[aria-current=step] .n").inner_text() == "1"
        # A link to a moment is for others: it must not hold the secret of the seat.
        ada.context.grant_permissions(["clipboard-read", "clipboard-write"])
        ada.page.get_by_role("button", name="Copy the link").click()
        ada.page.get_by_text("Copied").wait_for()
        table = re.findall("#/seat/([^/]+)/", ada.page.url)[0]
        copied = ada.page.evaluate("navigator.clipboard.readText()")
        assert copied == f"{arena}/#/table/{table}@1"
        ada.page.keyboard.press("End")
        assert "@" not in ada.page.url

        ada.page.goto(f"{arena}/#/verify")
        files = [tmp_path / "game.jsonl", tmp_path / "game.receipts"]
        ada.page.locator("input[type=file]").set_input_files(files)
        ada.stamp.wait_for()
        assert ada.stamp.inner_text().upper() == "HOLDS"
        assert ada.page.locator(".claims li").all_inner_texts() == shown

        ada.page.keyboard.press("l")
        ada.page.locator(".list.mine").get_by_text("holds").wait_for()


def test_intransitive_dice(browser: Browser, arena: str) -> None:
    with visiting(browser, arena) as ada:
        ada.starts("Intransitive dice")

        def take_one(page: Page) -> None:
            page.locator("label.stone").first.click()
            page.get_by_role("button", name="Take it").click()

        ada.plays(take_one)
        holds(ada)
        circle = ada.page.locator("svg.circle").get_attribute("aria-label")
        assert circle == "A beats B in 55.6 %, B beats C in 55.6 %, C beats A in 55.6 %"

        ada.page.get_by_role("button", name="Review my decisions").click()
        rows = ada.page.locator(".review .sum tr")
        rows.last.wait_for()
        parts = [
            float(row.replace("\u2212", "-").split("\t")[-1]) for row in rows.all_inner_texts()
        ]
        assert sum(parts[:-1]) == pytest.approx(parts[-1], abs=0.3)  # luck and skill add up


def test_a_code_is_broken_by_whoever_reads_the_board(browser: Browser, arena: str) -> None:
    with visiting(browser, arena) as ada:
        ada.starts("Code breaking", "a fair keeper")
        until_it_is_opened = ada.page.locator(".proof").get_by_text("are the house’s word")
        until_it_is_opened.wait_for()

        def ask(page: Page) -> None:
            rows = []
            for row in page.locator(".guess").all():
                guess = re.sub(r"\D", "", str(row.locator(".pegs").get_attribute("aria-label"))[8:])
                full, partial = re.findall(r"\d+", row.locator(".marks .sr").inner_text())
                rows.append(Row(tuple(map(int, guess)), (int(full), int(partial))))
            left = [code for code in product(range(6), repeat=4) if fits(code, rows)]
            if rows:
                count = page.locator(".guess .left").last.inner_text()
                assert int(re.sub(r"\D", "", count)) == len(left)
            page.keyboard.type("".join(map(str, left[0])))
            page.keyboard.press("Enter")

        ada.plays(ask)
        holds(ada)
        assert until_it_is_opened.count() == 0
        assert ada.page.locator(".secret").get_by_text("hidden").count() == 0


def test_a_keeper_is_told_which_row_cannot_be_true(browser: Browser, arena: str) -> None:
    with visiting(browser, arena) as ada:
        # Somebody hands over the address of a seat; a program sits in the other.
        made = open_table(arena, KEPT)
        keeper, breaker = (seat["url"] for seat in made["seats"])
        ada.page.goto(keeper)
        program = RemoteTable(breaker)
        for guess, answer in (([0, 0], "0 in place, 0 elsewhere"), ([1, 2], "1 in place, 0 else")):
            says(program, guess)
            ada.page.get_by_role("button", name=answer).click()
        says(program, [1, 1])
        ada.page.get_by_role("button", name="1 in place, 0 elsewhere: 0 codes left").click()
        ada.page.get_by_text("Row 3 cannot be true").wait_for()
        assert ada.page.locator(".guess.wrong .n").inner_text() == "3"
        says(program, "give up")
        ada.page.get_by_text("Show your code").wait_for()
        ada.page.keyboard.type("11")
        ada.page.get_by_text("This code does not fit row 3").wait_for()
        ada.page.get_by_role("button", name="There is no code").click()
        holds(ada)


def test_zombies_by_the_form_in_two_rounds(browser: Browser, arena: str) -> None:
    with visiting(browser, arena) as ada:
        ada.page.goto(f"{arena}/#/play/zombie%2F2")
        ada.page.get_by_label("max turns").fill("1")
        ada.page.get_by_label("Seat 1, zombie").select_option("cautious")
        ada.page.get_by_role("button", name="Open the table").click()

        def roll_once(page: Page) -> None:
            stop = page.get_by_role("button", name="Stop and score")
            page.keyboard.press("x" if stop.is_enabled() else "r")

        ada.plays(roll_once)
        holds(ada)
        # The five regions of the source document, besides the title.
        for region in ("Brains", "Dice rolling area", "Brains this turn", "Shotguns this turn"):
            assert ada.page.locator(".felt").get_by_text(region).count()
