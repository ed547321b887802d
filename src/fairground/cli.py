"""The command line: finds the command, runs it, and turns every error into plain words.

Each command is a module with one function ``run(arguments) -> exit code``, imported
only when it is wanted: that keeps ``--help`` and the first prompt quick.

Exit codes, everywhere: 0 finished or left by choice, 1 a check failed, 2 bad input or
arguments, 3 end of input in the middle, 130 Ctrl-C, 128 + N another signal N.
"""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple

from fairground import __version__
from fairground.core import BadParams, FairgroundError, UnknownName
from fairground.games import GAMES
from fairground.registry import nearest
from fairground.terminal import console
from fairground.terminal.console import abandon_output, parser_of, stopped_by_signals


class Command(NamedTuple):
    """A command: the module below `fairground` that runs it, what it is for, and a title."""

    module: str
    summary: str
    title: str = ""

    def __str__(self) -> str:
        return f"{self.title}. {self.summary}" if self.title else self.summary


def _game(module: str, name: str) -> Command:
    """A game of the register with a screen of its own."""
    return Command(module, GAMES[name].summary, GAMES[name].title)


PLAY: Final = {
    "dice": _game("games.intransitive.screen", "intransitive/1"),
    "codebreaking": _game("games.codebreaking.command", "codebreaking/1"),
    "zombie": _game("games.zombie.command", "zombie/2"),
    "fatestones": _game("games.fatestones.screen", "fatestones/1"),
    "croupier": Command(
        "terminal.croupier.command", "Video poker that trusts nobody.", "Blind Croupier"
    ),
    "play": Command("commands.play", "Any game by its name, also of other packages.", "Any game"),
    "sit": Command("commands.sit", "Play a seat at an arena.", "A seat"),
}
WORK: Final = {
    "tutorial": Command("commands.tutorial", "two minutes: a fair roll, and a cheat found out"),
    "resume": Command("commands.history:run_resume", "go on with a game that was stopped"),
    "history": Command(
        "commands.history:run_history", "your games, how they ended, how often you won"
    ),
    "replay": Command("commands.history:run_replay", "a game again, in words, step by step"),
    "coach": Command(
        "commands.coach:run_coach",
        "what each of your decisions was worth, and what was luck",
    ),
    "learn": Command("commands.coach:run_learn", "positions in which you erred, until they sit"),
    "verify": Command("commands.verify", "check a transcript, and see what it proves"),
    "config": Command("commands.config:run_config", "your own defaults for any option"),
    "completion": Command("commands.config:run_completion", "Tab in bash, zsh and fish"),
    "serve": Command("commands.serve", "the arena: all games over HTTP"),
    "backup": Command("commands.backup:run_backup", "a copy of an arena's database, while it runs"),
    "restore": Command(
        "commands.backup:run_restore", "such a copy becomes an arena's database again"
    ),
    "bank key": Command("commands.bank:key", "a key file for a Croupier on a chain"),
    "bank deploy": Command("commands.bank:deploy", "a Bank on a test chain"),
    "bank withdraw": Command("commands.bank:withdraw", "take your money home from a Bank"),
    "bank watch": Command("commands.bank:watch", "complain and settle for parties that are away"),
    "enter": Command("commands.contests:run_enter", "play a contest at an arena, with your bot"),
    "oracle": Command("commands.contests:run_oracle", "play one code-breaking game at an arena"),
    "solve dice": Command("games.intransitive.screen:run_solve", "exact odds of a set of dice"),
    "solve codebreaking": Command(
        "games.codebreaking.command:run_solve",
        "code breaking: strategies, and what to ask next",
    ),
    "solve zombie": Command("games.zombie.command:run_solve", "Zombie Dice: when to roll, hold"),
    "solve poker": Command("games.poker.screen", "what each hold of a poker hand is worth"),
    "solve fatestones": Command(
        "games.fatestones.data:run_solve",
        "FateStones: perfect play, for one deal or all",
    ),
    "dice-sets": Command("games.fatestones.data:run_dice_sets", "the dice of FateStones, ranked"),
    "episode": Command(
        "games.fatestones.data:run_episode", "one round of FateStones, as a row of data"
    ),
    "episodes": Command(
        "games.fatestones.data:run_episodes", "judge a file of rounds of FateStones"
    ),
    "simulate": Command(
        "commands.simulate:run_simulate", "many games of any kind: results, and rows of data"
    ),
    "plot": Command("commands.simulate:run_plot", "figures, in the terminal or as files"),
    "tournament": Command(
        "commands.simulate:run_tournament", "players against one another, ranked"
    ),
    "dataset verify": Command("commands.simulate:run_dataset", "check a file of simulated games"),
}
COMMANDS: Final = PLAY | WORK
OF_ANY_GAME: Final = ("play", "simulate")
"""Commands that have a parser for each game."""

