"""``fairground serve``, watched: where does its CPU time go?

A thousand times a second of CPU time the main thread's stack is looked at, and its innermost
frame that belongs to a known layer gets the sample (so that what ``json`` does for the
transcript counts as the transcript's). Threads of a store are not seen; what the kernel gives
them is told apart by the bench. Counting begins with the signal `BEGIN`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Final

from _arena import BEGIN, LAYERS_TO
from fairground.cli import main

LAYERS: Final = (
    ("fairground/store", "store"),
    ("asyncpg", "store"),
    ("fairground/transcript", "transcript: canonical lines, hashes"),
    ("fairground/fair", "chance: links, keys, draws"),
    ("fairground/table", "referee"),
    ("fairground/games", "rules"),
    ("fairground/players", "the keeper"),
    ("fairground/server/gate", "gate: limits, counts"),
    ("fairground/server/metrics", "gate: limits, counts"),
    ("fairground/server/serve", "gate: limits, counts"),
    ("fairground/server", "arena: front, hall, oracles"),
    ("litestar", "framework"),
    ("uvicorn", "server"),
    ("asyncio/runners", "event loop, sockets"),
)
seen: Counter[str] = Counter()


def _layer(frame: FrameType | None) -> str:
    while frame is not None:
        name = frame.f_code.co_filename
        for part, layer in LAYERS:
            if f"/{part}" in name:
                return layer
        frame = frame.f_back
    return "other"


def _look(_: int, frame: FrameType | None) -> None:
    seen[_layer(frame)] += 1


def _begin(*_: object) -> None:
    seen.clear()
    signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)


if __name__ == "__main__":
    signal.signal(signal.SIGPROF, _look)
    signal.signal(BEGIN, _begin)
    code = main(sys.argv[1:])
    signal.setitimer(signal.ITIMER_PROF, 0)
    with Path(os.environ[LAYERS_TO]).open("w") as file:
        json.dump(seen, file)
    sys.exit(code)
