"""Oracles: code-breaking games between the house, which keeps, and a client, who breaks.

A fair oracle draws its code under `hash-chains/1`. The commitment is published when the game is
made. Until the first submission the client may lend a share, which makes the code uniform for them.
The key is opened when the game ends. Nice and evil oracles draw nothing: their commitment is a
look-alike that nobody can open, and at the end they show a code that fits all their answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from fairground.core import SAFE, BadShare
from fairground.fair.chains import HashChainsDealer
from fairground.fair.schemes import is_hex
from fairground.games.codebreaking.oracle import (
    CHAIN_LENGTH,
    CHAIRS,
    commitment,
    is_solved,
    lend,
    lent,
    publish,
    rules_of,
    step,
)
from fairground.games.codebreaking.rules import (
    BREAKER,
    EVIL,
    GIVE_UP,
    KEEPER,
    CodeBreaking,
    Row,
    State,
)
from fairground.games.codebreaking.solver.advice import Counting
from fairground.server.http.problems import AlreadyDone, GameOver, TooManyAttempts
from fairground.server.live_games import MARK, STOPPED, Hall, Live
from fairground.server.oracles.wire import CountsOut, GivenAnswer, OracleOut, Reveal
from fairground.store import Conflict, retried
from fairground.table import Table
from fairground.transcript import line_hash

KIND: Final = "oracle"

ANSWERS: Final = 100
"""Default number of past answers in a description."""

LAST: Final = -1
"""Value of ``after`` that selects the last hundred answers."""

MOST_ATTEMPTS: Final = 10_000
"""Submissions that an oracle answers: more than guessing digit by digit takes at any size."""

QUICK: Final = 100_000
"""An evil oracle with more codes than this thinks in a thread, so that others are served."""

COUNTED: Final = 1_000_000
"""The largest space in which the codes that are left are counted."""


GRACE: Final = 3600
"""Seconds after a start in which nothing is ended: while the arena was down, nobody could play."""

BUNCH: Final = 100
"""Idle oracles that are ended at a time."""


class Room(ABC):
    """A service for oracles: one for single oracles, and one for those of contests."""

    @abstractmethod
    async def submit(self, log: str, submission: Sequence[int]) -> tuple[CountsOut, str]:
        """Answer a submission. The receipt is the hash of the game's last line."""

    @abstractmethod
    async def answered(self, log: str, step: int) -> tuple[CountsOut, str]:
        """Return the answer that brought the record to ``step`` lines, and its receipt."""

    @abstractmethod
    async def share(self, log: str, share: str) -> None:
        """Mix 32 bytes of the client's own into the draw of the code."""

    @abstractmethod
    async def give_up(self, log: str, address: str) -> OracleOut:
        """End the game without the code."""

    @abstractmethod
    async def describe(self, log: str, address: str, after: int = LAST) -> OracleOut:
        """Describe an oracle to a client that has its URI; ``address`` is the absolute URI.

        With the answers that it has given behind the first ``after``: if nothing is said, the
        last hundred.
        """

    @abstractmethod
    async def left(self, log: str) -> int | None:
        """Return the number of codes that fit all answers; ``None`` if there are too many."""

    @abstractmethod
    async def transcript(self, log: str) -> bytes:
        """Return the public part of the transcript."""


class Oracles(Room):
    """All oracles of an arena that belong to no contest."""

    def __init__(self, hall: Hall, idle_limit: int = 0) -> None:
        self._hall = hall
        self._idle_limit = idle_limit
        self._begins = hall.clock() + min(GRACE, idle_limit)

    async def make(self, base: int, length: int, oracle_type: str) -> Live:
        live = self._hall.open(
            KIND,
            CodeBreaking(base, length, oracle_type),
            HashChainsDealer,
            CHAIRS,
            {KEEPER: oracle_type},
            options={"length": CHAIN_LENGTH},
        )
        publish(live.table)
        await self._hall.keep(live)
        return live

    @retried
    async def submit(self, log: str, submission: Sequence[int]) -> tuple[CountsOut, str]:
        async with self._hall.using(log, KIND) as live:
            if live.table.closed or live.stopped:
                rules_of(live.table).check(State("guess"), BREAKER, tuple(submission))
                _must_be_open(live)
            must_have_attempts_left(live.table)
            step(live.table, tuple(submission))
            await let_the_keeper_answer(live)
            full, partial = live.table.state.rows[-1].marks
            await self._hall.save(live)
            return CountsOut(full, partial), live.table.transcript.head

    @retried
    async def share(self, log: str, share: str) -> None:
        if not is_hex(share.lower()):
            raise BadShare(f"a share is 32 bytes as 64 hex digits, not {share!r}")
        async with self._hall.using(log, KIND) as live:
            _must_be_open(live)
            if lent(live.table) == share.lower():
                return
            if not lend(live.table, share.lower()):
                raise AlreadyDone("a share can be lent once, and before the first submission")
            await self._hall.save(live)

    @retried
    async def give_up(self, log: str, address: str) -> OracleOut:
        async with self._hall.using(log, KIND) as live:
            _must_be_open(live)
            step(live.table, GIVE_UP)
            await let_the_keeper_answer(live)
            await self._hall.save(live)
            return describe(live, address)

    async def answered(self, log: str, step: int) -> tuple[CountsOut, str]:
        async with self._hall.using(log, KIND) as live:
            return answered(live, step)

    async def describe(self, log: str, address: str, after: int = LAST) -> OracleOut:
        async with self._hall.using(log, KIND) as live:
            out = describe(live, address)
            out.answers = answers(live.table.state.rows, after)
            return out

    async def left(self, log: str) -> int | None:
        async with self._hall.using(log, KIND) as live:
            game, rows = rules_of(live.table), live.table.state.rows
        if not rows:
            return game.codes if game.codes <= SAFE else None
        if game.codes > COUNTED:
            return None
        return await live.keepers.think(_count, game.base, game.length, rows)

    async def transcript(self, log: str) -> bytes:
        live = await self._hall.find(log, KIND)
        return b"".join(live.table.transcript.lines[: live.stored])

    # Idle oracles
    #
    # The house forfeits an oracle that was idle for longer than the limit, and the record says that
    # this is the house's word. Its transcript is complete and can be verified, a fair oracle opens
    # its code, and the client has room for another game. Tables need no such limit, since a time
    # bank runs whenever they wait for somebody. The games of a contest end with the contest.
    #
    # The store has an index by the time of the last action, so a sweep costs the same with ten open
    # oracles and with a hundred thousand. A client that comes back after the limit, but before the
    # next sweep, may play on.

    async def end_idle(self) -> None:
        """End the oracles that nobody plays; with limit 0, none."""
        now = int(self._hall.clock())
        before = now - self._idle_limit - MARK  # times are rounded down to a `MARK`
        if not self._idle_limit or now < self._begins:
            return
        reason = f"idle: nothing was submitted for {self._idle_limit} seconds, by the house's clock"
        tried: set[str] = set()
        while names := set(await self._hall.store.idle(KIND, before, BUNCH)) - tried:
            for name in names:
                with suppress(Conflict):  # another server was faster
                    await self.end_if_idle(name, before, reason)
            tried = names

    async def end_if_idle(self, name: str, before: int, reason: str) -> None:
        async with self._hall.using(name, KIND) as live:
            if not live.table.closed and live.seen < before:
                live.table.forfeit(BREAKER, reason, by="house")
                await self._hall.save(live)