GROUPS: Final = [name.partition(" ")[0] for name in COMMANDS if " " in name]
MOST_USED: Final = "Most used are: dice, codebreaking, zombie, tutorial, verify."

EXAMPLES: Final = """\
Examples:
  fairground dice 2,2,4,4,9,9 6,8,1,1,8,6 7,5,3,7,5,3 --save game.jsonl
  fairground verify game.jsonl
  fairground solve dice 2,2,4,4,9,9 6,8,1,1,8,6 7,5,3,7,5,3

Every command explains itself with --help. Exit codes: 0 finished or left by
choice, 1 a check failed, 2 bad input, 3 end of input in the middle, 130 Ctrl-C."""


def help_text() -> str:
    """Return the text of ``fairground --help``."""
    width = max(map(len, COMMANDS)) + 2
    columns = max(shutil.get_terminal_size().columns - 1, width + 22)
    parts = ["usage: fairground [-h] [--version] COMMAND ...", ""]
    parts += ["Provably fair games: play, and check every roll yourself.", ""]
    for title, commands in (("Play:", PLAY), ("And more:", WORK)):
        parts.append(title)
        for name, command in commands.items():
            first, rest = f"  {name:<{width}}", " " * (width + 2)
            parts.append(textwrap.fill(f"{first}{command}", columns, subsequent_indent=rest))
        parts.append("")
    parts.append(EXAMPLES)
    return "\n".join(parts)


def find(arguments: Sequence[str]) -> str | None:
    """Return the name of the command that the arguments begin with."""
    names = (" ".join(arguments[:words]) for words in (2, 1))
    return next((name for name in names if name in COMMANDS), None)


def _dispatch(arguments: Sequence[str]) -> int:
    if not arguments:
        if sys.stdin.isatty() and sys.stdout.isatty():
            from fairground.commands.menu import MainMenu

            games = {name: (game.title, game.summary) for name, game in PLAY.items()}
            return MainMenu(games, _dispatch).run()
        print(help_text())
        return 0
    if arguments[0] in ("-h", "--help", "help"):
        print(help_text())
        return 0
    if arguments[0] == "--version":
        print(f"fairground {__version__}")
        return 0
    name = find(arguments)
    if name is None:
        return _unknown(arguments)
    command, rest = COMMANDS[name], arguments[len(name.split()) :]
    run = _loaded(command)
    played = [*PLAY.values(), WORK["resume"]]
    with stopped_by_signals() if command in played else nullcontext():
        return run(rest)


def _loaded(command: Command) -> Callable[[Sequence[str]], int]:
    """The function that runs a command."""
    module, _, function = command.module.partition(":")
    run: Callable[..., int] = getattr(import_module(f"fairground.{module}"), function or "run")
    if command in (WORK["completion"], WORK["config"]):
        return partial(run, parsers=_parsers)
    if command is WORK["resume"]:
        return partial(run, screens={name: game.module for name, game in PLAY.items()})
    return run


