"""Players and rules of an evening: ``zdice.ini``, typed names, bots, the welcome texts.

The INI reader is our own. Its warnings name the line, a comment may follow a value without a
blank, and a bad line does not cost the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from fairground.core import BadParams, InputError, UnknownName, Unreadable
from fairground.games.zombie.look import ZombieArt, how_it_ends
from fairground.games.zombie.rules import CELLS, DEFAULTS, FATAL, LIMITS, MOST_FACES, Zombie
from fairground.players import fitting, offered
from fairground.terminal.evening import difficulties, player_for

FIELDS: Final = {
    "Game": {
        "weak_dice": "green dice in the bag",
        "strong_dice": "yellow dice in the bag",
        "tough_dice": "red dice in the bag",
        "max_players": "the most players",
        "brains_to_win": "brains that end the game",
        "max_turns": "0: to brains_to_win; n: most brains after n turns",
    },
    "Dice": {
        "weak_die_faces": "a green die: b brain, f footprints, s shotgun",
        "strong_die_faces": "a yellow die",
        "tough_die_faces": "a red die",
    },
}
"""Section → field → what it means."""

MAX_PLAYERS: Final = 6
LEAST_PLAYERS, MOST_PLAYERS = LIMITS["players"]

LARGEST_FILE: Final = 1_000_000
LONGEST_SHOWN: Final = 40

SECTION: Final = re.compile(r"\[\s*([^\]]*?)\s*\]\s*(?:[#;].*)?")
FIELD: Final = re.compile(r"([^=:]+?)\s*[=:]\s*(.*)")
INTEGER: Final = re.compile(r"[+-]?[0-9]{1,9}")


class Config(NamedTuple):
    """The rules in force, and the warnings on reading them."""

    params: dict[str, Any]
    """The parameters of the game, all but the number of players."""
    max_players: int
    source: str
    """The source of the rules, for the welcome screen."""
    warnings: tuple[str, ...]

    def game(self, players: int) -> Zombie:
        """Return the game for this many players."""
        return Zombie.from_params({**self.params, "players": players})


def defaults() -> dict[str, Any]:
    """Every field of the file with its default."""
    fields = {name: value for name, value in DEFAULTS.items() if name != "players"}
    return {**fields, "max_players": MAX_PLAYERS}


def usual_file() -> str:
    """Return a ``zdice.ini`` with every field, its meaning and its default."""
    usual, lines = defaults(), ["; Zombie Dice. Every field may be left out."]
    for section, fields in FIELDS.items():
        lines += ["", f"[{section}]"]
        for name, meaning in fields.items():
            lines.append(f"{f'{name} = {usual[name]}':<29}; {meaning}")
    return "\n".join(lines) + "\n"


def write_config(path: Path) -> None:
    """Write such a file; one that is there is left alone."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(usual_file())
    except FileExistsError:
        raise InputError(f"{str(path)!r} is there already, and is left as it is") from None
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be written: {error.strerror}") from None


