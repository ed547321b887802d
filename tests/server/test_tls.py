"""TLS by the arena itself."""

from __future__ import annotations

import json
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from fairground.cli import main
from tests.helpers.arena import Process


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
