"""Where anything random is asked for, commands stay commands: in every game, in every front end."""

from __future__ import annotations

import pytest

from fairground.terminal.sitting import COMMANDS
from tests.helpers.told import Told
from tests.terminal.conftest import Here

GAMES = {
    "zombie": ["zombie", "--players", "Ann,Bob"],
    "fatestones": ["fatestones"],
    "codebreaking": ["codebreaking", "--base", "3", "--length", "2"],
    "play": ["play", "fatestones", "--seat", "0=random"],
    "play zombie": ["play", "zombie", "--seat", "0=random"],
}
LEAVE = ("q", "Q", "quit", "x", "X", "exit")


def shares(told: Told) -> list[str]:
    return [event["value"] for event in told.events if event["kind"] == "share"]


@pytest.mark.parametrize("name", GAMES)
def test_no_command_is_taken_as_randomness(name: str, here: Here) -> None:
    stays = sorted(COMMANDS - set(LEAVE))
    asked = [*stays, *(word.upper() for word in stays), *(line for w in LEAVE for line in (w, "n"))]
    told = here.saved("\n".join([*asked, "pebbles 42\n"]), *GAMES[name])
    assert shares(told)[:1] == ["pebbles 42"]
    assert not {word.lower() for word in shares(told)} & COMMANDS
    assert "'best' is a command" in told.out
    assert "nothing to advise" in told.out
    assert "fingerprint" in told.out or "guess" in told.out  # the help


@pytest.mark.parametrize("word", LEAVE)
@pytest.mark.parametrize("name", GAMES)
def test_leaving_asks_first_and_lends_nothing(name: str, word: str, here: Here) -> None:
    told = here.saved(f"{word}\ny\ny\n{word}\ny\n", *GAMES[name])
    assert shares(told) == []
    assert "UNIFORM" not in "".join(told.claims)
