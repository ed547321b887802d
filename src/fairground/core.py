"""The words that everything else is written in: draws, turns, games, seats, errors.

A game is a pure state machine over hashable values. At each state it says what
it awaits: a **draw** (one integer, uniform in ``range(n)``), a **turn** (these
seats each owe a move), or that it is **over**. A game never draws, shuffles or
rolls anything itself; it receives what was drawn. So one referee runs every
game under every fairness scheme, and anyone can replay it.

The error tree. Every error carries a stable code, which goes over HTTP and into
``--json`` output unchanged, and ends a command with a documented exit code::

    FairgroundError                    anything that we expect to go wrong
    ├── InputError         exit 2      what was given cannot be used
    │   ├── BadParams                  game/params          a game cannot be made of these
    │   ├── UnknownName                name/unknown         no such game, scheme, player ...
    │   ├── Unreadable                 input/unreadable     a file that cannot be read
    │   ├── IllegalMove                move/illegal         the rules forbid it, and say why
    │   ├── TooMany                    move/too-many        legal moves too many to list
    │   ├── BadShare                   share/bad            a share of chance that does not fit
    │   ├── StaleAsk                   ask/stale            an answer to a question long gone
    │   └── MissingExtra               install/missing      an optional package is not here
    ├── Fault              exit 1      a record that does not hold; names its line
    │   (transcript/*, fair/*, seal/*, table/*: see docs/format.md)
    └── HouseFault         exit 1      the house cannot keep its word
        ├── SecretLost                 vault/lost           a promised secret is gone
        └── SecretReused               vault/reused         a secret is wanted for two histories
"""

from __future__ import annotations

import enum
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, ClassVar, Final, Generic, Literal, NamedTuple, Self, TypeAlias, TypeVar

Seat: TypeAlias = int
"""A chair at the table, counted from 0."""

Move: TypeAlias = "int | str | tuple[Move, ...]"
"""A seat's answer: a value that survives JSON (a tuple is written as an array)."""

Params: TypeAlias = Mapping[str, Any]
"""The parameters of a game as JSON: the first event of a transcript records them."""

SAFE: Final = 2**53 - 1
"""The largest integer that every JSON reader keeps exact. Larger ones travel as text."""


class Hidden(enum.Enum):
    """The one value that stands in a view for what a seat may not know."""

    HIDDEN = "hidden"

    def __repr__(self) -> str:
        return "HIDDEN"


HIDDEN: Final = Hidden.HIDDEN
HiddenType: TypeAlias = Literal[Hidden.HIDDEN]


class Draw(NamedTuple):
    """The game awaits one integer, uniform in ``range(n)``.

    ``to`` names the seats that may know it now; ``None`` means everyone.
    """

    n: int
    to: tuple[Seat, ...] | None = None


class Turn(NamedTuple):
    """These seats each owe a move. More than one seat: at the same time, sealed."""

    seats: tuple[Seat, ...]


class Over(NamedTuple):
    """The game has ended, with one integer for each seat."""

    payoff: tuple[int, ...]


Awaits: TypeAlias = Draw | Turn | Over

Shown: TypeAlias = Literal["yes", "no", "not shown"]
"""An answer of a verdict: shown, refuted, or neither."""


class Proof(NamedTuple):
    """Something that the rules can check of a finished game, beyond that its moves are legal."""

    answer: Shown
    says: str


class Role(NamedTuple):
    """A kind of seat, such as ``keeper``: how many such seats a game has."""

    name: str
    least: int = 1
    most: int = 1


class Parameter(NamedTuple):
    """One parameter of a game: what it is for, and what it may be."""

    name: str
    says: str
    shape: dict[str, Any]
    """A JSON Schema of its value."""
    default: Any = None
    """The value where none is given; ``None``: it may be left out altogether."""


def between(least: int, most: int) -> dict[str, Any]:
    """The JSON Schema of an integer in these bounds."""
    return {"type": "integer", "minimum": least, "maximum": most}


S = TypeVar("S")


