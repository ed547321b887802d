"""The proxy of docs/operator.md, word for word, with a certificate of its own: it speaks TLS."""

from __future__ import annotations

import json
import re
import ssl
import subprocess
import urllib.request
from pathlib import Path

from fairground.arena.app import make_app
from tests.helpers.arena import in_a_thread
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


def test_the_proxy_of_the_document_serves_an_arena_by_https(tmp_path: Path) -> None:
    files = ["-keyout", f"{tmp_path}/arena.key", "-out", f"{tmp_path}/arena.pem"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    name = ["-subj", "/CN=arena.example", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*made, *files, *name], check=True, capture_output=True)
    trusted = ssl.create_default_context(cafile=f"{tmp_path}/arena.pem")
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
