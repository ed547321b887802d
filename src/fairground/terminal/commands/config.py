"""``fairground config``: your own defaults for any option of any command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairground.core import InputError
from fairground.shown import shown
from fairground.terminal.console import Arguments
from fairground.terminal.defaults import read_defaults, write_defaults
from fairground.terminal.places import config_file


def _arguments() -> Arguments:
    parser = Arguments(
        "config",
        "Your own defaults. A name is COMMAND.OPTION, and all.OPTION for every command that has\n"
        "it. Without a value the default is shown; without a name, all of them.",
        "Examples:\n"
        "  fairground config\n"
        "  fairground config all.ascii true\n"
        '  fairground config zombie.players "Ann, Hal=hard"\n'
        "  fairground config --unset zombie.players",
    )
    parser.add_argument("name", nargs="?", metavar="COMMAND.OPTION", help="such as dice.no-save")
    parser.add_argument("value", nargs="?", help="true or false for an option without a value")
    parser.add_argument("--unset", action="store_true", help="forget this default")
    return parser


def run(arguments: Sequence[str]) -> int:
    """``fairground config``"""
    options = _arguments().parse_args(arguments)
    sections = read_defaults()
    if options.name is None:
        print(f"Your defaults are in {shown(config_file())}")
        for command, section in sections.items():
            for option, value in section.items():
                print(f"  {shown(command)}.{shown(option)} = {shown(value)}")
        return 0
    command, dot, option = options.name.rpartition(".")
    if not dot or not command or not option:
        raise InputError(
            f"{options.name!r} is no name of a default. For example: fairground config zombie.fast "
            "true"
        )
    section = sections.setdefault(command, {})
    if options.unset:
        section.pop(option, None)
        write_defaults(sections)
    elif options.value is None:
        print(shown(section.get(option, "There is no such default.")))
    else:
        section[option] = _read(options.value)
        write_defaults(sections)
    return 0


def _read(text: str) -> Any:
    """``true`` and ``false``, numbers, and otherwise text."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
