"""Cost of an answer and a look at a table: CPU time, with one client that plays on.

Zombie Dice, where nobody lends anything: in one setting both seats are this client's, in the other
our player `random` has one, and answers before the client is answered. The client looks at a seat
and answers, one request at a time, as a person's browser or a simple bot does. The arena stores
every answer in SQLite (FULL) before acknowledging it. Beside it stands a bare server with the same
referee, which stores one row in SQLite on this disk (`_table_bare`). It has no framework, limits,
clocks or keys, and does not survive a crash.
"""

from __future__ import annotations

import http.client
import json
import tempfile
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from _arena import HERE, Server, arena
from _machine import ratio, summary, write

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
        before = 1e6 * self._server.cpu
        for _ in range(ANSWERS):
            self._ask("POST", "/", {"ask": "any", "answer": "roll"})
        return (1e6 * self._server.cpu - before) / ANSWERS

    def microseconds(self, who: str) -> tuple[float, float]:
        """CPU time of the server for an answer (what playing costs beyond looking), and a look."""
        before = 1e6 * self._server.cpu
        looks = self._play(who)
        between = 1e6 * self._server.cpu
        for seat in looks:
            self._ask("GET", seat)
        looking = 1e6 * self._server.cpu - between
        return (between - before - looking) / ANSWERS, looking / len(looks)


def main() -> None:
    found: dict[str, list[float]] = {}
    with (
        tempfile.TemporaryDirectory(dir=Path.cwd()) as folder,
        arena(f"sqlite:///{folder}/arena.db") as server,
    ):
        bare = Server([str(HERE / "_table_bare.py"), f"{folder}/bare.db"])
        seat, least = Seat(server), Seat(bare)
        try:
            for number in range(ROUNDS + 1):
                costs = {"least": least.least()}
                for who in SEATS:
                    costs[who], costs[f"look, {who}"] = seat.microseconds(who)
                if number:  # the first round warms up
                    for what, cost in costs.items():
                        found.setdefault(what, []).append(cost)
        finally:
            bare.stop()
    write(
        "arena_tables",
        {
            "cpu_microseconds": summary(found),
            "answer_to_least": ratio(found, "both", "least"),
            "answers": ANSWERS,
            "rounds": ROUNDS,
        },
    )


if __name__ == "__main__":
    main()
