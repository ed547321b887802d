"""Records in words: the games that were kept, and what the record of a game proves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from fairground.answers import WORDS_ONCE, Answer
from fairground.core import FairgroundError, Fault, Seat
from fairground.escape import named
from fairground.games import GAMES, make_game
from fairground.games.codebreaking.rules import BREAKER, KEEPER, STAKE
from fairground.terminal.console import Console, Ink, can_read_keys
from fairground.terminal.files import Saved, kept_records, read_file
from fairground.transcript import Event, check_chain, read
from fairground.verifier import verify
from fairground.words import words_for
from fairground.words.telling import told

if TYPE_CHECKING:
    from fairground.terminal.evening import OpenTable
    from fairground.verifier import Claim, Verdict


def winners(game: str, payoff: Sequence[int] | None) -> list[Seat]:
    """Return the seats that have won; none where it is a tie, void or unfinished.

    A breaker pays for every guess, and has won when the code was found.
    """
    if payoff is None:
        return []
    if game.startswith("codebreaking/"):
        return [BREAKER if -payoff[BREAKER] < STAKE else KEEPER]
    return [seat for seat, paid in enumerate(payoff) if paid > 0]


class Step(NamedTuple):
    """A line of a record in words, and how things stood after it."""

    line: int
    sentences: list[str]
    state: list[str]


class Record(NamedTuple):
    """A transcript as its reader sees it."""

    path: Path
    events: Sequence[Event]

    @property
    def title(self) -> str:
        name = self.events[0]["game"]
        return GAMES[name].title if name in GAMES else str(name)

    @property
    def names(self) -> list[str]:
        return [str(seat["name"]) for seat in self.events[0]["seats"]]

    @property
    def reader(self) -> Seat | None:
        """The one seat of a person; ``None`` where there are several, or none."""
        people = [i for i, seat in enumerate(self.events[0]["seats"]) if seat["by"] == "self"]
        return people[0] if len(people) == 1 else None

    @property
    def others(self) -> str:
        return ", ".join(name for i, name in enumerate(self.names) if i != self.reader)

    @property
    def payoff(self) -> Sequence[int] | None:
        """The payoffs; ``None`` if the game is not finished."""
        end = self.events[-1]
        paid: Sequence[int] | None = end["payoff"] if end["kind"] == "end" else None
        return paid

    def steps(self) -> Iterator[Step]:
        """Line by line, as the reader sees it."""
        start = self.events[0]
        game = make_game(start["game"], start["params"])
        words = words_for(game, self.names, self.reader)
        return starmap(Step, told(self.events, words))

    def ending(self) -> str:
        """Return the ending in a sentence."""
        if self.payoff is None:
            return "Unfinished."
        sentences = [sentence for step in self.steps() for sentence in step.sentences]
        return sentences[-1] if sentences else "Over."


def open_record(path: Path) -> Record:
    """Read a transcript; raises what `FairgroundError` fits."""
    lines = read(read_file(str(path)))
    if not lines[-1].endswith(b"\n"):
        lines.pop()
    return Record(path, check_chain(lines))


class Kept(NamedTuple):
    """A game on the shelf."""

    when: datetime
    record: Record
    ending: str

    @property
    def won(self) -> bool | None:
        """True if the reader won; ``None`` without a winner or a single reader."""
        won, reader = winners(self.record.events[0]["game"], self.record.payoff), self.record.reader
        return None if not won or reader is None else reader in won


def kept_games(most: int) -> list[Kept]:
    """Return the latest games, the newest first; what cannot be read is left out."""
    games: list[Kept] = []
    for path in kept_records():
        if len(games) == most:
            break
        try:
            record = open_record(path)
            ending = record.ending()
        except (FairgroundError, Fault, OSError, LookupError, TypeError, ValueError):
            continue
        when = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        games.append(Kept(when, record, ending))
    return games


PRACTICE_PROVES: Final = (
    "This was practice: all chance came from a seed that was known before. The record proves "
    "nothing about chance."
)


def claim_heading(claim: Claim) -> str:
    """``UNIFORM for "Ann"``"""
    return claim.name if claim.who is None else f"{claim.name} for {named(claim.who)}"


NARROW: Final = 64
"""Columns of a terminal below which an answer's reason gets lines of its own."""


def answer_rows(answers: Iterable[Answer], fold: Callable[..., str], columns: int) -> str:
    """Return the answers in lines: question, answer and reason below each other."""
    rows = []
    for answer in answers:
        short = answer.answer or "-"
        if columns < NARROW:
            rows.append(fold(f"{answer.label}: {short}, {answer.says}", "  ", "    "))
        else:
            rows.append(fold(f"{answer.label:<16}{short:<11}{answer.says}", "  ", " " * 29))
        if answer.says == WORDS_ONCE:
            indent = " " * (4 if columns < NARROW else 29)
            rows.append(fold("--stir each asks for words before each draw", indent))
    return "\n".join(rows)


def say_what_is_proven(console: Console, art: Ink, opened: OpenTable) -> bool:
    """Check a record at once, and say what came of it; whether it is valid.

    A game that stopped in the middle has no verdict yet: it is said how it goes on.
    """
    if opened.lasting:
        console.say(art.fold("\nThe game is kept, unfinished. Go on with it:").lstrip())
        console.say("  fairground resume")
        return True
    verdict = verify(bytes(opened.table.transcript))
    if opened.practice and verdict.ok:
        console.say()
        console.say(art.fold(PRACTICE_PROVES))
    if verdict.ok and is_told_briefly(opened):
        console.say()
        console.say(art.fold(f"Checked: the record of {verdict.events} lines is valid."))
        lacking = [
            answer
            for answer in verdict.answers
            if answer.question in ("fair", "unforeseen") and answer.answer == "not shown"
        ]
        if lacking and not opened.practice:
            console.say(answer_rows(lacking, art.fold, art.columns))
        return True
    return say_the_verdict(console, art, verdict, opened.saved)


def is_told_briefly(opened: OpenTable) -> bool:
    """Return True if one line is enough: more would push the result off a terminal."""
    return opened.saved.path is not None and can_read_keys()


def say_the_verdict(console: Console, art: Ink, verdict: Verdict, saved: Saved | None) -> bool:
    """Answer the five questions about a record, and say where it is; whether it is valid."""
    console.say()
    if verdict.ok:
        console.say(art.fold(f"Checked: the record of {verdict.events} lines is valid."))
        console.say(answer_rows(verdict.answers, art.fold, art.columns))
    else:
        console.say(art.ink(art.fold(verdict.headline), "bad"))
    if saved is not None and saved.path is not None:
        console.say(f"Check it yourself:\n  fairground verify {saved.quoted_path} --details")
    else:
        console.say("No transcript was kept.")
    return verdict.ok
