"""Reading ``zdice.ini``: the numbers and dice of an evening, with a word on every slip.

A small reader of its own rather than `configparser`: a warning must name the line, a
comment may stand behind a value with or without a blank before it, and one bad line must
not cost the others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fairground.core import BadParams, InputError, Unreadable
from fairground.games.zombie import DEFAULTS, LIMITS, MOST_FACES, Zombie, ZombieTwo

if TYPE_CHECKING:
    from pathlib import Path

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
    """What is in force, and what had to be said on the way there."""

    params: dict[str, Any]
    """The parameters of the game, all but the number of players."""
    max_players: int
    source: str
    """Where the rules come from, for the welcome screen."""
    warnings: tuple[str, ...]

    def game(self, players: int) -> Zombie:
        """The game for so many players."""
        return ZombieTwo.from_params({**self.params, "players": players})


def defaults() -> dict[str, Any]:
    """Every field of the file with its default."""
    fields = {name: value for name, value in DEFAULTS.items() if name != "players"}
    return {**fields, "max_players": MAX_PLAYERS}


def usual_file() -> str:
    """A ``zdice.ini`` with every field, its meaning and its default."""
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
    """The configuration in this file; the defaults if there is no such file.

    Raises `Unreadable` for a file that is there but cannot be read, and `BadParams` for a
    bag that cannot be played.
    """
    if name is None:
        return _config(defaults(), "the defaults; no configuration file was given", ())
    try:
        with open(name or ".", "rb") as file:
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
        """Whether the lines now read stand in a section that does not exist."""
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
    """A number within the limits of its field."""
    least, most = LIMITS["players" if name == "max_players" else name]
    if not INTEGER.fullmatch(value) or not least <= int(value) <= most:
        raise ValueError(f"is not a whole number from {least} to {most}")
    return int(value)


def as_faces(value: str) -> str:
    """The faces of a die: letters b, f, s, in any case."""
    faces = value.lower()
    if not faces or set(faces) - set("bfs"):
        raise ValueError("is not made of the letters b, f and s")
    if len(faces) > MOST_FACES:
        raise ValueError(f"has more than {MOST_FACES} faces")
    return faces


def shown(text: str) -> str:
    """A piece of the file for a warning: quoted, and not too long."""
    return repr(text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "...")
