"""Games of a contest that are kept elsewhere: made, relayed, and counted by us.

Such a game has a table here like any other, played in raw coordinates by the rules of a keeper
who draws nothing; but the answers come from a factory (`factories`). Its address over
there lies in the vault, for whoever knew it could ask it behind our back.

A submission is durable before it is sent. If no answer comes, it stands there unanswered: it
counts as no attempt, and *the same* submission must be sent again, until an answer comes or the
game is given up. So a crash at any moment leaves our count right, though the factory may have
counted twice.

That a factory fails, and that it does its part again, is written into the contest's book. A
game never dies of it: it waits, and if it waits until the contest closes it is unfinished.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fairground.arena.contests.factories import Factories, FactoryFailed
from fairground.arena.contests.keeping import Contests
from fairground.arena.contests.live_book import LiveBook
from fairground.arena.contests.shelf import Line
from fairground.arena.http.problems import AlreadyDone
from fairground.arena.keyed import unkeyed
from fairground.arena.live_games import Hall, Live
from fairground.contest.book import GIVEN_UP, Entry
from fairground.contest.parts import Part
from fairground.contest.seed import Disguise
from fairground.core import IllegalMove, Move
from fairground.games.codebreaking import BREAKER, GIVE_UP, KEEPER, Code, State, fits

ELSEWHERE: Final = "oracle elsewhere"
"""The secret with the address of the game at its factory."""

MOST_FAILURES: Final = 5
"""How often the book notes that a game waits, and then goes on. After that it is noted as waiting
until it ends."""


def address_of(live: Live) -> str:
    """Where the game is kept; empty if it was given up before it was made."""
    return live.vault.recall(ELSEWHERE).decode()


def pending(live: Live) -> Code | None:
    """The submission, in raw coordinates, that waits for its answer."""
    state: State = live.table.state
    return state.asked if state.phase == "answer" else None


class Relay:
    """Between our tables and the factories that keep their codes."""

    def __init__(self, hall: Hall, contests: Contests, factories: Factories) -> None:
        self._hall = hall
        self._contests = contests
        self._factories = factories

    async def make(self, part: Part) -> str:
        """Have a game of this part made; its address, which is a secret."""
        assert part.factory is not None
        return await self._factories.make(part.factory, part.base, part.length, part.oracle)

    async def play(self, live: Live, part: Part, seen: Disguise, move: Move) -> None:
        """Make a move at the table, and let the factory answer it. The last step is not stored."""
        table = live.table
        if move == GIVE_UP:
            table.forfeit(BREAKER, GIVEN_UP)
            return
        assert part.factory is not None
        waiting = pending(live)
        if waiting is None:
            (ask,) = table.asks()
            table.submit(ask, move)
            with unkeyed():
                await self._hall.save(live)
        elif waiting != move:
            raise AlreadyDone(
                f"your submission {list(seen.from_raw(waiting))} is not answered yet: send it "
                "again, or give the game up"
            )
        guess, rows = table.state.asked, table.state.rows
        again = waiting is not None
        answer = await self._factories.submit(part.factory, address_of(live), guess, again=again)
        about = f"the oracle factory {part.factory!r}"
        try:
            table.game.check(table.state, KEEPER, answer)
        except IllegalMove:
            raise FactoryFailed(f"{about} gives counts that no code has: {answer}") from None
        found = answer[0] == part.length
        if found and not fits(guess, rows):
            raise FactoryFailed(f"{about} says that the code is found, against its earlier answers")
        for word in (answer, guess) if found else (answer,):
            (ask,) = table.asks()
            table.submit(ask, word)

    async def failed(self, contest: str, number: int, slot: int, reason: str) -> None:
        """Write into the book that a game waits, unless that is known."""

        def line(live: LiveBook, entry: Entry) -> Line | None:
            if slot in entry.waiting:
                return None
            body = {"entry": number, "slot": slot, "reason": reason}
            return "failed", {**body, "at": self._contests.now(live)}

        await self._write(contest, number, slot, line)

    async def recovered(self, contest: str, number: int, slot: int) -> None:
        """Write into the book that a game which waited goes on."""

        def line(live: LiveBook, entry: Entry) -> Line | None:
            if slot not in entry.waiting or entry.failures[slot] >= MOST_FAILURES:
                return None
            return "recovered", {"entry": number, "slot": slot, "at": self._contests.now(live)}

        await self._write(contest, number, slot, line)

    async def _write(
        self,
        contest: str,
        number: int,
        slot: int,
        line: Callable[[LiveBook, Entry], Line | None],
    ) -> None:
        """Write a line about a game, unless it has ended meanwhile."""

        def decide(live: LiveBook) -> Line | None:
            entry = live.book.entries[number]
            if live.book.closed or entry.over or slot in entry.results:
                return None
            return line(live, entry)

        with unkeyed():
            await self._contests.record(contest, decide)
