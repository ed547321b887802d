"""The Bank in a ledger: the port `Bank` over a log in the store, with play money.

`LedgerBank` needs no chain and no extra; in return the operator is trusted (see
docs/games/croupier.md). Every answer is durable: a call has its line in the log before its events,
or its refusal, leave this process. Calls that arrive while a line is being written are written
together in the next commit.

Several servers may keep one ledger in one PostgreSQL. Each looks for new lines before it answers or
decides. If two decide at the same time, one of them gets a `Conflict`, reads the other's lines, and
decides again.

`LedgerClient` is the same port over HTTP, to a ledger in somebody else's arena. It makes its
requests with `fairground.clients.http`, from a thread. Each call goes in an envelope that its
sender signs and numbers. The ledger answers the same envelope with the same words, so a lost
request is simply sent again. (As with transactions on a chain, two programs with one key that make
an equal call at the same moment have made it once.) The ledger's word is taken on trust, as its
label says. But the client never signs for a ledger that claims to be on a chain, where the
signature might count.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final, NamedTuple, Self, TypeVar

from fairground.bank.bank_port import (
    AS_USUAL,
    Account,
    Bank,
    BankAway,
    BankEvent,
    BankGame,
    BankRefused,
    BankSession,
    Call,
    GameOutcome,
    Spending,
    Step,
    Terms,
)
from fairground.bank.calls import (
    UINT256,
    VIEWS,
    BadCall,
    Envelope,
    address,
    checked,
    event_from_json,
    from_json,
    refusal_from_json,
)
from fairground.bank.ledger.lines import NO_CHAIN, Ledger, LedgerLine, Snapshots, outcome
from fairground.bank.ledger.rules import CHIP_COSTS, STEP_TIMES, check_terms
from fairground.bank.messages import Domain, Key
from fairground.bank.seeds import unpacked_hand
from fairground.clients.http import Http, Refused, Repeat, Unreachable
from fairground.core import FairgroundError, InputError, written
from fairground.games.poker.rules import DECK, HAND
from fairground.store import Append, Conflict, Store

T = TypeVar("T")

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
"""Maximum number of times that calls are decided again because other servers wrote first."""

Act = Callable[[Ledger, int], LedgerLine]
"""An act on a draft of the ledger, at this time."""


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
        """Continue a ledger's time behind its last line, also if the machine's clock was set back.
        Otherwise all deadlines would stand still for that long.
        """
        clock = self._clock
        behind = max(0.0, last - clock())
        self._clock = lambda: clock() + behind

    async def close(self) -> None:
        if self._writer is not None:
            await self._writer
        async with self._alone:
            self._ledger = await self._snapshots.take(self._ledger)

    async def _note_down(self) -> None:
        if self._snapshots.due(self._ledger):
            self._ledger = await self._snapshots.take(self._ledger)

    # Looking

    async def _look(self, ask: Callable[[Ledger], T]) -> T:
        async with self._alone:
            await self._catch_up()
            return ask(self._ledger)

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
        return await self._look(lambda ledger: max(int(self._clock()), ledger.at))

    async def purse(self, owner: str) -> int:
        return await self._look(lambda ledger: ledger.books.purse(owner))

    async def session(self, croupier: str, player: str, confirmations: int = 0) -> BankSession:
        return await self._look(lambda ledger: ledger.books.session(croupier, player))

    async def account(self, owner: str) -> Account:
        return await self._look(lambda ledger: ledger.books.account(owner))

    async def next_game_id(self, croupier: str, player: str) -> int:
        return await self._look(lambda ledger: ledger.books.next_game_id(croupier, player))

    async def next_number(self, sender: str) -> int:
        return await self._look(lambda ledger: ledger.next_number(address(sender)))

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        return await self._look(lambda ledger: ledger.books.game(key))

    async def told(self, key: bytes) -> Sequence[BankEvent]:
        numbers = await self._look(lambda ledger: ledger.lines_of(key))
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
        """Maximum play money that may ever be made for one owner, in wei."""
        return self._ledger.books.faucet

    # Acting

    async def send(
        self, sender: Key, call: Call, spending: Spending = AS_USUAL
    ) -> Sequence[BankEvent]:
        call = checked(call)

        def act(ledger: Ledger, at: int) -> LedgerLine:
            number = ledger.next_number(sender.address)
            return ledger.call(Envelope.sealed(sender, self.domain, number, call), at)

        events = outcome(*await self._do(act))
        if self.watch is not None:
            self.watch(sender, call)
        return events

    async def submit(self, envelope: Envelope) -> Sequence[BankEvent]:
        """Take a call that its sender signed for elsewhere.

        The same envelope has the same answer, so a sender who did not hear it may send it again.
        Raise `Refused`, or `BadSignature`.
        """
        envelope = envelope.checked()
        return outcome(*await self._do(lambda ledger, at: ledger.call(envelope, at)))

    async def issue(self, owner: str, amount: int) -> None:
        """Make play money; refused (``FaucetEmpty``) beyond what one owner may have."""
        await self._do(lambda ledger, at: ledger.issue(owner, amount, at))

    async def endow(self, owner: str, wanted: int) -> int:
        """Fill up an owner's money to ``wanted`` wei; return what the owner can bring of it.

        While games are open nothing is given: part of the owner's money is locked.
        """
        purse, account = await self.purse(owner), await self.account(owner)
        missing = wanted - account.available - purse
        if missing > 0 and not account.open_games:
            with suppress(BankRefused):  # lost to somebody, or another server was faster
                await self.issue(owner, missing)
            purse, account = await self.purse(owner), await self.account(owner)
        return min(wanted, account.available + purse)

    async def _do(self, act: Act) -> tuple[bytes, int]:
        """Have it done with the next lines; the line that it has then is durable."""
        job = _QueuedAct(act, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        return await job.done

    async def _write(self) -> None:
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


RENUMBERINGS: Final = 5
"""Maximum number of times that a call gets a new number because its key was used elsewhere."""


class _Overtaken(BankRefused):
    """Another program with the same key made a call first."""

    name = "WrongNumber"


class LedgerClient(Bank):
    """See the module's text. Make one by `open`."""

    def __init__(self, url: str, about: Any, http: Http) -> None:
        self.url = url
        self._http = http
        if about["chain"] != NO_CHAIN:
            raise InputError(
                f"the ledger at {url} claims to be on the chain {about['chain']!r}: what is signed "
                "for it might count there, so nothing is"
            )
        self.domain = Domain(NO_CHAIN, address(about["bank"], "the Bank's address"))
        self.terms = Terms(
            UINT256.read(about["chip_cost"], "chip_cost"),
            UINT256.read(about["step_time"], "step_time"),
        )
        if self.terms.chip_cost not in CHIP_COSTS or self.terms.step_time not in STEP_TIMES:
            raise BadCall(f"no Bank has such terms: {self.terms}")
        self.trusted = f"{TRUSTED}; it is kept at {url}"
        self._turns: dict[str, asyncio.Lock] = {}
        """One call of each sender at a time, for they are numbered."""
        self._unsure: dict[str, Envelope] = {}
        """The last call of a sender, where nobody knows whether it came through."""

    @classmethod
    async def open(cls, arena: str, http: Http | None = None) -> Self:
        url, http = f"{arena.rstrip('/')}/bank", http or Http()
        return await _asked(url, lambda: cls(url, http.get(url), http))

    async def _get(self, path: str, read: Callable[[Any], T]) -> T:
        return await _asked(self.url, lambda: read(self._http.get(f"{self.url}{path}")))

    async def now(self) -> int:
        return await self._get("", lambda body: UINT256.read(body["now"], "now"))

    async def purse(self, owner: str) -> int:
        return await self._of(owner, lambda body: UINT256.read(body["purse"], "purse"))

    async def account(self, owner: str) -> Account:
        return await self._of(owner, lambda body: Account(*from_json(VIEWS[Account], body)))

    async def _of(self, owner: str, read: Callable[[Any], T]) -> T:
        return await self._get(f"/accounts/{address(owner)}", read)

    async def next_game_id(self, croupier: str, player: str) -> int:
        path = f"/next/{address(croupier)}/{address(player)}"
        return await self._get(path, lambda body: UINT256.read(body["game_id"], "game_id"))

    async def game(self, key: bytes, confirmations: int = 0) -> BankGame:
        return await self._get(f"/games/{key.hex()}", _game)

    async def session(self, croupier: str, player: str, confirmations: int = 0) -> BankSession:
        path = f"/sessions/{address(croupier)}/{address(player)}"
        return await self._get(path, lambda body: BankSession(*from_json(VIEWS[BankSession], body)))

    async def told(self, key: bytes) -> Sequence[BankEvent]:
        return await self._get(f"/games/{key.hex()}/events", _events)

    async def faucet(self, owner: str, amount: int) -> None:
        """Ask for play money; refused (``FaucetEmpty``) beyond what one owner may have."""
        body = {"owner": address(owner), "amount": written(amount)}
        # Not repeated: the faucet might give twice.
        await self._post("/faucet", body, lambda answer: None, repeat=Repeat.NEVER)

    async def send(
        self, sender: Key, call: Call, spending: Spending = AS_USUAL
    ) -> Sequence[BankEvent]:
        """Make a call. After `BankAway`, the next equal call repeats the lost one."""
        call = checked(call)
        async with self._turns.setdefault(sender.address, asyncio.Lock()):
            unsure = self._unsure.pop(sender.address, None)
            if unsure is not None and unsure.call == call:
                return await self._bring(unsure)
            for _ in range(RENUMBERINGS - 1):
                with suppress(_Overtaken):
                    return await self._bring(await self._sealed(sender, call))
            return await self._bring(await self._sealed(sender, call))

    async def _sealed(self, sender: Key, call: Call) -> Envelope:
        number = await self._of(
            sender.address, lambda body: UINT256.read(body["next_number"], "next_number")
        )
        return Envelope.sealed(sender, self.domain, number, call)

    async def _bring(self, envelope: Envelope) -> Sequence[BankEvent]:
        try:
            return await self._post("/calls", envelope.as_json(), _events)
        except (BankAway, asyncio.CancelledError):
            self._unsure[envelope.sender] = envelope
            raise
        except BankRefused as refused:
            if refused.name == _Overtaken.name:
                raise _Overtaken(refused.name, refused.values) from None
            raise

    async def _post(
        self, path: str, body: Any, read: Callable[[Any], T], *, repeat: Repeat = Repeat.ALWAYS
    ) -> T:
        url = f"{self.url}{path}"
        return await _asked(self.url, lambda: read(self._http.post(url, body, repeat=repeat)))


