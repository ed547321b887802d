"""The register of players: what each of ours declares.

A player says which games and which seats it can play, what it must see, which extra it needs,
whether it is slow, and what may stand behind a colon. Help texts, menus and ``GET /games`` are
made from this, so nothing is offered that cannot be played.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

NEEDED: Final[dict[str, tuple[str, ...]]] = {"solve": ("numpy", "numba", "ortools")}
"""The modules that an extra brings, as far as players need them."""


class PlayerListing(NamedTuple):
    """What a player declares."""

    path: str
    """``module:factory``. The factory is called with the game, a stream of chance for the player
    itself, and what was written behind the colon (or ``None``)."""
    summary: str
    roles: tuple[str, ...] = ()
    """The seats that it can take, by role; empty: any."""
    where: Mapping[str, Any] = {}
    """Parameters that the game must have."""
    sees_all: bool = False
    """Whether it plays only games that hide nothing."""
    lists_moves: bool = False
    """Whether it goes through all moves of a state."""
    extra: str | None = None
    """The optional extra of this package that it needs."""
    slow: bool = False
    """Whether it thinks for long."""
    exact: bool = False
    """Whether its moves are computed to be the best there are, as far as the summary says."""
    argument: str | None = None
    """What may be written behind a colon; ``None``: nothing."""
    prepare: str | None = None
    """``module:function`` for long work that is done once and kept. It is called with the game, and
    with a function that is told which share of the work is done."""
    difficulty: str = ""
    """How strong it is, for people: one of `DIFFICULTIES`, where a game has several strengths."""


DIFFICULTIES: Final = ("easy", "medium", "hard")

_PLAYERS: Final = "fairground.players"
_GAMES: Final = "fairground.games"
_CODES: Final = f"{_GAMES}.codebreaking.players"
_BREAKS: Final[dict[str, Any]] = {"roles": ("breaker",), "extra": "solve"}

PLAYERS: Final[dict[tuple[str | None, str], PlayerListing]] = {
    (None, "random"): PlayerListing(
        f"{_PLAYERS}.simple:RandomPlayer",
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
        f"{_CODES}:OptimalBreaker",
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
