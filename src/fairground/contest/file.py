"""The contest file: the whole contest in JSON Lines, for anyone to check without us.

Three kinds of sections, each behind a heading that counts its lines::

    {"contest":ID,"format":"fairground-contest/2","kind":"book","lines":N}
    ... the N lines of the book, as they are ...
    {"entry":0,"kind":"game","lines":M,"slot":0}
    ... the M lines of that game's transcript, as they are ...
    (more games, by entry and slot; a game that nobody touched has no section)
    {"book":HEAD,"contest":ID,...,"kind":"standings",...}

All lines are canonical; book and transcripts each are a chain of their own. They hold one
another. A game names the line that entered its player. The book names the game's last line when it
was finished, and at its end all games' last lines. The standings name the book's last line. So no
line can be changed alone, even if all hashes are recomputed. A house that forges *all* of it is
found out by receipts: the hashes that players kept.

`check` runs every game again through `verify`. It recomputes every order, disguise, entry, training
flag and the whole table. A fault names the file's line and the reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from fairground.answers import ALONE, Answer, received, unanswered
from fairground.claims import COMMITTED, ORDERED, Claim
from fairground.contest.book import (
    CLOSING,
    FORMAT,
    GIVEN_UP,
    NO_DISGUISE,
    SOLVED,
    Book,
    Entry,
    check_types,
    files_digest,
    the_note,
)
from fairground.contest.games import order
from fairground.contest.standings import standing
from fairground.core import Fault, InputError
from fairground.escape import named
from fairground.fair.schemes import is_hex
from fairground.games.codebreaking.rules import BREAKER, FAIR, KEEPER, NO_CODE
from fairground.transcript import (
    Event,
    canonical,
    check_chain,
    line_hash,
    parse,
    read,
    same_json,
)
from fairground.verifier import replay, reviewed
from fairground.words.plain import count, listed

CONSISTENT: Final = "CONSISTENT"
UNPROVEN: Final = "UNPROVEN"

LAST_WORDS: Final = ("opening", "end")
"""The lines that the house adds to a finished game at the close."""


class Section(NamedTuple):
    """A stretch of the file."""

    heading: Event
    first: int
    """The file's line with the first line of the section."""
    lines: list[bytes]


class ContestVerdict(NamedTuple):
    """The result of checking a contest file."""

    ok: bool
    fault: Fault | None
    contest: str | None = None
    table: dict[str, Any] | None = None
    """The standings, as they were recomputed."""
    games: int = 0
    claims: tuple[Claim, ...] = ()
    result: str | None = None
    """A sentence about the first place; ``None`` unless the file is valid."""
    answers: tuple[Answer, ...] = ()
    """The five questions."""

    def as_json(self) -> dict[str, Any]:
        """The verdict as ``fairground verify --contest FILE --json`` prints it."""
        fault = self.fault
        return {
            "ok": self.ok,
            "result": self.result,
            "answers": [answer._asdict() for answer in self.answers],
            "fault": fault and {"line": fault.line, "code": fault.code, "reason": fault.reason},
            "contest": self.contest,
            "transcripts": self.games,
            "claims": [claim.as_json() for claim in self.claims],
            "standings": self.table,
        }


# Writing


def book_heading(book: Book, lines: int) -> bytes:
    """The file's first line."""
    heading = {"kind": "book", "format": FORMAT, "contest": book.contest, "lines": lines}
    return canonical(heading) + b"\n"


def game_heading(entry: int, slot: int, lines: int) -> bytes:
    """The line before a game's transcript."""
    return canonical({"kind": "game", "entry": entry, "slot": slot, "lines": lines}) + b"\n"


def standings_line(table: dict[str, Any], head: str) -> bytes:
    """The file's last line: the standings, and the last hash of the book they come from."""
    return canonical({"kind": "standings", "book": head, **table}) + b"\n"


# Checking

PlayAgain = Callable[[Sequence[Section]], Iterator[list[Event]]]
"""Runs games again, in their order; raises the first one's `Fault` when it comes to it."""


