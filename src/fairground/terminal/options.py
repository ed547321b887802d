"""Options that several commands take, and the lists of players in their help."""

from __future__ import annotations

import argparse
from typing import Any

from fairground.core import Game, Seat
from fairground.players import offered


def add_ascii(parser: argparse.ArgumentParser, plain: str, rich: str) -> None:
    """``--ascii`` and ``--no-ascii``: draw in one way or the other."""
    parser.add_argument(
        "--ascii",
        action=argparse.BooleanOptionalAction,
        default=None,
        help=f"{plain}, or {rich} (default: what the terminal can show)",
    )


def whole_number(text: str) -> int:
    """A number of digits 0 to 9 alone: other scripts' digits are more often a slip."""
    try:
        number = int(text)
    except ValueError:
        number = None
    if number is None or not text.isascii():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return number


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
    from fairground.players.bot.limits import BotLimits

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
    """The players that can take a seat, each with what it does, for a help text."""
    words = []
    for name, listing in sorted(offered(game, seat).items()):
        more = f"; {listing.argument}" if listing.argument else ""
        usual = ", the default" if name == default else ""
        words.append(f"{name} ({listing.summary}{more}{usual})")
    return ", ".join(words).replace("%", "%%")
