"""Code breaking: one seat keeps a secret code, the other finds it by asking.

A code has ``length`` digits, each in ``0 .. base - 1``; digits may repeat. The
breaker names a code; the keeper answers with two counts, the *full* matches
(right digit, right place) and the *partial* ones (right digit, wrong place).
The game ends when every place matches, or when the breaker gives up; then the
keeper shows a code. The type of keeper decides the worth of its answers:

``fair``
    The code is drawn, hidden from everyone but the keeper, before the first
    guess. The rules refuse an answer that is not the truth about it.
``nice``
    Nothing is drawn: the first submission *is* the code. Any other answer than
    "all full" is refused.
``evil``
    Nothing is drawn, and the keeper may change its mind as long as some code
    fits everything that it has said. Whether one does is NP-complete to decide,
    so the rules do not try: the keeper has to *show* one, and fitting it to the
    answers takes linear time. This is also the type for a person who keeps a
    code in mind.

Payoffs are the keeper's and the breaker's, and sum to zero: a code broken with
guess g is worth g to the keeper. Giving up, or walking away from the breaker's
seat, costs the breaker `STAKE`; a keeper that has no code to show, or walks
away, has lied or might have, and pays `STAKE`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, product
from operator import eq
from typing import Any, Final, Literal, NamedTuple, Self, TypeAlias, cast

from fairground.core import (
    HIDDEN,
    Awaits,
    BadParams,
    Draw,
    Game,
    HiddenType,
    IllegalMove,
    Move,
    Over,
    Parameter,
    Params,
    Proof,
    Role,
    Seat,
    TooMany,
    Turn,
    between,
    must_be_in_range,
    must_be_in_turn,
    whole,
)

KEEPER: Final[Seat] = 0
BREAKER: Final[Seat] = 1

FAIR: Final = "fair"
NICE: Final = "nice"
EVIL: Final = "evil"
ORACLES: Final = (FAIR, NICE, EVIL)

KEEPERS_TURN: Final = Turn((KEEPER,))
BREAKERS_TURN: Final = Turn((BREAKER,))

GIVE_UP: Final = "give up"
"""The breaker's move that ends the questions."""

NO_CODE: Final = "no code"
"""The keeper's move when no code fits what it has said: the admission of a lie."""

STAKE: Final = 1_000_000
"""The cost of giving up for the breaker, and of a lie for the keeper: more than any guesses."""

LISTABLE: Final = 1_000_000
"""`CodeBreaking.moves` lists the codes of a space no larger than this."""

RECOMPUTED: Final = 100_000
"""Maximum number of codes for which a verifier recomputes an evil keeper's answers."""

MOST_DIGITS: Final = 100
"""The largest base: digits are 0 to 99."""

FEW_PLACES: Final = 10
"""Maximum number of places for which searching a list is faster than a tally."""

Code: TypeAlias = tuple[int, ...]
Marks: TypeAlias = tuple[int, int]


class Row(NamedTuple):
    """One line of the board: what was asked and what was answered."""

    guess: Code
    marks: Marks


class Rows(Sequence[Row]):
    """The rows of a board. They read like a tuple, and one more costs the same however many.

    All boards of one game share a list; each knows how much of it is its own. A board that
    grows in two ways is copied once, for the second.
    """

    __slots__ = ("_count", "_shared")

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._shared = list(rows)
        self._count = len(self._shared)

    def plus(self, row: Row) -> Rows:
        """These rows, and one more."""
        grown = Rows()
        alone = self._count == len(self._shared)
        grown._shared = self._shared if alone else self._shared[: self._count]
        grown._shared.append(row)
        grown._count = self._count + 1
        return grown

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: Any) -> Any:
        where = range(self._count)[at]
        if isinstance(where, range):
            return tuple(self._shared[k] for k in where)
        return self._shared[where]

    def __iter__(self) -> Iterator[Row]:
        return islice(self._shared, self._count)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (tuple, Rows)):
            return NotImplemented
        return len(other) == self._count and all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __reduce__(self) -> tuple[type[Rows], tuple[tuple[Row, ...]]]:
        return Rows, (tuple(self),)

    def __repr__(self) -> str:
        return repr(tuple(self))


Phase: TypeAlias = Literal["draw", "guess", "answer", "show", "over"]


