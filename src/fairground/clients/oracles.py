"""The arena's code-breaking API for authors of bots.

    >>> arena = Arena("http://127.0.0.1:8000")                    # doctest: +SKIP
    >>> oracle = arena.new_oracle(6, 4)                           # doctest: +SKIP
    >>> oracle.submit((0, 5, 1, 1))                               # doctest: +SKIP
    Counts(full=1, partial=2, receipt='9b0c...')
    >>> entry = Contest(watch_uri).enter("Guessers", "1.0")       # doctest: +SKIP
    >>> [play(oracle, "best").steps for oracle in entry.oracles]  # doctest: +SKIP
    [4, 5, 5, 3]

It speaks with any server that knows the protocol. Members that only our arena sends (commitments,
receipts, standings) are ``None`` or empty elsewhere. Each oracle is asked for its base and length,
since the games of a contest need not share them.

Errors are those of `fairground.clients.http`. A step that may have been counted is never sent
twice.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar
from urllib.parse import urljoin

import msgspec
from msgspec import Struct, field

from fairground.clients.http import Http, HttpReply, Repeat, Unreachable
from fairground.clients.protocol import CLOSE, IDEMPOTENCY_KEY, RECEIPT
from fairground.clients.table import open_table
from fairground.contest.standings import ContestTeam
from fairground.core import HIDDEN, FairgroundError, Game, InputError
from fairground.fair.bits import SystemStream, Tag, digest, fresh, token
from fairground.games import game
from fairground.games.codebreaking.rules import (
    BREAKER,
    FAIR,
    GIVE_UP,
    Code,
    CodeBreaking,
    Marks,
    Row,
    State,
)
from fairground.players import Player, make_player
from fairground.players.bot import BotFailure, BotLimits, BotPlayer

LARGEST_FILE: Final = 1_000_000_000
"""Bytes: contest files can be long."""

T = TypeVar("T")


def _act(http: Http, method: str, url: str, body: Any = None) -> HttpReply:
    """Send what may be counted: again only if it cannot have had an effect."""
    return http.send(method, url, body, repeat=Repeat.UNCOUNTED)


def _read(reply: HttpReply, kind: type[T]) -> T:
    """Read the members that we need, and skip all others."""
    try:
        return msgspec.convert(reply.json(), kind)
    except msgspec.ValidationError as error:
        raise Unreachable(f"{reply.url} answers in another form: {error}") from None


# Oracles


class Counts(NamedTuple):
    """An oracle's verdict, and the receipt for the step: with it you can prove the order."""

    full: int
    partial: int
    receipt: str | None = None


class _Counted(Struct):
    """The counts of a submission, on the wire."""

    full_match_count: int
    partial_match_count: int

    @property
    def marks(self) -> Marks:
        return self.full_match_count, self.partial_match_count


class _Answer(_Counted):
    submission: tuple[int, ...]


class _Reveal(Struct):
    code: tuple[int, ...] | None = None


class Description(Struct, kw_only=True):
    """An oracle's description of itself."""

    base: int
    length: int
    uri: str = field(name="self", default="")
    oracle_type: str = ""
    type: str = FAIR
    attempts: int = 0
    solved: bool = False
    over: bool | None = None
    commitment: str | None = None
    reveal: _Reveal = field(default_factory=_Reveal)
    transcript: str | None = None
    """Address of the record of an ended game."""
    contest: str | None = None
    training: bool = False
    answers: tuple[_Answer, ...] = ()

    def __post_init__(self) -> None:
        self.oracle_type = self.oracle_type or self.type
        self.over = self.solved if self.over is None else self.over

    @property
    def code(self) -> Code | None:
        """The code, once the game has ended and its contest is closed."""
        return self.reveal.code

    @property
    def rows(self) -> tuple[Row, ...]:
        """The last answers that it sends along, oldest first."""
        return tuple(Row(one.submission, one.marks) for one in self.answers)

    def game(self) -> CodeBreaking:
        return CodeBreaking(self.base, self.length, self.oracle_type)


