"""Many at once: bots, half-open clients, evil oracles by the dozen, open games.

Each crowd comes from this machine, and takes part of its cores: what others wait is an upper bound.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from typing import Any, NamedTuple

from tools.campaign.live import Arena

BOTS = 200
HALF_OPEN = 200
EVIL = 36
TENTHS = 10
AT_ONCE = 50
"""Requests that who opens very many games sends before it reads an answer."""

CLASSIC = {"base": 6, "length": 4}


class Wire:
    """One connection, kept; requests one after the other."""

    def __init__(self, port: int, source: str = "127.0.0.1") -> None:
        self._port, self._source = port, source
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, dict[str, Any]]:
        """Status, and what was told with the location; 0 if no answer came."""
        (answer,) = await self.ask_often(1, method, path, body)
        return answer

    async def ask_often(
        self, times: int, method: str, path: str, body: Any = None
    ) -> list[tuple[int, dict[str, Any]]]:
        """Send a request repeatedly without waiting; return all answers."""
        data = b"" if body is None else json.dumps(body).encode()
        if self._open is None:
            self._open = await asyncio.open_connection(
                "127.0.0.1", self._port, local_addr=(self._source, 0)
            )
        reader, writer = self._open
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
        try:
            writer.write(times * (head.encode() + data))
            return [await _answer(reader) for _ in range(times)]
        except (OSError, asyncio.IncompleteReadError):
            self.close()
            return times * [(0, {})]

    def close(self) -> None:
        """Hang up."""
        if self._open is not None:
            self._open[1].close()
        self._open = None


async def _answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, Any]]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {k.lower(): v for k, _, v in (one.partition(": ") for one in lines[1:])}
    told = await reader.readexactly(int(headers.get("content-length", 0)))
    said: dict[str, Any] = {"location": headers.get("location")}
    if headers.get("content-type", "").endswith("json"):
        said |= json.loads(told)
    return int(lines[0].split()[1]), said


class Waited(NamedTuple):
    """Times of answers, and everything else that came."""

    seconds: list[float]
    statuses: dict[int, int]

    def figures(self) -> dict[str, Any]:
        """For the report."""
        taken = sorted(self.seconds) or [0.0]
        odd = {str(status): many for status, many in self.statuses.items() if status >= 400}
        return {
            "answers": len(self.seconds),
            "p50 ms": round(1000 * taken[len(taken) // 2], 1),
            "p99 ms": round(1000 * taken[int(len(taken) * 0.99)], 1),
            **({"others": odd} if odd else {}),
            "lost": self.statuses.get(0, 0),
        }


async def _bot(port: int, source: str, until: float, chance: random.Random, waited: Waited) -> None:
    """Opens oracles and plays them, one after the other."""
    wire = Wire(port, source)

    async def ask(method: str, path: str, body: Any = None) -> dict[str, Any]:
        began = time.perf_counter()
        status, said = await wire.ask(method, path, body)
        waited.statuses[status] = waited.statuses.get(status, 0) + 1
        if status:
            waited.seconds.append(time.perf_counter() - began)
        if status == 429:
            await asyncio.sleep(1)
        return said

    while time.monotonic() < until:
        made = (await ask("POST", "/neworacle", CLASSIC)).get("location")
        if made is None:
            continue
        path = "/" + made.split("/", 3)[3]
        for _ in range(6):
            guess = {"submission": [chance.randrange(6) for _ in range(4)]}
            if (await ask("POST", path, guess)).get("full_match_count") == 4:
                break
    wire.close()


async def _half_open(port: int, until: float) -> None:
    """Half a request, and no more."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /neworacle HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    with contextlib.suppress(OSError, TimeoutError):
        await asyncio.wait_for(reader.read(), max(0.1, until - time.monotonic()))
    writer.close()


async def _evil(port: int, until: float, chance: random.Random) -> int:
    """A large evil oracle, asked as fast as it answers; how often."""
    wire, steps = Wire(port, "127.0.0.3"), 0
    body = {"base": 20, "length": 10, "oracle_type": "evil"}
    made = (await wire.ask("POST", "/neworacle", body))[1].get("location")
    while made is not None and time.monotonic() < until:
        guess = {"submission": [chance.randrange(20) for _ in range(10)]}
        status, _ = await wire.ask("POST", "/" + made.split("/", 3)[3], guess)
        steps += status == 200
        if status in (0, 409):
            break
    wire.close()
    return steps


