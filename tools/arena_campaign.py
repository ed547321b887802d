#!/usr/bin/env python3
"""A campaign against a live arena: kills under load, floods beside others, bytes of any kind.

    python tools/arena_campaign.py --seconds 120 [--seed S] [--result FILE]

Everything happens on loopback, against `fairground serve` with its default limits and a database
of its own. The time is shared by the parts. The exit code is 1 if a promise was broken.

* **kills**: clients submit under Idempotency-Keys, and say the same again until an answer comes;
  the arena is killed (SIGKILL) again and again. In the end every oracle must have counted what its
  client counted, answer by answer, and every record must verify.
* **floods**: one client asks for one thing as fast as it can, from 32 connections; another, with
  another address, asks for its oracle and is timed. Every GET route of the arena has its turn.
* **bytes**: heads and bodies with mistakes in them go to the arena, and records with mistakes
  in them to `fairground verify`. Nothing may end in a traceback, a hang or a 5xx.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

CLIENTS = 6
FLOODING = 32


class Arena:
    """`fairground serve` on one port, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = (folder / "log").open("ab")
        self.database = f"sqlite:///{folder}/arena.db"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "fairground", "serve", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, "--database", self.database, "--no-croupier"],
            stdout=self.log,
            stderr=self.log,
        )
        while self.ask("GET", "/readyz", timeout=5)[0] != 200:
            time.sleep(0.05)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

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


class Player(threading.Thread):
    """Plays oracles to their end, and says everything again until it is answered."""

    def __init__(self, arena: Arena, seed: str) -> None:
        super().__init__(daemon=True)
        self.arena, self.chance = arena, random.Random(seed)
        self.stop = False
        self.repeated = 0
        self.games: dict[str, list[dict[str, Any]]] = {}

    def say(self, method: str, path: str, body: Any = None) -> Any:
        key = str(uuid.UUID(int=self.chance.getrandbits(128)))
        while True:
            status, told = self.arena.ask(method, path, body, Idempotency_Key=key)
            if status in (200, 303) or told.get("code") == "arena/answer-lost":
                return told  # lost: it was done, which is all that is asked of what has no answer
            if status not in (0, 409, 503):
                raise AssertionError((status, told))
            self.repeated += 1
            time.sleep(0.05)

    def run(self) -> None:
        while not self.stop:
            made = self.say("POST", "/neworacle", {"base": 6, "length": 4}).get("location")
            if made is None:
                continue  # nobody will ever know where it is
            path = "/" + made.split("/", 3)[3]
            answers = self.games[path] = []
            for _ in range(self.chance.randrange(3, 12)):
                guess = {"submission": [self.chance.randrange(6) for _ in range(4)]}
                answers.append(guess | self.say("POST", path, guess))
                if answers[-1]["full_match_count"] == 4:
                    break
            else:
                self.say("DELETE", path)


def kills(arena: Arena, seconds: float, chance: random.Random, folder: Path) -> dict[str, Any]:
    players = [Player(arena, f"{chance.random()}") for _ in range(CLIENTS)]
    for player in players:
        player.start()
    until, killed = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        time.sleep(chance.uniform(0.3, 1.5))
        arena.kill()
        killed += 1
        arena.start()
    for player in players:
        player.stop = True
    for player in players:
        player.join(120)
    games = {path: told for player in players for path, told in player.games.items()}
    wrong = [
        path for path, told in games.items() if arena.ask("GET", path)[1].get("answers", []) != told
    ]
    records = folder / "records"
    records.mkdir()
    for number, path in enumerate(games):
        told = arena.ask("GET", f"{path}/transcript")[1]
        (records / f"{number}.jsonl").write_bytes(told)
    files = sorted(map(str, records.iterdir()))
    verified = subprocess.run(
        [sys.executable, "-m", "fairground", "verify", *files], capture_output=True, check=False
    )
    return {
        "kills": killed,
        "oracles": len(games),
        "submissions answered": sum(map(len, games.values())),
        "said again": sum(player.repeated for player in players),
        "counted otherwise": len(wrong),
        "records that do not verify": int(verified.returncode != 0),
    }


