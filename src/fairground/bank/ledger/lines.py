"""The lines of a ledger: a Bank's whole history, which anyone can run again; and snapshots of it.

A ledger is a log of canonical lines, chained by hashes like every record of ours. The first names
the Bank; each other holds one act and its outcome::

    {"kind":"opened","name":...,"chip_cost":...,"step_time":...,"faucet":...}
    {"kind":"issued","owner":...,"amount":...}
    {"kind":"call","sender":...,"number":...,"call":{...},"signature":...,"events":[...]}
    {"kind":"call", ...                                                ,"refusal":{...}}

Every call is signed for by its sender, and numbered. A number counts once, whether the call was
accepted or refused, so that nobody can bring it again later. Running the lines again must give
exactly the same bytes (`Ledger.follow`). An operator who rewrites a ledger can leave out, reorder
and refuse; he cannot make up a call of somebody else.

A ledger only grows, and running it again takes a minute for each 40,000 hands. So a snapshot of its
books is written now and then, in a log beside it (``bank.snapshots``). Each line there holds the
changes since the line before, and that line's hash. It also holds the number and the hash of the
ledger's line up to which it goes::

    {"format":"fairground-snapshot/1","prev":...,"step":14000,"head":...,"at":...,"whole":false,
     "tables":{"_money":[["available","0x52...",70000], ...], ...}}

A snapshot is a help and no evidence. It counts only if its own chain holds from the last complete
line (``whole``), and if the ledger's line of that number has that hash. Since each line of a ledger
names the one before, the snapshot then belongs to exactly this history. Otherwise it is ignored:
the ledger is run from its first line, and a new series begins. Nobody else needs to believe in it:
`read_ledger` runs every line again, and checks every signature.

A line is written in one commit, so that a crash leaves a whole one or none.
"""

from __future__ import annotations

import copy
import json
import logging
from collections import ChainMap
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from typing import Any, Final, NamedTuple, Self

from fairground.bank.bank_port import (
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    Terms,
)
from fairground.bank.calls import (
    Envelope,
    address,
    call_as_json,
    call_hash,
    event_as_json,
    event_from_json,
    refusal_as_json,
    refusal_from_json,
)
from fairground.bank.ledger.rules import Books, Pocket
from fairground.bank.messages import Domain
from fairground.bank.signatures import checksummed, keccak
from fairground.core import FairgroundError, Fault, InputError, whole, written
from fairground.fair.bits import fresh
from fairground.store import Append, Store
from fairground.transcript import NO_LINE, canonical, line_hash, parse

FORMAT: Final = "fairground-ledger/2"
"""Named by the first line; a ledger of any other format is refused."""

NO_CHAIN: Final = 0
"""The chain id of every ledger: no chain has it, so nothing signed here counts on one."""

ADDRESS_TAG: Final = keccak(b"fairground/ledger-address/1")

FAUCET_CHIPS: Final = 1_000_000
"""Play chips that one owner may be given, unless a ledger is opened with another number:
enough for a Croupier to lock 25 of the largest prizes at once."""


def domain_of(name: bytes) -> Domain:
    """Return the domain of signatures for the ledger of this name: its address is unique."""
    return Domain(NO_CHAIN, checksummed(keccak(ADDRESS_TAG + name)[12:].hex()))


class LedgerLine(NamedTuple):
    """The outcome of an act: a new line, or (``line`` is empty) the answer of an earlier one."""

    line: bytes
    number: int
    """Number of the line in the ledger."""


class Last(NamedTuple):
    """The last call of a sender that has a line."""

    number: int
    call_hash: bytes
    line: int


