"""A review: what each decision of a game cost, what chance gave, and that both add up.

For each seat, with V as in `fairground.coach.judging`::

    result - V(start)  =  luck  -  own costs  +  what others gave away  +  the model's part

Each draw changes V by its luck, each decision by its cost. All steps together lead from V(start) to
the result, so the parts add up exactly. The model's part is zero where the solver is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple

from fairground.coach.judging import NOISE, Judge, Option, Spread, Values, judge_of, value_of
from fairground.coach.luck import LuckOdds, odds_of
from fairground.core import Game, Move, Over, Seat, Turn
from fairground.course import Drawn, Left, Moved, Out, follow
from fairground.fair.schemes import Chair
from fairground.table import Table
from fairground.words import PlainWords, words_for

FORMAT: Final = "fairground/review/1"

LISTED: Final = 12
"""The most alternatives of a decision that a review lists."""

MOMENTS: Final = 3
"""How many decisions a review calls the ones that mattered most."""

Kind = Literal["draw", "answer", "meeting", "decision", "forced", "leave", "model"]
"""What a step is. ``draw``, ``answer`` and ``meeting`` are chance; ``answer`` tells what a fair
keeper's code has to say, and ``meeting`` which of two secret picks met."""

CHANCE: Final = ("draw", "answer", "meeting")

Verdict = Literal["right", "slip", "mistake", "blunder"]


class Alternative(NamedTuple):
    """A move that could have been made."""

    move: Move
    says: str
    value: Fraction
    """For whoever decides."""
    cost: Fraction
    mix: Fraction | None


class Step(NamedTuple):
    """One thing that changed what the seats may expect."""

    line: int
    kind: Kind
    seat: Seat | None
    """Who decided; ``None`` for chance."""
    says: str
    values: Values
    """What each seat may expect after it."""
    change: Values
    """What it gave each seat."""
    move: Move | None = None
    cost: Fraction = Fraction(0)
    """What the decision gave away."""
    verdict: Verdict = "right"
    alternatives: tuple[Alternative, ...] = ()
    """The best first; those of cost 0 are all equally right."""
    why: str = ""
    """For a decision that cost something: why."""
    hinted: bool = False
    """Whether the seat had asked for advice."""


class SeatReview(NamedTuple):
    """One seat's game in numbers."""

    seat: Seat
    name: str
    role: str
    by: str
    start: Fraction
    """What it could expect at the start."""
    result: Fraction | None
    """What it got; ``None`` while the game is not finished."""
    now: Fraction
    """What it may expect at the end of the record: the result, if there is one."""
    luck: Fraction
    cost: Fraction
    given: Fraction
    """What the others' decisions gave this seat (or took, where there are more than two)."""
    model: Fraction
    decisions: int
    mistakes: int
    """Decisions that cost something."""
    odds: LuckOdds | None
    """How odd its luck was."""


class Review(NamedTuple):
    """A judged game."""

    game: Game[Any]
    table: str
    judge: Judge[Any]
    steps: tuple[Step, ...]
    seats: tuple[SeatReview, ...]
    finished: bool
    start: Values
    ending: str
    """How it ended, in a sentence."""

    def decisions(self, seat: Seat | None = None) -> list[Step]:
        """What was decided, by one seat or by all."""
        return [
            step
            for step in self.steps
            if step.kind in ("decision", "leave") and seat in (None, step.seat)
        ]

    def moments(self, seat: Seat | None = None) -> list[Step]:
        """The decisions that mattered most: those that cost the most, the dearest first."""
        costly = [step for step in self.decisions(seat) if step.cost]
        return sorted(costly, key=lambda step: -step.cost)[:MOMENTS]

    def turns_of_luck(self, seat: Seat) -> tuple[Step | None, Step | None]:
        """The kindest and the unkindest draw for a seat."""
        drawn = [step for step in self.steps if step.kind in CHANCE and step.change[seat]]
        if not drawn:
            return None, None
        best = max(drawn, key=lambda step: step.change[seat])
        worst = min(drawn, key=lambda step: step.change[seat])
        return (
            best if best.change[seat] > 0 else None,
            worst if worst.change[seat] < 0 else None,
        )


