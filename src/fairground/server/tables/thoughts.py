"""Functions that run in the worker processes (`server.workers`), on plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fairground.coach.judging import advise, judge_of
from fairground.coach.learning import judged, position_at, verdict, words_at
from fairground.coach.report import as_json as review_as_json
from fairground.coach.report import in_json, unit_as_json
from fairground.coach.review import alternatives, replayed, review_of
from fairground.core import Game, InputError, Move, Seat
from fairground.fair.bits import HashStream
from fairground.json_views import as_json
from fairground.players import make_player
from fairground.server.tables.wire import Hint, MixedMove, NewTry, Tried
from fairground.transcript import frozen


class NoReview(InputError):
    """The coach cannot judge this game."""


class Question(NamedTuple):
    """A question to a house player, with everything it needs to decide."""

    spec: str
    game: Game[Any]
    view: Any
    seat: Seat
    seed: bytes
    memory: bytes
    """The player's memory after its last decision."""


class Decision(NamedTuple):
    """A decision of a house player."""

    move: Move
    remarks: Sequence[str]
    memory: bytes
    """The player's memory for its next decision."""


def decide(asked: Question) -> Decision:
    """Return the move of a house player that is made for this one decision."""
    player = make_player(asked.spec, asked.game, HashStream(asked.seed), asked.seat)
    player.recall(asked.memory)
    move = player.choose(asked.game, asked.view, asked.seat)
    return Decision(move, player.remarks, player.memory())


def advised(game: Game[Any], view: Any, seat: Seat, names: Sequence[str]) -> Hint:
    """Return what the best adviser would play."""
    told = advise(game, view, seat, names)
    words = f"{told.option[0].upper()}{told.option[1:]}. {told.says}"
    value = None if told.value is None else str(told.value)
    mix = [MixedMove(as_json(move), said, str(share)) for move, said, share in told.mix]
    return Hint(as_json(told.move), words, told.exact, value, mix)


def reviewed(data: bytes) -> dict[str, Any]:
    """Return the coach's review of a record; raise `NoReview`."""
    try:
        return review_as_json(review_of(data))
    except InputError as reason:
        raise NoReview(str(reason)) from None


def tried(data: bytes, wanted: NewTry) -> Tried:
    """Return what another move would have been worth."""
    seat, move = wanted.seat, frozen(wanted.move)
    position = position_at(replayed(data), wanted.line, seat)
    game, state = position.walk()
    game.check(state, seat, move)
    view = game.view(state, seat)
    try:
        judge, words = judge_of(game), words_at(game, seat)
    except InputError as reason:
        raise NoReview(str(reason)) from None
    found = judged(judge, view, seat, move)
    listed = tuple(alternatives(judge, words, view, seat, found.options, chosen=found.chosen))
    exact = judge.basis.exact
    return Tried(
        found.right,
        in_json(found.cost, exact),
        unit_as_json(judge.unit),
        verdict(judge, words, view, seat, found),
        in_json(listed, exact),
    )
