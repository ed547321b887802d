"""OpenSpiel: our games as its games, with chance as explicit nodes.

::

    from fairground.lab.environments.openspiel import load
    game = load("fatestones", hands=[["111666", "222555"], ["333444", "122556"]])

A draw of n is a chance node with n outcomes. Simultaneous moves are made one after the other, and
become visible when all seats have moved. So every algorithm for games in turns works. A player's
information state is the list of its views and moves at its own decisions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from fairground.core import Draw, Game, Move, Over, Seat, Turn
from fairground.games import GAMES, make_game
from fairground.games.codebreaking import rules as codebreaking
from fairground.games.fatestones import rules as fatestones
from fairground.games.intransitive import rules as intransitive
from fairground.games.poker import rules as poker
from fairground.games.zombie import rules as zombie
from fairground.registry import needs

with needs("openspiel", "the OpenSpiel adapter"):
    import numpy as np
    import pyspiel

    from fairground.lab.environments.codecs import Codec, codec_of, states_of

LONGEST = 10_000
"""Maximum number of moves and draws of a game whose rules set no limit."""


class Bounds(NamedTuple):
    """The limits that OpenSpiel wants to know of a game."""

    outcomes: int
    """Maximum number of values of a draw."""
    least: float
    most: float
    longest: int = LONGEST


def bounds_of(game: Game[Any]) -> Bounds:
    """Return the limits of a game: ours by their rules, others by exploring them."""
    if isinstance(game, intransitive.Intransitive):
        return Bounds(max(2, *(len(die.faces) for die in game.dice)), -1, 1, 5)
    if isinstance(game, fatestones.FateStones):
        longest = 12 if game.scratch == "end" and game.hands else LONGEST
        return Bounds(max(6, len(game.bag)), -1, 1, longest)
    if isinstance(game, zombie.Zombie):
        faces = max(map(len, game.faces))
        return Bounds(max(game.seats, sum(game.dice), faces), -1, game.seats - 1)
    if isinstance(game, poker.Poker):
        prize = max(poker.PAYS[game.level]) * game.bet
        return Bounds(poker.DECK, -prize, prize, 11)
    if isinstance(game, codebreaking.CodeBreaking):
        stake = codebreaking.STAKE
        return Bounds(game.codes if game.oracle == codebreaking.FAIR else 1, -stake, stake)
    awaited = [game.awaits(state) for state in states_of(game)]
    payoffs = [pay for one in awaited if isinstance(one, Over) for pay in one.payoff]
    draws = [one.n for one in awaited if isinstance(one, Draw)]
    return Bounds(max(draws, default=1), min(payoffs), max(payoffs))


@lru_cache(maxsize=64)
def _game(name: str, params: str) -> Game[Any]:
    return make_game(name, json.loads(unquote(params)))


def short_name(name: str) -> str:
    """Return OpenSpiel's name of a game: ``zombie/2`` is ``fairground_zombie_2``."""
    return f"fairground_{name.replace('/', '_')}"


def load(which: str | Game[Any], **params: Any) -> Any:
    """Return a game as OpenSpiel has it; parameters of the game are given by name."""
    game = make_game(GAMES.newest(which), params) if isinstance(which, str) else which
    _registered(game.name)
    text = quote(json.dumps(game.params(), sort_keys=True, separators=(",", ":")), safe="")
    return pyspiel.load_game(short_name(game.name), {"params": text})


@cache
def _registered(name: str) -> Any:
    """Register a game with OpenSpiel, once."""
    ours = name in GAMES and GAMES[name].rules.startswith("fairground.games.")
    kind = pyspiel.GameType(
        short_name=short_name(name),
        long_name=GAMES[name].title if name in GAMES else name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=(
            pyspiel.GameType.Utility.ZERO_SUM if ours else pyspiel.GameType.Utility.GENERAL_SUM
        ),
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=1000,
        min_num_players=1,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"params": "%7B%7D"},
    )

    class Registered(SpielGame):
        """One game, by its name."""

        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, name, ours, dict(params or {}))

    pyspiel.register_game(kind, Registered)
    return kind