class Ledger:
    """A ledger in memory, up to the last line that was read."""

    def __init__(self, opening: bytes) -> None:
        try:
            said = parse(opening, 1)
            if (said["kind"], said["prev"]) != ("opened", NO_LINE):
                raise ValueError(f"its first line is {said['kind']!r}")
            if said["format"] != FORMAT:
                raise ValueError(f"its format is {said['format']!r}, not {FORMAT!r}")
            terms = Terms(whole(said["chip_cost"], "chip_cost"), said["step_time"])
            faucet, name = whole(said["faucet"], "faucet"), bytes.fromhex(said["name"])
            at = _time(said["at"])
        except (KeyError, TypeError, ValueError, FairgroundError) as error:
            raise InputError(f"this log is not the ledger of a Bank: {error}") from None
        self.books = Books(domain_of(name), terms, faucet)
        self._last: MutableMapping[str, Last] = {}
        self._games: MutableMapping[bytes, tuple[int, ...]] = {}
        self.step = 1
        self.head = line_hash(opening)
        """The hash of the last line."""
        self.at = at
        """When the last line was written; time never goes backward here."""

    @staticmethod
    def opening(terms: Terms, faucet: int | None, at: int) -> bytes:
        """The first line of a new ledger, with a name that no other has."""
        if faucet is None:
            faucet = FAUCET_CHIPS * terms.chip_cost
        line = {
            "kind": "opened",
            "prev": NO_LINE,
            "format": FORMAT,
            "name": fresh().hex(),
            "chip_cost": written(terms.chip_cost),
            "step_time": terms.step_time,
            "faucet": written(faucet),
            "at": at,
        }
        return canonical(line) + b"\n"

    # Looking

    def next_number(self, sender: str) -> int:
        return self._last[sender].number + 1 if sender in self._last else 0

    def lines_of(self, game: bytes) -> tuple[int, ...]:
        """The numbers of the lines in which something was recorded of a game."""
        return self._games.get(game, ())

    def tables(self) -> dict[str, MutableMapping[Any, Any]]:
        return {"last": self._last, "lines": self._games, **self.books.tables()}

    # A draft can be thrown away

    def draft(self) -> Self:
        """A ledger that begins as this one, and leaves it as it is until `settle`."""
        other = copy.copy(self)
        other.books = self.books.draft()
        other._last, other._games = ChainMap({}, self._last), ChainMap({}, self._games)
        return other

    def settle(self, draft: Ledger) -> None:
        draft.books.settle()
        for mine, theirs in ((self._last, draft._last), (self._games, draft._games)):
            assert isinstance(theirs, ChainMap)
            mine.update(theirs.maps[0])
        self.step, self.head, self.at = draft.step, draft.head, draft.at

    # Acts

    def issue(self, owner: str, amount: int, at: int) -> LedgerLine:
        """Make play money; raise `BankRefused` beyond the faucet."""
        owner = address(owner)
        self.books.issue(owner, amount)
        return self._add({"kind": "issued", "owner": owner, "amount": written(amount)}, at)

    def call(self, envelope: Envelope, at: int, *, trusting: bool = False) -> LedgerLine:
        """Take a call. Refused or not, it has a line then, which `outcome` reads.

        The last call of a sender again, to the letter, gives the line that it has already.
        Raise `BadSignature`, or `BankRefused` as ``WrongNumber``, for what gets no line at all.
        """
        sender, number, call, signature = envelope
        body = call_as_json(call)
        named = call_hash(body)
        if not trusting:
            envelope.must_be_signed(self.books.domain)
        last = self._last.get(sender)
        if last is not None and (number, named) == last[:2]:
            return LedgerLine(b"", last.line)
        if number != self.next_number(sender):
            raise BankRefused("WrongNumber", (self.next_number(sender),))
        said: dict[str, Any] = {"kind": "call", "sender": sender, "number": written(number)}
        said |= {"call": body, "signature": signature.hex()}
        events: Sequence[BankEvent] = ()
        try:
            events = self.books.apply(sender, call, max(at, self.at), trusting=trusting)
            said["events"] = [event_as_json(event) for event in events]
        except BankRefused as refused:
            said["refusal"] = refusal_as_json(refused)
        entry = self._add(said, at)
        self._last[sender] = Last(number, named, entry.number)
        for event in events:
            about = event.values.get("game", event.values.get("session"))
            if about is not None and entry.number not in self._games.get(about, ()):
                self._games[about] = (*self._games.get(about, ()), entry.number)
        return entry

    def _add(self, said: dict[str, Any], at: int) -> LedgerLine:
        self.at = max(at, self.at)
        line = canonical({**said, "prev": self.head, "at": self.at}) + b"\n"
        self.step, self.head = self.step + 1, line_hash(line)
        return LedgerLine(line, self.step)

    # Reading

    def follow(self, lines: Iterable[bytes], *, trusting: bool = False) -> None:
        """Continue with lines that were written elsewhere.

        With ``trusting``, signatures are taken as checked when their line was written. Raise
        `Fault` at the first line that differs from the one that these books would write.
        """
        for line in lines:
            number = self.step + 1
            said = parse(line, number, reencode=False)
            if said.get("prev") != self.head:
                raise Fault("transcript/broken-chain", f"line {number} names another line", number)
            try:
                written_again = self._again(said, trusting).line
            except (KeyError, FairgroundError) as error:
                reason = f"line {number} cannot be: {error or type(error).__name__}"
                raise Fault("ledger/wrong-line", reason, number) from None
            if written_again != line:
                reason = f"line {number} says {line!r}, but the rules give {written_again!r}"
                raise Fault("ledger/wrong-line", reason, number)

    def _again(self, said: dict[str, Any], trusting: bool) -> LedgerLine:
        at = _time(said["at"])
        if said["kind"] == "issued":
            return self.issue(said["owner"], whole(said["amount"], "amount"), at)
        sealed = {name: said[name] for name in ("sender", "number", "call", "signature")}
        return self.call(Envelope.from_json(sealed), at, trusting=trusting)


