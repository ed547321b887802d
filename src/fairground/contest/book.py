"""A contest's book: a chain of lines that binds the house.

The arena writes books by the rules that stand here, and `fairground.contest.file` reads them by
the same ones. `fairground.contest.games` has the games and the decisions of chance.

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

Each member has one JSON type (`TYPES`), and a value of another type is ``contest/malformed``.
"""

from __future__ import annotations

import json
import reprlib
from collections import Counter
from collections.abc import Mapping
from copy import copy
from typing import Any, Final, NamedTuple

from fairground.contest.games import Disguise, Part, check_parts, disguise, undisguised
from fairground.core import BadParams, Fault
from fairground.fair.bits import Tag, digest, same
from fairground.fair.contest import contest_commitment
from fairground.fair.schemes import is_hex, is_text
from fairground.transcript import Event, line_hash

FORMAT: Final = "fairground-contest/2"

DRAWN: Final = "drawn"
NO_DISGUISE: Final = "none"
DISGUISES: Final = (DRAWN, NO_DISGUISE)
"""The disguise of games: different for each entry, or the same for all."""

LONGEST_NAME: Final = 20
"""Characters of a team's name, and of a version."""

SOLVED: Final = "solved"
GIVEN_UP: Final = "given up"

RESTORE: Final = "restore"
"""The closer of a contest that was open in a database restored from a copy."""
CLOSERS: Final = ("time", "creator", RESTORE)

CLOSING: Final = "the contest closed"
"""Why the house ends a game that nobody finished."""


LONGEST_REASON: Final = 2_500
"""Characters of what is said about a factory."""
LONGEST_REMOVAL: Final = 200
"""Characters of why an entry was removed."""


def files_digest(contest: str, heads: Mapping[tuple[int, int], str]) -> str:
    """Return the digest for ``filed``: over the last hash of every game, by entry and slot."""
    parts: list[str | int] = [contest, len(heads)]
    for entry, slot in sorted(heads):
        parts += (entry, slot, heads[entry, slot])
    return digest(Tag.CONTEST_FILE, *parts).hex()


class Result(NamedTuple):
    """The result of a game that an entry ended itself."""

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
        """True if the team has entered again: an official entry is then over."""
        self.started = False
        """True if it has made a submission."""
        self.removed: str | None = None
        """Why the contest's creator took it out, if that is so."""
        self.results: dict[int, Result] = {}
        self.waiting: dict[int, str] = {}
        """Slots of relayed games that wait for a factory, each with the reason; oldest first."""
        self.failures: Counter[int] = Counter()
        """Slot → how often its factory was found to fail."""

    @property
    def chair(self) -> str:
        return f"{self.team} {self.version}"


_LINES: Final = {
    "opened": "format contest parts commitment at closes disguise",
    "entered": "entry team version training at",
    "started": "entry at",
    "removed": "entry reason at",
    "finished": "entry slot result steps head at",
    "failed": "entry slot reason at",
    "recovered": "entry slot at",
    "closed": "seed by at",
    "filed": "games digest",
}
FIELDS: Final = {
    kind: frozenset({"kind", "prev", *names.split()}) for kind, names in _LINES.items()
}
"""Kind of line → its members."""

_TYPES: Final[dict[type, str]] = {
    str: "kind prev format contest commitment disguise team version result head reason seed by"
    " digest",
    int: "at closes entry slot steps games lines",
    bool: "training",
    list: "parts",
}
TYPES: Final = {name: kind for kind, names in _TYPES.items() for name in names.split()}
"""Member → its type, in every line of a book and every heading. ``true`` is not an ``int``."""


def check_types(event: Event) -> None:
    """Raise a `Fault` for the first member, in the order of the alphabet, of a wrong type."""
    for name, value in sorted(event.items()):
        if type(value) is not TYPES[name]:
            said = reprlib.repr(json.dumps(value, ensure_ascii=False))[1:-1]
            reason = f"{name} must be {_TYPE_NAMES[TYPES[name]]}, not {said}"
            raise Fault("contest/malformed", reason)


_TYPE_NAMES: Final[dict[type, str]] = {
    str: "text",
    int: "an integer",
    bool: "true or false",
    list: "an array",
}


def is_name(text: object) -> bool:
    """Return true for a valid team name or version: 1 to 20 visible characters."""
    return (
        isinstance(text, str)
        and is_text(text, LONGEST_NAME)
        and bool(text)
        and text.isprintable()
        and text == text.strip()
    )


