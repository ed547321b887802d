"""``fairground coach`` and ``fairground learn``: what decisions were worth, and practice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any, Final

from fairground.coach import report
from fairground.coach.judging import WINS, judge_of
from fairground.coach.learning import (
    Position,
    Progress,
    drawn_position,
    judged,
    positions_of,
    verdict,
    words_at,
)
from fairground.coach.report import Played, Rating, as_json, html, lines, played, ratings, svg
from fairground.coach.review import Review, games_in, review, review_of
from fairground.commands.play import ALIASES
from fairground.core import FairgroundError, IllegalMove, InputError, Seat
from fairground.escape import shown
from fairground.fair.bits import SeededStream, Stream, SystemStream
from fairground.games import GAMES, make_game
from fairground.games.fatestones.rows import read_cells, text_cells
from fairground.games.fatestones.rows import report as report_rows
from fairground.terminal.console import Arguments, Console, EndOfInput, Ink
from fairground.terminal.files import data_directory, kept_records, read_file
from fairground.verifier import replay
from fairground.words.plain import count


def _arguments() -> Arguments:
    parser = Arguments(
        "coach",
        "Review a game: what each decision cost against perfect play, what chance gave, and how\n"
        "both add up to the result. The transcript is run again first; one that does not hold\n"
        "is not reviewed.\n\n"
        "Of many games it makes a rating: what each player gives away per game, with an interval\n"
        "of 95 %. Many games are several transcripts, a contest file, a file of FateStones rounds\n"
        "(see fairground episodes), or --history.",
        "Examples:\n"
        "  fairground coach game.jsonl\n"
        "  fairground coach game.jsonl --seat Ann --svg game.svg --html game.html\n"
        "  fairground coach *.jsonl --json\n"
        "  fairground coach --history",
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help="a transcript; - reads standard input"
    )
    parser.add_argument("--history", action="store_true", help="rate all your games that are kept")
    parser.add_argument("--seat", metavar="NAME", help="whose game (the people's, if not told)")
    parser.add_argument("--all", action="store_true", help="every decision, not only the dearest")
    parser.add_argument("--svg", metavar="FILE", type=Path, help="write the chart of one seat")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write the review as a page")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def run_coach(arguments: Sequence[str]) -> int:
    """``fairground coach``"""
    options = _arguments().parse_args(arguments)
    if bool(options.files) == options.history:
        raise InputError("give files: fairground coach FILE ..., or fairground coach --history")
    if options.history or len(options.files) > 1:
        names = _kept() if options.history else options.files
        return _rate(((name, read_file(name)) for name in names), options)
    (name,) = options.files
    data = read_file(name)
    if not data.startswith(b"{") or games_in(data) != [data]:
        return _rate([(name, data)], options)
    return _review(data, options)


def _review(data: bytes, options: Any) -> int:
    review = review_of(data)
    seats = [report.seat_named(review, options.seat)] if options.seat else report.readers(review)
    if options.svg is not None:
        options.svg.write_text(svg(review, seats[0] if seats else 0) + "\n", encoding="utf-8")
    if options.html is not None:
        options.html.write_text(html(review, seats), encoding="utf-8")
    if options.json:
        print(json.dumps(as_json(review)))
    else:
        _tell(Ink.of_terminal(), review, seats, everything=options.all)
    return 0


# One game


def _tell(art: Ink, review: Review, seats: Sequence[Seat], *, everything: bool) -> None:
    print(art.ink(art.fold(report.title(review)), "bold"))
    print(art.fold(shown(review.ending)))
    print(art.fold(review.judge.basis.says))
    for seat in seats:
        print()
        if len(seats) > 1:
            print(art.ink(shown(review.seats[seat].name), "bold"))
        for sentence in report.summary(review, seat):
            print(art.fold(sentence, "", "  "))
        print()
        for line in lines(review, seat, art.columns):
            print(line)
        print()
        _account(art, review, seat)
        steps = review.decisions(seat) if everything else review.moments(seat)
        if steps:
            print()
            print("All decisions:" if everything else "What mattered most:")
        for step in steps:
            print(art.fold(report.moment(step, review), f"{step.line:>4}  ", "      "))


def _account(art: Ink, review: Review, seat: Seat) -> None:
    rows = report.account(review, seat)
    width = max(len(what) for what, _ in rows)
    digits = max(len(value) for _, value in rows)
    print(art.ink(f"  {report.heading(review, seat)}", "dim"))
    for at, (what, value) in enumerate(rows):
        if at == len(rows) - 1:
            print("  " + "-" * (width + digits + 2))
        print(f"  {what:<{width}}  {value:>{digits}}")


# Many games


def _kept() -> list[str]:
    """The user's own games, the oldest first."""
    files = kept_records()
    if not files:
        raise InputError("no game has been saved yet. Play one: fairground")
    return [str(path) for path in reversed(files)]