def review(table: Table, judge: Judge[Any] | None = None) -> Review:
    """Judge a game that was run again by `fairground.replay`."""
    judge = judge or judge_of(table.game)
    chairs = table.setting.chairs
    names = [chair.name for chair in chairs]
    course = list(follow(table))
    judge.prepare(course)
    walk = _Walk(judge, words_for(table.game, names), table)
    steps: list[Step] = []
    for what in course:
        steps += walk.steps(what)
    finished = table.payoff is not None
    if table.payoff is not None:
        steps += walk.rounding(judge.paid(table.payoff), table.transcript.step)
    seats = [_seat(walk, seat, chair, steps, table.payoff) for seat, chair in enumerate(chairs)]
    name = table.transcript.events[0]["table"]
    words, state = walk.words, table.state
    ending = (
        "The game is not finished." if table.payoff is None else words.over(state, table.payoff)
    )
    return Review(table.game, name, judge, tuple(steps), tuple(seats), finished, walk.start, ending)


def _seat(
    walk: _Walk,
    seat: Seat,
    chair: Chair,
    steps: Sequence[Step],
    payoff: Sequence[int] | None,
) -> SeatReview:
    def total(*kinds: str, own: bool | None = None) -> Fraction:
        return sum(
            (
                step.change[seat]
                for step in steps
                if step.kind in kinds and own in (None, step.seat == seat)
            ),
            Fraction(0),
        )

    mine = [step for step in steps if step.kind in ("decision", "leave") and step.seat == seat]
    return SeatReview(
        seat=seat,
        name=chair.name,
        role=walk.game.role(seat),
        by=chair.by,
        start=walk.start[seat],
        result=None if payoff is None else walk.judge.paid(payoff)[seat],
        now=walk.values[seat],
        luck=total(*CHANCE),
        cost=-total("decision", "leave", own=True),
        given=total("decision", "leave", own=False),
        model=total("model"),
        decisions=len(mine),
        mistakes=sum(step.cost > 0 for step in mine),
        odds=odds_of(
            walk.spreads[seat],
            walk.known_luck[seat],
            unknown=walk.unknown,
            exact=walk.judge.basis.exact,
        ),
    )


def alternatives(
    judge: Judge[Any],
    words: PlainWords[Any],
    state: Any,
    seat: Seat,
    options: Sequence[Option],
    *,
    chosen: Option,
) -> Iterator[Alternative]:
    """What a seat could have done, the best first: not too many, and what it did among them."""
    noise = Fraction(0) if judge.basis.exact else NOISE
    best = options[0].values[seat]
    for at, option in enumerate(options):
        if at < LISTED or option.move == chosen.move:
            value = option.values[seat]
            cost = best - value
            if abs(cost) <= noise:
                cost = Fraction(0)
            yield Alternative(
                option.move, words.option(state, seat, option.move), value, cost, option.mix
            )


