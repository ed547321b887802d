"""The least that an answer at a table can cost: a bare server, the same referee, a row in SQLite.

A caller answers for the seat that is asked. The new lines of the transcript are one row of a
table in SQLite (FULL), written by a thread, before the answer is told. There is nothing else: no
framework, no seats with secrets, no clocks, no limits, no keys, no counts, nobody who watches,
and a game is lost with the process. ``_table_bare.py FILE`` prints its address once it listens.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import sys
import threading
from typing import Any

import msgspec
import uvicorn

from fairground.door.tables import new_table
from fairground.fair.schemes import Chair
from fairground.games import make_game
from fairground.server.serve import BACKLOG, address_of, bind
from fairground.table import Table

Job = tuple[bytes, asyncio.AbstractEventLoop, "asyncio.Future[None]"]


class Bare:
    """One table after the other."""

    def __init__(self, file: str) -> None:
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._table = _opened()
        threading.Thread(target=self._write, args=(file,), daemon=True).start()

    def _write(self, file: str) -> None:
        db = sqlite3.connect(file, isolation_level=None)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=FULL")
        db.execute("CREATE TABLE lines (number INTEGER PRIMARY KEY, data BLOB NOT NULL)")
        while True:
            data, loop, done = self._jobs.get()
            db.execute("INSERT INTO lines (data) VALUES (?)", (data,))
            loop.call_soon_threadsafe(done.set_result, None)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """ASGI."""
        said = msgspec.json.decode((await receive())["body"])
        if self._table.closed:
            self._table = _opened()
        record = self._table.transcript
        before = record.step
        self._table.submit(self._table.asks()[0], said["answer"])
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._jobs.put((b"".join(record.lines[before:]), loop, done))
        await done
        body = msgspec.json.encode({"line": before + 1, "head": record.head})
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _opened() -> Table:
    game = make_game("zombie/2", {"players": 2, "brains_to_win": 100, "max_turns": 0})
    return new_table(game, [Chair("Ada"), Chair("Bob")])


def main() -> None:
    sock = bind("127.0.0.1", 0)
    app: Any = Bare(sys.argv[1])
    config = uvicorn.Config(
        app,
        interface="asgi3",
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_keep_alive=600,
        backlog=BACKLOG,
    )
    print(address_of(sock), flush=True)
    uvicorn.Server(config).run(sockets=[sock])


if __name__ == "__main__":
    main()
