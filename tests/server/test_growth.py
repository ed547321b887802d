"""Games with many attempts: they come back in bounded time, and hold nobody up."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from fairground.server import live_games
from fairground.server.http.problems import TooManyAttempts
from fairground.server.live_games import Hall, Live
from fairground.server.oracles import service
from fairground.server.oracles.service import KIND, Oracles
from fairground.store import Store, Stored
from fairground.verifier import verify
from tests.helpers.width import WIDE


async def test_a_long_game_comes_back_in_a_thread_and_once_for_all_who_wait(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_games, "SHORT", 20)
    threads: list[str] = []
    resumed = Hall._resumed

    def noting(self: Hall, stored: Stored) -> Any:
        threads.append(threading.current_thread().name)
        return resumed(self, stored)

    before = Hall(store)
    oracles = Oracles(before)
    log = (await oracles.make(10, 4, "fair")).log
    for _ in range(15):
        await oracles.submit(log, (0, 0, 0, 0))
    before.close()
    monkeypatch.setattr(Hall, "_resumed", noting)
    after = Hall(store)
    oracles = Oracles(after)
    lives = await asyncio.gather(*(after.find(log, KIND) for _ in range(5)))
    assert len({id(live) for live in lives}) == 1
    assert len(threads) == 1 and threads[0].startswith("replay")
    await oracles.submit(log, (1, 1, 1, 1))
    assert len(lives[0].table.state.rows) == 16
    after.close()


async def test_the_first_evil_keeper_gets_ready_in_a_thread(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However small its oracle: to load what it thinks with held everybody up for seconds."""
    threads: list[str] = []
    play_on = Live.play_on

    def noting(self: Live) -> None:
        threads.append(threading.current_thread().name)
        play_on(self)

    monkeypatch.setattr(Live, "play_on", noting)
    hall = Hall(store)
    oracles = Oracles(hall)
    for _ in range(2):
        log = (await oracles.make(6, 4, "evil")).log
        await oracles.submit(log, (0, 0, 1, 1))
    hall.close()
    assert threads[0].startswith("keeper")
    assert threads[1:] == [threading.main_thread().name]


async def test_an_oracle_answers_so_many_submissions_and_no_more(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_ATTEMPTS", 3)
    hall = Hall(store)
    oracles = Oracles(hall)
    log = (await oracles.make(100, 4, "fair")).log
    for _ in range(3):
        await oracles.submit(log, (0, 0, 0, 0))
    with pytest.raises(TooManyAttempts, match="3 submissions, and answers no more"):
        await oracles.submit(log, (0, 0, 0, 0))
    assert (await oracles.give_up(log, "here")).attempts == 3
    assert verify(await oracles.transcript(log)).ok
    hall.close()


@pytest.mark.campaign
async def test_an_evil_keeper_goes_on_where_it_was(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after every guess and made again from what was stored, it answers as one that
    was never stopped; and it does not think about the old guesses again."""
    monkeypatch.setattr(live_games, "THOUGHT", 0.0)
    guesses = [tuple((k * m) % 30 for m in range(1, 9)) for k in range(1, 13 if WIDE else 5)]
    first = Hall(store)
    oracles = Oracles(first)
    log = (await oracles.make(30, 8, "evil")).log
    twin = (await oracles.make(30, 8, "evil")).log
    await _same_seed(first, log, twin)
    answers = [(await oracles.submit(twin, guess))[0] for guess in guesses]
    for guess, answer in zip(guesses, answers, strict=True):
        hall = Hall(store)
        oracles = Oracles(hall)
        assert (await oracles.submit(log, guess))[0] == answer
        mind = (await hall.find(log, KIND)).hosted.players[0]
        thought: Any = mind
        assert thought._mind is not None
        hall.close()
    stored = await store.read(log)
    assert stored is not None and 0 < len(stored.memory) < 100_000
    hall = Hall(store)
    oracles = Oracles(hall)
    live = await hall.find(log, KIND)
    keeper: Any = live.hosted.players[0]
    made_up: list[Any] = []
    monkeypatch.setattr(
        type(keeper), "_make_up", _counting(type(keeper)._make_up, made_up), raising=True
    )
    await oracles.submit(log, (0,) * 8)
    assert len(made_up) <= 2, "the row that was answered last, and the new one"
    await oracles.give_up(log, "here")
    assert verify(await oracles.transcript(log)).ok
    ended = await store.read(log)
    assert ended is not None and ended.memory == b"", "what is over needs no memory"
    hall.close()
    first.close()


async def _same_seed(hall: Hall, log: str, twin: str) -> None:
    """Give two keepers that have not thought yet the same seed."""
    one, other = await hall.find(log, KIND), await hall.find(twin, KIND)
    other.player_seed = one.player_seed


def _counting(act: Any, calls: list[Any]) -> Any:
    def counted(self: Any, *args: Any) -> Any:
        calls.append(args)
        return act(self, *args)

    return counted
