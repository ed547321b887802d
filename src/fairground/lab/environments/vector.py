"""Many Gymnasium environments at once, on the compiled kernel of the game.

::

    from fairground.lab.environments.vector import vector_env
    env = vector_env("fatestones", 1024, players=["greedy"])
    observations, infos = env.reset(seed=7)
    observations, rewards, terminated, truncated, infos = env.step(actions)

Environment i of n plays the episodes i, i + n, i + 2n, ... of the seed. Each is the episode that
`FairgroundEnv` plays under that number. An environment whose episode ends begins its next one in
the same step; ``infos["final_obs"]`` has the last observation of the old one.

A game or a player that no kernel knows is played by the rules, in Gymnasium's `SyncVectorEnv`. That
is slower, and environment i then plays the episodes 0, 1, 2, ... of seed + i.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Game, InputError, Seat
from fairground.fair.bits import fresh
from fairground.games.kernels import episodes_of
from fairground.lab.environments.gymnasium_env import FairgroundEnv
from fairground.registry import needs

with needs("rl", "an environment"):
    import numpy as np
    from gymnasium import logger, spaces
    from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
    from gymnasium.vector.utils import batch_space
    from numpy.typing import NDArray

    from fairground.lab.environments.codecs import codec_of
    from fairground.lab.environments.match import MOST_TURNS, game_named


class KernelVectorEnv(VectorEnv[Any, Any, Any]):
    """Environments of one game, stepped together by its kernel."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - as the base has it

    def __init__(self, episodes: Any) -> None:
        self.episodes = episodes
        self.game, self.seat, self.num_envs = episodes.game, episodes.seat, episodes.count
        codec = codec_of(self.game)
        episodes.most_turns = MOST_TURNS
        episodes.allocate(codec.size, codec.count(self.seat))
        self.single_observation_space = spaces.Box(codec.low, codec.high, (codec.size,), np.int32)
        self.single_action_space = spaces.Discrete(codec.count(self.seat))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._seeded = False

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[NDArray[np.int32], dict[str, Any]]:
        """Begin the next episodes; with a seed, the first ones of that seed.

        ``options={"reset_mask": ...}`` leaves the environments alone whose mask is false.
        """
        if isinstance(seed, list):
            raise InputError("one seed serves all environments: give a number, not a list")
        chosen = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs)), np.bool_)
        if seed is not None or not self._seeded:
            if not chosen.all():
                raise InputError("reset_mask: a seed, and the first reset, serve all environments")
            self.episodes.seed(str(seed) if seed is not None else fresh().hex())
            self.episodes.numbers[:] = np.arange(self.num_envs)
            self._seeded = True
        else:
            self.episodes.numbers[chosen] += self.num_envs
        self.episodes.begin(np.flatnonzero(chosen))
        return self.episodes.seen.copy(), {"action_mask": self._masks()}

    def _masks(self) -> NDArray[np.int8]:
        masks: NDArray[np.int8] = self.episodes.masks
        return masks.copy() if masks.flags.writeable else masks

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        playing = self.episodes
        playing.act(np.asarray(actions, np.int64))
        over, truncated, rewards = playing.over, playing.truncated, playing.rewards
        infos: dict[str, Any] = {}
        ended = over | truncated
        if ended.any():
            infos["final_obs"], infos["_final_obs"] = playing.seen.copy(), ended
            masks = np.zeros_like(playing.masks)
            masks[truncated] = playing.masks[truncated]
            infos["final_info"], infos["_final_info"] = {"action_mask": masks}, ended
            playing.numbers[ended] += self.num_envs
            playing.begin(np.flatnonzero(ended))
        infos["action_mask"] = self._masks()
        return playing.seen.copy(), rewards.copy(), over.copy(), truncated.copy(), infos


def vector_env(
    game: str | Game[Any],
    num_envs: int,
    *,
    seat: Seat | None = None,
    players: Sequence[str] | None = None,
    **params: Any,
) -> VectorEnv[Any, Any, Any]:
    """Return environments with the options of `FairgroundEnv`.

    Without ``players``, the other seat is taken by the first player that the kernel knows.
    """
    if num_envs < 1:
        raise InputError(f"at least one environment is needed, not {num_envs}")
    made = game_named(game, params)
    one = FairgroundEnv(made, seat, players)
    try:
        with needs("solve", "a compiled kernel"):
            opponent = None if players is None else players[0]
            return KernelVectorEnv(episodes_of(made, num_envs, one.seat, opponent))
    except InputError as reason:
        logger.warn(f"{reason}. The rules play instead, which is slower.")
    return SyncVectorEnv(
        [lambda: FairgroundEnv(made, one.seat, players)] * num_envs,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
