"""Cost of an event to the server: one stream for six tables, and a stream for each table.

Watchers follow the same six tables, to which lines are added one by one. What the server's
process spends on that without any watcher is taken off. Time is CPU time of the server.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
import urllib.request
from typing import Any, Final

from _arena import Server, arena
from _machine import Samples, ratio, summary, write

TABLES: Final = 6
WATCHERS: Final = 20
LINES: Final = 90
"""Added to each table in one round; a seat may write a hundred notes."""
ROUNDS: Final = 3
NOBODY, MANY, ONE = "nobody watches", "a stream for each", "one stream"


def ask(url: str, body: Any) -> Any:
    """POST, and read the answer."""
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        told = answer.read()
    return json.loads(told) if told else None


async def watch(url: str, events: int) -> None:
    """Read a stream up to this number of events."""
    found = re.match(r"http://([^:]+):(\d+)(.*)", url)
    assert found is not None
    reader, writer = await asyncio.open_connection(found[1], int(found[2]), limit=2**20)
    writer.write(f"GET {found[3]} HTTP/1.1\r\nHost: {found[1]}\r\n\r\n".encode())
    while events:
        if (await reader.readline()).startswith(b"data: "):
            events -= 1
    writer.close()


async def round_of(server: Server, how: str) -> float:
    """CPU seconds of the server while lines are written and ``how`` many read them."""
    arena_url = server.url
    made = [
        ask(
            f"{arena_url}/tables",
            {
                "game": "zombie/2",
                "params": {"players": 2},
                "options": {"length": 2},
                "seats": [{"name": "Ada", "lends": "stir"}, {"name": "Bot", "player": "random"}],
            },
        )
        for _ in range(TABLES)
    ]
    names = [one["self"].rpartition("/")[2] for one in made]
    before = len(urllib.request.urlopen(f"{made[0]['self']}/transcript").read().splitlines())
    each = before + LINES
    watching = []
    for _ in range(WATCHERS):
        if how == ONE:
            topics = [f"table:{name}" for name in names]
            stream = ask(f"{arena_url}/events", {"topics": topics})["stream"]
            watching.append(asyncio.create_task(watch(arena_url + stream, TABLES * each)))
        elif how == MANY:
            watching += [asyncio.create_task(watch(f"{one['self']}/events", each)) for one in made]
    await asyncio.sleep(1)
    began = server.cpu

    def write_lines() -> None:
        for number in range(LINES):
            for one in made:
                ask(f"{one['seats'][0]['url']}/remark", {"text": f"line {number}"})

    await asyncio.to_thread(write_lines)
    await asyncio.gather(*watching)
    return server.cpu - began


def main() -> None:
    """Print and keep the figures."""
    samples: Samples = {NOBODY: [], MANY: [], ONE: []}
    with tempfile.TemporaryDirectory() as folder, arena(f"sqlite:///{folder}/arena.db") as server:
        for _ in range(ROUNDS):
            for how, times in samples.items():
                times.append(asyncio.run(round_of(server, how)))
    events = TABLES * LINES * WATCHERS
    per_event: Samples = {
        how: [(time - base) / events for time, base in zip(times, samples[NOBODY], strict=True)]
        for how, times in samples.items()
        if how != NOBODY
    }
    write(
        "arena_stream",
        {
            "tables": TABLES,
            "watchers": WATCHERS,
            "events": events,
            "cpu_seconds_per_event": summary(per_event),
            "one_stream_to_many": ratio(per_event, ONE, MANY),
        },
    )


if __name__ == "__main__":
    main()
