"""docs/fairness.md, "The rules of the claims", and the verdict as a whole."""

from __future__ import annotations

import json
from typing import Any

from tests.document_checker.bits import Fault, Run, is_hex, sha3
from tests.document_checker.referee import Referee, read

Spans = dict[int, tuple[int, int]]


class Claims:
    def __init__(self, played: Referee, receipts: list[tuple[int, int | None]]) -> None:
        self.played, self.receipts = played, receipts
        seats = played.events[0]["seats"]
        self.own = [i for i, seat in enumerate(seats) if seat["by"] != "house"]
        self.dealt = [run for run in played.runs if run.line]
        self.last = len(played.events)

    def found(self) -> list[dict[str, Any]]:
        played, out = self.played, []
        owed = [r for r in played.runs if r.line or played.scheme.must_open(r)]
        if owed and self.own and all(run.committed for run in owed):
            out.append(self.committed(owed))
            for seat in self.own:
                if not self.dealt or not all(seat in run.lent for run in self.dealt):
                    continue
                lines = sorted({run.lent[seat] for run in self.dealt})
                spans = {run.index: (run.bound, run.lent[seat]) for run in self.dealt}
                out.append(claim("UNIFORM", seat, lines, self.witness(spans, seat)))
                decided = {run.index: self.decided(run, seat) for run in self.dealt}
                waited = all(decided[run.index] <= run.lent[seat] for run in self.dealt)
                if waited and not self.foreseen(seat):
                    spans = {k: (max(a, decided[k]), b) for k, (a, b) in spans.items()}
                    out.append(claim("UNFORESEEN", seat, lines, self.witness(spans, seat)))
        turns = played.sealed_turns
        if turns and all(self.hid(seals) for seals, _, _ in turns):
            spans = {i: (max(s.values()), first) for i, (s, first, _) in enumerate(turns, 1)}
            lines = [line for s, _, last in turns for line in (max(s.values()), last)]
            out.append(claim("SEALED", None, lines, self.witness(spans, None)))
        out += [claim(name, None, [self.last], None) for name in played.game.proves]
        if self.receipts:
            out.append(claim("ORDERED", None, sorted({line for line, _ in self.receipts}), None))
        return out

    def committed(self, owed: list[Run]) -> dict[str, Any]:
        kinds = ("share", "move", "seal", "open")
        answers = [i for i, e in enumerate(self.played.events, 1) if e["kind"] in kinds]
        spans = {}
        for run in owed:
            bound = run.bound or run.step + 1
            spans[run.index] = bound, next((at for at in answers if at > bound), self.last)
        lines = {1} | {at for run in owed for at in (run.step + 1, run.line) if at}
        return claim("COMMITTED", None, sorted(lines), self.witness(spans, None))

    def decided(self, run: Run, seat: int) -> int:
        made = [at for who, at in self.played.decisions if who != seat and at < run.line]
        return max(made, default=0)

    def foreseen(self, seat: int) -> bool:
        """Whether somebody left at the end who may have known what would come next."""
        last = max(run.line for run in self.dealt)
        if not any(who != seat and at > last for who, at in self.played.left):
            return False
        start = self.played.events[0]
        once = start["seats"][seat]["lends"] == "stir" and start["public"]["stir"] == "once"
        given = any(
            share[0] == seat and share[1] not in ("tip", "next-tip")
            for run in self.played.runs
            if not run.line
            for share in run.shares
        )
        return once or given

    def hid(self, seals: dict[int, int]) -> bool:
        mine = [line for seat, line in seals.items() if seat in self.own]
        house = [line for seat, line in seals.items() if seat not in self.own]
        return len(mine) > 1 or (len(mine) == 1 and max(house) < mine[0])

    def witness(self, spans: Spans, seat: int | None) -> dict[str, Any]:
        kept = [at for at, who in self.receipts if seat is None or who in (None, seat)]
        shown = [k for k, (a, b) in spans.items() if any(a <= at < b for at in kept)]
        told = [k for k in spans if k not in shown]
        by = "house" if not shown else "receipts and house" if told else "receipts"
        return {"by": by, "shown": shown, "told": told}


def claim(name: str, seat: int | None, lines: list[int], witness: Any) -> dict[str, Any]:
    return {"claim": name, "seat": seat, "lines": lines, "witness": witness}


def located(receipts: str, lines: list[bytes], table: str) -> list[tuple[int, int | None]]:
    """A receipts file: the line of each receipt, and whose it is."""
    numbers = {sha3(line): number for number, line in enumerate(lines, 1)}
    out = []
    every = [json.loads(line) for line in receipts.splitlines() if line.strip()]
    for kept in [kept for kept in every if kept.get("table") == table] or every:
        head = kept["head"].strip().lower()
        if not is_hex(head):
            raise Fault("input/bad")
        if head not in numbers:
            raise Fault("transcript/receipt")
        seat = kept.get("seat")
        out.append((numbers[head], seat if type(seat) is int else None))
    return out


UNKNOWN = ("name/unknown", "format/unknown", "input/unreadable")


def judge(data: bytes, receipts: str = "") -> dict[str, Any]:
    """The verdict."""
    try:
        lines, events = read(data)
        played = Referee(events)
        played.play()
        kept = located(receipts, lines, events[0]["table"])
    except Fault as fault:
        verdict = "cannot be judged" if fault.code in UNKNOWN else "invalid"
        verdict = "unfinished" if fault.code == "transcript/unfinished" else verdict
        told = {"code": fault.code, "line": fault.line}
        return {"verdict": verdict, "fault": told, "claims": [], "payoff": None}
    found = Claims(played, kept).found()
    return {"verdict": "valid", "fault": None, "claims": found, "payoff": played.payoff}
