"""``fairground coach``: what each decision of a game was worth; and how well somebody plays."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from fairground.coach import telling
from fairground.coach.chart import lines, svg
from fairground.coach.judging import WINS
from fairground.coach.page import html
from fairground.coach.rating import Played, Rating, played, ratings
from fairground.coach.reviewing import Review
from fairground.coach.shape import as_json
from fairground.coach.sources import games_in, review_of
from fairground.core import FairgroundError, InputError, Seat
from fairground.games import GAMES
from fairground.shown import shown
from fairground.terminal.console import Arguments
from fairground.terminal.ink import Ink
from fairground.terminal.saving import data_directory, read_file
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


def run(arguments: Sequence[str]) -> int:
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
    seats = [telling.seat_named(review, options.seat)] if options.seat else telling.readers(review)
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
    print(art.ink(art.fold(telling.title(review)), "bold"))
    print(art.fold(shown(review.ending)))
    print(art.fold(review.judge.basis.says))
    for seat in seats:
        print()
        if len(seats) > 1:
            print(art.ink(shown(review.seats[seat].name), "bold"))
        for sentence in telling.summary(review, seat):
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
            print(art.fold(telling.moment(step, review), f"{step.line:>4}  ", "      "))


def _account(art: Ink, review: Review, seat: Seat) -> None:
    rows = telling.account(review, seat)
    width = max(len(what) for what, _ in rows)
    digits = max(len(value) for _, value in rows)
    print(art.ink(f"  {telling.heading(review, seat)}", "dim"))
    for at, (what, value) in enumerate(rows):
        if at == len(rows) - 1:
            print("  " + "-" * (width + digits + 2))
        print(f"  {what:<{width}}  {value:>{digits}}")


# Many games


class Skipped(NamedTuple):
    """A game that could not be judged, and why."""

    file: str
    reason: str


def _kept() -> list[str]:
    """The user's own games, the oldest first."""
    files = sorted(data_directory().glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    if not files:
        raise InputError("no game has been saved yet. Play one: fairground")
    return [str(path) for path in files]


def _rate(files: Iterable[tuple[str, bytes]], options: Any) -> int:
    if options.svg is not None or options.html is not None:
        raise InputError("a chart and a page are made of one transcript, not of many games")
    skipped: list[Skipped] = []
    games: list[Played] = []
    for file, data in files:
        if data.startswith(b"{"):
            games += _judged(file, data, options, skipped)
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
                    "skipped": [one._asdict() for one in skipped],
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
        print(art.fold(f"{count(len(skipped), 'game')} not judged. The first: {skipped[0].reason}"))
    return exit_code


def _judged(file: str, data: bytes, options: Any, skipped: list[Skipped]) -> Iterator[Played]:
    def skip(reason: FairgroundError) -> None:
        skipped.append(Skipped(file, f"{shown(file)}: {reason}"))

    try:
        games = games_in(data)
    except FairgroundError as reason:
        skip(reason)
        return
    for game in games:
        try:
            review = review_of(game)
        except FairgroundError as reason:
            skip(reason)
            continue
        name = review.game.name
        title = GAMES[name].title if name in GAMES else name
        own = telling.readers(review) if options.history else None
        yield from played(review, title, own)


def _rounds(file: str, data: bytes) -> list[Played]:
    """A file of rounds of FateStones: each counts as a game of its own."""
    from fairground.lab.fatestones.rows import read_cells, report, text_cells

    games: list[Played] = []

    def judged(costs: tuple[Fraction, Fraction]) -> None:
        for player, cost in enumerate(costs, 1):
            name = f"player {player}"
            games.append(
                Played(name, "FateStones, rounds", WINS, cost, 1, int(cost > 0), Fraction(0), 0)
            )

    text = data.decode(errors="replace").splitlines()
    report(text_cells(text) if file == "-" else read_cells(Path(file)), None, None, judged)
    if not games:
        raise InputError(f"{file!r} is no transcript, contest file or file of rounds")
    return games


def _rating_lines(rating: Rating) -> list[str]:
    unit = rating.unit
    per_game = telling.amount(Fraction(rating.cost), unit)
    each = "" if unit is WINS else " per game"
    between = ""
    if rating.low is not None and rating.high is not None:
        low, high = (telling.scaled(Fraction(value), unit) for value in (rating.low, rating.high))
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
    change = telling.amount(abs(Fraction(rating.trend)), unit)
    return [first, f"  In the later half of the games it was {change} {better}."]