def _parsers() -> dict[str, tuple[str, Any]]:
    """Return the summary and the parser of each command."""
    parsers = {}
    for name, command in COMMANDS.items():
        parser = None
        with suppress(ImportError, FairgroundError):  # an extra that is not installed
            parser = parser_of(_loaded(command), ["zombie"] if name in OF_ANY_GAME else [])
        parsers[name] = (command.summary, parser)
    return parsers


def _unknown(arguments: Sequence[str]) -> int:
    first = arguments[0]
    below = [name for name in COMMANDS if name.startswith(first + " ")]
    if below and (len(arguments) == 1 or arguments[1] in ("-h", "--help")):
        print(f"usage: fairground {first} WHAT ...\n")
        for name in below:
            print(f"  fairground {name:<22}{COMMANDS[name].summary}")
        return 0 if len(arguments) > 1 else 2
    option = first.startswith("-")
    names = below or (["--help", "--version"] if option else [*COMMANDS, *GROUPS])
    what = " ".join(arguments[:2]) if below else first
    short = {name.removeprefix(f"{first} "): name for name in names}
    near = nearest(arguments[1] if below else first, short)
    there = f"There are: {', '.join(names)}." if below or option else MOST_USED
    hint = f"Did you mean {short[near]!r}?" if near else there
    kind = "option" if option else "command"
    print(f"fairground: there is no {kind} {what!r}. {hint}", file=sys.stderr)
    print("Try: fairground --help", file=sys.stderr)
    return 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, and answer with its exit code."""
    console.make_streams_safe()
    typed = sys.argv[1:] if arguments is None else arguments
    given = ["--help" if word == "-help" else word for word in typed]
    fail = partial(_fail, as_json="--json" in given)
    try:
        exit_code = _dispatch(given)
        sys.stdout.flush()
    except FairgroundError as error:
        text = _with_help(error, given)
        return fail(text, error.exit, error.code, line=getattr(error, "line", None))
    except console.EndOfInput:
        return fail("\nThe input ended in the middle. Goodbye!", 3, "input/ended", "")
    except KeyboardInterrupt:
        return fail("\nStopped by Ctrl-C. Goodbye!", 130, "stopped", "")
    except console.Stopped as stop:
        return fail("\nStopped from outside. Goodbye!", 128 + stop.signal, "stopped", "")
    except UnicodeError:
        return fail("an argument holds bytes that are no text", 2, "input/bad")
    except BrokenPipeError:
        console.abandon_output(1)  # the reader has left
        return 0
    except OSError as error:
        where = f" {error.filename!r}" if error.filename else ""
        text = f"cannot read or write{where}: {error.strerror or error}"
        return fail(text, 2, "input/unreadable")
    return exit_code


def _with_help(error: FairgroundError, given: Sequence[str]) -> str:
    """Return the text of an error; a wrong parameter is called as it was typed: ``--base``."""
    text, command = str(error), find(given)
    if command is None or not isinstance(error, BadParams | UnknownName):
        return text
    option = f"--{text.partition(' ')[0]}"
    if any(word.partition("=")[0] == option for word in given):
        text = f"--{text}"
    return text if "\n" in text else f"{text}\nTry: fairground {command} --help"


def _fail(
    text: str,
    exit_code: int,
    code: str,
    before: str = "fairground: ",
    *,
    line: int | None = None,
    as_json: bool,
) -> int:
    """Report why a command failed, and return its exit code.

    With ``--json``, print the error as JSON as well. A broken stream is given up.
    """
    told = ""
    if as_json:
        told = json.dumps({"fault": {"line": line, "code": code, "reason": text.strip()}}) + "\n"
    for number, stream, words in ((1, sys.stdout, told), (2, sys.stderr, f"{before}{text}\n")):
        try:
            stream.write(words)
            stream.flush()
        except OSError:
            abandon_output(number)
    return exit_code


def zdice() -> int:
    """``zdice [zdice.ini]``, as its source document starts the game."""
    return main(["zombie", *sys.argv[1:]])


def nontransitive_dice() -> int:
    """``nontransitive-dice DIE DIE DIE ...``, as its source document starts the game."""
    return main(["dice", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
