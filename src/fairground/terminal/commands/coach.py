"""``fairground coach``: what each decision of a game was worth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from fairground.coach import telling
from fairground.coach.chart import lines, svg
from fairground.coach.page import html
from fairground.coach.reviewing import Review
from fairground.coach.shape import as_json
from fairground.coach.sources import review_of
from fairground.core import InputError, Seat
from fairground.shown import shown
from fairground.terminal.console import Arguments
from fairground.terminal.ink import Ink
from fairground.terminal.saving import read_file


def _arguments() -> Arguments:
    parser = Arguments(
        "coach",
        "Review a game: what each decision cost against perfect play, what chance gave, and how\n"
        "both add up to the result. The transcript is run again first; one that does not hold\n"
        "is not reviewed.",
        "Examples:\n"
        "  fairground coach game.jsonl\n"
        "  fairground coach game.jsonl --seat Ann --svg game.svg\n"
        "  fairground coach game.jsonl --json",
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="a transcript; - reads standard input"
    )
    parser.add_argument("--seat", metavar="NAME", help="whose game (the people's, if not told)")
    parser.add_argument("--all", action="store_true", help="every decision, not only the dearest")
    parser.add_argument("--svg", metavar="FILE", type=Path, help="write the chart of one seat")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write the review as a page")
    parser.add_argument("--json", action="store_true", help="print the review as one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground coach``"""
    options = _arguments().parse_args(arguments)
    if len(options.files) > 1:
        raise InputError("one transcript at a time")
    review = review_of(read_file(options.files[0]))
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


def _tell(art: Ink, review: Review, seats: Sequence[Seat], *, everything: bool) -> None:
    print(art.ink(art.fold(telling.title(review)), "bold"))
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
    print(art.ink(f"  In {review.judge.unit.many}:", "dim"))
    for at, (what, value) in enumerate(rows):
        if at == len(rows) - 1:
            print("  " + "-" * (width + digits + 2))
        print(f"  {what:<{width}}  {value:>{digits}}")
