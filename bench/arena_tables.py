"""Cost of an answer and a look at a table: CPU time, with one client that plays on.

Zombie Dice, where nobody lends anything: in one setting both seats are this client's, in the other
our player `random` has one, and answers before the client is answered. The client looks at a seat
and answers, one request at a time, as a person's browser or a simple bot does. The arena stores
every answer in SQLite (FULL) before it acknowledges it. The arena of an earlier commit is measured
in the same run, in turns (``arena_tables.py COMMIT``; by itself 424dff3). Beside both stands the
least that such an answer can cost with this server, this referee and SQLite on this disk
(`_table_bare`).
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from _arena import HERE, Server
from _machine import ratio, sources, summary, write

BEFORE: Final = "424dff3"
ROUNDS: Final = 41
ANSWERS: Final = 60
"""In a round. Many short ones: on a busy machine the sides then get the same share of its moods."""
TABLE: Final = {
    "game": "zombie/2",
    "params": {"players": 2, "brains_to_win": 100, "max_turns": 0},
}
SEATS: Final = {
    "both": [{"name": "Ada"}, {"name": "Bob"}],
    "random": [{"name": "Ada"}, {"name": "Bot", "player": "random"}],
}


class Seat:
    """One client at one table after the other."""

    def __init__(self, server: Server) -> None:
        self._line = http.client.HTTPConnection(urlsplit(server.url).netloc)
        self._server = server
        self._seats: dict[str, list[str]] = {}
        """Setting → the seats that this client has at the table that is not over."""

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body)
        self._line.request(method, path, data, {"Content-Type": "application/json"})
        return json.loads(self._line.getresponse().read())

    def _play(self, who: str) -> list[str]:
        """Look and answer until there were enough answers; the seats that were looked at."""
        answers, looks = 0, []
        while answers < ANSWERS:
            if who not in self._seats:
                made = self._ask("POST", "/tables", TABLE | {"seats": SEATS[who]})
                seats = [urlsplit(one["url"]).path for one in made["seats"] if "url" in one]
                self._seats[who] = seats
            for seat in self._seats[who]:
                seen = self._ask("GET", seat)
                looks.append(seat)
                if seen["over"]:
                    del self._seats[who]
                    break
                if seen["asks"]:
                    body = {"ask": seen["asks"][0]["id"], "answer": seen["moves"][0]}
                    self._ask("POST", seat, body)
                    answers += 1
        return looks

    def least(self) -> float:
        """CPU time of the bare server for an answer."""
        before = self._cpu
        for _ in range(ANSWERS):
            self._ask("POST", "/", {"ask": "any", "answer": "roll"})
        return (self._cpu - before) / ANSWERS

    def microseconds(self, who: str) -> tuple[float, float]:
        """CPU time of the server for an answer (what playing costs beyond looking), and a look."""
        before = self._cpu
        looks = self._play(who)
        between = self._cpu
        for seat in looks:
            self._ask("GET", seat)
        looking = self._cpu - between
        return (between - before - looking) / ANSWERS, looking / len(looks)

    @property
    def _cpu(self) -> float:
        """Microseconds of all threads, as the scheduler counts them: ticks are too coarse."""
        threads = Path(f"/proc/{self._server.process.pid}/task").glob("*/schedstat")
        return sum(int(one.read_text().split()[0]) for one in threads) / 1e3


def main() -> None:
    commit = sys.argv[1] if len(sys.argv) > 1 else BEFORE
    found: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        now, before = HERE.parent / "src", sources(commit, Path(folder))
        trees = {"now": str(now), "before": str(before)}
        seats = {}
        for name, tree in trees.items():
            command = ["-m", "fairground", "serve", "--port", "0", "--no-croupier", "--database"]
            database = f"sqlite:///{folder}/{name}.db"
            server = Server([*command, database], os.environ | {"PYTHONPATH": tree})
            seats[name] = Seat(server), server
        bare = Server([str(HERE / "_table_bare.py"), f"{folder}/bare.db"])
        least = Seat(bare)
        try:
            for number in range(ROUNDS + 1):
                for who in SEATS:
                    for name, (seat, _) in seats.items():
                        answer, look = seat.microseconds(who)
                        if number:  # the first round warms up
                            for what, cost in ((who, answer), (f"look, {who}", look)):
                                found.setdefault(what, {}).setdefault(name, []).append(cost)
                cost = least.least()
                if number:
                    found["both"].setdefault("least", []).append(cost)
        finally:
            for server in (bare, *(server for _, server in seats.values())):
                server.stop()
    told: dict[str, Any] = {"cpu_microseconds": {who: summary(it) for who, it in found.items()}}
    told["now_to_least"] = ratio(found["both"], "now", "least")
    told["now_to_before"] = {who: ratio(it, "now", "before") for who, it in found.items()}
    told["before"] = f"the sources of commit {commit}"
    write("arena_tables", {**told, "answers": ANSWERS, "rounds": ROUNDS})


if __name__ == "__main__":
    main()
