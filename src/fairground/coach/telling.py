"""A review in sentences, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from fairground.coach.judging import GUESSES, NOISE, Unit
from fairground.coach.luck import LuckOdds
from fairground.coach.reviewing import Review, SeatReview, Step
from fairground.core import InputError, Seat
from fairground.games import GAMES
from fairground.games.codebreaking import BREAKER, STAKE
from fairground.shown import shown
from fairground.words.plain import count, listed
from fairground.words.reasons import number

MOST: Final = 3
"""Moves of equal worth that are named."""


def seat_named(review: Review, name: str) -> Seat:
    """The seat of this name or number."""
    for seat in review.seats:
        if name in (seat.name, str(seat.seat)):
            return seat.seat
    names = ", ".join(shown(seat.name) for seat in review.seats)
    raise InputError(f"nobody at this table is called {name!r}; there are: {names}")


def readers(review: Review) -> list[Seat]:
    """Whom a review is for, unless told: the people, or else everybody who decided something."""
    people = [seat.seat for seat in review.seats if seat.by == "self" and seat.decisions]
    return people or [seat.seat for seat in review.seats if seat.decisions]


GAME: Final = "the game"
"""What giving up costs: the code is not found, with however many guesses."""


def whole_game(value: Fraction, unit: Unit) -> bool:
    """Whether a value is no number of guesses, but stands for a code that is not found."""
    return unit is GUESSES and abs(value) > STAKE // 2


def amount(value: Fraction, unit: Unit) -> str:
    """A value with its unit: "4.2 wins in 100 games"."""
    if whole_game(value, unit):
        return GAME
    scaled = value * unit.scale
    return f"{number(scaled)} {unit.one if scaled == 1 else unit.many}"


def scaled(value: Fraction, unit: Unit) -> str:
    """A value as people are shown it, without its unit."""
    return number(value * unit.scale)


def signed(value: Fraction, unit: Unit) -> str:
    """A change, with its sign, in the unit: "+4.2"."""
    if whole_game(value, unit):
        return GAME
    scaled = float(value * unit.scale)
    return f"{scaled + 0.0:+.{unit.digits}f}"


def counted(review: Review, seat: Seat) -> int:
    """How a seat's values are shown: a breaker's guesses are counted, not owed."""
    return -1 if review.judge.unit is GUESSES and seat == BREAKER else 1


def heading(review: Review, seat: Seat) -> str:
    """What the numbers of an account are counted in."""
    many = review.judge.unit.many
    fewer = " (fewer are better)" if counted(review, seat) < 0 else ""
    return f"{many[0].upper()}{many[1:]}{fewer}:"


def title(review: Review) -> str:
    """What was played, and by whom."""
    name = review.game.name
    names = listed([shown(seat.name) for seat in review.seats])
    return f"{GAMES[name].title if name in GAMES else name}: {names}"


def summary(review: Review, seat: Seat) -> Iterator[str]:
    """One seat's game in a few sentences."""
    one, unit = review.seats[seat], review.judge.unit
    name = shown(one.name)
    gives, takes = ("saved", "cost") if counted(review, seat) < 0 else ("gave", "took")
    if one.result is None:
        yield f"The game is not finished. {name} may expect {expected(one.now, unit)} from here."
    yield _skill(one, unit)
    kind, unkind = review.turns_of_luck(seat)
    if kind is not None:
        gave = amount(kind.change[seat], unit)
        what = f"The kindest {_chance(kind)}, in line {kind.line}"
        yield f"{what}, {gives} {name} {gave}: {kind.says}"
    if unkind is not None:
        took = amount(-unkind.change[seat], unit)
        what = f"The unkindest {_chance(unkind)}, in line {unkind.line}"
        yield f"{what}, {takes} {took}: {unkind.says}"
    if one.odds is not None:
        yield oddness(one.odds, name)


def _chance(step: Step) -> str:
    return step.kind if step.kind in ("answer", "meeting") else "draw"


def expected(value: Fraction, unit: Unit) -> str:
    """What a seat may expect, in words."""
    if unit is GUESSES:
        return f"{number(abs(value))} guesses in all"
    if unit.name == "bets":
        verb = "to lose" if value < 0 else "to win"
        return f"{verb} {amount(abs(value), unit)}"
    return f"to win {number(value * 100)} in 100 games"