def read_config(name: str | None) -> Config:
    """Read the configuration; without a file, return the defaults.

    Raises `Unreadable` for a file that is there but cannot be read, and `BadParams` for a
    bag that cannot be played.
    """
    if name is None:
        return _config(defaults(), "the defaults; no configuration file was given", ())
    try:
        with Path(name).open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (FileNotFoundError, NotADirectoryError):
        missing = f"{name} was not found"
        return _config(
            defaults(),
            f"the defaults; {missing}",
            (f"the configuration file {missing}; the defaults are used instead",),
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Unreadable(f"the configuration file {name!r} cannot be read: {reason}") from None
    if len(data) > LARGEST_FILE:
        raise Unreadable(f"{name!r} is no configuration file: it has more than a million bytes")
    reader = IniReader(name)
    reader.read(data.decode("utf-8-sig", errors="replace"))
    try:
        return _config(reader.values, name, tuple(reader.warnings))
    except BadParams as error:
        raise BadParams(f"{name}: this bag cannot be played: {error}") from None


def _config(values: dict[str, Any], source: str, warnings: tuple[str, ...]) -> Config:
    params = {name: value for name, value in values.items() if name != "max_players"}
    config = Config(params, values["max_players"], source, warnings)
    config.game(LEAST_PLAYERS)  # raises BadParams
    return config


class IniReader:
    """Reads line by line; whatever cannot be used is warned of, and the rest counts."""

    def __init__(self, name: str) -> None:
        self.values = defaults()
        self.warnings: list[str] = []
        self._name = name
        self._line = 0
        self._section: str | None = None
        self._lost = False
        """True while reading a section that does not exist."""
        self._given: dict[str, int] = {}

    def read(self, text: str) -> None:
        """Take in a whole file."""
        for self._line, line in enumerate(text.splitlines(), 1):
            stripped = line.strip()
            if not stripped or stripped[0] in "#;":
                continue
            if stripped[0] == "[":
                self._enter(stripped)
            elif match := FIELD.fullmatch(stripped):
                self._field(match[1].lower(), match[2])
            else:
                self._warn(f"{shown(stripped)} is no 'name = value'; it is ignored")

    def _warn(self, text: str) -> None:
        self.warnings.append(f"{self._name}, line {self._line}: {text}")

    def _enter(self, line: str) -> None:
        match = SECTION.fullmatch(line)
        known = {section.lower(): section for section in FIELDS}
        self._section = known.get(match[1].lower()) if match else None
        self._lost = self._section is None
        if self._lost:
            self._warn(
                f"there is no section {shown(line)}, only [Game] and [Dice]; its lines are ignored"
            )

    def _field(self, name: str, written: str) -> None:
        home = next((section for section, fields in FIELDS.items() if name in fields), None)
        if self._lost:
            return
        if self._section is None or home != self._section:
            self._misplaced(name, written, home)
            return
        if name in self._given:
            self._warn(f"{name} was already given in line {self._given[name]}; this line counts")
        self._given[name] = self._line
        default = defaults()[name]
        try:
            value = unquoted(written)
            self.values[name] = as_faces(value) if home == "Dice" else as_number(name, value)
        except ValueError as problem:
            self.values[name] = default
            self._warn(
                f"{name} = {shown(written)} {problem}; the default {default} is used instead"
            )

    def _misplaced(self, name: str, written: str, home: str | None) -> None:
        line = f"{shown(name)} = {shown(written)}"
        if home is not None:
            default = defaults()[name]
            self._warn(
                f"{line} belongs into the section [{home}]; it is ignored here "
                f"(the default is {default})"
            )
        elif self._section is None:
            self._warn(f"{line} stands before any section; it is ignored")
        else:
            known = ", ".join(FIELDS[self._section])
            self._warn(f"{line} is ignored: [{self._section}] has no such field, only {known}")


def unquoted(written: str) -> str:
    """A value without its quotes and the comment behind it; ValueError says what is wrong."""
    quote = written[:1]
    if quote not in ("'", '"') or not quote:
        return re.split("[#;]", written, maxsplit=1)[0].strip()
    value, closed, rest = written[1:].partition(quote)
    if not closed:
        raise ValueError("has a quote that is not closed")
    if rest.strip() and rest.strip()[0] not in "#;":
        raise ValueError("goes on behind its closing quote")
    return value.strip()


def as_number(name: str, value: str) -> int:
    """Return a number within the limits of its field."""
    least, most = LIMITS["players" if name == "max_players" else name]
    if not INTEGER.fullmatch(value) or not least <= int(value) <= most:
        raise ValueError(f"is not a whole number from {least} to {most}")
    return int(value)


def as_faces(value: str) -> str:
    """Return the faces of a die: letters b, f, s, in any case."""
    faces = value.lower()
    if not faces or set(faces) - set("bfs"):
        raise ValueError("is not made of the letters b, f and s")
    if len(faces) > MOST_FACES:
        raise ValueError(f"has more than {MOST_FACES} faces")
    return faces


def shown(text: str) -> str:
    """Return a piece of the file for a warning: quoted, and not too long."""
    return repr(text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "...")


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
    """Return the guests: bots from options, and names from a line with commas."""
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
        written = Path(written).stem
    name = _clean(written or played, remarks)
    if not played:
        return Guest(name) if name else None
    if played.endswith(BOT_ENDING):
        return Guest(name, bot=Path(played))
    strategy = player_for(game, 0, played.lower())
    if strategy.partition(":")[0] not in fitting(game, 0):
        raise UnknownName(
            f"there is no strategy {played!r} for {name!r}. A machine is one of "
            f"{', '.join(sorted(offered(game, 0)))}, as in Hal=optimal; "
            "a bot of your own is a file, as in Bob=mybot.py"
        )
    return Guest(name, strategy)


def _clean(name: str, remarks: list[str]) -> str:
    """Return a name that can be printed, of reasonable length."""
    clean = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())
    if len(clean) > LONGEST_NAME:
        clean = clean[:LONGEST_NAME].strip()
        remarks.append(f"A name has at most {LONGEST_NAME} letters: {clean!r} was cut.")
    return clean


def _told_apart(guests: Sequence[Guest], remarks: list[str]) -> list[Guest]:
    """Number the guests whose name another guest already has."""
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
    seated = [Path(bot.rpartition("=")[2]).name for bot in bots]
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
        *(f"  {line}".rstrip() for part in text for line in art.wrapped(part)),
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
    """Return the house's commitment, shown before anyone stirs, and what stirring is."""
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
