"""The command line: finds the command, runs it, and turns every error into plain words.

Each command is a module with one function ``run(arguments) -> exit code``, imported
only when it is wanted: that keeps ``--help`` and the first prompt quick.

Exit codes, everywhere: 0 finished or left by choice, 1 a check failed, 2 bad input or
arguments, 3 end of input in the middle, 130 Ctrl-C, 128 + N another signal N.
"""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple

from fairground import __version__
from fairground.core import FairgroundError
from fairground.games import GAMES


class Command(NamedTuple):
    """A command: the module of `terminal` that runs it, what it is for, and a title."""

    module: str
    summary: str
    title: str = ""

    def __str__(self) -> str:
        return f"{self.title}. {self.summary}" if self.title else self.summary


def _game(module: str, name: str) -> Command:
    """A game of the register with a screen of its own."""
    return Command(module, GAMES[name].summary, GAMES[name].title)


PLAY: Final = {
    "dice": _game("intransitive.screen", "intransitive/1"),
    "codebreaking": _game("codebreaking.command", "codebreaking/1"),
    "zombie": _game("zombie.command", "zombie/1"),
    "fatestones": _game("fatestones.command", "fatestones/1"),
    "croupier": Command("croupier.command", "Video poker that trusts nobody.", "Blind Croupier"),
    "play": Command("commands.play", "Any game by its name, also of other packages.", "Any game"),
    "sit": Command("commands.arena.sit", "Play a seat at an arena.", "A seat"),
}
WORK: Final = {
    "tutorial": Command("commands.tutorial", "two minutes: a fair roll, and a cheat found out"),
    "resume": Command("commands.records.resume", "go on with a game that was stopped"),
    "history": Command("commands.records.history", "your games, how they ended, how often you won"),
    "replay": Command("commands.records.replay", "a game again, in words, step by step"),
    "coach": Command(
        "commands.records.coach", "what each of your decisions was worth, and what was luck"
    ),
    "learn": Command("commands.records.learn", "positions in which you erred, until they sit"),
    "verify": Command("commands.records.verify", "check a transcript, and see what it proves"),
    "config": Command("commands.config", "your own defaults for any option"),
    "completion": Command("commands.completion", "Tab in bash, zsh and fish"),
    "serve": Command("commands.arena.serve", "the arena: all games over HTTP"),
    "backup": Command("commands.arena.backup", "a copy of an arena's database, while it runs"),
    "restore": Command("commands.arena.restore", "such a copy becomes an arena's database again"),
    "bank key": Command("commands.arena.bank:key", "a key file for a Croupier on a chain"),
    "bank deploy": Command("commands.arena.bank:deploy", "a Bank on a test chain"),
    "bank withdraw": Command("commands.arena.bank:withdraw", "take your money home from a Bank"),
    "bank watch": Command(
        "commands.arena.bank:watch", "complain and settle for parties that are away"
    ),
    "enter": Command("commands.arena.enter", "play a contest at an arena, with your bot"),
    "oracle": Command("commands.arena.oracle", "play one code-breaking game at an arena"),
    "solve dice": Command("commands.solve.intransitive", "exact odds of a set of dice"),
    "solve codebreaking": Command(
        "commands.solve.codebreaking",
        "code breaking: strategies, and what to ask next",
    ),
    "solve zombie": Command("commands.solve.zombie", "Zombie Dice: when to roll, hold"),
    "solve poker": Command("commands.solve.poker", "what each hold of a poker hand is worth"),
    "solve fatestones": Command(
        "commands.solve.fatestones",
        "FateStones: perfect play, for one deal or all",
    ),
    "dice-sets": Command("commands.lab.dice_sets", "the dice of FateStones, ranked"),
    "episode": Command("commands.lab.episode", "one round of FateStones, as a row of data"),
    "episodes": Command("commands.lab.episodes", "judge a file of rounds of FateStones"),
    "simulate": Command(
        "commands.lab.simulate", "many games of any kind: results, and rows of data"
    ),
    "plot": Command("commands.lab.plot", "figures, in the terminal or as files"),
    "tournament": Command("commands.lab.tournament", "players against one another, ranked"),
    "dataset verify": Command("commands.lab.dataset", "check a file of simulated games"),
}
COMMANDS: Final = PLAY | WORK
OF_ANY_GAME: Final = ("play", "simulate")
"""Commands that have a parser for each game."""

SELDOM: Final = 50_000
"""After how many new objects Python looks for circles of them. By itself it looks after 700, which
takes a tenth of a start; and what we make hardly ever has circles."""

