"""An oracle factory that is not ours: the source document's API with the standard library only.

It shares no line with Fairground; it scores by crossing digits out. A test may put anything in
place of its answers, take it down in the middle, and bring it back with its games.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def score(code: list[int], guess: list[int]) -> tuple[int, int]:
    """Cross out what is in place, then what is elsewhere."""
    left, rest = [], []
    for hidden, named in zip(code, guess, strict=True):
        if hidden != named:
            left.append(hidden)
            rest.append(named)
    partial = 0
    for named in rest:
        if named in left:
            left.remove(named)
            partial += 1
    return len(code) - len(rest), partial


class Game:
    def __init__(self, number: int, wanted: dict[str, Any]) -> None:
        self.wanted = wanted
        base, length = wanted["base"], wanted["length"]
        self.code = [(number + place) % base for place in range(length)]  # no digit twice
        self.submissions: list[list[int]] = []
        self.solved = False


Answer = tuple[int, dict[str, str], bytes | Iterator[bytes]]


class Foreign:
    """The server. ``instead``: asked first, with method, path and body; ``None``: as usual."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self.games: dict[str, Game] = {}
        self.requests: list[tuple[str, str]] = []
        self.connections = 0
        self.instead: Callable[[str, str, dict[str, Any]], Answer | None] = lambda *_: None
        self.host, self.port = host, port
        self.start()

    def start(self) -> None:
        handler = type("Handler", (_Handler,), {"foreign": self})
        self._server = _Counting((self.host, self.port), handler, self)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def kill(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(30)

    def played(self) -> list[Game]:
        """The games of teams: all but the one in which the arena tried this factory out."""
        return list(self.games.values())[1:]

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}/"

    @property
    def factory(self) -> str:
        return f"{self.url}make"

    def answer(self, method: str, path: str, body: dict[str, Any]) -> Answer:
        special = self.instead(method, path, body)
        if special is not None:
            return special
        if (method, path) == ("POST", "/make"):
            number = len(self.games)
            self.games[f"/game?no={number}-nobody-guesses"] = Game(number, body)
            return 303, {"Location": f"/game?no={number}-nobody-guesses"}, b""
        game = self.games.get(path)
        if game is None:
            return 404, {}, b"{}"
        if method == "GET":
            said = {"self": f"{self.url[:-1]}{path}", "solved": game.solved, **game.wanted}
            return _json(said)
        if game.solved:
            return 409, {}, b"{}"
        game.submissions.append(body["submission"])
        full, partial = score(game.code, body["submission"])
        game.solved = full == len(game.code)
        return _json({"full_match_count": full, "partial_match_count": partial, "mood": "good"})


def _json(body: Any) -> Answer:
    return 200, {"Content-Type": "application/json"}, json.dumps(body).encode()


class _Counting(ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, place: tuple[str, int], handler: Any, foreign: Foreign) -> None:
        self._foreign = foreign
        super().__init__(place, handler)

    def get_request(self) -> Any:
        self._foreign.connections += 1
        return super().get_request()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    foreign: Foreign

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length) or b"{}")
        self.foreign.requests.append((self.command, self.path))
        status, headers, data = self.foreign.answer(self.command, self.path, body)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in [data] if isinstance(data, bytes) else data:
            self.wfile.write(piece)

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@contextmanager
def foreign(host: str = "127.0.0.1", port: int = 0) -> Iterator[Foreign]:
    server = Foreign(host, port)
    try:
        yield server
    finally:
        server.kill()