class Book:
    """The state of a contest by its book; `apply` refuses a line that breaks its rules."""

    def __init__(self) -> None:
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
        return len(self.part_of)

    @property
    def closed(self) -> bool:
        return self.seed is not None

    @property
    def present(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.removed is None]

    @property
    def removed(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.removed is not None]

    def seen(self, seed: bytes, entry: int, game: int) -> Disguise:
        """Return the disguise of this game for this entry."""
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
        """Return true if another entry of this team would be training."""
        return team in self.versions

    def has(self, team: str, version: str) -> bool:
        """Return true if this team has entered with this version."""
        return any(entry.version == version for entry in self.versions.get(team, ()))

    def apply(self, event: Event, line: bytes) -> None:
        """Take the next line, or raise a `Fault` with the reason and change nothing."""
        kind = event.get("kind")
        if not isinstance(kind, str) or event.keys() != FIELDS.get(kind):
            raise Fault("contest/malformed", f"no line of a contest's book looks like {event!r}")
        check_types(event)
        if (kind == "opened") != (not self.contest):
            raise Fault("contest/malformed", "a contest is opened once, in its book's first line")
        if self.closed != (kind == "filed") or self.filed is not None:
            raise Fault("contest/late", f"a contest that was closed cannot go on with {kind!r}")
        getattr(self, f"_{kind}")(event, line)

    def _opened(self, event: Event, line: bytes) -> None:
        name, look = event["contest"], event["disguise"]
        if event["format"] != FORMAT:
            raise Fault("contest/malformed", f"the format is {FORMAT}, not {event['format']!r}")
        if not name or not is_hex(event["commitment"]):
            raise Fault("contest/malformed", "a contest has a name, and a commitment in hex")
        if look not in DISGUISES:
            raise Fault("contest/malformed", f"a disguise is one of {DISGUISES}, not {look!r}")
        at, closes = event["at"], event["closes"]
        if not 0 <= at < closes:
            raise Fault("contest/malformed", f"it cannot open at {at!r} and close at {closes!r}")
        try:
            parts = tuple(Part(**part) for part in event["parts"])
            check_parts(parts)
        except (TypeError, BadParams) as error:
            raise Fault("contest/malformed", f"the parts are malformed: {error}") from None
        self.disguise = look
        self.contest, self.commitment, self.parts = name, event["commitment"], parts
        self.part_of = tuple(part for part in parts for _ in range(part.games))
        self.opened = self.last = at
        self.closes = closes

    def _time(self, event: Event, before_the_close: bool = True) -> None:
        at = event["at"]
        if at < self.last:
            raise Fault("contest/time", f"the house's clock went back: {at!r} after {self.last}")
        if before_the_close and at >= self.closes:
            raise Fault("contest/late", f"at {at} the contest was over, since {self.closes}")

    def _entered(self, event: Event, line: bytes) -> None:
        self._time(event)
        number, team, version = event["entry"], event["team"], event["version"]
        if number != len(self.entries):
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
        if not 0 <= number < len(self.entries):
            raise Fault(code, f"there is no entry {number!r}")
        entry = self.entries[number]
        if entry.removed is not None:
            raise Fault(code, f"entry {number} was removed")
        return entry

    def _finished(self, event: Event, line: bytes) -> None:
        entry, slot, steps = self._running(event), event["slot"], event["steps"]
        least = 1 if event["result"] == SOLVED else 0
        known = event["result"] in (SOLVED, GIVEN_UP)
        if not known or steps < least or not is_hex(event["head"]):
            raise Fault("contest/result", f"no game ends like {event!r}")
        entry.results[slot] = Result(event["result"], steps, event["head"], event["at"])
        entry.waiting.pop(slot, None)
        self.last = event["at"]

    def _running(self, event: Event) -> Entry:
        """The entry of a line about a game, which must not be over."""
        entry, slot = self._present(event, "contest/result"), event["slot"]
        number = entry.number
        if not entry.started:
            raise Fault("contest/result", f"entry {number} has not started")
        if not 0 <= slot < self.games:
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
        if by not in CLOSERS or (by == "time" and event["at"] < self.closes):
            raise Fault("contest/time", f"the contest cannot be closed by {by!r} at {event['at']}")
        if not is_hex(seed) or not same(
            contest_commitment(self.contest, bytes.fromhex(seed)), self.commitment
        ):
            raise Fault("fair/bad-evidence", "the contest's seed does not fit its commitment")
        self.seed = bytes.fromhex(seed)
        self.closed_by = by
        self.last = event["at"]

    def _filed(self, event: Event, line: bytes) -> None:
        if not is_hex(event["digest"]):
            raise Fault("contest/malformed", f"the digest must be hex, not {event['digest']!r}")
        self.filed = event


def the_note(book: Book, entry: Entry, slot: int, part: Part, seen: Disguise) -> dict[str, Any]:
    """Return the note on the contest in every game's transcript, before the first submission.

    It names the line that entered its player, so that book and games hold each other. It names the
    disguise, so that a receipt of the game is one of the disguise. A relayed game also names its
    factory.
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
