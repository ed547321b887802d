"""Each game in the browser, from the lobby to a checked proof."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fairground.clients.table import RemoteSeat, open_table
from fairground.games.codebreaking.rules import Row, fits
from fairground.transcript import frozen
from fairground.verifier import verify
from tests.helpers.visitor import Visitor, visiting

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route


KEPT = {
    "game": "codebreaking/1",
    "params": {"base": 3, "length": 2, "oracle": "evil"},
    "seats": [{"name": "Ada", "lends": "chain"}, {"name": "Bo"}],
}


def says(program: RemoteSeat, move: Any) -> None:
    """A move of a program, as soon as it is asked for one."""
    program.answer(program.asks()[0], frozen(move))


def take_the_first(page: Page) -> None:
    """By keys alone."""
    page.keyboard.press("1")
    page.keyboard.press("Enter")


def saved(visitor: Visitor, button: str, path: Path) -> bytes:
    """Return the file that a button of the page saves."""
    with visitor.page.expect_download() as saving:
        visitor.page.get_by_role("button", name=button).click()
    saving.value.save_as(path)
    return path.read_bytes()


def holds(visitor: Visitor) -> None:
    """The stamp says so, and every line has its mark."""
    visitor.stamp.wait_for()
    assert visitor.stamp.inner_text().upper() == "VALID"
    lines = visitor.page.locator(".ticket").count()
    assert visitor.page.locator(".mark[data-mark=yes]").count() == lines
    assert visitor.checks == f"{lines} of {lines} lines check out"


def test_fatestones_and_back_through_it(ada: Visitor, tmp_path: Path) -> None:
    ada.named("Ada").starts("FateStones", "vs Greedy")
    ada.page.wait_for_selector("[data-asked]")
    assert ada.page.title().startswith("● your move")
    ada.page.keyboard.press("h")
    ada.page.locator(".hintbox").wait_for()
    # A fraction of another number once stood beside the decimal.
    assert "fraction" not in ada.page.locator(".hintbox").inner_text()
    mix = [float(one.split()[0]) for one in ada.page.locator(".mix .number").all_inner_texts()]
    assert not mix or sum(mix) == pytest.approx(100, abs=0.02)
    ada.plays(take_the_first)
    holds(ada)

    record = saved(ada, "Save the game", tmp_path / "game.jsonl")
    saved(ada, "Save the receipts", tmp_path / "game.receipts")
    lines = len(record.splitlines())
    ada.page.get_by_text("What this rests on").click()
    shown = ada.page.locator(".claims li").all_inner_texts()
    assert not any("which is only its word" in claim for claim in shown)
    judged = verify(record)
    assert {str(claim).partition(":")[0] for claim in judged.claims} | {"ORDERED"} == {
        claim.splitlines()[-1].partition(" ")[0] for claim in shown
    }

    ada.page.keyboard.press("ArrowLeft")
    ada.page.wait_for_url(re.compile(f"@{lines - 1}$"))
    ada.page.keyboard.press("Home")
    ada.page.wait_for_url(re.compile("@1$"))
    ada.page.locator(".ticket[aria-current=step] .n", has_text=re.compile("^1$")).wait_for()
    # A link to a moment is for others: it must not hold the secret of the seat.
    ada.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ada.page.get_by_role("button", name="Copy the link").click()
    ada.page.get_by_text("Copied").wait_for()
    table = re.findall("#/seat/([^/]+)/", ada.page.url)[0]
    copied = ada.page.evaluate("navigator.clipboard.readText()")
    assert copied == f"{ada.url}/#/table/{table}@1"
    ada.page.keyboard.press("End")
    ada.page.wait_for_url(re.compile("^[^@]*$"))

    ada.page.goto(f"{ada.url}/#/verify")
    files = [tmp_path / "game.jsonl", tmp_path / "game.receipts"]
    ada.page.locator("input[type=file]").set_input_files(files)
    ada.stamp.wait_for()
    assert ada.stamp.inner_text().upper() == "VALID"
    ada.page.get_by_text("What this rests on").click()
    assert ada.page.locator(".claims li").all_inner_texts() == shown

    ada.page.keyboard.press("l")
    ada.page.locator(".list.mine").get_by_text("valid").wait_for()


TIES = {
    "game": "fatestones/1",
    "params": {"hands": [["333333"] * 3, ["333333"] * 3]},
    "seats": [{"name": "Bo", "player": "random"}, {"name": "Ada", "lends": "chain"}],
}


def test_after_a_tie_the_table_shows_it_and_nothing_is_chosen(ada: Visitor) -> None:
    made = open_table(ada.url, TIES)
    seat = made["seats"][1]["url"].replace("/tables/", "/#/seat/").replace("/seats/", "/")
    ada.page.goto(seat)
    felt, seal = (
        ada.page.locator(".felt"),
        ada.page.get_by_role("button", name="Seal my choice"),
    )
    for left in (3, 2, 1):
        ada.page.locator(".tag", has_text=f"{left} di").wait_for()
        ada.page.wait_for_selector("[data-asked]")
        assert ada.page.locator("input:checked").count() == 0 and seal.is_disabled()
        if left < 3:
            tied = felt.locator(".tied")
            assert "Tie. Both dice are gone." in tied.inner_text()
            assert tied.locator("svg").count() == 2, "what both rolled"
        lines = ada.page.locator("[data-lines]").get_attribute("data-lines")
        ada.page.keyboard.press("Enter")  # nothing is chosen, so nothing is sealed
        ada.page.keyboard.press("s")
        assert ada.page.locator(f"[data-lines='{lines}'][data-asked]").count() == 1
        ada.page.keyboard.press("1")
        assert ada.page.locator("input:checked").count() == 1
        ada.page.keyboard.press("Enter")
    ada.stamp.wait_for()
    assert "Tie. Both dice are gone." in felt.inner_text()


def test_a_hint_says_one_number_for_one_thing(ada: Visitor) -> None:
    """It said 3.31 more guesses, and the exact fraction of another number, 4.31, below."""
    ada.starts("Code breaking", "a fair keeper")
    ada.page.locator(".entry").wait_for()
    ada.page.keyboard.type("0012")
    ada.page.keyboard.press("Enter")
    ada.page.locator(".guess .left").wait_for()
    ada.page.locator(".entry").wait_for()
    ada.page.keyboard.press("h")
    told = ada.page.locator(".hintbox").inner_text()
    assert re.search(r"\d more guesses on average", told)
    assert not re.search(r"\d/\d", told)


def test_intransitive_dice(ada: Visitor) -> None:
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
    parts = [float(row.replace("\u2212", "-").split("\t")[-1]) for row in rows.all_inner_texts()]
    assert sum(parts[:-1]) == pytest.approx(parts[-1], abs=0.3)  # luck and skill add up


def test_a_decision_that_cost_something_is_tried_again_until_it_sits(ada: Visitor) -> None:
    """One of these dice never wins, and a perfect opponent leaves it."""

    def take(page: Page, die: str) -> None:
        page.locator("label.stone").first.wait_for()
        page.keyboard.press(str("ABC".index(die) + 1))
        page.keyboard.press("Enter")

    ada.page.goto(f"{ada.url}/#/play/intransitive%2F1")
    ada.page.get_by_label("dice").fill("1,1,1,1,1,1 2,2,2,9,9,9 3,3,3,8,8,8")
    ada.page.get_by_role("button", name="Open the table").click()
    ada.plays(lambda page: take(page, "A"))
    ada.page.get_by_role("button", name="Review my decisions").click()
    again = ada.page.get_by_role("button", name="Try again from there")
    again.wait_for()
    assert ada.page.locator(".alternatives").is_hidden()  # it is not given away
    again.click()
    trying = ada.page.locator(".trying")
    take(ada.page, "A")
    trying.locator(".notice", has_text="Not the best: it costs").wait_for()
    assert trying.locator(".alternatives li").count() > 1
    best = trying.locator(".alternatives li").first.inner_text()
    better = "B" if "2,2,2,9,9,9" in best else "C"

    ada.page.keyboard.press("l")
    ada.page.get_by_role("link", name="Practise: 1 position").click()
    for right in (1, 2):
        take(ada.page, better)
        ada.page.locator(".notice", has_text="Right. ").wait_for()
        if right == 1:
            ada.page.get_by_role("button", name="Once more").click()
    ada.page.get_by_role("button", name="Next position").click()
    ada.page.get_by_text("1 of 1 position learnt.").wait_for()
    ada.page.reload()
    ada.page.get_by_text("1 of 1 position learnt.").wait_for()
    ada.page.keyboard.press("l")
    ada.page.locator(".list.mine li").first.wait_for()
    assert ada.page.get_by_role("link", name="Practise").count() == 0


def test_a_code_is_broken_by_whoever_reads_the_board(ada: Visitor) -> None:
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
            assert page.locator(".hintbox").count() == 0  # that was for another guess
        else:
            page.get_by_role("button", name="Hint").click()
            page.locator(".hintbox").wait_for()
        # Enter asks what was typed, and does not press the button once more.
        page.keyboard.type("".join(map(str, left[0])))
        page.keyboard.press("Enter")

    ada.plays(ask)
    holds(ada)
    assert until_it_is_opened.count() == 0
    assert ada.page.locator(".secret").get_by_text("hidden").count() == 0
    assert "You find the code with" in ada.page.locator(".verdict .about").inner_text()


def test_a_keeper_is_told_which_row_cannot_be_true(ada: Visitor) -> None:
    # Somebody hands over the address of a seat; a program sits in the other.
    made = open_table(ada.url, KEPT)
    keeper, breaker = (seat["url"] for seat in made["seats"])
    ada.page.goto(keeper)
    program = RemoteSeat(breaker)
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


def test_zombies_by_the_form_in_two_rounds(ada: Visitor) -> None:
    ada.page.goto(f"{ada.url}/#/play/zombie%2F2")
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


def test_a_hint_that_comes_late_is_for_nobody(browser: Browser, arena: str) -> None:
    late: list[Route] = []
    hint = {"move": [0, 0, 0, 0], "words": "too late", "exact": True}

    def answer_the_second(route: Route) -> None:
        late.append(route)
        if len(late) == 2:
            route.fulfill(json=hint | {"words": "in time"})

    with visiting(browser, arena, {"**/hint": answer_the_second}) as ada:
        ada.starts("Code breaking", "an evil keeper")
        ada.page.wait_for_selector("[data-asked]")
        ada.page.keyboard.press("h")
        ada.page.keyboard.type("0123")
        ada.page.keyboard.press("Enter")
        ada.page.locator(".guess .left").wait_for()
        ada.page.wait_for_selector("[data-asked]")
        ada.page.keyboard.press("h")
        in_time = ada.page.locator(".hintbox", has_text="in time")
        in_time.wait_for()
        with ada.page.expect_response("**/hint"):
            late[0].fulfill(json=hint)
        ada.page.keyboard.type("4")  # so that the page has had time to take it
        ada.page.locator(".slot[aria-label='place 1: 4']").wait_for()
        assert in_time.count() == 1


def test_video_poker_says_what_the_hand_pays(ada: Visitor, tmp_path: Path) -> None:
    """A hand that gives back the stake, or nothing, has an end as well; and the review adds up."""
    ada.page.goto(f"{ada.url}/#/play/poker%2F2")
    ada.page.get_by_role("button", name="Open the table").click()
    ada.plays(take_the_first)
    holds(ada)
    record = saved(ada, "Save the game", tmp_path / "game.jsonl")
    won = verify(record).payoff[1]  # type: ignore[index]
    pays = {-5: "nothing"}.get(won, f"{won + 5} chips")
    ada.page.locator(".verdict", has_text=f"The hand pays {pays}, for 5 chips put in.").wait_for()
    tickets = ada.page.locator(".ticket .what")
    for words in ("The cards are dealt", "You draw 4 cards", "New cards are drawn"):
        assert tickets.get_by_text(words).count() == 1, words
    ada.page.get_by_role("button", name="Review my decisions").click()
    ada.page.locator(".sum .total").wait_for()
    cells = ada.page.locator(".sum td").all_inner_texts()
    *parts, result = (float(cell.replace("−", "-")) for cell in cells)
    assert parts[0] == -0.005
    assert sum(parts) == pytest.approx(result, abs=0.002)
