"""Luck and cost of FateStones, step by step, by a program that knows the rules and the JSON alone.

It follows `docs/rules/fatestones.md` and "Secret picks" in `docs/coach.md`; values are the twin's.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import fairground as fg
from fairground.cli import main
from tests.coach.test_twins import HALF, stones

Hands = list[tuple[str, ...]]


class Account:
    """What every step should say, for seat 0; seat 1 has the opposite."""

    def __init__(self, record: list[Any], review: Any) -> None:
        self.params = record[0]["params"]
        self.steps = iter(review["steps"])
        self.value, self.luck = HALF, Fraction(0)
        self.costs = [Fraction(0), Fraction(0)]
        self.hands: Hands = [(), ()]
        self.picks: dict[int, tuple[int, int]] = {}
        self.rolls: list[str] = []
        self.seen: set[str] = set()

    def step(self, line: int, kind: str, seat: int | None, change: Fraction) -> Any:
        step = next(self.steps)
        self.value += change
        assert (step["line"], step["kind"], step["seat"]) == (line, kind, seat)
        assert [Fraction(part["exact"]) for part in step["change"]] == [change, -change]
        assert Fraction(step["values"][0]["exact"]) == self.value
        if seat is None:
            self.luck += change
        self.seen.add(kind)
        return step

    def rest(self) -> Hands:
        return [
            hand[: self.picks[seat][1]] + hand[self.picks[seat][1] + 1 :]
            for seat, hand in enumerate(self.hands)
        ]

    def drawn(self, line: int, value: int) -> None:
        if len(self.picks) < 2:
            bag = sorted(self.params["dice"])
            for die in self.hands[0] + self.hands[1]:
                bag.remove(die)
            self.hands[len(self.hands[0]) > len(self.hands[1])] += (bag[value],)
            if len(self.hands[1]) == 3:
                self.step(line, "draw", None, stones(*self.hands) - self.value)
            return
        seat = len(self.rolls)
        self.rolls.append(self.hands[seat][self.picks[seat][1]][value])
        left = self.rest()
        if seat == 0:
            other = self.hands[1][self.picks[1][1]]
            wins, ties = (
                sum(map(test, other)) for test in (self.rolls[0].__gt__, self.rolls[0].__eq__)
            )
            self.step(line, "draw", None, (wins + ties * stones(*left)) / 6 - self.value)
            return
        mine, theirs = self.rolls
        end = stones(*left) if mine == theirs else Fraction(int(mine > theirs))
        self.step(line, "draw", None, end - self.value)
        if mine == theirs:
            self.seen.add("tie" if left[0] else "scratch")
        self.hands, self.picks, self.rolls = left, {}, []

    def opened(self, line: int, seat: int, move: int) -> None:
        self.picks[seat] = line, move
        if len(self.picks) < 2:
            return
        mine, theirs = self.hands
        entries = [
            [
                self.meets(a, b, stones(mine[:i] + mine[i + 1 :], theirs[:j] + theirs[j + 1 :]))
                for j, b in enumerate(theirs)
            ]
            for i, a in enumerate(mine)
        ]
        value = self.value
        kind = "forced" if len(mine) == 1 else "decision"
        made = [next(self.steps) for _ in (0, 1)]
        mixes = [[Fraction(0)] * len(mine) for _ in made]
        for at, step in enumerate(made):
            for other in step.get("alternatives", ()):
                mixes[at][other["move"]] = Fraction(other["mix"]["exact"])
        if kind == "forced":
            mixes = [[Fraction(1)], [Fraction(1)]]
        x, y = mixes
        against_y = [sum(p * e for p, e in zip(y, row, strict=True)) for row in entries]
        against_x = [
            sum(p * e for p, e in zip(x, col, strict=True)) for col in zip(*entries, strict=True)
        ]
        assert sum(x) == sum(y) == 1 and min(x + y) >= 0
        assert max(against_y) == min(against_x) == value, "the two mixes are an equilibrium"
        costs = value - against_y[self.picks[0][1]], against_x[self.picks[1][1]] - value
        self.steps = iter([*made, *self.steps])
        for at, change in ((0, -costs[0]), (1, costs[1])):
            step = self.step(self.picks[at][0], kind, at, change)
            assert Fraction(step.get("cost", {"exact": 0})["exact"]) == costs[at]
            self.costs[at] += costs[at]
        met = entries[self.picks[0][1]][self.picks[1][1]]
        self.step(line, "meeting", None, met - value + costs[0] - costs[1])

    @staticmethod
    def meets(a: str, b: str, rest: Fraction) -> Fraction:
        rolls = [(x > y) - (x < y) for x in a for y in b]
        return (rolls.count(1) + rolls.count(0) * rest) / Fraction(36)


BAGS: dict[str, dict[str, Any]] = {
    "fair dice": {},
    "many ties": {"dice": ["333444"] * 3 + ["333345", "233444", "334445"]},
    "a scratch ends it": {"dice": ["333444"] * 4 + ["222555", "333336"], "scratch": "end"},
}


def test_every_step_of_fatestones_is_what_the_documents_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = set()
    for number in range(24):
        params = list(BAGS.values())[number % 3]
        players = ["random", "greedy", "optimal"]
        seats = [players[number // 3 % 3], players[number // 2 % 3]]
        path = tmp_path / f"{number}.jsonl"
        fg.open("fatestones", seats=seats, seed=f"split {number}", save=path, **params).play()
        assert main(["coach", str(path), "--json"]) == 0
        review = json.loads(capsys.readouterr().out)
        record = [json.loads(line) for line in path.read_bytes().splitlines()]
        account = Account(record, review)
        for line, event in enumerate(record, 1):
            if event["kind"] == "dealt":
                for _, value in event["draws"]:
                    account.drawn(line, value)
            elif event["kind"] == "open":
                account.opened(line, event["seat"], event["move"])
        assert next(account.steps, None) is None
        result = Fraction(record[-1]["payoff"][0] + 1, 2)
        assert HALF + account.luck - account.costs[0] + account.costs[1] == result
        told = review["seats"][0]
        parts = [Fraction(told[part]["exact"]) for part in ("luck", "cost", "given", "result")]
        assert parts == [account.luck, *account.costs, result]
        seen |= account.seen
    assert seen == {"draw", "decision", "forced", "meeting", "tie", "scratch"}
