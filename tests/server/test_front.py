"""Hot routes: each is answered in one place, refusals included, in the words of all others."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from fairground.server.app import make_app
from fairground.server.gate import ClientLimits, Gate
from fairground.server.metrics import Metrics

Client = TestClient[Litestar]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Litestar:
    folder: Path = tmp_path_factory.mktemp("arena")
    return make_app(f"sqlite:///{folder}/arena.db")


@pytest.fixture(scope="module")
def client(app: Any) -> Iterator[Client]:
    gate: Any = Gate(app, ClientLimits(), Metrics())
    with TestClient(gate) as client:
        yield client


@pytest.fixture
def table(client: Client) -> Any:
    seats = [{"name": "Ada", "lends": "stir"}, {"name": "Bob", "lends": "stir"}]
    wanted = {"game": "zombie/2", "params": {"players": 2}, "seats": seats}
    return client.post("/tables", json=wanted).json()


def test_looks(client: Client, table: Any) -> None:
    seat = table["seats"][0]["url"]
    for url in (table["self"], seat):
        whole, head = client.get(url), client.head(url)
        assert whole.status_code == head.status_code == 200
        lengths = [int(answer.headers["content-length"]) for answer in (head, whole)]
        assert abs(lengths[0] - lengths[1]) < 8  # a clock has a digit more or less
        assert client.get(f"{url}?after=0&wait=0.01&else=x").status_code == 200
        for query in ("after=x", "after=-1", "wait=31", "wait=x"):
            name, _, value = query.partition("=")
            refused = client.get(f"{url}?{query}")
            assert (refused.status_code, refused.json()["code"]) == (400, "arena/malformed")
            assert refused.json()["detail"].startswith(f"{name}: ")
            assert f'"{value}"' in refused.json()["detail"]
        page = client.get(url, headers={"Accept": "text/html"}, follow_redirects=False)
        assert page.status_code == 303 and "/#/" in page.headers["location"]
    assert client.get(seat).headers["cache-control"] == "no-store"


def served(app: Litestar, path: str, messages: Sequence[Any]) -> list[Any]:
    """Serve a submission of which these messages arrive."""
    waiting, told = iter(messages), list[Any]()

    async def receive() -> Any:
        return next(waiting)

    async def send(message: Any) -> None:
        told.append(message)

    scope = {
        "type": "http", "method": "POST", "path": path, "raw_path": path.encode(),
        "query_string": b"", "headers": [(b"host", b"x")], "scheme": "http",
    }  # fmt: skip
    gate: Any = Gate(app, ClientLimits(), Metrics())  # type: ignore[arg-type]
    asyncio.run(gate(scope, receive, send))
    return told


def piece(body: bytes, more: bool) -> Any:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_in_pieces_without_end_is_refused(app: Litestar, client: Client) -> None:
    told = served(app, "/oracle/any", [piece(b"x" * 60_000, True)] * 3)
    assert told[0]["status"] == 413


def test_a_client_that_leaves_in_the_middle_gets_no_answer(app: Litestar, client: Client) -> None:
    assert served(app, "/oracle/any", [piece(b"{", True), {"type": "http.disconnect"}]) == []


def test_a_body_in_pieces_is_one_body(app: Litestar, client: Client) -> None:
    told = served(app, "/oracle/any", [piece(b"{", True), piece(b"]", False)])
    assert told[0]["status"] == 400 and b"not JSON" in told[1]["body"]