def _skill(one: SeatReview, unit: Unit) -> str:
    name = shown(one.name)
    made = count(one.decisions, "decision")
    if not one.decisions:
        return f"{name} had nothing to decide."
    if not one.mistakes:
        return f"{name} made {made}, and none could have been better."
    worse = "1 of them was" if one.mistakes == 1 else f"{one.mistakes} of them were"
    if one.decisions == one.mistakes == 1:
        return f"{name} made 1 decision, and it cost {amount(one.cost, unit)}."
    cost = amount(one.cost, unit)
    in_all = "" if cost == GAME or one.mistakes == 1 else " in all"
    return f"{name} made {made}. {worse} not the best, and cost {cost}{in_all}."


def oddness(odds: LuckOdds, name: str) -> str:
    """How rare the luck was."""
    kind = "good" if odds.good else "bad"
    what = "the draws after the deal" if odds.unknown else "all draws"
    often = rarity(odds.low) if odds.low == odds.high else _between(odds.low, odds.high)
    return f"Luck at least this {kind} for {name}: {often}, if {what} were drawn again."


def rarity(chance: Fraction) -> str:
    """A chance as "1 game in 14"."""
    if chance <= 0:
        return "never"
    if chance >= Fraction(995, 1000):
        return "every time"
    games = 1 / chance
    if games < 10:
        return f"{number(Fraction(round(chance * 100)))} games in 100"
    return f"1 game in {round(games):,}"


def _between(low: Fraction, high: Fraction) -> str:
    """Two bounds of a chance, counted in the same way."""
    if rarity(low) == rarity(high):
        return f"about {rarity(low)}"
    if low <= 0:
        return f"at most {rarity(high)}"
    if high >= Fraction(1, 10):
        return f"{round(low * 100)} to {round(high * 100)} games in 100"
    return f"1 game in {round(1 / high):,} to {round(1 / low):,}"


def account(review: Review, seat: Seat) -> list[tuple[str, str]]:
    """How the result came about: the parts, and what they add up to."""
    one, unit = review.seats[seat], review.judge.unit
    name = shown(one.name)
    others = [other for other in review.seats if other.seat != seat and other.decisions]
    sign = counted(review, seat)

    def part(value: Fraction) -> str:
        return signed(sign * value, unit)

    rows = [("expected at the start", part(one.start).lstrip("+")), ("luck", part(one.luck))]
    if one.decisions:
        rows.append((f"what {name} gave away", part(-one.cost)))
    if others:
        whose = shown(others[0].name) if len(others) == 1 else "the others"
        rows.append((f"what {whose} gave away", part(one.given)))
    if abs(one.model) > NOISE:
        rows.append(("what the model did not foresee", part(one.model)))
    end = "the result" if one.result is not None else "expected now"
    if whole_game(one.now, unit):
        found = one.now < 0 if counted(review, seat) < 0 else one.now > 0
        return [*rows, (end, "not found" if found else "no code fits")]
    return [*rows, (end, part(one.now).lstrip("+"))]


def _named(moves: Sequence[str]) -> str:
    """Several moves; apart by semicolons where one has a comma of its own."""
    if any("," in move for move in moves):
        return "; ".join([*moves[:-1], f"and {moves[-1]}"])
    return listed(moves)


def moment(step: Step, review: Review) -> str:
    """A decision: what was done, and where it cost something, how much and why."""
    asked = " (That was after a hint.)" if step.hinted else ""
    if not step.cost:
        return f"{step.says}{asked} Nothing was better."
    right = [other.says for other in step.alternatives if not other.cost] or ["stay"]
    more = [f"{len(right) - MOST} more"] if len(right) > MOST else []
    better = (
        f"Better, and equally good: {_named([*right[:MOST], *more])}"
        if len(right) > 1
        else f"Better: {right[0]}"
    )
    cost = amount(step.cost, review.judge.unit)
    return f"{step.says}{asked} That cost {cost}. {better}. {step.why}".rstrip()
