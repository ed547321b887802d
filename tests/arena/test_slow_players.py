"""Whoever wants much thinking done waits for itself, not everybody for it."""

from __future__ import annotations

import asyncio
import threading

from fairground.arena.limits.gate import CLIENT
from fairground.arena.slow_players import Thinkers


def test_one_client_gets_half_of_the_threads() -> None:
    thinkers, enough = Thinkers(4, "thinker"), threading.Event()
    begun: list[str] = []

    def thought(client: str) -> str:
        begun.append(client)
        assert enough.wait(60)
        return client

    async def asking(client: str) -> str:
        CLIENT.set(client)
        return await thinkers.think(thought, client)

    async def quick(client: str) -> str:
        CLIENT.set(client)
        return await thinkers.think(lambda: threading.current_thread().name)

    async def run() -> None:
        greedy = [asyncio.create_task(asking("greedy")) for _ in range(50)]
        for client in ("modest", "other"):
            name = await asyncio.wait_for(asyncio.create_task(quick(client)), 20)
            assert name.startswith("thinker")
        assert begun == ["greedy", "greedy"] and not any(one.done() for one in greedy)
        enough.set()
        assert await asyncio.gather(*greedy) == ["greedy"] * 50
        del greedy
        assert not thinkers._lines, "who waits for nothing is forgotten"
        thinkers.close()

    asyncio.run(run())
