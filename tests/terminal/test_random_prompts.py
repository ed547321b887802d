"""Where anything random is asked for, commands stay commands: in every game, in every front end."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from fairground import cli
from fairground.terminal.sitting import COMMANDS
from fairground.verifier import verify

GAMES = {
    "zombie": ["zombie", "--players", "Ann,Bob"],
    "fatestones": ["fatestones"],
    "codebreaking": ["codebreaking", "--base", "3", "--length", "2"],
    "play": ["play", "fatestones", "--seat", "0=random"],
    "play zombie": ["play", "zombie", "--seat", "0=random"],
}
LEAVE = ("q", "Q", "quit", "x", "X", "exit")


def run(name: str, typed: list[str], path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    cli.main([*GAMES[name], "--save", str(path)])


def words_in(path: Path) -> list[str]:
    events = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [event["value"] for event in events if event["kind"] == "share"]


@pytest.mark.parametrize("name", GAMES)
def test_no_command_is_taken_as_randomness(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.jsonl"
    stays = sorted(COMMANDS - set(LEAVE))
    asked = [*stays, *(word.upper() for word in stays), *(line for w in LEAVE for line in (w, "n"))]
    run(name, [*asked, "pebbles 42"], path, monkeypatch)
    shown = capsys.readouterr().out
    assert words_in(path)[:1] == ["pebbles 42"]
    assert not {word.lower() for word in words_in(path)} & COMMANDS
    assert "'best' is a command" in shown
    assert "nothing to advise" in shown
    assert "fingerprint" in shown or "guess" in shown  # the help


@pytest.mark.parametrize("word", LEAVE)
@pytest.mark.parametrize("name", GAMES)
def test_leaving_asks_first_and_lends_nothing(
    name: str, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    run(name, [word, "y", "y", word, "y"], path, monkeypatch)
    assert words_in(path) == []
    verdict = verify(path.read_bytes())
    assert verdict.ok
    assert "UNIFORM" not in [claim.name for claim in verdict.claims]
