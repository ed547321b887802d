"""Snapshots: a ledger is opened without running all of it again.

A ledger only grows, and running it again takes a minute for each 40,000 hands. So what its books
know is written down now and then, in a log beside it (``bank.snapshots``). Each line there holds
what has changed since the line before, and names it by its hash; and it names the line of the
ledger up to which it goes, by number and hash::

    {"format":"fairground-snapshot/1","prev":...,"step":14000,"head":...,"at":...,"whole":false,
     "tables":{"_money":[["available","0x52...",70000], ...], ...}}

A snapshot is a help and no evidence. It counts only if its own chain holds from the last line that
holds everything (``whole``), and if the ledger's line of that number has that hash. Since each line
of a ledger names the one before, that is the very history that it was made of. Whatever does not
fit is left aside: then the ledger is run from its first line, and a new series begins. Nobody else
needs to believe in it: `read_ledger` runs every line again, and checks every signature.

A line is written in one commit, so that a crash leaves a whole one or none.
"""

from __future__ import annotations

import json
import logging
from collections import ChainMap
from collections.abc import Callable
from typing import Any, Final

from fairground.bank.bank_port import BankGame, BankSession, GameOutcome, Phase, Step
from fairground.bank.ledger.lines import Last, Ledger
from fairground.bank.ledger.pockets import Pocket
from fairground.core import FairgroundError
from fairground.store import Append, Store
from fairground.transcript import NO_LINE, line_hash

log = logging.getLogger("fairground.bank")

FORMAT: Final = "fairground-snapshot/1"
KIND: Final = "snapshots"

EVERY: Final = 2_000
"""After how many lines of the ledger one is written: as many as are run again in half a second."""

WHOLE: Final = b'"whole":true'
"""What stands in a line that holds everything: a series begins with it."""

STEPS: Final = {int(step): step for step in Step}
OUTCOMES: Final = {int(outcome): outcome for outcome in GameOutcome}
PHASES: Final = {int(phase): phase for phase in Phase}

Row = list[Any]
Written = Callable[[Any, Any], Row]
Read = Callable[..., tuple[Any, Any]]


def _game(key: str, bet: str, step: int, outcome: int, *rest: int) -> tuple[bytes, BankGame]:
    game = BankGame(bytes.fromhex(bet), STEPS[step], OUTCOMES[outcome], *rest)
    return bytes.fromhex(key), game


def _session(
    croupier: str, player: str, name: str, number: int, phase: int, *rest: int
) -> tuple[tuple[str, str], BankSession]:
    return (croupier, player), BankSession(bytes.fromhex(name), number, PHASES[phase], *rest)


_AS_IT_IS: Final[tuple[Written, Read]] = (lambda k, v: [k, v], lambda k, v: (k, v))

TABLES: Final[dict[str, tuple[Written, Read]]] = {
    "_money": (lambda k, v: [*k, v], lambda kind, of, v: (Pocket(kind, of), v)),
    "_keys": _AS_IT_IS,
    "_key_owners": _AS_IT_IS,
    "_open_games": _AS_IT_IS,
    "_issued": _AS_IT_IS,
    "_next_game_ids": (lambda k, v: [*k, v], lambda a, b, v: ((a, b), v)),
    "_games": (lambda k, v: [k.hex(), v[0].hex(), *v[1:]], _game),
    "_sessions": (lambda k, v: [*k, v[0].hex(), *v[1:]], _session),
    "last": (
        lambda k, v: [k, v.number, v.call_hash.hex(), v.line],
        lambda k, number, call, line: (k, Last(number, bytes.fromhex(call), line)),
    ),
    "lines": (lambda k, v: [k.hex(), *v], lambda k, *v: (bytes.fromhex(k), v)),
}
"""Every table of a ledger: how an entry is written as a row, and how it is read."""


