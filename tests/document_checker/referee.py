"""docs/format.md, "The verdict": the steps in their order, and the game played again."""

from __future__ import annotations

import json
from typing import Any

from tests.document_checker.bits import (
    OTHERS,
    SCHEMES,
    Fault,
    NotCovered,
    Run,
    digest,
    is_hex,
    line_of,
    parse,
    sha3,
    written,
)
from tests.document_checker.rules import GAMES

FIELDS = {
    "start": "format table game params dealer public seats",
    "ticket": "run n hidden ticket",
    "share": "run seat share value",
    "dealt": "run draws evidence",
    "move": "seat move",
    "seal": "seat commitment",
    "open": "seat key move",
    "note": "body",
    "forfeit": "seat by reason",
    "opening": "run draws evidence",
    "void": "code reason",
    "end": "payoff",
}
LENDS = ("nothing", "number", "stir", "chain", "seed")


class Kept(Exception):
    """The house's next word is not in the record."""


class Void(Exception):
    """The house voids the game here."""


def read(data: bytes) -> tuple[list[bytes], list[dict[str, Any]]]:
    """Steps 1 to 5."""
    *lines, tail = data.split(b"\n")
    lines = [line + b"\n" for line in lines] + ([tail] if tail else [])
    if lines[0].endswith(b"\r\n"):
        raise Fault("transcript/line-ends", 1)
    events: list[dict[str, Any]] = []
    head = "0" * 64
    for number, line in enumerate(lines, 1):
        events.append(parse(line, number))
        if events[-1].get("prev") != head:
            raise Fault("transcript/broken-chain", max(number - 1, 1))
        head = sha3(line)
    start = events[0]
    if start.get("kind") != "start" or not isinstance(start.get("format"), str):
        raise Fault("transcript/malformed", 1)
    if start["format"] != "fairground/1":
        raise Fault("format/unknown", 1)
    for number, event in enumerate(events, 1):
        kind = event.get("kind")
        names = FIELDS.get(kind) if isinstance(kind, str) else None
        if names is None or set(event) != {"kind", "prev", *names.split()}:
            raise Fault("transcript/malformed", number)
    return lines, events


def setting(start: dict[str, Any]) -> tuple[Any, Any]:
    """Step 6: the game and the scheme."""
    seats = start["seats"]
    objects = isinstance(start["params"], dict) and isinstance(start["public"], dict)
    if not is_hex(start["table"]) or not objects or not isinstance(seats, list):
        raise Fault("transcript/malformed")
    for seat in seats:
        if not isinstance(seat, dict) or not {"name"} <= set(seat) <= {"name", "by", "lends"}:
            raise Fault("transcript/malformed")
    if not isinstance(start["game"], str) or start["game"] not in GAMES:
        raise Fault("name/unknown")
    game = GAMES[start["game"]](start["params"])
    dealer = start["dealer"]
    if not isinstance(dealer, str) or dealer not in (*SCHEMES, *OTHERS):
        raise Fault("name/unknown")
    if dealer in OTHERS:
        raise NotCovered(dealer)
    scheme = SCHEMES[dealer]
    if len(seats) != game.seats:
        raise Fault("input/bad")
    for seat in seats:
        by, lends, name = seat.get("by"), seat.get("lends"), seat["name"]
        good = isinstance(name, str) and 1 <= len(name) <= 80
        if not good or by not in ("self", "house") or lends not in LENDS:
            raise Fault("input/bad")
        if by == "house" and lends not in ("nothing", "seed"):
            raise Fault("input/bad")
    if any(seat["lends"] not in ("nothing", *scheme.lends) for seat in seats):
        raise Fault("game/params")
    return game, scheme(bytes.fromhex(start["table"]), seats, start["public"])


