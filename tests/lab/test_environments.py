"""Environments: both projects' own tests, and episodes that are real games."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env

from fairground.core import Game, IllegalMove, InputError, Over
from fairground.games import GAMES, make_game
from fairground.games.fatestones.rules import FateStones
from fairground.lab.environments.codecs import MOST_CODES, WalkedCodec, codec_of
from fairground.lab.environments.gymnasium_env import FairgroundEnv, id_of, ids, register_all
from fairground.lab.environments.match import Match
from fairground.lab.environments.pettingzoo_env import aec_env, parallel_env
from fairground.lab.plans import payoff_of, plan_of, states_of
from fairground.lab.rows import schema_of
from fairground.testing.toys import GUESS, Toy
from fairground.verifier import verify
from tests.helpers.width import WIDE

with warnings.catch_warnings():
    # Its tests make an old game of its own, which is deprecated there.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

OURS = list(GAMES.listed)
TOGETHER = ["fatestones/1", "poker/2"]
CYCLES = 500 if WIDE else 20


@pytest.fixture(autouse=True)
def no_advice_on_style() -> Any:
    """PettingZoo advises against observations with a mask in them, which its own games have."""
    with warnings.catch_warnings():
        for advice in ("Observation space for each agent probably", "Observation is not a NumPy",
                       "Agents have different", "Action mask is a single number",
                       ".*v1 is out of date"):  # fmt: skip
            warnings.filterwarnings("ignore", message=advice)
        yield


@pytest.mark.parametrize("name", OURS)
def test_gymnasium_accepts_every_game(name: str) -> None:
    env = gymnasium.make(id_of(name), render_mode="ansi")
    check_env(env.unwrapped)
    assert env.spec is not None and env.spec.version == int(name.partition("/")[2])


def test_ids_carry_the_version_of_the_rules() -> None:
    named = {"ZombieDice-v2", "FateStones-v1", "VideoPoker-v2"}
    assert {f"fairground/{name}" for name in named} <= set(ids()) <= set(gymnasium.registry)


@pytest.mark.parametrize("name", OURS)
def test_pettingzoo_accepts_every_game(name: str) -> None:
    api_test(aec_env(name), num_cycles=CYCLES)
    seed_test(lambda: aec_env(name), num_cycles=CYCLES)


@pytest.mark.parametrize("name", TOGETHER)
def test_pettingzoo_accepts_games_at_the_same_time(name: str) -> None:
    parallel_api_test(parallel_env(name), num_cycles=CYCLES)
    parallel_seed_test(lambda: parallel_env(name), num_cycles=CYCLES)


def test_pettingzoo_knows_the_ids() -> None:
    for name in OURS:
        assert pettingzoo.make("aec", id_of(name)).metadata["name"] == name.replace("/", "_v")
    assert [one for one in pettingzoo.parallel_registry if one.startswith("fairground/")] == [
        "fairground/FateStones-v1"
    ]


def test_a_game_in_turns_has_no_parallel_environment() -> None:
    with pytest.raises(InputError, match="is played in turns"):
        parallel_env("zombie")


# Episodes are games


@pytest.mark.parametrize(
    ("name", "lineup"),
    [
        ("fatestones/1", ("greedy", "random")),
        ("zombie/2", ("cautious", "random")),
        ("intransitive/1", ("optimal", "random")),
        ("poker/2", ("random", "random")),
    ],
)
def test_an_episode_is_the_game_that_a_simulation_plays(name: str, lineup: Any) -> None:
    """The agent repeats what `random` did in that game, and must come to the same end."""
    game = make_game(name, {})
    plan = plan_of(game, lineup, "7", 8)
    env = FairgroundEnv(game, seat=1, players=[lineup[0]])
    codec = codec_of(game)
    for number in range(8):
        _, info = env.reset(seed=7) if number == 0 else env.reset()
        assert env.match.episode == number
        chance = env.match.stream(2)
        done, reward = False, 0.0
        while not done:
            moves = list(game.choices(env.match.view(1), 1))
            action = codec.action(1, moves[chance.below(len(moves))])
            assert action in info["legal_actions"] and info["action_mask"][action]
            _, reward, done, _, info = env.step(action)
        states = list(states_of(plan, number))
        assert schema_of(plan).of(number, states)
        assert reward == payoff_of(game, states[-1])[1]
        assert env.match.state == states[-1]


@pytest.mark.parametrize("name", OURS)
def test_an_episode_is_saved_and_verifies(name: str, tmp_path: Any) -> None:
    env = aec_env(name)
    env.reset(seed=3)
    env.action_space(env.agent_selection).seed(3)
    for agent in env.agent_iter(400):
        seen, _, terminated, truncated, _ = env.last()
        mask = seen["action_mask"]
        action = None if terminated or truncated else env.action_space(agent).sample(mask)
        env.step(action)
    env.save(tmp_path / "episode.jsonl")
    verdict = verify((tmp_path / "episode.jsonl").read_bytes())
    payoff = env.match.payoff
    if payoff is not None:
        assert verdict.ok, verdict.fault
        assert verdict.payoff == payoff
    else:
        assert name.startswith("codebreaking"), "random guessing takes a while"


def test_an_illegal_action_is_leaving_and_the_record_says_so() -> None:
    env = FairgroundEnv("fatestones", players=["random"])
    env.reset(seed=1)
    _, reward, over, cut, info = env.step(7)
    assert (reward, over, cut, info["illegal_action"]) == (-1.0, True, False, 7)
    verdict = verify(bytes(env.transcript()))
    assert verdict.ok and verdict.payoff == (1, -1)


def test_moves_at_the_same_time_are_not_seen() -> None:
    env = aec_env("fatestones")
    env.reset(seed=5)
    before = env.observe("player_1")["observation"]
    env.step(2)
    assert env.agent_selection == "player_1"
    assert (env.observe("player_1")["observation"] == before).all()


def test_what_is_hidden_is_not_in_an_observation() -> None:
    env = aec_env("codebreaking")
    seen = set()
    for seed in range(20):
        env.reset(seed=seed)
        seen.add(bytes(env.observe("breaker_0")["observation"]))
    assert len(seen) == 1, "the breaker sees the same whatever the code is"
    codes = set()
    for seed in range(20):
        env.reset(seed=seed)
        codes.add(bytes(env.observe("keeper_0")["observation"]))
    assert len(codes) > 15, "the keeper knows it"


def test_seeds_and_episodes() -> None:
    env = FairgroundEnv("fatestones")
    first, _ = env.reset(seed=1)
    second, _ = env.reset()
    assert (first != second).any()
    again, _ = env.reset(seed=1)
    assert (first == again).all()
    fresh = [FairgroundEnv("fatestones").reset()[0] for _ in range(2)]
    assert (fresh[0] != fresh[1]).any(), "without a seed nobody can know what comes"


def test_what_cannot_be_is_explained() -> None:
    with pytest.raises(InputError, match="never moves"):
        FairgroundEnv("poker", seat=0)
    with pytest.raises(InputError, match="players must be a list of 1"):
        FairgroundEnv("zombie", players="greedy")
    with pytest.raises(InputError, match="too many actions"):
        FairgroundEnv("codebreaking", base=10, length=6)
    assert MOST_CODES < 10**6
    match = Match(FateStones())
    with pytest.raises(InputError, match="call reset first"):
        match.transcript()
    match.reset(1)
    match.act(0, 1)
    with pytest.raises(IllegalMove, match="not to move now"):
        match.act(0, 1)


# Codecs


@pytest.mark.parametrize("name", OURS)
def test_a_codec_knows_every_move_and_keeps_its_bounds(name: str) -> None:
    game = make_game(name, {})
    codec = codec_of(game)
    for number in range(5):
        match = Match(game)
        match.reset(number)
        while match.payoff is None and match.turns < 60:
            for seat in match.to_move:
                view = match.view(seat)
                row = codec.encode(view, seat)
                assert row.min() >= codec.low and row.max() <= codec.high
                legal = codec.legal(view, seat)
                assert {codec.move(seat, a) for a in legal} == set(game.choices(view, seat))
                match.act(seat, codec.move(seat, legal[number % len(legal)]))


def test_a_game_of_others_is_walked_through() -> None:
    game: Game[Any] = Toy.from_params(GUESS)
    codec = codec_of(game)
    assert isinstance(codec, WalkedCodec)
    api_test(aec_env(game), num_cycles=20)
    with pytest.raises(InputError, match="Hand in a Codec of your own"):
        WalkedCodec(FateStones())


# Ids and ends


def test_the_ids_are_known_to_a_program_that_only_names_the_module() -> None:
    made = gymnasium.make("fairground.lab.environments.gymnasium_env:fairground/FateStones-v1")
    assert isinstance(made.unwrapped, FairgroundEnv)
    before = len(gymnasium.registry)
    register_all()
    assert len(gymnasium.registry) == before


def test_the_end_of_a_match_is_the_rules_end() -> None:
    match = Match(make_game("poker/2", {}))
    match.reset(4)
    match.act(1, (0, 0, 0, 0, 0))
    assert isinstance(match.game.awaits(match.state), Over)
    assert match.to_move == ()
