"""One client asks for one thing as fast as it can; another one, with another address, is timed.

The flood comes from wrk, over 32 connections. Every route of the OpenAPI document has its turn, in
the way that `tests/helpers/floods.py` says. A stream has no end, so of those 32 are held.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from tests.helpers.floods import CLASSIC, Flood, floods

CONNECTIONS: Final = 32
PAUSE: Final = 0.005
"""Seconds between an answer and the next question of who is timed."""

SCRIPT: Final = Path(__file__).with_name("flood.lua")
MADE_BY_HAND: Final = ("/", "/verify.html", "/schema", "/schema/openapi.json")
"""Routes that are not in the document."""


class Answer(NamedTuple):
    """A client's answers."""

    status: int
    headers: http.client.HTTPMessage
    data: bytes

    def json(self) -> Any:
        """The body, read."""
        return json.loads(self.data)


class Client:
    """A client with an address of its own."""

    def __init__(self, url: str, address: str) -> None:
        place = urlsplit(url)
        self._line = http.client.HTTPConnection(
            place.hostname or "", place.port, timeout=60, source_address=(address, 0)
        )

    def ask(self, method: str, path: str, body: Any = None) -> Answer:
        """Ask once."""
        headers = {"Content-Type": "application/json"}
        self._line.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._line.getresponse()
        return Answer(answer.status, answer.headers, answer.read())

    def post(self, path: str, body: Any) -> Answer:
        """Do something that must work."""
        answer = self.ask("POST", path, body)
        assert answer.status < 400, answer
        return answer


def run(url: str, seconds: float) -> dict[str, Any]:
    """Return the others' waiting times beside each flood, in milliseconds; first, beside none."""
    if shutil.which("wrk") is None:
        return {"not run": "wrk is not installed"}
    client = Client(url, "127.0.0.3")
    oracle = urlsplit(client.post("/neworacle", CLASSIC).headers["location"]).path
    wanted: dict[str, Flood | None] = {"nobody": None, **_routes(client)}
    each = seconds / len(wanted)
    return {name: _beside(url, flood, oracle, each) for name, flood in wanted.items()}


def _routes(client: Client) -> dict[str, Flood]:
    """Return the requests of a flood, by method and route."""
    document = client.ask("GET", "/schema/openapi.json").json()
    calls = {
        operation["operationId"]: f"{method.upper()} {route}"
        for route, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    found = {calls[name]: flood for name, flood in floods(document, client.post)}
    plain = {f"GET {path}": Flood("GET", path, None, endless=False) for path in MADE_BY_HAND}
    return found | plain


def _beside(url: str, flood: Flood | None, oracle: str, seconds: float) -> dict[str, float]:
    flooding = None
    if flood is not None:
        body = "" if flood.body is None else json.dumps(flood.body)
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{max(1, round(seconds))}s"]
        flooding = subprocess.Popen(
            [*command, "--timeout", "60s", "-s", str(SCRIPT), url + flood.path],
            env=os.environ | {"METHOD": flood.method, "BODY": body},
            stdout=subprocess.DEVNULL,
        )
    client, until = Client(url, "127.0.0.2"), time.monotonic() + seconds
    taken: list[float] = []
    while time.monotonic() < until or not taken:
        began = time.perf_counter()
        answer = client.ask("GET", oracle)
        assert answer.status == 200, answer
        taken.append(1000 * (time.perf_counter() - began))
        time.sleep(PAUSE)
    if flooding is not None:
        flooding.wait()
    taken.sort()
    return {
        "answers": len(taken),
        "p50": round(taken[len(taken) // 2], 1),
        "p99": round(taken[int(len(taken) * 0.99)], 1),
    }
