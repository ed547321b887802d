"""The games of a contest, kept here or relayed to a remote factory.

A relayed game has a table here like any other. It is played in raw coordinates, under the rules of
a keeper who draws nothing, and the factory gives the answers (`factories`). Its remote address is
secret and lies in the vault: anyone who knew it could query the game behind our back.

A submission is durable before it is sent. Without an answer it counts as no attempt. The client
must then send *the same* submission again, until an answer comes or the game is given up. So a
crash at any moment leaves our count right, though the factory may have counted twice.

The contest's book records when a factory fails and when it recovers. A game never dies of it: it
waits, and it is unfinished if it still waits when the contest closes.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from fairground.contest.book import CLOSING, GIVEN_UP, SOLVED, Entry, files_digest, the_note
from fairground.contest.file import book_heading, game_heading, standings_line
from fairground.contest.games import Disguise, Part, fair_code, keeper_seed, oracle_name
from fairground.core import HouseFault, IllegalMove, Move
from fairground.fair.bits import same
from fairground.fair.contest import ContestDealer
from fairground.fair.schemes import Chair
from fairground.games.codebreaking.rules import BREAKER, FAIR, GIVE_UP, KEEPER, Code, State, fits
from fairground.server.contests.factories import FAILURES, Factories, FactoryFailed
from fairground.server.contests.service import (
    Contests,
    Line,
    LiveBook,
    must_be_present,
    must_be_running,
)
from fairground.server.http.problems import AlreadyDone, GameOver, TooEarly, Unknown
from fairground.server.live_games import Hall, Live
from fairground.server.oracles.service import (
    LAST,
    Room,
    answered,
    answers,
    described,
    let_the_keeper_answer,
    must_have_attempts_left,
    seconds_until,
)
from fairground.server.oracles.wire import CountsOut, OracleOut, Reveal
from fairground.server.storage import unkeyed
from fairground.store import Conflict, retried
from fairground.transcript import line_hash

ELSEWHERE: Final = "oracle elsewhere"
"""The secret with the address of the game at its factory."""

MOST_FAILURES: Final = 5
"""Maximum number of pauses of one game in the book. After that, the game is recorded as waiting
until it ends.
"""


def address_of(live: Live) -> str:
    """Return the remote address of a game, or an empty string if it was given up before it was
    made.
    """
    return live.vault.recall(ELSEWHERE).decode()


def pending(live: Live) -> Code | None:
    """Return the submission that waits for its answer, in raw coordinates."""
    state: State = live.table.state
    return state.asked if state.phase == "answer" else None


# The games, behind the same routes as any oracle
#
# A game's table plays in raw coordinates. Submissions are translated by the disguise of their entry
# (`fairground.contest.book`). A game's log is made at its first action, so entering a contest of a
# thousand games costs one line. Until the contest closes, an answer has only the counts and a
# receipt: the hash of the game's last line, which the contest file must contain later.


BUNCH: Final = 50
"""Games that are finished off, or read, at a time."""

OVER: Final = "this game is over: the code was found, or given up"

T = TypeVar("T")


class EntryGame(NamedTuple):
    """One game of one entry."""

    contest: LiveBook
    entry: Entry
    slot: int
    game: int
    part: Part
    seen: Disguise


def place_of(name: str) -> tuple[str, int, int] | None:
    """Contest, entry and slot that an oracle's name speaks of; ``None``: of no contest."""
    words = name.split(".")
    if len(words) != 4 or not all(word.isascii() and word.isdigit() for word in words[1:3]):
        return None
    if any(len(word) > 6 for word in words[1:3]):
        return None
    return words[0], int(words[1]), int(words[2])


