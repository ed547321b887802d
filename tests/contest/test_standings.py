"""What a contest's results mean: held to brute force, printed tables and hand counts."""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from fairground.arena.contests.pages import as_csv
from fairground.contest.book import Book, Entry, Part, Result
from fairground.contest.standings import (
    COUNTABLE,
    mean_of,
    ranked,
    sign_flip,
    sign_flip_of_signs,
    snapshot,
    standing,
    student,
)
from fairground.fair.bits import SeededStream


def brute(differences: list[int]) -> Fraction:
    """Try every sign pattern."""
    seen = abs(sum(differences))
    sums = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return Fraction(sum(one >= seen for one in sums), len(sums))


def test_the_sign_flip_test_against_every_pattern() -> None:
    chance = SeededStream("differences")
    for n in [*range(11), *range(11)]:
        differences = [chance.below(9) - 4 for _ in range(n)]
        assert sign_flip(differences) == brute(differences)
        signs = [(d > 0) - (d < 0) for d in differences]
        assert sign_flip_of_signs(differences) == brute(signs)


def test_sign_flips_by_hand() -> None:
    assert sign_flip([]) == sign_flip([0, 0]) == 1
    assert sign_flip([1]) == 1
    assert sign_flip([1] * 5) == Fraction(2, 32)
    assert sign_flip([1, 2, 3]) == Fraction(2, 8)  # +++ and ---
    assert sign_flip([-1, 2, 3]) == Fraction(4, 8)  # 4 or more from zero: ±6, ±4


def test_differences_too_large_to_count_are_judged_by_their_signs() -> None:
    huge = [COUNTABLE, COUNTABLE, COUNTABLE, -1]
    assert sign_flip(huge) == sign_flip_of_signs(huge) == brute([1, 1, 1, -1])


@pytest.mark.parametrize(
    ("freedom", "point"),
    [
        (1, "12.7062"),
        (2, "4.3027"),
        (10, "2.2281"),
        (30, "2.0423"),
        (31, "2.0395"),
        (40, "2.0211"),
        (60, "2.0003"),
        (120, "1.9799"),
        (1000, "1.9623"),
        (10**9, "1.9600"),
    ],
)
def test_students_points_as_printed(freedom: int, point: str) -> None:
    assert abs(student(freedom) - Decimal(point)) < Decimal("0.00006")


def test_means_and_intervals() -> None:
    values = [3, 4, 4, 5, 7, 2]
    mean, low, high = mean_of(values)
    half = 2.570582 * statistics.stdev(values) / len(values) ** 0.5
    assert (mean, low, high) != (None, None, None)
    assert float(mean or 0) == pytest.approx(statistics.fmean(values), abs=1e-11)
    assert float(low or 0) == pytest.approx(statistics.fmean(values) - half, abs=1e-6)
    assert float(high or 0) == pytest.approx(statistics.fmean(values) + half, abs=1e-6)
    assert mean_of([]) == (None, None, None)
    assert mean_of([5]) == ("5.000000000000", None, None)
    assert mean_of([5, 5]) == ("5.000000000000",) * 3


def a_book(games: int, closed: bool = True) -> Book:
    book = Book()
    book.contest, book.part_of = "cup", (Part(6, 4, "fair", games),) * games
    book.seed = b"seed" if closed else None
    return book


def add(book: Book, team: str, steps: Sequence[int | None], training: bool = False) -> Entry:
    """Steps by slot; ``None``: given up; what is missing was never finished."""
    entry = Entry(len(book.entries), team, "1", training, "")
    for slot, count in enumerate(steps):
        result = ("given up", 2) if count is None else ("solved", count)
        entry.results[slot] = Result(*result, "", 0)
    book.entries.append(entry)
    return entry


def table_of(book: Book) -> dict[str, Any]:
    plain = range(book.games)
    return standing(snapshot(book, {entry.number: plain for entry in book.entries}))


def test_ranks() -> None:
    book = a_book(3)
    add(book, "slow", [9, 9, 9])
    add(book, "quick but lazy", [1, 1])
    add(book, "best", [4, 4, 5])
    add(book, "as good", [5, 4, 4])
    add(book, "gave up", [1, None, 1])
    add(book, "trains", [1, 1, 1], training=True)
    add(book, "absent", [])
    assert [(rank, entry.team) for rank, entry in ranked(book.entries)] == [
        (1, "best"),
        (1, "as good"),
        (3, "slow"),
        (4, "quick but lazy"),
        (4, "gave up"),
        (6, "absent"),
    ]
    table = table_of(book)
    rows = {row["team_name"]: row for row in (*table["official"], *table["training"])}
    assert [row["team_name"] for row in table["training"]] == ["trains"]
    assert "rank" not in rows["trains"]
    assert (rows["gave up"]["given_up"], rows["gave up"]["unfinished"]) == (1, 1)
    assert (rows["quick but lazy"]["given_up"], rows["quick but lazy"]["unfinished"]) == (0, 1)
    assert rows["absent"]["mean"] is None
    assert rows["best"]["counts"] == [[4, 2], [5, 1]]
    assert rows["slow"]["worst"] == 9