def one_by_one(sections: Sequence[Section]) -> Iterator[list[Event]]:
    """Every game when it is wanted, in this process."""
    return map(_played, sections)


def until_a_fault(sections: Sequence[Section]) -> list[list[Event] | Fault]:
    """Some games, for another process: those behind a fault need not be looked at."""
    done: list[list[Event] | Fault] = []
    for section in sections:
        try:
            done.append(_played(section))
        except Fault as fault:
            return [*done, fault]
    return done


def check(
    data: bytes, receipts: str | Sequence[str] = (), play_again: PlayAgain = one_by_one
) -> ContestVerdict:
    """Check a contest file, and say what it proves.

    ``receipts`` are hashes that somebody kept: of the book, or of any game in it. No game needs
    another, so ``play_again`` may let several processes run them.
    """
    kept = [receipts] if isinstance(receipts, str) else receipts
    wanted = [_receipt(receipt) for receipt in kept]
    contest = None
    try:
        book_section, games, last = _sections(read(data))
        book = _read_book(book_section)
        contest = book.contest
        checked = _Games(book)
        played = play_again(games)
        for section in games:
            checked.check(section, played)
        checked.must_be_complete(book_section)
        table = standing(book, checked.orders)
        expected = standings_line(table, line_hash(book_section.lines[-1]))
        if last.lines[0] != expected:
            raise Fault("contest/standings", _difference(last.heading, expected), last.first)
        kept_lines = _lines_of(wanted, (book_section, *games))
    except Fault as fault:
        answers = unanswered(fault, "invalid")
        return ContestVerdict(False, fault, contest, answers=answers)
    claims = tuple(_claims(book, book_section, kept_lines))
    return ContestVerdict(
        True,
        None,
        contest,
        table,
        len(games),
        claims,
        _result(table["official"]),
        _answers(book, len(games), kept_lines),
    )


def _result(official: Sequence[dict[str, Any]]) -> str:
    first = [named(row["team_name"]) for row in official if row["rank"] == 1]
    if not first:
        return "There is no official entry."
    entries = count(len(official), "official entry", "official entries")
    if len(first) > 1:
        return f"{listed(first)} share the first place of {entries}."
    return f"{first[0]} is first of {entries}."


def _answers(book: Book, games: int, kept: tuple[int, ...]) -> tuple[Answer, ...]:
    """Answer the five questions about a valid contest file."""
    fair = any(part.oracle == FAIR and part.factory is None for part in book.parts)
    seed = Answer("fair", "not shown", "the house alone chose the seed of every code")
    known = Answer("unforeseen", "not shown", "the house knew every code, and may have told it")
    order = Answer("untouched", "not shown", "no receipts: the order is the house's word")
    if kept:
        order = Answer("untouched", "yes", received(kept))
    return (
        Answer("rules", "yes", f"all {games} games and the standings recomputed"),
        seed if fair else Answer("fair", None, "no code was drawn"),
        known if fair else Answer("unforeseen", None, "no code was drawn"),
        order,
        ALONE,
    )


def _lines_of(heads: Sequence[str], sections: Sequence[Section]) -> tuple[int, ...]:
    """The lines of the file that hash to these; a receipt of no line is of another history."""
    numbers = {
        line_hash(line): number
        for section in (sections if heads else ())
        for number, line in enumerate(section.lines, section.first)
    }
    for head in heads:
        if head not in numbers:
            reason = f"no line of this file hashes to the receipt {head}: another history"
            raise Fault("transcript/receipt", reason)
    return tuple(sorted({numbers[head] for head in heads}))


def _receipt(receipt: str) -> str:
    wanted = receipt.strip().lower()
    if not is_hex(wanted):
        raise InputError(f"a receipt is 64 hex digits, such as {'5e' * 32}, not {receipt!r}")
    return wanted


HEADINGS: Final = {
    "book": {"contest", "format", "kind", "lines"},
    "game": {"entry", "kind", "lines", "slot"},
}
FOLLOWS: Final[dict[str | None, set[str]]] = {
    None: {"book"},
    "book": {"game", "standings"},
    "game": {"game", "standings"},
}


