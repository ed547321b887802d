"""FateStones: three odd dice each, a secret choice, one roll, and ties eat the dice.

A die is written as its six faces in ascending order: ``123456`` is the ordinary
one, ``333444`` a timid one, ``111666`` a wild one. Six faces of one to six pips
make 462 different dice. The game uses the 32 whose mean is 3.5: no die is better on
average, and everything depends on which die meets which.

1. Three dice each are dealt from one bag, alternately, without replacement.
2. Everyone sees all six dice.
3. Both seats secretly choose one of the dice they have left (a turn of two seats;
   the referee seals the choices). A move is an index into the dice *left*, 0 to 2.
4. Both chosen dice are rolled, seat 0 first. The higher roll wins the game.
5. On a tie both chosen dice are gone, and the seats choose again.
6. A tie with the last dice is a *scratch*: the bag is filled and dealt anew.

The parameters of a game, all optional:

``dice``
    The bag, as a list of dice; by default the 32 fair ones. A die may be in it
    more than once. The bag is kept sorted, so that a drawn number means the
    same die whichever way the list was written.
``scratch``
    ``"redeal"`` (the rule above, the default), or ``"end"``: a scratch ends the game
    with nothing for either seat. The original simulator's logs count games so.
``hands``
    Instead of ``dice``: the hands themselves, one to three dice for each of two seats.
    This is the *Episode* of the source document: nothing is dealt, and since there is
    no bag to deal from, a scratch ends the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
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

Die: TypeAlias = str
"""Six digits from 1 to 6 that never fall: one digit for each face."""

Hand: TypeAlias = tuple[Die, ...]
Hands: TypeAlias = tuple[Hand, Hand]

FACES: Final = 6
HAND: Final = 3
BOTH_TURN: Final = Turn((0, 1))
ROLL: Final = Draw(FACES)
LEAST: Final = 2 * HAND
"""A bag must hold enough dice for two hands."""

_DICE: Final = {
    "type": "array",
    "items": {"type": "string", "pattern": "^1*2*3*4*5*6*$", "minLength": 6, "maxLength": 6},
}

Phase: TypeAlias = Literal["deal", "choose", "roll", "over"]
Scratch: TypeAlias = Literal["redeal", "end"]


def all_dice() -> tuple[Die, ...]:
    """Return all 462 dice, in ascending order."""
    return tuple("".join(faces) for faces in combinations_with_replacement("123456", FACES))


def pips(die: Die) -> tuple[int, ...]:
    """Return the faces of a die as numbers."""
    return tuple(int(face) for face in die)


@cache
def fair_dice() -> tuple[Die, ...]:
    """Return the 32 dice with a mean of 3.5, in ascending order."""
    return tuple(die for die in all_dice() if 2 * sum(map(int, die)) == 7 * FACES)


def wrong_with(die: object) -> str | None:
    """Return why this is not a die, or ``None`` if it is one."""
    if not isinstance(die, str) or len(die) != FACES:
        return "a die has six digits, such as 123456"
    if die.strip("123456"):
        return "every face must be a digit from 1 to 6"
    if list(die) != sorted(die):
        return "no digit may be higher than a digit to its right"
    return None


def parse_dice(text: str) -> tuple[Die, ...]:
    """Read a dice file: one die per line, ``123456`` or ``1 2 3 4 5 6``; blank lines are fine.

    Raises `BadParams` that names every bad line with its number.
    """
    dice: list[Die] = []
    bad: list[str] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        parts = line.split()
        if not parts:
            continue
        apart = all(len(part) == 1 for part in parts)
        die = "".join(parts) if apart else " ".join(parts)
        reason = wrong_with(die)
        if reason is None:
            dice.append(die)
        else:
            bad.append(f"line {number}: {line.strip()!r}: {reason}")
    if not bad and len(dice) < LEAST:
        bad.append(f"{len(dice)} dice, but two hands need at least {LEAST}")
    if bad:
        raise BadParams("not a file of dice\n" + "\n".join(bad))
    return tuple(dice)


class Round(NamedTuple):
    """One round as it was played: what lay on the table, who picked what, what fell."""

    hands: Hands
    picks: tuple[int, int]
    rolls: tuple[int, int]

    @property
    def dice(self) -> tuple[Die, Die]:
        return self.hands[0][self.picks[0]], self.hands[1][self.picks[1]]


class State(NamedTuple):
    """Everything there is to know; nothing in it is secret.

    A pick enters the state only together with the other one, so that a state never
    holds a choice that the other seat may not see. ``last`` and ``scratches`` are for
    spectators; ``last`` is the round played last.
    """

    phase: Phase
    hands: Hands
    picks: tuple[int, int] | None = None
    rolls: tuple[int, ...] = ()
    scratches: int = 0
    last: Round | None = None


class FateStones(Game[State]):
    """The rules of FateStones for one bag of dice, or for two given hands."""

    name: ClassVar[str] = "fatestones/1"
    seats = 2
    roles = (Role("player", 2, 2),)
    parameters = (
        Parameter("dice", "the bag to deal from; by default the 32 dice of mean 3.5", _DICE),
        Parameter("scratch", "what follows a scratch", {"enum": ["redeal", "end"]}, "redeal"),
        Parameter(
            "hands",
            "the dice of both seats, instead of a deal",
            {"type": "array", "minItems": 2, "maxItems": 2, "items": _DICE},
        ),
    )

    def __init__(
        self,
        dice: Sequence[Die] | None = None,
        *,
        scratch: Scratch = "redeal",
        hands: Sequence[Sequence[Die]] | None = None,
    ) -> None:
        self.scratch: Scratch = scratch
        self.bag: tuple[Die, ...] = ()
        self.hands: Hands | None = None
        if hands is None:
            self.bag = _checked_bag(fair_dice() if dice is None else dice)
            if scratch not in ("redeal", "end"):
                raise BadParams(f'"scratch" must be "redeal" or "end", not {scratch!r}')
        else:
            if dice is not None:
                raise BadParams('give either "dice" to deal from or "hands", not both')
            self.hands = _checked_hands(hands)
            self.scratch = "end"

    @classmethod
    def from_params(cls, params: Params) -> Self:
        if "hands" in params and "scratch" in params:
            raise BadParams('with "hands" there is no new deal, so "scratch" means nothing')
        for name in params.keys() & {"dice", "hands"}:
            if params[name] is None:
                raise BadParams(f"{name} must be an array of dice, not null")
        given = cls.with_defaults(params)
        return cls(given.get("dice"), scratch=given["scratch"], hands=given.get("hands"))

    def params(self) -> dict[str, Any]:
        if self.hands is not None:
            return {"hands": [list(hand) for hand in self.hands]}
        return {"dice": list(self.bag), "scratch": self.scratch}

    def must_be_winnable(self) -> None:
        """Refuse a bag whose faces are all equal: every roll is a tie, and deals never end."""
        if (
            self.scratch == "redeal"
            and len(faces := {face for die in self.bag for face in die}) == 1
        ):
            raise BadParams(
                f"nobody can ever win with this bag: every face of every die is {faces.pop()}, so "
                "every roll is a tie"
            )

    def start(self) -> State:
        if self.hands is not None:
            return State("choose", self.hands)
        return State("deal", ((), ()))

    def awaits(self, s: State) -> Awaits:
        if s.phase == "deal":
            return Draw(len(self.bag) - len(s.hands[0]) - len(s.hands[1]))
        if s.phase == "choose":
            return BOTH_TURN
        if s.phase == "roll":
            return ROLL
        return Over(_payoff(s.last))

    def left_in_bag(self, s: State) -> list[Die]:
        """Return the dice still in the bag, in ascending order; a drawn number is an index."""
        left = list(self.bag)
        for hand in s.hands:
            for die in hand:
                left.remove(die)
        return left

    def drawn(self, s: State, value: int) -> State:
        if s.phase == "deal":
            left = self.left_in_bag(s)
            must_be_below(value, len(left))
            return self._dealt(s, left[value])
        must_be_in_range(value, self.awaits(s))
        assert s.picks is not None  # the roll follows the choice
        seat = len(s.rolls)
        face = int(s.hands[seat][s.picks[seat]][value])
        if seat == 0:
            return s._replace(rolls=(face,))
        return self._settled(s, Round(s.hands, s.picks, (s.rolls[0], face)))

    def _dealt(self, s: State, die: Die) -> State:
        mine, yours = s.hands
        hands: Hands = ((*mine, die), yours) if len(mine) == len(yours) else (mine, (*yours, die))
        phase: Phase = "choose" if len(hands[1]) == HAND else "deal"
        return State(phase, hands, scratches=s.scratches, last=s.last)

    def _settled(self, s: State, last: Round) -> State:
        hands: Hands = (
            without(last.hands[0], last.picks[0]),
            without(last.hands[1], last.picks[1]),
        )
        if last.rolls[0] != last.rolls[1]:
            return State("over", hands, scratches=s.scratches, last=last)
        if hands[0]:
            return State("choose", hands, scratches=s.scratches, last=last)
        again: Phase = "deal" if self.scratch == "redeal" else "over"
        return State(again, ((), ()), scratches=s.scratches + 1, last=last)

    def check(self, s: State, seat: Seat, move: Move) -> None:
        must_be_in_turn(seat, self.awaits(s))
        if type(move) is not int or not 0 <= move < len(s.hands[seat]):
            listed = ", ".join(f"{i} ({die})" for i, die in enumerate(s.hands[seat]))
            raise IllegalMove(f"choose one of your dice: {listed}; not {move!r}")

    def move_schema(self, s: State | None = None) -> dict[str, Any]:
        return between(0, HAND - 1)

    def moves(self, s: State, seat: Seat) -> Iterable[Move]:
        must_be_in_turn(seat, self.awaits(s))
        return range(len(s.hands[seat]))

    def played(self, s: State, moves: Mapping[Seat, Move]) -> State:
        mine, yours = moves[0], moves[1]
        assert isinstance(mine, int) and isinstance(yours, int)
        return s._replace(phase="roll", picks=(mine, yours), rolls=())

    def forfeit(self, s: State, seat: Seat) -> tuple[int, ...]:
        return (-1, 1) if seat == 0 else (1, -1)


def _payoff(last: Round | None) -> tuple[int, int]:
    """Return the payoff of the last round: one to the higher roll, nothing for a scratch."""
    assert last is not None  # a game ends with a round
    mine, yours = last.rolls
    sign = (mine > yours) - (mine < yours)
    return sign, -sign


def without(hand: Hand, pick: int) -> Hand:
    """Return a hand without the picked die."""
    return hand[:pick] + hand[pick + 1 :]


def _checked_bag(dice: Sequence[Die]) -> tuple[Die, ...]:
    if isinstance(dice, str) or not isinstance(dice, Sequence):
        raise BadParams(f'"dice" must be a list such as ["123456", ...], not {dice!r}')
    _must_be_dice(dice)
    if len(dice) < LEAST:
        raise BadParams(f"{len(dice)} dice, but two hands need at least {LEAST}")
    return tuple(sorted(dice))


def _checked_hands(hands: Sequence[Sequence[Die]]) -> Hands:
    lists = isinstance(hands, Sequence) and all(
        isinstance(hand, Sequence) and not isinstance(hand, str) for hand in hands
    )
    if not lists or len(hands) != 2:
        raise BadParams(f'"hands" must be two lists of dice, not {hands!r}')
    mine, yours = (tuple(hand) for hand in hands)
    _must_be_dice((*mine, *yours))
    if len(mine) != len(yours) or not 1 <= len(mine) <= HAND:
        raise BadParams(
            "both seats need the same number of dice, one to three each, "
            f"not {len(mine)} and {len(yours)}"
        )
    return mine, yours


def _must_be_dice(dice: Iterable[object]) -> None:
    bad = [f"{die!r}: {reason}" for die in dice if (reason := wrong_with(die)) is not None]
    if bad:
        raise BadParams("not dice\n" + "\n".join(bad))