def floods(arena: Arena, seconds: float) -> dict[str, Any]:
    contest = arena.ask("POST", "/contests", {"base": 6, "length": 4, "games": 100})[1]["self"]
    contest = "/" + contest.split("/", 3)[3]
    for team in range(100):
        entry = {"team_name": f"Team {team}", "software_version": "1"}
        arena.ask("POST", f"{contest}/entry", entry)
    oracle = (
        "/"
        + arena.ask("POST", "/neworacle", {"base": 6, "length": 4})[1]["location"].split("/", 3)[3]
    )
    paths = ["/healthz", "/readyz", "/metrics", "/games", "/schema", "/schema/openapi.json", oracle]
    paths += [f"{oracle}/transcript", contest, f"{contest}/standings", f"{contest}/standings.csv"]
    paths += [f"{contest}/book", "/tables", "/contests"]
    found = {}
    for path in paths:
        until = time.monotonic() + seconds / len(paths)
        flooders = [
            threading.Thread(target=_flood, args=(arena.port, path, until)) for _ in range(FLOODING)
        ]
        for flooder in flooders:
            flooder.start()
        taken = _timed(arena.port, oracle, until)
        for flooder in flooders:
            flooder.join()
        taken.sort()
        shown = path.replace(oracle, "/oracle/NAME").replace(contest, "/contest/NAME")
        found[shown] = {
            "answers": len(taken),
            "p50 ms": round(1000 * taken[len(taken) // 2], 1),
            "p99 ms": round(1000 * taken[int(len(taken) * 0.99)], 1),
        }
    return found


def _flood(port: int, path: str, until: float) -> None:
    here = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    while time.monotonic() < until:
        try:
            here.request("GET", path)
            here.getresponse().read()
        except (OSError, http.client.HTTPException):
            here.close()


def _timed(port: int, path: str, until: float) -> list[float]:
    here = http.client.HTTPConnection(
        "127.0.0.1", port, timeout=60, source_address=("127.0.0.2", 0)
    )
    taken = []
    while time.monotonic() < until or not taken:
        began = time.perf_counter()
        here.request("GET", path)
        answer = here.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        taken.append(time.perf_counter() - began)
        time.sleep(0.005)
    return taken


HEAD = b"POST /neworacle HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
BODY = b'{"base": 6, "length": 4, "oracle_type": "fair"}'
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY


def bytes_of_any_kind(
    arena: Arena, seconds: float, chance: random.Random, folder: Path
) -> dict[str, Any]:
    until, sent, hung, fives = time.monotonic() + seconds / 2, 0, 0, 0
    while time.monotonic() < until:
        here = socket.create_connection(("127.0.0.1", arena.port), timeout=35)
        try:
            here.sendall(_with_mistakes(WHOLE, chance))
            here.shutdown(socket.SHUT_WR)
            told = here.recv(65536)
            fives += bool(re.match(rb"HTTP/1.1 5", told))
        except TimeoutError:
            hung += 1
        except OSError:
            pass
        finally:
            here.close()
        sent += 1
    record = next((folder / "records").iterdir()).read_bytes()
    until, judged, tracebacks = time.monotonic() + seconds / 2, 0, 0
    while time.monotonic() < until:
        files = []
        for number in range(50):
            files.append(folder / f"odd{number}.jsonl")
            files[-1].write_bytes(_with_mistakes(record, chance))
        run = subprocess.run(
            [sys.executable, "-m", "fairground", "verify", *map(str, files)],
            capture_output=True,
            check=False,
            timeout=120,
        )
        judged += len(files)
        tracebacks += b"Traceback" in run.stderr
    return {
        "requests": sent,
        "hung": hung,
        "5xx": fives,
        "records": judged,
        "runs with a traceback": tracebacks,
        "alive": arena.ask("GET", "/healthz")[0] == 200,
    }


def _with_mistakes(data: bytes, chance: random.Random) -> bytes:
    """Some bytes changed, moved, doubled or left out."""
    out = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        at, size = chance.randrange(len(out)), chance.randrange(1, 20)
        piece = bytes(out[at : at + size])
        kind = chance.randrange(4)
        if kind == 0:
            out[at] = chance.randrange(256)
        elif kind == 1:
            del out[at : at + size]
        elif kind == 2:
            out[at:at] = piece * chance.randrange(1, 50)
        else:
            out[at:at] = chance.choice([b"\r\n", b"\0", b"\xff", b"9" * 50, b"[" * 200, b'"'])
        out = out or bytearray(b"x")
    return bytes(out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--result")
    options = parser.parse_args()
    chance, each = random.Random(options.seed), options.seconds / 3
    with tempfile.TemporaryDirectory(prefix="fairground-campaign-") as place:
        folder = Path(place)
        arena = Arena(folder)
        try:
            found = {
                "date": datetime.now(UTC).date().isoformat(),
                "cores": os.cpu_count(),
                "load": round(os.getloadavg()[0], 1),
                "kills": kills(arena, each, chance, folder),
                "floods": floods(arena, each),
                "bytes": bytes_of_any_kind(arena, each, chance, folder),
            }
        finally:
            arena.kill()
        arena.log.close()
        found["tracebacks in the log"] = (folder / "log").read_bytes().count(b"Traceback")
    told = json.dumps(found, indent=2)
    print(told)
    if options.result:
        Path(options.result).write_text(told + "\n")
    broken = [
        found["kills"]["counted otherwise"],
        found["kills"]["records that do not verify"],
        found["bytes"]["hung"],
        found["bytes"]["5xx"],
        found["bytes"]["runs with a traceback"],
        not found["bytes"]["alive"],
        found["tracebacks in the log"],
    ]
    return int(any(broken))


if __name__ == "__main__":
    sys.exit(main())
