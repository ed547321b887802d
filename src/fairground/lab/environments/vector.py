"""Many episodes at once, on compiled loops.

::

    from fairground.lab.environments.vector import vector_env
    env = vector_env("fatestones", 1024, player="greedy")
    observations, infos = env.reset(seed=7)
    observations, rewards, terminated, truncated, infos = env.step(actions)

Lane i of n plays the episodes i, i + n, i + 2n, ... of the seed. Each of them is the very episode
that `FairgroundEnv` plays under that seed: the tests compare them. An episode that ends is followed
by the lane's next one within the same step. Where there is no compiled loop for a game, use
``gymnasium.make_vec`` with the ids of `gymnasium_env`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from fairground.core import Game, InputError, Seat
from fairground.extras import needs
from fairground.fair.bits import SystemStream, fresh, seeded_key
from fairground.games import GAMES, make_game
from fairground.games.codebreaking import BREAKER, FAIR, STAKE, CodeBreaking
from fairground.games.fatestones import FateStones, pips
from fairground.games.intransitive import Intransitive, State
from fairground.games.poker import HAND, PAYS, PLAYER, Poker
from fairground.games.zombie import FOOTPRINTS, SHOTGUN, Zombie
from fairground.players import make_player

with needs("rl", "an environment"):
    import numpy as np
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
    from numpy.typing import NDArray

with needs("solve", "a vectorised environment"):
    from fairground.lab.environments import loops
    from fairground.solve.fatestones.choices import meeting
    from fairground.solve.poker.kernel import grading
    from fairground.solve.tape import BLOCK, KEY, LANE, REGISTERS, SPARE
    from fairground.solve.zombie.lanes import policy_table
    from fairground.solve.zombie.turn import turns

from fairground.lab.environments.codecs import SHOWN_ROWS, codec_of
from fairground.lab.environments.gymnasium_env import MOST_TURNS

LANES: Final = 3
Ints = NDArray[np.int64]


class LaneEnv(VectorEnv[Any, Any, Any]):
    """Lanes of one game, stepped by a compiled loop."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - as the base has it
    players: ClassVar[tuple[str, ...]]
    """Against whom one can play."""

    def __init__(self, game: Any, num_envs: int, seat: Seat, player: str) -> None:
        if player not in self.players:
            raise InputError(
                f"the compiled loop of {game.name} plays {' or '.join(self.players)}, "
                f"not {player!r}"
            )
        if num_envs < 1:
            raise InputError(f"at least one lane is needed, not {num_envs}")
        self.game, self.num_envs, self.seat = game, num_envs, seat
        self.kind = self.players.index(player)
        codec = codec_of(game)
        self.single_observation_space = spaces.Box(codec.low, codec.high, (codec.size,), np.int32)
        self.single_action_space = spaces.Discrete(codec.count(seat))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.tapes = np.zeros((num_envs, LANES, REGISTERS), np.int64)
        self.data = np.zeros((num_envs, LANES, SPARE + BLOCK), np.uint8)
        self.episodes: Ints = np.zeros(num_envs, np.int64)
        """The number of the episode that each lane plays."""
        self.seen = np.zeros((num_envs, codec.size), np.int32)
        self.rewards = np.zeros(num_envs, np.float64)
        self.done = np.zeros(num_envs, np.bool_)
        self.mask = np.ones((num_envs, codec.count(seat)), np.int8)
        self.cut = np.zeros(num_envs, np.bool_)
        """Where an episode was so long that it was cut off."""
        self._seeded = False

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[NDArray[np.int32], dict[str, Any]]:
        """New episodes in all lanes; with a seed, the first ones of that seed."""
        if isinstance(seed, list):
            raise InputError("one seed serves all lanes: give a number, not a list")
        if seed is not None or not self._seeded:
            key = seeded_key(str(seed) if seed is not None else fresh().hex())
            self.tapes[:, :, LANE] = np.arange(LANES)
            self.tapes[:, :, KEY], self.tapes[:, :, KEY + 1] = key
            self.episodes[:] = np.arange(self.num_envs)
            self._seeded = True
        else:
            self.episodes += self.num_envs
        self.deal()
        return self.seen.copy(), {"action_mask": self.mask}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """All lanes act. Where an episode has ended, the observation is that of the next one."""
        self.act(np.asarray(actions, np.int64))
        infos = {"action_mask": self.mask}
        return self.seen.copy(), self.rewards.copy(), self.done.copy(), self.cut.copy(), infos

    @abstractmethod
    def deal(self) -> None:
        """Begin the episodes that `episodes` names."""

    @abstractmethod
    def act(self, actions: Ints) -> None:
        """Act in all lanes, and begin the next episode where one has ended."""

    @property
    def _lanes(self) -> tuple[Any, ...]:
        return self.tapes, self.data, self.episodes, self.seen, self.rewards, self.done, self.mask