class SpielGame(pyspiel.Game):
    """One of our games, for OpenSpiel."""

    def __init__(self, kind: Any, name: str, zero_sum: bool, params: dict[str, Any]) -> None:
        self.rules = _game(name, params.get("params", "%7B%7D"))
        self.codec: Codec = codec_of(self.rules)
        known = bounds_of(self.rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=max(self.codec.count(s) for s in range(self.rules.seats)),
            max_chance_outcomes=known.outcomes,
            num_players=self.rules.seats,
            min_utility=float(known.least),
            max_utility=float(known.most),
            utility_sum=0.0 if zero_sum else None,
            max_game_length=known.longest,
        )
        super().__init__(kind, info, params)

    def new_initial_state(self) -> SpielState:
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        return SpielObserver(self, iig_obs_type)


class SpielState(pyspiel.State):
    """A state of one of our games, with the moves that are not visible yet."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.rules = game.rules
        self.codec = game.codec
        self.state: Any = game.rules.start()
        self.pending: dict[Seat, Move] = {}
        self.memory: tuple[tuple[str, ...], ...] = ((),) * game.rules.seats
        """For each seat, its views and moves at its decisions."""

    def current_player(self) -> Any:
        match self.rules.awaits(self.state):
            case Over():
                return pyspiel.PlayerId.TERMINAL
            case Draw():
                return pyspiel.PlayerId.CHANCE
            case Turn(seats):
                return next(seat for seat in seats if seat not in self.pending)

    def view(self, seat: Seat) -> Any:
        return self.rules.view(self.state, seat)

    def _legal_actions(self, player: int) -> list[int]:
        return self.codec.legal(self.view(player), player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        draw = self.rules.awaits(self.state)
        assert isinstance(draw, Draw)
        return [(value, 1.0 / draw.n) for value in range(draw.n)]

    def _apply_action(self, action: int) -> None:
        player = self.current_player()
        if player == pyspiel.PlayerId.CHANCE:
            self.state = self.rules.drawn(self.state, action)
            return
        move = self.codec.move(player, action)
        note = f"{_text(self.view(player))} > {move!r}"
        self.memory = tuple(
            (*noted, note) if seat == player else noted for seat, noted in enumerate(self.memory)
        )
        self.pending = {**self.pending, player: move}
        awaits = self.rules.awaits(self.state)
        assert isinstance(awaits, Turn)
        if len(self.pending) == len(awaits.seats):
            moves, self.pending = self.pending, {}
            self.state = self.rules.played(self.state, moves)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {action}"
        return repr(self.codec.move(player, action))

    def is_terminal(self) -> bool:
        return isinstance(self.rules.awaits(self.state), Over)

    def returns(self) -> list[float]:
        over = self.rules.awaits(self.state)
        if not isinstance(over, Over):
            return [0.0] * self.rules.seats
        return [float(payoff) for payoff in over.payoff]

    def known(self, player: int) -> str:
        """Return a player's views and moves at all its decisions, and its view now."""
        return "\n".join((*self.memory[player], _text(self.view(player))))

    def __str__(self) -> str:
        return f"{_text(self.state)} {sorted(self.pending.items())}"


def _text(value: Any) -> str:
    """Return a view as text, without the names of its fields."""
    return ",".join(_parts(value))


def _parts(value: Any) -> Iterator[str]:
    if isinstance(value, tuple):
        yield "("
        for item in value:
            yield from _parts(item)
        yield ")"
    else:
        yield str(value)


class SpielObserver:
    """Observes a state for a player: its whole memory (perfect recall), or its present view."""

    def __init__(self, game: SpielGame, iig_obs_type: Any) -> None:
        self._recall = bool(iig_obs_type and iig_obs_type.perfect_recall)
        self._codec = game.codec
        self.tensor = np.zeros(game.codec.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        self.tensor[:] = self._codec.encode(state.view(player), player)

    def string_from(self, state: SpielState, player: int) -> str:
        return state.known(player) if self._recall else _text(state.view(player))