class State(NamedTuple):
    """A position: whose word is awaited, and everything said so far."""

    phase: Phase
    code: Code | HiddenType | None = None
    """The drawn code of a fair oracle; ``None`` before the draw and where none is drawn."""
    rows: tuple[Row, ...] = ()
    """Guesses and answers. In a long game it is a `Rows`, which reads like a tuple."""
    asked: Code | None = None
    """The guess that the keeper has yet to answer."""
    given_up: bool = False
    shown: Code | None = None
    """The code that the keeper showed at the end; ``None`` when over: it had none."""


def marks(code: Sequence[int], guess: Sequence[int]) -> Marks:
    """Full and partial matches: the one place in Python where a guess is scored.

    Each digit of the guess strikes out an equal one of the code, if there is one left. What was
    struck out and is not a full match is a partial one, whatever the order of the search.
    """
    places = len(code)
    if places != len(guess):
        raise ValueError(f"{code!r} and {guess!r} differ in length")
    if places > FEW_PLACES:
        full = sum(map(eq, code, guess))
        return full, _struck_out(code, guess) - full
    left, full = [*code], 0
    for digit, asked in zip(code, guess):  # noqa: B905 - `strict` takes a quarter of the time
        if digit == asked:
            full += 1
        if asked in left:
            left.remove(asked)
    return full, places - len(left) - full


def _struck_out(code: Sequence[int], guess: Sequence[int]) -> int:
    """Strike out in a tally of the code: for long codes, which take long to search."""
    left, struck = [0] * MOST_DIGITS, 0
    for digit in code:
        left[digit] += 1
    for digit in guess:
        if left[digit]:
            left[digit] -= 1
            struck += 1
    return struck


def fits(code: Sequence[int], rows: Iterable[Row]) -> bool:
    """Return true if ``code`` would have earned every answer on the board."""
    return all(marks(code, guess) == answer for guess, answer in rows)


def digits(number: int, base: int, length: int) -> Code:
    """The digits of a number, most significant first, with leading zeros."""
    out = []
    for _ in range(length):
        number, digit = divmod(number, base)
        out.append(digit)
    return tuple(reversed(out))


def number(code: Sequence[int], base: int) -> int:
    """The number that a code writes in its base: the inverse of `digits`."""
    value = 0
    for digit in code:
        value = value * base + digit
    return value


def possible_marks(length: int) -> Iterator[Marks]:
    """Every answer of the right form, fewest full matches first, then fewest partial."""
    for full in range(length + 1):
        for partial in range(length - full + 1):
            if _can_be(full, partial, length):
                yield full, partial


def _can_be(full: int, partial: int, length: int) -> bool:
    """Return true if an answer has the right form.

    All but one digit in place leaves the last digit nowhere else to go, so
    (length - 1, 1) cannot be.
    """
    return (
        full >= 0
        and partial >= 0
        and full + partial <= length
        and (full, partial) != (length - 1, 1)
    )


def read_code(text: str) -> Code:
    """A code as a person types it: ``0511``, ``0 5 1 1``, ``12,99,3`` or ``42,``.

    Without a separator every character is a digit. Raises `IllegalMove` for what
    is not made of numbers; whether the numbers fit a game is for its rules to say.
    """
    words = text.replace(",", " ").split()
    if len(words) == 1 and "," not in text:
        words = list(words[0])
    if not words or not all(w.isascii() and w.isdigit() and len(w) <= 9 for w in words):
        raise IllegalMove(f"a code is typed as digits, such as 0 5 1 1, not {text!r}")
    return tuple(map(int, words))


def write_code(code: Sequence[int], base: int) -> str:
    """A code as `read_code` reads it: closed up while one character holds a digit.

    A code of a single large digit gets a comma, for else it would be read as several.
    """
    if base <= 10:
        return "".join(map(str, code))
    return " ".join(map(str, code)) + ("," if len(code) == 1 else "")


