"""What the lines of a ledger say: a Bank's whole history, which anyone can run again.

A ledger is a log of canonical lines, chained by hashes like every record of ours. The
first says what Bank it is; each other holds one act, and what came of it::

    {"kind":"opened","name":...,"chip_cost":...,"step_time":...,"faucet":...}
    {"kind":"issued","owner":...,"amount":...}
    {"kind":"call","sender":...,"number":...,"call":{...},"signature":...,"events":[...]}
    {"kind":"call", ...                                                ,"refusal":{...}}

Every call is signed for by its sender, and numbered: a number counts once, whether the call
was accepted or refused, so that nobody can bring it again later. Running the lines again
must give the very same bytes (`Ledger.follow`). An operator who rewrites a ledger can
leave out, reorder and refuse; he cannot make up a call of somebody else.
"""

from __future__ import annotations

import copy
from collections import ChainMap
from collections.abc import Iterable, MutableMapping, Sequence
from typing import Any, Final, NamedTuple, Self

from fairground.bank.bank_port import BankEvent, BankRefused
from fairground.bank.calls import (
    Envelope,
    call_as_json,
    call_hash,
    event_as_json,
    event_from_json,
    refusal_as_json,
    refusal_from_json,
)
from fairground.bank.chain.artifact import NEWEST, Terms
from fairground.bank.crypto.curve import checksummed, keccak
from fairground.bank.fields import address
from fairground.bank.ledger.rules_two import BOOKS
from fairground.bank.messages import Domain
from fairground.core import FairgroundError, Fault, InputError, whole, written
from fairground.fair.bits import fresh
from fairground.transcript import NO_LINE, canonical, line_hash, parse

FORMATS: Final = {1: "fairground-ledger/1", 2: "fairground-ledger/2"}
"""The first line names the version of the Bank's rules, which a ledger keeps for ever."""

NO_CHAIN: Final = 0
"""The chain id of every ledger: no chain has it, so nothing signed here counts on one."""

ADDRESS_TAG: Final = keccak(b"fairground/ledger-address/1")

FAUCET_CHIPS: Final = 1_000_000
"""Play chips that one owner may be given, unless a ledger is opened with another number:
enough for a Croupier to lock 25 of the largest prizes at once."""


def domain_of(name: bytes) -> Domain:
    """Where signatures for the ledger of this name count: no other ledger has its address."""
    return Domain(NO_CHAIN, checksummed(keccak(ADDRESS_TAG + name)[12:].hex()))


class LedgerLine(NamedTuple):
    """What came of an act: a new line, or (``line`` is empty) the answer of an earlier one."""

    line: bytes
    number: int
    """Of the line in the ledger."""


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
            versions = {name: version for version, name in FORMATS.items()}
            if (said["kind"], said["prev"]) != ("opened", NO_LINE):
                raise ValueError(f"its first line is {said['kind']!r}")
            version = versions[said["format"]]
            terms = Terms(whole(said["chip_cost"], "chip_cost"), said["step_time"])
            faucet, name = whole(said["faucet"], "faucet"), bytes.fromhex(said["name"])
            at = _time(said["at"])
        except (KeyError, TypeError, ValueError, FairgroundError) as error:
            raise InputError(f"this log is not the ledger of a Bank: {error}") from None
        self.books = BOOKS[version](domain_of(name), terms, faucet)
        self._last: MutableMapping[str, Last] = {}
        self._games: MutableMapping[bytes, tuple[int, ...]] = {}
        self.step = 1
        """How many lines there are."""
        self.head = line_hash(opening)
        """The hash of the last line."""
        self.at = at
        """When the last line was written; time never goes backward here."""

    @staticmethod
    def opening(terms: Terms, faucet: int | None, at: int, version: int = NEWEST) -> bytes:
        """The first line of a new ledger, with a name that no other has."""
        if faucet is None:
            faucet = FAUCET_CHIPS * terms.chip_cost
        line = {
            "kind": "opened",
            "prev": NO_LINE,
            "format": FORMATS[version],
            "name": fresh().hex(),
            "chip_cost": written(terms.chip_cost),
            "step_time": terms.step_time,
            "faucet": written(faucet),
            "at": at,
        }
        return canonical(line) + b"\n"

    # Looking

    def next_number(self, sender: str) -> int:
        """The number that the next call of this sender must have."""
        return self._last[sender].number + 1 if sender in self._last else 0

    def lines_of(self, game: bytes) -> tuple[int, ...]:
        """The numbers of the lines in which something was recorded of a game."""
        return self._games.get(game, ())

    def tables(self) -> dict[str, MutableMapping[Any, Any]]:
        """All that is known, table by table."""
        return {"last": self._last, "lines": self._games, **self.books.tables()}

    # A draft can be thrown away

    def draft(self) -> Self:
        """A ledger that begins as this one, and leaves it as it is until `settle`."""
        other = copy.copy(self)
        other.books = self.books.draft()
        other._last, other._games = ChainMap({}, self._last), ChainMap({}, self._games)
        return other

    def settle(self, draft: Ledger) -> None:
        """Make a draft of this ledger the ledger itself."""
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
        """Go on with lines that were written elsewhere.

        Where ``trusting``, signatures are taken as checked when their line was written.
        Raise `Fault` at the first that is not the very line that these books would write.
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
    """What came of the call in this line: its events, or its refusal, raised."""
    said = parse(line, number, reencode=False)
    if "refusal" in said:
        raise refusal_from_json(said["refusal"])
    return [event_from_json(event) for event in said["events"]]