def _game(body: Any) -> BankGame:
    game = BankGame(*from_json(VIEWS[BankGame], body))
    known = game.step in list(Step) and game.outcome in list(GameOutcome)
    if not known or game.order >= 2**HAND:
        raise BadCall(f"there is no such game: {game}")
    _cards(game.hand)
    return game


def _events(body: Any) -> list[BankEvent]:
    events = [event_from_json(event) for event in body["events"]]
    for event in events:
        hand = event.values.get("hand", 0)
        if isinstance(hand, int):  # the hand of a closed session is a game's key, and no cards
            _cards(hand)
    return events


def _cards(hand: int) -> None:
    if any(card >= DECK for card in unpacked_hand(hand)):
        raise BadCall(f"a hand is five cards, a byte each, not {hand:#012x}")


async def _asked(url: str, ask: Callable[[], T]) -> T:
    """Ask in a thread; what goes wrong, in the words of the port."""
    try:
        return await asyncio.to_thread(ask)
    except Unreachable as error:
        raise BankAway(str(error)) from None
    except Refused as error:
        if error.code == BankRefused.code:
            raise refusal_from_json(
                {name: error.problem.get(name) for name in ("refusal", "values")}
            ) from None
        if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise BankAway(f"{url} does not work now: {error}") from None
        raise
    except (BadCall, KeyError, TypeError) as error:
        raise BankAway(f"{url} does not answer as a Bank in a ledger does: {error}") from None
