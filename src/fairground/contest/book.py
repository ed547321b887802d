"""A contest: the same codes for all, disguised for each, and a book that binds the house.

Everything here is pure: what follows from a contest's seed (`order`, `disguise`,
`keeper_seed`), and the rules of its *book*. The arena writes books by these rules, and
`fairground.contest.file` reads them by the same ones.

**The seed.** 32 bytes, committed in the book's first line as
`fair.contest.contest_commitment`, opened in the line that closes the contest. All that
chance decides follows from it, each under a tag of its own:

* the code of fair game g: scheme `contest/1`, run 1 of game g;
* the order in which entry e meets the games: `order`;
* how the game g looks to entry e: `disguise`;
* what the evil keeper of game g draws from: `keeper_seed`, the same for all entries.

**The disguise.** The table behind an oracle plays in *raw* digits and places. An entry
sees other ones: digit c at place p of a submission is the raw digit ``digits[c]`` at the
raw place ``places[p]``. Matches are counted the same either way. A disguise belongs to one
entry *and* one game: one relabelling for all games of a team would be undone after a few.
A creator may choose to have none (``"disguise":"none"``): then all meet the very same codes, the
same program scores the same under any name, and who has met a code can pass it on.

**Relayed games.** A part may belong to an oracle factory elsewhere. Then the arena has a game
made there for each entry, relays its submissions and counts them. Nothing is known of such a
code beforehand, and no two entries meet the same one: only order and disguise follow from the
seed, and the answers are *unproven*, the word of the factory. The game is played by the rules
for a keeper who never drew a code; that the code, when it is found, fits all answers is all
that can be checked.

**The book** is a chain of lines like any transcript:

``opened``
    ``format``, ``contest`` (its name), ``parts`` (base, length, oracle, games; where they are
    relayed, the address of the ``factory``), ``disguise`` (``drawn`` or ``none``),
    ``commitment``, ``at`` and ``closes`` (seconds since 1970, by the house's clock)
``entered``
    ``entry`` (a number from 0), ``team``, ``version``, ``training``, ``at``. Whoever enters
    again with a new version trains, and what their first entry had not finished stays
    unfinished
``started``
    ``entry``, ``at``: it is about to make its first submission. Every game of it comes later
``removed``
    ``entry``, ``reason``, ``at``: the contest's creator took it out, before it started. It is as
    if the team had not entered
``finished``
    ``entry``, ``slot`` (which of the entry's own oracles), ``result`` (``solved`` or
    ``given up``), ``steps``, ``head`` (hash of the game's last line then), ``at``
``failed``
    ``entry``, ``slot``, ``reason``, ``at``: the factory of this relayed game does not do its
    part, and the game waits. This is the house's word
``recovered``
    ``entry``, ``slot``, ``at``: it does again
``closed``
    ``seed``, ``by`` (``time``, ``creator``, or ``restore``: the arena went on from a copy of its
    database, and what was open in it ended), ``at``
``filed``
    ``games`` (how many transcripts there are) and the ``digest`` of all their heads

The format ``fairground-contest/1`` knew no ``started``, no ``removed`` and no choice of a
``disguise``. Such books go on, and verify for ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Final, NamedTuple

from fairground.core import BadParams, Draw, Fault
from fairground.fair.bits import HashStream, Stream, Tag, digest, same
from fairground.fair.contest import ContestScheme, contest_commitment
from fairground.fair.schemes import Run, Setting, is_hex, is_text
from fairground.games.codebreaking import EVIL, Code, CodeBreaking
from fairground.transcript import Event, line_hash

FIRST_FORMAT: Final = "fairground-contest/1"
FORMAT: Final = "fairground-contest/2"
FORMATS: Final = (FIRST_FORMAT, FORMAT)

DRAWN: Final = "drawn"
NO_DISGUISE: Final = "none"
DISGUISES: Final = (DRAWN, NO_DISGUISE)
"""How games look to entries: otherwise to each of them, or the same to all."""

LONGEST_NAME: Final = 20
"""Characters of a team's name, and of a version."""

MOST_GAMES: Final = 10_000
MOST_PARTS: Final = 100

SOLVED: Final = "solved"
GIVEN_UP: Final = "given up"

RESTORE: Final = "restore"
"""Who closes what was open in a copy of a database that was restored."""
CLOSERS: Final = {
    FIRST_FORMAT: ("time", "creator"),
    FORMAT: ("time", "creator", RESTORE),
}
"""Format → by what a contest can be closed."""

