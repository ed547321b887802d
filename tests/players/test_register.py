"""The register of players: whoever is offered for a seat survives it, and nobody else is."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from fairground.core import Draw, Game, InputError, Over, Seat, Turn, UnknownName
from fairground.fair.bits import SeededStream
from fairground.games import make_game
from fairground.games.zombie.rules import PASS, Zombie
from fairground.players import PLAYERS, Player, RandomPlayer, make_player, offered, play
from fairground.registry import load
from tests.helpers.samples import SAMPLES

ARGUMENTS = {"mcts": ":3", "annealing": ":5"}
"""Less thought than usual, so that the law is quick."""

SEATED = [
    (sample, seat, name)
    for samples in SAMPLES.values()
    for sample in samples
    for game in [make_game(sample.game, sample.params)]
    for seat in range(game.seats)
    for name in sorted(offered(game, seat))
]


def somebody(game: Game[Any], seat: Seat) -> Player:
    """Anyone who can take a seat: a keeper of the right kind, or `random`."""
    keepers = [name for name in offered(game, seat) if name in ("fair", "nice", "evil")]
    return make_player((*keepers, "random")[0], game, SeededStream("somebody", seat), seat)


@pytest.mark.parametrize(
    ("sample", "seat", "name"), SEATED, ids=[f"{s.name}-{seat}-{n}" for s, seat, n in SEATED]
)
def test_an_offered_player_survives_its_seat(sample: Any, seat: Seat, name: str) -> None:
    game = make_game(sample.game, sample.params)
    spec = name + ARGUMENTS.get(name, "")
    players = {other: somebody(game, other) for other in range(game.seats)}
    players[seat] = make_player(spec, game, SeededStream("player"), seat)
    states = islice(play(game, players, SeededStream("tape")), 2000)
    assert isinstance(game.awaits(list(states)[-1]), Over)


@pytest.mark.parametrize("key", PLAYERS, ids=str)
def test_every_listing_leads_to_a_player(key: tuple[str | None, str]) -> None:
    assert callable(load(PLAYERS[key].path))
    assert any(name == key[1] for _, _, name in SEATED), "no sample offers it: add one"


def test_players_are_found_by_name_and_a_near_miss_is_named() -> None:
    game = make_game("intransitive/1", {})
    assert isinstance(make_player("random", game, SeededStream("s"), 0), RandomPlayer)
    with pytest.raises(UnknownName, match=r"no player named 'psychic' for intransitive/1.*random"):
        make_player("psychic:9", game, SeededStream("s"), 0)
    with pytest.raises(UnknownName, match="did you mean 'optimal'"):
        make_player("optimla", game, SeededStream("s"), 0)


@pytest.mark.parametrize(
    ("spec", "seat", "reason"),
    [
        ("entropy", 0, "entropy plays the breaker, not the keeper; .* fair"),
        ("fair", 1, "fair plays the keeper, not the breaker; .* entropy"),
        ("evil", 0, "evil plays only where oracle is evil"),
        ("mcts:5", 1, "mcts must see everything, and codebreaking/1 hides something"),
    ],
)
def test_who_cannot_play_a_seat_is_refused_with_the_reason(
    spec: str, seat: Seat, reason: str
) -> None:
    game = make_game("codebreaking/1", {"base": 2, "length": 2})
    with pytest.raises(UnknownName, match=reason):
        make_player(spec, game, SeededStream("s"), seat)
    assert spec.partition(":")[0] not in offered(game, seat)


def test_what_goes_through_all_moves_is_not_offered_where_they_are_too_many() -> None:
    game = make_game("codebreaking/1", {"base": 100, "length": 40})
    assert "random" not in offered(game, 1)
    with pytest.raises(UnknownName, match="here they are too many"):
        make_player("random", game, SeededStream("s"), 1)


def test_who_takes_no_argument_says_so() -> None:
    with pytest.raises(InputError, match="optimal takes nothing after a colon, but got '5'"):
        make_player("optimal:5", make_game("fatestones/1", {}), SeededStream("s"), 0)


def test_nobody_chooses_to_pass() -> None:
    game = Zombie()
    state, tape = game.start(), SeededStream("t")
    while isinstance(awaits := game.awaits(state), Draw):
        state = game.drawn(state, tape.below(awaits.n))
    (seat,) = awaits.seats if isinstance(awaits, Turn) else ()
    assert PASS in game.moves(state, seat)
    assert PASS not in game.choices(state, seat)
