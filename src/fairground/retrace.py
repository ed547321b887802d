"""Following a record line by line: the quick way to find that all of it is right.

The referee plays the game again, and each line that it writes must be the next line of the
record, byte for byte. A line is read once, and then forgotten. What stays in memory is the state
of the game, and what the verdict is made of: every commitment, every share, and where they stand.
That is at most three times the size of the file, where every draw has a ticket and a share of its
own, and next to nothing where draws come from one seed.

Whatever does not go on as written `Differs`. What is wrong with it is then for `replay` to say,
which holds the whole record. So the two never have to agree on words, only on what is right; and
here that is one comparison.

The secrets that are opened at the end of a record are needed at its beginning, to draw with them
again. That is why the last lines are read first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from json.encoder import encode_basestring
from typing import IO, Any, Final, TypeAlias

from fairground.core import SAFE, Draw, FairgroundError, Game, Move, Seat
from fairground.fair.register import SCHEMES, Schemes, dealer_class
from fairground.fair.schemes import Chair, Dealer, Evidence, NotYet, Review, Run, Scheme, is_hex
from fairground.games import GAMES, Games, game_class
from fairground.replay import FIELDS, said
from fairground.table import LEFT, Decision, Table
from fairground.transcript import Event, Transcript, canonical, line_hash, skim

BLOCK: Final = 1 << 16
SHARED: Final = 1 << 12
"""Games with no longer parameters than this are shared."""
FORGOTTEN: Final[list[tuple[int, int]]] = []
ANSWERS: Final = ("move", "share", "seal", "open")
LEAVING: Final = ("forfeit", "note")
"""What may come where the dealer keeps a ticket back."""


Retraced: TypeAlias = tuple[Table, Review, Mapping[str, int]]
"""The table at its end, what its scheme says of the record, and the numbers of lines by hash."""


class Differs(Exception):
    """The record does not go on here as the referee writes it."""


def _text(value: Any) -> str:
    """What `canonical` writes. For values as small as those of an event this is quicker."""
    kind = type(value)
    if kind is int and -SAFE <= value <= SAFE:
        return str(value)
    if kind is str:
        return encode_basestring(value)
    if kind is list or kind is tuple:
        items = [
            str(item) if type(item) is int and -SAFE <= item <= SAFE else _text(item)
            for item in value
        ]
        return f"[{','.join(items)}]"
    if kind is dict and all(map(str.isascii, value)):
        names = sorted(value) if len(value) > 1 else value
        return f"{{{','.join([f'{encode_basestring(n)}:{_text(value[n])}' for n in names])}}}"
    if kind is bool:
        return "true" if value else "false"
    return canonical(value).decode()


def _pairs(draws: Sequence[tuple[Any, Any]]) -> str:
    """The same for draws, which are many: pairs of integers, unless they are huge or hidden."""
    try:
        return f"[{','.join([f'[{n:d},{value:d}]' for n, value in draws])}]"
    except (TypeError, ValueError):
        return _text(draws)


LINES: Final[dict[str, Callable[..., str]]] = {
    "start": lambda prev, format, table, game, params, dealer, public, seats: (
        f'{{"dealer":{_text(dealer)},"format":"{format}","game":{_text(game)},"kind":"start",'
        f'"params":{params},"prev":"{prev}","public":{_text(public)},"seats":{_text(seats)},'
        f'"table":"{table}"}}\n'
    ),
    "ticket": lambda prev, run, n, hidden, ticket: (
        f'{{"hidden":{_text(hidden)},"kind":"ticket","n":{_text(n)},"prev":"{prev}",'
        f'"run":{run},"ticket":{_text(ticket)}}}\n'
    ),
    "share": lambda prev, run, seat, share, value: (
        f'{{"kind":"share","prev":"{prev}","run":{run},"seat":{seat},"share":"{share}",'
        f'"value":{_text(value)}}}\n'
    ),
    "dealt": lambda prev, run, draws, evidence: (
        f'{{"draws":{_pairs(draws)},"evidence":{_text(evidence)},"kind":"dealt",'
        f'"prev":"{prev}","run":{run}}}\n'
    ),
    "seal": lambda prev, seat, commitment: (
        f'{{"commitment":"{commitment}","kind":"seal","prev":"{prev}","seat":{seat}}}\n'
    ),
    "open": lambda prev, seat, key, move: (
        f'{{"key":"{key}","kind":"open","move":{_text(move)},"prev":"{prev}","seat":{seat}}}\n'
    ),
    "move": lambda prev, seat, move: (
        f'{{"kind":"move","move":{_text(move)},"prev":"{prev}","seat":{seat}}}\n'
    ),
    "forfeit": lambda prev, seat, by, reason: (
        f'{{"by":"{by}","kind":"forfeit","prev":"{prev}","reason":{_text(reason)},"seat":{seat}}}\n'
    ),
    "void": lambda prev, code, reason: (
        f'{{"code":"{code}","kind":"void","prev":"{prev}","reason":{_text(reason)}}}\n'
    ),
    "note": lambda prev, body: f'{{"body":{_text(body)},"kind":"note","prev":"{prev}"}}\n',
    "opening": lambda prev, run, draws, evidence: (
        f'{{"draws":{_pairs(draws)},"evidence":{_text(evidence)},"kind":"opening",'
        f'"prev":"{prev}","run":{run}}}\n'
    ),
    "end": lambda prev, payoff: f'{{"kind":"end","payoff":{_text(payoff)},"prev":"{prev}"}}\n',
}
"""Lines as `canonical` writes them, one form for each kind.

