"""The bare peer of the arena: the same framework, a POST that is validated, and nothing else.

It reads the same body into the same type and answers with the same one, on the same server
with the same settings. No game, no limits, no storage. ``python bench/_arena_bare.py``
prints its address once it listens.
"""

from __future__ import annotations

import uvicorn
from litestar import Litestar, post
from litestar.params import FromPath, JSONBody

from fairground.server.oracles.wire import CountsOut, Submission
from fairground.server.serve import BACKLOG, address_of, bind


@post("/oracle/{name:str}", status_code=200)
async def submit(name: FromPath[str], data: JSONBody[Submission]) -> CountsOut:
    """The shape of an answer."""
    return CountsOut(len(data.submission), len(name))


def main() -> None:
    sock = bind("127.0.0.1", 0)
    config = uvicorn.Config(
        Litestar([submit], openapi_config=None, logging_config=None),
        interface="asgi3",
        loop="uvloop",
        http="httptools",
        ws="none",
        access_log=False,
        log_config=None,
        server_header=False,
        backlog=BACKLOG,
    )
    print(address_of(sock), flush=True)
    uvicorn.Server(config).run(sockets=[sock])


if __name__ == "__main__":
    main()