CLOSING: Final = "the contest closed"
"""Why the house ends a game that nobody finished."""

KEEPER_HERE: Final = "keeper"
"""The name of the keeper's seat, where the arena keeps the game."""
KEEPER_ELSEWHERE: Final = "keeper elsewhere, unproven"
"""The name of the keeper's seat in a relayed game: its answers are somebody else's word."""

LONGEST_FACTORY: Final = 2_000
"""Characters of a factory's address."""
LONGEST_REASON: Final = 2_500
"""Characters of what is said about a factory."""
LONGEST_REMOVAL: Final = 200
"""Characters of why an entry was removed."""


class Part(NamedTuple):
    """A number of games of one kind. Games are numbered through all parts of a contest."""

    base: int
    length: int
    oracle: str
    games: int
    factory: str | None = None
    """Where the games are relayed to; ``None``: they are kept here."""

    def rules(self) -> CodeBreaking:
        """The rules of these games; raises `BadParams`.

        A factory elsewhere draws nothing that we know of. So its games are played by the rules
        of an evil keeper, whatever the factory calls its oracles.
        """
        asked = CodeBreaking(self.base, self.length, self.oracle)
        return asked if self.factory is None else CodeBreaking(self.base, self.length, EVIL)

    @property
    def keeper(self) -> str:
        """The name of the keeper's seat."""
        return KEEPER_HERE if self.factory is None else KEEPER_ELSEWHERE

    def as_json(self) -> dict[str, Any]:
        """The part as the book has it."""
        return {name: value for name, value in self._asdict().items() if value is not None}


class Disguise(NamedTuple):
    """How one game looks to one entry."""

    digits: tuple[int, ...]
    """Digit of the entry → raw digit."""
    places: tuple[int, ...]
    """Place of the entry → raw place."""

    def to_raw(self, seen: Sequence[int]) -> Code:
        """What the table is told when the entry submits this."""
        raw = [0] * len(self.places)
        for place, digit in zip(self.places, seen, strict=True):
            raw[place] = self.digits[digit]
        return tuple(raw)

    def from_raw(self, raw: Sequence[int]) -> Code:
        """What the entry would have to submit to say this to the table."""
        seen = {digit: c for c, digit in enumerate(self.digits)}
        return tuple(seen[raw[place]] for place in self.places)


def shuffled(n: int, chance: Stream) -> tuple[int, ...]:
    """A uniform order of ``range(n)``: for i = n-1 down to 1, swap i with a draw below i+1."""
    out = list(range(n))
    for i in range(n - 1, 0, -1):
        j = chance.below(i + 1)
        out[i], out[j] = out[j], out[i]
    return tuple(out)


def order(contest: str, seed: bytes, entry: int, games: int) -> tuple[int, ...]:
    """The numbers of the games in the order in which this entry's oracles stand for them."""
    return shuffled(games, HashStream(digest(Tag.CONTEST_ORDER, contest, entry, seed)))


def disguise(contest: str, seed: bytes, entry: int, game: int, part: Part) -> Disguise:
    """How this game looks to this entry: first the digits are drawn, then the places."""
    chance = HashStream(digest(Tag.CONTEST_DISGUISE, contest, entry, game, seed))
    return Disguise(shuffled(part.base, chance), shuffled(part.length, chance))


def undisguised(part: Part) -> Disguise:
    """The game as it is."""
    return Disguise(tuple(range(part.base)), tuple(range(part.length)))


def keeper_seed(contest: str, seed: bytes, game: int) -> bytes:
    """What our keeper of this game draws from, whoever plays against it."""
    return digest(Tag.CONTEST_KEEPER, contest, game, seed)


def fair_code(contest: str, seed: bytes, game: int, part: Part) -> Code:
    """The raw code of a fair game, as the rules and the scheme `contest/1` give it to a table."""
    commitment = contest_commitment(contest, seed)
    public = {"commitment": commitment, "contest": contest, "game": game}
    rules = part.rules()
    start = rules.start()
    draw = rules.awaits(start)
    assert isinstance(draw, Draw)
    first = Run(1, draw.n, hidden=True, step=0, head="")
    opening = {"seed": seed.hex()}
    chance = ContestScheme(Setting(b"", ()), public).chance(first, {}, opening)
    code = rules.drawn(start, chance.below(draw.n)).code
    assert isinstance(code, tuple)
    return code