def _time(value: object) -> int:
    if type(value) is not int:
        raise InputError(f"a time is a number of seconds, not {value!r}")
    return value


def read_ledger(lines: Sequence[bytes], *, trusting: bool = False) -> Ledger:
    """Run a whole ledger again; unless ``trusting``, check every signature in it."""
    if not lines:
        raise InputError("a ledger has at least the line that opens it")
    ledger = Ledger(lines[0])
    ledger.follow(lines[1:], trusting=trusting)
    return ledger


def outcome(line: bytes, number: int) -> list[BankEvent]:
    """Return the events of the call in this line, or raise its refusal."""
    said = parse(line, number, reencode=False)
    if "refusal" in said:
        raise refusal_from_json(said["refusal"])
    return [event_from_json(event) for event in said["events"]]


log = logging.getLogger("fairground.bank")

SNAPSHOT_FORMAT: Final = "fairground-snapshot/1"
KIND: Final = "snapshots"

EVERY: Final = 2_000
"""Number of the ledger's lines from one snapshot to the next: half a second's worth of replay."""

WHOLE: Final = b'"whole":true'
"""The start of a complete line, which begins a series."""

Row = list[Any]
Written = Callable[[Any, Any], Row]
Read = Callable[..., tuple[Any, Any]]


_AS_IT_IS: Final[tuple[Written, Read]] = (lambda k, v: [k, v], lambda k, v: (k, v))

TABLES: Final[dict[str, tuple[Written, Read]]] = {
    "_money": (lambda k, v: [*k, v], lambda kind, of, v: (Pocket(kind, of), v)),
    "_keys": _AS_IT_IS,
    "_key_owners": _AS_IT_IS,
    "_open_games": _AS_IT_IS,
    "_issued": _AS_IT_IS,
    "_next_game_ids": (lambda k, v: [*k, v], lambda a, b, v: ((a, b), v)),
    "_games": (
        lambda k, v: [k.hex(), v[0].hex(), *v[1:]],
        lambda k, bet, *v: (bytes.fromhex(k), BankGame(bytes.fromhex(bet), *v)),
    ),
    "_sessions": (
        lambda k, v: [*k, v[0].hex(), *v[1:]],
        lambda a, b, name, *v: ((a, b), BankSession(bytes.fromhex(name), *v)),
    ),
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
        """Number of snapshots."""
        self._head = NO_LINE
        self._base: Ledger
        """Content of the last one."""
        self._whole = True
        """True if the next one begins a series: the ledger grew from its first line alone."""
        self._gone = False
        """True if another server writes them."""

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
        """Return whether the ledger has grown by enough since the last one."""
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
            tables[name] = [write(key, value) for key, value in new.items() if value or key in old]
        said = {
            "format": SNAPSHOT_FORMAT,
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
        if not line.startswith(b'{"format":"%s"' % SNAPSHOT_FORMAT.encode()):
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
