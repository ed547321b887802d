"""A house without a server: it holds contests in memory, and can cheat."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import Any

from fairground.contest.book import CLOSING, DRAWN, FORMAT, Book, Entry, files_digest, the_note
from fairground.contest.file import book_heading, game_heading, standings_line
from fairground.contest.games import Disguise, Part, keeper_seed, order
from fairground.contest.standings import standing
from fairground.fair.bits import HashStream, Tag, digest
from fairground.fair.contest import ContestDealer, contest_commitment
from fairground.fair.schemes import Chair
from fairground.fair.vault import MemoryVault
from fairground.games.codebreaking.rules import BREAKER, GIVE_UP, KEEPER, Row, fits
from fairground.players import make_player
from fairground.players.runner import Runner
from fairground.table import Table
from fairground.transcript import Transcript, canonical, line_hash

SEED = hashlib.sha3_256(b"the seed of this contest").digest()
PARTS = (Part(4, 3, "fair", 3), Part(3, 3, "evil", 2), Part(6, 2, "nice", 1))


class House:
    """One contest: the book, and every game that was touched."""

    def __init__(
        self,
        parts: Sequence[Part] = PARTS,
        seed: bytes = SEED,
        *,
        disguise: str = DRAWN,
    ) -> None:
        self.seed = seed
        self.book = Book()
        self.chain = Transcript()
        self.games: dict[tuple[int, int], tuple[Table, ContestDealer]] = {}
        self.order = cache(lambda entry: order("cup", self.seed, entry, self.book.games))
        self.write(
            "opened",
            disguise=disguise,
            format=FORMAT,
            contest="cup",
            parts=[part._asdict() for part in parts],
            commitment=contest_commitment("cup", seed),
            at=1000,
            closes=2000,
        )

    def write(self, kind: str, **fields: Any) -> None:
        event = {"kind": kind, "prev": self.chain.head, **fields}
        self.book.apply(event, canonical(event) + b"\n")
        self.chain.append(kind, **fields)

    def enter(self, team: str, version: str = "1") -> Entry:
        number, training = len(self.book.entries), self.book.trains(team)
        self.write("entered", entry=number, team=team, version=version, training=training, at=1001)
        return self.book.entries[-1]

    def start(self, entry: Entry) -> Entry:
        self.write("started", entry=entry.number, at=1001)
        return entry

    def seen(self, entry: Entry, slot: int) -> tuple[int, Part, Disguise]:
        game = self.order(entry.number)[slot]
        part = self.book.part_of[game]
        return game, part, self.book.seen(self.seed, entry.number, game)

    def table(self, entry: Entry, slot: int) -> Table:
        if (entry.number, slot) not in self.games:
            if not entry.started:
                self.start(entry)
            game, part, seen = self.seen(entry, slot)
            name = digest(Tag.TOKEN, "table", entry.number, slot)
            dealer = ContestDealer(
                name, MemoryVault(), contest="cup", game=game, seed=self.seed, held=True
            )
            chairs = (Chair(part.keeper, by="house"), Chair(entry.chair))
            table = Table.open(part.rules(), dealer, chairs)
            table.note(the_note(self.book, entry, slot, part, seen))
            self.games[entry.number, slot] = table, dealer
        return self.games[entry.number, slot][0]

    def submit(self, entry: Entry, slot: int, move: Any) -> tuple[int, int]:
        game, part, seen = self.seen(entry, slot)
        table = self.table(entry, slot)
        (ask,) = table.asks()
        table.submit(ask, move if move == GIVE_UP else seen.to_raw(move))
        root = digest(Tag.PLAYER, keeper_seed("cup", self.seed, game), KEEPER)
        keeper = make_player(part.oracle, table.game, HashStream(root), KEEPER)
        Runner(table, {KEEPER: keeper}).play()
        if table.payoff is not None:
            self.write(
                "finished",
                entry=entry.number,
                slot=slot,
                result="given up" if table.state.given_up else "solved",
                steps=len(table.state.rows),
                head=table.transcript.head,
                at=1001,
            )
        marks: tuple[int, int] = table.state.rows[-1].marks if table.state.rows else (0, 0)
        return marks

    def solve(self, entry: Entry, slot: int) -> int:
        _, part, _ = self.seen(entry, slot)
        return len(solve(part.base, part.length, lambda code: self.submit(entry, slot, code)))

    def close(self, at: int = 2000, by: str = "creator") -> None:
        self.write("closed", seed=self.seed.hex(), by="time" if at >= 2000 else by, at=at)
        for table, dealer in self.games.values():
            dealer.held = False
            if table.payoff is None:
                table.forfeit(BREAKER, CLOSING, by="house")
            else:
                table.advance()
        heads = {place: table.transcript.head for place, (table, _) in self.games.items()}
        self.write("filed", games=len(heads), digest=files_digest("cup", heads))

    def file(self) -> list[bytes]:
        lines = self.chain.lines
        out = [book_heading(self.book, len(lines)), *lines]
        for (entry, slot), (table, _) in sorted(self.games.items()):
            out += [game_heading(entry, slot, table.transcript.step), *table.transcript.lines]
        orders = {e.number: self.order(e.number) for e in self.book.entries}
        return [*out, standings_line(standing(self.book, orders), self.chain.head)]


def solve(base: int, length: int, ask: Callable[[tuple[int, ...]], tuple[int, int]]) -> list[Row]:
    """Break a code: always the first that fits all answers."""
    rows: list[Row] = []
    for code in product(range(base), repeat=length):
        if fits(code, rows):
            rows.append(Row(code, ask(code)))
            if rows[-1].marks[0] == length:
                return rows
    raise AssertionError("no code fits the answers")


def a_contest(disguise: str = DRAWN) -> House:
    """Two teams, one of which comes again to train; games solved, given up, left, untouched.

    A third team was removed.
    """
    house = House(disguise=disguise)
    a, b = house.enter("A"), house.enter("B")
    for slot in range(6):
        house.solve(a, slot)
    for slot in range(4):
        house.solve(b, slot)
    house.submit(b, 4, GIVE_UP)
    house.enter("C")
    house.write("removed", entry=2, reason="not invited", at=1001)
    again = house.enter("B", "2")
    house.solve(again, 0)
    _, part, _ = house.seen(again, 1)
    if part.oracle != "nice":
        house.submit(again, 1, (0,) * part.length)
    house.close()
    return house


def sections(lines: Sequence[bytes]) -> list[tuple[int, int]]:
    """First and last index of every chain in the file."""
    out, i = [], 0
    while i < len(lines):
        count = json.loads(lines[i]).get("lines", 0)
        if count:
            out.append((i + 1, i + count))
        i += count + 1
    return out


def rechained(lines: Sequence[bytes], layout: Sequence[tuple[int, int]]) -> list[bytes]:
    """The file with all chains written anew, as a house can do that changed a line."""
    out = list(lines)
    for first, last in layout:
        head = "0" * 64
        for i in range(first, last + 1):
            event = json.loads(out[i])
            event["prev"] = head
            out[i] = canonical(event) + b"\n"
            head = line_hash(out[i])
    return out