class _Walk:
    """Goes through a game and values every state on the way."""

    def __init__(self, judge: Judge[Any], words: PlainWords[Any], table: Table) -> None:
        self.judge, self.words, self.game = judge, words, table.game
        self._noise = Fraction(0) if judge.basis.exact else NOISE
        self.start = self.values = value_of(judge, table.game.start())
        self.spreads: list[list[Spread]] = [[] for _ in self.start]
        self.known_luck = [Fraction(0) for _ in self.start]
        """The luck of those draws whose other outcomes are known, which are in ``spreads``."""
        self.unknown = 0
        """How many draws are not."""
        self._since: Any = None
        """The state before a draw that is not complete."""
        self._said: list[str] = []
        self._moves: dict[Seat, Moved] = {}
        self._hints = [
            (line, event["body"]["seat"])
            for line, event in enumerate(table.transcript.events, 1)
            if event["kind"] == "note" and "hint" in event["body"] and "seat" in event["body"]
        ]
        self._leaving = {
            line: event
            for line, event in enumerate(table.transcript.events, 1)
            if event["kind"] == "forfeit"
        }

    def steps(self, what: Drawn | Moved | Left | Out) -> Iterator[Step]:
        """What one thing changed."""
        if isinstance(what, Drawn):
            yield from self._drawn(what)
        elif isinstance(what, Moved):
            yield from self._moved(what)
        elif what.after is not what.before:
            yield self._left(what)

    def rounding(self, result: Values, line: int) -> Iterator[Step]:
        """What floating point numbers have left over at the end, if anything."""
        if self.values != result:
            assert all(abs(a - b) <= NOISE for a, b in zip(self.values, result, strict=True))
            yield self._step(line, "model", None, "", result)

    def _step(self, line: int, kind: Kind, seat: Seat | None, says: str, after: Values) -> Step:
        change = tuple(b - a for a, b in zip(self.values, after, strict=True))
        self.values = after
        return Step(line, kind, seat, says, after, change)

    def _drawn(self, what: Drawn) -> Iterator[Step]:
        if self._since is None:
            self._since = what.before
        if (told := self.words.drawn(what.before, what.after, what.n, what.value)) is not None:
            self._said.append(told)
        if self._tells(what.after):
            since, self._since = self._since, None
            says, self._said = " ".join(self._said), []
            yield self._chance(what.line, "draw", says, since, what.after)

    def _tells(self, state: Any) -> bool:
        return isinstance(self.game.awaits(state), Over) or self.judge.knows(state)

    def _chance(self, line: int, kind: Kind, says: str, before: Any, after: Any) -> Step:
        spreads = [self.judge.spread(before, after, seat) for seat in range(len(self.values))]
        step = self._step(line, kind, None, says, value_of(self.judge, after))
        if any(spread is None for spread in spreads):
            self.unknown += 1
            return step
        for seat, spread in enumerate(spreads):
            self.spreads[seat].append(spread or [])
            self.known_luck[seat] += step.change[seat]
        return step

    def _moved(self, what: Moved) -> Iterator[Step]:
        awaits = self.game.awaits(what.before)
        assert isinstance(awaits, Turn)
        if len(awaits.seats) > 1:
            self._moves[what.seat] = what
            if self._moves.keys() == set(awaits.seats):
                yield from self._met(what.before, what.after)
            return
        says = self.words.move(what.before, what.seat, what.move)
        if self.judge.reveals(what.before):
            yield self._chance(what.line, "answer", says, what.before, what.after)
            return
        options = self.judge.options(what.before, what.seat, (what.move,))
        best = options[0].values
        if any(abs(a - b) > self._noise for a, b in zip(best, self.values, strict=True)):
            yield self._step(what.line, "model", None, "", best)
        yield self._decided(what, says, options)

    def _met(self, before: Any, after: Any) -> Iterator[Step]:
        """Picks that were made at once: each has its cost, and the rest is luck."""
        moves, self._moves = self._moves, {}
        picks = {seat: what.move for seat, what in sorted(moves.items())}
        for seat, what in sorted(moves.items()):
            options = self.judge.options(before, seat, (what.move,))
            yield self._decided(what, self.words.move(before, seat, what.move), options)
        line = max(what.line for what in moves.values())
        yield self._chance(line, "meeting", self.words.meeting(before, picks), before, after)

    def _decided(self, what: Moved, says: str, options: Sequence[Option]) -> Step:
        seat, state = what.seat, what.before
        best = options[0]
        chosen = next(option for option in options if option.move == what.move)
        cost = best.values[seat] - chosen.values[seat]
        if abs(cost) <= self._noise:
            cost, chosen = Fraction(0), chosen._replace(values=best.values)
        after = tuple(
            now + b - a for now, a, b in zip(self.values, best.values, chosen.values, strict=True)
        )
        kind: Kind = "forced" if self.judge.forced(state, seat) and not cost else "decision"
        step = self._step(what.line, kind, seat, says, after)
        return step._replace(
            move=what.move,
            cost=cost,
            verdict=self._verdict(cost),
            alternatives=tuple(
                alternatives(self.judge, self.words, state, seat, options, chosen=chosen)
            ),
            why=self.judge.why(self.words, state, seat, chosen, best) if cost else "",
            hinted=self._was_hinted(what.line, seat),
        )

    def _verdict(self, cost: Fraction) -> Verdict:
        if not cost:
            return "right"
        unit = self.judge.unit
        return "slip" if cost < unit.slip else "mistake" if cost < unit.mistake else "blunder"

    def _was_hinted(self, line: int, seat: Seat) -> bool:
        asked = [at for at, who in self._hints if at < line and who == seat]
        self._hints = [(at, who) for at, who in self._hints if at >= line or who != seat]
        return bool(asked)

    def _left(self, what: Left | Out) -> Step:
        event = self._leaving[what.line]
        says = self.words.left(what.seat, event["by"], event["reason"])
        before = self.values[what.seat]
        self._since, self._said, self._moves = None, [], {}
        step = self._step(what.line, "leave", what.seat, says, value_of(self.judge, what.after))
        cost = before - step.values[what.seat]
        return step._replace(cost=cost, verdict=self._verdict(cost))