def _sections(lines: Sequence[bytes]) -> tuple[Section, list[Section], Section]:
    """Take the file apart by its headings. The first line out of place is at fault."""
    found: list[Section] = []
    number, before = 1, None
    while number <= len(lines):
        heading = parse(lines[number - 1], number)
        kind = heading.get("kind")
        if (
            not isinstance(kind, str)
            or kind not in FOLLOWS[before]
            or (kind == "standings" and number < len(lines))
        ):
            reason = "a contest file is its book, then its games, then the standings, and no more"
            raise Fault("contest/malformed", reason, number)
        if kind == "standings":
            return found[0], found[1:], Section(heading, number, [lines[number - 1]])
        section = _section(heading, lines, number)
        found.append(section)
        number, before = section.first + len(section.lines), kind
    raise Fault("contest/malformed", "the file stops before the standings", len(lines))


def _section(heading: Event, lines: Sequence[bytes], number: int) -> Section:
    """Return the section behind a heading, as many lines as it announces."""
    if heading.keys() != HEADINGS[heading["kind"]]:
        reason = f"line {number} should begin the book, a game or the standings"
        raise Fault("contest/malformed", reason, number)
    try:
        check_types(heading)
    except Fault as fault:
        fault.line = number
        raise
    count = heading["lines"]
    if not 1 <= count <= len(lines) - number:
        reason = f"line {number} announces {count} lines, and they are not there"
        raise Fault("contest/malformed", reason, number)
    return Section(heading, number + 1, list(lines[number : number + count]))


def _chain(section: Section) -> list[Event]:
    """The section's events, its own chain followed; faults name the file's lines."""
    try:
        return check_chain(section.lines)
    except Fault as fault:
        raise _moved(fault, section) from None


def _played(section: Section) -> list[Event]:
    """The events of a game that was run again to its end and found right."""
    try:
        table = replay(b"".join(section.lines))
        reviewed(table)
    except Fault as fault:
        raise _moved(fault, section) from None
    return table.transcript.events


def _moved(fault: Fault, section: Section) -> Fault:
    """A fault in a section, at its place in the file."""
    line = section.first - 1 + (fault.line or 1)
    where = f"{section.heading['kind']} beginning at line {section.first}: "
    return Fault(fault.code, where + fault.reason, line)


def _read_book(section: Section) -> Book:
    book = Book()
    if section.heading["format"] != FORMAT:
        raise Fault("contest/malformed", f"line 1 does not begin a {FORMAT} file", 1)
    for i, (event, line) in enumerate(zip(_chain(section), section.lines, strict=True)):
        try:
            book.apply(event, line)
        except Fault as fault:
            fault.line = section.first + i
            raise
    if book.contest != section.heading["contest"]:
        raise Fault("contest/malformed", "line 1 names another contest than the book", 1)
    if book.filed is None:
        reason = "UNFINISHED: the book stops before the contest was closed and its games filed"
        raise Fault("contest/unfinished", reason, section.first - 1 + len(section.lines))
    return book


