"""What is shown of a table, and to whom: its position, words for it, and what a seat is asked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from fairground.arena.live_games import Live, Shown
from fairground.arena.tables.keeping import Tables, ask_id
from fairground.arena.tables.waiting import WaitingTable
from fairground.arena.tables.wire import OPEN, OVER, PLAYING, AskOut, Choice, SeatOut, TableOut
from fairground.core import Game, Seat, TooMany, written
from fairground.transcript import NO_LINE
from fairground.views import as_json
from fairground.words import PlainWords, words_for
from fairground.words.plain import count, listed, quoted

MOST_MOVES: Final = 1000
"""Legal moves are listed if there are no more than this."""

MOST_CHOICES: Final = 100
"""They are listed with words if there are no more than this; else there is a form."""

MOVES: Final = frozenset({"move", "seal"})
"""The asks that are answered by a move."""


def position(
    game: Game[Any], shown: Shown, seat: Seat | None, names: Sequence[str]
) -> dict[str, Any]:
    """All that an answer tells of the state itself: the view, words for it, and the legal moves.

    The law that views leak nothing is run against this function.
    """
    view = game.view(shown.state, seat)
    words = words_for(game, names, seat)
    asked = any(ask.seat == seat and ask.kind in MOVES for ask in shown.asks)
    told: dict[str, Any] = {"view": as_json(view), "words": _sentences(words, view, shown)}
    if seat is None or not asked:
        return told
    told["moves"] = _moves(game, view, seat)
    told["words"] += f" {words.question(view, seat)}"
    choices = _choices(words, view, seat)
    if choices is None:
        told["form"] = game.move_schema(view)
    else:
        told["choices"] = choices
    return told


def _sentences(words: PlainWords[Any], view: Any, shown: Shown) -> str:
    """How things stand, for one reader."""
    lines = [one if one.endswith((".", "!", "?")) else f"{one}." for one in words.state(view)]
    if shown.over:
        lines.append(
            "The game is void." if shown.payoff is None else words.over(view, shown.payoff)
        )
    elif others := sorted({ask.seat for ask in shown.asks} - {words.reader}):
        lines.append(f"The table waits for {listed([words.names[seat] for seat in others])}.")
    return " ".join(lines)


def _moves(game: Game[Any], view: Any, seat: Seat) -> Any:
    try:
        moves = list(islice(game.moves(view, seat), MOST_MOVES + 1))
    except TooMany:
        return "too-many"
    return as_json(moves) if len(moves) <= MOST_MOVES else "too-many"


def _choices(words: PlainWords[Any], view: Any, seat: Seat) -> list[dict[str, Any]] | None:
    try:
        moves = list(islice(words.game.choices(view, seat), MOST_CHOICES + 1))
    except TooMany:
        return None
    if len(moves) > MOST_CHOICES:
        return None
    return [{"move": as_json(one), "words": words.option(view, seat, one)} for one in moves]


async def describe(
    here: str, name: str, table: Live | WaitingTable, tables: Tables, seat: Seat | None = None
) -> TableOut:
    """A table as everyone may see it, or as a seat sees it; ``here`` is the arena's address."""
    if isinstance(table, WaitingTable):
        return _waiting(here, name, table, seat)
    out = _begun(here, table, await tables.shown(table), tables, seat)
    if out.over and (following := await tables.waiting.following(name)):
        out.rematch = f"{here}tables/{following}"
    return out


def waiting_words(table: WaitingTable) -> str:
    """Who is yet to come."""
    chairs = table.wanted.seats
    free = [seat for seat in table.missing if chairs[seat].open]
    away = [quoted(chairs[seat].name) for seat in table.missing if not chairs[seat].open]
    lines = ["The game begins when everybody sits."]
    if free:
        lines.append(f"{count(len(free), 'seat is', 'seats are')} open.")
    if away:
        lines.append(f"The table waits for {listed(away)}.")
    return " ".join(lines)


def _waiting(here: str, name: str, table: WaitingTable, seat: Seat | None) -> TableOut:
    wanted, where = table.wanted, f"{here}tables/{name}"
    out = TableOut(
        where,
        wanted.game,
        wanted.params,
        wanted.dealer,
        {},
        [
            SeatOut(
                chair.name,
                "self" if chair.player is None else "house",
                chair.lends,
                chair.player,
                open=chair.open,
            )
            for chair in wanted.seats
        ],
        0,
        NO_LINE,
        [],
        False,
        None,
        f"{where}/transcript",
        f"{where}/events",
        "",
        waiting_words(table),
        OPEN,
    )
    if seat is not None:
        out.seat, out.asks = seat, []
    return out


def _begun(here: str, live: Live, shown: Shown, tables: Tables, seat: Seat | None) -> TableOut:
    table, private = live.table, live.private
    where = f"{here}tables/{live.log}"
    reading = live.reading
    left = {} if reading is None or shown.over else tables.clocks.left(reading)
    seats = [
        SeatOut(
            *chair,
            private.players.get(str(number)),
            round(max(0.0, left[number]), 3) if number in left else None,
        )
        for number, chair in enumerate(table.setting.chairs)
    ]
    start = table.transcript.events[0]
    told = position(table.game, shown, seat, [chair.name for chair in table.setting.chairs])
    out = TableOut(
        where,
        start["game"],
        start["params"],
        start["dealer"],
        start["public"],
        seats,
        shown.step,
        shown.head,
        sorted({ask.seat for ask in shown.asks}),
        shown.over,
        told["view"],
        f"{where}/transcript",
        f"{where}/events",
        start["table"],
        told["words"],
        OVER if shown.over else PLAYING,
        void=shown.void,
    )
    if shown.over:
        out.payoff = None if shown.payoff is None else list(shown.payoff)
    if seat is not None:
        out.seat = seat
        out.asks = [
            AskOut(ask_id(ask), ask.kind, ask.step, ask.head, written(ask.n), ask.run)
            for ask in shown.asks
            if ask.seat == seat
        ]
    if "moves" in told:
        out.moves = told["moves"]
    if "choices" in told:
        out.choices = [Choice(**choice) for choice in told["choices"]]
    if "form" in told:
        out.form = told["form"]
    return out