def test_what_is_not_over_yet_is_not_unfinished() -> None:
    book = a_book(5, closed=False)
    add(book, "A", [4, None])
    over = add(book, "B", [4])
    over.over = True
    table = table_of(book)
    rows = {row["team_name"]: row for row in table["official"]}
    assert (rows["A"]["unfinished"], rows["A"]["still_open"]) == (1, 3)
    assert (rows["B"]["unfinished"], rows["B"]["still_open"]) == (4, 0)
    assert table["final"] is False


def test_equal_programs_are_not_separable_and_it_is_said() -> None:
    book = a_book(40)
    chance = SeededStream("luck")
    for team in "AB":
        add(book, team, [3 + chance.below(5) for _ in range(40)])
    (pair,) = table_of(book)["pairs"]
    assert pair["separable"] is False
    assert pair["better"] is None
    assert "not separable" in pair["says"]


def test_a_better_program_is_told_apart_by_steps() -> None:
    book = a_book(40)
    chance = SeededStream("luck")
    add(book, "worse", [4 + chance.below(5) for _ in range(40)])
    add(book, "better", [3 + chance.below(5) for _ in range(40)])
    (pair,) = table_of(book)["pairs"]
    assert (pair["better"], pair["separable"]) == (1, True)
    assert pair["says"] == "'better 1' is better than 'worse 1', by steps"
    assert float(pair["difference"]["high"]) < 0  # a is the first in the table
    assert float(pair["p_steps"]) < 0.025


def test_who_leaves_games_is_told_apart_by_that() -> None:
    book = a_book(12)
    add(book, "all", [7] * 12)
    add(book, "few", [7, 7, 7])
    (pair,) = table_of(book)["pairs"]
    assert (pair["only_a_solved"], pair["only_b_solved"], pair["both_solved"]) == (9, 0, 3)
    assert pair["p_solving"] == "0.003906250000"  # 2 of 512
    assert pair["says"] == "'all 1' is better than 'few 1', by games solved"


def test_pairs_are_compared_where_they_met_the_same_codes_only() -> None:
    """Relayed games count for the rank; luck at a factory tells nobody apart."""
    book = a_book(24)
    relayed = Part(6, 4, "evil", 12, "http://friend.example/new")
    book.part_of = (*book.part_of[:12], *(relayed,) * 12)
    add(book, "lucky elsewhere", [5] * 12 + [1] * 12)
    unlucky = add(book, "unlucky elsewhere", [5] * 12 + [9] * 10)
    unlucky.waiting = {22: "first", 23: "it is down"}
    table = table_of(book)
    assert [(row["rank"], row["solved"]) for row in table["official"]] == [(1, 24), (2, 22)]
    assert [row["waiting"] for row in table["official"]] == [0, 2]
    assert table["official"][1]["trouble"] == "it is down"
    (pair,) = table["pairs"]
    assert (pair["both_solved"], pair["only_a_solved"], pair["separable"]) == (12, 0, False)
    assert (pair["p_steps"], pair["p_solving"]) == ("1.000000000000",) * 2
    assert "12 games are relayed" in table["notes"][-1]
    assert "same codes" in table["notes"][0]
    book.part_of = (relayed,) * 24
    table = table_of(book)
    assert table["pairs"][0]["both_solved"] == 0
    assert not any("same codes" in note for note in table["notes"])


def test_holm_asks_more_where_more_is_compared() -> None:
    """p = 2 · 2/128 = 1/32 tells two teams apart, but not among the pairs of three."""
    for others, apart in ((0, True), (1, False)):
        book = a_book(7)
        add(book, "A", [3] * 7)
        add(book, "B", [4] * 7)
        for i in range(others):
            add(book, f"C{i}", [3, 4, 3, 4, 3, 4, 3])
        pairs = table_of(book)["pairs"]
        (pair,) = (one for one in pairs if {one["a"], one["b"]} == {0, 1})
        assert pair["separable"] is apart


def test_many_teams_are_compared_with_the_leader_and_the_next() -> None:
    book = a_book(2)
    for i in range(11):
        add(book, f"T{i}", [3 + i, 3 + i])
    pairs = {(pair["a"], pair["b"]) for pair in table_of(book)["pairs"]}
    assert pairs == {(0, i) for i in range(1, 11)} | {(i, i + 1) for i in range(1, 10)}


def test_csv() -> None:
    book = a_book(2)
    add(book, '=1+1,"x"', [3, 4])
    add(book, "plain", [3, 4], training=True)
    rows = list(csv.DictReader(io.StringIO(as_csv(table_of(book)))))
    assert [row["team_name"] for row in rows] == ['\'=1+1,"x"', "plain"]
    assert [row["training"] for row in rows] == ["no", "yes"]
    assert [row["rank"] for row in rows] == ["1", ""]
    assert rows[0]["mean"] == "3.500000000000"
    assert rows[0]["low"].startswith("-2.85")  # a number is no formula
