"""The documents for checkers name everything that there is: they cannot fall behind unnoticed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from fairground.claims import By
from fairground.fair.bits import Tag
from fairground.fair.register import SCHEMES
from fairground.games import GAMES, game_class
from fairground.verifier import FIELDS, Judged
from tests.helpers.places import ROOT

DOCS = ROOT / "docs"
FORMAT, CONTEST, FAIRNESS = (
    (DOCS / f"{name}.md").read_text() for name in ("format", "contest-file", "fairness")
)
PRIVATE = {Tag.PLAYER, Tag.TOKEN, Tag.DIARY}
"""Purposes that no record shows."""


def rules_of(game: str) -> str:
    return (DOCS / "rules" / f"{game.partition('/')[0]}.md").read_text()


def test_every_kind_of_event_and_every_member() -> None:
    table = FORMAT[FORMAT.index("## Events") : FORMAT.index("## What follows what")]
    for kind, members in FIELDS.items():
        assert f"| `{kind}` |" in table
        for member in members - {"kind", "prev"}:
            assert f"`{member}`" in table, (kind, member)


def test_every_tag() -> None:
    tags = {value for name, value in vars(Tag).items() if name.isupper()} - PRIVATE
    for tag in tags:
        assert f'"{tag}"' in FORMAT + CONTEST, tag


def test_every_scheme_has_its_section() -> None:
    for scheme in SCHEMES.listed:
        assert f"### `{scheme}`" in FORMAT
        assert f"`{scheme}`" in FAIRNESS


@pytest.mark.parametrize("game", GAMES.listed)
def test_every_game_has_its_rules_with_every_parameter_and_role(game: str) -> None:
    text, rules = rules_of(game), game_class(game)
    assert f"`{game}`" in text and f"`{game}`" in FORMAT
    for parameter in rules.parameters:
        assert f"`{parameter.name}`" in text, parameter.name
        limits = [parameter.shape.get(key) for key in ("minimum", "maximum", "maxLength")]
        for limit in filter(None, limits):
            assert re.search(rf"\b{limit}\b", text), (parameter.name, limit)
    for role in rules.roles:
        assert role.name in text


def test_every_code_of_the_vectors_and_every_verdict() -> None:
    index = json.loads((ROOT / "tests/vectors/games/index.json").read_text())
    for code in {case["fault"]["code"] for case in index["transcripts"] if case["fault"]}:
        assert f"`{code}`" in FORMAT, code
    for word in get_args(Judged):
        assert f"| `{word}` |" in FORMAT
    for by in get_args(By):
        assert f"`{by}`" in FAIRNESS


def test_codes_of_the_source_are_in_the_documents() -> None:
    """Each code that a record can be refused with, wherever the source says it."""
    source = "\n".join(
        path.read_text()
        for folder in ("contest", "fair")
        for path in (ROOT / "src/fairground" / folder).glob("*.py")
    ) + "".join(
        Path(ROOT / "src/fairground" / name).read_text()
        for name in ("transcript.py", "verifier.py", "bank/schemes.py")
    )
    codes = set(re.findall(r'Fault\(\s*"([a-z]+/[a-z-]+)"', source))
    assert len(codes) > 15
    for code in codes:
        assert f"`{code}`" in FORMAT + CONTEST, code
