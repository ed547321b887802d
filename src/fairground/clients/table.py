"""Tables of an arena over HTTP: seats, the list of tables, open seats, rematches, and news.

    >>> for row in tables(arena, state="open"):                   # doctest: +SKIP
    ...     print(row["id"], row["words"])
    >>> seat = sit_down(arena, row["id"], "Ada", lends="chain")   # doctest: +SKIP
    >>> for news in follow(arena, [f"table:{name}", "lobby"]):    # doctest: +SKIP
    ...     print(news.kind, news.data)

A `RemoteSeat` plays a seat, and takes nothing on trust.

    >>> played = play("http://127.0.0.1:8000/tables/.../seats/...", "optimal")  # doctest: +SKIP
    >>> [str(claim) for claim in played.verdict.claims]                         # doctest: +SKIP
    ['COMMITTED', 'UNIFORM:0', 'UNFORESEEN:0', 'ORDERED']

The arena could lie, so the client relies on its own work:

* It downloads the transcript line by line, hashes every line, and requires that each answer
  of the arena extends the lines it has.
* It runs the game again from these lines, and answers only what its own referee asks too.
* It decides on its own view. (Behind a hidden draw it has none, and takes the arena's.)
* Its hash chain leaves it link by link only, each for one history.
* Every acknowledged answer must stand in the transcript with the acknowledged hash.
* It keeps the head of every ask as a receipt, and in the end verifies the whole game with them.

Everything that it sends may be sent twice without harm: the arena knows an answer by its id.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin

import httpx

from fairground.clients.http import (
    PAUSE,
    TRIES,
    Http,
    Refused,
    Repeat,
    Unreachable,
    read_json,
    streamed,
)
from fairground.clients.protocol import EVENTS
from fairground.core import BadShare, Fault, Game, InputError, Move, Seat, written
from fairground.escape import named
from fairground.fair.bits import SystemStream, fresh
from fairground.fair.chains import ChainHolder
from fairground.fair.seals import Spot, seal
from fairground.games import make_game
from fairground.json_views import from_json
from fairground.players import Player, make_player
from fairground.players.runner import DECISIONS, Question
from fairground.receipts import Kept, beside, heads, keep
from fairground.table import Ask, Table
from fairground.transcript import NO_LINE, Event, canonical, line_hash, parse
from fairground.verifier import Verdict, replay, said, verify
from fairground.words import words_for

WAIT: Final = 20
"""Seconds that a look at the table may wait for something to happen."""

SILENCE: Final = 60.0
"""Seconds without a sign of life after which a connection counts as broken."""

LONGEST: Final = 10_000_000
"""Maximum number of bytes of a line of a stream."""

CONFLICT: Final = 409
"""The status of an answer that comes too late."""

LOOKS: Final = 6
"""Maximum number of downloads for a line that the arena speaks of."""


def open_table(arena: str, wanted: Mapping[str, Any], http: Http | None = None) -> Any:
    """Open a table: the answer of ``POST /tables``, with each seat's private URL."""
    url = f"{arena.rstrip('/')}/tables"
    return (http or Http()).post(url, wanted, repeat=Repeat.UNCOUNTED)


class Given(NamedTuple):
    """An answer of ours, and where the arena says that it is recorded."""

    ask: Ask
    answer: Any
    line: int
    head: str


class PlayedTable(NamedTuple):
    """A game that is over, as this seat can prove it."""

    payoff: tuple[int, ...] | None
    verdict: Verdict
    transcript: bytes
    receipt: str
    """The hash of the last line."""
    receipts: tuple[Kept, ...] = ()
    """One for each answer: what shows that the house was bound before we gave it."""

    def save(self, path: Path) -> None:
        """Write the transcript, and the receipts beside it, where ``verify`` finds them."""
        path.write_bytes(self.transcript)
        beside(path).write_text("".join(kept.line for kept in self.receipts), encoding="ascii")


