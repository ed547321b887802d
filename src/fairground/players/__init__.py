"""Players decide: programs that need no person, from a coin-flipper to perfect play.

A player has one method. Write your own in three lines::

    class FirstMove(Player):
        def choose(self, game, view, seat):
            return next(iter(game.choices(view, seat)))

`make_player` builds a player from what a user types, such as ``optimal`` or ``mcts:200``.
`offered` lists the players that can take a seat. Both read the register `PLAYERS`,
in which every player declares its games and its seats. `play` lets players finish a game
without a table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar

from fairground.core import Draw, Game, InputError, Move, Seat, Turn, UnknownName
from fairground.registry import known, load

if TYPE_CHECKING:
    from fairground.fair.bits import Stream
    from fairground.fair.schemes import Chance

S = TypeVar("S")

NEEDED: Final[dict[str, tuple[str, ...]]] = {"solve": ("numpy", "numba", "ortools")}
"""The modules that an extra brings, as far as players need them."""


class Player(ABC):
    """A decider. It is handed only its own view, never the full state."""

    remarks: Sequence[str] = ()
    """Remarks on the last choice. The driver of the table notes them in the record, and clears
    them."""

    @abstractmethod
    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        """Return a legal move for ``seat`` in the position that ``view`` shows."""

    @property
    def size(self) -> int:
        """Return roughly the bytes of memory that its thoughts take; 0: few."""
        return 0

    def memory(self) -> bytes:
        """Return the thoughts that a successor would have to think again; empty: none.

        A player that is made again and has `recall` called with it goes on as this one would.
        """
        return b""

    def recall(self, memory: bytes) -> None:
        """Take over the `memory` of a player of the same game and seed, if it is of use."""
        return


class RandomPlayer(Player):
    """Plays each move that one would choose from with the same chance."""

    def __init__(self, game: Game[Any], chance: Stream, argument: str | None = None) -> None:
        self._chance = chance

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        moves = list(game.choices(view, seat))
        return moves[self._chance.below(len(moves))]


class Chooser(Protocol):
    """The decider of a seat, such as a `Player`."""

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move: ...


def play(
    game: Game[S],
    players: Mapping[Seat, Chooser] | Sequence[Chooser],
    chance: Chance,
    state: S | None = None,
) -> Iterator[S]:
    """Play a game to its end, and yield every state on the way, the first and the last too.

    `fairground.table` referees games that must be proven. Simulations, searches and tests need no
    proof and play many games: here nothing is recorded. Play begins at ``state``, or at the start
    of the game. An illegal move is refused with `IllegalMove`.
    """
    now = game.start() if state is None else state
    while True:
        yield now
        match game.awaits(now):
            case Draw(n):
                now = game.drawn(now, chance.below(n))
            case Turn(seats):
                moves = {
                    seat: players[seat].choose(game, game.view(now, seat), seat) for seat in seats
                }
                for seat, move in moves.items():
                    game.check(now, seat, move)
                now = game.played(now, moves)
            case _:
                return


class PlayerListing(NamedTuple):
    """A player in the register."""

    path: str
    """``module:factory``. The factory is called with the game, a stream of chance for the player
    itself, and the text behind the colon (or ``None``)."""
    summary: str
    roles: tuple[str, ...] = ()
    """The seats that it can take, by role; empty: any."""
    where: Mapping[str, Any] = {}
    """Parameters that the game must have."""
    sees_all: bool = False
    """True if it plays only games that hide nothing."""
    lists_moves: bool = False
    """True if it goes through all moves of a state."""
    extra: str | None = None
    """The optional extra of this package that it needs."""
    slow: bool = False
    """True if it thinks for long."""
    exact: bool = False
    """True if its moves are computed to be the best there are, as far as the summary says."""
    argument: str | None = None
    """The text allowed behind a colon; ``None``: nothing."""
    prepare: str | None = None
    """``module:function`` for long work that is done once and kept. It is called with the game, and
    with a function that is told the share of the work done."""
    difficulty: str = ""
    """Its strength, for people: one of `DIFFICULTIES`, if a game has several strengths."""


DIFFICULTIES: Final = ("easy", "medium", "hard")

_PLAYERS: Final = "fairground.players"
_GAMES: Final = "fairground.games"
_CODES: Final = f"{_GAMES}.codebreaking.players"
_BREAKS: Final[dict[str, Any]] = {"roles": ("breaker",), "extra": "solve"}

PLAYERS: Final[dict[tuple[str | None, str], PlayerListing]] = {
    (None, "random"): PlayerListing(
        f"{_PLAYERS}:RandomPlayer",
        "plays any move, each as likely",
        lists_moves=True,
        difficulty="easy",
    ),
    (None, "mcts"): PlayerListing(
        f"{_PLAYERS}.mcts:MctsPlayer",
        "searches the tree of moves and chance",
        sees_all=True,
        lists_moves=True,
        slow=True,
        argument="iterations such as mcts:200, or a time such as mcts:50ms",
    ),
    ("intransitive", "optimal"): PlayerListing(
        f"{_GAMES}.intransitive.players:OptimalDice",
        "takes the die with the best odds",
        exact=True,
        difficulty="hard",
    ),
    ("codebreaking", "fair"): PlayerListing(
        f"{_CODES}:FairKeeper",
        "tells the truth about the drawn code",
        roles=("keeper",),
        where={"oracle": "fair"},
    ),
    ("codebreaking", "nice"): PlayerListing(
        f"{_CODES}:NiceKeeper",
        "lets the first guess be right",
        roles=("keeper",),
        where={"oracle": "nice"},
    ),
    ("codebreaking", "evil"): PlayerListing(
        f"{_CODES}:EvilKeeper",
        "changes the code whenever that helps, and never contradicts itself",
        roles=("keeper",),
        where={"oracle": "evil"},
        extra="solve",
        argument="deep, for the keeper that forces the most guesses on perfect play",
    ),
    ("codebreaking", "best"): PlayerListing(
        f"{_CODES}:best_breaker",
        "the best breaker for this size",
        **_BREAKS,
        argument="what the chosen breaker takes",
        difficulty="hard",
    ),
    ("codebreaking", "optimal"): PlayerListing(
        f"{_CODES}:TreeBreaker",
        "fewest guesses on average, where that is known",
        **_BREAKS,
        exact=True,
        argument="the most guesses allowed, where such a tree is known",
    ),
    ("codebreaking", "expected"): PlayerListing(
        f"{_CODES}:ExpectedBreaker", "leaves the fewest codes on average", **_BREAKS
    ),
    ("codebreaking", "entropy"): PlayerListing(
        f"{_CODES}:EntropyBreaker", "asks what tells it most", **_BREAKS
    ),
    ("codebreaking", "parts"): PlayerListing(
        f"{_CODES}:PartsBreaker", "asks what can be answered in the most ways", **_BREAKS
    ),
    ("codebreaking", "minimax"): PlayerListing(
        f"{_CODES}:MinimaxBreaker",
        "leaves the fewest codes in the worst case",
        **_BREAKS,
        difficulty="medium",
    ),
    ("codebreaking", "annealing"): PlayerListing(
        f"{_CODES}:AnnealingBreaker",
        "hunts for a code that fits, at any size",
        **_BREAKS,
        slow=True,
        argument="rounds for each guess, such as annealing:400",
    ),
    ("fatestones", "greedy"): PlayerListing(
        f"{_GAMES}.fatestones.players:GreedyPlayer",
        "picks the best die for the next roll",
        difficulty="medium",
    ),
    ("fatestones", "optimal"): PlayerListing(
        f"{_GAMES}.fatestones.players:OptimalPlayer",
        "plays perfectly",
        exact=True,
        difficulty="hard",
    ),
    ("poker", "optimal"): PlayerListing(
        f"{_GAMES}.poker.players:OptimalPoker",
        "holds what is worth most",
        roles=("player",),
        exact=True,
        difficulty="hard",
    ),
    ("zombie", "cautious"): PlayerListing(
        f"{_GAMES}.zombie.players:Cautious", "holds at two shotguns", difficulty="medium"
    ),
    ("zombie", "greedy"): PlayerListing(
        f"{_GAMES}.zombie.players:Greedy",
        "rolls while that raises its brains",
        extra="solve",
        difficulty="hard",
    ),
    ("zombie", "optimal"): PlayerListing(
        f"{_GAMES}.zombie.players:Optimal",
        "plays to win: perfectly between two",
        extra="solve",
        slow=True,
        exact=True,
        prepare=f"{_GAMES}.zombie.players:prepare_optimal",
    ),
}
"""(Game family or ``None`` for any, player's name) → what it declares."""


def fitting(game: Game[Any], seat: Seat) -> dict[str, PlayerListing]:
    """Return the players that can take this seat, by name, with everything installed."""
    return {
        name: listing for name, listing in _of(game).items() if _unfit(listing, game, seat) is None
    }


def offered(game: Game[Any], seat: Seat) -> dict[str, PlayerListing]:
    """Return the players that can take this seat here and now, by name."""
    return {n: listing for n, listing in fitting(game, seat).items() if not _missing(listing)}


def listing_of(spec: str, game: Game[Any]) -> PlayerListing:
    """Return the listing of the player that ``spec`` names."""
    return _of(game)[spec.partition(":")[0]]


def make_player(spec: str, game: Game[Any], chance: Stream, seat: Seat) -> Player:
    """Build the player that ``spec`` names, for this seat; refuse one that cannot play it."""
    listing = check_player(spec, game, seat)
    _, colon, argument = spec.partition(":")
    player: Player = load(listing.path)(game, chance, argument if colon else None)
    return player


def check_player(spec: str, game: Game[Any], seat: Seat) -> PlayerListing:
    """Return the listing that ``spec`` names; refuse a player that cannot play this seat.

    The player is not built, so its argument is not checked.
    """
    name, colon, argument = spec.partition(":")
    listing = _of(game).get(name)
    if listing is None:
        there = known(name, offered(game, seat))
        raise UnknownName(f"no player named {name!r} for {game.name}; {there}")
    if reason := _unfit(listing, game, seat):
        there = ", ".join(sorted(offered(game, seat))) or "none"
        raise UnknownName(f"{name} {reason}; for the {game.role(seat)} there are: {there}")
    if colon and listing.argument is None:
        raise InputError(f"{name} takes nothing after a colon, but got {argument!r}")
    return listing


def prepare(spec: str, game: Game[Any], progress: Callable[[float], None]) -> None:
    """Do the long work that a player needs once, if any; ``progress`` is told the share done."""
    listing = _of(game).get(spec.partition(":")[0])
    if listing is not None and listing.prepare is not None:
        load(listing.prepare)(game, progress)


def _of(game: Game[Any]) -> dict[str, PlayerListing]:
    """Return the players listed for any game, and for games of this family."""
    family = game.name.partition("/")[0]
    return {name: at for (of, name), at in PLAYERS.items() if of in (None, family)}


def _unfit(listing: PlayerListing, game: Game[Any], seat: Seat) -> str | None:
    """Return the reason why this player cannot take this seat; ``None`` if it can."""
    if listing.roles and game.role(seat) not in listing.roles:
        return f"plays the {' or the '.join(listing.roles)}, not the {game.role(seat)}"
    params = game.params()
    for parameter, value in listing.where.items():
        if params.get(parameter) != value:
            return f"plays only where {parameter} is {value}"
    if listing.sees_all and game.hides:
        return f"must see everything, and {game.name} hides something"
    if listing.lists_moves and not game.listable:
        return "goes through all moves, and here they are too many"
    return None


def _missing(listing: PlayerListing) -> bool:
    """Return true if an optional package that this player needs is not installed."""
    if listing.extra is None:
        return False
    return any(find_spec(module) is None for module in NEEDED[listing.extra])


BEST: Final = ("best", "optimal")
"""Names of the strongest player, where a game has one."""


def seat_labels(game: Game[Any]) -> list[str]:
    """Return the seats' names on the command line: ``keeper``, or ``player1``, ``player2``."""
    roles = [game.role(seat) for seat in range(game.seats)]
    return [
        role if roles.count(role) == 1 else f"{role}{roles[: seat + 1].count(role)}"
        for seat, role in enumerate(roles)
    ]


def seat_title(label: str) -> str:
    """Return ``player1`` as a name: "Player 1"."""
    role = label.rstrip("0123456789")
    return f"{role.capitalize()} {label.removeprefix(role)}".strip()


def usual_player(game: Game[Any], seat: Seat) -> str | None:
    """Return the default player of a seat: strong if that is quick; ``None``: nobody can."""
    here = offered(game, seat)
    quick = [name for name, listing in here.items() if not listing.slow]
    for name in BEST:
        if name in quick:
            return name
    own = [name for name in quick if name != "random"]
    return next(iter([*own, *quick, *here]), None)


def wanted_seats(
    game: Game[Any], given: Sequence[str], option: str, example: str
) -> dict[Seat, str]:
    """Return the player named for each seat, given as ``SEAT=PLAYER``."""
    labels = seat_labels(game)
    wanted: dict[Seat, str] = {}
    for text in given:
        label, equals, player = text.partition("=")
        if not equals or not player:
            raise InputError(f"{option} {text!r} is not understood. For example: {example}")
        if label not in labels:
            raise InputError(
                f"{option} {text!r}: {game.name} has no seat {label!r}; "
                f"{known(label, dict.fromkeys(labels))}"
            )
        seat = labels.index(label)
        if seat in wanted:
            raise InputError(f"{option} {text!r}: the seat {label} is given twice")
        wanted[seat] = player
    return wanted