def oracle_name(contest: str, seed: bytes, entry: int, slot: int) -> str:
    """The name of an entry's oracle: it says whose it is, and nobody else can write it.

    It is made of the slot in the entry's own order, so names tell nothing of who meets the
    same code.
    """
    proof = digest(Tag.CONTEST_ADDRESS, contest, entry, slot, seed)[:16]
    return f"{contest}.{entry}.{slot}.{proof.hex()}"


def files_digest(contest: str, heads: Mapping[tuple[int, int], str]) -> str:
    """What ``filed`` says: a digest of the last hash of every game, by entry and slot."""
    parts: list[str | int] = [contest, len(heads)]
    for entry, slot in sorted(heads):
        parts += (entry, slot, heads[entry, slot])
    return digest(Tag.CONTEST_FILE, *parts).hex()


class Result(NamedTuple):
    """How an entry's game ended, by the entry's own doing."""

    result: str
    steps: int
    head: str
    at: int


class Entry:
    """A team with one version of its program."""

    def __init__(self, number: int, team: str, version: str, training: bool, head: str) -> None:
        self.number = number
        self.team = team
        self.version = version
        self.training = training
        self.head = head
        """The hash of the line that entered it: its games name this."""
        self.over = False
        """Whether the team has entered again: then an official entry is over."""
        self.started = False
        """Whether it has made a submission."""
        self.removed: str | None = None
        """Why the contest's creator took it out, if that is so."""
        self.results: dict[int, Result] = {}
        self.waiting: dict[int, str] = {}
        """Slots of relayed games that wait for a factory, each with the reason; oldest first."""
        self.failures: Counter[int] = Counter()
        """Slot → how often its factory was found to fail."""

    @property
    def chair(self) -> str:
        """The name of its seat at every table."""
        return f"{self.team} {self.version}"


_LINES: Final = {
    "opened": "format contest parts commitment at closes",
    "entered": "entry team version training at",
    "finished": "entry slot result steps head at",
    "failed": "entry slot reason at",
    "recovered": "entry slot at",
    "closed": "seed by at",
    "filed": "games digest",
}
_LATER_LINES: Final = {
    **_LINES,
    "opened": f"{_LINES['opened']} disguise",
    "started": "entry at",
    "removed": "entry reason at",
}
FIELDS: Final[dict[str, dict[str, frozenset[str]]]] = {
    form: {kind: frozenset({"kind", "prev", *names.split()}) for kind, names in lines.items()}
    for form, lines in ((FIRST_FORMAT, _LINES), (FORMAT, _LATER_LINES))
}
"""Format → kind of line → its members."""


def is_name(text: object) -> bool:
    """Whether this can be a team's name or a version: 1 to 20 characters that can be seen."""
    return (
        isinstance(text, str)
        and is_text(text, LONGEST_NAME)
        and bool(text)
        and text.isprintable()
        and text == text.strip()
    )


