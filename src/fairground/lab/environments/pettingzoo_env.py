"""PettingZoo: every seat that ever moves is an agent.

::

    from fairground.lab.environments.pettingzoo_env import aec_env, parallel_env
    env = aec_env("zombie", players=3)
    env.reset(seed=7)

They are registered, too: ``pettingzoo.make("aec", "fairground/ZombieDice-v2")``.

`aec_env` serves every game: agents act one after the other. Simultaneous moves become visible when
all agents have moved. `parallel_env` serves games in which all agents always move at the same time.
Agents are called by their role: ``keeper_0``, or ``player_0``, ``player_1``.

An observation is ``{"observation": ..., "action_mask": ...}``. Rewards are payoffs, at the end. An
illegal action forfeits the game, which ends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairground.core import BadParams, Game, InputError, Over, Seat, Turn
from fairground.games import GAMES, make_game
from fairground.registry import needs

with needs("rl", "an environment"):
    import numpy as np
    import pettingzoo
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv

    from fairground.lab.environments.codecs import Codec
    from fairground.lab.environments.gymnasium_env import id_of
    from fairground.lab.environments.match import MOST_TURNS, Match, Recorded, game_named


def aec_env(game: str | Game[Any], **options: Any) -> TurnsEnv:
    """Return an environment whose agents act in turn; parameters of the game are given by name."""
    return TurnsEnv(game, **options)


def parallel_env(game: str | Game[Any], **options: Any) -> TogetherEnv:
    """Return an environment whose agents act at the same time, for games that are played so."""
    return TogetherEnv(game, **options)


def register_all() -> None:
    """Register all games with PettingZoo. Importing this module does it."""
    here = "fairground.lab.environments.pettingzoo_env"
    for name in GAMES:
        env_id, given = id_of(name), {"game": name}
        if env_id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", env_id, f"{here}:aec_env", kwargs=given)
        if env_id not in pettingzoo.parallel_registry and _together(name):
            pettingzoo.register("parallel", env_id, f"{here}:parallel_env", kwargs=given)


def _together(name: str) -> bool:
    """Return whether all seats move at the same time at the start of a game."""
    try:
        match = Match(make_game(name, {}))
    except BadParams:
        return False  # it cannot be made without parameters
    match.reset(0)
    return len(match.to_move) == match.game.seats > 1


class _Agents(Recorded):
    """The common part of both environments: agents, spaces, observations, records."""

    def __init__(
        self,
        game: str | Game[Any],
        *,
        codec: Codec | None = None,
        most_turns: int = MOST_TURNS,
        render_mode: str | None = None,
        **params: Any,
    ) -> None:
        super().__init__()
        self.game = game = game_named(game, params)
        self.match = Match(game, codec)
        self.codec = codec = self.match.codec
        self.most_turns = most_turns
        self.render_mode = render_mode
        roles = [game.role(seat) for seat in codec.acting]
        self.seats: dict[str, Seat] = {
            f"{role}_{roles[:at].count(role)}": seat
            for at, (role, seat) in enumerate(zip(roles, codec.acting, strict=True))
        }
        self.possible_agents = list(self.seats)
        self.agents: list[str] = []
        family, _, version = game.name.partition("/")
        self.metadata = {
            "name": f"{family}_v{version}",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        # One space object for each agent: a program that seeds a space expects to find it again.
        row = (codec.low, codec.high, (codec.size,), np.int32)
        self._actions = {a: spaces.Discrete(codec.count(s)) for a, s in self.seats.items()}
        self._observations = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(*row),
                    "action_mask": spaces.Box(0, 1, (codec.count(seat),), np.int8),
                }
            )
            for agent, seat in self.seats.items()
        }

    def observation_space(self, agent: str) -> Any:
        return self._observations[agent]

    def action_space(self, agent: str) -> Any:
        return self._actions[agent]

    def observe(self, agent: str) -> Any:
        seat = self.seats[agent]
        return {"observation": self.match.seen(seat), "action_mask": self.match.mask(seat)}

    def _won(self, agent: str) -> float:
        payoff = self.match.payoff
        return 0.0 if payoff is None else float(payoff[self.seats[agent]])

    def _told(self) -> dict[str, dict[str, Any]]:
        return {a: {"legal_actions": self.match.legal(self.seats[a])} for a in self.agents}

    def close(self) -> None:
        """Do nothing: no resources are open."""


class TurnsEnv(_Agents, AECEnv[str, Any, Any]):
    """Agents act one after the other."""

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        self.match.reset(seed)
        while self.match.payoff is not None:
            self.match.reset()  # it was over before any agent had to move
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self._told()
        self.agent_selection = self._next()

    def _next(self) -> str:
        to_move = self.match.to_move
        return next((a for a, s in self.seats.items() if s in to_move), self.agents[0])

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        legal = self.match.choose(self.seats[agent], action)
        if self.match.payoff is not None:
            self.rewards = {one: self._won(one) for one in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.match.turns >= self.most_turns:
            self.truncations = dict.fromkeys(self.agents, True)
        self.infos = self._told()
        if not legal:
            self.infos[agent]["illegal_action"] = int(action)
        self.agent_selection = self._next()
        self._accumulate_rewards()


class TogetherEnv(_Agents, ParallelEnv[str, Any, Any]):
    """Agents act at the same time."""

    def __init__(self, game: str | Game[Any], **options: Any) -> None:
        super().__init__(game, **options)
        self.match.reset(0)
        self._must_be_together()
        self.match.episode = -1

    def _must_be_together(self) -> None:
        awaits = self.game.awaits(self.match.state)
        if isinstance(awaits, Over) or (
            isinstance(awaits, Turn) and set(awaits.seats) == set(self.seats.values())
        ):
            return
        raise InputError(
            f"{self.game.name} is played in turns, not by all at the same time: use aec_env instead"
        )

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        self.match.reset(seed)
        self.agents = list(self.possible_agents)
        return self._seen(), self._told()

    def _seen(self) -> dict[str, Any]:
        return {agent: self.observe(agent) for agent in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        acting, match = list(self.agents), self.match
        wrong = [a for a in acting if int(actions[a]) not in match.legal(self.seats[a])]
        for agent in wrong[:1] or acting:
            match.choose(self.seats[agent], actions[agent])
        if not wrong:
            self._must_be_together()
        over = self.match.payoff is not None
        cut = not over and self.match.turns >= self.most_turns
        seen, infos = self._seen(), self._told()
        for agent in wrong:
            infos[agent]["illegal_action"] = int(actions[agent])
        rewards = {agent: self._won(agent) for agent in acting}
        if over or cut:
            self.agents = []
        return seen, rewards, dict.fromkeys(acting, over), dict.fromkeys(acting, cut), infos


register_all()
