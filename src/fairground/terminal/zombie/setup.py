"""Before the first roll: the welcome screen, the names, and who plays each seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from fairground.core import InputError, UnknownName
from fairground.games.zombie import CELLS, FATAL, Zombie
from fairground.players import fitting, offered
from fairground.terminal.evening.seats import difficulties, player_for
from fairground.terminal.places import path_of
from fairground.terminal.zombie.ini import LEAST_PLAYERS, Config
from fairground.terminal.zombie.look import ZombieArt
from fairground.terminal.zombie.words import how_it_ends

if TYPE_CHECKING:
    from pathlib import Path

LONGEST_NAME: Final = 30
BOT_ENDING: Final = ".py"


class Guest(NamedTuple):
    """Someone who takes a seat."""

    name: str
    strategy: str | None = None
    """A strategy of ours, such as ``optimal``; ``None``: a person, or a bot of theirs."""
    bot: Path | None = None

    @property
    def person(self) -> bool:
        """Whether somebody has to be asked."""
        return self.strategy is None and self.bot is None

    @property
    def entry(self) -> str:
        """As it is typed: ``Ann``, ``Hal=optimal``, ``Bob=/home/bob/mybot.py``."""
        if self.bot is not None:
            return f"{self.name}={self.bot.resolve()}"
        return self.name if self.strategy is None else f"{self.name}={self.strategy}"

    @property
    def label(self) -> str:
        """The name, with what plays it: what the scoreboard and the transcript show."""
        if self.bot is not None:
            return f"{self.name} ({self.bot.name[:LONGEST_NAME]})"
        return self.name if self.strategy is None else f"{self.name} ({self.strategy})"


class Company(NamedTuple):
    """Everyone who plays, and what had to be changed for it."""

    guests: tuple[Guest, ...]
    remarks: tuple[str, ...]


def company(line: str, bots: Sequence[str], config: Config) -> Company:
    """Who plays: the bots given as options, and the names of a line with commas."""
    remarks: list[str] = []
    entries = [entry for entry in (*bots, *line.split(",")) if entry.strip()]
    guests: list[Guest] = []
    game = config.game(LEAST_PLAYERS)
    for entry in entries:
        guest = _guest(entry, game, remarks)
        if guest is not None:
            guests.append(guest)
    if len(guests) < LEAST_PLAYERS:
        given = "no name was" if not guests else f"only {guests[0].name!r} was"
        raise InputError(f"{given} given, and at least {LEAST_PLAYERS} players are needed")
    dropped = [guest.name for guest in guests[config.max_players :]]
    if dropped:
        who = ", ".join(map(repr, dropped[:10])) + (", ..." if len(dropped) > 10 else "")
        remarks.append(f"At most {config.max_players} can play. Dropped: {who}.")
    return Company(tuple(_told_apart(guests[: config.max_players], remarks)), tuple(remarks))


def _guest(entry: str, game: Zombie, remarks: list[str]) -> Guest | None:
    """``Ann``, ``Hal=optimal``, ``Bob=mybot.py`` or ``mybot.py``."""
    written, equals, played = (part.strip() for part in entry.partition("="))
    if not equals and written.endswith(BOT_ENDING):
        played = written
        written = path_of(written).stem
    name = _clean(written or played, remarks)
    if not played:
        return Guest(name) if name else None
    if played.endswith(BOT_ENDING):
        return Guest(name, bot=path_of(played))
    strategy = player_for(game, 0, played.lower())
    if strategy.partition(":")[0] not in fitting(game, 0):
        raise UnknownName(
            f"there is no strategy {played!r} for {name!r}. A machine is one of "
            f"{', '.join(sorted(offered(game, 0)))}, as in Hal=optimal; "
            "a bot of your own is a file, as in Bob=mybot.py"
        )
    return Guest(name, strategy)


def _clean(name: str, remarks: list[str]) -> str:
    """A name that can be printed, of reasonable length."""
    clean = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())
    if len(clean) > LONGEST_NAME:
        clean = clean[:LONGEST_NAME].strip()
        remarks.append(f"A name has at most {LONGEST_NAME} letters: {clean!r} was cut.")
    return clean


def _told_apart(guests: Sequence[Guest], remarks: list[str]) -> list[Guest]:
    """The same guests with a number behind a name that somebody else has already."""
    taken: set[str] = set()
    result = []
    for guest in guests:
        name, number = guest.name, 1
        while name.casefold() in taken:
            number += 1
            name = f"{guest.name} {number}"
        if number > 1:
            remarks.append(f"There is more than one {guest.name!r}: one is called {name!r} now.")
        taken.add(name.casefold())
        result.append(guest._replace(name=name))
    return result


def welcome(art: ZombieArt, config: Config, bots: Sequence[str], asks: bool) -> list[str]:
    """Screen 01."""
    game = config.game(LEAST_PLAYERS)
    text = [
        "You are zombies, and you eat brains. In your turn you take "
        f"{CELLS} dice from a bag and roll them. Each die is a human: you eat the brain, the "
        "human escapes, or you are shot.",
        f"With {FATAL} or more shotguns your turn is over, and the brains of this turn are lost. "
        "Stop before that, and you keep them.",
        how_it_ends(game),
        _dice(game),
        f"Rules: {config.source}.",
    ]
    seated = [path_of(bot.rpartition("=")[2]).name for bot in bots]
    if seated:
        text.append(f"Already at the table: {', '.join(seated)}.")
    if asks:
        text += [
            "",
            "Before we begin, please enter the names of the players in one line, with commas "
            "between them. For example:",
            ">>> Jack, Menace, Hal=hard",
            f"A name with = is a machine: {', '.join(difficulties(game, 0))}, or one of "
            f"{', '.join(sorted(offered(game, 0)))}; or a bot of your own: Bob=mybot.py",
            f"{LEAST_PLAYERS} players at least, {config.max_players} at most. An empty line ends "
            "the game.",
        ]
    return [
        *(art.line(line) for line in art.title()),
        "",
        *(f"  {line}".rstrip() for part in text for line in art.wrapped(part, art.width - 4)),
    ]


def _dice(game: Zombie) -> str:
    kinds = zip(("green", "yellow", "red"), game.dice, game.faces, strict=True)
    each = [f"{n} {kind} ({faces})" for kind, n, faces in kinds if n]
    return (
        f"The bag holds {sum(game.dice)} dice: {', '.join(each)}; b brain, f footprints, s shotgun."
    )


def lineup(labels: Sequence[str], ask: bool) -> list[str]:
    """Screen 02: the players in the order of their turns, and who begins."""
    lines = ["", ">>> The players of the game, in the order of their turns, are:"]
    lines += [f'"{label}"' for label in labels]
    lines += ["", f'>>> The player who starts the game is "{labels[0]}"']
    return [*lines, "Press <enter> to start the match."] if ask else lines


def about_chance(tip: str, each: bool, persons: int) -> list[str]:
    """The house's commitment, shown before anyone stirs, and what stirring is."""
    half = len(tip) // 2
    lines = [
        "",
        "The house has fixed its part of every roll of this game. Its fingerprint:",
        tip[:half],
        tip[half:],
    ]
    if persons:
        when = "before each roll" if each else "now, once for the whole game"
        who = "Each of you may" if persons > 1 else "You may"
        lines.append(
            f"{who} stir in a word or number of your own, {when}, or press <enter>. What nobody "
            "could guess counts: throw a real die or coin, or hit some keys."
        )
    return lines
