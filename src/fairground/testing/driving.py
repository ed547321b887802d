"""Helpers of the kernel's tests: fixed secrets, seats that answer, and a house that forges.

Nothing here is random: secrets come from digests of a label, decisions from a
`SeededStream`, so every run of the suite plays the very same games.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from fairground.core import Move, Seat, written
from fairground.fair.bits import SeededStream
from fairground.fair.chains import Chain, ChainHolder, HashChainsDealer
from fairground.fair.contest import ContestDealer
from fairground.fair.hmac_user import HmacUserDealer
from fairground.fair.schemes import Chair, Dealer, Evidence, Run
from fairground.fair.unproven import SeededDealer, SystemDealer
from fairground.fair.vault import MemoryVault
from fairground.games import make_game
from fairground.table import Ask, Table
from fairground.transcript import NO_LINE, Transcript

TABLE = hashlib.sha3_256(b"the table of the tests").digest()
SEED = hashlib.sha3_256(b"the seed of the contest").digest()


def secret(*words: object) -> bytes:
    """32 bytes that are always the same for the same words."""
    return hashlib.sha3_256("|".join(map(str, words)).encode()).digest()


class FixedVault(MemoryVault):
    """A vault in which every secret is foretold: from ``script``, or from the label."""

    def __init__(self, label: str = "vault", script: Mapping[str, bytes] | None = None) -> None:
        super().__init__()
        self.label = label
        self.script = dict(script or {})
        self.n = 1

    def keep(self, name: str, secret_: bytes, head: str) -> bytes:
        made = self.script.get(name)
        if made is None and name.startswith("hmac."):
            key = secret(self.label, name)
            number = int.from_bytes(secret(self.label, name, "number"), "big") % self.n
            made = f"{key.hex().upper()} {number}".encode()
        return super().keep(name, made or secret(self.label, name), head)


class FixedHmacDealer(HmacUserDealer):
    """Tells the fixed vault the range before it asks it for a secret."""

    def __init__(self, table: bytes, vault: MemoryVault) -> None:
        super().__init__(table, vault)
        self._fixed = vault

    def open(self, run: Run) -> Evidence:
        if isinstance(self._fixed, FixedVault):
            self._fixed.n = run.n
        return super().open(run)


class FixedHolder(ChainHolder):
    """A seat's own chains, made of fixed secrets."""

    def _chain(self, generation: int) -> Chain:
        if generation not in self._chains:
            made = secret("holder", self._seat, generation)
            self._chains[generation] = Chain(
                self._table, self._seat, generation, self._length, made
            )
        return self._chains[generation]


class Mode(NamedTuple):
    """One way of using a dealer: what each seat lends, and the dealer's options."""

    dealer: str
    label: str
    lends: str = "nothing"
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        return f"{self.dealer.partition('/')[0]}-{self.label}"

    def make(self, vault: MemoryVault, table: bytes = TABLE) -> Dealer:
        """The house's half, with what this scheme needs."""
        options: dict[str, Any] = dict(self.options)
        makers: dict[str, Callable[..., Dealer]] = {
            "hmac-sha3-user/1": FixedHmacDealer,
            "hash-chains/1": HashChainsDealer,
            "contest/1": ContestDealer,
            "seeded/1": SeededDealer,
            "system/1": SystemDealer,
        }
        return makers[self.dealer](table, vault, **options)

    def chairs(self, seats: int) -> list[Chair]:
        """Seat 0 belongs to the house; under ``number`` one seat lends, else all others."""
        chairs = [Chair("House", "house")]
        for seat in range(1, seats):
            lends = "nothing" if self.lends == "number" and seat > 1 else self.lends
            chairs.append(Chair(f"Seat {seat}", "self", lends))
        return chairs


