"""Games as rows of data: the columns of each game, and their meaning.

A row is one game: its number, the payoff of each seat, and columns of the game's own. FateStones
has the ten columns of its original simulator instead, a row for each round: see
`games.fatestones.rows`. A game without columns of its own has the numbers of decisions and draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from msgspec import Struct

from fairground.core import Draw, Game, Turn
from fairground.games.codebreaking import rules as codebreaking
from fairground.games.fatestones import rules as fatestones
from fairground.games.fatestones.rows import COLUMNS as ROUND_COLUMNS
from fairground.games.fatestones.rows import row_of
from fairground.games.intransitive import rules as intransitive
from fairground.games.poker import rules as poker
from fairground.games.zombie import rules as zombie
from fairground.lab.plans import Plan, game_of, payoff_of
from fairground.players import seat_labels

INTEGER: Final = "integer"
TEXT: Final = "text"
LARGEST: Final = 2**63 - 1

Cells = tuple[Any, ...]


class Column(Struct, frozen=True):
    """A column: its name, what it holds, and its type."""

    name: str
    says: str
    kind: str = INTEGER


class Schema(NamedTuple):
    """The rows of one game."""

    columns: tuple[Column, ...]
    of: Callable[[int, Sequence[Any]], list[str]]
    """Returns the rows of a game, from its number and all its states."""
    header: bool = True
    """True if a text file begins with the names of the columns."""
    ends: Callable[[Sequence[str]], bool] = lambda cells: True
    """Returns whether a row is the last one of its game."""

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


class Facts(NamedTuple):
    """The columns of a game besides its payoffs."""

    columns: tuple[Column, ...]
    of: Callable[[Sequence[Any]], Cells]


def schema_of(plan: Plan) -> Schema:
    """Return the columns of a plan's game."""
    game = game_of(plan)
    if isinstance(game, fatestones.FateStones):
        return _rounds(game)
    labels = seat_labels(game)
    facts = _facts(game)
    many = len(plan.lineups)
    columns = [Column("game", "the number of the game, from 0")]
    if many > 1:
        columns.append(Column("deal", "the number of the deal: games with the same one share luck"))
        columns.append(Column("lineup", "who sat where: the number of the lineup in the card"))
    columns += [Column(f"payoff_{label}", f"what the {label} won") for label in labels]

    def of(number: int, states: Sequence[Any]) -> list[str]:
        where = (number, *divmod(number, many)) if many > 1 else (number,)
        cells = (*where, *payoff_of(game, states[-1]), *facts.of(states))
        return [",".join(map(str, cells))]

    return Schema((*columns, *facts.columns), of)


def _rounds(game: fatestones.FateStones) -> Schema:
    def of(number: int, states: Sequence[Any]) -> list[str]:
        rounds = []
        last = None
        for state in states:
            if state.last is not None and state.last is not last:
                rounds.append(row_of(state.last))
            last = state.last
        return rounds

    def ends(cells: Sequence[str]) -> bool:
        last_dice = not cells[1]
        return cells[8] != cells[9] or (last_dice and game.scratch == "end")

    says = {"Die": "a die of this player, empty when it is gone", "Choice": "index of the die",
            "Result": "the face rolled"}  # fmt: skip
    columns = tuple(Column(name, says[name.split()[2]]) for name in ROUND_COLUMNS)
    return Schema(columns, of, header=False, ends=ends)


# One row for each game


def _facts(game: Game[Any]) -> Facts:
    if isinstance(game, intransitive.Intransitive):
        return _dice(game)
    if isinstance(game, codebreaking.CodeBreaking):
        return _codes(game)
    if isinstance(game, zombie.Zombie):
        return _zombies(game)
    if isinstance(game, poker.Poker):
        return _hands(game)
    return _counted(game)


def _dice(game: intransitive.Intransitive) -> Facts:
    def of(states: Sequence[Any]) -> Cells:
        last = states[-1]
        return (last.first, *last.picks, game.result(last, 0), game.result(last, 1))

    return Facts(
        (
            Column("first", "the seat that chose first"),
            Column("die_computer", "the number of the computer's die"),
            Column("die_user", "the number of the user's die"),
            Column("face_computer", "what the computer rolled"),
            Column("face_user", "what the user rolled"),
        ),
        of,
    )


def _codes(game: codebreaking.CodeBreaking) -> Facts:
    def of(states: Sequence[Any]) -> Cells:
        last = states[-1]
        shown = "" if last.shown is None else codebreaking.number(last.shown, game.base)
        return shown, len(last.rows), int(last.given_up)

    return Facts(
        (
            Column(
                "code",
                f"the code that was shown, as a number in base {game.base}; empty: there was none",
                INTEGER if game.codes <= LARGEST else TEXT,
            ),
            Column("guesses", "how many guesses were asked"),
            Column("given_up", "1 if the breaker gave up"),
        ),
        of,
    )


def _zombies(game: zombie.Zombie) -> Facts:
    def of(states: Sequence[Any]) -> Cells:
        shot, last = [0] * game.seats, None
        for state in states:
            if state.last is not None and state.last is not last:
                shot[state.last.seat] += state.last.how == "shot"
            last = state.last
        end = states[-1]
        (winner,) = end.playing
        return (winner, *end.scores, *end.turns, *shot)

    labels = seat_labels(game)
    return Facts(
        (
            Column("winner", "the seat that won"),
            *(Column(f"brains_{label}", f"brains of the {label}") for label in labels),
            *(Column(f"turns_{label}", f"turns of the {label}") for label in labels),
            *(Column(f"shot_{label}", "turns that three shotguns ended") for label in labels),
        ),
        of,
    )


def _hands(game: poker.Poker) -> Facts:
    def of(states: Sequence[Any]) -> Cells:
        last = states[-1]
        replaced = int("".join(map(str, last.order)), 2)
        return (*last.dealt, replaced, int(poker.rank(game.final_hand(last))))

    return Facts(
        (
            *(Column(f"card{i}", "a card that was dealt: suit * 13 + rank") for i in range(1, 6)),
            Column("replaced", "which places were replaced, as bits: 16 is the first place"),
            Column("rank", "what the final hand was: 0 nothing, 1 jacks or better ... 9 royal"),
        ),
        of,
    )


def _counted(game: Game[Any]) -> Facts:
    def of(states: Sequence[Any]) -> Cells:
        kinds = [type(game.awaits(state)) for state in states]
        return kinds.count(Turn), kinds.count(Draw)

    return Facts(
        (Column("turns", "how often somebody had to move"), Column("draws", "how many draws")), of
    )
