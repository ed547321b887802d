"""Reading and judging ten-column rows."""

from __future__ import annotations

import lzma
from fractions import Fraction
from pathlib import Path

import pytest

from fairground.core import Unreadable
from fairground.games.fatestones.rows import HEADER, Report, read_cells, report, row_of, text_cells
from fairground.games.fatestones.rules import Round, fair_dice
from fairground.games.fatestones.solver.choices import regrets
from tests.helpers.places import DATA
from tests.helpers.width import WIDE

LOG = DATA / "fatestones-random-vs-random.txt.xz"
"""The original simulator's log, compressed."""

TIE = "133356,114456,124455,233445,133446,123456,2,2,2,2"
NEXT = "133356,114456,,233445,133446,,1,1,1,4"
WON = "111666,133455,133356,333444,124455,222366,1,0,5,4"
FAIR = list(fair_dice())
LAST = "133356,,,233445,,,0,0,3,3"


def judged(*lines: str, dice: list[str] | None = None) -> Report:
    return report(text_cells(lines), dice)


def faults(*lines: str, dice: list[str] | None = None) -> dict[int, str]:
    return {bad.line: bad.reason for bad in judged(*lines, dice=dice).illegal}


def test_the_original_log() -> None:
    """The first thousand rows in the suite: who won is counted here once more."""
    with lzma.open(LOG, "rt") as file:
        rows = file.readlines()
    some = rows if WIDE else rows[:1000]
    seen: list[int] = []
    found = report(text_cells(some), progress=seen.append)
    rolls = [tuple(map(int, row.split(",")[-2:])) for row in some]
    won, lost = (sum(a > b for a, b in rolls), sum(a < b for a, b in rolls))
    assert (found.rows, found.wins, found.losses) == (len(some), won, lost)
    assert found.ties == len(some) - won - lost
    assert seen == list(range(1, len(some) + 1))
    assert found.illegal == ()
    if not WIDE:
        return
    assert (found.rows, found.wins, found.losses, found.ties) == (11_977, 4_913, 5_031, 2_033)
    assert (found.games, found.scratches) == (10_000, 56)
    assert found.loss_player1.average == pytest.approx(0.006865575463894)
    assert found.loss_player2.average == pytest.approx(0.006926756825836)
    assert (found.loss_player1.worst, found.loss_player1.worst_line) == (Fraction(551, 2916), 6635)
    assert (found.loss_player2.worst, found.loss_player2.worst_line) == (Fraction(59, 288), 9079)


SAMPLE = "|111111|111111|111111|111111|111111|111111|1|1|1|1|"


@pytest.mark.parametrize("row", [SAMPLE, SAMPLE.strip("|").replace("|", ",")])
def test_the_sample_row_of_the_source_document_is_legal_with_its_dice(row: str) -> None:
    for dice in (None, ["111111"] * 6):
        found = judged(row, dice=dice)
        assert (found.rows, found.ties, found.games, found.illegal) == (1, 1, 1, ())
    assert "is not in this set of dice" in faults(row, dice=FAIR)[1]
    few = ["111111"] * 5 + ["222222"]
    assert "6 times, but this set of dice has it 5 times" in faults(row, dice=few)[1]


def test_a_markdown_table_and_a_header_are_read() -> None:
    table = [HEADER.replace(",", "|"), "|---|---|---|---|---|---|---|---|---|---|", ""]
    table = [f"|{table[0]}|", table[1], table[2], "|" + WON.replace(",", "|") + "|"]
    assert (judged(*table).rows, judged(*table).wins) == (1, 1)
    assert judged(HEADER, TIE, NEXT) == judged(HEADER + "\r\n", TIE + "\r\n", NEXT)
    assert judged(HEADER, TIE, NEXT).rows == 2


def test_costs_are_those_of_the_equilibrium() -> None:
    found = judged(WON)
    mine, theirs = ("111666", "133455", "133356"), ("333444", "124455", "222366")
    mine_cost, their_cost = regrets(mine, theirs)
    assert found.loss_player1.average == pytest.approx(float(mine_cost[1]))
    assert found.loss_player2.worst == their_cost[0]
    both = judged(WON, WON.replace("1,0,5,4", "0,0,6,4"))
    assert both.loss_player1.average == pytest.approx(float(mine_cost[1] + mine_cost[0]) / 2)
    assert both.loss_player1.worst == max(mine_cost[:2])


