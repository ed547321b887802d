"""The games that are kept in the user's data directory: what was played, with whom, how it ended.

Nothing is verified here: that is for ``fairground verify`` to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from fairground.core import FairgroundError, Fault, Seat
from fairground.games import GAMES, make_game
from fairground.terminal.evening.score import winners
from fairground.terminal.saving import data_directory, read_file
from fairground.transcript import Event, check_chain, read
from fairground.words import words_for
from fairground.words.telling import Telling


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
        """What the game is called."""
        name = self.events[0]["game"]
        return GAMES[name].title if name in GAMES else str(name)

    @property
    def names(self) -> list[str]:
        """Who sat where."""
        return [str(seat["name"]) for seat in self.events[0]["seats"]]

    @property
    def reader(self) -> Seat | None:
        """The one seat of a person; ``None`` where there are several, or none."""
        people = [i for i, seat in enumerate(self.events[0]["seats"]) if seat["by"] == "self"]
        return people[0] if len(people) == 1 else None

    @property
    def others(self) -> str:
        """Whom the reader played with."""
        return ", ".join(name for i, name in enumerate(self.names) if i != self.reader)

    @property
    def payoff(self) -> Sequence[int] | None:
        """Who got what; ``None`` if the game is not finished."""
        end = self.events[-1]
        paid: Sequence[int] | None = end["payoff"] if end["kind"] == "end" else None
        return paid

    def steps(self) -> Iterator[Step]:
        """Line by line, as the reader sees it."""
        start = self.events[0]
        game = make_game(start["game"], start["params"])
        telling = Telling(words_for(game, self.names, self.reader))
        # What was hidden is opened in the end. The words show it only to those who may see it.
        opened = {
            event["run"]: [value for _, value in event["draws"]]
            for event in self.events
            if event["kind"] == "opening"
        }
        for line, event in enumerate(self.events[1:], 2):
            sentences = telling.line(event, opened.get(event.get("run")))
            yield Step(line, sentences, telling.words.state(telling.view) if sentences else [])

    def ending(self) -> str:
        """How it ended, in a sentence."""
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
        """Whether the reader won; ``None``: nobody did, or it is not for one person to say."""
        won, reader = winners(self.record.events[0]["game"], self.record.payoff), self.record.reader
        return None if not won or reader is None else reader in won


def kept_games(most: int) -> list[Kept]:
    """The latest games, the newest first; what cannot be read is left out."""
    files = sorted(data_directory().glob("*.jsonl"), key=lambda f: f.stat().st_mtime, reverse=True)
    games: list[Kept] = []
    for path in files:
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
