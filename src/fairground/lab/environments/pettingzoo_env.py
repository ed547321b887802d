"""PettingZoo: every seat that ever moves is an agent.

::

    from fairground.lab.environments.pettingzoo_env import aec_env, parallel_env
    env = aec_env("zombie", players=3)
    env.reset(seed=7)

They are registered, too: ``pettingzoo.make("aec", "fairground/ZombieDice-v2")``.

`aec_env` serves every game: agents act one after the other, and where they move at the same time,
nobody sees a move before all have moved. `parallel_env` serves games in which all agents always
move at the same time. Agents are called by their role: ``keeper_0``, or ``player_0``, ``player_1``.

An observation is ``{"observation": ..., "action_mask": ...}``. Rewards are payoffs, at the end. An
illegal action is taken as leaving the game, which ends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from fairground.core import BadParams, Game, InputError, Over, Seat, Turn
from fairground.extras import needs
from fairground.games import GAMES, make_game
from fairground.lab.environments.match import Match
from fairground.players.seats import seat_labels
from fairground.transcript import Transcript

with needs("rl", "an environment"):
    import numpy as np
    import pettingzoo
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv

    from fairground.lab.environments.codecs import Codec, codec_of
    from fairground.lab.environments.gymnasium_env import id_of

MOST_TURNS: Final = 1000


def aec_env(game: str | Game[Any], **options: Any) -> TurnsEnv:
    """An environment whose agents act one after the other; parameters of the game by name."""
    return TurnsEnv(*_made(game, options))


def parallel_env(game: str | Game[Any], **options: Any) -> TogetherEnv:
    """An environment whose agents act at the same time, for games that are played so."""
    return TogetherEnv(*_made(game, options))


def register_all() -> None:
    """Make all games known to `pettingzoo.make`. Importing this module does it."""
    here = "fairground.lab.environments.pettingzoo_env"
    for name in GAMES:
        env_id, given = id_of(name), {"game": name}
        if env_id not in pettingzoo.aec_registry:
            pettingzoo.register("aec", env_id, f"{here}:aec_env", kwargs=given)
        if env_id not in pettingzoo.parallel_registry and _together(name):
            pettingzoo.register("parallel", env_id, f"{here}:parallel_env", kwargs=given)


def _together(name: str) -> bool:
    """Whether all seats of a game move at the same time, as far as its start tells."""
    try:
        match = Match(make_game(name, {}))
    except BadParams:
        return False  # it cannot be made without parameters
    match.reset(0)
    return len(match.to_move) == match.game.seats > 1


def _made(game: str | Game[Any], options: dict[str, Any]) -> tuple[Game[Any], Codec, int, Any]:
    codec, most = options.pop("codec", None), options.pop("most_turns", MOST_TURNS)
    mode = options.pop("render_mode", None)
    made = make_game(GAMES.newest(game), options) if isinstance(game, str) else game
    return made, codec or codec_of(made), most, mode


class _Agents:
    """What both kinds of environments share: agents, spaces, observations."""

    def __init__(self, game: Game[Any], codec: Codec, most_turns: int, render_mode: Any) -> None:
        self.game = game
        self.codec = codec
        self.match = Match(game)
        self.most_turns = most_turns
        self.render_mode = render_mode
        roles = [game.role(seat) for seat in codec.acting]
        self.seats: dict[str, Seat] = {
            f"{role}_{roles[:at].count(role)}": seat
            for at, (role, seat) in enumerate(zip(roles, codec.acting, strict=True))
        }
        self.possible_agents = list(self.seats)
        self._known: dict[str, tuple[tuple[str, int, int], list[int]]] = {}
        family, _, version = game.name.partition("/")
        self.metadata = {
            "name": f"{family}_v{version}",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        # One object for each agent: whoever seeds a space wants to find it again.
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
        """What an agent sees: always the same object."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Any:
        """What an agent does: always the same object."""
        return self._actions[agent]

    def legal(self, agent: str) -> list[int]:
        """The actions that an agent may choose from now. It is asked for more than once."""
        seat, match = self.seats[agent], self.match
        if seat not in match.to_move:
            return []
        now = (match.seed, match.episode, match.turns)
        if agent not in self._known or self._known[agent][0] != now:
            self._known[agent] = now, self.codec.legal(match.view(seat), seat)
        return list(self._known[agent][1])

    def seen(self, agent: str) -> dict[str, Any]:
        """What an agent observes."""
        seat = self.seats[agent]
        return {
            "observation": self.codec.encode(self.match.view(seat), seat),
            "action_mask": self.codec.mask(self.legal(agent), seat),
        }

    def act(self, agent: str, action: Any) -> bool:
        """Act for an agent; whether that was legal."""
        seat = self.seats[agent]
        if int(action) not in self.legal(agent):
            self.match.leave(seat)
            return False
        self.match.act(seat, self.codec.move(seat, int(action)))
        return True

    def won(self, agent: str) -> float:
        """What an agent has won."""
        payoff = self.match.payoff
        return 0.0 if payoff is None else float(payoff[self.seats[agent]])

    def told(self) -> str:
        """The table in words, as a bystander sees it."""
        from fairground.words import words_for

        words = words_for(self.game, seat_labels(self.game), None, GAMES)
        return "\n".join(words.state(self.game.view(self.match.state, None)))


