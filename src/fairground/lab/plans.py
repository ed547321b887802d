"""A plan of a simulation: a game, its players, and the deals.

**Random streams.** Deal number d of a seed reads its own streams (`SeededStream`): number 0 for
everything that is dealt and rolled, number 1 + seat for a player who draws. So each game depends on
the plan alone, and can be played without the others.

**Lineups.** A lineup has a player for each seat. Usually there is one, and game g is deal g. For a
fair comparison every deal is played several times, once by each lineup:

* *mirrored*: players change seats of the same role, so that each meets each deal from each side;
* *paired*: other players take some seats, and all else stays the same.

The luck that all lineups share then cancels out of the difference.

**Entrants.** Results are counted for entrants: the seats of the only lineup, or the compared ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from msgspec import Struct, ValidationError, convert, to_builtins

from fairground.core import BadParams, Game, InputError, Over, Seat
from fairground.fair.bits import SeededStream
from fairground.fair.schemes import Chair
from fairground.fair.unproven import SeededDealer
from fairground.fair.vault import MemoryVault
from fairground.games import make_game
from fairground.games.kernels import NativeStream
from fairground.players import Player, make_player, play, seat_labels, seat_title, usual_player
from fairground.players.runner import Runner
from fairground.table import Table, new_name
from fairground.transcript import Transcript

MANY: Final = 50
"""Number of games from which on players who search get compiled code."""

Lineup = tuple[str, ...]
"""A player for each seat, such as ``mcts:200``."""


class Entrant(NamedTuple):
    """A compared player: its name, and its places as pairs of a lineup and a seat."""

    name: str
    cells: tuple[tuple[int, Seat], ...]


class Plan(Struct, frozen=True):
    """Everything that the results of a simulation depend on."""

    game: str
    params: str
    """The game's parameters as canonical JSON."""
    lineups: tuple[Lineup, ...]
    entrants: tuple[Entrant, ...]
    seed: str
    deals: int
    luck: bool = False
    """True if luck is counted as well, so that it can be subtracted."""

    @property
    def games(self) -> int:
        return self.deals * len(self.lineups)

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = to_builtins(self)
        return told | {"params": json.loads(self.params)}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Plan:
        """Return the plan that `as_json` wrote; raise `InputError` if it is none."""
        try:
            return convert({**told, "params": _canonical(told["params"])}, cls)
        except (KeyError, TypeError, ValidationError) as error:
            raise InputError(f"this is no plan of a simulation: {error}") from None


def _canonical(params: Mapping[str, Any]) -> str:
    return json.dumps(params, sort_keys=True, separators=(",", ":"))


@lru_cache(maxsize=8)
def _game(name: str, params: str) -> Game[Any]:
    return make_game(name, json.loads(params))


def game_of(plan: Plan) -> Game[Any]:
    """Return the rules of a plan's games."""
    return _game(plan.game, plan.params)


# Making plans


