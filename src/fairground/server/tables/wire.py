"""Bodies of requests and answers of tables, with examples.

Unknown members are ignored.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType

SECONDS: Final = 600
"""The time bank of a seat, if the request does not say."""

LONGEST_BANK: Final = 30 * 24 * 3600
MOST_SEATS: Final = 100
OPEN: Final = "open"
PLAYING: Final = "playing"
OVER: Final = "over"
STATES: Final = (OPEN, PLAYING, OVER)
"""A table with open seats has not begun."""
SEATS: Final = [{"name": "Bot", "player": "cautious"}, {"name": "Ada", "lends": "chain"}]


class NewSeat(Struct):
    """A seat: played by a built-in ``player``, or else by the person who gets its private URL."""

    name: Annotated[str, Meta(examples=["Ada"], description="1 to 80 characters")] = ""
    player: str | None = None
    """A built-in player's name; such a seat lends nothing to chance."""
    lends: Annotated[str, Meta(examples=["chain"])] = "nothing"
    """The seat's contribution to chance: nothing, stir, chain (or number, where it fits)."""
    open: bool = False
    """True for a seat that anybody may take. They then choose a name, and what to lend."""

    @property
    def by(self) -> str:
        return "self" if self.player is None else "house"


class NewTable(Struct):
    """A game to open."""

    game: Annotated[str, Meta(examples=["zombie/2"])]
    seats: Annotated[list[NewSeat], Meta(max_length=MOST_SEATS, examples=[SEATS])]
    params: Annotated[dict[str, Any], Meta(examples=[{"players": 2}])] = {}
    dealer: Annotated[str, Meta(examples=["hash-chains/1"])] = "hash-chains/1"
    options: Annotated[dict[str, Any], Meta(examples=[{"stir": "each"}])] = {}
    """Options of the dealer: for hash-chains/1 ``stir`` (once, each) and ``length`` (2 to 10,000).
    """
    seconds: Annotated[float, Meta(examples=[SECONDS], ge=1, le=LONGEST_BANK)] = SECONDS
    """The time bank of each seat that the house does not play: the seconds that it may be waited
    for in the whole game."""
    listed: bool = False
    """True puts the table into the public list."""


class NewSitter(Struct):
    """A person who takes an open seat."""

    name: Annotated[str, Meta(examples=["Bob"], description="1 to 80 characters")]
    lends: Annotated[str, Meta(examples=["chain"])] = "nothing"
    """The seat's contribution to chance: nothing, stir, chain (or number, where it fits)."""
    seat: Annotated[int, Meta(ge=0, le=MOST_SEATS)] | None = None
    """Which of the open seats; by default the first."""


class MadeSeat(Struct, omit_defaults=True):
    """A seat of a new table. Only this answer has its private URL: hand it to the person who plays
    it.
    """

    seat: int
    name: str
    url: str | None = None
    player: str | None = None
    open: bool = False


class MadeTable(Struct):
    """The answer to the making of a table."""

    self: str
    seats: list[MadeSeat]


class AskOut(Struct, omit_defaults=True):
    """Something that a seat owes. Answer it by its id. It was asked after the line ``head``."""

    id: str
    kind: str
    step: int
    head: str
    n: int | str = 0
    """For a number: it must be below this."""
    run: int = 0
    """For a share of chance: the run of draws that it is for."""


class SeatOut(Struct, omit_defaults=True):
    """A chair as everyone may see it."""

    name: str
    by: str
    lends: str
    player: str | None = None
    left: float | None = None
    """Seconds left in its time bank, by the house's clock."""
    open: bool = False
    """True while anybody may take it."""


class Choice(Struct):
    """A legal move, and what it is called."""

    move: Any
    words: str