def test_rounds_make_games_and_a_last_tie_is_a_scratch() -> None:
    second = NEXT.replace("1,1,1,4", "1,1,4,4")
    found = judged(TIE, second, LAST, WON)
    assert (found.rows, found.wins, found.losses, found.ties) == (4, 1, 0, 3)
    assert (found.games, found.scratches, found.illegal) == (2, 1, ())


def test_a_tie_must_be_followed_by_its_next_round() -> None:
    found = judged(TIE, WON)
    assert [bad.line for bad in found.illegal] == [1]
    assert "no next round" in found.illegal[0].reason
    assert found.games == 1, "the tie is illegal, and opens no game"
    assert list(faults(TIE, NEXT.replace("133356", "111666"))) == [1, 2]
    assert faults(WON, TIE) == {}, "where the file ends, the log was only cut"


def test_the_dice_left_may_be_told_in_another_order() -> None:
    assert faults(TIE, "114456,133356,,233445,133446,,0,1,1,4") == {}


def test_fewer_dice_without_a_tie_before_are_illegal() -> None:
    assert "2 dice each" in faults(WON, NEXT)[2]
    assert "1 die each" in faults(LAST)[1]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (WON.replace("1,0,5,4", "1,0,6,4"), "player 1 rolls '6' with 133455"),
        (WON.replace("1,0,5,4", "1,0,5,5"), "player 2 rolls '5' with 333444"),
        (WON.replace("1,0,5,4", "1,0,5,0"), "player 2 rolls '0'"),
        (WON.replace("1,0,5,4", "3,0,5,4"), "player 1 picks '3' of 3 dice"),
        (WON.replace("1,0,5,4", "1,-1,5,4"), "player 2 picks '-1' of 3 dice"),
        (WON.replace("1,0,5,4", "1,,5,4"), "player 2 picks '' of 3 dice"),
        (
            WON.replace("222366", "111666"),
            "111666 is used 2 times, but this set",
        ),
        (WON.replace("222366", "111111"), "111111 is used once but is not in this set of dice"),
        (WON.replace("222366", "666222"), "'666222' is not a die"),
        (WON.replace("222366", ""), "3 dice against 2"),
        (WON.replace("133455", ""), "player 1 has a gap"),
        (",,,,,,0,0,1,2", "0 dice against 0"),
        (WON + ",7", "11 columns, not ten"),
        ("hello", "1 columns, not ten"),
    ],
)
def test_what_is_wrong_with_a_row_is_said(row: str, reason: str) -> None:
    assert reason in faults(WON, row, WON, dice=FAIR)[2]
    assert judged(WON, row, WON, dice=FAIR).rows == 3


def test_illegal_rows_count_as_rows_only_and_cost_nothing() -> None:
    found = judged(WON, WON.replace("1,0,5,4", "1,0,6,4"), WON.replace("1,0,5,4", "9,0,1,1"))
    assert (found.rows, found.wins, found.ties, len(found.illegal)) == (3, 1, 0, 2)
    assert found.loss_player1 == judged(WON).loss_player1


def test_after_an_illegal_pick_any_die_may_be_the_one_that_is_gone() -> None:
    bad = TIE.replace("2,2,2,2", "7,2,2,2")
    assert faults(bad, NEXT)[2] == "it continues line 1, which is illegal"
    assert list(faults(bad, WON)) == [1]


def test_rows_are_written_as_they_are_read() -> None:
    played = Round((("133356", "114456"), ("233445", "133446")), (1, 1), (1, 4))
    assert row_of(played) == NEXT
    assert [cells for _, cells in text_cells([NEXT])] == [NEXT.split(",")]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{TIE}\r\n\r\n{NEXT}\r\n".encode())
    assert [line for line, _ in read_cells(path)] == [1, 3]
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Unreadable, match="neither text nor Parquet"):
        list(read_cells(path))
    with pytest.raises(Unreadable, match="cannot read"):
        list(read_cells(tmp_path / "nothing"))


def test_the_report_as_json() -> None:
    found = judged(WON, "hello").as_json()
    assert list(found) == [
        *("rows", "wins", "losses", "ties", "games", "scratches", "illegal"),
        *("loss_player1", "loss_player2"),
    ]
    assert found["illegal"] == [{"line": 2, "reason": "1 columns, not ten"}]
    assert Fraction(found["loss_player1"]["worst"]) >= 0
