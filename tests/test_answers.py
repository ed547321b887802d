"""The five questions: always answered, never stronger than the claims, and short."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from fairground.answers import LABELS, WANTED, Answer
from fairground.bank.audit import verify_session
from fairground.cli import main
from fairground.core import Proof
from fairground.fair.schemes import Chair
from fairground.games import make_game
from fairground.games.codebreaking.rules import CodeBreaking, State, marks
from fairground.receipts import found
from fairground.testing.driving import Driver, open_table
from fairground.testing.modes import ALL_MODES, Mode, mode
from fairground.transcript import line_hash
from fairground.verifier import Verdict, verify
from tests.helpers.forging import events_of, rechain
from tests.helpers.places import TESTS
from tests.helpers.samples import SAMPLES

GAMES = TESTS / "vectors" / "games"
RECORDS = sorted(
    path
    for folder in (GAMES, TESTS / "playthroughs")
    for path in folder.glob("*.jsonl")
    if not path.name.startswith("contest")
)
USUAL = 60
"""Words of a verdict on a usual game."""


def words_of(verdict: Verdict) -> int:
    """Words with letters; cards, codes and scores are none."""
    return len(re.findall(r"(?<!\\w)[A-Za-z][a-z]+(?:'s)?", str(verdict)))


def by_question(verdict: Verdict) -> dict[str, Answer]:
    return {answer.question: answer for answer in verdict.answers}


def must_be_answered(verdict: Verdict) -> None:
    """All five, in their order, each with a reason, and none stronger than the claims."""
    assert [answer.question for answer in verdict.answers][:5] == list(LABELS)
    assert all(answer.says for answer in verdict.answers)
    if not verdict.ok:
        assert all(answer.answer != "yes" for answer in verdict.answers[1:])
        return
    assert verdict.played is not None
    names = Counter(claim.name for claim in verdict.claims)
    answers = by_question(verdict)
    assert (answers["fair"].answer == "yes") == bool(names["UNIFORM"])
    if answers["unforeseen"].answer == "yes":
        assert names["UNFORESEEN"] == names["UNIFORM"]
        assert names["UNFORESEEN"] or names["SEALED"]
    if answers["untouched"].answer == "yes":
        assert names["ORDERED"] or verdict.dealer == "croupier/1"
        assert not any(claim.witness and claim.witness.told for claim in verdict.claims)
    assert answers["alone"].answer == "not shown"
    assert verdict.result is not None and verdict.result.endswith(".")


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_record_is_answered_in_few_words(path: Path) -> None:
    data = path.read_bytes()
    verdict = verify(data, found(path, data))
    must_be_answered(verdict)
    if verdict.ok and len(verdict.seats) == 2 and "odd-name" not in path.name:
        assert words_of(verdict) <= USUAL, str(verdict)


@pytest.mark.parametrize("way", ALL_MODES, ids=lambda way: way.name)
@pytest.mark.parametrize("game", SAMPLES)
def test_every_game_is_answered_under_every_scheme(game: str, way: Mode) -> None:
    for sample in SAMPLES[game]:
        table = Driver(open_table(sample.make(), way)).play()
        must_be_answered(verify(bytes(table.transcript)))


# Who stopped


def next_writer(events: list[dict[str, Any]], lines: int) -> tuple[str, int | None]:
    """Who wrote the next line that was owed, by the whole record."""
    seats = events[0]["seats"]
    for event in events[lines:]:
        if event["kind"] in ("move", "seal", "open", "share"):
            by_house = seats[event["seat"]]["by"] == "house"
            return ("house" if by_house else "seats"), event["seat"]
        if event["kind"] in ("ticket", "dealt", "opening", "end"):
            return "house", None
    raise AssertionError("the record has no further line")


@pytest.mark.parametrize(
    "path",
    [p for p in RECORDS if p.name.startswith(("played-", "people-", "stir-", "croupier-signed"))],
    ids=lambda path: path.stem,
)
def test_a_record_that_stops_names_who_owed_the_next_line(path: Path) -> None:
    """The whole record says who wrote that line."""
    events = events_of(path.read_bytes())
    lines = path.read_bytes().splitlines(keepends=True)
    tickets = [event for event in events if event["kind"] == "ticket"]
    hides = events[0]["dealer"] == "contest/1" or any(ticket["hidden"] for ticket in tickets)
    step = max(1, len(lines) // 25)
    for count in range(1, len(lines), step):
        verdict = verify(b"".join(lines[:count]))
        assert verdict.judged == "unfinished", verdict
        assert verdict.owed is not None and verdict.owed.line == count + 1
        if verdict.owed.by == "unknown":
            assert hides
            continue
        by, seat = next_writer(events, count)
        several = {events[0]["seats"][s]["by"] for s in verdict.owed.seats}
        assert verdict.owed.by == ("seats" if "self" in several else by), verdict.owed
        assert seat is None or seat in verdict.owed.seats


def test_every_kind_of_ask_has_words() -> None:
    assert {"move", "seal", "open", "number", "stir", "tip", "next-tip", "link", "seed"} == {
        *WANTED
    }


def test_a_void_game_was_stopped_by_the_house(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("void-open", "void-evidence", "void-hidden"):
        path = TESTS / "vectors" / "games" / f"{name}.jsonl"
        verdict = verify(path.read_bytes())
        assert (verdict.judged, verdict.owed and verdict.owed.by) == ("unfinished", "house")
        assert verdict.headline.startswith("UNFINISHED. The house stopped this game on line ")
        assert main(["verify", str(path)]) == 1
        assert "The house stopped this game" in " ".join(capsys.readouterr().out.split())


def test_many_files_are_summed_up(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The house wins what it finishes, and stops the rest."""
    files = []
    for number in range(4):
        game = make_game("intransitive/1", {"dice": [[9], [1], [2]]})
        table = open_table(game, mode("hmac-sha3-user-number"))
        data = bytes(Driver(table, f"seed {number}").play().transcript)
        lines = data.splitlines(keepends=True)
        if number % 2:
            at = next(i for i, line in enumerate(lines) if b'"kind":"share"' in line)
            lines = lines[: at + 1]
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(b"".join(lines))
        files.append(str(path))
    assert main(["verify", *files]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "4 games: 2 finished (seats of the house won " in said
    assert "2 stopped by the house, 0 by players." in said
    assert main(["verify", *files, "--json"]) == 1
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert (summary["finished"], summary["stopped_by_house"]) == (2, 2)


# Labels and names


@pytest.mark.parametrize(
    "name",
    ["people-chains", "people-stir-each", "people-stir-once", "receipts-seals"],
)
def test_a_label_changes_no_claim_for_anybody_else(name: str) -> None:
    """The house can call its own seat a person's. That helps no other seat, and harms none."""
    path = TESTS / "vectors" / "games" / f"{name}.jsonl"
    events = events_of(path.read_bytes())
    for seat, chair in enumerate(events[0]["seats"]):
        if chair["lends"] != "nothing":
            continue
        chair["by"] = "house"
        ours = verify(rechain(events))
        chair["by"] = "self"
        theirs = verify(rechain(events))
        others = [
            [claim[:5] for claim in verdict.claims if claim.seat != seat]
            for verdict in (ours, theirs)
        ]
        assert others[0] == others[1]


@pytest.mark.parametrize("by", ["house", "self"])
def test_a_seal_of_a_puppet_counts_like_one_of_the_house(by: str) -> None:
    chairs = [Chair("Friend", by), Chair("Ann", "self", "stir")]
    game = make_game("fatestones/1", {})
    table = Driver(open_table(game, mode("hash-chains-each"), chairs=chairs)).play()
    claims = [claim for claim in verify(bytes(table.transcript)).claims if claim.seat == 1]
    assert [claim.name for claim in claims] == ["UNIFORM", "UNFORESEEN", "SEALED"]


@pytest.mark.parametrize("name", ["you", "everybody", "the house", "yes", 'Ann"'])
def test_a_name_never_reads_like_a_sentence_of_ours(name: str) -> None:
    chairs = [Chair("House", "house"), Chair(name, "self", "number")]
    table = open_table(
        make_game("intransitive/1", {}), mode("hmac-sha3-user-number"), chairs=chairs
    )
    verdict = verify(bytes(Driver(table).play().transcript))
    quoted = json.dumps(name)
    assert f"unless somebody guessed the numbers of {quoted}" in str(verdict)
    for claim in verdict.claims:
        if claim.seat == 1:
            assert claim.condition.startswith(f"nobody could guess the numbers of {quoted}, and ")


# An evil keeper


def least_telling(asked: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """The answers of the document's evil keeper, by brute force."""
    left, answers = list(product(range(3), repeat=3)), []
    for guess in asked:
        counts = Counter(marks(code, guess) for code in left)
        most = max(counts.values())
        answers.append(min(answer for answer in counts if counts[answer] == most))
        left = [code for code in left if marks(code, guess) == answers[-1]]
    return answers


def played(asked: Sequence[tuple[int, ...]], answers: Sequence[tuple[int, int]]) -> Proof:
    """What the rules say of these answers."""
    game = CodeBreaking(3, 3, "evil")
    state: State = game.start()
    for guess, answer in zip(asked, answers, strict=True):
        state = game.played(state, {1: guess})
        state = game.played(state, {0: answer})
    state = game.played(state, {1: "give up"})
    fits = next(
        code
        for code in product(range(3), repeat=3)
        if all(marks(code, guess) == answer for guess, answer in zip(asked, answers, strict=True))
    )
    return game.proves(game.played(state, {0: fits}))["LEAST_TELLING"]


def test_an_evil_keeper_is_held_to_its_rule() -> None:
    for asked in ([(0, 0, 1)], [(0, 1, 2), (0, 0, 0)], [(2, 2, 1), (1, 0, 1), (0, 2, 1)]):
        answers = least_telling(asked)
        assert played(asked, answers).answer == "yes"
        others = {marks(code, asked[0]) for code in product(range(3), repeat=3)} - {
            answers[0],
            (3, 0),
        }
        for other in others:
            proof = played(asked[:1], [other])
            assert proof.answer == "not shown" and proof.says.startswith("answer 1 left ")


# A history that somebody could have rewritten


@pytest.mark.parametrize(
    "name", ["at-home", "unsigned", *(f"silent-after-{count}" for count in range(5))]
)
def test_a_hand_that_its_croupier_could_rewrite_is_not_untouched(name: str) -> None:
    """Both keys are his, the order is not signed, or the record may have been cut off."""
    verdict = verify((GAMES / f"croupier-{name}.jsonl").read_bytes())
    assert verdict.ok
    assert by_question(verdict)["untouched"].answer == "not shown"


def test_a_game_that_the_house_cuts_off_is_not_untouched() -> None:
    """The receipts of all asks fit, and yet the player never left."""
    data = (GAMES / "receipts-all--hmac-sha3-user-number.jsonl").read_bytes()
    heads = [line_hash(line) for line in data.splitlines(keepends=True)]
    events = events_of(data)
    moves = [number for number, event in enumerate(events, 1) if event["kind"] == "move"]
    for line in moves:
        left = {"kind": "forfeit", "seat": 1, "by": "seat", "reason": "bye"}
        cut = rechain([*events[: line - 1], left, {"kind": "end", "payoff": [1, -1]}])
        verdict = verify(cut, heads[: line - 1])
        assert verdict.ok and verdict.result is not None, verdict
        assert verdict.result.startswith('The record says that "Seat 1" left.')
        answer = by_question(verdict)["untouched"]
        says = f"{line - 1} receipts fit, but a departure stands behind the last"
        assert answer[1:] == ("not shown", says)


@pytest.mark.parametrize(
    ("name", "result", "untouched"),
    [
        (
            "evening",
            "The Player loses 8 chips in 3 hands.",
            ("yes", "both parties signed this end"),
        ),
        (
            "open",
            "The Player breaks even in 1 hand so far.",
            ("not shown", "no signature says that this was the end"),
        ),
        (
            "disputed",
            "The Player breaks even in 1 hand. One more hand ended at the Bank.",
            ("not shown", "the last hand ended at the Bank, which alone knows how"),
        ),
    ],
)
def test_a_session_is_untouched_if_both_signed_its_end(
    name: str, result: str, untouched: tuple[str, str]
) -> None:
    verdict = verify_session((TESTS / "data" / "sessions" / f"{name}.jsonl").read_bytes())
    assert verdict.result == result
    (answer,) = [answer for answer in verdict.answers if answer.question == "untouched"]
    assert answer[1:] == untouched