Blanks without `_text` hold what the referee has made or checked himself: hashes, known words,
small numbers, the text of a game's parameters.
"""


class Followed(Transcript):
    """A record that is read while the referee writes it again."""

    def __init__(self, lines: Iterable[bytes], wanted: Iterable[str], keep: bool) -> None:
        """``wanted``: hashes of lines whose numbers will be asked for (`found`)."""
        super().__init__()
        self.found: dict[str, int] = dict.fromkeys(wanted, 0)
        self.keep = keep
        """Whether `events` are collected."""
        self._lines = iter(lines)
        self.params = ""
        """The game's parameters as they are written, when they are known."""
        self.coming: Event = {}
        """The event that the record has next; see `ended`."""
        self._read()

    @property
    def ended(self) -> bool:
        """Whether the last line is written again."""
        return not self._line

    def _read(self) -> None:
        self._line = next(self._lines, b"")
        try:
            self.coming = skim(self._line) if self._line else {}
        except ValueError:
            raise Differs from None

    def between(self, begin: bytes, end: bytes) -> bytes:
        """What stands between these two in the line that is coming."""
        return self._line.partition(begin)[2].partition(end)[0]

    def append(self, kind: str, **fields: Any) -> Event:
        """Write a line: it must be the one that is coming."""
        if kind == "start":
            fields["params"] = self.params
        try:
            line = LINES[kind](self.head, **fields).encode()
        except ValueError:
            raise Differs from None
        if line != self._line:
            raise Differs
        event = self.coming
        self.head = line_hash(line)
        self.step += 1
        if self.found and self.head in self.found:
            self.found[self.head] = self.step
        if self.keep:
            self.events.append(event)
        self._read()
        return event


class Reader(Dealer):
    """A dealer who says what the next line says, and opens what the last lines open."""

    def __init__(self, record: Followed, openings: Mapping[int, Evidence], schemes: Schemes):
        start = record.coming
        self.table = bytes.fromhex(start["table"])
        self.scheme = dealer_class(start["dealer"], schemes).scheme
        self.public = start["public"]
        self._record, self._openings = record, openings

    def _said(self, kind: str, field: str) -> Evidence:
        event = self._record.coming
        if event.get("kind") != kind:
            raise Differs
        told: Evidence = event.get(field, {})
        return told

    def _opened(self, index: int) -> Evidence:
        if index not in self._openings:
            raise Differs
        return self._openings[index]

    def open(self, run: Run) -> Evidence:
        """The ticket that is coming; where somebody leaves first, it was kept back."""
        if self._record.coming.get("kind") in LEAVING:
            raise NotYet
        return self._said("ticket", "ticket")

    def evidence(self, run: Run, head: str) -> tuple[Evidence, Evidence]:
        """The evidence that is coming, and what is opened at the end."""
        now = self._said("dealt", "evidence")
        if self.scheme.opens_once:
            return now, self._opened(0)
        return now, self._opened(run.index) if run.hidden else {}

    def opening(self, run: Run, head: str) -> Evidence:
        """What opens a ticket whose run was never dealt."""
        return self._opened(run.index)


