"""A server in a thread that answers what it is told to, in that order."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Said(NamedTuple):
    """What a scripted server answers."""

    status: int
    body: Any = None
    headers: dict[str, str] = {}  # noqa: RUF012


DROPPED = Said(0)
"""The connection ends without an answer."""


class Script:
    """A server that answers what it is told to, in that order, and remembers the requests."""

    def __init__(self, answers: list[Said]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, str, Any]] = []
        self.url = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        size = int(handler.headers.get("Content-Length", 0))
        body = json.loads(handler.rfile.read(size)) if size else None
        self.asked.append((handler.command, handler.path, body))
        said = self.answers.pop(0)
        handler.close_connection = True
        if said == DROPPED:
            return
        data = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
        handler.send_response(said.status)
        for name, value in {"Content-Length": str(len(data)), **said.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)


@contextmanager
def scripted(*answers: Said) -> Iterator[Script]:
    script = Script(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            script.answer(self)

        def do_POST(self) -> None:
            script.answer(self)

        def log_message(self, format: str, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        script.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield script
        finally:
            server.shutdown()
            thread.join()
    assert not script.answers, "all that was scripted was asked for"