class Referee:
    """Plays the record again, as far as it goes."""

    def __init__(self, events: list[dict[str, Any]]) -> None:
        self.events = events
        self.written: list[dict[str, Any]] = []
        self.head = "0" * 64
        self.ended = events[-1]["kind"] == "end"
        voids = [i for i, event in enumerate(events) if event["kind"] == "void"]
        self.void = voids[-1] if voids else None
        self.house = {
            kind: {e["run"]: e for e in events if e["kind"] == kind and type(e["run"]) is int}
            for kind in ("ticket", "dealt", "opening")
        }
        self.runs: list[Run] = []
        self.run: Run | None = None
        self.phases: list[tuple[str, list[int]]] = []
        self.asks: list[tuple[str, int]] = []
        self.moves: dict[int, Any] = {}
        self.seals: dict[int, tuple[str, int]] = {}
        self.turn_began = (0, "")
        self.first_opening = 0
        self.sealed_turns: list[tuple[dict[int, int], int, int]] = []
        self.decisions: list[tuple[int, int]] = []  # seat, line
        self.left: list[tuple[int, int]] = []  # seat, line
        self.gone: list[int] = []
        self.leaving: list[int] = []
        self.payoff: list[int] | None = None
        self.closed = self.waiting = self.voided = False

    def play(self) -> None:
        """Step 7 and 8."""
        events = self.events
        try:
            self.game, self.scheme = setting(events[0])
            start = {k: v for k, v in events[0].items() if k != "prev"} | {
                "params": self.game.params
            }
            self.write(**start)
            self.go_on()
            self.compare(0)
            while (number := len(self.written)) < len(events):
                if self.waiting and events[number]["kind"] not in ("note", "forfeit"):
                    break
                self.answer(events[number])
                self.go_on()
                self.compare(number)
        except Fault as fault:
            fault.line = fault.line or min(len(self.written) + 1, len(events))
            raise
        if len(self.written) != len(events) or not self.closed:
            raise Fault("transcript/unfinished", len(events))
        if self.voided:
            raise Fault("table/void", len(events) - 1)

    def write(self, **event: Any) -> int:
        event["prev"] = self.head
        self.written.append(event)
        self.head = sha3(line_of(event))
        return len(self.written)

    def compare(self, begin: int) -> None:
        for i in range(begin, min(len(self.written), len(self.events))):
            if line_of(self.written[i]) != line_of(self.events[i]):
                raise Fault("table/mismatch", i + 1)

    # Answers

    def answer(self, event: dict[str, Any]) -> None:
        kind, seat = event["kind"], event.get("seat")
        if kind == "note":
            if not isinstance(event["body"], dict):
                raise Fault("transcript/malformed")
            self.must_be_open()
            self.write(kind="note", body=event["body"])
            return
        if kind == "forfeit":
            self.forfeit(seat, event["by"], event["reason"])
            return
        wanted = (event["share"] if kind == "share" else kind, seat)
        ask = next((ask for ask in self.asks if ask == wanted), None)
        if ask is None or kind in ("ticket", "dealt", "opening", "void", "end", "start"):
            raise Fault("table/unexpected")
        seat = ask[1]
        if kind == "share":
            assert self.run is not None
            self.scheme.check_share(self.run, seat, ask[0], event["value"])
            at = self.write(
                kind=kind, run=self.run.index, seat=seat, share=ask[0], value=event["value"]
            )
            self.run.shares.append((seat, ask[0], event["value"], at))
        elif kind == "seal":
            if not is_hex(event["commitment"]):
                raise Fault("share/bad")
            at = self.write(kind=kind, seat=seat, commitment=event["commitment"])
            self.seals[seat] = (event["commitment"], at)
        else:
            self.take_move(kind, seat, event)
        self.asks.remove(ask)

    def take_move(self, kind: str, seat: int, event: dict[str, Any]) -> None:
        move = event["move"]
        if not self.game.legal(seat, move):
            raise Fault("move/illegal")
        more = {}
        if kind == "open":
            text = json.dumps(move, separators=(",", ":"), ensure_ascii=False)
            table = bytes.fromhex(self.events[0]["table"])
            parts = ("fairground/seal/1", table, seat, *self.turn_began)
            key = bytes.fromhex(event["key"]) if is_hex(event["key"]) else b""
            if not key or digest(*parts, key, text).hex() != self.seals[seat][0]:
                raise Fault("move/illegal")
            more = {"key": event["key"]}
        at = self.write(kind=kind, seat=seat, move=move, **more)
        if kind == "open" and not self.moves:
            self.first_opening = at
        self.moves[seat] = move
        self.decisions.append((seat, at))

    def must_be_open(self) -> None:
        if self.closed or self.payoff is not None:
            raise Fault("ask/stale")

    def forfeit(self, seat: Any, by: Any, reason: Any) -> None:
        self.must_be_open()
        good = type(seat) is int and 0 <= seat < self.game.seats
        if not good or seat in (*self.gone, *self.leaving) or by not in ("seat", "house"):
            raise Fault("input/bad")
        if not isinstance(reason, str) or len(reason) > 200:
            raise Fault("input/bad")
        payoff = self.game.leave(seat)
        at = self.write(kind="forfeit", seat=seat, by=by, reason=reason)
        self.decisions.append((seat, at))
        self.left.append((seat, at))
        if payoff is not None:
            self.payoff, self.asks = payoff, []
            return
        self.scheme.gone.add(seat)
        self.asks = [ask for ask in self.asks if ask[1] != seat]
        if self.run is None:
            self.take_out(seat)
            return
        self.leaving.append(seat)
        self.phases = [(kind, [s for s in seats if s != seat]) for kind, seats in self.phases]

    def take_out(self, seat: int) -> None:
        self.gone.append(seat)
        payoff = self.game.leave(seat)
        if payoff is not None:
            self.payoff, self.asks = payoff, []
            return
        self.game.take_out(seat)
        awaits = self.game.awaits()
        turn = awaits[1] if awaits[0] == "turn" and len(awaits[1]) > 1 else ()
        self.asks = [ask for ask in self.asks if ask[1] in turn]
        self.moves = {s: move for s, move in self.moves.items() if s in turn}
        self.seals = {s: seal for s, seal in self.seals.items() if s in turn}

    # What follows without an answer

    def go_on(self) -> None:
        self.waiting = False
        try:
            while not self.asks and not self.closed:
                self.step()
        except Kept:
            self.waiting = True
        except Void:
            assert self.void is not None
            said = self.events[self.void]
            self.asks, self.voided = [], True
            self.write(kind="void", code=said["code"], reason=str(said["reason"]))
            self.close(None)

    def step(self) -> None:
        awaits = ("over", self.payoff) if self.payoff is not None else self.game.awaits()
        if awaits[0] == "over":
            self.payoff = awaits[1]
            self.finish()
        elif awaits[0] == "draw":
            self.chance(awaits)
        elif set(self.moves) == set(awaits[1]):
            if self.seals:
                lines = {seat: at for seat, (_, at) in self.seals.items()}
                self.sealed_turns.append((lines, self.first_opening, len(self.written)))
            moves, self.moves, self.seals = self.moves, {}, {}
            self.game.played(moves)
        elif len(awaits[1]) == 1:
            self.asks = [("move", seat) for seat in awaits[1]]
        elif not self.seals:
            self.turn_began = (len(self.written), self.head)
            self.asks = [("seal", seat) for seat in awaits[1]]
        else:
            self.asks = [("open", seat) for seat in awaits[1]]

    def missing(self, code: str) -> Exception:
        if self.void is not None:
            return Void()
        return Fault(code) if self.ended else Kept()

    def chance(self, draw: tuple[Any, ...]) -> None:
        if self.run is None:
            run = Run(len(self.runs) + 1, draw[1], draw[2], len(self.written), self.head)
            if run.index not in self.house["ticket"]:
                coming = (e["kind"] for e in self.events[run.step :] if e["kind"] != "note")
                raise Kept if next(coming, None) == "forfeit" else self.missing("table/unexpected")
            run.ticket = self.house["ticket"][run.index]["ticket"]
            self.scheme.check_ticket(run)
            n = written(run.n)
            self.write(kind="ticket", run=run.index, n=n, hidden=run.hidden, ticket=run.ticket)
            self.run, self.phases = run, self.scheme.phases(run)
            self.runs.append(run)
        elif self.phases:
            kind, seats = self.phases.pop(0)
            self.asks = [(kind, seat) for seat in seats]
        else:
            self.deal(self.run, draw)
            self.run = None
            for seat in self.leaving:
                if self.payoff is None:
                    self.take_out(seat)
            self.leaving = []

    def deal(self, run: Run, draw: tuple[Any, ...]) -> None:
        if run.index not in self.house["dealt"]:
            raise self.missing("table/unexpected")
        at = 0 if self.scheme.opens_once else run.index
        later_told = self.scheme.opens_once or run.hidden
        if later_told and at not in self.house["opening"]:
            if self.void is not None:
                raise Fault("table/void", self.void + 1)
            raise self.missing("fair/unopened")
        now = self.house["dealt"][run.index]["evidence"]
        later = self.house["opening"][at]["evidence"] if later_told else {}
        below = self.scheme.deal(run, now, later)
        awaits = draw
        while awaits[0] == "draw" and awaits[2] == draw[2]:
            value = below(awaits[1])
            run.draws.append((awaits[1], value))
            self.game.drawn(value)
            awaits = self.game.awaits()
            if self.scheme.per_draw:
                break
        draws = [[written(n), None if run.hidden else written(v)] for n, v in run.draws]
        run.line = self.write(kind="dealt", run=run.index, draws=draws, evidence=now)

    def finish(self) -> None:
        if self.scheme.opens_once and any(run.line for run in self.runs):
            evidence = self.house["opening"][0]["evidence"]
            self.write(kind="opening", run=0, draws=[], evidence=evidence)
        for run in self.runs:
            if self.scheme.must_open(run):
                if run.index not in self.house["opening"]:
                    raise self.missing("fair/unopened")
                evidence = self.house["opening"][run.index]["evidence"]
                if not run.line:
                    self.scheme.check_abandoned(run, evidence)
                draws = [[written(n), written(v)] for n, v in run.draws]
                self.write(kind="opening", run=run.index, draws=draws, evidence=evidence)
        self.close(self.payoff)

    def close(self, payoff: list[int] | None) -> None:
        self.payoff = payoff
        self.write(kind="end", payoff=payoff)
        self.closed = True