class Again(Table):
    """The referee of a record that is followed: he forgets draws and moves once they are made."""

    def _deal(self, run: Run, draw: Draw) -> None:
        super()._deal(run, draw)
        if not run.hidden:
            run.draws, run.head = FORGOTTEN, ""

    def _note_decision(self, seat: Seat, move: Move) -> None:
        kept = LEFT if move == LEFT else ""
        self.decisions.append(Decision(seat, kept, self.transcript.step))

    def takes(self, kind: object, seat: object, answer: Any) -> bool:
        """Submit an answer of this kind, if this seat owes one."""
        if kind != self._wanted or type(seat) is not int or seat not in self._owing:
            return False
        self._take(self._wanted, seat, answer)
        return True


def retrace(
    file: IO[bytes],
    *,
    wanted: Iterable[str] = (),
    keep: bool = False,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> Retraced:
    """Play a record again while it is read, to its end; raise `Differs` if anything is wrong.

    ``wanted``: hashes of lines whose numbers are asked for. With ``keep`` the table's transcript
    has all events in the end; else none, unless the scheme looks back at them.
    """
    try:
        openings = _openings(file)
        file.seek(0)
        record = Followed(file, wanted, keep)
        table = _open(record, openings, games, schemes)
        while not record.ended:
            _apply(table, record.coming)
        if not table.closed or table.void_reason is not None:
            raise Differs
        return table, table.scheme.check_record(record.events), record.found
    except FairgroundError:
        raise Differs from None


def _openings(file: IO[bytes]) -> dict[int, Evidence]:
    """What the last lines open, by run."""
    openings = {}
    for line in backwards(file):
        if b'"kind":"opening"' in line:
            event = _event(line)
            if event.get("kind") != "opening" or type(event.get("run")) is not int:
                break
            openings[event["run"]] = event.get("evidence", {})
        elif b'"kind":"end"' not in line:
            break
    return openings


def _event(line: bytes) -> Event:
    try:
        return skim(line)
    except ValueError:
        raise Differs from None


def _open(
    record: Followed, openings: Mapping[int, Evidence], games: Games, schemes: Schemes
) -> Again:
    """The table that the first line describes."""
    start = record.coming
    if (
        start.keys() != FIELDS["start"]
        or not is_hex(start["table"])
        or not isinstance(start["public"], dict)
        or not isinstance(start["seats"], list)
    ):
        raise Differs
    try:
        chairs = [Chair(**chair) for chair in start["seats"]]
    except TypeError:
        raise Differs from None
    dealer = Reader(record, openings, schemes)
    record.keep = record.keep or dealer.scheme.check_record is not Scheme.check_record
    rules, params = game_class(start["game"], games), record.between(b',"params":', b',"prev":"')
    try:
        made = _shared_game if len(params) <= SHARED else _game
        game, record.params = made(rules, params)
    except ValueError:
        raise Differs from None
    return Again.open(game, dealer, chairs, transcript=record, replaying=True)


def _game(rules: type[Game[Any]], params: bytes) -> tuple[Game[Any], str]:
    """The game of these parameters, and how it writes them itself."""
    game = rules.from_params(skim(params + b"\n"))
    return game, canonical(game.params()).decode()


_shared_game: Final = lru_cache(maxsize=64)(_game)
"""The same for many records. All games of a contest are played by a few rules."""


def _apply(table: Again, event: Event) -> None:
    """Submit the recorded answer."""
    kind = event.get("kind")
    if kind in ANSWERS and table.takes(event.get("share", kind), event.get("seat"), said(event)):
        return
    if kind == "note" and isinstance(event.get("body"), dict):
        table.note(event["body"])
    elif kind == "forfeit" and event.keys() == FIELDS["forfeit"]:
        table.forfeit(event["seat"], event["reason"], event["by"])
    else:
        raise Differs


def backwards(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file from the last one on."""
    end, size, rest = file.seek(0, 2), BLOCK, b""
    while end:
        begin = max(0, end - size)
        file.seek(begin)
        block = file.read(end - begin) + rest
        cut = (block.find(b"\n") + 1 or len(block)) if begin else 0
        yield from reversed(BytesIO(block[cut:]).readlines())
        end, size, rest = begin, 2 * size, block[:cut]