class Driver:
    """Answers whatever a table asks, the same way every time."""

    def __init__(self, table: Table, seed: str = "driver", length: int = 1000) -> None:
        self.table = table
        self.seed = seed
        name = table.setting.table
        chairs = table.setting.chairs
        self.holders: dict[Seat, ChainHolder] = {
            seat: FixedHolder(name, seat, length)
            for seat, chair in enumerate(chairs)
            if chair.lends == "chain"
        }

    def below(self, ask: Ask, n: int) -> int:
        """A choice that depends on nothing but the seed and the place in the transcript."""
        return SeededStream(f"{self.seed} {ask.seat} {ask.kind}", ask.step).below(n)

    def move(self, ask: Ask) -> Move:
        """One of the legal moves (of the first 64)."""
        moves = list(islice(self.table.game.moves(self.table.view(ask.seat), ask.seat), 64))
        return moves[self.below(ask, len(moves))]

    def answer(self, ask: Ask) -> Any:
        table = self.table
        if ask.kind == "number":
            return written(self.below(ask, ask.n))
        if ask.kind == "stir":
            return f"wörd {self.below(ask, 1000)}"
        if ask.kind in ("tip", "next-tip", "link"):
            return self.holders[ask.seat].answer(ask.kind, ask.run, ask.head)
        if ask.kind == "move":
            return self.move(ask)
        # A sealed move depends on the state only, so that it can be found again to open it.
        sealed = self._seal_ask(ask)
        move = self.move(sealed)
        key = secret("seal", sealed.seat, sealed.step)
        if ask.kind == "seal":
            return table.seal(ask, move, key).commitment
        return {"key": key.hex(), "move": move}

    def _seal_ask(self, ask: Ask) -> Ask:
        """The ask to which the seal of this turn answered."""
        step, head = ask.step, ask.head
        if ask.kind == "open":
            events = self.table.transcript.events
            while events[step - 1]["kind"] != "seal":
                step -= 1
            while events[step - 1]["kind"] in ("seal", "note"):
                step -= 1
            head = events[step]["prev"]
        return Ask("seal", ask.seat, step, head)

    def once(self) -> bool:
        """Answer the first ask; False if there was none."""
        asks = self.table.asks()
        if asks:
            self.table.submit(asks[0], self.answer(asks[0]))
        return bool(asks)

    def play(self, most: int = 10_000) -> Table:
        """Answer until nothing is asked (or so many answers were given)."""
        for _ in range(most):
            if not self.once():
                break
        return self.table


def length_of(mode: Mode) -> int:
    return int(dict(mode.options).get("length", 1000))


def open_table(
    game: str,
    params: Mapping[str, Any],
    mode: Mode,
    vault: MemoryVault | None = None,
    *,
    chairs: Sequence[Chair] | None = None,
    sink: Callable[[bytes], object] | None = None,
) -> Table:
    """A new table with fixed secrets."""
    rules = make_game(game, dict(params))
    return Table.open(
        rules,
        mode.make(FixedVault() if vault is None else vault),
        mode.chairs(rules.seats) if chairs is None else chairs,
        transcript=Transcript(sink),
    )


def play_through(
    game: str,
    params: Mapping[str, Any],
    mode: Mode,
    seed: str = "driver",
    *,
    vault: MemoryVault | None = None,
    chairs: Sequence[Chair] | None = None,
) -> Table:
    """A whole game."""
    table = open_table(game, params, mode, vault, chairs=chairs)
    return Driver(table, seed, length_of(mode)).play()


# A house that cheats: it owns the file, so it can make every hash fit again.

Edit = Callable[[list[dict[str, Any]]], object]


def events_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def plain_line(event: Mapping[str, Any]) -> bytes:
    """A canonical line, written with nothing but `json`."""
    text = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode() + b"\n"


def rechain(events: Sequence[Mapping[str, Any]]) -> bytes:
    """The events with every ``prev`` made to fit."""
    out, head = b"", NO_LINE
    for event in events:
        line = plain_line({**event, "prev": head})
        head = hashlib.sha3_256(line).hexdigest()
        out += line
    return out


def forge(data: bytes, edit: Edit) -> bytes:
    """The transcript after an edit, with a hash chain that holds."""
    events = events_of(data)
    edit(events)
    return rechain(events)


def find(events: Sequence[Mapping[str, Any]], kind: str, which: int = 0) -> int:
    """The index of the event of this kind."""
    return [i for i, event in enumerate(events) if event["kind"] == kind][which]
