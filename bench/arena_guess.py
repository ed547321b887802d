"""CPU time of the server for a submission, beside the same framework's bare validated POST.

    python bench/arena_guess.py

`fairground serve` with its defaults on SQLite (FULL), and `_arena_bare`, which reads the same body
into the same type, answers with the same type, and stores nothing. A number of connections submit
at once, so the arena writes commits in groups. Both servers take turns, and each ratio is that of
one round. CPU time is counted for the server's process only, so other load matters little.
"""

from __future__ import annotations

import http.client
import json
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from _arena import Server, arena, bare
from _machine import ratio, side_by_side, summary, write

CONNECTIONS = 32
GUESSES = 60
"""Submissions of one connection in a round."""
ROUNDS = 15


class Client:
    """One connection, with an oracle of its own."""

    def __init__(self, server: Server, made: bool) -> None:
        self._line = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)
        self._path = "/oracle/any"
        if made:
            self._ask("/neworacle", {"base": 6, "length": 40}, 303)
            self.submit([1] * 40, 200, 1)  # deals the code

    def _ask(self, path: str, body: object, status: int) -> None:
        self._line.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = self._line.getresponse()
        answer.read()
        if answer.status != status:
            raise SystemExit(f"{path} was answered with {answer.status}, not {status}")
        if place := answer.headers["Location"]:
            self._path = urlsplit(place).path

    def submit(self, guess: list[int], status: int, times: int) -> None:
        self._line.close()  # an idle connection may be gone; the next request opens it again
        for _ in range(times):
            self._ask(self._path, {"submission": guess}, status)


def microseconds(
    pool: ThreadPoolExecutor, server: Server, clients: list[Client], guess: list[int], status: int
) -> float:
    """CPU time of the server for a submission."""
    before = server.cpu
    list(pool.map(lambda client: client.submit(guess, status, GUESSES), clients))
    return 1e6 * (server.cpu - before) / (GUESSES * len(clients))


def main() -> None:
    with (
        tempfile.TemporaryDirectory(dir=Path.cwd()) as folder,
        arena(f"sqlite:///{folder}/arena.db") as ours,
        bare() as peer,
        ThreadPoolExecutor(CONNECTIONS) as pool,
    ):
        here, there = ([Client(s, s is ours) for _ in range(CONNECTIONS)] for s in (ours, peer))
        measures: dict[str, Callable[[], float]] = {
            "accepted": partial(microseconds, pool, ours, here, [1] * 40, 200),
            "refused": partial(microseconds, pool, ours, here, [9] * 4, 422),
            "bare": partial(microseconds, pool, peer, there, [1] * 40, 200),
        }
        samples = side_by_side(measures, ROUNDS)
    write(
        "arena_guess",
        {
            "connections": CONNECTIONS,
            "rounds": ROUNDS,
            "cpu_microseconds": summary(samples),
            "accepted_to_bare": ratio(samples, "accepted", "bare"),
            "refused_to_bare": ratio(samples, "refused", "bare"),
        },
    )


if __name__ == "__main__":
    main()
