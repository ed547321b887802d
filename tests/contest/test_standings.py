"""What a contest's results mean: held to brute force, printed tables and hand counts."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from fairground.contest.book import Book, Entry, Result
from fairground.contest.games import Part
from fairground.contest.standings import (
    CSV_COLUMNS,
    StandingsRow,
    ranked,
    standing,
    tally_of,
)
from fairground.fair.bits import SeededStream
from fairground.server.contests.wire import as_csv, parts_as_csv
from fairground.stats import mean_of


def a_book(games: int, closed: bool = True) -> Book:
    book = Book()
    book.contest, book.parts = "cup", (Part(6, 4, "fair", games),)
    book.part_of = book.parts * games
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
    return standing(book, {entry.number: plain for entry in book.entries})


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
    (pair,) = table["pairs"]
    assert (pair["both_solved"], pair["only_a_solved"], pair["only_b_solved"]) == (1, 0, 0)
    add(book, "C", [None, 4])
    pairs = {(pair["a"], pair["b"]): pair for pair in table_of(book)["pairs"]}
    decided = pairs[0, 2]  # A solved one of the two games that are decided for both, C the other
    assert (decided["only_a_solved"], decided["only_b_solved"]) == (1, 1)


def test_equal_programs_are_not_separable_and_it_is_said() -> None:
    book = a_book(40)
    chance = SeededStream("luck")
    for team in "AB":
        add(book, team, [3 + chance.below(5) for _ in range(40)])
    (pair,) = table_of(book)["pairs"]
    assert pair["separable"] is False
    assert pair["better"] is None
    assert "too close to call" in pair["says"]


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


def test_even_sums_name_no_better_team() -> None:
    """Beyond 2^23 the test counts signs, so it can separate teams whose steps are even in all."""
    book = a_book(1000)
    add(book, "often", [1] * 700 + [71] * 300)
    add(book, "seldom", [31] * 700 + [1] * 300)
    (pair,) = table_of(book)["pairs"]
    assert float(pair["p_steps"]) < 1e-12
    assert (pair["better"], pair["separable"]) == (None, False)
    assert pair["says"] == "'often 1' and 'seldom 1' are too close to call"


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
    book.parts = (Part(6, 4, "fair", 12), relayed)
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
    assert "12 games are relayed" in table["notes"][-2]
    assert "same codes" in table["notes"][0]
    book.parts, book.part_of = (relayed, relayed), (relayed,) * 24
    table = table_of(book)
    assert table["pairs"] == [], "no two met the same code, so nothing is said of any two"
    assert not any("same codes" in note for note in table["notes"])


def test_where_both_tests_say_as_much_steps_decide() -> None:
    """A is quicker in eight games, B alone solves eight others: 2 of 256 patterns, twice."""
    book = a_book(16)
    add(book, "A", [3] * 8)
    add(book, "B", [4] * 16)
    (pair,) = table_of(book)["pairs"]
    assert pair["p_steps"] == pair["p_solving"] == "0.007812500000"
    assert pair["says"] == "'A 1' is better than 'B 1', by steps"


def test_up_to_ten_teams_are_all_compared() -> None:
    book = a_book(2)
    for i in range(10):
        add(book, f"T{i}", [3 + i, 3 + i])
    assert len(table_of(book)["pairs"]) == 45


def test_a_frozen_copy_of_a_book_stays_as_it_is() -> None:
    book = a_book(2)
    entry = add(book, "A", [3])
    entry.waiting = {1: "it is down"}
    frozen = book.frozen_copy()
    before = table_of(frozen)
    entry.results[1] = Result("solved", 9, "", 0)
    entry.waiting.clear()
    add(book, "B", [1, 1])
    assert table_of(frozen) == before
    assert table_of(book) != before


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
    assert rows[0]["low"] == "1.000000000000"  # nobody needs fewer
    assert tally_of(book.entries[0], 2, True, 1).mean.low == "1.000000000000"


def test_every_column_has_its_place_in_the_csv() -> None:
    """Programs read by position, so a place is never given to another column."""
    assert (
        *("rank", "team_name", "software_version", "training", "games", "solved", "given_up"),
        *("unfinished", "still_open", "waiting", "steps", "mean", "low", "high", "worst"),
    ) == CSV_COLUMNS
    places = [one.metadata["csv"] for one in fields(StandingsRow)]
    assert sorted(place for place in places if place is not None) == list(range(1, 16))


def test_what_each_part_and_each_factory_took() -> None:
    """Two evil factories and our own fair games, two teams; counted by hand."""
    book = a_book(2)
    urls = "http://a.example/new", "http://b.example/new"
    book.parts = (*book.parts, *(Part(6, 4, "evil", 2, url) for url in urls))
    book.part_of = tuple(part for part in book.parts for _ in range(2))
    add(book, "A", [4, 6, 5, 7, 9, 9])
    b = add(book, "B", [5, None, 8, 8, 8])
    b.waiting = {5: "it is down"}
    add(book, "trains", [1] * 6, training=True)
    table = table_of(book)
    kinds = [(row["part"], row["oraclefactory"], row["oracle_type"]) for row in table["parts"]]
    assert kinds == [(0, None, "fair"), (1, urls[0], "evil"), (2, urls[1], "evil")]
    figures = ("solved", "unfinished", "still_open", "waiting", "steps", "worst")
    took = [tuple(row[name] for name in figures) for row in table["parts"]]
    assert took == [(3, 1, 0, 0, 15, 6), (4, 0, 0, 0, 28, 8), (3, 1, 0, 1, 26, 9)]
    teams = [[(one["entry"], one["steps"]) for one in row["teams"]] for row in table["parts"]]
    assert teams == [[(0, 10), (1, 5)], [(0, 12), (1, 16)], [(0, 18), (1, 8)]]
    factories = [(row["rank"], row["oraclefactory"]) for row in table["factories"]]
    assert factories == [(1, urls[1]), (2, urls[0]), (3, None)]
    assert table["factories"][1]["mean"] == "7.000000000000"
    assert table["factories"][0]["low"] == mean_of([9, 9, 8], 1).low
    rows = list(csv.DictReader(io.StringIO(parts_as_csv(table))))
    assert [row["part"] for row in rows] == [*"000111222", "", "", ""]
    assert [row["team_name"] for row in rows[:3]] == ["", "A", "B"]
    assert rows[-3]["oraclefactory"] == urls[1]


def test_factories_that_forced_as_much_share_a_rank_and_the_silent_have_none() -> None:
    book = a_book(1)
    book.parts = tuple(Part(6, 4, "evil", 1, f"http://{name}.example/") for name in "abc")
    book.part_of = book.parts
    add(book, "A", [5, None, 5])
    ranks = [(row["oraclefactory"][7], row["rank"]) for row in table_of(book)["factories"]]
    assert ranks == [("a", 1), ("c", 1), ("b", None)]


def test_who_was_removed_is_named_and_has_no_rank() -> None:
    book = a_book(1)
    add(book, "A", [3])
    add(book, "B", []).removed = "not invited"
    table = table_of(book)
    assert [row["team_name"] for row in table["official"]] == ["A"]
    assert table["removed"] == [
        {"entry": 1, "team_name": "B", "software_version": "1", "reason": "not invited"}
    ]
    assert table["parts"][0]["solved"] == 1
    assert table["parts"][0]["unfinished"] == 0