class StonesLanes(LaneEnv):
    """FateStones against `random` or `greedy`."""

    players = ("random", "greedy")

    def __init__(self, game: FateStones, num_envs: int, seat: Seat, player: str) -> None:
        if game.hands is not None or len(game.bag) > 1 << 15:
            raise InputError("the compiled loop deals from a bag of at most 32,768 dice")
        super().__init__(game, num_envs, seat, player)
        bag = game.bag
        faces = np.array([pips(die) for die in bag], np.int64)
        score = [[*(meeting(a, b).score for b in bag), int(a)] for a in bag]
        self.hands = np.zeros((num_envs, 2, 3), np.int64)
        self.left = np.zeros(num_envs, np.int64)
        redeal = game.scratch == "redeal"
        self._rules = faces, np.array(score, np.int64), seat, self.kind, redeal

    def deal(self) -> None:
        """Six dice in each lane."""
        loops.stones_deal(self._rules, self._lanes, self.hands, self.left)

    def act(self, actions: Ints) -> None:
        """Both choose, both roll."""
        loops.stones_act(self._rules, self._lanes, (self.hands, self.left), actions)


class DiceLanes(LaneEnv):
    """Intransitive dice against `random` or `optimal`."""

    players = ("random", "optimal")

    def __init__(self, game: Intransitive, num_envs: int, seat: Seat, player: str) -> None:
        super().__init__(game, num_envs, seat, player)
        sizes = np.array([len(die.faces) for die in game.dice])
        faces = np.zeros((len(sizes), sizes.max()), np.int64)
        for number, die in enumerate(game.dice):
            faces[number, : len(die.faces)] = die.faces
        choice = np.zeros(len(sizes) + 1, np.int64)
        best = make_player("optimal", game, SystemStream(), 0)
        choice[-1] = best.choose(game, State(first=0), 0)
        for taken in range(len(sizes)):
            choice[taken] = best.choose(game, State(first=1, picks=(None, taken)), 0)
        self._rules = sizes, faces, choice, seat, self.kind

    def deal(self) -> None:
        """The coin, and the other one's pick where it comes first."""
        loops.dice_deal(self._rules, self._lanes)

    def act(self, actions: Ints) -> None:
        """Pick, and roll."""
        loops.dice_act(self._rules, self._lanes, actions)


class PokerLanes(LaneEnv):
    """Video poker; nobody plays against you."""

    players = ("random",)

    def __init__(self, game: Poker, num_envs: int, seat: Seat, player: str) -> None:
        if seat != PLAYER:
            raise InputError("the croupier of video poker never moves")
        super().__init__(game, num_envs, seat, player)
        tables = grading()
        prizes = np.array(PAYS[game.level], np.int64) * game.bet
        self._rules = tables.words, tables.grades, tables.ranks, prizes, game.stake
        self.seen_cards = np.zeros((num_envs, 2 * HAND), np.int64)

    def deal(self) -> None:
        """Five cards in each lane."""
        loops.poker_deal(self._lanes, self.seen_cards)

    def act(self, actions: Ints) -> None:
        """Replace, and be paid."""
        loops.poker_act(self._rules, self._lanes, self.seen_cards, actions)


