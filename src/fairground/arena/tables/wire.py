"""What tables say over the wire: the bodies of their requests and answers.

Members that we do not know are ignored.
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
    """A chair: played by a built-in ``player``, or else by whoever gets its private URL."""

    name: Annotated[str, Meta(examples=["Ada"], description="1 to 80 characters")] = ""
    player: str | None = None
    """A built-in player's name; such a seat lends nothing to chance."""
    lends: Annotated[str, Meta(examples=["chain"])] = "nothing"
    """What the seat lends to chance: nothing, stir, chain (or number, where it fits)."""
    open: bool = False
    """Whether nobody sits there yet. Whoever takes it says a name, and what to lend."""


class NewTable(Struct):
    """A game to open."""

    game: Annotated[str, Meta(examples=["zombie/1"])]
    seats: Annotated[list[NewSeat], Meta(max_length=MOST_SEATS, examples=[SEATS])]
    params: Annotated[dict[str, Any], Meta(examples=[{"players": 2}])] = {}
    dealer: Annotated[str, Meta(examples=["hash-chains/1"])] = "hash-chains/1"
    options: Annotated[dict[str, Any], Meta(examples=[{"stir": "each"}])] = {}
    """Of the dealer: for hash-chains/1 ``stir`` (once, each) and ``length`` (2 to 10,000)."""
    seconds: Annotated[float, Meta(examples=[SECONDS], ge=1, le=LONGEST_BANK)] = SECONDS
    """The time bank of each seat that the house does not play: the seconds that it may be waited
    for in the whole game."""
    listed: bool = False
    """Whether everybody may find the table in the list of tables."""


class NewSitter(Struct):
    """Who takes an open seat."""

    name: Annotated[str, Meta(examples=["Bob"], description="1 to 80 characters")]
    lends: Annotated[str, Meta(examples=["chain"])] = "nothing"
    """What the seat lends to chance: nothing, stir, chain (or number, where it fits)."""
    seat: Annotated[int, Meta(ge=0, le=MOST_SEATS)] | None = None
    """Which of the open seats; by default the first."""


class MadeSeat(Struct, omit_defaults=True):
    """A chair of a new table. Its private URL is told only here: hand it to whoever plays it."""

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
    """Whether anybody may take it."""


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
    """How many lines the transcript has."""
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
    """How things stand, in sentences, to whoever asks."""
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
    """How things stand, in sentences."""
    lines: int
    """How many lines its transcript has."""
    changed: float
    """When it last changed, in seconds since 1970, by the house's clock."""


class TableList(Struct):
    """Listed tables, newest first."""

    tables: list[TableRow]
    next: int | None
    """What `after` has to be for the next page; null: there is none."""


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
    """How often perfect play makes it, as a fraction."""


class Hint(Struct, omit_defaults=True):
    """Advice on the move that a seat is asked for."""

    move: Any
    words: str
    exact: bool
    """Whether no move is better."""
    value: str | None = None
    """What the position is worth with perfect play, as a fraction, where that is known: the chance
    to win; in poker, what comes back for each unit staked."""
    mix: list[MixedMove] = []
    """Where perfect play mixes: its moves, the most frequent among the best first."""


class NewTry(Struct):
    """Another move, in a finished game."""

    line: Annotated[int, Meta(ge=1, examples=[6])]
    """Where the review says that the seat decided."""
    seat: Annotated[int, Meta(ge=0, le=MOST_SEATS, examples=[0])]
    move: Annotated[Any, Meta(examples=[0])]


class Tried(Struct):
    """What that move would have been worth. Numbers and alternatives are as in a review."""

    right: bool
    """Whether no move is better."""
    cost: dict[str, Any]
    unit: dict[str, Any]
    """What costs and values are counted in."""
    words: str
    alternatives: list[dict[str, Any]]
    """The moves worth a look, best first."""


class Leaving(Struct):
    """Why a seat leaves."""

    reason: Annotated[str, Meta(max_length=200, examples=["I have to go"])] = "left"
