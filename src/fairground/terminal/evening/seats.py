"""Who sits where: ``--seat NAME=PLAYER``, and how strong a player is, in words.

A seat is named by its role (``keeper``, or ``player1`` where several have the same one). Where all
seats are alike, any other name takes the next free seat: ``--seat Ann=me --seat Hal=optimal``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from fairground.core import Game, InputError, Seat
from fairground.players import offered
from fairground.players.register import DIFFICULTIES
from fairground.players.seats import seat_labels, seat_title, usual_player, wanted_seats

ME: Final = "me"


def add_seats(parser: argparse.ArgumentParser, says: str) -> None:
    """``--seat``, which may be repeated."""
    parser.add_argument("--seat", action="append", default=[], metavar="NAME=PLAYER", help=says)


def add_difficulty(parser: argparse.ArgumentParser, game: Game[Any], seat: Seat) -> None:
    """``--difficulty``: how strong the machine at this seat is, in words."""
    words = difficulties(game, seat)
    each = ", ".join(f"{word} ({name})" for word, name in words.items())
    parser.add_argument(
        "--difficulty", choices=list(words), help=f"how strong the machine is: {each}"
    )


class SeatPlan(NamedTuple):
    """Who sits where."""

    people: dict[Seat, str]
    """The people at this keyboard, by name."""
    players: dict[Seat, str]
    """What plays the other seats, such as ``mcts:200``."""

    def names(self, game: Game[Any]) -> list[str]:
        """What the record calls the seats."""
        labels = [seat_title(label) for label in seat_labels(game)]
        return [
            self.people[seat] or label if seat in self.people else f"{label} ({self.players[seat]})"
            for seat, label in enumerate(labels)
        ]

    def swapped(self) -> SeatPlan:
        """The same with the sides changed, for two seats."""
        return SeatPlan(
            {1 - seat: name for seat, name in self.people.items()},
            {1 - seat: spec for seat, spec in self.players.items()},
        )


def company(game: Game[Any], wanted: Sequence[str]) -> SeatPlan:
    """Who sits where: as said, else one person, and players of ours in the other seats."""
    people: dict[Seat, str] = {}
    players: dict[Seat, str] = {}
    given = _with_free_names(game, wanted)
    for seat, player in wanted_seats(game, given, "--seat", _seat_example(game)).items():
        who, _, name = player.partition(":")
        if who == ME:
            people[seat] = name
        else:
            players[seat] = player_for(game, seat, player)
    free = [seat for seat in range(game.seats) if seat not in people and seat not in players]
    if free and not people:
        # A game names the house's role first: a person takes the last.
        role = game.role(game.seats - 1)
        seat = next((seat for seat in free if game.role(seat) == role), free[0])
        people[seat] = ""
        free.remove(seat)
    for seat in free:
        players[seat] = usual_player(game, seat) or _nobody(game, seat)
    return SeatPlan(people, players)


def _with_free_names(game: Game[Any], wanted: Sequence[str]) -> list[str]:
    """``Ann=me`` as ``player1=me:Ann``, where all seats are alike and this one is free."""
    labels = seat_labels(game)
    roles = {game.role(seat) for seat in range(game.seats)}
    taken = {text.partition("=")[0] for text in wanted}
    free = iter([label for label in labels if label not in taken])
    given = []
    for text in wanted:
        name, equals, player = text.partition("=")
        meant_as_label = name.rstrip("0123456789") in roles or not name
        if len(roles) == 1 and equals and not meant_as_label and (label := next(free, None)):
            given.append(f"{label}={f'{ME}:{name}' if player == ME else player}")
        else:
            given.append(text)
    return given


def player_for(game: Game[Any], seat: Seat, word: str) -> str:
    """A player by its name, or by how strong it is: ``easy``, ``medium`` or ``hard``."""
    return difficulties(game, seat).get(word, word)


def difficulties(game: Game[Any], seat: Seat) -> dict[str, str]:
    """How strong a machine can be at this seat, in words, with the player that is so."""
    there = sorted(offered(game, seat).items())
    by_word = {listing.difficulty: name for name, listing in there if listing.difficulty}
    return {word: by_word[word] for word in DIFFICULTIES if word in by_word}


def _nobody(game: Game[Any], seat: Seat) -> str:
    label = seat_labels(game)[seat]
    raise InputError(
        f"no player of ours can take the seat {label} here. A person can: --seat {label}={ME}"
    )


def _seat_example(game: Game[Any]) -> str:
    seat = game.seats - 1
    return f"--seat {seat_labels(game)[seat]}={usual_player(game, seat) or ME}"