class Game(ABC, Generic[S]):
    """The rules of one game with its parameters: immutable, and free of chance.

    ``name`` ends in a version, such as ``zombie/2``, which changes whenever the
    same draws and moves could lead to another result: old transcripts must keep
    verifying. States are hashable values; every method is a pure function. Two games
    are equal when they have the same name and the same parameters.
    """

    name: ClassVar[str]
    roles: ClassVar[tuple[Role, ...]] = (Role("player", 1, 1000),)
    """The kinds of seats, in the order of the seats. At most one has a number that varies."""
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    """The parameters of the game."""
    hides: ClassVar[bool] = False
    """True if a seat's `view` can lack something that the state holds."""
    seats: int

    @classmethod
    @abstractmethod
    def from_params(cls, params: Params) -> Self:
        """Make the game of its JSON parameters; raise `BadParams` with the reason."""

    @abstractmethod
    def params(self) -> dict[str, Any]:
        """Return the JSON parameters from which `from_params` makes an equal game."""

    @cached_property
    def identity(self) -> str:
        """Name and canonical parameters: what makes two games the same one."""
        return self.name + json.dumps(self.params(), sort_keys=True, separators=(",", ":"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.params().items())
        return f"{type(self).__name__}({given})"

    def role(self, seat: Seat) -> str:
        """Return the name of this seat's `Role`."""
        fixed = sum(role.least for role in self.roles)
        first = 0
        for role in self.roles:
            first += role.least if role.least == role.most else role.least + self.seats - fixed
            if seat < first:
                return role.name
        raise InputError(f"{self.name} has no seat {seat}; its seats are 0..{self.seats - 1}")

    @classmethod
    def with_defaults(cls, params: Params) -> dict[str, Any]:
        """All parameters, the missing ones by default; refuse those that the game has not."""
        names = [parameter.name for parameter in cls.parameters]
        if unknown := sorted(set(params) - set(names)):
            raise BadParams(
                f"{cls.name} has no parameter {unknown[0]!r}; it has: {', '.join(names)}"
            )
        defaults = {p.name: p.default for p in cls.parameters if p.default is not None}
        return {**defaults, **params}

    @classmethod
    def schema(cls) -> dict[str, Any]:
        """The parameters as a JSON Schema."""
        return {
            "type": "object",
            "properties": {
                p.name: {
                    **p.shape,
                    "description": p.says,
                    **({} if p.default is None else {"default": p.default}),
                }
                for p in cls.parameters
            },
            "additionalProperties": False,
        }

    @abstractmethod
    def start(self) -> S:
        """The state before anything has happened."""

    @abstractmethod
    def awaits(self, s: S) -> Awaits:
        """Return the next event: a draw, a turn, or the end."""

    @abstractmethod
    def drawn(self, s: S, value: int) -> S:
        """The state after the awaited draw gave ``value``; refuse all but ``range(n)``."""

    @abstractmethod
    def check(self, s: S, seat: Seat, move: Move) -> None:
        """Raise `IllegalMove` with the reason unless ``seat`` may play ``move`` now."""

    @abstractmethod
    def moves(self, s: S, seat: Seat) -> Iterable[Move]:
        """The legal moves, lazily; raise `TooMany` where listing them is hopeless.

        Off turn there is nothing to list: raise `IllegalMove`.
        """

    def choices(self, s: S, seat: Seat) -> Iterable[Move]:
        """The moves that a player would choose from: `moves` without those for mishaps."""
        return self.moves(s, seat)

    def move_schema(self, s: S | None = None) -> dict[str, Any]:
        """The shape of a move as a JSON Schema; of the moves in this state, if one is given.

        It is for those who make a form of it. `check` alone judges.
        """
        return {"type": ["integer", "string", "array"]}

    @property
    def listable(self) -> bool:
        """True if `moves` can list the moves of every state."""
        return True

    @abstractmethod
    def played(self, s: S, moves: Mapping[Seat, Move]) -> S:
        """The state after every seat of the awaited turn made its move.

        The moves have passed `check`: they are not checked again here.
        """

    @abstractmethod
    def forfeit(self, s: S, seat: Seat) -> tuple[int, ...]:
        """Return the payoff when ``seat`` walks away in this state.

        The seat may know what comes next, so leaving must not pay more than staying would.
        """

    def departed(self, s: S, seat: Seat) -> S | Over:
        """Return the end after ``seat`` leaves, or the state in which the others play on.

        By default the game ends, with the payoff of `forfeit`. In games of three or more the
        others should play on, or a coalition could take a victory away by leaving.
        """
        return Over(self.forfeit(s, seat))

    def must_be_winnable(self) -> None:
        """Raise `BadParams` where nobody could ever win, so that a game would never end.

        Asked when a table is opened; older records are taken as they are.
        """

    def view(self, s: S, seat: Seat | None) -> S:
        """The state as ``seat`` may see it, `HIDDEN` in the blanks; ``None``: a bystander."""
        return s

    def proves(self, s: S) -> Mapping[str, Proof]:
        """Return what the rules have checked of a game that is over, by the claim's name."""
        return {}


def must_be_in_range(value: int, draw: Awaits) -> None:
    """Refuse a drawn value that the awaited draw could not have given."""
    if not isinstance(draw, Draw):
        raise IllegalMove(f"nothing is to be drawn now, but {value!r} was")
    must_be_below(value, draw.n)


def must_be_below(value: int, n: int) -> None:
    """Refuse a drawn value that is not in ``range(n)``."""
    if type(value) is not int or not 0 <= value < n:
        raise IllegalMove(f"a draw must be an integer in 0..{n - 1}, not {value!r}")


def must_be_in_turn(seat: Seat, awaits: Awaits) -> None:
    """Refuse a move by a seat that owes none."""
    if not isinstance(awaits, Turn) or seat not in awaits.seats:
        raise IllegalMove(f"seat {seat} is not to move now")


def whole(value: object, what: str) -> int:
    """Read an integer as a transcript writes it: a number, or text beyond ±(2^53-1)."""
    if type(value) is int and -SAFE <= value <= SAFE:
        return value
    if isinstance(value, str):
        digits = value.removeprefix("-")
        if digits.isascii() and digits.isdigit() and digits[0] != "0" and len(value) <= 4000:
            number = int(value)
            if not -SAFE <= number <= SAFE:
                return number
    raise BadParams(f"{what} must be an integer, not {value!r}")


def written(value: int) -> int | str:
    """Write an integer as a transcript does; the inverse of `whole`."""
    return value if -SAFE <= value <= SAFE else str(value)


class FairgroundError(Exception):
    """Anything that we expect to go wrong. ``code`` is stable, the text is for people."""

    code: str = "fairground/error"
    exit: int = 2


class InputError(FairgroundError):
    """Input that cannot be used; the text quotes it and shows how to do it right."""

    code = "input/bad"


class BadParams(InputError):
    """A game or scheme cannot be made of these parameters."""

    code = "game/params"


class UnknownName(InputError):
    """No game, scheme or player goes by this name; the text suggests the nearest, or lists all."""

    code = "name/unknown"


class Unreadable(InputError):
    """A file that is not there, or is not text of the kind that was asked for."""

    code = "input/unreadable"


class IllegalMove(InputError):
    """The rules forbid this move (or this draw) in this state; the text says why."""

    code = "move/illegal"


class TooMany(InputError):
    """The legal moves are too many to be listed; `Game.check` still judges each."""

    code = "move/too-many"


class BadShare(InputError):
    """A seat's share of chance is malformed, or does not fit what it promised."""

    code = "share/bad"


class StaleAsk(InputError):
    """An answer to something that the table does not ask, or no longer asks."""

    code = "ask/stale"


class MissingExtra(InputError):
    """A command needs an optional package that is not installed; the text names it."""

    code = "install/missing"


class Fault(FairgroundError):
    """A record that does not hold. ``line`` is the first line of the transcript at fault."""

    exit = 1

    def __init__(self, code: str, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.line = line

    def __reduce__(self) -> tuple[type[Fault], tuple[str, str, int | None]]:
        """As another process finds it."""
        return type(self), (self.code, self.reason, self.line)


class HouseFault(FairgroundError):
    """The house cannot keep its word; the table is void, and it is nobody else's loss."""

    code = "table/void"
    exit = 1


class SecretLost(HouseFault):
    """A secret that the house had promised to open later is gone."""

    code = "vault/lost"


class SecretReused(HouseFault):
    """A secret already opened for one history is wanted for another."""

    code = "vault/reused"
