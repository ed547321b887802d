"""Options that several commands share, and the user's config file with defaults for options.

The config file is TOML, with a section for each command and one for all of them::

    [all]
    ascii = true

    [zombie]
    players = "Ann, Hal=hard"

Its lines become words of the command line, in front of the typed ones. So typed options win, and
the file is checked as if it were typed.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fairground.core import Game, InputError, Seat
from fairground.players import offered
from fairground.players.bot import BotLimits
from fairground.terminal.files import config_file


def add_ascii(parser: argparse.ArgumentParser, plain: str, rich: str) -> None:
    """``--ascii`` and ``--no-ascii``: draw in one way or the other."""
    parser.add_argument(
        "--ascii",
        action=argparse.BooleanOptionalAction,
        default=None,
        help=f"{plain}, or {rich} (default: what the terminal can show)",
    )


def add_stir(parser: argparse.ArgumentParser, each: str) -> None:
    """``--stir``: how often a person's own words are mixed in."""
    parser.add_argument(
        "--stir",
        choices=("once", "each"),
        default="once",
        help=f"when you are asked for words of your own: once, or {each}, which proves "
        "that no machine could know its roll when it decided",
    )


def add_stir_always(parser: argparse.ArgumentParser, why: str) -> None:
    """``--stir`` where something of the person's is in every draw anyhow."""
    parser.add_argument("--stir", choices=("each",), default="each", help=f"always each: {why}")


def add_bot_seconds(parser: argparse.ArgumentParser) -> None:
    """``--bot-seconds``: how long a bot may think."""
    parser.add_argument(
        "--bot-seconds",
        type=_seconds,
        default=BotLimits().seconds,
        metavar="S",
        help="the time that a bot has for each decision (default: %(default)s)",
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.01 <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time from 0.01 to 3600 seconds")
    return seconds


def players_in_words(game: Game[Any], seat: Seat, default: str | None = None) -> str:
    """Return the players that can take a seat, each with what it does, for a help text."""
    words = []
    for name, listing in sorted(offered(game, seat).items()):
        more = f"; {listing.argument}" if listing.argument else ""
        usual = ", the default" if name == default else ""
        words.append(f"{name} ({listing.summary}{more}{usual})")
    return ", ".join(words).replace("%", "%%")


EVERYWHERE: Final = "all"

Sections = dict[str, dict[str, Any]]


def read_defaults() -> Sections:
    """Read the config file; return no sections if there is none."""
    path = config_file()
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise InputError(f"the config file {str(path)!r} cannot be read: {error}") from None
    wrong = [name for name, section in data.items() if not isinstance(section, dict)]
    if wrong:
        raise InputError(
            f"the config file {str(path)!r} has {wrong[0]!r} outside of a section. "
            "For example: fairground config zombie.fast true"
        )
    return data


def write_defaults(sections: Sections) -> None:
    """Write the file anew."""
    path = config_file()
    text = "\n".join(
        f"[{_key(name)}]\n" + "".join(f"{_key(k)} = {_value(v)}\n" for k, v in section.items())
        for name, section in sections.items()
        if section
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"the config file {str(path)!r} cannot be written: {error}") from None


def _key(name: str) -> str:
    return name if name.replace("-", "").isalnum() else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def usual_words(parser: argparse.ArgumentParser, command: str, typed: Sequence[str]) -> list[str]:
    """Return the words that the file puts in front of what was typed for this command."""
    sections = read_defaults()
    own = sections.get(command, {})
    words = _words(parser, own, typed, where=f"[{command}] of the config file")
    shared = {name: v for name, v in sections.get(EVERYWHERE, {}).items() if name not in own}
    known = {name: v for name, v in shared.items() if _option(parser, name) is not None}
    return _words(parser, known, typed, where="[all] of the config file") + words


def _words(
    parser: argparse.ArgumentParser, given: Mapping[str, Any], typed: Sequence[str], where: str
) -> list[str]:
    words: list[str] = []
    for name, value in given.items():
        option = _option(parser, name)
        if option is None:
            raise InputError(f"{where} says {name!r}, and there is no option --{name} here")
        if _is_overruled(parser, option, typed):
            continue
        for one in value if isinstance(value, list) else [value]:
            words += _as_typed(option, name, one)
    return words


def _option(parser: argparse.ArgumentParser, name: str) -> argparse.Action | None:
    return parser._option_string_actions.get(f"--{name}")


def _as_typed(option: argparse.Action, name: str, value: Any) -> list[str]:
    if isinstance(option, argparse.BooleanOptionalAction):
        return [f"--{name}" if value else f"--no-{name}"]
    if option.nargs == 0:
        return [f"--{name}"] if value else []
    return [f"--{name}={value}"]


def _is_overruled(
    parser: argparse.ArgumentParser, option: argparse.Action, typed: Sequence[str]
) -> bool:
    """Return True if a typed option excludes this one, or would be added to it."""
    rivals = [option] if option.dest in ("seat", "bot") else []
    for group in parser._mutually_exclusive_groups:
        if option in group._group_actions:
            rivals += group._group_actions
    spellings = {spelling for rival in rivals for spelling in rival.option_strings}
    return any(word.partition("=")[0] in spellings for word in typed)
