"""A live arena that can be killed, and clients that say everything again until it is answered."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Arena:
    """`fairground serve` on one port, which can be killed and started again."""

    def __init__(
        self,
        folder: Path,
        database: str | None = None,
        *options: str,
        croupier: bool = False,
        environment: dict[str, str] | None = None,
    ) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = (folder / "log").open("ab")
        self.database = database or f"sqlite:///{folder}/arena.db"
        self._options = options if croupier else ("--no-croupier", *options)
        self._environment = {**os.environ, **(environment or {})}
        self.start()

    def start(self) -> None:
        """Come back when it can write."""
        command = [sys.executable, "-m", "fairground", "serve", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, "--database", self.database, *self._options],
            env=self._environment,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )
        while self.ask("GET", "/readyz", timeout=5)[0] != 200:
            if self.process.poll() is not None:
                raise AssertionError("the arena did not start: see its log")
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill it and all its processes."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def memory(self) -> int:
        """MB that the process holds."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) // 1024
        return 0

    def ask(
        self, method: str, path: str, body: Any = None, timeout: float = 30, **headers: str
    ) -> tuple[int, Any]:
        """Status and JSON; 0 if no answer came."""
        here = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        data = None if body is None else json.dumps(body)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            here.request(method, path, data, named)
            answer = here.getresponse()
            told = answer.read()
        except (OSError, http.client.HTTPException):
            return 0, {}
        finally:
            here.close()
        if not told:
            return answer.status, {"location": answer.headers.get("Location")}
        kind = answer.headers.get("Content-Type", "")
        return answer.status, json.loads(told) if kind.endswith("json") else told


class Over(Exception):
    """The oracle has ended."""


class Player(threading.Thread):
    """Plays oracles to their end, and says everything again until it is answered."""

    def __init__(self, arena: Arena, seed: str) -> None:
        super().__init__(daemon=True)
        self.arena, self.chance = arena, random.Random(seed)
        self.stop = False
        self.repeated = 0
        self.failed: Exception | None = None
        self.games: dict[str, list[dict[str, Any]]] = {}

    def say(self, method: str, path: str, body: Any = None) -> Any:
        """The answer, when one comes."""
        key = str(uuid.UUID(int=self.chance.getrandbits(128)))
        while True:
            status, told = self.arena.ask(method, path, body, Idempotency_Key=key)
            lost = method == "DELETE" and told.get("code") == "arena/answer-lost"
            if status in (200, 201, 303) or lost:
                return told  # lost: it was done, which is all that is asked of giving up
            if told.get("code") == "arena/over":
                raise Over
            if status not in (0, 409, 429, 503):
                self.failed = AssertionError((status, told))
                raise self.failed
            self.repeated += 1
            time.sleep(0.05)

    def run(self) -> None:
        while not self.stop:
            made = self.say("POST", "/neworacle", {"base": 6, "length": 4})["location"]
            path = "/" + made.split("/", 3)[3]
            answers = self.games[path] = []
            for _ in range(self.chance.randrange(3, 12)):
                guess = {"submission": [self.chance.randrange(6) for _ in range(4)]}
                answers.append(guess | self.say("POST", path, guess))
                if answers[-1]["full_match_count"] == 4:
                    break
            else:
                self.say("DELETE", path)


def end(players: Sequence[Player]) -> None:
    """Let them finish what they are at."""
    for player in players:
        player.stop = True
    for player in players:
        player.join(120)


def verdicts(arena: Arena, players: Sequence[Player], folder: Path) -> tuple[int, int]:
    """Return the number of oracles that counted otherwise than they told, and of bad records."""
    games = {path: told for player in players for path, told in player.games.items()}
    wrong = [
        path for path, told in games.items() if arena.ask("GET", path)[1].get("answers", []) != told
    ]
    records = folder / "records"
    records.mkdir(exist_ok=True)
    for number, path in enumerate(games):
        told = arena.ask("GET", f"{path}/transcript")[1]
        (records / f"{number}.jsonl").write_bytes(told)
    files = sorted(map(str, records.iterdir()))
    verified = subprocess.run(
        [sys.executable, "-m", "fairground", "verify", *files], capture_output=True, check=False
    )
    return len(wrong), int(verified.returncode != 0)
