"""Zombie Dice: eat brains, run from shotguns, stop in time.

Three kinds of dice, always in this order: **green** (weak humans), **yellow**
(strong) and **red** (tough). A die shows a brain ``b``, footprints ``f`` or a
shotgun ``s``. One roll of a turn goes like this:

1. *Take.* Empty cells of the dice rolling area are filled from the bag, left to
   right. When the bag holds fewer dice than there are empty cells, the dice of the
   brain storage area go back into it first; the brains stay counted. If there are
   too few even then, one rolls what there is.
2. *Throw.* Every die in the area is thrown, cell by cell.
3. *Sort.* Brains and shotguns leave for their storage areas; footprints keep their
   cells and are thrown again next time. Three or more shotguns end the turn with
   nothing.

A living zombie has taken two shotguns at most, and a bag has three dice or more. So there is
always a die to roll.

The seats are shuffled first. The game ends with a complete round in which someone
has enough brains (or with round ``max_turns``); most brains win. Those level at the
top, and only they, go on in extra rounds until one is ahead.

The explicit phases::

    shuffle ──> decide ──roll──> take ──> throw ──> decide     the turn goes on
                  │                         └─────> handover   three shotguns
                  └──hold, pass───────────────────> handover ──> decide | over

Sorting and handover need no decision and no chance, so no state rests there. A draw
that could give only one value (the last die of a bag, a die with one face) is not
drawn at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, Literal, NamedTuple, Self, TypeAlias

from fairground.core import (
    Awaits,
    BadParams,
    Draw,
    Game,
    IllegalMove,
    Move,
    Over,
    Parameter,
    Params,
    Role,
    Seat,
    Turn,
    between,
    must_be_below,
    must_be_in_range,
    must_be_in_turn,
)

BRAIN: Final = "b"
FOOTPRINTS: Final = "f"
SHOTGUN: Final = "s"

GREEN, YELLOW, RED = range(3)
COLOURS: Final = ("green", "yellow", "red")
KINDS: Final = ("weak", "strong", "tough")
"""Names of the colours in the configuration, in the same order."""

CELLS: Final = 3
"""Number of dice rolled at once."""

FATAL: Final = 3
"""Number of shotguns that end a turn."""

ROLL: Final = "roll"
HOLD: Final = "hold"
PASS: Final = "pass"
"""Give the turn up for nothing. Never better than another move: it is what a table
plays for a bot that fails to answer, so that such a bot loses its turn and no more."""

DEFAULTS: Final[dict[str, Any]] = {
    "players": 2,
    "weak_dice": 6,
    "strong_dice": 4,
    "tough_dice": 3,
    "weak_die_faces": "bbbffs",
    "strong_die_faces": "bbffss",
    "tough_die_faces": "bffsss",
    "brains_to_win": 13,
    "max_turns": 0,
}
LIMITS: Final[dict[str, tuple[int, int]]] = {
    "players": (2, 100),
    "weak_dice": (0, 1000),
    "strong_dice": (0, 1000),
    "tough_dice": (0, 1000),
    "brains_to_win": (1, 1_000_000),
    "max_turns": (0, 1_000_000),
}
MOST_FACES: Final = 1000

Phase: TypeAlias = Literal["shuffle", "decide", "take", "throw", "over"]
Pile: TypeAlias = tuple[int, int, int]
"""Dice by colour: how many green, yellow, red."""

NOTHING: Final[Pile] = (0, 0, 0)


class Die(NamedTuple):
    """A die in a cell of the dice rolling area; ``face`` is empty until it is thrown."""

    colour: int
    face: str = ""


Cells: TypeAlias = tuple[Die | None, ...]
EMPTY: Final[Cells] = (None,) * CELLS


class Ended(NamedTuple):
    """The end of the last turn, which a screen shows after the areas have been cleared."""

    seat: Seat
    how: Literal["held", "shot", "passed"]
    scored: int
    brains: int
    rolled: Cells
    brain_dice: Pile
    shotgun_dice: Pile


class State(NamedTuple):
    """Everything on the table. Nothing is secret: the bag is what lies nowhere else."""

    phase: Phase
    order: tuple[Seat, ...]
    """The seats in the order of their turns, final once the phase is not "shuffle"."""
    unsettled: int
    """Number of places of the order that the shuffle has yet to settle."""
    playing: tuple[Seat, ...]
    """The seats still in, in turn order: all, or in extra rounds those level at the top."""
    at: int
    """The seat whose turn it is, as an index into ``playing``."""
    round: int
    """The round now being played, from 1; extra rounds count on."""
    extra: int
    """Number of extra rounds that have begun; 0 before any tie-break."""
    scores: tuple[int, ...]
    """Brains banked, by seat."""
    turns: tuple[int, ...]
    """Turns completed, by seat."""
    bag: Pile
    cells: Cells
    """The dice rolling area. Between rolls it holds the footprints, each in its cell."""
    brain_dice: Pile
    """Dice in the brain storage area."""
    shotgun_dice: Pile
    """Dice in the shotgun storage area, one for each shotgun taken in this turn."""
    brains: int
    """Brains counted in this turn; more than the dice in their area once those went back."""
    rolls: int
    """Completed rolls of this turn."""
    rolled: Cells
    """The cells as last thrown, before sorting; all empty before the turn's first roll."""
    last: Ended | None
    """The end of the turn before this one."""
    gone: tuple[Seat, ...] = ()
    """The seats that have left, in the order of leaving."""