class TurnsEnv(AECEnv[str, Any, Any]):
    """Agents act one after the other."""

    def __init__(self, game: Game[Any], codec: Codec, most_turns: int, render_mode: Any) -> None:
        super().__init__()
        self.table = _Agents(game, codec, most_turns, render_mode)
        self.metadata = self.table.metadata
        self.render_mode = render_mode
        self.possible_agents = list(self.table.possible_agents)
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> Any:
        """What an agent sees."""
        return self.table.observation_space(agent)

    def action_space(self, agent: str) -> Any:
        """What an agent does."""
        return self.table.action_space(agent)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """The next episode; with a seed, episode 0 of that seed."""
        table = self.table
        table.match.reset(seed)
        while table.match.payoff is not None:
            table.match.reset()  # it was over before anyone had to move
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = self._told()
        self.agent_selection = self._next()

    def _told(self) -> dict[str, dict[str, Any]]:
        return {agent: {"legal_actions": self.table.legal(agent)} for agent in self.agents}

    def _next(self) -> str:
        to_move = self.table.match.to_move
        return next((a for a, s in self.table.seats.items() if s in to_move), self.agents[0])

    def observe(self, agent: str) -> Any:
        """What an agent sees now."""
        return self.table.seen(agent)

    def step(self, action: Any) -> None:
        """The selected agent acts."""
        agent, table = self.agent_selection, self.table
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        legal = table.act(agent, action)
        match = table.match
        if match.payoff is not None:
            self.rewards = {one: table.won(one) for one in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        elif match.turns >= table.most_turns:
            self.truncations = dict.fromkeys(self.agents, True)
        self.infos = self._told()
        if not legal:
            self.infos[agent]["illegal_action"] = int(action)
        self.agent_selection = self._next()
        self._accumulate_rewards()

    def render(self) -> Any:
        """The table in words."""
        return self.table.told()

    def close(self) -> None:
        """Nothing is open."""

    def transcript(self) -> Transcript:
        """The episode so far, as a record that ``fairground verify`` checks."""
        return self.table.match.transcript()

    def save(self, path: str | Path) -> None:
        """Write that record to a file."""
        Path(path).write_bytes(bytes(self.transcript()))


class TogetherEnv(ParallelEnv[str, Any, Any]):
    """Agents act at the same time."""

    def __init__(self, game: Game[Any], codec: Codec, most_turns: int, render_mode: Any) -> None:
        self.table = _Agents(game, codec, most_turns, render_mode)
        self.metadata = self.table.metadata
        self.render_mode = render_mode
        self.possible_agents = list(self.table.possible_agents)
        self.agents: list[str] = []
        self.table.match.reset(0)
        self._must_be_together()
        self.table.match.episode = -1

    def _must_be_together(self) -> None:
        match = self.table.match
        awaits = self.table.game.awaits(match.state)
        if isinstance(awaits, Over) or (
            isinstance(awaits, Turn) and set(awaits.seats) == set(self.table.seats.values())
        ):
            return
        raise InputError(
            f"{self.table.game.name} is played in turns, not by all at the same time: "
            "use aec_env instead"
        )

    def observation_space(self, agent: str) -> Any:
        """What an agent sees."""
        return self.table.observation_space(agent)

    def action_space(self, agent: str) -> Any:
        """What an agent does."""
        return self.table.action_space(agent)

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The next episode; with a seed, episode 0 of that seed."""
        self.table.match.reset(seed)
        self.agents = list(self.possible_agents)
        return self._seen(), self._infos()

    def _seen(self) -> dict[str, Any]:
        return {agent: self.table.seen(agent) for agent in self.agents}

    def _infos(self) -> dict[str, Any]:
        return {agent: {"legal_actions": self.table.legal(agent)} for agent in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """All agents act."""
        table, acting = self.table, list(self.agents)
        wrong = [agent for agent in acting if int(actions[agent]) not in table.legal(agent)]
        if wrong:
            table.match.leave(table.seats[wrong[0]])
        else:
            for agent in acting:
                table.act(agent, actions[agent])
            self._must_be_together()
        over = table.match.payoff is not None
        cut = not over and table.match.turns >= table.most_turns
        seen, infos = self._seen(), self._infos()
        for agent in wrong:
            infos[agent]["illegal_action"] = int(actions[agent])
        rewards = {agent: table.won(agent) for agent in acting}
        if over or cut:
            self.agents = []
        return seen, rewards, dict.fromkeys(acting, over), dict.fromkeys(acting, cut), infos

    def render(self) -> Any:
        """The table in words."""
        return self.table.told()

    def close(self) -> None:
        """Nothing is open."""

    def transcript(self) -> Transcript:
        """The episode so far, as a record that ``fairground verify`` checks."""
        return self.table.match.transcript()

    def save(self, path: str | Path) -> None:
        """Write that record to a file."""
        Path(path).write_bytes(bytes(self.transcript()))


register_all()