class Snapshots:
    """The snapshots of one ledger, and the ledger that grows from the last of them."""

    def __init__(self, store: Store, log: str) -> None:
        self._store = store
        self._ledger_log = log
        self._log = f"{log}.{KIND}"
        self._lines = 0
        """How many snapshots there are."""
        self._head = NO_LINE
        self._base: Ledger
        """What the last one holds."""
        self._whole = True
        """Whether the next one must hold everything."""
        self._gone = False
        """Whether another worker writes them."""

    async def open(self, opening: bytes, *, trusting: bool = True) -> Ledger:
        """The ledger as the last snapshot has it; with its first line alone, if none fits.

        Unless ``trusting``, snapshots are not believed.
        """
        self._base = Ledger(opening)
        stored = await self._store.read(self._log)
        if stored is not None:
            self._lines = len(stored.lines)
            self._head = line_hash(stored.lines[-1])
            if trusting:
                await self._restore(opening, stored.lines)
        return self._base.draft()

    async def _restore(self, opening: bytes, lines: tuple[bytes, ...]) -> None:
        try:
            ledger = _built(opening, lines)
            (line,) = await self._store.lines(self._ledger_log, ledger.step - 1, 1)
            if line_hash(line) != ledger.head:
                raise ValueError("it is of another history")
        except (ValueError, LookupError, TypeError, AttributeError):
            return
        self._base, self._whole = ledger, False

    def due(self, ledger: Ledger) -> bool:
        """Whether the ledger has grown by enough since the last one."""
        return not self._gone and ledger.step - self._base.step >= EVERY

    async def take(self, ledger: Ledger) -> Ledger:
        """Write down what has changed; the ledger to go on with. Nothing is raised: who writes to
        the ledger, for all, calls this.
        """
        if self._gone or ledger.step == self._base.step:
            return ledger
        try:
            line = self._written(ledger)
            await self._store.commit(Append(self._log, self._lines, (line,), KIND))
        except Exception as error:  # whatever it is, the ledger itself has it all, and goes on
            if not isinstance(error, FairgroundError):  # another worker writes, or it is away
                log.error("a snapshot could not be written", exc_info=error)
            self._gone = True
            return ledger
        self._lines, self._head, self._whole = self._lines + 1, line_hash(line), False
        self._base.settle(ledger)
        return self._base.draft()

    def _written(self, ledger: Ledger) -> bytes:
        tables = {}
        for name, table in ledger.tables().items():
            assert isinstance(table, ChainMap)
            new, old = table.maps
            write = TABLES[name][0]
            rows = [write(key, value) for key, value in new.items() if value or key in old]
            if self._whole:
                rows += [write(key, value) for key, value in old.items() if key not in new]
            tables[name] = rows
        said = {
            "format": FORMAT,
            "prev": self._head,
            "step": ledger.step,
            "head": ledger.head,
            "at": ledger.at,
            "whole": self._whole,
            "tables": tables,
        }
        return json.dumps(said, separators=(",", ":")).encode() + b"\n"


def _built(opening: bytes, lines: tuple[bytes, ...]) -> Ledger:
    """The ledger that these snapshots describe; raise whatever is wrong with them."""
    ledger = Ledger(opening)
    tables = ledger.tables()
    whole = max(at for at, line in enumerate(lines) if WHOLE in line)
    head = None
    for line in lines[whole:]:
        if not line.startswith(b'{"format":"%s"' % FORMAT.encode()):
            raise ValueError("it is no snapshot, or one of a later version")
        said = json.loads(line)
        if head not in (None, said["prev"]):
            raise ValueError("the chain of snapshots is broken")
        head = line_hash(line)
        if tables.keys() != said["tables"].keys():
            raise ValueError("other books have other tables")
        for name, rows in said["tables"].items():
            table, read = tables[name], TABLES[name][1]
            for row in rows:
                key, value = read(*row)
                if value:
                    table[key] = value
                else:
                    table.pop(key, None)
        ledger.step, ledger.head, ledger.at = said["step"], said["head"], said["at"]
    return ledger
