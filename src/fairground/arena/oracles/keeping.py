"""Oracles: code-breaking games between the house, which keeps, and a client, who breaks.

A fair oracle draws its code under `hash-chains/1`: the commitment is out when the game
is made; until the first submission the client may lend a share, which makes the code
uniform for them; the key is opened when the game ends. Nice and evil oracles draw
nothing: their commitment is a look-alike that nobody can open, and at the end they
show a code that fits all their answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from fairground.arena.http.problems import AlreadyDone, GameOver, TooManyAttempts
from fairground.arena.live_games import STOPPED, Hall, Live
from fairground.arena.oracles.wire import CountsOut, GivenAnswer, OracleOut, Reveal
from fairground.core import SAFE, BadShare
from fairground.fair.chains import HashChainsDealer
from fairground.fair.schemes import is_hex
from fairground.games.codebreaking import (
    BREAKER,
    EVIL,
    GIVE_UP,
    KEEPER,
    CodeBreaking,
    Row,
    State,
)
from fairground.oracle_table import (
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
from fairground.solve.codebreaking.advice import Counting
from fairground.store import retried
from fairground.table import Table
from fairground.transcript import line_hash

KIND: Final = "oracle"

ANSWERS: Final = 100
"""How many of the answers given already a description has, if nothing else is asked for."""

LAST: Final = -1
"""Behind so many answers: only the last hundred."""

MOST_ATTEMPTS: Final = 10_000
"""Submissions that an oracle answers: more than guessing digit by digit takes at any size."""

QUICK: Final = 100_000
"""An evil oracle with more codes than this thinks in a thread, so that others are served."""

COUNTED: Final = 1_000_000
"""The largest space in which the codes that are left are counted."""


class Room(ABC):
    """Where oracles are played. There are two: for single oracles, and for those of contests."""

    @abstractmethod
    async def submit(self, log: str, submission: Sequence[int]) -> tuple[CountsOut, str]:
        """One divination step, and its receipt: the hash of the game's last line."""

    @abstractmethod
    async def answered(self, log: str, step: int) -> tuple[CountsOut, str]:
        """What was answered when the game's record had so many lines, and the receipt for it."""

    @abstractmethod
    async def share(self, log: str, share: str) -> None:
        """Mix 32 bytes of the client's own into the draw of the code."""

    @abstractmethod
    async def give_up(self, log: str, address: str) -> OracleOut:
        """End the game without the code."""

    @abstractmethod
    async def describe(self, log: str, address: str, after: int = LAST) -> OracleOut:
        """An oracle as who has its URI may see it; ``address`` is that, absolute.

        With the answers that it has given behind the first ``after``: if nothing is said, the
        last hundred.
        """

    @abstractmethod
    async def left(self, log: str) -> int | None:
        """How many codes fit all answers; ``None`` where they are too many to be counted."""

    @abstractmethod
    async def transcript(self, log: str) -> bytes:
        """What is public of the transcript."""


class Oracles(Room):
    """All oracles of an arena that belong to no contest."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    async def make(self, base: int, length: int, oracle_type: str) -> Live:
        """Open a game, durably."""
        live = self._hall.open(
            KIND,
            CodeBreaking(base, length, oracle_type),
            HashChainsDealer,
            CHAIRS,
            {KEEPER: oracle_type},
            options={"length": CHAIN_LENGTH},
        )
        publish(live.table)
        await self._hall.keep(live, kind=KIND)
        return live

    @retried
    async def submit(self, log: str, submission: Sequence[int]) -> tuple[CountsOut, str]:
        """One divination step: judged by length, digits, and whether the game is over."""
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
        """Mix 32 bytes of the client's own into the draw of the code."""
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
        """End the game; the oracle opens its code."""
        async with self._hall.using(log, KIND) as live:
            _must_be_open(live)
            step(live.table, GIVE_UP)
            await let_the_keeper_answer(live)
            await self._hall.save(live)
            return describe(live, address)

    async def answered(self, log: str, step: int) -> tuple[CountsOut, str]:
        """From the record."""
        async with self._hall.using(log, KIND) as live:
            return answered(live, step)

    async def describe(self, log: str, address: str, after: int = LAST) -> OracleOut:
        """An oracle as who has its URI may see it."""
        async with self._hall.using(log, KIND) as live:
            out = describe(live, address)
            out.answers = answers(live.table.state.rows, after)
            return out

    async def left(self, log: str) -> int | None:
        """Counted one by one, in a thread, in spaces that are not too large."""
        async with self._hall.using(log, KIND) as live:
            game, rows = rules_of(live.table), live.table.state.rows
        if not rows:
            return game.codes if game.codes <= SAFE else None
        if game.codes > COUNTED:
            return None
        return await live.keepers.think(_count, game.base, game.length, rows)

    async def transcript(self, log: str) -> bytes:
        """What was written so far."""
        live = await self._hall.find(log, KIND)
        return b"".join(live.table.transcript.lines[: live.stored])

    async def end_idle(self, log: str, before: int, reason: str) -> None:
        """End a game that nobody has acted on since. It is the house that says so."""
        async with self._hall.using(log, KIND) as live:
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
    """What was answered when the record had so many lines, and its receipt."""
    so_far = live.table.transcript.events[:step]
    guesses = sum(event["kind"] == "move" and event["seat"] == BREAKER for event in so_far)
    full, partial = live.table.state.rows[guesses - 1].marks
    return CountsOut(full, partial), line_hash(live.table.transcript.lines[step - 1])


def answers(rows: Sequence[Row], after: int) -> list[GivenAnswer] | None:
    """The answers behind the first so many; ``None`` if there are none: nothing is written."""
    begin = len(rows) - ANSWERS if after == LAST else after
    return [GivenAnswer(list(guess), *marks) for guess, marks in rows[max(0, begin) :]] or None


def describe(live: Live, address: str) -> OracleOut:
    """An oracle as JSON; ``address`` is its absolute URI."""
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
    """What is known of any oracle before anybody plays it, as JSON."""
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