_HUMANS: Final = tuple(zip(KINDS, COLOURS, strict=True))


def _counted(name: str, says: str) -> Parameter:
    return Parameter(name, says, between(*LIMITS[name]), DEFAULTS[name])


class Zombie(Game[State]):
    """The rules for one configuration: how many seats, which dice, and when it ends."""

    name: ClassVar[str] = "zombie/2"
    roles = (Role("zombie", *LIMITS["players"]),)
    parameters = (
        _counted("players", "how many zombies play"),
        *(_counted(f"{kind}_dice", f"how many {colour} dice") for kind, colour in _HUMANS),
        *(
            Parameter(
                f"{kind}_die_faces",
                f"the faces of a {colour} die: b brain, f footprints, s shotgun",
                {"type": "string", "pattern": "^[bfs]*$", "maxLength": MOST_FACES},
                DEFAULTS[f"{kind}_die_faces"],
            )
            for kind, colour in _HUMANS
        ),
        _counted("brains_to_win", "how many brains end the game"),
        _counted("max_turns", "after how many rounds it ends; 0: by brains"),
    )

    def __init__(
        self,
        seats: int = 2,
        dice: Pile = (6, 4, 3),
        faces: tuple[str, str, str] = ("bbbffs", "bbffss", "bffsss"),
        brains_to_win: int = 13,
        max_turns: int = 0,
    ) -> None:
        self.seats = seats
        self.dice = dice
        self.faces = faces
        self.brains_to_win = brains_to_win
        self.max_turns = max_turns
        given = self.params()
        for key, (least, most) in LIMITS.items():
            if type(given[key]) is not int or not least <= given[key] <= most:
                raise BadParams(f"{key} must be an integer in {least}..{most}, not {given[key]!r}")
        for kind in KINDS:
            must_be_faces(f"{kind}_die_faces", given[f"{kind}_die_faces"], given[f"{kind}_dice"])
        in_play = sum(dice)
        if in_play == 0:
            raise BadParams("there are no dice in the bag")
        if in_play < CELLS:
            raise BadParams(f"a roll takes {CELLS} dice, but the bag has only {in_play} in all")
        if not any(n and BRAIN in sides for n, sides in zip(dice, faces, strict=True)):
            raise BadParams("no die in the bag has a brain (b) on it, so nobody could ever score")

    @classmethod
    def from_params(cls, params: Params) -> Self:
        given = cls.with_defaults(params)
        green, yellow, red = (given[f"{kind}_dice"] for kind in KINDS)
        weak, strong, tough = (given[f"{kind}_die_faces"] for kind in KINDS)
        return cls(
            given["players"],
            (green, yellow, red),
            (weak, strong, tough),
            given["brains_to_win"],
            given["max_turns"],
        )

    def params(self) -> dict[str, Any]:
        return {
            "players": self.seats,
            **{f"{kind}_dice": n for kind, n in zip(KINDS, self.dice, strict=True)},
            **{f"{kind}_die_faces": f for kind, f in zip(KINDS, self.faces, strict=True)},
            "brains_to_win": self.brains_to_win,
            "max_turns": self.max_turns,
        }

    def start(self) -> State:
        everyone = tuple(range(self.seats))
        return State(
            phase="shuffle",
            order=everyone,
            unsettled=self.seats,
            playing=everyone,
            at=0,
            round=1,
            extra=0,
            scores=(0,) * self.seats,
            turns=(0,) * self.seats,
            bag=self.dice,
            cells=EMPTY,
            brain_dice=NOTHING,
            shotgun_dice=NOTHING,
            brains=0,
            rolls=0,
            rolled=EMPTY,
            last=None,
        )

    def awaits(self, s: State) -> Awaits:
        if s.phase == "decide":
            return Turn((s.playing[s.at],))
        if s.phase == "throw":
            i = _next_to_throw(s.cells)
            return Draw(len(self._faces_of(s.cells[i])))
        if s.phase == "take":
            return Draw(sum(s.bag))
        if s.phase == "shuffle":
            return Draw(s.unsettled)
        (winner,) = s.playing
        return Over(tuple(self.seats - 1 if seat == winner else -1 for seat in range(self.seats)))

    def drawn(self, s: State, value: int) -> State:
        if s.phase == "throw":
            i = _next_to_throw(s.cells)
            must_be_below(value, len(self._faces_of(s.cells[i])))
            return self._go_on(self._thrown(s, i, value))
        if s.phase == "take":
            must_be_below(value, sum(s.bag))
            return self._go_on(_take(s, value))
        must_be_in_range(value, self.awaits(s))
        return _settle_place(s, value)

    def check(self, s: State, seat: Seat, move: Move) -> None:
        must_be_in_turn(seat, self.awaits(s))
        if move not in (ROLL, HOLD, PASS):
            raise IllegalMove(f"a move is {ROLL!r}, {HOLD!r} or {PASS!r}, not {move!r}")
        if move == HOLD and s.rolls == 0:
            raise IllegalMove("a turn begins with a roll: holding is possible after it")

    def move_schema(self, s: State | None = None) -> dict[str, Any]:
        return {"enum": [ROLL, HOLD, PASS]}

    def moves(self, s: State, seat: Seat) -> Iterator[Move]:
        must_be_in_turn(seat, self.awaits(s))
        yield ROLL
        if s.rolls:
            yield HOLD
        yield PASS

    def choices(self, s: State, seat: Seat) -> Iterator[Move]:
        return (move for move in self.moves(s, seat) if move != PASS)

    def played(self, s: State, moves: Mapping[Seat, Move]) -> State:
        (move,) = moves.values()
        if move == HOLD:
            return self._hand_over(s, "held")
        if move == PASS:
            return self._hand_over(s, "passed")
        if s.cells.count(None) > sum(s.bag):
            s = s._replace(bag=_plus(s.bag, s.brain_dice), brain_dice=NOTHING)
        return self._go_on(s._replace(phase="take"))

    def forfeit(self, s: State, seat: Seat) -> tuple[int, ...]:
        """Pay the last seat left the victory: asked only when all others have gone."""
        (winner,) = (other for other in range(self.seats) if other not in (*s.gone, seat))
        return tuple(self.seats - 1 if i == winner else -1 for i in range(self.seats))

    def departed(self, s: State, seat: Seat) -> State | Over:
        """Let the others play on, or end the game when only one is left.

        The seat loses its turn and its brains, and the end counts as a defeat. If leaving ended
        the game for all, two of three could take a victory away from the third at no cost.
        """
        if len(s.gone) + 2 >= self.seats:
            return Over(self.forfeit(s, seat))
        on_turn = s.phase != "shuffle" and s.playing[s.at] == seat
        if on_turn:
            s = self._cleared(s, "passed", 0)
        at = s.at - sum(1 for other in s.playing[: s.at] if other == seat)
        s = s._replace(
            gone=(*s.gone, seat),
            scores=_put(s.scores, seat, 0),
            playing=tuple(other for other in s.playing if other != seat),
            at=at,
        )
        if s.phase == "shuffle":
            return s
        if not s.playing:  # everyone level at the top has left: the rest break the tie
            rest = tuple(other for other in s.order if other not in s.gone)
            return s._replace(playing=rest, at=0)
        return s if s.at < len(s.playing) else self._end_round(s)

    def to_take(self, s: State) -> int:
        """Return the number of dice that the next roll takes from the bag, refilled if needed."""
        return min(s.cells.count(None), sum(s.bag) + sum(s.brain_dice))

    @property
    def can_bust(self) -> bool:
        """True if the bag has enough dice with a shotgun to end a turn."""
        dice = zip(self.dice, self.faces, strict=True)
        return sum(n for n, faces in dice if SHOTGUN in faces) >= FATAL

    def _faces_of(self, die: Die | None) -> str:
        """Return the faces of a die that is to be thrown."""
        assert die is not None  # where none is left to throw, they are sorted
        return self.faces[die.colour]

    def _thrown(self, s: State, i: int, value: int) -> State:
        """Lay the face of the index drawn into cell ``i``."""
        die = s.cells[i]
        assert die is not None
        shows = Die(die.colour, self.faces[die.colour][value])
        return _laid(s, "throw", s.bag, _put(s.cells, i, shows))

    def _go_on(self, s: State) -> State:
        """Take and throw dice that leave no choice, up to the next draw or decision."""
        if s.phase == "take":
            while None in s.cells and sum(s.bag) == 1:
                s = _take(s, 0)
            if None in s.cells and s.bag != NOTHING:
                return s
            blank = tuple([die and Die(die.colour) for die in s.cells])
            s = _laid(s, "throw", s.bag, blank)
        while (i := _next_to_throw(s.cells)) >= 0:
            if len(self._faces_of(s.cells[i])) > 1:
                return s
            s = self._thrown(s, i, 0)
        return self._sort(s)

    def _sort(self, s: State) -> State:
        """Move brains and shotguns to their areas; three shotguns end the turn."""
        eaten = _colours(s.cells, BRAIN)
        s = s._replace(
            phase="decide",
            rolled=s.cells,
            rolls=s.rolls + 1,
            cells=tuple(die if die and die.face == FOOTPRINTS else None for die in s.cells),
            brain_dice=_plus(s.brain_dice, eaten),
            shotgun_dice=_plus(s.shotgun_dice, _colours(s.cells, SHOTGUN)),
            brains=s.brains + sum(eaten),
        )
        return self._hand_over(s, "shot") if sum(s.shotgun_dice) >= FATAL else s

    def _hand_over(self, s: State, how: Literal["held", "shot", "passed"]) -> State:
        """Bank what was held, put all dice back, and see who is next."""
        s = self._cleared(s, how, s.brains if how == "held" else 0)
        s = s._replace(at=s.at + 1)
        return s if s.at < len(s.playing) else self._end_round(s)

    def _cleared(self, s: State, how: Literal["held", "shot", "passed"], scored: int) -> State:
        """End the turn: bank the brains that were scored, and put all dice back."""
        seat = s.playing[s.at]
        return s._replace(
            phase="decide",
            scores=_put(s.scores, seat, s.scores[seat] + scored),
            turns=_put(s.turns, seat, s.turns[seat] + 1),
            bag=self.dice,
            cells=EMPTY,
            brain_dice=NOTHING,
            shotgun_dice=NOTHING,
            brains=0,
            rolls=0,
            rolled=EMPTY,
            last=Ended(seat, how, scored, s.brains, s.rolled, s.brain_dice, s.shotgun_dice),
        )

    def _end_round(self, s: State) -> State:
        """Go on after a complete round, break a tie, or end the game."""
        if s.extra or self._decided(s):
            top = max(s.scores)
            level = tuple(seat for seat in s.playing if s.scores[seat] == top)
            if len(level) == 1:
                return s._replace(phase="over", playing=level, at=0)
            s = s._replace(playing=level, extra=s.extra + 1)
        return s._replace(at=0, round=s.round + 1)

    def _decided(self, s: State) -> bool:
        """Return true if the regular rounds end with the one just completed."""
        if self.max_turns:
            return s.round == self.max_turns
        return max(s.scores) >= self.brains_to_win