class RemoteSeat:
    """Your seat at a table of an arena. It checks all that the arena says, and keeps its chain."""

    def __init__(self, url: str, http: Http | None = None) -> None:
        self._url = url.rstrip("/")
        self._public = self._url.partition("/seats/")[0]
        self._http = http or Http()
        self.lines: list[bytes] = []
        self.events: list[Event] = []
        self._heads: list[str] = []
        self._local: Table | None = None
        self._given: list[Given] = []
        self.receipts: list[Kept] = []
        """The head of every ask that we answered, kept before we did."""
        self.receipts_file: Path | None = None
        """A file for them, too."""
        self._answers: dict[tuple[str, int], tuple[str, Any]] = {}
        self._sealed: tuple[str, Any] | None = None
        self._holder: ChainHolder | None = None
        self.shown: Any = {}
        """The arena's last answer about the table."""
        self._wait_for_the_beginning()
        start = self.events[0]
        self.seat: Seat = self.shown["seat"]
        self.game: Game[Any] = make_game(start["game"], start["params"])
        self._table = bytes.fromhex(start["table"])
        if start["seats"][self.seat]["lends"] == "chain":
            self._holder = ChainHolder(self._table, self.seat, start["public"]["length"])

    # Looking

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(seat["name"] for seat in self.events[0]["seats"])

    @property
    def view(self) -> Any:
        """The position as we see it: worked out ourselves, or where we cannot, as shown."""
        if self._local is not None:
            return self._local.view(self.seat)
        return from_json(type(self.game.start()), self.shown["view"])

    @property
    def receipt(self) -> str:
        """The hash of the last line that we saw: 32 bytes worth keeping."""
        return self._heads[-1] if self._heads else NO_LINE

    @property
    def over(self) -> bool:
        return bool(self.events) and self.events[-1]["kind"] == "end"

    @property
    def payoff(self) -> tuple[int, ...] | None:
        """The payoff of each seat, once the game is over."""
        if not self.over or self.events[-1]["payoff"] is None:
            return None
        return tuple(self.events[-1]["payoff"])

    def __bytes__(self) -> bytes:
        return b"".join(self.lines)

    def __repr__(self) -> str:
        here = f"{named(self.names[self.seat])} ({self.game.role(self.seat)})"
        now = f"payoff {self.payoff}" if self.over else "seat.asks() asks you"
        lines = f"{len(self.lines)} lines"
        return f"<seat {self.seat}, {here}, of {self.game.name}; {lines}, {now}>"

    def look(self, wait: float = 0) -> None:
        """Learn what is new, wait for it if need be, and check all of it."""
        question = f"?after={self.shown.get('step', 0)}&wait={wait:g}" if wait else ""
        self._see(self._http.get(self._url + question, wait=wait))

    def _see(self, shown: Any) -> None:
        """Take what the arena says of the table, and check all of it."""
        step, head = shown.get("step"), shown.get("head")
        if type(step) is not int or step < 1:
            raise Fault("remote/history", f"the arena speaks of line {step!r}")
        self._fetch(step)
        if self._heads[step - 1] != head:
            raise Fault("remote/history", f"the arena's head {head} is not that of line {step}")
        self.shown = shown
        self._local = self._run_again(step)
        self._check_given()

    def _wait_for_the_beginning(self) -> None:
        """At a table with open seats there is no first line before all are taken."""
        while (shown := self._http.get(self._url)).get("state") == "open":
            self._http.get(f"{self._url}?after=0&wait={WAIT:g}", wait=WAIT)
        self._see(shown)

    def _fetch(self, step: int) -> None:
        """Download what is new, at least up to this line.

        An arena of several workers may lag behind itself for a moment: ask again.
        """
        for attempt in range(LOOKS):
            self._http.pause(attempt)
            url = f"{self._public}/transcript?after={len(self.lines)}"
            for line in self._http.send("GET", url).data.splitlines(keepends=True):
                self._take(line)
            if step <= len(self.lines):
                return
        raise Fault("remote/history", f"the arena speaks of line {step}, and shows no such")

    def _take(self, line: bytes) -> None:
        """One more line; it must extend what we have."""
        event = parse(line, len(self.lines) + 1)
        if event.get("prev") != self.receipt:
            raise Fault(
                "remote/history",
                f"line {len(self.lines) + 1} does not follow the line that we saw before it: the "
                "arena shows two histories",
                len(self.lines) + 1,
            )
        self.lines.append(line)
        self.events.append(event)
        self._heads.append(line_hash(line))

    def _run_again(self, step: int) -> Table | None:
        """Our own referee at this line; ``None`` where a hidden draw holds it up."""
        table = replay(b"".join(self.lines[:step]))
        return None if table.waiting else table

    def _check_given(self) -> None:
        """Require every acknowledged answer on record: in its line, and as we gave it."""
        waiting = []
        for given in self._given:
            if given.line > len(self.lines):
                waiting.append(given)
                continue
            event = self.events[given.line - 1]
            fits = self._heads[given.line - 1] == given.head and event.get("seat") == self.seat
            if not fits or canonical(said(event)) != canonical(given.answer):
                reason = f"line {given.line} is not what we answered to {given.ask.kind}"
                raise Fault("remote/receipt", reason, given.line)
        self._given = waiting

    # Answering

    def asks(self) -> list[Question]:
        """Wait for the others, then return what you must decide. Empty: the game is over.

        Shares of chance, and the opening of what you sealed, are given for you.
        """
        while not self.over:
            owed = self.owed()
            if decisions := [ask for ask in owed if ask.kind in DECISIONS]:
                words = words_for(self.game, self.names, self.seat)
                return [Question(ask, self.view, words) for ask in decisions]
            for ask in owed:
                self.give(ask)
            self.look(0 if owed else WAIT)
        return []

    def owed(self) -> list[Ask]:
        """Return what the arena asks of us now; only what our own referee would ask as well."""
        asks = []
        for one in self.shown.get("asks", []):
            ask = Ask(
                one["kind"],
                self.seat,
                one["step"],
                one["head"],
                int(one.get("n", 0)),
                one.get("run", 0),
            )
            self._check(ask)
            asks.append(ask)
        return asks

    def _check(self, ask: Ask) -> None:
        if not 0 < ask.step <= len(self._heads) or self._heads[ask.step - 1] != ask.head:
            raise Fault("remote/ask", f"the arena asks for a {ask.kind} in another history")
        if self._local is not None:
            if ask not in self._local.asks():
                raise Fault("remote/ask", f"by the rules nobody is to give a {ask.kind} now")
        elif ask.kind in ("tip", "next-tip", "link"):
            raise BadShare(
                f"a {ask.kind} is asked for behind a hidden draw: whether all others have given "
                "theirs cannot be checked, so it is not given"
            )

    def hidden(self, run: int) -> list[int] | None:
        """Return the values of a hidden run once it is open to all; ``None`` before."""
        return None if self._local is None else [v for _, v in self._local.runs[run - 1].draws]

    def reply(self, ask: Ask, move: Move | None = None) -> Any:
        """Return our answer to an ask: a share or seal is the same again for the same history.

        ``move``: our decision, where one is asked for.
        """
        if ask.kind == "move":
            return move
        name = (ask.kind, ask.step)
        if name in self._answers:
            head, answer = self._answers[name]
            if head != ask.head:
                raise BadShare(f"the {ask.kind} was already given for another history")
            return answer
        answer = self._reply(ask, move)
        self._answers[name] = (ask.head, answer)
        return answer

    def _reply(self, ask: Ask, move: Move | None) -> Any:
        match ask.kind:
            case "seal":
                spot = Spot(self._table, self.seat, ask.step, ask.head)
                sealed = seal(spot, canonical(move))
                self._sealed = (sealed.key, move)
                return sealed.commitment
            case "open":
                if self._sealed is None:
                    raise Fault("remote/ask", "we are to open a move that we did not seal")
                return {"key": self._sealed[0], "move": self._sealed[1]}
            case "number":
                return written(SystemStream().below(ask.n))
            case "stir":
                return fresh().hex()
            case _ if self._holder is not None:
                return self._holder.answer(ask.kind, ask.run, ask.head)
            case kind:
                raise Fault("remote/ask", f"we lend no {kind}")

    def send(self, ask: Ask, answer: Any) -> None:
        """Keep a receipt of what we saw, send an answer, and keep what the arena says of it."""
        kept = Kept.of(self._table, ask)
        if self.receipts_file is not None:
            keep(self.receipts_file, kept)
        self.receipts.append(kept)
        taken = self._http.post(self._url, {"ask": f"{ask.kind}.{ask.step}", "answer": answer})
        self._given.append(Given(ask, answer, int(taken["line"]), str(taken["head"])))

    def give(self, ask: Ask, move: Move | None = None) -> bool:
        """Answer an ask; return false if the table has gone on without us: look again."""
        try:
            self.send(ask, self.reply(ask, move))
        except Refused as refused:
            if refused.status != CONFLICT:
                raise
            return False
        return True

    def answer(self, question: Question | Ask, move: Move) -> None:
        """Answer a question with a move; one at the same time as others is sealed for you."""
        ask = question.ask if isinstance(question, Question) else question
        if ask.kind not in DECISIONS:
            raise InputError(f"a {ask.kind} is given for you; answer what seat.asks() lists")
        self.game.check(self.view, self.seat, move)
        self.send(ask, self.reply(ask, move))
        self.look()

    def play(self, player: Player | str) -> Verdict:
        """Let a player play to the end of the game, and verify it, with your receipts."""
        if isinstance(player, str):
            player = make_player(player, self.game, SystemStream(), self.seat)
        while questions := self.asks():
            for question in questions:
                move = player.choose(self.game, question.view, self.seat)
                self.game.check(self.view, self.seat, move)
                self.give(question.ask, move)
            self.look()
        return self.verify()

    def forfeit(self, reason: str) -> None:
        """Tell the arena that this seat leaves, without a look at what it writes."""
        self._http.post(f"{self._url}/forfeit", {"reason": reason})

    def leave(self, reason: str = "left") -> None:
        """Leave the table: this seat forfeits."""
        self.forfeit(reason)
        self.look()

    def verify(self) -> Verdict:
        """Check the whole game, with your receipts; raises its `Fault` if it does not hold."""
        verdict = verify(bytes(self), [*heads(self.receipts), self.receipt])
        if verdict.fault is not None:
            raise verdict.fault
        return verdict


