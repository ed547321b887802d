"""The page over HTTP: its files, how browsers keep them, and what it may do."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from fairground.core import InputError
from fairground.server import page as files
from fairground.server.app import make_app
from fairground.server.serve import Settings
from tests.helpers.arena import gated
from tests.helpers.page import page

Client = TestClient[Any]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    page()
    with TestClient(gated(f"sqlite:///{tmp_path / 'arena.db'}")) as client:
        yield client


def test_the_page_and_all_that_it_loads_are_there(client: Client) -> None:
    index = client.get("/")
    assert index.headers["content-type"] == "text/html; charset=utf-8"
    parts = re.findall(r'(?:src|href)="(page/[^"]+)"', index.text)
    assert {part.rpartition(".")[2] for part in parts} == {"js", "css"}
    for part in parts:
        answer = client.get(f"/{part}")
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.content == (page() / part.removeprefix("page/")).read_bytes()
    assert client.get("/verify.html").content == (page() / "verify.html").read_bytes()
    assert client.head("/").status_code == 200


def test_a_browser_that_has_it_is_not_sent_it_again(client: Client) -> None:
    for encoding in ("gzip", "identity"):
        first = client.get("/", headers={"Accept-Encoding": encoding})
        assert first.headers.get("content-encoding", "identity") == encoding
        assert first.headers["cache-control"] == "no-cache"
        known = {"Accept-Encoding": encoding, "If-None-Match": first.headers["etag"]}
        again = client.get("/", headers=known)
        assert (again.status_code, again.content) == (304, b"")
        other = client.get("/", headers=known | {"If-None-Match": '"another"'})
        assert other.content == first.content


def test_who_refuses_compressed_bytes_gets_plain_ones(client: Client) -> None:
    answer = client.get("/", headers={"Accept-Encoding": "gzip;q=0, identity"})
    assert "content-encoding" not in answer.headers


def directives(policy: str) -> dict[str, str]:
    return {
        name: value for name, _, value in (one.strip().partition(" ") for one in policy.split(";"))
    }


def test_the_page_may_load_its_own_files_and_nothing_else(client: Client) -> None:
    headers = client.get("/").headers
    policy = directives(headers["content-security-policy"])
    assert policy["default-src"] == policy["trusted-types"] == policy["frame-ancestors"] == "'none'"
    sources = " ".join(value for name, value in policy.items() if name.endswith("-src")).split()
    assert set(sources) == {"'none'", "'self'", "data:"}
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    # Only the header can say who may frame it; the rest is in the file itself.
    assert client.get("/verify.html").headers["content-security-policy"] == "frame-ancestors 'none'"


def test_a_node_that_the_user_names_is_the_only_further_host(client: Client) -> None:
    usual = directives(client.get("/").headers["content-security-policy"])
    for node in ("http://127.0.0.1:8545", "https://node.example", "http://[::1]:8545"):
        answer = client.get("/", params={"node": node})
        policy = directives(answer.headers["content-security-policy"])
        assert policy == usual | {"connect-src": f"'self' {node}"}
        assert answer.content == client.get("/").content


@pytest.mark.parametrize(
    "node", ["*", "https://*", "https:", "http://a b", "https://a;script-src *", "https://a/p", ""]
)
def test_no_node_makes_the_policy_any_wider(client: Client, node: str) -> None:
    answer = client.get("/", params={"node": node})
    assert answer.status_code == 400
    assert "http://127.0.0.1:8545" in answer.json()["detail"]


def test_an_operator_may_let_a_friend_frame_it(tmp_path: Path) -> None:
    page()
    app = make_app(f"sqlite:///{tmp_path / 'arena.db'}", frames=["https://friend.example"])
    with TestClient(app) as client:
        policy = directives(client.get("/").headers["content-security-policy"])
    assert policy["frame-ancestors"] == "https://friend.example"
    with pytest.raises(InputError, match=r"not 'friend; script-src"):
        Settings("sqlite:///x.db", allow_frames=("friend; script-src *",)).check()


def test_its_foot_tells_the_hash_of_the_checker(client: Client) -> None:
    digest = hashlib.sha256(client.get("/verify.html").content).hexdigest()
    main = re.search(r'src="(page/main[^"]+)"', client.get("/").text)
    assert main is not None
    assert digest in client.get(f"/{main[1]}").text


def test_what_is_not_there_is_said(client: Client) -> None:
    answer = client.get("/page/main.OLD00000.js")
    assert answer.status_code == 404
    assert answer.json()["code"] == "arena/unknown"


def test_an_arena_without_its_page_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_ready", lambda frames: {})
    with TestClient(gated(f"sqlite:///{tmp_path / 'arena.db'}")) as client:
        answer = client.get("/")
    assert answer.status_code == 501
    assert "make page" in answer.json()["detail"]
