"""What the FateStones commands read: dice, hands, files of dice, players; and where they write."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from fairground.core import BadParams, InputError, Unreadable
from fairground.games.fatestones import HAND, Die, Hand, parse_dice, wrong_with
from fairground.terminal.places import path_of

if TYPE_CHECKING:
    from pathlib import Path

FILE_OF_DICE: Final = (
    "a file of dice: 123456 or 1 2 3 4 5 6 on each line, at least six dice; # begins a comment"
)
LARGEST_FILE: Final = 1_000_000
HANDS: Final = "--mine 134445,144444,234444 --theirs 233346,333336,333444"


def add_hands(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """The options that say which dice lie on the table."""
    for option, whose in (("--mine", "your"), ("--theirs", "the other side's")):
        parser.add_argument(
            option, metavar="A,B,C", required=required, help=f"{whose} dice, one to three of them"
        )


def add_dice(parser: argparse.ArgumentParser) -> None:
    """The option that names another bag than the 32 fair dice."""
    parser.add_argument("--dice", metavar="FILE", type=path_of, help=FILE_OF_DICE)


def hand(text: str, option: str) -> Hand:
    """The dice that were typed behind an option."""
    dice: Hand = tuple(die.strip() for die in text.split(","))
    bad = [f"{die!r}: {reason}" for die in dice if (reason := wrong_with(die)) is not None]
    if bad:
        raise BadParams(f"{option} {text!r} is not understood\n{_lines(bad)}\nFor example: {HANDS}")
    return dice


def hands(options: argparse.Namespace) -> tuple[Hand, Hand]:
    """Both hands of a command line: as many dice on either side, one to three."""
    mine, theirs = hand(options.mine, "--mine"), hand(options.theirs, "--theirs")
    if len(mine) != len(theirs) or len(mine) > HAND:
        raise BadParams(
            "both sides need the same number of dice, one to three each, not "
            f"{len(mine)} and {len(theirs)}.\nFor example: {HANDS}"
        )
    return mine, theirs


def _lines(problems: list[str]) -> str:
    return "\n".join(f"  {problem}" for problem in problems)


def dice_file(path: Path | None) -> tuple[Die, ...] | None:
    """The dice of a file; ``None`` where no file is named, which means the 32 fair dice."""
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise Unreadable(f"{str(path)!r} is too large. Expected is {FILE_OF_DICE}.")
        lines = data.decode("utf-8-sig").splitlines()
        return parse_dice("\n".join(line.partition("#")[0] for line in lines))
    except OSError as error:
        raise Unreadable(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise Unreadable(f"{str(path)!r} is not text. Expected is {FILE_OF_DICE}.") from None
    except BadParams as problem:
        what, *bad = str(problem).splitlines()
        raise BadParams(
            f"{str(path)!r} is {what}\n{_lines(bad)}\nExpected is {FILE_OF_DICE}."
        ) from None


def two_players(text: str) -> tuple[str, str]:
    """Two players such as ``optimal,mcts:200``."""
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise InputError(
            f"--players {text!r} is not understood: two players are needed, the first for player "
            "1. For example: --players optimal,mcts:200"
        )
    return names[0], names[1]


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what goes wrong with an output file into plain words, before the work if possible."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a directory, not a file that can be written")
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror or error}") from None