class Oracle:
    """A game of code breaking somewhere else."""

    def __init__(self, uri: str, http: Http | None = None) -> None:
        self.uri = uri
        self._http = http or Http()

    def describe(self, after: int | None = None) -> Description:
        """Return base, length and progress; with ``after``, also the answers after that index."""
        asked = "" if after is None else f"?after={after}"
        return self._described(self._http.send("GET", f"{self.uri}{asked}"))

    def submit(self, guess: Sequence[int]) -> Counts:
        """Make one step; return full and partial matches."""
        reply = _act(self._http, "POST", self.uri, {"submission": list(guess)})
        return Counts(*_read(reply, _Counted).marks, reply.headers.get(RECEIPT))

    def submit_once(self, guess: Sequence[int], known: int) -> Counts:
        """Make one step that counts once, whatever happens on the way; ``known``: steps before it.

        If no answer comes, ask the oracle for its number of steps, for about a minute. So an arena
        that restarts is waited for.
        """
        tried = False

        def step() -> Counts:
            nonlocal tried
            found = self._answer_to(guess, known) if tried else None
            tried = True
            return found or self.submit(guess)

        return self._http.patiently(step)

    def _answer_to(self, guess: Sequence[int], known: int) -> Counts | None:
        """Return the answer that was lost on the way; ``None`` if the step was not counted."""
        seen = self.describe(known)
        if seen.attempts == known:
            return None
        if seen.attempts != known + 1 or [row.guess for row in seen.rows] != [tuple(guess)]:
            raise InputError(
                f"{self.uri} has counted {seen.attempts} steps, and we know of {known}: "
                "somebody else plays there too, or its answers cannot be had again"
            )
        return Counts(*seen.rows[0].marks)

    def give_up(self) -> Description:
        """End the game; outside a contest the answer shows the code."""
        return self._described(_act(self._http, "DELETE", self.uri))

    def share(self, share: bytes | None = None) -> None:
        """Mix 32 bytes of your own (or fresh ones) into the draw, before the first step."""
        body = {"share": (share or fresh()).hex()}
        _act(self._http, "PUT", f"{self.uri.rstrip('/')}/share", body)

    def transcript(self) -> bytes:
        """Return the record of an ended game, for `fairground.verifier.verify`."""
        where = self.describe().transcript
        if where is None:
            raise InputError(f"{self.uri} publishes no transcript, or not yet")
        return self._http.send("GET", where).data

    def _described(self, reply: HttpReply) -> Description:
        seen = _read(reply, Description)
        seen.uri = seen.uri or self.uri
        return seen


# Contests


class _Part(Struct):
    base: int | None = None
    length: int | None = None
    oracle_type: str = FAIR


class WatchPage(_Part, kw_only=True):
    """A contest's description of itself."""

    uri: str = field(name="self", default="")
    entry: str = ""
    games: int = 0
    state: str = ""
    parts: tuple[_Part, ...] = ()
    rows: tuple[dict[str, Any], ...] = field(name="teams", default=())
    file: str | None = None
    """After the close: the file for ``fairground verify --contest``."""

    @property
    def closed(self) -> bool:
        return self.state == "closed"

    @property
    def kinds(self) -> tuple[CodeBreaking, ...]:
        """The kinds of games that it announces; each oracle must be asked all the same."""
        return tuple(
            CodeBreaking(part.base, part.length, part.oracle_type)
            for part in self.parts or (self,)
            if part.base is not None and part.length is not None
        )

    @property
    def teams(self) -> tuple[ContestTeam, ...]:
        usual: dict[str, Any] = dict.fromkeys(one.name for one in fields(ContestTeam))
        known = ({**usual, **{k: row[k] for k in row.keys() & usual.keys()}} for row in self.rows)
        return tuple(ContestTeam(**row) for row in known)


class _Entered(Struct):
    oracles: list[str] = field(name="oracle_URIs")
    training: bool = False
    team_key: str | None = None


class TeamEntry(NamedTuple):
    """The games of a team's entry."""

    oracles: list[Oracle]
    training: bool
    receipt: str | None
    team_key: str | None = None
    """Told with a team's first entry. Keep it: later entries of the team need it."""


