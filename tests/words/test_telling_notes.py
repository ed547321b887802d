"""Notes of a record, in words."""

from __future__ import annotations

from typing import Any

import pytest

from fairground.games import make_game
from fairground.words import words_for
from fairground.words.telling import Telling


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"remark": "Good luck!", "seat": 1}, ['Ann says: "Good luck!"']),
        ({"remark": "Good luck!", "seat": 0}, ['You say: "Good luck!"']),
        ({"remark": "I keep my word"}, ['A remark: "I keep my word."']),
        ({"remark": "x", "seat": 2}, ['A remark: "x."']),
        ({"remark": "x", "seat": True}, ['A remark: "x."']),
        ({"remark": "x", "seat": "Ann"}, ['A remark: "x."']),
        ({"hint": True, "seat": 1}, ["Ann asks for a hint."]),
        ({"hint": True}, []),
        ({"rematch": "00", "head": "00"}, []),
        ({"remark": 7, "seat": 1}, []),
    ],
)
def test_a_note(body: dict[str, Any], told: list[str]) -> None:
    telling = Telling(words_for(make_game("fatestones/1", {}), ["Computer", "Ann"], 0))
    assert telling.line({"kind": "note", "body": body}) == told