class CodeBreaking(Game[State]):
    """The rules for one base, length and type of oracle."""

    name = "codebreaking/1"
    seats = 2
    roles = (Role("keeper"), Role("breaker"))
    hides = True
    parameters = (
        Parameter("base", "how many digits there are", between(2, MOST_DIGITS), 6),
        Parameter("length", "how long a code is", between(1, 40), 4),
        Parameter("oracle", "what kind of keeper answers", {"enum": list(ORACLES)}, FAIR),
    )

    def __init__(self, base: int = 6, length: int = 4, oracle: str = FAIR) -> None:
        if type(base) is not int or not 2 <= base <= MOST_DIGITS:
            raise BadParams(f"base must be in 2..{MOST_DIGITS}, not {base!r}")
        if type(length) is not int or not 1 <= length <= 40:
            raise BadParams(f"length must be in 1..40, not {length!r}")
        if oracle not in ORACLES:
            raise BadParams(f"oracle must be one of {', '.join(ORACLES)}, not {oracle!r}")
        self.base = base
        self.length = length
        self.oracle = oracle

    @classmethod
    def from_params(cls, params: Params) -> Self:
        """Make the game of ``{"base": 6, "length": 4, "oracle": "fair"}``."""
        given = cls.with_defaults(params)
        return cls(whole(given["base"], "base"), whole(given["length"], "length"), given["oracle"])

    def params(self) -> dict[str, Any]:
        return {"base": self.base, "length": self.length, "oracle": self.oracle}

    @property
    def codes(self) -> int:
        return int(self.base**self.length)

    def move_schema(self, s: State | None = None) -> dict[str, Any]:
        code = {
            "type": "array",
            "items": between(0, self.base - 1),
            "minItems": self.length,
            "maxItems": self.length,
            "x-look": "code",
        }
        counts = {"type": "array", "items": between(0, self.length), "minItems": 2, "maxItems": 2}
        match s.phase if s is not None else None:
            case "guess":
                return {"anyOf": [code, {"const": GIVE_UP}]}
            case "answer":
                return counts
            case "show":
                return {"anyOf": [code, {"const": NO_CODE}]}
        return {"anyOf": [code, counts, {"enum": [GIVE_UP, NO_CODE]}]}

    @property
    def listable(self) -> bool:
        """True if the codes are few enough to be listed as moves."""
        return self.codes <= LISTABLE

    def start(self) -> State:
        """A fair oracle's code is yet to be drawn; the others begin with a guess."""
        return State("draw" if self.oracle == FAIR else "guess")

    def awaits(self, s: State) -> Awaits:
        """The hidden draw, a guess, an answer, the code to be shown, or nothing."""
        if s.phase == "draw":
            return Draw(self.codes, to=(KEEPER,))
        if s.phase == "guess":
            return BREAKERS_TURN
        if s.phase in ("answer", "show"):
            return KEEPERS_TURN
        return Over(self._payoff(s))

    def drawn(self, s: State, value: int) -> State:
        must_be_in_range(value, self.awaits(s))
        return s._replace(phase="guess", code=digits(value, self.base, self.length))

    def check(self, s: State, seat: Seat, move: Move) -> None:
        """Judge a guess by its form, an answer by the code, a shown code by the answers."""
        must_be_in_turn(seat, self.awaits(s))
        if s.phase == "guess":
            if move != GIVE_UP:
                self._code(move)
        elif s.phase == "answer":
            self._check_answer(s, move)
        else:
            self._check_shown(s, move)

    def moves(self, s: State, seat: Seat) -> Iterable[Move]:
        """The legal moves; `TooMany` where they are the codes of a very large space."""
        must_be_in_turn(seat, self.awaits(s))
        if s.phase == "guess":
            return chain(self._every_code(), (GIVE_UP,))
        if s.phase == "answer":
            return self._answers(s)
        if isinstance(s.code, tuple):
            return (s.code,)
        candidates = self._every_code() if s.given_up else (s.rows[-1].guess,)
        fitting = (code for code in candidates if fits(code, s.rows))
        return fitting if self.oracle == FAIR else chain(fitting, (NO_CODE,))

    def played(self, s: State, moves: Mapping[Seat, Move]) -> State:
        (move,) = moves.values()
        if s.phase == "guess":
            if move == GIVE_UP:
                return s._replace(phase="show", given_up=True)
            return State("answer", s.code, s.rows, asked=cast(Code, move))
        if s.phase == "answer":
            assert s.asked is not None
            row = Row(s.asked, cast(Marks, move))
            phase: Phase = "show" if row.marks[0] == self.length else "guess"
            said: Sequence[Row] = s.rows
            rows = said if isinstance(said, Rows) else Rows(said)
            board = cast("tuple[Row, ...]", rows.plus(row))
            return State(phase, s.code, board)
        return s._replace(phase="over", shown=None if move == NO_CODE else cast(Code, move))

    def view(self, s: State, seat: Seat | None) -> State:
        """The drawn code is the keeper's secret until it is shown."""
        if s.code is None or seat == KEEPER or s.phase == "over":
            return s
        return s._replace(code=HIDDEN)

    def forfeit(self, s: State, seat: Seat) -> tuple[int, ...]:
        """Walking away is giving up, or having no code to show."""
        return (-STAKE, STAKE) if seat == KEEPER else (STAKE, -STAKE)

    def proves(self, s: State) -> dict[str, Proof]:
        """CONSISTENT if a code that was never drawn fits every answer; LEAST_TELLING if evil.

        Not claimed for a fair oracle: there the opening of the draw says more.
        """
        if self.oracle == FAIR or s.shown is None:
            return {}
        fits_all = "the code fits every answer"
        proofs = {"CONSISTENT": Proof("yes", fits_all)}
        if self.oracle == EVIL and s.rows:
            proofs["LEAST_TELLING"] = self._tells_least(s.rows)
        return proofs

    def _tells_least(self, rows: Sequence[Row]) -> Proof:
        """Compare each answer with the least informative one, where the codes can be listed.

        Another answer is no lie: a person who keeps a code, or a keeper that looks further ahead,
        gives it by the same rules.
        """
        if self.codes > RECOMPUTED:
            return Proof("not shown", f"{self.base}^{self.length} codes are too many")
        left = list(self._every_code())
        for number, (guess, answer) in enumerate(rows, 1):
            by_answer: dict[Marks, list[Code]] = {}
            for code in left:
                by_answer.setdefault(marks(code, guess), []).append(code)
            least = min(by_answer, key=lambda given: (-len(by_answer[given]), given))
            if answer != least:
                most, found = len(by_answer[least]), len(by_answer.get(answer, ()))
                return Proof("not shown", f"answer {number} left only {found} of {most} codes")
            left = by_answer[answer]
        return Proof("yes", f"all {len(rows)} answers left the most codes")

    def _payoff(self, s: State) -> tuple[int, int]:
        if s.shown is None:
            return -STAKE, STAKE
        if s.given_up:
            return STAKE, -STAKE
        return len(s.rows), -len(s.rows)

    def _every_code(self) -> Iterator[Code]:
        if not self.listable:
            raise TooMany(
                f"{self.base}^{self.length} codes are too many to list (more than {LISTABLE})"
            )
        return product(range(self.base), repeat=self.length)

    def _answers(self, s: State) -> Iterable[Marks]:
        """The legal answers: one where the rules know the truth, else every form."""
        if self.oracle == NICE:
            return ((self.length, 0),)
        if isinstance(s.code, tuple):
            assert s.asked is not None
            return (marks(s.code, s.asked),)
        return possible_marks(self.length)

    def _code(self, move: Move) -> Code:
        """Read a code; refuse what is none: the length first, then the digits."""
        if not isinstance(move, tuple):
            raise IllegalMove(f"a code is {self.length} digits, not {move!r}")
        if len(move) != self.length:
            raise IllegalMove(f"a code has {self.length} digits, not {len(move)}: {move!r}")
        for digit in move:
            if type(digit) is not int or not 0 <= digit < self.base:
                raise IllegalMove(f"a digit must be in 0..{self.base - 1}, not {digit!r}")
        return cast(Code, move)

    def _marks(self, move: Move) -> Marks:
        """Read an answer; refuse what no two codes of this length could give."""
        if isinstance(move, tuple) and len(move) == 2:
            full, partial = move
            if type(full) is int and type(partial) is int:
                if _can_be(full, partial, self.length):
                    return full, partial
                raise IllegalMove(f"no two codes of {self.length} digits match like {move!r}")
        raise IllegalMove(f"an answer is two counts, full and partial, not {move!r}")

    def _check_answer(self, s: State, move: Move) -> None:
        answer = self._marks(move)
        legal = self._answers(s)  # many, of any form, where the rules do not know the truth
        if isinstance(legal, tuple) and answer not in legal:
            raise IllegalMove(f"the {self.oracle} oracle must answer {legal[0]!r}, not {move!r}")

    def _check_shown(self, s: State, move: Move) -> None:
        if move == NO_CODE and self.oracle != FAIR:
            return
        code = self._code(move)
        if isinstance(s.code, tuple) and code != s.code:
            raise IllegalMove(f"the drawn code is {s.code!r}, not {code!r}")
        for guess, answer in s.rows:
            scored = marks(code, guess)
            if scored != answer:
                raise IllegalMove(
                    f"{code!r} does not fit: to {guess!r} it answers {scored!r}, not {answer!r}"
                )