class ContestGames(Room):
    """All games of all contests of an arena."""

    def __init__(self, hall: Hall, contests: Contests, factories: Factories) -> None:
        self._hall = hall
        self._contests = contests
        self._factories = factories
        self._filing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def _place(self, name: str) -> EntryGame:
        found = place_of(name)
        if found is None:
            raise Unknown(f"there is no oracle {name!r}")
        contest, number, slot = found
        live = await self._contests.find(contest)
        if slot >= live.book.games or not same(oracle_name(contest, live.seed, number, slot), name):
            raise Unknown(f"there is no oracle {name!r}")
        if number >= len(live.book.entries):
            # We made this name, so somebody has entered: another server wrote it into the book.
            live = await self._contests.read_again(live)
            if number >= len(live.book.entries):
                raise Unknown(f"there is no oracle {name!r}")
        book = live.book
        entry = book.entries[number]
        game = live.order(entry)[slot]
        part = book.part_of[game]
        seen = book.seen(live.seed, number, game)
        return EntryGame(live, entry, slot, game, part, seen)

    # What a client does

    async def submit(self, log: str, submission: Sequence[int]) -> tuple[CountsOut, str]:
        place = await self._place(log)
        place.part.rules().check(State("guess"), BREAKER, tuple(submission))
        return await self._act(log, place, place.seen.to_raw(submission))

    async def give_up(self, log: str, address: str) -> OracleOut:
        """End the game as unfinished. Its code is revealed when the contest closes."""
        place = await self._place(log)
        await self._act(log, place, GIVE_UP)
        return await self.describe(log, address)

    async def share(self, log: str, share: str) -> None:
        """Refuse: the codes are the same for all entries."""
        await self._place(log)
        raise AlreadyDone(
            "no share can be lent to a contest's game: its code was committed to before the "
            f"contest opened, the same for all; {share!r} cannot change it"
        )

    async def _act(self, name: str, place: EntryGame, move: Move) -> tuple[CountsOut, str]:
        """Make a move, and write down what came of it: in the game, at its end in the book."""
        _must_be_open(place)
        if place.part.factory is None:
            await self._must_exist(name, place)
            return await self._act_once(name, place, move)
        try:
            await self._must_exist(name, place, make=move != GIVE_UP)
            done = await self._act_once(name, place, move)
        except FAILURES as failure:
            await self._note(place, str(failure))
            raise
        await self._note(place, None)
        return done

    @retried
    async def _act_once(self, name: str, place: EntryGame, move: Move) -> tuple[CountsOut, str]:
        async with self._hall.using(name, place.contest.games_kind) as live:
            place = await self._place(name)
            _must_be_open(place)
            table = live.table
            if not table.asks():
                raise GameOver(OVER)  # another server knows already, and its book will say so
            if move != GIVE_UP:
                must_have_attempts_left(table)
            if place.part.factory is None:
                (ask,) = table.asks()
                table.submit(ask, move)
                await let_the_keeper_answer(live)
            else:
                await self._relay(live, place.part, place.seen, move)
            if table.closed:
                await self._hall.save(live)
                raise HouseFault(f"the house voided this game: {table.void_reason}")
            try:
                await self._write_down(place, live)
            except Conflict:
                if place.part.factory is None or move == GIVE_UP:
                    raise
                # Not to be tried again here: what was pending may be answered by now.
                raise AlreadyDone(
                    "the same submission was relayed twice at the same time, and the other was "
                    "answered first; ask the oracle for its attempts"
                ) from None
            full, partial = table.state.rows[-1].marks if table.state.rows else (0, 0)
            return CountsOut(full, partial), table.transcript.head

    async def _write_down(self, place: EntryGame, live: Live) -> None:
        if live.table.payoff is None:
            await self._hall.save(live)
        else:
            await self._finish(place, live)

    async def _finish(self, place: EntryGame, live: Live) -> None:
        """Write the end of a game into its log and into the book, in one commit."""
        table = live.table

        def finished(contest: LiveBook) -> Line:
            entry = contest.book.entries[place.entry.number]
            _must_be_open(place._replace(contest=contest, entry=entry))
            rows = table.state.rows
            found = bool(rows) and rows[-1].marks[0] == place.part.length
            return "finished", {
                "entry": entry.number,
                "slot": place.slot,
                "result": SOLVED if found else GIVEN_UP,
                "steps": len(rows),
                "head": table.transcript.head,
                "at": self._contests.now(contest),
            }

        await self._contests.record(place.contest.name, finished, live.news())
        self._hall.saved(live)

    async def _must_exist(self, name: str, place: EntryGame, *, make: bool = True) -> None:
        """Set the table up, if this is the first that is heard of it.

        A game that is kept elsewhere is made there, unless it is only to be given up.
        """
        contest, relayed = place.contest, place.part.factory is not None
        try:
            await self._hall.find(name, contest.games_kind)
            return
        except Unknown:
            pass
        await self._contests.note_start(contest.name, place.entry.number)
        elsewhere = await self._make_elsewhere(place.part) if relayed and make else ""
        fresh_game = self._hall.open(
            contest.games_kind,
            place.part.rules(),
            ContestDealer,
            (Chair(place.part.keeper, by="house"), Chair(place.entry.chair)),
            {} if relayed else {KEEPER: place.part.oracle},
            name=name,
            note=the_note(contest.book, place.entry, place.slot, place.part, place.seen),
            options={
                "contest": contest.name,
                "game": place.game,
                "seed": contest.seed,
                "held": True,
            },
            player_seed=keeper_seed(contest.name, contest.seed, place.game),
        )
        if relayed:
            fresh_game.vault.keep(ELSEWHERE, elsewhere.encode(), "")
        # If somebody else was first, theirs is as good: both follow from the seed, or have not
        # been asked anything.
        with contextlib.suppress(Conflict), unkeyed():
            await self._hall.keep(fresh_game)

    # Games that are kept elsewhere

    async def _make_elsewhere(self, part: Part) -> str:
        """Have a game of this part made; its address, which is a secret."""
        assert part.factory is not None
        return await self._factories.make(part.factory, part.base, part.length, part.oracle)

    async def _relay(self, live: Live, part: Part, seen: Disguise, move: Move) -> None:
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

    async def _note(self, place: EntryGame, reason: str | None) -> None:
        """Write into the book that a game waits, or with ``None`` that it goes on.

        Nothing is written if that is known, or if the game has ended meanwhile.
        """
        number, slot = place.entry.number, place.slot

        def decide(live: LiveBook) -> Line | None:
            entry, about = live.book.entries[number], {"entry": number, "slot": slot}
            if live.book.closed or entry.over or slot in entry.results:
                return None
            at = self._contests.now(live)
            if reason is not None:
                known = slot in entry.waiting
                return None if known else ("failed", {**about, "reason": reason, "at": at})
            if slot not in entry.waiting or entry.failures[slot] >= MOST_FAILURES:
                return None
            return "recovered", {**about, "at": at}

        with unkeyed():
            await self._contests.record(place.contest.name, decide)

    # What everyone may see

    async def answered(self, log: str, step: int) -> tuple[CountsOut, str]:
        place = await self._place(log)
        async with self._hall.using(log, place.contest.games_kind) as live:
            return answered(live, step)

    async def describe(self, log: str, address: str, after: int = LAST) -> OracleOut:
        """Describe the oracle; its secrets follow when the contest is closed."""
        place = await self._place(log)
        book, part = place.contest.book, place.part
        result = place.entry.results.get(place.slot)
        out = described(address, part.base, part.length, part.oracle, book.commitment)
        out.solved = result is not None and result.result == SOLVED
        out.over = (
            result is not None or book.closed or place.entry.over or place.entry.removed is not None
        )
        out.contest, out.training = book.contest, place.entry.training
        out.oraclefactory, out.trouble = part.factory, place.entry.waiting.get(place.slot)
        elsewhere = ""
        try:
            async with self._hall.using(log, place.contest.games_kind) as live:
                rows = live.table.state.rows
                out.attempts = len(rows)
                out.answers = answers(rows, after)
                for answer in out.answers or ():
                    answer.submission = list(place.seen.from_raw(answer.submission))
                shown, made = live.table.state.shown, live.private.made
                if part.factory is not None:
                    elsewhere, asked = address_of(live), pending(live)
                    out.pending = None if asked is None else list(place.seen.from_raw(asked))
        except Unknown:
            shown = made = None
        if not book.closed:
            return out
        fair = part.rules().oracle == FAIR
        raw = fair_code(book.contest, place.contest.seed, place.game, part) if fair else shown
        code = None if raw is None else list(place.seen.from_raw(raw))
        note = "the code in this entry's disguise; transcript and contest file are raw"
        if elsewhere:
            note += f". Unproven: it was kept at {elsewhere}"
        out.reveal = Reveal(code, place.contest.seed.hex() if fair else None, note)
        solved_at = result.at if result is not None and out.solved else None
        out.seconds_until_solved = seconds_until(solved_at, made)
        if made is not None:
            out.transcript = f"{address}/transcript"
        return out

    async def left(self, log: str) -> int | None:
        """Refuse: in a contest, programs count for themselves."""
        await self._place(log)
        raise TooEarly("in a contest nobody is told how many codes are left: count them yourself")

    async def transcript(self, log: str) -> bytes:
        """Return the game's transcript, once the contest is closed."""
        place = await self._place(log)
        await self.file_all(place.contest.name)
        stored = await self._hall.store.read(log)
        if stored is None:
            raise Unknown(f"nobody played the oracle {log!r}, so there is no transcript")
        return stored.data

    # After the close

    async def file_all(self, contest: str) -> LiveBook:
        """Finish every game off, once, and write down in the book that it is so."""
        await self._contests.find(contest)  # who asks for a contest that is none leaves no trace
        async with self._filing.setdefault(contest, asyncio.Lock()):
            live = await self._contests.find(contest)
            if not live.book.closed:
                raise TooEarly("nothing of a contest's games is told before the contest closes")
            if live.book.filed is not None:
                return live
            while still_open := await self._hall.store.logs(live.games_kind, open_only=True):
                for bunch in _bunches(still_open):
                    await asyncio.gather(*(self._finish_off(name, live) for name in bunch))
            heads = {}
            async for place, lines in self._games(live):
                heads[place] = line_hash(lines[-1])
            counted = {"games": len(heads), "digest": files_digest(contest, heads)}

            def filed(live: LiveBook) -> Line | None:
                return None if live.book.filed is not None else ("filed", counted)

            return await self._contests.record(contest, filed)

    async def _finish_off(self, name: str, contest: LiveBook) -> None:
        try:
            async with self._hall.using(name, contest.games_kind) as live:
                assert isinstance(live.dealer, ContestDealer)
                live.dealer.held = False
                if live.table.payoff is None and not live.table.closed:
                    live.table.forfeit(BREAKER, CLOSING, by="house")
                else:
                    live.table.advance()
                if live.stored != live.table.transcript.step:
                    await self._hall.save(live)
        except Conflict:
            pass  # another server is at it; whoever lists the open games again will see

    async def _games(
        self, live: LiveBook
    ) -> AsyncIterator[tuple[tuple[int, int], Sequence[bytes]]]:
        """Yield the lines of every closed game, by entry and slot."""
        store = self._hall.store
        still_open = set(await store.logs(live.games_kind, open_only=True))
        names = {}
        for name in await store.logs(live.games_kind):
            found = place_of(name)
            if found is not None and name not in still_open:
                names[found[1:]] = name
        for bunch in _bunches(sorted(names)):
            stored = await asyncio.gather(*(store.read(names[place]) for place in bunch))
            for place, log in zip(bunch, stored, strict=True):
                assert log is not None
                yield place, log.lines

    async def file(self, contest: str) -> AsyncIterator[bytes]:
        """Yield the contest file (`fairground.contest.file`) in pieces."""
        live = await self.file_all(contest)
        lines = live.transcript.lines
        yield book_heading(live.book, len(lines)) + b"".join(lines)
        async for (entry, slot), game in self._games(live):
            yield game_heading(entry, slot, len(game)) + b"".join(game)
        yield standings_line(await self._contests.standing(contest), live.transcript.head)


def _bunches(items: Iterable[T]) -> Iterator[Sequence[T]]:
    waiting = iter(items)
    while bunch := list(islice(waiting, BUNCH)):
        yield bunch


def _must_be_open(place: EntryGame) -> None:
    must_be_running(place.contest)
    must_be_present(place.entry)
    if place.slot in place.entry.results:
        raise GameOver(OVER)
    if place.entry.over:
        raise GameOver(
            f"{place.entry.team!r} has entered again with a new version: what this entry had not "
            "finished stays unfinished"
        )
