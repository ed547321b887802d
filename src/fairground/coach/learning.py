"""Positions to practise on, and what one has learnt of them.

A position is a game and the way to it: every draw and every move from the start, so that anybody
can walk it again by the rules. Positions come from one's own games, where a decision cost
something; or from games that are played for the purpose, where the best move stands out.

A position *sits* once it was answered right `ENOUGH` times in a row. Until then it comes back,
those that were answered wrong first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.coach.judging import Judge, Option, judge_of
from fairground.coach.report import amount
from fairground.coach.review import Review
from fairground.core import Draw, Game, InputError, Move, Seat, TooMany, Turn
from fairground.fair.bits import Stream
from fairground.fair.schemes import Chance
from fairground.games import make_game
from fairground.table import Change, Table
from fairground.transcript import frozen
from fairground.words import PlainWords, words_for

ENOUGH: Final = 2
"""Right answers in a row after which a position sits."""

TRIES: Final = 60
"""Decisions that are looked at for a position worth asking."""


TRIVIAL: Final = 1
"""A whole win, bet or guess between two moves is too plain to be asked."""


class Position(NamedTuple):
    """A point of a game at which a seat has to decide."""

    game: str
    params: dict[str, Any]
    path: tuple[Any, ...]
    """``["draw", value]`` and ``["move", {seat: move}]``, from the start."""
    seat: Seat

    @property
    def name(self) -> str:
        return json.dumps(self, sort_keys=True, separators=(",", ":"))

    def walk(self) -> tuple[Game[Any], Any]:
        """The game, and the state that the path leads to; refuse one that the rules forbid."""
        game = make_game(self.game, self.params)
        state = game.start()
        for kind, what in self.path:
            if kind == "draw":
                state = game.drawn(state, what)
            else:
                moves = {int(seat): frozen(move) for seat, move in what.items()}
                for seat, move in moves.items():
                    game.check(state, seat, move)
                state = game.played(state, moves)
        awaits = game.awaits(state)
        if not isinstance(awaits, Turn) or self.seat not in awaits.seats:
            raise InputError(f"seat {self.seat} has nothing to decide at the end of this path")
        return game, state


def from_json(told: Sequence[Any]) -> Position:
    """Return the position that a name encodes."""
    game, params, path, seat = told
    return Position(game, params, tuple(map(tuple, path)), seat)


def positions_of(review: Review, table: Table, seats: Sequence[Seat]) -> Iterator[Position]:
    """Yield the positions of these seats' costly decisions, the dearest first."""
    wanted = {(step.line, step.seat): step.cost for step in review.decisions() if step.cost}
    found: list[tuple[Fraction, Position]] = []
    for path, what in _paths(table):
        cost = wanted.get((what.line, what.seat))
        if cost and what.seat in seats:
            game = review.game
            found.append((cost, Position(game.name, game.params(), path, what.seat)))
    return (position for _, position in sorted(found, key=lambda one: -one[0]))


def position_at(table: Table, line: int, seat: Seat) -> Position:
    """Return the position in which a seat made the decision of this line."""
    for path, what in _paths(table):
        if (what.line, what.seat) == (line, seat):
            return Position(table.game.name, table.game.params(), path, seat)
    raise InputError(f"seat {seat} decided nothing in line {line} that can be asked again")


def words_at(game: Game[Any], seat: Seat) -> PlainWords[Any]:
    """Return the words of a game for a learner in one of its seats."""
    own = game.role(seat)
    alike = sum(game.role(i) == own for i in range(game.seats)) - 1
    names = []
    for i in range(game.seats):
        role = game.role(i)
        other = f"The other {role}" if alike == 1 else f"{role.capitalize()} {i + 1}"
        names.append("You" if i == seat else other if role == own else f"The {role}")
    return words_for(game, names, seat)


def _paths(table: Table) -> Iterator[tuple[tuple[Any, ...], Change]]:
    """Every move of a game, with the way to the state before it."""
    path: list[Any] = []
    together: dict[str, Move] = {}
    for change in table.history:
        if change.kind == "draw":
            path.append(("draw", change.value))
        elif change.kind == "move":
            yield tuple(path), change
            together[str(change.seat)] = change.value
            if change.after is not change.before:
                path.append(("move", together))
                together = {}
        else:
            return  # a path has no word for somebody who left


