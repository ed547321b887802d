"""A review: what each decision of a game cost, what chance gave, and that both add up.

For each seat, with V as in `fairground.coach.judging`::

    result - V(start)  =  luck  -  own costs  +  what others gave away  +  the model's part

Each draw changes V by its luck, each decision by its cost. All steps together lead from V(start) to
the result, so the parts add up exactly. The model's part is zero where the solver is exact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple, cast

from fairground.coach.judging import NOISE, Judge, Option, Spread, Values, judge_of, value_of
from fairground.core import Fault, Game, Move, Over, Seat, Turn
from fairground.fair.register import SCHEMES, Schemes
from fairground.fair.schemes import Chair
from fairground.games import GAMES, Games
from fairground.registry import needs
from fairground.table import Change, Table
from fairground.transcript import parse
from fairground.verifier import replay
from fairground.words import PlainWords, words_for

EXACT: Final = 20_000
"""Up to this many different sums are followed as fractions."""

CELLS: Final = 20_000
"""Number of cells of the grid beyond that."""


ROUNDING: Final = 1e-12
"""Margin for the rounding of floating point numbers."""


class LuckOdds(NamedTuple):
    """The probability of luck at least as good, or as bad, in the same situations."""

    good: bool
    """True if the luck was good: the probability is then of luck at least as good."""
    low: Fraction
    high: Fraction
    """The chance lies between the two; equal where it is exact."""
    draws: int
    """Number of draws that were drawn again."""
    unknown: int
    """Number of draws with unknown alternatives, such as a deal from a custom bag."""


def odds_of(
    spreads: Sequence[Spread], luck: Fraction, *, unknown: int = 0, exact: bool = True
) -> LuckOdds | None:
    """Return the odds of this much luck; ``None`` if the outcomes of no draw are known.

    Imagine that every draw is made again, each in the situation in which it came. How often is the
    total luck at least as good (or at least as bad) as it was? The draws are independent, so their
    distributions are convolved. A few outcomes are added as fractions. Many outcomes are put on a
    grid, rounded once up and once down: the truth lies between the two results.
    """
    if not spreads:
        return None
    good = luck >= 0
    sums = _exactly(spreads) if exact else None
    if sums is not None:
        as_lucky = (c for value, c in sums.items() if (value >= luck if good else value <= luck))
        chance = sum(as_lucky, Fraction(0))
        return LuckOdds(good, chance, chance, len(spreads), unknown)
    low, high = _on_a_grid(spreads, float(luck), 1 if good else -1)
    return LuckOdds(good, Fraction(low), Fraction(high), len(spreads), unknown)


def _centred(spread: Spread) -> Spread:
    mean = sum(value * chance for value, chance in spread)
    return [(value - mean, chance) for value, chance in spread]


def _exactly(spreads: Sequence[Spread]) -> dict[Any, Any] | None:
    """All sums and their chances; ``None`` where they are too many."""
    sums: dict[Any, Any] = {Fraction(0): Fraction(1)}
    for side in map(_centred, spreads):
        if len(sums) * len(side) > 2 * EXACT:
            return None
        after: dict[Any, Any] = defaultdict(Fraction)
        for total, weight in sums.items():
            for value, chance in side:
                after[total + value] += weight * chance
        if len(after) > EXACT:
            return None
        sums = after
    return sums


def _on_a_grid(spreads: Sequence[Spread], luck: float, sign: int) -> tuple[float, float]:
    """The chance of at least this luck: once with all outcomes rounded down, once up."""
    with needs("solve", "the odds of a long run of luck"):
        import numpy as np
    sides = [np.array(spread, dtype=float) for spread in spreads]
    for side in sides:
        side[:, 0] = sign * (side[:, 0] - side[:, 0] @ side[:, 1])
    cell = max(sum(float(np.ptp(side[:, 0])) for side in sides), 1e-12) / CELLS
    bounds = []
    for up in (0, 1):
        sums, first = np.ones(1), 0
        for side in sides:
            shifts = np.floor(side[:, 0] / cell).astype(np.int64) + up
            low = int(shifts.min())
            weights = np.bincount(shifts - low, weights=side[:, 1])
            after = np.zeros(len(sums) + len(weights) - 1)
            for shift in np.flatnonzero(weights):
                after[shift : shift + len(sums)] += weights[shift] * sums
            sums, first = after, first + low
        reached = (first + np.arange(len(sums))) * cell >= sign * luck - 1e-9
        bounds.append(float(sums[reached].sum()))
    return max(0.0, bounds[0] - ROUNDING), min(1.0, bounds[1] + ROUNDING)


FORMAT: Final = "fairground/review/1"

LISTED: Final = 12
"""The most alternatives of a decision that a review lists."""

MOMENTS: Final = 3
"""Number of decisions listed as the ones that mattered most."""

Kind = Literal["draw", "answer", "meeting", "decision", "forced", "leave", "model"]
"""The kind of a step. ``draw``, ``answer`` and ``meeting`` are chance; ``answer`` tells what a fair
keeper's code has to say, and ``meeting`` which of two secret picks met."""