class _Games:
    """The games of a file, one after the other, against its book."""

    def __init__(self, book: Book) -> None:
        assert book.seed is not None
        self.book = book
        self.seed = book.seed
        self.orders = {
            e.number: order(book.contest, book.seed, e.number, book.games) for e in book.entries
        }
        self.heads: dict[tuple[int, int], str] = {}
        self.last = (-1, -1)

    def check(self, section: Section, played: Iterator[list[Event]]) -> None:
        """The next game; ``played`` has its events when its heading is right."""
        number, slot = section.heading["entry"], section.heading["slot"]
        heading = section.first - 1
        if not 0 <= number < len(self.book.entries):
            raise Fault("contest/game", f"there is no entry {number!r}", heading)
        if not 0 <= slot < self.book.games:
            raise Fault("contest/game", f"entry {number} has no game {slot!r}", heading)
        if (number, slot) <= self.last:
            raise Fault("contest/game", "games stand by entry and slot, each once", heading)
        entry = self.book.entries[number]
        if not entry.started:
            raise Fault("contest/game", f"by the book entry {number} never started", heading)
        events = next(played)
        self._begins(section, events, entry, slot)
        self._ends(section, events, entry, slot)
        self.heads[number, slot] = line_hash(section.lines[-1])
        self.last = number, slot

    def _begins(self, section: Section, events: list[Event], entry: Entry, slot: int) -> None:
        """The right game, for the right player, in the right disguise."""
        book, game = self.book, self.orders[entry.number][slot]
        part, start = book.part_of[game], events[0]
        rules = part.rules()
        expected: dict[str, Any] = {
            "game": rules.name,
            "params": rules.params(),
            "dealer": "contest/1",
            "public": {"commitment": book.commitment, "contest": book.contest, "game": game},
        }
        for field, value in expected.items():
            if not same_json(start[field], value):
                reason = (
                    f"game {slot} of entry {entry.number} says {field}: {start[field]!r}; "
                    f"by the contest's seed and parts it is {value!r}"
                )
                raise Fault("contest/game", reason, section.first)
        chairs = [(seat["name"], seat["by"]) for seat in start["seats"]]
        if chairs != [(part.keeper, "house"), (entry.chair, "self")]:
            reason = f"it is played by {chairs!r}, not by {entry.chair!r} against the keeper"
            raise Fault("contest/game", reason, section.first)
        seen = book.seen(self.seed, entry.number, game)
        at = 3 if rules.oracle == FAIR else 1  # a fair game first has its ticket and draw
        self._disguised(section, events, at, the_note(book, entry, slot, part, seen))

    @staticmethod
    def _disguised(section: Section, events: list[Event], at: int, note: dict[str, Any]) -> None:
        """The note with the disguise stands before the first submission, once."""
        said = events[at].get("body")
        if events[at]["kind"] != "note" or not same_json(said, note):
            wrong = _unlike(note, said) if isinstance(said, dict) else sorted(note)
            reason = f"before the first submission a note must say {note!r}; wrong: {wrong}"
            raise Fault("contest/disguise", reason, section.first + at)
        for i, event in enumerate(events):
            if event["kind"] == "note" and i != at and event["body"].keys() != {"remark"}:
                reason = "behind the note of its disguise a game has only the keeper's remarks"
                raise Fault("contest/disguise", reason, section.first + i)

    def _ends(self, section: Section, events: list[Event], entry: Entry, slot: int) -> None:
        """As the book says it was finished; and if the book says nothing, by the house."""
        last = len(events) - 1
        while events[last]["kind"] in LAST_WORDS:
            last -= 1
        moves = [event for event in events if event["kind"] == "move"]
        steps = sum(e["seat"] == BREAKER and isinstance(e["move"], list) for e in moves)
        if moves and moves[-1]["seat"] == BREAKER and isinstance(moves[-1]["move"], list):
            steps -= 1  # it was never answered
        ending, result = events[last], entry.results.get(slot)
        where = section.first + last
        if any(e["seat"] == KEEPER and e["move"] == NO_CODE for e in moves):
            raise Fault("contest/lie", "the keeper had no code that fits its answers", where)
        if result is None:
            expected = {"seat": BREAKER, "by": "house", "reason": CLOSING}
            if ending["kind"] != "forfeit" or _unlike(expected, _only(ending, expected)):
                reason = "the book does not say that this game was finished, but it was"
                raise Fault("contest/result", reason, where)
            return
        left = {"seat": BREAKER, "by": "seat", "reason": GIVEN_UP}
        own_word = self._relayed(entry.number, slot) and not _unlike(left, _only(ending, left))
        if ending["kind"] == "forfeit" and not own_word:
            reason = f"the book says that this game was {result.result}; it was forfeited"
            raise Fault("contest/result", reason, where)
        payoff = events[-1]["payoff"]
        how = SOLVED if same_json(payoff, [steps, -steps]) else GIVEN_UP
        if (how, steps) != (result.result, result.steps):
            reason = (
                f"the book says {result.result} after {result.steps} steps; "
                f"the game was {how} after {steps}"
            )
            raise Fault("contest/result", reason, where)
        if line_hash(section.lines[last]) != result.head:
            reason = f"the book says that the game ended in {result.head}, and this is another"
            raise Fault("contest/result", reason, where)

    def _relayed(self, entry: int, slot: int) -> bool:
        return self.book.part_of[self.orders[entry][slot]].factory is not None

    def must_be_complete(self, book_section: Section) -> None:
        """Every finished game has its transcript, and the book has counted them all."""
        for i, event in enumerate(map(json.loads, book_section.lines)):
            if event["kind"] == "finished" and (event["entry"], event["slot"]) not in self.heads:
                reason = f"the game {event['slot']} of entry {event['entry']} is not in the file"
                raise Fault("contest/game", reason, book_section.first + i)
            if event["kind"] == "failed" and not self._relayed(event["entry"], event["slot"]):
                reason = f"the game {event['slot']} of entry {event['entry']} has no factory"
                raise Fault("contest/game", reason, book_section.first + i)
        filed = self.book.filed
        assert filed is not None
        found = {"games": len(self.heads), "digest": files_digest(self.book.contest, self.heads)}
        if _unlike(found, _only(filed, found)):
            reason = f"the book filed {filed['games']} games that end otherwise; here are {found}"
            raise Fault("contest/game", reason, book_section.first - 1 + len(book_section.lines))


