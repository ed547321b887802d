"""TLS: by the arena itself, and by the proxy of docs/operator.md, word for word."""

from __future__ import annotations

import json
import re
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from fairground.arena.app import make_app
from fairground.cli import main
from tests.helpers.arena import Process, in_a_thread
from tests.helpers.places import ROOT
from tests.helpers.proxy import nginx

PUBLIC = "https://arena.example"


def the_example(folder: Path) -> str:
    """The document's server; only where it listens, what it proves itself by and the arena's
    address are those of this machine."""
    text = (ROOT / "docs" / "operator.md").read_text()
    found: str
    (found,) = re.findall(r"```nginx\n(.*?)```", text, re.DOTALL)
    ours = {
        "listen 443 ssl": "listen HERE ssl",
        "/etc/ssl/arena.pem": f"{folder}/arena.pem",
        "/etc/ssl/arena.key": f"{folder}/arena.key",
        "http://127.0.0.1:8000": "http://ARENA",
    }
    for theirs, here in ours.items():
        assert theirs in found
        found = found.replace(theirs, here)
    return found


def certified(folder: Path) -> ssl.SSLContext:
    """A certificate for this machine, and who trusts it."""
    files = ["-keyout", f"{folder}/arena.key", "-out", f"{folder}/arena.pem"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    name = ["-subj", "/CN=arena.example", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*made, *files, *name], check=True, capture_output=True)
    return ssl.create_default_context(cafile=f"{folder}/arena.pem")


def test_the_arena_speaks_https_itself(tmp_path: Path) -> None:
    trusted = certified(tmp_path)
    files = ["--tls-cert", f"{tmp_path}/arena.pem", "--tls-key", f"{tmp_path}/arena.key"]
    with Process(tmp_path, "--no-croupier", *files) as arena:
        assert arena.url.startswith("https://127.0.0.1:")
        wanted = urllib.request.Request(
            f"{arena.url}/contests", b'{"base": 2, "length": 1, "games": 1}'
        )
        with urllib.request.urlopen(wanted, context=trusted, timeout=30) as answer:
            made = json.load(answer)
        assert made["close"].startswith(f"{made['self']}/close/")
        assert made["self"].startswith(arena.url), "it gives https addresses"
        with pytest.raises(urllib.error.URLError, match="certificate"):
            urllib.request.urlopen(f"{arena.url}/healthz", timeout=30)
        assert arena.end() == 0


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--tls-cert", "x"], "needs both"),
        (["--tls-cert", "nowhere.pem", "--tls-key", "nowhere.key"], "nowhere.pem"),
        (["--tls-cert", __file__, "--tls-key", __file__], "PEM"),
    ],
)
def test_what_tls_cannot_be_made_of(
    options: list[str], word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--port", "0", *options]) == 2
    assert word in capsys.readouterr().err


def test_the_proxy_of_the_document_serves_an_arena_by_https(tmp_path: Path) -> None:
    trusted = certified(tmp_path)
    app = make_app(f"sqlite:///{tmp_path}/arena.db", public_url=PUBLIC)
    with in_a_thread(app) as behind, nginx(tmp_path, the_example(tmp_path), behind) as there:
        front = there.replace("http:", "https:")
        opened = urllib.request.Request(
            f"{front}/contests",
            json.dumps({"base": 2, "length": 1, "games": 1}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(opened, context=trusted, timeout=30) as answer:
            contest = json.load(answer)["self"]
        assert contest.startswith(f"{PUBLIC}/contest/")
        events = contest.replace(PUBLIC, front) + "/events"
        with urllib.request.urlopen(events, context=trusted, timeout=30) as stream:
            assert stream.readline().strip(), (
                "the first event comes at once, not when all are there"
            )
