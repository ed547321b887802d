"""Gymnasium: you play one seat, built-in players take the others.

::

    import gymnasium
    import fairground.lab.environments.gymnasium_env      # registers the ids
    env = gymnasium.make("fairground/ZombieDice-v2", players=["greedy"])
    observation, info = env.reset(seed=7)
    observation, reward, terminated, truncated, info = env.step(info["legal_actions"][0])

An observation is an array of integers (see `codecs`). ``info["action_mask"]`` has a one for every
legal action. The reward is the payoff, at the end. An illegal action forfeits the game.
``env.unwrapped.transcript()`` is the episode as a record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairground.core import Game, InputError, Seat
from fairground.games import GAMES
from fairground.players import Player, make_player, seat_labels, usual_player
from fairground.registry import needs

with needs("rl", "an environment"):
    import gymnasium
    import numpy as np
    from gymnasium import spaces
    from numpy.typing import NDArray

    from fairground.lab.environments.codecs import Codec
    from fairground.lab.environments.match import MOST_TURNS, Match, Recorded, game_named


def id_of(name: str) -> str:
    """Return the id of a registered game: ``zombie/2`` is ``fairground/ZombieDice-v2``."""
    family, _, version = name.partition("/")
    title = GAMES[name].title
    camel = "".join(word[:1].upper() + word[1:] for word in title.replace("-", " ").split())
    return f"fairground/{camel or family}-v{version or 0}"


def ids() -> dict[str, str]:
    """Return all ids, and their games."""
    return {id_of(name): name for name in GAMES}


def register_all() -> None:
    """Register all games with Gymnasium. Importing this module does it."""
    for env_id, name in ids().items():
        if env_id not in gymnasium.registry:
            gymnasium.register(
                env_id,
                entry_point="fairground.lab.environments.gymnasium_env:FairgroundEnv",
                vector_entry_point="fairground.lab.environments.vector:vector_env",
                kwargs={"game": name},
            )


class FairgroundEnv(Recorded, gymnasium.Env[NDArray[np.int32], np.int64]):
    """One seat of a game; built-in players take the others."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - as the base class declares it

    def __init__(
        self,
        game: str | Game[Any],
        seat: Seat | None = None,
        players: Sequence[str] | None = None,
        *,
        most_turns: int = MOST_TURNS,
        codec: Codec | None = None,
        render_mode: str | None = None,
        **params: Any,
    ) -> None:
        self.game = game_named(game, params)
        self.match = Match(self.game, codec)
        self.codec = self.match.codec
        self.seat = self.codec.acting[-1] if seat is None else seat
        if self.seat not in self.codec.acting:
            raise InputError(f"the seat {seat!r} of {self.game.name} never moves")
        self.players = self._hired(players)
        self.most_turns = most_turns
        self.render_mode = render_mode
        low, high = self.codec.low, self.codec.high
        self.observation_space = spaces.Box(low, high, (self.codec.size,), np.int32)
        self.action_space = spaces.Discrete(self.codec.count(self.seat))
        self._others: dict[Seat, Player] = {}

    def _hired(self, players: Sequence[str] | None) -> dict[Seat, str]:
        others = [seat for seat in range(self.game.seats) if seat != self.seat]
        if players is None:
            usual = {seat: usual_player(self.game, seat) for seat in others}
            return {seat: name for seat, name in usual.items() if name is not None}
        if isinstance(players, str) or len(players) != len(others):
            labels = [seat_labels(self.game)[seat] for seat in others]
            raise InputError(
                f"players must be a list of {len(others)}, for {', '.join(labels)}; not {players!r}"
            )
        return dict(zip(others, players, strict=True))

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.int32], dict[str, Any]]:
        super().reset(seed=seed)
        match = self.match
        while True:
            match.reset(seed)
            self._others = {
                seat: make_player(spec, self.game, match.stream(1 + seat), seat)
                for seat, spec in self.players.items()
            }
            self._until_mine()
            if match.payoff is None:
                return self._observed()
            seed = None  # the game was over before it was this seat's turn: on to the next one

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[np.int32], float, bool, bool, dict[str, Any]]:
        """Act, and let the others act until it is this seat's turn again."""
        match = self.match
        legal = match.choose(self.seat, action)
        self._until_mine()
        over = match.payoff is not None
        reward = float(match.payoff[self.seat]) if match.payoff is not None else 0.0
        observation, info = self._observed()
        if not legal:
            info["illegal_action"] = int(action)
        return observation, reward, over, not over and match.turns >= self.most_turns, info

    def _until_mine(self) -> None:
        match = self.match
        while others := [seat for seat in match.to_move if seat != self.seat]:
            for seat in others:
                match.act(seat, self._others[seat].choose(self.game, match.view(seat), seat))

    def _observed(self) -> tuple[NDArray[np.int32], dict[str, Any]]:
        match, seat = self.match, self.seat
        return match.seen(seat), {
            "legal_actions": match.legal(seat),
            "action_mask": match.mask(seat),
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions as a mask, under the name that some trainers expect."""
        return self.match.mask(self.seat).astype(np.bool_)


register_all()