def _only(event: Event, names: Iterable[str]) -> Event:
    """Return these members of an event, those that it has."""
    return {name: event[name] for name in names if name in event}


def _unlike(one: Event, other: Event) -> list[str]:
    """Return the members in which two objects differ, by value or by type."""
    return sorted(
        name
        for name in one.keys() | other.keys()
        if name not in one or name not in other or not same_json(one[name], other[name])
    )


def _difference(said: Event, expected: bytes) -> str:
    """Which part of the standings is wrong."""
    ours: Event = json.loads(expected)
    wrong = _unlike(ours, said)
    name = wrong[0]
    return (
        f"the standings differ from what book and games give in {', '.join(wrong)}: "
        f"{name} is {_short(ours.get(name))}, not {_short(said.get(name))}"
    )


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:197] + "..."


def _claims(book: Book, section: Section, kept: tuple[int, ...]) -> Iterator[Claim]:
    """Return the claims that the file proves, each with its condition."""

    def claim(name: str, condition: str, result: str, *lines: int) -> Claim:
        return Claim(name, None, None, condition, result, lines)

    kinds = {part.oracle for part in book.parts if part.factory is None}
    relayed = sum(part.games for part in book.parts if part.factory is not None)
    # The seed stands in the line before the last, which says that the contest has closed.
    opened, closed = section.first, section.first + len(section.lines) - 2
    plain = book.disguise == NO_DISGUISE
    codes = f"the codes of the fair games{' and' if plain else ','} " if FAIR in kinds else ""
    no_codes = "" if FAIR in kinds else ", and no code,"
    drawn = "every order" if plain else "every order and every disguise"
    verb = "follows" if plain and not codes else "follow"
    yield claim(
        COMMITTED,
        "the commitment in the book's first line was seen before anybody entered",
        f"{codes}{drawn}{no_codes} {verb} from a seed that was not chosen "
        "later (the house chose it, and knew it)",
        opened,
        closed,
    )
    if kinds - {FAIR}:
        yield claim(
            CONSISTENT,
            "the moves in this file are those that were made",
            "each keeper that drew no code (nice, evil) showed one that fits all its answers; a "
            "game that the close ended showed none, and no commitment covers these codes",
        )
    if relayed:
        yield claim(
            UNPROVEN,
            "the oracle factories elsewhere told the truth",
            f"the answers in {relayed} of {book.games} games of each entry are right; this arena "
            "relayed them and counted the steps, which were counted again here, and a code that "
            "was found fits all answers of its game",
        )
    if kept:
        were = "receipts were" if len(kept) > 1 else "receipt was"
        yield claim(
            ORDERED,
            f"the {were} kept before the next answer was given",
            "what stands before in the same chain stood there before that answer",
            *kept,
        )