EXAMPLES: Final = """\
Examples:
  fairground dice 2,2,4,4,9,9 6,8,1,1,8,6 7,5,3,7,5,3 --save game.jsonl
  fairground verify game.jsonl
  fairground solve dice 2,2,4,4,9,9 6,8,1,1,8,6 7,5,3,7,5,3

Every command explains itself with --help. Exit codes: 0 finished or left by
choice, 1 a check failed, 2 bad input, 3 end of input in the middle, 130 Ctrl-C."""


def help_text() -> str:
    """What ``fairground --help`` prints."""
    import textwrap

    from fairground.terminal.ink import terminal_size

    width = max(map(len, COMMANDS)) + 2
    columns = max(terminal_size().columns - 1, width + 22)
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


def find(arguments: Sequence[str]) -> tuple[Command, list[str]] | None:
    """The command that the arguments begin with, and what is left for it."""
    for words in (2, 1):
        name = " ".join(arguments[:words])
        if len(arguments) >= words and name in COMMANDS:
            return COMMANDS[name], list(arguments[words:])
    return None


def _dispatch(arguments: Sequence[str]) -> int:
    if not arguments:
        if sys.stdin.isatty() and sys.stdout.isatty():
            from fairground.terminal.commands.menu import run as run_menu

            games = {name: (game.title, game.summary) for name, game in PLAY.items()}
            return run_menu(games, _dispatch)
        print(help_text())
        return 0
    if arguments[0] in ("-h", "--help", "help"):
        print(help_text())
        return 0
    if arguments[0] == "--version":
        print(f"fairground {__version__}")
        return 0
    found = find(arguments)
    if found is None:
        return _unknown(arguments)
    command, rest = found
    run = _loaded(command)
    from fairground.terminal.console import stopped_by_signals

    played = [*PLAY.values(), WORK["resume"]]
    with stopped_by_signals() if command in played else nullcontext():
        return run(rest)


def _loaded(command: Command) -> Callable[[Sequence[str]], int]:
    """The function that runs a command."""
    module, _, function = command.module.partition(":")
    run: Callable[..., int] = getattr(
        import_module(f"fairground.terminal.{module}"), function or "run"
    )
    if command is WORK["completion"]:
        return partial(run, offers=_offers)
    return run


def _offers() -> dict[str, Any]:
    """What each command takes, as its own parser says it."""
    from fairground.terminal.commands.completion import offer
    from fairground.terminal.console import parser_of

    offers = {}
    for name, command in COMMANDS.items():
        parser = None
        with suppress(ImportError, FairgroundError):  # an extra that is not there
            parser = parser_of(_loaded(command), ["zombie"] if name in OF_ANY_GAME else [])
        offers[name] = offer(parser, command.summary)
    return offers


def _unknown(arguments: Sequence[str]) -> int:
    first = arguments[0]
    below = [name for name in COMMANDS if name.startswith(first + " ")]
    if below and (len(arguments) == 1 or arguments[1] in ("-h", "--help")):
        print(f"usage: fairground {first} WHAT ...\n")
        for name in below:
            print(f"  fairground {name:<22}{COMMANDS[name].summary}")
        return 0 if len(arguments) > 1 else 2
    what = " ".join(arguments[:2]) if below else first
    from difflib import get_close_matches

    near = get_close_matches(what, COMMANDS, n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    known = ", ".join(COMMANDS)
    print(f"fairground: there is no command {what!r}. {hint}There are: {known}.", file=sys.stderr)
    print("Try: fairground --help", file=sys.stderr)
    return 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, and answer with its exit code."""
    gc.set_threshold(SELDOM)
    atexit.register(gc.freeze)  # or Python looks through all objects once more before it ends
    from fairground.terminal import console

    console.make_streams_safe()
    given = sys.argv[1:] if arguments is None else list(arguments)
    fail = partial(_fail, as_json="--json" in given)
    try:
        exit_code = _dispatch(given)
        sys.stdout.flush()
    except FairgroundError as error:
        return fail(str(error), error.exit, error.code, line=getattr(error, "line", None))
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


def _fail(
    text: str,
    exit_code: int,
    code: str,
    before: str = "fairground: ",
    *,
    line: int | None = None,
    as_json: bool,
) -> int:
    """Say why a command line came to nothing, on streams that may themselves be the reason.

    Who asked for an object of JSON gets one here, too.
    """
    from fairground.terminal.console import abandon_output

    told = ""
    if as_json:
        import json

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
