"""Files that are dropped on the page: each kind, and one while another is being checked."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import fairground as fg
from tests.helpers.places import DATA, TESTS
from tests.helpers.visitor import Visitor

if TYPE_CHECKING:
    pass


def test_every_kind_of_file_and_what_is_wrong_with_it(ada: Visitor, tmp_path: Path) -> None:
    session = DATA / "sessions" / "evening.jsonl"
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(session.read_bytes().replace(b'"hands":3', b'"hands":4'))
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear Ada,\n")
    bad = tmp_path / "bad.receipts"
    bad.write_text("no receipt\n")
    game = (
        TESTS
        / "vectors"
        / "games"
        / "left-at-once-fatestones-1-deal--hash-chains-chain--seat-0.jsonl"
    )
    alone = tmp_path / "game.receipts"
    alone.write_text("")
    contest = TESTS / "vectors" / "games" / "contest.jsonl"
    ada.page.goto(f"{ada.url}/#/verify")
    files = ada.page.locator("input[type=file]")
    for path, verdict, words in (
        (session, "valid", "The Player "),
        (forged, "invalid", ""),
        (contest, "valid", "contest"),
        (letter, "cannot be judged", "This file is no record of a game."),
        ((game, bad), "cannot be judged", "the receipts beside it cannot"),
    ):
        files.set_input_files(path)
        card = ada.page.locator(f".verdict[data-verdict='{verdict}']", has_text=words)
        card.wait_for()
        assert (card.locator(".claims li").count() > 0) == (verdict == "valid"), path
        assert "does not know this game" not in card.inner_text(), path
        assert not card.get_by_text(re.compile("· lines$")).count(), path
    files.set_input_files(alone)
    ada.page.get_by_text("These are receipts.").wait_for()


def test_an_example_from_the_lobby(ada: Visitor) -> None:
    ada.page.get_by_role("button", name="Try an example").click()
    ada.stamp.wait_for()
    assert ada.page.locator(".verdict").get_attribute("data-verdict") == "valid"
    assert "is more than 4. fatestones/1, dealt by" in ada.page.locator(".about").inner_text()
    assert "receipts fit" in ada.page.locator(".answers").inner_text()


def test_a_record_without_a_table_is_told_in_plain_words(ada: Visitor, tmp_path: Path) -> None:
    """Wrong from its first line on: nothing can be drawn, and yet each line has a name."""
    table = fg.open("zombie", players=2, max_turns=1, seats=["random", "random"], seed="plain")
    events = [json.loads(line) for line in bytes(table.play()).splitlines()]
    events[0]["params"]["players"] = 99
    lines: list[bytes] = []
    for event in events:
        event["prev"] = hashlib.sha3_256(lines[-1]).hexdigest() if lines else "0" * 64
        lines.append(json.dumps(event, sort_keys=True, separators=(",", ":")).encode() + b"\n")
    (tmp_path / "wrong.jsonl").write_bytes(b"".join(lines))
    ada.page.goto(f"{ada.url}/#/verify")
    ada.page.locator("input[type=file]").set_input_files(tmp_path / "wrong.jsonl")
    ada.page.locator(".verdict[data-verdict='invalid']", has_text="Line 1").wait_for()
    assert ada.page.locator(".ticket").count() == len(lines)
    assert ada.page.locator(".ticket .what", has_text="plays roll").count() > 0


def test_a_long_record_leaves_the_page_alive_and_may_be_left(ada: Visitor, tmp_path: Path) -> None:
    """A clock of the page ticks on. Another file that comes meanwhile is the one that is judged."""
    for name, turns in (("long", 400), ("short", 2)):
        table = fg.open("zombie", players=2, max_turns=turns, seats=["random", "random"], seed=name)
        table.play()
        (tmp_path / f"{name}.jsonl").write_bytes(bytes(table))
    lines, few = (
        len((tmp_path / f"{name}.jsonl").read_bytes().splitlines()) for name in ("long", "short")
    )
    ada.page.goto(f"{ada.url}/#/verify")
    files = ada.page.locator("input[type=file]")
    files.wait_for(state="attached")
    ada.page.evaluate(
        """() => {
          globalThis.ticks = 0;
          const tick = () => {
            if (document.body.innerText.includes("plays it again")) globalThis.ticks++;
            setTimeout(tick, 1);
          };
          tick();
        }"""
    )
    files.set_input_files(tmp_path / "long.jsonl")
    files.set_input_files(tmp_path / "short.jsonl")
    ada.page.locator(".proof .big", has_text=f"{few} of {few} lines").wait_for()
    assert ada.page.locator(".ticket").count() == few
    files.set_input_files(tmp_path / "long.jsonl")
    ada.page.locator(".proof .big", has_text=f"{lines:,} of {lines:,} lines").wait_for()
    assert ada.page.evaluate("globalThis.ticks") > 2  # at once it would be one
    # Not all of them are drawn, and each can be gone to.
    assert ada.page.locator(".ticket").count() == 150
    ada.page.keyboard.press("Home")
    ada.page.locator(".ticket[aria-current=step]", has_text="The table was opened").wait_for()
