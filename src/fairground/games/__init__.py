"""The rule books, and the register by which a transcript finds its own.

A game is a folder: rules, words, players, solver, kernel, judge and screen. Its `rules`
import nothing of ours but `core`. A game's name carries a version; when
rules change so that old draws could lead elsewhere, the old class stays and a new
one is added under the next number.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

from fairground.core import BadParams, Game, InputError
from fairground.registry import Register, load


class Listing(NamedTuple):
    """A game in the register: where its parts are, and what people call it."""

    rules: str
    """``module:class``. The module is imported when the game is first wanted."""
    title: str
    summary: str
    """One sentence."""
    words: str = "fairground.words.plain:PlainWords"
    """``module:class`` of the words for its states and moves (see `fairground.words`)."""
    judge: str | None = None
    """``module:factory`` of the coach's judge (see `fairground.coach.judging`)."""
    kernel: str | None = None
    """``module:class`` of the compiled episodes. The module also has a function ``kernel``."""


Games: TypeAlias = Register[Listing]

GAMES: Final[Games] = Register(
    "game",
    {
        "intransitive/1": Listing(
            "fairground.games.intransitive.rules:Intransitive",
            "Intransitive dice",
            "Pick one of several odd dice; the higher roll wins.",
            "fairground.games.intransitive.words:IntransitiveWords",
            "fairground.games.intransitive.judge:DiceJudge",
            "fairground.games.intransitive.kernel:DiceEpisodes",
        ),
        "codebreaking/1": Listing(
            "fairground.games.codebreaking.rules:CodeBreaking",
            "Code breaking",
            "Find a hidden code by asking, or keep one.",
            "fairground.games.codebreaking.words:CodeBreakingWords",
            "fairground.games.codebreaking.judge:judge",
            "fairground.games.codebreaking.kernel:CodeEpisodes",
        ),
        "zombie/2": Listing(
            "fairground.games.zombie.rules:Zombie",
            "Zombie Dice",
            "Eat brains, run from shotguns, and stop in time.",
            "fairground.games.zombie.words:ZombieWords",
            "fairground.games.zombie.judge:judge",
            "fairground.games.zombie.kernel:ZombieEpisodes",
        ),
        "fatestones/1": Listing(
            "fairground.games.fatestones.rules:FateStones",
            "FateStones",
            "Three odd dice each, a sealed pick, one roll.",
            "fairground.games.fatestones.words:FateStonesWords",
            "fairground.games.fatestones.judge:FateStonesJudge",
            "fairground.games.fatestones.kernel:StonesEpisodes",
        ),
        "poker/2": Listing(
            "fairground.games.poker.rules:Poker",
            "Video poker",
            "Five cards, one exchange, 9/6 Jacks or Better.",
            "fairground.games.poker.words:PokerWords",
            "fairground.games.poker.judge:PokerJudge",
            "fairground.games.poker.kernel:PokerEpisodes",
        ),
        "bank-poker/1": Listing(
            "fairground.games.poker.rules:BankPoker",
            "Video poker at the Bank",
            "Five cards, one exchange, and silence has its price.",
            "fairground.games.poker.words:PokerWords",
            "fairground.games.poker.judge:PokerJudge",
        ),
    },
    group="fairground.games",
)


def game_class(name: object, games: Games = GAMES) -> type[Game[Any]]:
    """The rules of this name."""
    _, listing = games.find(name)
    rules: type[Game[Any]] = load(listing.rules)
    return rules


def make_game(name: object, params: object, games: Games = GAMES) -> Game[Any]:
    """The game that the first event of a transcript describes."""
    rules = game_class(name, games)
    if not isinstance(params, dict):
        raise BadParams(f"a game's parameters are an object, not {params!r}")
    return rules.from_params(params)


def game(which: str | Game[Any], /, *, games: Games = GAMES, **params: Any) -> Game[Any]:
    """A game: by family (``"zombie"`` is the newest version), by full name, or one as it is.

    The keywords are the game's parameters: those of the first event of a transcript.
    """
    if isinstance(which, Game):
        if params:
            raise InputError(
                f"{which!r} is made already, so it takes no {', '.join(params)}; give its name, "
                f"such as {which.name!r}, to make another"
            )
        return which
    if not isinstance(which, str):
        raise InputError(f"a game is a name, such as 'zombie', or a Game, not {which!r}")
    return make_game(games.newest(which), params, games)
