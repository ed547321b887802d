"""A contest of 20 bots with 1,000 games each, from the first entry to a file that verifies.

``fairground serve`` on a SQLite file; 20 processes enter with the typed client, each as a
team of its own, and play their games with a built-in breaker, several at a time. Then the
contest is closed, its file is fetched, and ``fairground verify --contest`` recomputes every
game and the whole table from it. ``python bench/arena_contest.py 4 50``: 4 bots, 50 games.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from _machine import write

BOTS: Final = 20
GAMES: Final = 1_000
PLAYER: Final = "optimal"
"""Follows a stored tree, so that the time is the arena's and not the player's."""
JOBS: Final = 4
"""Games that each bot plays at the same time."""


@contextmanager
def arena(folder: Path) -> Iterator[str]:
    command = ["serve", "--port", "0", "--database", f"sqlite:///{folder}/arena.db"]
    server = subprocess.Popen(
        [sys.executable, "-m", "fairground", *command], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
    finally:
        server.terminate()
        server.wait(60)


def post(url: str, body: Any) -> dict[str, Any]:
    """Send JSON, and read what is answered, redirect or not."""
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.build_opener(_Stay).open(request) as answer:
        read: dict[str, Any] = json.load(answer)
        return read


class _Stay(urllib.request.HTTPRedirectHandler):
    """The answer that redirects is the one which names the private URI."""

    def http_error_303(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        return fp


def requests(url: str) -> int:
    """Return the number of requests that the arena has answered."""
    with urllib.request.urlopen(f"{url}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    counts = [line for line in lines if line.startswith("fairground_requests_total{")]
    return sum(int(line.rpartition(" ")[2]) for line in counts)


def play(contest: str, bots: int) -> None:
    """Let all bots play, each in a process of its own."""
    enter = [sys.executable, "-m", "fairground", "enter", contest, "--version", "1"]
    how = ["--player", PLAYER, "--jobs", str(JOBS)]
    entries = [
        subprocess.Popen([*enter, *how, "--team", f"bot {i}"], stdout=subprocess.DEVNULL)
        for i in range(bots)
    ]
    if codes := [entry.wait() for entry in entries if entry.wait()]:
        raise SystemExit(f"a bot did not solve all its games: {codes}")


def main() -> None:
    bots, games = map(int, sys.argv[1:3] if len(sys.argv) > 2 else (BOTS, GAMES))
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name, arena(Path(name)) as url:
        folder = Path(name)
        made = post(f"{url}/newcontest", {"base": 6, "length": 4, "games": games})
        began = time.perf_counter()
        play(made["self"], bots)
        played = time.perf_counter()
        served = requests(url)
        post(made["close"], None)
        file = folder / "contest.jsonl"
        urllib.request.urlretrieve(f"{made['self']}/file", file)
        filed = time.perf_counter()
        verdict = subprocess.run(
            [sys.executable, "-m", "fairground", "verify", "--contest", str(file), "--json"],
            capture_output=True,
            text=True,
            check=True,
        )
        verified = time.perf_counter()
        size = file.stat().st_size
    found = json.loads(verdict.stdout)
    result = {
        "setting": f"{bots} bots × {games} games of 6^4 by {PLAYER!r}, {JOBS} at a time, SQLite",
        "seconds": {
            "play": round(played - began, 1),
            "close_and_fetch": round(filed - played, 1),
            "verify": round(verified - filed, 1),
        },
        "requests": served,
        "requests_per_second": round(served / (played - began)),
        "file_bytes": size,
        "games_per_second": round(bots * games / (played - began)),
        "verified": {name: found[name] for name in ("ok", "transcripts")},
        "cores_shared_with_the_bots": os.cpu_count(),
    }
    if (bots, games) == (BOTS, GAMES):
        write("arena_contest", result)
    else:
        print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