def drawn_position(game: Game[Any], chance: Stream) -> Position:
    """A position in which one move stands out, met in a game with a seat that errs at times."""
    judge = judge_of(game)
    state = game.start()
    path: list[tuple[str, Any]] = []
    best: tuple[Fraction, Position] | None = None
    for _ in range(TRIES):
        awaits = game.awaits(state)
        if isinstance(awaits, Draw):
            value = chance.below(awaits.n)
            path.append(("draw", value))
            state = game.drawn(state, value)
        elif isinstance(awaits, Turn):
            moves = {}
            for seat in awaits.seats:
                view = game.view(state, seat)
                if not judge.reveals(view) and not judge.forced(view, seat):
                    here = Position(game.name, game.params(), tuple(path), seat)
                    stake = _stake(judge, view, seat)
                    telling = judge.unit.slip <= stake < TRIVIAL
                    if telling and (best is None or stake > best[0]):
                        best = stake, here
                moves[seat] = _usual_move(judge, view, seat, chance)
            path.append(("move", {str(seat): move for seat, move in moves.items()}))
            state = game.played(state, moves)
        elif best is not None:
            break
        else:
            state, path = game.start(), []
    if best is None:
        raise InputError(f"no position of {game.name} was found in which a move stands out")
    return best[1]


def _some_moves(judge: Judge[Any], view: Any, seat: Seat) -> list[Move]:
    try:
        return list(islice(judge.game.choices(view, seat), 40))
    except TooMany:
        return []


def _stake(judge: Judge[Any], view: Any, seat: Seat) -> Fraction:
    """Return the difference between the best move and the next that is worse."""
    options = judge.options(view, seat, _some_moves(judge, view, seat))
    best = options[0].values[seat]
    worse = [best - option.values[seat] for option in options if option.values[seat] < best]
    return min(worse, default=Fraction(0))


def _usual_move(judge: Judge[Any], view: Any, seat: Seat, chance: Chance) -> Move:
    """Mostly the best move, one time in three any other."""
    if judge.reveals(view) or judge.forced(view, seat):
        only: Move = next(iter(judge.game.choices(view, seat)))
        return only
    some = _some_moves(judge, view, seat)
    if some and chance.below(3) == 0:
        return some[chance.below(len(some))]
    return judge.options(view, seat)[0].move


class Judged(NamedTuple):
    """The value of an answer."""

    right: bool
    cost: Fraction
    chosen: Option
    options: Sequence[Option]

    @property
    def best(self) -> Option:
        return self.options[0]


def judged(judge: Judge[Any], view: Any, seat: Seat, move: Move) -> Judged:
    """Judge an answer; all moves of cost 0 are right."""
    options = judge.options(view, seat, (move,))
    chosen = next(option for option in options if option.move == move)
    cost = options[0].values[seat] - chosen.values[seat]
    right = cost == 0 if judge.basis.exact else cost <= Fraction(1, 10**9)
    return Judged(right, cost, chosen, options)


def verdict(judge: Judge[Any], words: PlainWords[Any], view: Any, seat: Seat, found: Judged) -> str:
    """Return the reply to an answer: right, and why; or its cost, and a better move."""
    if found.right:
        return f"Right. {judge.advice(words, view, seat, found.best)}"
    cost = amount(found.cost, judge.unit)
    best = words.option(view, seat, found.best.move)
    why = judge.why(words, view, seat, found.chosen, found.best)
    return f"Not the best: it costs {cost}. Better: {best}. {why}"


class Progress:
    """A learner's past answers, stored in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._streaks: dict[str, int] = {}
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            self._streaks = {str(name): int(streak) for name, streak in told["streaks"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass  # none is kept yet, or it cannot be read: begin anew

    def sits(self, position: Position) -> bool:
        """Return true if the position was answered right `ENOUGH` times in a row."""
        return self._streaks.get(position.name, 0) >= ENOUGH

    def note(self, position: Position, right: bool) -> None:
        self._streaks[position.name] = self._streaks.get(position.name, 0) + 1 if right else 0
        self._path.parent.mkdir(parents=True, exist_ok=True)
        told = json.dumps({"format": "fairground/learning/1", "streaks": self._streaks})
        self._path.write_text(told, encoding="utf-8")

    def due(self, game: str) -> list[Position]:
        """Return the positions that were asked and do not sit yet, the least known first."""
        waiting = sorted(
            (streak, name) for name, streak in self._streaks.items() if streak < ENOUGH
        )
        positions = (from_json(json.loads(name)) for _, name in waiting)
        return [position for position in positions if position.game == game]

    def count(self, game: str) -> tuple[int, int]:
        """Return the number of positions of a game that sit, and that were asked."""
        streaks = [streak for name, streak in self._streaks.items() if json.loads(name)[0] == game]
        return sum(streak >= ENOUGH for streak in streaks), len(streaks)