def plan_of(
    game: Game[Any],
    lineup: Sequence[str],
    seed: str,
    games: int,
    *,
    mirror: bool = False,
    versus: Mapping[Seat, str] | None = None,
    luck: bool = False,
) -> Plan:
    """Make a plan for at least this number of games.

    ``mirror`` and ``versus`` add the lineups that a fair comparison needs.
    """
    lineup = tuple(lineup)
    if len(lineup) != game.seats:
        raise InputError(
            f"{game.name} has {game.seats} seats ({', '.join(seat_labels(game))}), "
            f"but {len(lineup)} players are named: {', '.join(lineup)}"
        )
    if games < 1:
        raise BadParams(f"at least one game must be simulated, not {games}")
    if mirror and versus:
        raise InputError("--mirror and --versus are two ways to compare: give one of them")
    if mirror:
        lineups, entrants = _mirrored(game, lineup)
    elif versus:
        lineups, entrants = _paired(game, lineup, versus)
    else:
        lineups = (lineup,)
        entrants = tuple(
            Entrant(f"{label} ({who})", ((0, seat),))
            for seat, (label, who) in enumerate(zip(seat_labels(game), lineup, strict=True))
        )
    deals = -(-games // len(lineups))
    params = _canonical(game.params())
    plan = Plan(game.name, params, lineups, entrants, seed, deals, luck)
    for one in plan.lineups:
        _players(game, one, seed, 0)
    return plan


def _mirrored(game: Game[Any], lineup: Lineup) -> tuple[tuple[Lineup, ...], tuple[Entrant, ...]]:
    roles = {game.role(seat) for seat in range(game.seats)}
    if len(roles) > 1:
        raise InputError(
            f"{game.name} cannot be mirrored: its seats differ ({', '.join(seat_labels(game))}). "
            f"Compare players of one seat: --versus {seat_labels(game)[-1]}=PLAYER"
        )
    n = game.seats
    lineups = tuple(tuple(lineup[(seat - by) % n] for seat in range(n)) for by in range(n))
    names = [
        f"{who} {lineup[: i + 1].count(who)}" if lineup.count(who) > 1 else who
        for i, who in enumerate(lineup)
    ]
    return lineups, tuple(
        Entrant(name, tuple((by, (i + by) % n) for by in range(n))) for i, name in enumerate(names)
    )


def _paired(
    game: Game[Any], lineup: Lineup, versus: Mapping[Seat, str]
) -> tuple[tuple[Lineup, ...], tuple[Entrant, ...]]:
    other = tuple(versus.get(seat, who) for seat, who in enumerate(lineup))
    labels, seats = seat_labels(game), sorted(versus)

    def name(of: Lineup) -> str:
        return ", ".join(f"{labels[seat]}={of[seat]}" for seat in seats)

    return (lineup, other), tuple(
        Entrant(name(of), tuple((i, seat) for seat in seats))
        for i, of in enumerate((lineup, other))
    )


def usual_lineup(game: Game[Any], wanted: Mapping[Seat, str]) -> Lineup:
    """Return the named players, and the default players of the other seats."""
    return tuple(
        wanted.get(seat) or usual_player(game, seat) or _nobody(game, seat)
        for seat in range(game.seats)
    )


def _nobody(game: Game[Any], seat: Seat) -> str:
    raise InputError(f"no player of ours can take the seat {seat_labels(game)[seat]}")


# Playing single games


def _players(
    game: Game[Any], lineup: Lineup, seed: str, deal: int, games: int = 1
) -> dict[Seat, Player]:
    """Make the players of one game, each with a random stream of its own."""
    return {
        seat: make_player(spec, game, _stream_for(spec, games)(seed, deal, 1 + seat), seat)
        for seat, spec in enumerate(lineup)
    }


@lru_cache
def _stream_for(spec: str, games: int) -> type[SeededStream | NativeStream]:
    """Return the stream class for a player: a compiled one for searches in many games."""
    searches = spec.partition(":")[0] == "mcts" and games >= MANY
    return NativeStream if searches and find_spec("numba") is not None else SeededStream


def _placed(plan: Plan, number: int) -> tuple[int, Lineup]:
    """Return the deal of a game, and its lineup."""
    if not 0 <= number < plan.games:
        raise InputError(f"game {number} is not among the games 0 to {plan.games - 1}")
    deal, at = divmod(number, len(plan.lineups))
    return deal, plan.lineups[at]


def states_of(plan: Plan, number: int) -> Iterator[Any]:
    """Yield the states of game ``number``, played by the rules, without playing the others."""
    deal, lineup = _placed(plan, number)
    game = game_of(plan)
    players = _players(game, lineup, plan.seed, deal, plan.games)
    return play(game, players, SeededStream(plan.seed, deal))


def payoff_of(game: Game[Any], last: Any) -> tuple[int, ...]:
    """Return the payoffs in the last state of a game."""
    over = game.awaits(last)
    assert isinstance(over, Over)
    return over.payoff


def transcript_of(plan: Plan, number: int) -> Transcript:
    """Play one game of a plan at a real table, and return its record.

    The random streams are the same, so the game is the same. The dealer is `seeded/1`, which proves
    only that the game replays. The seals and the table's name are fresh each time.
    """
    deal, lineup = _placed(plan, number)
    game = game_of(plan)
    names = [
        f"{seat_title(label)} ({who})" for label, who in zip(seat_labels(game), lineup, strict=True)
    ]
    table = seeded_table(game, plan.seed, deal, names)
    Runner(table, _players(game, lineup, plan.seed, deal)).play()
    return table.transcript


def seeded_table(game: Game[Any], seed: str, number: int, names: Sequence[str]) -> Table:
    """Open a table whose draws are those of game ``number`` of a seed; the house has all seats."""
    dealer = SeededDealer(new_name(), MemoryVault(), seed=seed, game=number)
    return Table.open(game, dealer, [Chair(name, by="house") for name in names])