class Book:
    """What a contest's book says so far; `apply` refuses a line that breaks its rules."""

    def __init__(self) -> None:
        self.format = FORMAT
        self.contest = ""
        self.commitment = ""
        self.disguise = DRAWN
        self.parts: tuple[Part, ...] = ()
        self.part_of: tuple[Part, ...] = ()
        """Game → its part."""
        self.opened = self.closes = self.last = 0
        self.entries: list[Entry] = []
        self.versions: dict[str, list[Entry]] = {}
        """Team → its entries, without those that were removed."""
        self.seed: bytes | None = None
        """The opened seed; ``None`` while the contest runs."""
        self.closed_by = ""
        self.filed: Event | None = None

    @property
    def games(self) -> int:
        """How many games each entry plays."""
        return len(self.part_of)

    @property
    def closed(self) -> bool:
        """Whether nothing more counts."""
        return self.seed is not None

    @property
    def present(self) -> list[Entry]:
        """The entries that were not removed."""
        return [entry for entry in self.entries if entry.removed is None]

    def seen(self, seed: bytes, entry: int, game: int) -> Disguise:
        """How this game looks to this entry."""
        part = self.part_of[game]
        if self.disguise == NO_DISGUISE:
            return undisguised(part)
        return disguise(self.contest, seed, entry, game, part)

    def frozen_copy(self) -> Book:
        """A copy of the results as they are now. It stays as it is while this book goes on."""
        frozen = copy(self)
        frozen.entries = [copy(entry) for entry in self.entries]
        for entry in frozen.entries:
            entry.results, entry.waiting = dict(entry.results), dict(entry.waiting)
        return frozen

    def trains(self, team: str) -> bool:
        """Whether another entry of this team would be training."""
        return team in self.versions

    def has(self, team: str, version: str) -> bool:
        """Whether this team has entered with this version."""
        return any(entry.version == version for entry in self.versions.get(team, ()))

    def apply(self, event: Event, line: bytes) -> None:
        """Take the next line, or raise a `Fault` with the reason and change nothing."""
        kind = event.get("kind")
        # The first line says by which rules the others are read.
        form = event.get("format") if kind == "opened" else self.format
        known = FIELDS.get(form, {}) if isinstance(form, str) else {}
        if not isinstance(kind, str) or event.keys() != known.get(kind):
            raise Fault("contest/malformed", f"no line of a contest's book looks like {event!r}")
        if (kind == "opened") != (not self.contest):
            raise Fault("contest/malformed", "a contest is opened once, in its book's first line")
        if self.closed != (kind == "filed") or self.filed is not None:
            raise Fault("contest/late", f"a contest that was closed cannot go on with {kind!r}")
        getattr(self, f"_{kind}")(event, line)

    def _opened(self, event: Event, line: bytes) -> None:
        name = event["contest"]
        if not isinstance(name, str) or not name or not is_hex(event["commitment"]):
            raise Fault("contest/malformed", "a contest has a name, and a commitment in hex")
        look = event.get("disguise", DRAWN)
        if look not in DISGUISES:
            raise Fault("contest/malformed", f"a disguise is one of {DISGUISES}, not {look!r}")
        at, closes = event["at"], event["closes"]
        if type(at) is not int or type(closes) is not int or not 0 <= at < closes:
            raise Fault("contest/malformed", f"it cannot open at {at!r} and close at {closes!r}")
        try:
            parts = tuple(Part(**part) for part in event["parts"])
            check_parts(parts)
        except (TypeError, BadParams) as error:
            raise Fault("contest/malformed", f"the parts are malformed: {error}") from None
        self.format, self.disguise = event["format"], look
        self.contest, self.commitment, self.parts = name, event["commitment"], parts
        self.part_of = tuple(part for part in parts for _ in range(part.games))
        self.opened = self.last = at
        self.closes = closes

    def _time(self, event: Event, before_the_close: bool = True) -> None:
        at = event["at"]
        if type(at) is not int or at < self.last:
            raise Fault("contest/time", f"the house's clock went back: {at!r} after {self.last}")
        if before_the_close and at >= self.closes:
            raise Fault("contest/late", f"at {at} the contest was over, since {self.closes}")

    def _entered(self, event: Event, line: bytes) -> None:
        self._time(event)
        number, team, version = event["entry"], event["team"], event["version"]
        if type(number) is not int or number != len(self.entries):
            raise Fault("contest/entry", f"the next entry is {len(self.entries)}, not {number!r}")
        for text in (team, version):
            if not is_name(text):
                raise Fault("contest/entry", f"{text!r} is not a name of 1 to 20 characters")
        if self.has(team, version):
            raise Fault("contest/entry", f"{team!r} has entered before with {version!r}")
        if event["training"] is not self.trains(team):
            word = "training" if self.trains(team) else "official"
            raise Fault("contest/entry", f"entry {number} of {team!r} is {word}")
        entry = Entry(number, team, version, event["training"], line_hash(line))
        for earlier in self.versions.setdefault(team, []):
            earlier.over = earlier.over or not earlier.training
        self.versions[team].append(entry)
        self.entries.append(entry)
        self.last = event["at"]

    def _started(self, event: Event, line: bytes) -> None:
        entry = self._present(event, "contest/entry")
        if entry.started or entry.over:
            raise Fault("contest/entry", f"entry {entry.number} has started, or is over")
        entry.started = True
        self.last = event["at"]

    def _removed(self, event: Event, line: bytes) -> None:
        entry, reason = self._present(event, "contest/entry"), event["reason"]
        if entry.started:
            raise Fault("contest/entry", f"entry {entry.number} has started, and stays")
        if not reason or not is_text(reason, LONGEST_REMOVAL):
            raise Fault("contest/malformed", f"a removal has a reason, not {reason!r}")
        entry.removed = reason
        self.versions[entry.team].remove(entry)
        if not self.versions[entry.team]:
            del self.versions[entry.team]
        self.last = event["at"]

    def _present(self, event: Event, code: str) -> Entry:
        """The entry of a line, which must not have been removed."""
        self._time(event)
        number = event["entry"]
        if type(number) is not int or not 0 <= number < len(self.entries):
            raise Fault(code, f"there is no entry {number!r}")
        entry = self.entries[number]
        if entry.removed is not None:
            raise Fault(code, f"entry {number} was removed")
        return entry

    def _finished(self, event: Event, line: bytes) -> None:
        entry, slot, steps = self._running(event), event["slot"], event["steps"]
        least = 1 if event["result"] == SOLVED else 0
        known = event["result"] in (SOLVED, GIVEN_UP) and type(steps) is int
        if not known or steps < least or not is_hex(event["head"]):
            raise Fault("contest/result", f"no game ends like {event!r}")
        entry.results[slot] = Result(event["result"], steps, event["head"], event["at"])
        entry.waiting.pop(slot, None)
        self.last = event["at"]

    def _running(self, event: Event) -> Entry:
        """The entry of a line about a game, which must not be over."""
        entry, slot = self._present(event, "contest/result"), event["slot"]
        number = entry.number
        if self.format != FIRST_FORMAT and not entry.started:
            raise Fault("contest/result", f"entry {number} has not started")
        if type(slot) is not int or not 0 <= slot < self.games:
            raise Fault("contest/result", f"entry {number} has no game {slot!r}")
        if slot in entry.results:
            raise Fault("contest/result", f"game {slot} of entry {number} was finished before")
        if entry.over:
            reason = f"entry {number} was over when {entry.team!r} entered again"
            raise Fault("contest/result", reason)
        return entry

    def _failed(self, event: Event, line: bytes) -> None:
        entry, slot, reason = self._running(event), event["slot"], event["reason"]
        if slot in entry.waiting:
            raise Fault("contest/result", f"game {slot} of entry {entry.number} waits already")
        if not reason or not is_text(reason, LONGEST_REASON):
            raise Fault("contest/malformed", f"a failure has a reason, not {reason!r}")
        entry.waiting[slot] = reason
        entry.failures[slot] += 1
        self.last = event["at"]

    def _recovered(self, event: Event, line: bytes) -> None:
        entry, slot = self._running(event), event["slot"]
        if slot not in entry.waiting:
            raise Fault("contest/result", f"game {slot} of entry {entry.number} does not wait")
        del entry.waiting[slot]
        self.last = event["at"]

    def _closed(self, event: Event, line: bytes) -> None:
        self._time(event, before_the_close=False)
        by, seed = event["by"], event["seed"]
        if by not in CLOSERS[self.format] or (by == "time" and event["at"] < self.closes):
            raise Fault("contest/time", f"the contest cannot be closed by {by!r} at {event['at']}")
        if not is_hex(seed) or not same(
            contest_commitment(self.contest, bytes.fromhex(seed)), self.commitment
        ):
            raise Fault("fair/bad-evidence", "the contest's seed does not fit its commitment")
        self.seed = bytes.fromhex(seed)
        self.closed_by = by
        self.last = event["at"]

    def _filed(self, event: Event, line: bytes) -> None:
        if type(event["games"]) is not int or not is_hex(event["digest"]):
            raise Fault("contest/malformed", "the last line counts the games and has a digest")
        self.filed = event