class ZombieLanes(LaneEnv):
    """Zombie Dice for two, against `random`, `cautious` or `greedy`."""

    players = ("random", "cautious", "greedy")

    def __init__(self, game: Zombie, num_envs: int, seat: Seat, player: str) -> None:
        if game.seats != 2:
            raise InputError(f"the compiled loop of {game.name} is for two, not {game.seats}")
        super().__init__(game, num_envs, seat, player)
        counts = np.array([max(1, len(text)) for text in game.faces])
        faces = np.zeros((3, counts.max()), np.int64)
        kinds = {FOOTPRINTS: loops.FOOTPRINT, SHOTGUN: loops.SHOTGUN}
        for colour, text in enumerate(game.faces):
            faces[colour, : len(text)] = [kinds.get(face, loops.BRAIN) for face in text]
        choices, coding = np.zeros((0, 0), np.uint8), (np.zeros(0, np.int64),) * 3
        if self.kind:
            found = turns(game)
            coding, table = found.coding(), policy_table(found, player)
            choices = np.zeros((len(table), found.size), np.uint8)
            choices[:, found.codes] = table
        limits = game.brains_to_win, game.max_turns
        dice = np.array(game.dice)
        self._rules = dice, counts, faces, *limits, choices, *coding, self.kind, seat
        self.states = np.zeros((num_envs, loops.WORDS), np.int64)

    def deal(self) -> None:
        """Shuffle; the other one plays where it begins."""
        loops.zombie_deal(self._rules, self._lanes, self.states)

    def act(self, actions: Ints) -> None:
        """Roll or hold."""
        room = self.states, self.cut, MOST_TURNS
        loops.zombie_act(self._rules, self._lanes, room, actions)


class CodeLanes(LaneEnv):
    """Code breaking: you break what a fair keeper drew."""

    players = (FAIR,)

    def __init__(self, game: CodeBreaking, num_envs: int, seat: Seat, player: str) -> None:
        if seat != BREAKER or game.oracle != FAIR:
            raise InputError("the compiled loop of code breaking is for who breaks a fair code")
        super().__init__(game, num_envs, seat, player)
        self._rules = game.base, game.length, game.codes, SHOWN_ROWS, STAKE
        self.hidden = np.zeros((num_envs, game.length), np.int64)
        self.rows = np.zeros(num_envs, np.int64)

    def deal(self) -> None:
        """Draw a code."""
        loops.codes_deal(self._rules, self._lanes, self.hidden, self.rows)

    def act(self, actions: Ints) -> None:
        """Guess."""
        room = self.hidden, self.rows, self.cut, MOST_TURNS
        loops.codes_act(self._rules, self._lanes, room, actions)


def vector_env(
    game: str | Game[Any],
    num_envs: int,
    *,
    seat: Seat | None = None,
    player: str | None = None,
    **params: Any,
) -> LaneEnv:
    """So many lanes of a game, for the seat that `FairgroundEnv` takes by default."""
    made = make_game(GAMES.newest(game), params) if isinstance(game, str) else game
    mine = 1 if seat is None else seat
    if isinstance(made, CodeBreaking):
        return CodeLanes(made, num_envs, mine, player or FAIR)
    kinds: tuple[tuple[type[Any], type[LaneEnv]], ...] = (
        (FateStones, StonesLanes),
        (Intransitive, DiceLanes),
        (Poker, PokerLanes),
        (Zombie, ZombieLanes),
    )
    for kind, lanes in kinds:
        if isinstance(made, kind):
            return lanes(made, num_envs, mine, player or "random")
    raise InputError(
        f"there is no compiled loop for {made.name}: use gymnasium.make_vec with its id instead"
    )
