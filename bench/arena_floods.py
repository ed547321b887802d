"""Waiting times of others while one client floods a route, route by route.

``fairground serve`` with its default limits, on all cores, which it shares with the two clients and
whatever else runs here: so the first row, nobody floods, says what the machine itself does to the
figures. The floods are those of the campaign (`tools/campaign/floods.py`).
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from _arena import arena
from _machine import write

sys.path.insert(0, str(Path(__file__).parent.parent))
from tools.campaign import floods

SECONDS: Final = float(sys.argv[1]) if len(sys.argv) > 1 else 280
WANTED: Final = 100.0
"""Milliseconds that others' p99 should stay below."""


def main() -> None:
    with (
        tempfile.TemporaryDirectory(dir=Path.cwd()) as folder,
        arena(f"sqlite:///{folder}/arena.db") as server,
    ):
        os.sched_setaffinity(server.process.pid, os.sched_getaffinity(0))
        found = floods.run(server.url, SECONDS)
    late = {name: told for name, told in found.items() if told["p99"] >= WANTED}
    longest = max(told["p99"] for told in found.values())
    told = {"p99_wanted_ms": WANTED, "longest_p99_ms": longest, "beyond": late}
    write("arena_floods", {**told, "others_wait_ms": found})


if __name__ == "__main__":
    main()