CHANCE: Final = ("draw", "answer", "meeting")

Verdict = Literal["right", "slip", "mistake", "blunder"]


class Alternative(NamedTuple):
    """A move that could have been made."""

    move: Move
    says: str
    value: Fraction
    cost: Fraction
    mix: Fraction | None


class Step(NamedTuple):
    """One thing that changed what the seats may expect."""

    line: int
    kind: Kind
    seat: Seat | None
    """The deciding seat; ``None`` for chance."""
    says: str
    values: Values
    """Each seat's expectation afterwards."""
    change: Values
    move: Move | None = None
    cost: Fraction = Fraction(0)
    """The expectation that the decision gave away."""
    verdict: Verdict = "right"
    alternatives: tuple[Alternative, ...] = ()
    """The best first; those of cost 0 are all equally right."""
    why: str = ""
    """For a decision that cost something: why."""
    hinted: bool = False
    """True if the seat had asked for advice."""


class SeatReview(NamedTuple):
    """One seat's game in numbers."""

    seat: Seat
    name: str
    role: str
    by: str
    start: Fraction
    result: Fraction | None
    """Its payoff; ``None`` while the game is not finished."""
    now: Fraction
    """Its expectation at the end of the record: the result, if there is one."""
    luck: Fraction
    cost: Fraction
    given: Fraction
    """The gain from the others' decisions (or loss, in games of more than two)."""
    model: Fraction
    decisions: int
    mistakes: int
    """Decisions that cost something."""
    odds: LuckOdds | None


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

    def decisions(self, seat: Seat | None = None) -> list[Step]:
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
    """Judge a game that was run again by `fairground.verifier`."""
    judge = judge or judge_of(table.game)
    chairs = table.setting.chairs
    names = [chair.name for chair in chairs]
    walk = _Walk(judge, words_for(table.game, names), table)
    steps: list[Step] = []
    for change in table.history:
        steps += walk.steps(change)
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
    """Yield a seat's possible moves, the best first: at most `LISTED`, and the chosen one."""
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
        self._since: Any = None
        """The state before a draw that is not complete."""
        self._said: list[str] = []
        self._moves: dict[Seat, Change] = {}
        self._hints = [
            (line, event["body"]["seat"])
            for line, event in enumerate(table.transcript.events, 1)
            if event["kind"] == "note" and "hint" in event["body"] and "seat" in event["body"]
        ]
        self._events = table.transcript.events

    def steps(self, what: Change) -> Iterator[Step]:
        """Yield the steps that one change of the table makes."""
        if what.kind == "draw":
            yield from self._drawn(what)
        elif what.kind == "move":
            yield from self._moved(what)
        elif what.after is not what.before:
            yield self._left(what)

    def rounding(self, result: Values, line: int) -> Iterator[Step]:
        """Yield a step for the rounding error at the end, if there is one."""
        if self.values != result:
            assert all(abs(a - b) <= NOISE for a, b in zip(self.values, result, strict=True))
            yield self._step(line, "model", None, "", result)

    def _step(self, line: int, kind: Kind, seat: Seat | None, says: str, after: Values) -> Step:
        change = tuple(b - a for a, b in zip(self.values, after, strict=True))
        self.values = after
        return Step(line, kind, seat, says, after, change)

    def _drawn(self, what: Change) -> Iterator[Step]:
        if self._since is None:
            self._since = what.before
        value = cast(int, what.value)
        if (told := self.words.drawn(what.before, what.after, what.n, value)) is not None:
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

    def _moved(self, what: Change) -> Iterator[Step]:
        awaits = self.game.awaits(what.before)
        assert isinstance(awaits, Turn)
        if len(awaits.seats) > 1:
            self._moves[what.seat] = what
            if self._moves.keys() == set(awaits.seats):
                yield from self._met(what.before, what.after)
            return
        says = self.words.move(what.before, what.seat, what.value)
        if self.judge.reveals(what.before):
            yield self._chance(what.line, "answer", says, what.before, what.after)
            return
        options = self.judge.options(what.before, what.seat, (what.value,))
        best = options[0].values
        if any(abs(a - b) > self._noise for a, b in zip(best, self.values, strict=True)):
            yield self._step(what.line, "model", None, "", best)
        yield self._decided(what, says, options)

    def _met(self, before: Any, after: Any) -> Iterator[Step]:
        """Picks that were made at once: each has its cost, and the rest is luck."""
        moves, self._moves = self._moves, {}
        picks = {seat: what.value for seat, what in sorted(moves.items())}
        for seat, what in sorted(moves.items()):
            options = self.judge.options(before, seat, (what.value,))
            yield self._decided(what, self.words.move(before, seat, what.value), options)
        line = max(what.line for what in moves.values())
        yield self._chance(line, "meeting", self.words.meeting(before, picks), before, after)

    def _decided(self, what: Change, says: str, options: Sequence[Option]) -> Step:
        seat, state = what.seat, what.before
        best = options[0]
        chosen = next(option for option in options if option.move == what.value)
        cost = best.values[seat] - chosen.values[seat]
        if abs(cost) <= self._noise:
            cost, chosen = Fraction(0), chosen._replace(values=best.values)
        after = tuple(
            now + b - a for now, a, b in zip(self.values, best.values, chosen.values, strict=True)
        )
        kind: Kind = "forced" if self.judge.forced(state, seat) and not cost else "decision"
        step = self._step(what.line, kind, seat, says, after)
        return step._replace(
            move=what.value,
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

    def _left(self, what: Change) -> Step:
        event = self._events[what.line - 1]
        says = self.words.left(what.seat, event["by"], event["reason"])
        before = self.values[what.seat]
        self._since, self._said, self._moves = None, [], {}
        step = self._step(what.line, "leave", what.seat, says, value_of(self.judge, what.after))
        cost = before - step.values[what.seat]
        return step._replace(cost=cost, verdict=self._verdict(cost))


def review_of(
    data: bytes,
    judge: Judge[Any] | None = None,
    *,
    games: Games = GAMES,
    schemes: Schemes = SCHEMES,
) -> Review:
    """Judge the game of a transcript; raises a `Fault` where the transcript does not hold."""
    return review(replayed(data, games=games, schemes=schemes), judge)


def replayed(data: bytes, *, games: Games = GAMES, schemes: Schemes = SCHEMES) -> Table:
    """The table of a transcript, run again; a line that was cut off is left out."""
    whole = data[: data.rfind(b"\n") + 1]
    return replay(whole or data, games=games, schemes=schemes)


def games_in(data: bytes) -> list[bytes]:
    """The transcripts in a file: one, or those of all games of a contest file."""
    lines = data.splitlines(keepends=True)
    heading = parse(lines[0], 1) if lines else {}
    if heading.get("kind") != "book":
        return [data]
    games = []
    at = 0
    while at < len(lines):
        heading = parse(lines[at], at + 1)
        many = heading.get("lines", 0)
        if type(many) is not int or not 0 <= many <= len(lines):
            raise Fault("contest/malformed", f"line {at + 1} counts no lines of the file", at + 1)
        if heading.get("kind") == "game":
            games.append(b"".join(lines[at + 1 : at + 1 + many]))
        at += 1 + many
    return games