def must_be_faces(what: str, faces: object, dice: int) -> None:
    """Refuse anything but a text of the letters b, f, s; it may be empty if no die has it."""
    if type(faces) is not str or set(faces) - {BRAIN, FOOTPRINTS, SHOTGUN}:
        raise BadParams(f"{what} must be made of the letters b, f and s, not {faces!r}")
    if len(faces) > MOST_FACES:
        raise BadParams(f"{what} may have at most {MOST_FACES} faces, not {len(faces)}")
    if dice and not faces:
        raise BadParams(f"{what} has no faces, but there are {dice} such dice")


def _settle_place(s: State, value: int) -> State:
    """Take one step of Fisher and Yates: fill the last unsettled place."""
    last = s.unsettled - 1
    order = _put(_put(s.order, last, s.order[value]), value, s.order[last])
    # With one place left there is nothing to choose: the order is complete.
    if last == 1:
        playing = tuple(seat for seat in order if seat not in s.gone)
        return s._replace(phase="decide", order=order, unsettled=0, playing=playing)
    return s._replace(order=order, unsettled=last)


def _take(s: State, value: int) -> State:
    """Move the die of the index drawn from the bag to the first empty cell."""
    green, yellow, _ = s.bag
    colour = GREEN if value < green else YELLOW if value < green + yellow else RED
    bag = _put(s.bag, colour, s.bag[colour] - 1)
    return _laid(s, s.phase, bag, _put(s.cells, s.cells.index(None), Die(colour)))


_BAG: Final = State._fields.index("bag")


def _laid(s: State, phase: Phase, bag: Pile, cells: Cells) -> State:
    """Replace phase, bag and cells, faster than `_replace`: it happens with every draw."""
    return State._make((phase, *s[1:_BAG], bag, cells, *s[_BAG + 2 :]))


def _next_to_throw(cells: Cells) -> int:
    """Return the cell of the first die that shows no face yet; -1: all do."""
    for i, die in enumerate(cells):
        if die is not None and not die.face:
            return i
    return -1


def _colours(cells: Cells, face: str) -> Pile:
    """Return the dice that show this face, by colour."""
    shown = [die.colour for die in cells if die and die.face == face]
    return shown.count(GREEN), shown.count(YELLOW), shown.count(RED)


def _plus(a: Pile, b: Pile) -> Pile:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _put(row: Any, i: int, value: Any) -> Any:
    return (*row[:i], value, *row[i + 1 :])
