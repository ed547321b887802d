"""Letting a player play at an arena: one oracle, or all those of a contest.

>>> entry = Contest(watch_uri).enter("Guessers", "1.0")       # doctest: +SKIP
>>> [play(oracle, "best").steps for oracle in entry.oracles]  # doctest: +SKIP
[4, 5, 5, 3]

A `Diary` remembers an entry, so that it can go on after a break. It is a private file with the
addresses of the oracles, which an arena tells only once, and every step as soon as it is
answered::

    {"contest": ..., "team": ..., "version": ..., "training": ..., "receipt": ..., "oracles": ...}
    {"game": 0, "guess": [0, 0, 1, 1], "marks": [1, 0]}
    {"game": 0, "trouble": "given up after 3 guesses"}

A step whose answer did not arrive is not in it. An arena that shows the answers it gave is asked
for them before the game goes on, so that both count the same. Another private file keeps the key
of the team.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.clients.http import Http, Unreachable
from fairground.clients.oracles import Description, Oracle, TeamEntry
from fairground.core import HIDDEN, FairgroundError, InputError
from fairground.fair.bits import SystemStream, Tag, digest
from fairground.games.codebreaking.rules import BREAKER, FAIR, GIVE_UP, CodeBreaking, Row, State
from fairground.players import Player, make_player
from fairground.players.bot.host import BotFailure, BotLimits, BotPlayer

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
    """Somebody wants us to stop between two steps."""


def play(
    oracle: Oracle,
    player: str | Player | Hire,
    *,
    tell: Callable[[Row], None] = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
) -> PlayedOracle:
    """Play a game to its end with a player: one of ours by name, or your own.

    A player that gives up, fails, or gets nowhere ends the game by giving up.
    """
    return _play(oracle, oracle.describe(), player, tell, stopped)


def _play(
    oracle: Oracle,
    seen: Description,
    player: str | Player | Hire,
    tell: Callable[[Row], None],
    stopped: Callable[[], bool],
    *,
    known: Sequence[Row] = (),
) -> PlayedOracle:
    if seen.over:
        return PlayedOracle(seen, tuple(known), False, trouble="it was over before we came")
    game = seen.game()
    rows = list(known)
    before = max(0, seen.attempts - len(rows))  # steps of somebody else, or of an earlier time
    receipt, trouble = None, None
    with _hired(player, game) as chooser:
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


def _hired(player: str | Player | Hire, game: CodeBreaking) -> AbstractContextManager[Player]:
    if isinstance(player, str):
        return builtin(player)(game)
    return nullcontext(player) if isinstance(player, Player) else player(game)


def builtin(name: str) -> Hire:
    """A player of ours for each game. What it computes beforehand is computed once."""
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

    What goes wrong with one game is told in its `PlayedOracle`, and the others go on, unless the
    server does not answer any more. Closing the generator stops the games between two steps.
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
            answers = oracle.describe(0).answers
            if answers[: len(known)] == known:
                for row in answers[len(known) :]:
                    note(row)
                known = answers
        played = _play(oracle, seen, hire, note, stop.is_set, known=known)
    except Unreachable:
        raise
    except FairgroundError as error:
        return PlayedOracle(seen, known, False, trouble=f"{error} ({error.code})")
    if played.trouble is not None and diary is not None:
        diary.ended(number, played.trouble)
    return played


# What is remembered


def path_of(folder: Path, contest: str, team: str, version: str) -> Path:
    """Where the diary of this entry lies."""
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
    """The diary of one entry. Games may be written of by several threads."""

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