class TableOut(Struct, omit_defaults=True):
    """A table as everyone may see it; as a seat sees it, with ``seat``, ``asks``, ``moves``."""

    self: str
    game: str
    params: dict[str, Any]
    dealer: str
    public: dict[str, Any]
    seats: list[SeatOut]
    step: int
    """Number of lines of the transcript."""
    head: str
    """The hash of the transcript's last line. Keep it: it is your receipt."""
    waiting_for: list[int]
    over: bool
    view: Any
    transcript: str
    events: str
    table: str
    """The table's name: 64 hex digits, as in the first line of the transcript."""
    words: str
    """The position in sentences, for this reader."""
    state: Annotated[str, Meta(extra_json_schema={"enum": list(STATES)})]
    payoff: list[int] | UnsetType | None = UNSET
    void: str | None = None
    """Why the house voided the game; nobody wins then."""
    rematch: str | None = None
    """The table at which this game is played again, if people want to."""
    seat: int | UnsetType = UNSET
    asks: list[AskOut] | UnsetType = UNSET
    moves: Any = UNSET
    """The legal moves where one is asked for; ``too-many`` where they cannot be listed."""
    choices: list[Choice] | UnsetType = UNSET
    """The moves that one would choose from, with words, where they are few."""
    form: dict[str, Any] | UnsetType = UNSET
    """A JSON Schema of the move, where the choices are not few."""


class RowSeat(Struct):
    """A chair in the list of tables."""

    name: str
    player: str | None = None
    open: bool = False


class TableRow(Struct):
    """A table in the list."""

    id: str
    game: str
    params: dict[str, Any]
    state: Annotated[str, Meta(extra_json_schema={"enum": list(STATES)})]
    seats: list[RowSeat]
    words: str
    """The position in sentences."""
    lines: int
    """Number of lines of its transcript."""
    changed: float
    """When it last changed, in seconds since 1970, by the house's clock."""


class TableList(Struct):
    """Listed tables: the newest of each client first, then the second of each, and so on."""

    tables: list[TableRow]
    next: int | None
    """The value of `after` for the next page; null on the last page."""


class NewAnswer(Struct):
    """The answer to an ask: a move, a share, a seal, or ``{"key": ..., "move": ...}``."""

    ask: Annotated[str, Meta(examples=["move.12"])]
    answer: Annotated[Any, Meta(examples=["roll"])]


class Taken(Struct):
    """An answer that is recorded, durably: its line, and the hash of that line."""

    ask: str
    line: int
    head: str


class Remark(Struct):
    """Something that a seat says, for the record."""

    text: Annotated[str, Meta(min_length=1, max_length=200, examples=["Good luck!"])]


class MixedMove(Struct):
    """A move of a perfect mix."""

    move: Any
    words: str
    share: str
    """Frequency of the move in perfect play, as a fraction."""


class Hint(Struct, omit_defaults=True):
    """Advice on the move that a seat is asked for."""

    move: Any
    words: str
    exact: bool
    """True if no move is better."""
    value: str | None = None
    """Value of the position with perfect play, as a fraction, if it is known: the chance to win; in
    poker, the return for each unit staked.
    """
    mix: list[MixedMove] = []
    """Moves of a mixed strategy, the most frequent among the best first."""


class NewTry(Struct):
    """Another move, in a finished game."""

    line: Annotated[int, Meta(ge=1, examples=[6])]
    """The line of the decision, as the review names it."""
    seat: Annotated[int, Meta(ge=0, le=MOST_SEATS, examples=[0])]
    move: Annotated[Any, Meta(examples=[0])]


class Tried(Struct):
    """The value of that move. Numbers and alternatives are as in a review."""

    right: bool
    """True if no move is better."""
    cost: dict[str, Any]
    unit: dict[str, Any]
    """The unit of costs and values."""
    words: str
    alternatives: list[dict[str, Any]]
    """The moves worth a look, best first."""


class Leaving(Struct):
    """Why a seat leaves."""

    reason: Annotated[str, Meta(max_length=200, examples=["I have to go"])] = "left"
