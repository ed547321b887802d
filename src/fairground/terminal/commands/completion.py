"""``fairground completion``: what Tab offers in bash, zsh and fish, made from the parsers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from fairground.terminal.console import Arguments


class Offer(NamedTuple):
    """What can be typed behind a command."""

    says: str
    options: dict[str, str]
    """Option → what it does, in a few words."""
    values: dict[str, list[str]]
    """Option → what may stand behind it, where that is a list."""


def arguments() -> Arguments:
    """The parser of this command."""
    parser = Arguments(
        "completion",
        "Print a script that lets Tab complete commands and options in your shell.",
        "Examples:\n"
        "  source <(fairground completion bash)\n"
        "  fairground completion zsh > ~/.zfunc/_fairground\n"
        "  fairground completion fish > ~/.config/fish/completions/fairground.fish",
    )
    parser.add_argument("shell", choices=sorted(SCRIPTS), help="which shell")
    return parser


def offer(parser: argparse.ArgumentParser | None, says: str) -> Offer:
    """What a parser takes; a command that cannot be loaded here has its name only."""
    options: dict[str, str] = {}
    values: dict[str, list[str]] = {}
    for action in parser._actions if parser is not None else ():
        for option in action.option_strings:
            if option.startswith("--"):
                options[option] = _briefly(action.help or "")
                if action.choices is not None:
                    values[option] = [str(choice) for choice in action.choices]
    return Offer(_briefly(says), options, values)


def _briefly(text: str) -> str:
    """The beginning of a help text, without signs that shells take for something else."""
    first = text.replace("%(default)s", "").replace("%%", "%").split(";")[0].split(". ")[0]
    return "".join(sign for sign in first if sign not in "'\"`$\\[]():|&<>")[:70].strip()


def bash(offers: Mapping[str, Offer]) -> str:
    """For bash 4 and later."""
    lines = [
        "# bash completion of fairground",
        "_fairground() {",
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}",
        '  local command="${COMP_WORDS[1]} ${COMP_WORDS[2]}" words=""',
        '  case "$command" in',
    ]
    for name in _two_words_first(offers):
        pattern = f'"{name}"' if " " in name else f'"{name} "*'
        lines += [f"    {pattern})", '      case "$before" in']
        for option, values in offers[name].values.items():
            lines.append(f'        {option}) words="{" ".join(values)}" ;;')
        lines += [f'        *) words="{" ".join(offers[name].options)}" ;;', "      esac ;;"]
    lines += [
        "  esac",
        f'  [[ $COMP_CWORD == 1 ]] && words="{" ".join(_first_words(offers))}"',
    ]
    for first, seconds in _second_words(offers).items():
        behind = f"$COMP_CWORD == 2 && ${{COMP_WORDS[1]}} == {first}"
        lines.append(f'  [[ {behind} ]] && words="{" ".join(seconds)}"')
    lines += [
        '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
        "}",
        "complete -o default -F _fairground fairground",
    ]
    return "\n".join(lines)


def zsh(offers: Mapping[str, Offer]) -> str:
    """For zsh, as a function that is loaded when it is wanted."""
    lines = [
        "#compdef fairground",
        "local -a commands options",
        "if (( CURRENT == 2 )); then",
        f"  commands=({' '.join(_first_words(offers))})",
        "  _describe command commands",
        "  return",
        "fi",
    ]
    for first, seconds in _second_words(offers).items():
        lines += [
            f'if (( CURRENT == 3 )) && [[ $words[2] == "{first}" ]]; then',
            f"  commands=({' '.join(seconds)})",
            "  _describe command commands",
            "  return",
            "fi",
        ]
    lines.append('case "$words[2] $words[3]" in')
    for name in _two_words_first(offers):
        pattern = f'"{name}"' if " " in name else f'"{name} "*'
        each = " ".join(
            f"'{option}[{says}]{_zsh_values(offers[name], option)}'"
            for option, says in offers[name].options.items()
        )
        lines.append(f"  {pattern}) _arguments {each} '*:file:_files' ;;")
    lines.append("esac")
    return "\n".join(lines)


def _zsh_values(offered: Offer, option: str) -> str:
    values = offered.values.get(option)
    return f":value:({' '.join(values)})" if values else ""


def fish(offers: Mapping[str, Offer]) -> str:
    """For fish."""
    lines = ["# fish completion of fairground"]
    for first in _first_words(offers):
        says = offers[first].says if first in offers else ""
        lines.append(f"complete -c fairground -n __fish_use_subcommand -a {first} -d '{says}'")
    for name, offered in offers.items():
        first, _, second = name.partition(" ")
        seen = f"__fish_seen_subcommand_from {first}"
        if second:
            lines.append(f"complete -c fairground -n '{seen}' -a {second} -d '{offered.says}'")
            seen = f"{seen}; and __fish_seen_subcommand_from {second}"
        for option, says in offered.options.items():
            values = offered.values.get(option)
            more = f" -x -a '{' '.join(values)}'" if values else ""
            long = option.removeprefix("--")
            lines.append(f"complete -c fairground -n '{seen}' -l {long}{more} -d '{says}'")
    return "\n".join(lines)


def _first_words(offers: Mapping[str, Offer]) -> list[str]:
    return list(dict.fromkeys(name.partition(" ")[0] for name in offers))


def _second_words(offers: Mapping[str, Offer]) -> dict[str, list[str]]:
    seconds: dict[str, list[str]] = {}
    for name in offers:
        first, _, second = name.partition(" ")
        if second:
            seconds.setdefault(first, []).append(second)
    return seconds


def _two_words_first(offers: Mapping[str, Offer]) -> list[str]:
    return sorted(offers, key=lambda name: " " not in name)


SCRIPTS: Final[Mapping[str, Callable[[Mapping[str, Offer]], str]]] = {
    "bash": bash,
    "zsh": zsh,
    "fish": fish,
}


def run(given: Sequence[str], offers: Callable[[], Mapping[str, Offer]]) -> int:
    """``fairground completion``; ``offers`` tells what each command takes."""
    shell = arguments().parse_args(given).shell
    print(SCRIPTS[shell](offers()))
    return 0