def _rate(files: Iterable[tuple[str, bytes]], options: Any) -> int:
    if options.svg is not None or options.html is not None:
        raise InputError("a chart and a page are made of one transcript, not of many games")
    skipped: list[dict[str, str]] = []
    """Games that could not be judged, with file and reason."""
    games: list[Played] = []
    for file, data in files:
        if data.startswith(b"{"):
            for found in _judged(data, only_people=options.history):
                if isinstance(found, FairgroundError):
                    skipped.append({"file": file, "reason": f"{shown(file)}: {found}"})
                else:
                    games += found
        else:
            games += _rounds(file, data)
    made = ratings(games)
    if options.seat is not None:
        names = sorted({rating.name for rating in made})
        made = [rating for rating in made if rating.name == options.seat]
        if names and not made:
            there = ", ".join(map(shown, names))
            raise InputError(
                f"nobody in these games is called {options.seat!r}; there are: {there}"
            )
    exit_code = 0 if made or not skipped else 2
    if options.json:
        print(
            json.dumps(
                {
                    "format": "fairground/rating/1",
                    "ratings": [rating.as_json() for rating in made],
                    "skipped": skipped,
                }
            )
        )
        return exit_code
    art = Ink.of_terminal()
    for rating in made:
        for line in _rating_lines(rating):
            print(art.fold(line, "", "  "))
    if not made:
        print("No decision could be judged.")
    if skipped:
        print(
            art.fold(f"{count(len(skipped), 'game')} not judged. The first: {skipped[0]['reason']}")
        )
    return exit_code


def _judged(data: bytes, *, only_people: bool) -> Iterator[Iterable[Played] | FairgroundError]:
    """Yield the judged seats of each game in a transcript or contest, or why there are none."""
    try:
        games = games_in(data)
    except FairgroundError as reason:
        yield reason
        return
    for game in games:
        try:
            review = review_of(game)
        except FairgroundError as reason:
            yield reason
            continue
        name = review.game.name
        title = GAMES[name].title if name in GAMES else name
        yield played(review, title, report.readers(review) if only_people else None)


def _rounds(file: str, data: bytes) -> list[Played]:
    """A file of rounds of FateStones: each counts as a game of its own."""
    games: list[Played] = []

    def judged(costs: tuple[Fraction, Fraction]) -> None:
        for player, cost in enumerate(costs, 1):
            name = f"player {player}"
            games.append(
                Played(name, "FateStones, rounds", WINS, cost, 1, int(cost > 0), Fraction(0), 0)
            )

    text = data.decode(errors="replace").splitlines()
    report_rows(text_cells(text) if file == "-" else read_cells(Path(file)), None, None, judged)
    if not games:
        raise InputError(f"{file!r} is no transcript, contest file or file of rounds")
    return games


def _rating_lines(rating: Rating) -> list[str]:
    unit = rating.unit
    per_game = report.amount(Fraction(rating.cost), unit)
    each = "" if unit is WINS else " per game"
    between = ""
    if rating.low is not None and rating.high is not None:
        low, high = (report.scaled(Fraction(value), unit) for value in (rating.low, rating.high))
        between = f", between {low} and {high} with a confidence of 95 %"
    first = (
        f"{rating.title}, {shown(rating.name)}: gives away {per_game}{each}{between} "
        f"({count(rating.games, 'game')}, {count(rating.decisions, 'decision')}, "
        f"{rating.mistakes} of them not the best)."
    )
    if rating.lost:
        first += f" {count(rating.lost, 'game')} given up: not counted in that."
    if rating.trend is None:
        return [first]
    better = "less" if rating.trend < 0 else "more"
    change = report.amount(abs(Fraction(rating.trend)), unit)
    return [first, f"  In the later half of the games it was {change} {better}."]


LEAVE: Final = ("q", "quit", "x", "exit")
NEWEST: Final = 40
"""Games of one's own that are looked at."""


def _learn_arguments() -> Arguments:
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


def run_learn(arguments: Sequence[str]) -> int:
    """``fairground learn``"""
    parser = _learn_arguments()
    options = parser.parse_args(arguments)
    if not 1 <= options.questions <= 1000:
        parser.error(f"--questions must be in 1..1000, not {options.questions}")
    name = GAMES.newest(ALIASES.get(options.game, options.game))
    chance: Stream = SystemStream() if options.seed is None else SeededStream(options.seed, 0)
    lesson = Lesson(name, Progress(data_directory().parent / "learning.json"), chance)
    return lesson.run(options.questions)


class Lesson:
    """Asks, judges, remembers."""

    def __init__(self, game: str, progress: Progress, chance: Stream) -> None:
        self._game, self._progress, self._chance = game, progress, chance
        self._console, self._art = Console(), Ink.of_terminal()

    def run(self, questions: int) -> int:
        """Ask this many questions. The person can leave with q."""
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
        """Yield questions: due ones first, then the person's own mistakes, then new ones."""
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
        for path in kept_records()[:NEWEST]:
            yield from self._of_record(path)

    def _of_record(self, path: Path) -> list[Position]:
        try:
            table = replay(read_file(str(path)))
            if table.game.name != self._game:
                return []
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