def _count(base: int, length: int, rows: Sequence[Row]) -> int:
    counting = Counting(base, length)
    for row in rows:
        counting.keep(row)
    return counting.count().value


async def let_the_keeper_answer(live: Live) -> None:
    """Let our keeper play on; where it has much to think about, in a thread for keepers.

    So does the first evil one, of any size: to load what it thinks with takes seconds. Not in a
    thread of the event loop's own: those read from the store, for everybody.
    """
    game, keepers = rules_of(live.table), live.keepers
    if game.oracle == EVIL and (game.codes > QUICK or EVIL not in keepers.prepared):
        await keepers.think(live.play_on)
        keepers.prepared.add(EVIL)
    else:
        live.play_on()


def must_have_attempts_left(table: Table) -> None:
    """Refuse a submission beyond the last that an oracle answers."""
    if len(table.state.rows) >= MOST_ATTEMPTS:
        raise TooManyAttempts(
            f"this oracle has answered {MOST_ATTEMPTS} submissions, and answers no more; "
            "DELETE it to see the code, or open another"
        )


def _must_be_open(live: Live) -> None:
    if live.stopped:
        raise GameOver(STOPPED)
    if live.table.closed:
        ended = _ended_by_the_house(live)
        raise GameOver(f"this game is over: {ended or 'the code was found, or given up'}")


def _ended_by_the_house(live: Live) -> str | None:
    """Why the house ended a game, if it did."""
    forfeits = (e for e in live.table.transcript.events if e["kind"] == "forfeit")
    return next((f"ended by the house, {e['reason']}" for e in forfeits), None)


def answered(live: Live, step: int) -> tuple[CountsOut, str]:
    """Return the answer that brought the record to ``step`` lines, and its receipt."""
    so_far = live.table.transcript.events[:step]
    guesses = sum(event["kind"] == "move" and event["seat"] == BREAKER for event in so_far)
    full, partial = live.table.state.rows[guesses - 1].marks
    return CountsOut(full, partial), line_hash(live.table.transcript.lines[step - 1])


def answers(rows: Sequence[Row], after: int) -> list[GivenAnswer] | None:
    """Return the answers after index ``after``, or ``None`` if there are none (the field is then
    omitted).
    """
    begin = len(rows) - ANSWERS if after == LAST else after
    return [GivenAnswer(list(guess), *marks) for guess, marks in rows[max(0, begin) :]] or None


def describe(live: Live, address: str) -> OracleOut:
    """Return an oracle as JSON; ``address`` is its absolute URI."""
    table = live.table
    rules = rules_of(table)
    out = described(address, rules.base, rules.length, rules.oracle, commitment(table))
    out.attempts, out.solved, out.over = len(table.state.rows), is_solved(table), table.closed
    if live.stopped:
        out.over, out.trouble = True, STOPPED
    if table.closed:
        shown = table.state.shown or table.state.code
        opened = [e["evidence"] for e in table.transcript.events if e["kind"] == "opening"]
        key = opened[0]["key"] if opened else None
        note = _ended_by_the_house(live)
        out.reveal = Reveal(None if shown is None else list(shown), key, note)
        out.seconds_until_solved = seconds_until(
            live.ended if out.solved else None, live.private.made
        )
        out.transcript = f"{address}/transcript"
    return out


def described(address: str, base: int, length: int, oracle: str, committed: str) -> OracleOut:
    """Return the description of an oracle that nobody has played yet, as JSON."""
    return OracleOut(
        self=address,
        base=base,
        length=length,
        oracle_type=oracle,
        type=oracle,
        attempts=0,
        solved=False,
        commitment=committed,
        over=False,
    )


def seconds_until(solved: float | None, made: float | None) -> float | None:
    """From the making of a game until its code was found, by the house's clock."""
    if solved is None or made is None:
        return None
    return round(max(0.0, solved - made), 3)