class Contest:
    """A contest, by its watch URI. Its maker also has the URI that closes it."""

    def __init__(self, uri: str, http: Http | None = None, close_uri: str | None = None) -> None:
        self.uri = uri
        self.close_uri = close_uri
        self._http = http or Http()

    def watch(self) -> WatchPage:
        """Return the contest and its teams, as they are now."""
        page = _read(self._http.send("GET", self.uri), WatchPage)
        if not page.entry:
            raise InputError(f"{self.uri} is not the watch URI of a contest: it has no 'entry'")
        page.uri, page.entry = page.uri or self.uri, urljoin(self.uri, page.entry)
        return page

    def enter(
        self, team: str, version: str, key: str | None = None, *, once: str | None = None
    ) -> TeamEntry:
        """Enter with a team's name and its version, at most 20 characters each.

        Only a team's first entry ranks: a new version of the same team trains, and needs the
        ``key`` that the first entry got. ``once`` is the ``Idempotency-Key`` of this entry. It is
        sent again until an answer comes; the same text later gets the same entry again.
        """
        body = {"team_name": team, "software_version": version}
        body |= {} if key is None else {"team_key": key}
        where, name = self.watch().entry, {IDEMPOTENCY_KEY: f'"{once or token()}"'}
        reply = self._http.patiently(lambda: self._http.send("POST", where, body, headers=name))
        told = _read(reply, _Entered)
        oracles = [Oracle(urljoin(reply.url, uri), self._http) for uri in told.oracles]
        return TeamEntry(oracles, told.training, reply.headers.get(RECEIPT), told.team_key)

    def close(self) -> None:
        """Close the contest before its time. Only its maker can."""
        if self.close_uri is None:
            raise InputError("only the maker of a contest was told how to close it")
        _act(self._http, "POST", self.close_uri)

    def file(self) -> bytes:
        """Return the contest file, after the close."""
        where = self.watch().file
        if where is None:
            raise InputError(f"{self.uri} is not closed: its file comes with the close")
        return self._http.send("GET", where, largest=LARGEST_FILE).data


class Arena:
    """An arena, by its address: tables of any game, oracles and contests."""

    def __init__(self, url: str, http: Http | None = None) -> None:
        self.url = url.rstrip("/")
        self._http = http or Http()

    def new_oracle(self, base: int = 6, length: int = 4, oracle_type: str = FAIR) -> Oracle:
        wanted = {"base": base, "length": length, "oracle_type": oracle_type}
        made = _act(self._http, "POST", f"{self.url}/neworacle", wanted)
        return Oracle(made.location(), self._http)

    def new_contest(self, *parts: Mapping[str, Any]) -> Contest:
        """Open a contest of ``{"base": 6, "length": 4, "games": 100}``; of several: mixed."""
        body = dict(parts[0]) if len(parts) == 1 else [dict(part) for part in parts]
        made = _act(self._http, "POST", f"{self.url}/newcontest", body)
        return Contest(made.location(), self._http, made.headers.get(CLOSE))

    def open(
        self,
        which: str | Game[Any],
        /,
        *,
        seats: Sequence[str | None],
        names: Sequence[str] | None = None,
        lends: str = "chain",
        scheme: str = "hash-chains/1",
        options: Mapping[str, Any] | None = None,
        **params: Any,
    ) -> list[str | None]:
        """Open a table there, and return the private address of each seat that is not theirs.

        ``seats``: the arena's own player by name, or ``None`` for a free seat. Hand each address
        to its player, or take it with `sit`.
        """
        made = game(which, **params)
        called = names or [player or f"Seat {seat}" for seat, player in enumerate(seats)]
        if len(called) != len(seats):
            raise InputError(f"{len(seats)} seats need as many names, not {called!r}")
        chairs = [
            {"name": name, "lends": lends} if player is None else {"name": name, "player": player}
            for name, player in zip(called, seats, strict=True)
        ]
        wanted = {
            "game": made.name,
            "params": made.params(),
            "seats": chairs,
            "dealer": scheme,
            "options": dict(options or {}),
        }
        seated = open_table(self.url, wanted)["seats"]
        return [seat.get("url") for seat in seated]

    def __repr__(self) -> str:
        return f"<the arena at {self.url}: open(), new_oracle(), new_contest()>"


RemoteArena = Arena
"""The name of the class in `fairground`."""


def arena(url: str) -> Arena:
    """The arena at this address, such as ``http://127.0.0.1:8000``."""
    return Arena(url)


# Playing: one oracle, or all those of a contest


MOST_GUESSES: Final = 10_000
"""After this many guesses a player is getting nowhere, and the game is given up."""


class PlayedOracle(NamedTuple):
    """A game that was played, or why it was not played to its end."""

    oracle: Description | None
    """As it was before the first step; ``None`` if it did not even say that."""
    rows: tuple[Row, ...]
    solved: bool
    receipt: str | None = None
    trouble: str | None = None

    @property
    def steps(self) -> int:
        return len(self.rows)


Hire = Callable[[CodeBreaking], AbstractContextManager[Player]]
"""Gives the player for a game with these parameters."""


class Stopped(Exception):
    """A request to stop between two steps."""


