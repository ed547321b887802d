"""``fairground learn``: positions in which you erred, asked again until they sit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from fairground.coach.judging import judge_of
from fairground.coach.learning import (
    Position,
    Progress,
    drawn_position,
    judged,
    positions_of,
    verdict,
    words_at,
)
from fairground.coach.reviewing import review
from fairground.core import FairgroundError, IllegalMove
from fairground.fair.bits import SeededStream, Stream, SystemStream
from fairground.games import GAMES, make_game
from fairground.replay import replay
from fairground.terminal.console import Arguments, Console, EndOfInput
from fairground.terminal.ink import Ink
from fairground.terminal.saving import data_directory, read_file
from fairground.transcript import check_chain, read
from fairground.words.plain import count

LEAVE: Final = ("q", "quit", "x", "exit")
CALLED: Final = {"dice": "intransitive", "croupier": "poker"}
"""Games whose command has another name."""

NEWEST: Final = 40
"""Games of one's own that are looked at."""


def _arguments() -> Arguments:
    parser = Arguments(
        "learn",
        "Practise: positions from your own games in which you gave something away, and others in\n"
        "which a move stands out. A position comes back until you have answered it right twice\n"
        "in a row. Your progress is kept.",
        "Examples:\n  fairground learn fatestones\n  fairground learn zombie --questions 10",
    )
    parser.add_argument("game", metavar="GAME", help="such as zombie, poker, fatestones")
    parser.add_argument(
        "--questions", metavar="N", type=int, default=5, help="so many questions (5)"
    )
    parser.add_argument("--seed", metavar="TEXT", help="the same new positions every time")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground learn``"""
    parser = _arguments()
    options = parser.parse_args(arguments)
    if not 1 <= options.questions <= 1000:
        parser.error(f"--questions must be in 1..1000, not {options.questions}")
    name = GAMES.newest(CALLED.get(options.game, options.game))
    chance: Stream = SystemStream() if options.seed is None else SeededStream(options.seed, 0)
    lesson = Lesson(name, Progress(data_directory().parent / "learning.json"), chance)
    return lesson.run(options.questions)


class Lesson:
    """Asks, judges, remembers."""

    def __init__(self, game: str, progress: Progress, chance: Stream) -> None:
        self._game, self._progress, self._chance = game, progress, chance
        self._console, self._art = Console(), Ink.of_terminal()

    def run(self, questions: int) -> int:
        """So many questions; q leaves at any of them."""
        right = asked = 0
        for position in self._positions(questions):
            try:
                answered = self._ask(position)
            except EndOfInput:
                self._console.say()
                break
            if answered is None:
                break
            asked += 1
            right += answered
        if asked:
            learnt, seen = self._progress.count(self._game)
            self._say(f"{right} of {count(asked, 'answer')} right.")
            self._say(f"Of {count(seen, 'position')} asked so far you have learnt {learnt}.")
        return 0

    def _positions(self, questions: int) -> Iterator[Position]:
        """What waits, then what went wrong in one's own games, then new ones."""
        given: set[str] = set()
        for position in chain(self._progress.due(self._game), self._own()):
            if position.name not in given and not self._progress.sits(position):
                given.add(position.name)
                yield position
                questions -= 1
                if not questions:
                    return
        game = make_game(self._game, {})
        for _ in range(questions):
            yield drawn_position(game, self._chance)

    def _own(self) -> Iterator[Position]:
        files = sorted(data_directory().glob("*.jsonl"), key=lambda p: -p.stat().st_mtime)
        for path in files[:NEWEST]:
            yield from self._of_record(path)

    def _of_record(self, path: Path) -> list[Position]:
        try:
            lines = read(read_file(str(path)))
            events = check_chain(lines)
            if events[0].get("game") != self._game:
                return []
            table = replay(lines, events)
            told = review(table)
            people = [seat.seat for seat in told.seats if seat.by == "self"]
            return list(positions_of(told, table, people))
        except FairgroundError:
            return []

    def _ask(self, position: Position) -> bool | None:
        game, state = position.walk()
        seat = position.seat
        view = game.view(state, seat)
        words = words_at(game, seat)
        self._console.say()
        for line in words.state(view):
            self._say(line)
        menu = words.menu(view, seat)
        if menu is None:
            self._say(words.example(view, seat))
        for number, move in enumerate(menu or ()):
            self._say(f"{number} - {words.option(view, seat, move)}")
        while True:
            typed = self._console.ask(f"{words.question(view, seat)} (q leaves) ")
            if typed.lower() in LEAVE:
                return None
            try:
                move = words.read(view, seat, typed)
                break
            except IllegalMove as problem:
                self._say(f"Not taken: {problem}.")
        return self._judge(position, words, view, move)

    def _judge(self, position: Position, words: Any, view: Any, move: Any) -> bool:
        judge = judge_of(words.game)
        found = judged(judge, view, position.seat, move)
        self._progress.note(position, found.right)
        said = verdict(judge, words, view, position.seat, found)
        self._say(said, "good" if found.right else "bad")
        return found.right

    def _say(self, text: str, style: str = "") -> None:
        self._console.say(self._art.ink(self._art.fold(text), style))
