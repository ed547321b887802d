"""A review as JSON: what ``fairground coach --json`` prints, and what the page draws.

The schema is `fairground/schemas/review.json`; `docs/coach.md` says what the members mean. A number
is an object: ``exact`` is a fraction as text (null where the solver is not exact), ``value`` the
same as a decimal.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fairground.coach.judging import Unit
from fairground.coach.luck import LuckOdds
from fairground.coach.reviewing import FORMAT, Alternative, Review, SeatReview, Step
from fairground.games import GAMES


def as_json(review: Review) -> dict[str, Any]:
    """All of a review."""
    exact = review.judge.basis.exact
    basis = review.judge.basis
    name = review.game.name
    return {
        "format": FORMAT,
        "game": name,
        "title": GAMES[name].title if name in GAMES else name,
        "params": review.game.params(),
        "table": review.table,
        "finished": review.finished,
        "ending": review.ending,
        "unit": unit_as_json(review.judge.unit),
        "basis": {"exact": exact, "error": basis.error, "says": basis.says},
        "seats": [_seat(seat, exact) for seat in review.seats],
        "steps": [_step(step, exact) for step in review.steps],
        "moments": [review.steps.index(step) for step in review.moments()],
    }


def unit_as_json(unit: Unit) -> dict[str, Any]:
    """What numbers are counted in."""
    return {"name": unit.name, "one": unit.one, "many": unit.many, "scale": unit.scale}


def number(value: Fraction, exact: bool) -> dict[str, Any]:
    """A number, exact or not."""
    return {"exact": str(value) if exact else None, "value": float(value)}


def _seat(seat: SeatReview, exact: bool) -> dict[str, Any]:
    return {
        "seat": seat.seat,
        "name": seat.name,
        "role": seat.role,
        "by": seat.by,
        "start": number(seat.start, exact),
        "result": None if seat.result is None else number(seat.result, exact),
        "now": number(seat.now, exact),
        "luck": number(seat.luck, exact),
        "cost": number(seat.cost, exact),
        "given": number(seat.given, exact),
        "model": number(seat.model, exact),
        "decisions": seat.decisions,
        "mistakes": seat.mistakes,
        "odds": None if seat.odds is None else _odds(seat.odds),
    }


def _odds(odds: LuckOdds) -> dict[str, Any]:
    return {
        "good": odds.good,
        "low": float(odds.low),
        "high": float(odds.high),
        "draws": odds.draws,
        "unknown": odds.unknown,
    }


def _step(step: Step, exact: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "line": step.line,
        "kind": step.kind,
        "seat": step.seat,
        "says": step.says,
        "values": _numbers(step.values, exact),
        "change": _numbers(step.change, exact),
    }
    if step.kind in ("decision", "leave"):
        told |= {
            "move": step.move,
            "cost": number(step.cost, exact),
            "verdict": step.verdict,
            "alternatives": alternatives_as_json(step.alternatives, exact),
            "why": step.why,
            "hinted": step.hinted,
        }
    return told


def alternatives_as_json(alternatives: Sequence[Alternative], exact: bool) -> list[dict[str, Any]]:
    """The moves that could have been made, with what each is worth."""
    return [
        {
            "move": other.move,
            "says": other.says,
            "value": number(other.value, exact),
            "cost": number(other.cost, exact),
            "mix": None if other.mix is None else number(other.mix, exact),
        }
        for other in alternatives
    ]


def _numbers(values: Sequence[Fraction], exact: bool) -> list[dict[str, Any]]:
    return [number(value, exact) for value in values]