def check_parts(parts: Sequence[Part]) -> None:
    """Raise `BadParams` unless a contest can be made of these parts."""
    if not 1 <= len(parts) <= MOST_PARTS:
        raise BadParams(f"a contest has 1 to {MOST_PARTS} parts, not {len(parts)}")
    for part in parts:
        for what, value in zip(part._fields, part, strict=True):
            if what not in ("oracle", "factory") and type(value) is not int:
                raise BadParams(f"{what} must be an integer, not {value!r}")
        address = part.factory
        if address is not None and not (address and is_text(address, LONGEST_FACTORY)):
            raise BadParams(f"a factory is an address, not {address!r}")
        part.rules()
        if part.games < 1:
            raise BadParams(f"games must be at least 1, not {part.games}")
    if (games := sum(part.games for part in parts)) > MOST_GAMES:
        raise BadParams(f"a contest has at most {MOST_GAMES} games, not {games}")


def the_note(book: Book, entry: Entry, slot: int, part: Part, seen: Disguise) -> dict[str, Any]:
    """What every game's transcript says of the contest, before the first submission.

    It names the line that entered its player, so that book and games hold each other, and
    the disguise, so that whoever has a receipt of the game has one of the disguise. A
    relayed game also names its factory.
    """
    factory = {} if part.factory is None else {"factory": part.factory}
    return {
        **factory,
        "contest": book.contest,
        "entry": entry.number,
        "slot": slot,
        "entered": entry.head,
        "digits": list(seen.digits),
        "places": list(seen.places),
    }
