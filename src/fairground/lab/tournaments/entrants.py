"""Who can enter a tournament: our players, bots of your own in a process, bots elsewhere over HTTP.

A bot elsewhere answers ``POST`` at its address. It is sent::

    {"game": "zombie/2", "params": {...}, "seat": 0, "view": {...}}

and answers ``{"move": "roll"}``. The view is what the seat may see, as the arena writes it
(`fairground.views`); moves are written as in a transcript.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.clients.http import Http, Repeat
from fairground.core import FairgroundError, Game, InputError, Move, Seat
from fairground.fair.bits import SeededStream
from fairground.players import Player, make_player
from fairground.players.bot.host import BotPlayer
from fairground.players.bot.limits import BotFailure, BotLimits
from fairground.transcript import frozen
from fairground.views import as_json

WEB: Final = ("http://", "https://")


class Contender(NamedTuple):
    """An entrant: what it is called, and what it is."""

    name: str
    spec: str

    @property
    def kind(self) -> str:
        """``player``, ``file`` or ``web``."""
        if self.spec.startswith(WEB):
            return "web"
        return "file" if self.spec.endswith(".py") else "player"


def contenders(text: str) -> list[Contender]:
    """Entrants as they are typed: ``greedy,mcts:200,Bob=bot.py,Eve=http://127.0.0.1:9000``."""
    found: list[Contender] = []
    for word in (part.strip() for part in text.split(",")):
        name, equals, spec = word.partition("=")
        if not word or (equals and not (name and spec)):
            raise InputError(
                f"--players {text!r} is not understood. For example: --players "
                "greedy,mcts:200,Bob=bot.py,Eve=http://127.0.0.1:9000"
            )
        spec = spec if equals else word
        if not equals:
            name = Path(word).stem if word.endswith(".py") else word
        found.append(Contender(name, spec))
    names = [one.name for one in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise InputError(f"{sorted(twice)[0]!r} is there twice: give one another name, NAME=PLAYER")
    if len(found) < 2:
        raise InputError(f"a tournament needs at least two players, not {len(found)}")
    return found


class WebPlayer(Player):
    """A bot that answers at an address."""

    slow = True

    def __init__(self, url: str, http: Http | None = None) -> None:
        self._url = url
        self._http = http or Http()

    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        """Ask it; what it answers must be legal."""
        asked = {
            "game": game.name,
            "params": game.params(),
            "seat": seat,
            "view": as_json(view),
        }
        try:
            told = self._http.post(self._url, asked, repeat=Repeat.ALWAYS)
            move = frozen(told["move"])
            game.check(view, seat, move)
        except KeyError:
            raise BotFailure('it answered without "move"') from None
        except FairgroundError as error:
            raise BotFailure(str(error)) from None
        return move


@contextlib.contextmanager
def hired(
    contender: Contender, game: Game[Any], seat: Seat, chance: SeededStream, limits: BotLimits
) -> Iterator[Player]:
    """The player, as long as it is needed."""
    if contender.kind == "web":
        yield WebPlayer(contender.spec)
    elif contender.kind == "file":
        bot = BotPlayer(Path(contender.spec), game, limits)
        try:
            yield bot
        finally:
            bot.close()
    else:
        yield make_player(contender.spec, game, chance, seat)