def _bots(
    arena: Arena, count: int, until: float, waited: Waited, chance: random.Random
) -> list[Any]:
    luck = [random.Random(chance.random()) for _ in range(count)]
    return [
        _bot(arena.port, f"127.0.1.{k % 200 + 1}", until, one, waited) for k, one in enumerate(luck)
    ]


async def _alone(arena: Arena, seconds: float, chance: random.Random) -> dict[str, Any]:
    memory, waited = [arena.memory()], Waited([], {})
    until = time.monotonic() + seconds

    async def follow() -> None:
        for _ in range(TENTHS):
            await asyncio.sleep(seconds / TENTHS)
            memory.append(arena.memory())

    await asyncio.gather(follow(), *_bots(arena, BOTS, until, waited, chance))
    figures = waited.figures() | {"per second": round(len(waited.seconds) / seconds)}
    return {f"{BOTS} bots": figures, "memory after each tenth of the time, MB": memory}


def bots(arena: Arena, seconds: float, chance: random.Random) -> dict[str, Any]:
    """Very many bots at once, each waiting for its answers."""
    return asyncio.run(_alone(arena, seconds, chance))


async def _crowd(arena: Arena, seconds: float, chance: random.Random) -> dict[str, Any]:
    found: dict[str, Any] = {"memory before, MB": arena.memory()}
    each = seconds / 2
    until, beside = time.monotonic() + each, Waited([], {})
    half = [_half_open(arena.port, until) for _ in range(HALF_OPEN)]
    await asyncio.gather(*_bots(arena, 4, until, beside, chance), *half)
    found[f"4 bots beside {HALF_OPEN} half-open clients"] = beside.figures()
    until, beside = time.monotonic() + each, Waited([], {})
    evil = [_evil(arena.port, until, random.Random(chance.random())) for _ in range(EVIL)]
    *_, steps = await asyncio.gather(*_bots(arena, 4, until, beside, chance), asyncio.gather(*evil))
    found[f"4 bots beside {EVIL} evil oracles"] = beside.figures() | {"evil steps": sum(steps)}
    found["memory after, MB"] = arena.memory()
    return found


def crowd(arena: Arena, seconds: float, chance: random.Random) -> dict[str, Any]:
    """A few bots beside each of the others."""
    return asyncio.run(_crowd(arena, seconds, chance))


def open_games(arena: Arena, seconds: float, most: int = 100_000) -> dict[str, Any]:
    """Open oracles until the time is over; then restart, and time the first answers."""

    async def opened() -> list[str]:
        until, found = time.monotonic() + seconds, []

        async def one(source: str) -> None:
            wire = Wire(arena.port, source)
            while time.monotonic() < until and len(found) < most:
                for _, said in await wire.ask_often(AT_ONCE, "POST", "/neworacle", CLASSIC):
                    if said.get("location"):
                        found.append("/" + said["location"].split("/", 3)[3])
            wire.close()

        await asyncio.gather(*(one(f"127.0.2.{k + 1}") for k in range(16)))
        return found

    before, began = arena.memory(), time.perf_counter()
    names = asyncio.run(opened())
    taken, after = time.perf_counter() - began, arena.memory()
    arena.kill()
    began = time.perf_counter()
    arena.start()
    started, without = time.perf_counter() - began, arena.memory()
    waits = []
    for name in names[:: max(1, len(names) // 50)]:
        began = time.perf_counter()
        status, _ = arena.ask("POST", name, {"submission": [0, 1, 2, 3]})
        assert status == 200, status
        waits.append(time.perf_counter() - began)
    return {
        "open oracles": len(names),
        "opened in, s": round(taken),
        "kB each": round(1024 * (after - before) / max(1, len(names)), 1),
        "start with them, s": round(started, 2),
        "memory after the start, MB": without,
        "first answer, slowest, ms": round(1000 * max(waits), 1),
    }


def broken(found: dict[str, Any]) -> bool:
    """Return True if somebody met a 5xx, or lost an answer."""
    for part in found.values():
        if isinstance(part, dict) and (
            part.get("lost") or any(int(status) >= 500 for status in part.get("others", {}))
        ):
            return True
    return False