def sit(url: str) -> RemoteSeat:
    """Take the seat with this private address."""
    return RemoteSeat(url)


def play(url: str, player: Player | str, http: Http | None = None) -> PlayedTable:
    """Play a seat to the end of the game, and verify it.

    ``url`` is the seat's private address; ``player`` one of ours by name, or your own.
    """
    seat = RemoteSeat(url, http)
    verdict = seat.play(player)
    return PlayedTable(verdict.payoff, verdict, bytes(seat), seat.receipt, tuple(seat.receipts))


# The list of tables, open seats, and another game together


def tables(
    arena: str, *, state: str = "open,playing", game: str | None = None, http: Http | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of all listed tables in one of these states, newest first."""
    only = "" if game is None else f"&game={game}"
    return _pages(f"{arena.rstrip('/')}/tables?state={state}{only}", "tables", http or Http())


def contests(
    arena: str, *, state: str = "running", http: Http | None = None
) -> Iterator[dict[str, Any]]:
    """The rows of all contests in one of these states, newest first."""
    return _pages(f"{arena.rstrip('/')}/contests?state={state}", "contests", http or Http())


def _pages(url: str, member: str, http: Http) -> Iterator[dict[str, Any]]:
    after: int | None = 0
    while after is not None:
        page = http.get(f"{url}&after={after}")
        rows, after = page.get(member), page.get("next")
        if not isinstance(rows, list) or not isinstance(after, int | None):
            raise Unreachable(f"this is no list of {member}: {str(page)[:100]}")
        yield from rows


def sit_down(
    arena: str,
    table: str,
    name: str,
    *,
    lends: str = "nothing",
    seat: int | None = None,
    http: Http | None = None,
) -> str:
    """Take an open seat of a table; return its private address, which is told once."""
    wanted = {"name": name, "lends": lends} | ({} if seat is None else {"seat": seat})
    url = f"{arena.rstrip('/')}/tables/{table}/seats"
    return str((http or Http()).post(url, wanted, repeat=Repeat.UNCOUNTED)["url"])


def hint(seat: str, http: Http | None = None) -> dict[str, Any]:
    """Advice on the move that a seat is asked for; the record says that it was asked for."""
    return (http or Http()).post(f"{seat}/hint", {})


def remark(seat: str, text: str, http: Http | None = None) -> None:
    """Say something, for the record."""
    (http or Http()).send("POST", f"{seat}/remark", {"text": text}, repeat=Repeat.UNCOUNTED)


def rematch(seat: str, http: Http | None = None) -> str:
    """Play the same game again: the private address of our seat in it.

    It begins when all people of the first game have asked for it.
    """
    made = (http or Http()).post(f"{seat}/rematch", {})
    return next(str(one["url"]) for one in made["seats"] if one.get("url"))


# News. A stream goes on after a break, behind the last message that arrived: no line of a table is
# lost, none comes twice.


class Told(NamedTuple):
    """A message of a stream."""

    kind: str
    data: dict[str, Any]
    cursor: str
    """A position in the stream: `follow` can go on from here in another program."""


def follow(
    arena: str,
    topics: Sequence[str],
    *,
    after: str = "-",
    sender: Http | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> Generator[Told, None, None]:
    """The messages of a stream about these topics, for as long as you want them."""
    cursor, silent = after, 0
    asked = {"topics": list(topics), "after": cursor}
    url = _ticket(arena, asked, sender or Http())
    while silent <= TRIES:
        why = "the stream ends at once"
        try:
            for told in _messages(url, cursor):
                cursor, silent = told.cursor, 0
                yield told
        except Refused as refused:
            if refused.status != 404:  # 404: the ticket has expired
                raise
            url = _ticket(arena, asked | {"after": cursor}, sender or Http())
        except Unreachable as broken:
            why = str(broken)
        silent += 1
        pause(PAUSE * 2**silent)
    raise Unreachable(f"{arena} does not answer any more: {why}")


def _ticket(arena: str, asked: dict[str, Any], sender: Http) -> str:
    made = sender.post(f"{arena.rstrip('/')}/events", asked)
    return urljoin(arena, str(made["stream"]))


def _messages(url: str, cursor: str) -> Iterator[Told]:
    """Yield the messages of one connection."""
    headers = {"Accept": EVENTS, "Last-Event-ID": cursor}
    with streamed("GET", url, headers=headers, timeout=SILENCE) as answer:
        if answer.status_code != httpx.codes.OK:
            about = f"the arena answers {answer.status_code}"
            raise Refused(answer.status_code, "remote/refused", about)
        fields: dict[str, str] = {}
        for text in _lines(answer):
            name, _, value = text.partition(": ")
            if name:
                fields[name] = value
            else:
                if "data" in fields:
                    yield Told(fields["event"], read_json(fields["data"].encode()), fields["id"])
                fields = {}


def _lines(answer: httpx.Response) -> Iterator[str]:
    """The lines of a stream, each up to `LONGEST` bytes."""
    rest = b""
    for piece in answer.iter_raw():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.decode()
        if len(rest) > LONGEST:
            raise Unreachable(f"a line of the stream has more than {LONGEST:,} bytes")