def play(
    oracle: Oracle,
    player: str | Player | Hire,
    *,
    tell: Callable[[Row], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
    seen: Description | None = None,
    known: Sequence[Row] = (),
) -> PlayedOracle:
    """Play a game to its end with a player: one of ours by name, or your own.

    A player that gives up, fails, or gets nowhere ends the game by giving up. ``seen`` is the
    oracle as it is now, and ``known`` are the steps that were made already.
    """
    seen = seen or oracle.describe()
    if seen.over:
        return PlayedOracle(seen, tuple(known), False, trouble="it was over before we came")
    game = seen.game()
    rows = list(known)
    before = max(0, seen.attempts - len(rows))  # steps of somebody else, or of an earlier time
    receipt, trouble = None, None
    hire = builtin(player) if isinstance(player, str) else player
    with nullcontext(hire) if isinstance(hire, Player) else hire(game) as chooser:
        while len(rows) < MOST_GUESSES:
            if stopped():
                raise Stopped
            view = State("guess", HIDDEN if game.oracle == FAIR else None, tuple(rows))
            try:
                move = chooser.choose(game, view, BREAKER)
            except BotFailure as failure:
                trouble = f"the bot failed: {failure}"
                break
            if not isinstance(move, tuple):
                said = "given up" if move == GIVE_UP else f"the player answered {move!r}"
                trouble = f"{said} after {len(rows)} guesses"
                break
            guess = tuple(digit for digit in move if isinstance(digit, int))
            full, partial, receipt = oracle.submit_once(guess, before + len(rows))
            rows.append(Row(guess, (full, partial)))
            tell(rows[-1])
            if full == game.length:
                return PlayedOracle(seen, tuple(rows), True, receipt)
        else:
            trouble = f"given up: no end after {len(rows)} guesses"
    oracle.give_up()
    return PlayedOracle(seen, tuple(rows), False, receipt, trouble)


def builtin(name: str) -> Hire:
    """Return a function that gives our player of this name for each game, one at a time."""
    one_at_a_time = threading.Lock()

    def hire(game: CodeBreaking) -> AbstractContextManager[Player]:
        with one_at_a_time:
            return nullcontext(make_player(name, game, SystemStream(), BREAKER))

    return hire


class Bots:
    """Processes with a bot of one's own; each plays many games, one after the other."""

    def __init__(self, path: Path, limits: BotLimits | None = None) -> None:
        self._path = path
        self._limits = limits
        self._all: list[BotPlayer] = []
        self._free: dict[tuple[int, int, str], list[BotPlayer]] = {}
        self._lock = threading.Lock()

    @contextmanager
    def __call__(self, game: CodeBreaking) -> Iterator[Player]:
        """A free bot that knows this kind of game, or a new one."""
        kind = (game.base, game.length, game.oracle)
        with self._lock:
            free = self._free.setdefault(kind, [])
            bot = free.pop() if free else None
        if bot is None:
            bot = self._start(game)
        try:
            yield bot
        finally:
            with self._lock:
                free.append(bot)

    def _start(self, game: CodeBreaking) -> BotPlayer:
        try:
            bot = BotPlayer(self._path, game, self._limits)
        except BotFailure as failure:
            raise InputError(f"the bot {str(self._path)!r} cannot be loaded: {failure}") from None
        with self._lock:
            self._all.append(bot)
        return bot

    def close(self) -> None:
        for bot in self._all:
            bot.close()


def play_all(
    oracles: Sequence[Oracle], player: str | Hire, jobs: int = 1, *, diary: Diary | None = None
) -> Generator[tuple[int, PlayedOracle], None, None]:
    """Play many games, ``jobs`` at a time; each with its number as soon as it has ended.

    A failed game tells the reason in its `PlayedOracle`, and the others go on, unless the server
    does not answer any more. Closing the generator stops the games between two steps.
    With a diary every step is written down, and only what it lacks is played.
    """
    hire = builtin(player) if isinstance(player, str) else player
    stop = threading.Event()
    done = set(diary.done if diary else ())
    with ThreadPoolExecutor(jobs) as workers:
        games = {
            workers.submit(_one_of_many, oracle, hire, stop, diary, number): number
            for number, oracle in enumerate(oracles)
            if number not in done
        }
        try:
            for ended in as_completed(games):
                yield games[ended], ended.result()
        finally:
            stop.set()
            workers.shutdown(wait=False, cancel_futures=True)


def _one_of_many(
    oracle: Oracle, hire: Hire, stop: threading.Event, diary: Diary | None, number: int
) -> PlayedOracle:
    seen = None
    known = tuple(diary.rows.get(number, ())) if diary else ()

    def note(row: Row) -> None:
        if diary is not None:
            diary.step(number, row)

    try:
        seen = oracle.describe()
        if seen.attempts > len(known):  # some steps were counted, and their answers did not arrive
            answers = oracle.describe(0).rows
            if answers[: len(known)] == known:
                for row in answers[len(known) :]:
                    note(row)
                known = answers
        played = play(oracle, hire, tell=note, stopped=stop.is_set, seen=seen, known=known)
    except Unreachable:
        raise
    except FairgroundError as error:
        return PlayedOracle(seen, known, False, trouble=f"{error} ({error.code})")
    if played.trouble is not None and diary is not None:
        diary.ended(number, played.trouble)
    return played


# What is remembered


def path_of(folder: Path, contest: str, team: str, version: str) -> Path:
    """Return the path of the diary of an entry."""
    return folder / f"{digest(Tag.DIARY, contest, team, version)[:16].hex()}.jsonl"


class PrivateFile:
    """A small text that outlasts this program, readable by its owner only."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> str | None:
        return self.path.read_text(encoding="utf-8") if self.path.exists() else None

    def write(self, text: str) -> None:
        """Put this text in place of what was there, as a whole."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        new = self.path.with_name(f"{self.path.name}.new")
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        new.replace(self.path)


def team_key_of(folder: Path, contest: str, team: str) -> PrivateFile:
    """Return the file with this team's key."""
    return PrivateFile(folder / f"{digest(Tag.DIARY, contest, team)[:16].hex()}.team")


class Diary:
    """The diary of one entry: a private file by which it goes on after a break.

    It has the addresses of the oracles, which an arena tells only once, and every step as soon as
    it is answered::

        {"contest": ..., "team": ..., "version": ..., "training": ..., "receipt": ..., ...}
        {"game": 0, "guess": [0, 0, 1, 1], "marks": [1, 0]}
        {"game": 0, "trouble": "given up after 3 guesses"}

    A step whose answer did not arrive is not in it. The oracle is asked for its last answers before
    the game goes on, so that both count the same. Several threads may write.
    """

    def __init__(
        self, path: Path, entry: TeamEntry, past: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self.path = path
        self.entry = entry
        self.rows: dict[int, list[Row]] = {}
        """Game → its steps so far."""
        self.troubles: dict[int, str] = {}
        """Games that ended without the code, and why."""
        self._lock = threading.Lock()
        for line in past:
            if "trouble" in line:
                self.troubles[line["game"]] = line["trouble"]
            else:
                row = Row(tuple(line["guess"]), tuple(line["marks"]))
                self.rows.setdefault(line["game"], []).append(row)

    @classmethod
    def begin(cls, path: Path, contest: str, team: str, version: str, entry: TeamEntry) -> Diary:
        path.parent.mkdir(parents=True, exist_ok=True)
        diary = cls(path, entry)
        with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w"):
            pass  # private from its first byte: whoever has the addresses can play the games
        diary._write(
            contest=contest,
            team=team,
            version=version,
            training=entry.training,
            receipt=entry.receipt,
            oracles=[oracle.uri for oracle in entry.oracles],
        )
        return diary

    @classmethod
    def find(cls, path: Path, http: Http | None = None) -> Diary | None:
        """The diary that lies here; a last line that was cut off is taken away."""
        if not path.exists():
            return None
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        try:
            first, *past = map(json.loads, whole.splitlines())
            oracles = [Oracle(uri, http) for uri in first["oracles"]]
            diary = cls(path, TeamEntry(oracles, first["training"], first["receipt"]), past)
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{str(path)!r} should be the diary of an entry, but cannot be read ({error}); "
                "put it away to enter with another version"
            ) from None
        os.truncate(path, len(whole))
        return diary

    def step(self, game: int, row: Row) -> None:
        self.rows.setdefault(game, []).append(row)
        self._write(game=game, guess=row.guess, marks=row.marks)

    def ended(self, game: int, trouble: str) -> None:
        self.troubles[game] = trouble
        self._write(game=game, trouble=trouble)

    def solved(self, game: int) -> bool:
        rows = self.rows.get(game, [])
        return any(row.marks[0] == len(row.guess) for row in rows)

    @property
    def done(self) -> list[int]:
        every = range(len(self.entry.oracles))
        return [game for game in every if game in self.troubles or self.solved(game)]

    def _write(self, **fields: Any) -> None:
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(fields) + "\n")
