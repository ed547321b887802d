"""``fairground config`` and ``fairground completion``: the user's defaults, and Tab in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import shtab

from fairground.core import InputError, UnknownName
from fairground.escape import shown
from fairground.registry import nearest
from fairground.terminal.console import Arguments
from fairground.terminal.files import config_file
from fairground.terminal.options import EVERYWHERE, read_defaults, write_defaults

Parsers = Mapping[str, tuple[str, argparse.ArgumentParser | None]]
"""Command → its summary and its parser; ``None`` where an extra is missing."""


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


def run_config(arguments: Sequence[str], parsers: Callable[[], Parsers]) -> int:
    """``fairground config``. ``parsers`` loads the parser of each command."""
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
    if options.value is not None:
        _must_be_an_option(options.name, parsers())
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


def _must_be_an_option(name: str, parsers: Parsers) -> None:
    """Refuse a default for which no command has the option."""
    names = {
        f"{where}.{option[2:]}"
        for command, (_, parser) in parsers.items()
        if parser is not None
        for option in parser._option_string_actions
        if option.startswith("--")
        for where in (EVERYWHERE, command.partition(" ")[0])
    }
    if name not in names:
        near = nearest(name, names)
        hint = (
            f"did you mean {near!r}?" if near else "for example: fairground config all.ascii true"
        )
        raise UnknownName(f"no default is named {name!r}; {hint}")


def _read(text: str) -> Any:
    """``true`` and ``false``, numbers, and otherwise text."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


SHELLS: Final = ("bash", "fish", "zsh")


def run_completion(given: Sequence[str], parsers: Callable[[], Parsers]) -> int:
    """Print the script for one shell. ``parsers`` loads the parser of each command."""
    arguments = Arguments(
        "completion",
        "Print a script that lets Tab complete commands and options in your shell.",
        "Examples:\n"
        "  source <(fairground completion bash)\n"
        "  fairground completion zsh > ~/.zfunc/_fairground\n"
        "  fairground completion fish > ~/.config/fish/completions/fairground.fish",
    )
    arguments.add_argument("shell", choices=SHELLS, help="which shell")
    shell = arguments.parse_args(given).shell
    print(shtab.complete(_tree(parsers()), shell))
    return 0


def _tree(parsers: Parsers) -> argparse.ArgumentParser:
    """Return one parser whose subcommands are all commands."""
    root = argparse.ArgumentParser("fairground")
    groups = {"": root.add_subparsers()}
    for name, (summary, parser) in parsers.items():
        first, _, second = name.partition(" ")
        if second and first not in groups:
            groups[first] = groups[""].add_parser(first, help=f"{first} ...").add_subparsers()
        groups[first if second else ""].add_parser(
            second or first,
            help=summary.replace("%", "%%"),
            parents=[parser] if parser is not None else [],
            add_help=parser is None,
        )
    return root
