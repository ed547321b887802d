"""The Bank in a ledger: the port `Bank` over a log in the store, with play money.

No chain and no extra is needed; in return the operator is trusted (see
docs/games/croupier.md). What is answered is durable: a call has its line in the log
before its events, or its refusal, leave this process. What waits while another line is on
its way to the disk goes together with the next.

Several workers may keep one ledger in one PostgreSQL. Each looks for new lines before it
answers or decides; where two decide at the same time one of them finds a `Conflict`,
reads what the other wrote, and decides again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple, Self

from fairground.bank.bank_port import (
    AS_USUAL,
    Account,
    Bank,
    BankAway,
    BankEvent,
    BankGame,
    BankSession,
    Call,
    Spending,
)
from fairground.bank.calls import Envelope, checked
from fairground.bank.chain.artifact import Terms
from fairground.bank.fields import address
from fairground.bank.ledger.lines import Ledger, LedgerLine, outcome
from fairground.bank.ledger.rules import check_terms
from fairground.bank.ledger.snapshots import Snapshots
from fairground.bank.messages import Domain, Key
from fairground.core import FairgroundError, InputError
from fairground.store import Append, Conflict, Store

KIND: Final = "ledger"
NAME: Final = "bank"
"""The name of the log if nothing else is said."""

TERMS: Final = Terms(chip_cost=10**15, step_time=600)
"""The terms of a new ledger if nothing else is said: a thousandth of a play ether, ten minutes."""

TRUSTED: Final = (
    "operator trusted: this Bank is a ledger of play money, and who keeps its database could "
    "leave out, refuse or rewrite what was done"
)

AT_ONCE: Final = 2_000
"""Lines that are read at a time, and calls that are written together."""

TRIES: Final = 50
"""How often calls are decided again because other workers wrote first."""

Act = Callable[[Ledger, int], LedgerLine]
"""What is to be done to a draft of the ledger, at this time."""


class _QueuedAct(NamedTuple):
    act: Act
    done: asyncio.Future[tuple[bytes, int]]
    """The line that it has in the end, and its number."""


class LedgerBank(Bank):
    """See the module's text. Make one by `open`."""

    trusted = TRUSTED

    def __init__(
        self,
        store: Store,
        log: str,
        ledger: Ledger,
        snapshots: Snapshots,
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._log = log
        self._ledger = ledger
        self._snapshots = snapshots
        self._clock = clock
        self._alone = asyncio.Lock()
        """Held while the ledger in memory changes."""
        self._waiting: list[_QueuedAct] = []
        self._writer: asyncio.Task[None] | None = None
        self.domain: Domain = ledger.books.domain
        self.version: int = ledger.books.version
        self.terms: Terms = ledger.books.terms

    @classmethod
    async def open(
        cls,
        store: Store,
        terms: Terms | None = None,
        *,
        log: str = NAME,
        faucet: int | None = None,
        clock: Callable[[], float] = time.time,
        from_snapshot: bool = True,
    ) -> Self:
        """The ledger of this name in the store; a new one where there is none.

        It is run from its last snapshot on; if that is not wanted, from its first line.

        ``terms`` and ``faucet`` (the most play money for one owner, in wei) are fixed when
        it is made. Replay trusts the signatures in its own log: each was checked before its
        line was written. `read_ledger` checks them again.
        """
        while not (first := await store.lines(log, 0, 1)):
            check_terms(terms or TERMS)
            line = Ledger.opening(terms or TERMS, faucet, int(clock()))
            try:
                await store.commit(Append(log, 0, (line,), KIND))
            except Conflict:
                continue  # another worker made it
        snapshots = Snapshots(store, log)
        ledger = await snapshots.open(first[0], trusting=from_snapshot)
        self = cls(store, log, ledger, snapshots, clock)
        if terms not in (None, self.terms):
            raise InputError(
                f"the ledger {log!r} has other terms, and they are fixed: a chip costs "
                f"{self.terms.chip_cost} wei there, and a step may take {self.terms.step_time} s"
            )
        await self._catch_up()
        self._go_on_from(self._ledger.at)
        await self._note_down()
        return self

    def _go_on_from(self, last: int) -> None:
        """The time of a ledger goes on behind its last line, also if the machine's clock was set
        back since: it would stand still for so long, and with it all deadlines.
        """
        clock = self._clock
        behind = max(0.0, last - clock())
        self._clock = lambda: clock() + behind

    async def close(self) -> None:
        """Finish what was begun, and take a snapshot. The store belongs to who opened it."""
        if self._writer is not None:
            await self._writer
        async with self._alone:
            self._ledger = await self._snapshots.take(self._ledger)

    async def _note_down(self) -> None:
        """Take a snapshot if one is due."""
        if self._snapshots.due(self._ledger):
            self._ledger = await self._snapshots.take(self._ledger)

    # Looking

    @asynccontextmanager
    async def _current(self) -> AsyncIterator[Ledger]:
        async with self._alone:
            await self._catch_up()
            yield self._ledger

    async def _catch_up(self) -> None:
        """Read what is new in the log, from whichever worker."""
        try:
            while lines := await self._store.lines(self._log, self._ledger.step, AT_ONCE):
                self._ledger.follow(lines, trusting=True)
        except FairgroundError:
            raise
        except Exception as error:
            raise BankAway(f"the ledger's database does not answer: {error}") from error

    async def now(self) -> int:
        """By the operator's clock; never earlier than the last line."""
        async with self._current() as ledger:
            return max(int(self._clock()), ledger.at)

    async def purse(self, owner: str) -> int:
        """What an account has outside of the Bank, in wei."""
        async with self._current() as ledger:
            return ledger.books.purse(owner)

    async def session(self, croupier: str, player: str, confirmations: int = 0) -> BankSession:
        """The session of these two; what a ledger says is final."""
        async with self._current() as ledger:
            return ledger.books.session(croupier, player)

    async def account(self, owner: str) -> Account:
        """A participant, now."""
        async with self._current() as ledger:
            return ledger.books.account(owner)

    async def next_game_id(self, croupier: str, player: str) -> int:
        """The number that the next bet of these two must have."""
        async with self._current() as ledger:
            return ledger.books.next_game_id(croupier, player)

    async def next_number(self, sender: str) -> int:
        """The number that the sender's next envelope must have."""
        async with self._current() as ledger:
            return ledger.next_number(address(sender))

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        """The game under this key. A line is final, so there is nothing to confirm."""
        async with self._current() as ledger:
            return ledger.books.game(key)

    async def told(self, key: bytes) -> Sequence[BankEvent]:
        """What was recorded of this game, or of this session, read from its lines."""
        async with self._current() as ledger:
            numbers = ledger.lines_of(key)
        lines = [await self._line(number) for number in numbers]
        events = [e for n, line in zip(numbers, lines, strict=True) for e in outcome(line, n)]
        return [e for e in events if key in (e.values.get("game"), e.values.get("session"))]

    async def _line(self, number: int) -> bytes:
        (line,) = await self._store.lines(self._log, number - 1, 1)
        return line

    async def lines(self, after: int = 0, most: int | None = None) -> Sequence[bytes]:
        """The ledger itself, so that anyone can run it again (`read_ledger`)."""
        return await self._store.lines(self._log, after, most)

    @property
    def faucet(self) -> int:
        """How much play money may ever be made for one owner, in wei."""
        return self._ledger.books.faucet

    # Acting

    async def send(
        self, sender: Key, call: Call, spending: Spending = AS_USUAL
    ) -> Sequence[BankEvent]:
        """Make a call: signed for here, and then as any other."""
        call = checked(call)

        def act(ledger: Ledger, at: int) -> LedgerLine:
            number = ledger.next_number(sender.address)
            return ledger.call(Envelope.sealed(sender, self.domain, number, call), at)

        return outcome(*await self._do(act))

    async def submit(self, envelope: Envelope) -> Sequence[BankEvent]:
        """Take a call that its sender signed for elsewhere.

        The same envelope has the same answer, so a sender who did not hear it may send it
        again. Raise `Refused`, or `BadSignature`.
        """
        envelope = envelope.checked()
        return outcome(*await self._do(lambda ledger, at: ledger.call(envelope, at)))

    async def issue(self, owner: str, amount: int) -> None:
        """Make play money; refused (``FaucetEmpty``) beyond what one owner may have."""
        await self._do(lambda ledger, at: ledger.issue(owner, amount, at))

    async def _do(self, act: Act) -> tuple[bytes, int]:
        """Have it done with the next lines; the line that it has then is durable."""
        job = _QueuedAct(act, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        return await job.done

    async def _write(self) -> None:
        """Write batch after batch while anybody waits."""
        while self._waiting:
            batch, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
            jobs = [job for job in batch if not job.done.done()]
            try:
                async with self._alone:
                    outcomes = await self._write_batch(jobs)
            except Exception as error:  # whatever it is, nobody may wait for ever
                outcomes = [error] * len(jobs)
            for job, result in zip(jobs, outcomes, strict=True):
                if job.done.done():
                    continue  # whoever asked has gone away
                if isinstance(result, Exception):
                    job.done.set_exception(result)
                else:
                    job.done.set_result(result)
            async with self._alone:
                await self._note_down()
        self._writer = None

    async def _write_batch(self, jobs: Sequence[_QueuedAct]) -> list[tuple[bytes, int] | Exception]:
        """Decide all on a draft, in their order; told only when the lines are durable."""
        for _ in range(TRIES):
            await self._catch_up()
            draft = self._ledger.draft()
            at = int(self._clock())
            entries = [_tried(job.act, draft, at) for job in jobs]
            lines = {e.number: e.line for e in entries if isinstance(e, LedgerLine) and e.line}
            try:
                if lines:
                    new = tuple(lines.values())
                    await self._store.commit(Append(self._log, self._ledger.step, new))
            except Conflict:
                continue
            except Exception as error:
                raise BankAway(f"the ledger's database does not answer: {error}") from error
            self._ledger.settle(draft)
            return [
                entry
                if isinstance(entry, FairgroundError)
                else (lines.get(entry.number) or await self._line(entry.number), entry.number)
                for entry in entries
            ]
        raise BankAway("other workers of this ledger were always faster; try again")


def _tried(act: Act, draft: Ledger, at: int) -> Any:
    try:
        return act(draft, at)
    except FairgroundError as error:
        return error
