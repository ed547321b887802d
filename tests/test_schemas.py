"""The shipped JSON Schemas: made by the code, and true of every record and verdict there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from fairground import schemas
from fairground.replay import FIELDS
from fairground.verify import verify
from tests.helpers.forging import events_of, forge
from tests.helpers.places import ROOT
from tests.test_forgeries import DICE_FORGERIES, dice_game

RECORDS = sorted([*ROOT.glob("tests/playthroughs/*.jsonl"), *ROOT.glob("tests/vectors/**/*.jsonl")])
EVENT = jsonschema_rs.validator_for(schemas.load("events"))
VERDICT = jsonschema_rs.validator_for(schemas.load("verdict"))


@pytest.mark.parametrize("name", schemas.ALL)
def test_the_shipped_schemas_are_those_that_our_code_makes(name: str) -> None:
    shipped = ROOT / "src/fairground/schemas" / f"{name}.json"
    assert shipped.read_text(encoding="ascii") == schemas.text_of(name), (
        "run `python -m fairground.schemas`"
    )


def test_every_kind_of_event_has_its_schema() -> None:
    shapes = schemas.load("events")["oneOf"]
    assert {shape["title"] for shape in shapes} == set(FIELDS)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_line_of_a_valid_record_fits(path: Path) -> None:
    data = path.read_bytes()
    verdict = verify(data)
    VERDICT.validate(json.loads(json.dumps(verdict.as_json())))
    if verdict.ok:
        for event in events_of(data):
            EVENT.validate(event)


def test_verdicts_on_forgeries_fit() -> None:
    for _, edit, _, _ in DICE_FORGERIES:
        VERDICT.validate(json.loads(json.dumps(verify(forge(dice_game(), edit)).as_json())))


ODD: list[dict[str, Any]] = [
    {"kind": "move", "seat": 0, "move": 1.5},
    {"kind": "move", "seat": 0, "move": None},
    {"kind": "move", "seat": -1, "move": 1},
    {"kind": "move", "seat": 0},
    {"kind": "move", "seat": 0, "move": 1, "hat": 1},
    {"kind": "dance"},
    {"kind": "note", "body": []},
    {"kind": "share", "run": 1, "seat": 0, "share": "link", "value": "A" * 64},
    {"kind": "share", "run": 1, "seat": 0, "share": "stir", "value": "a" * 201},
    {"kind": "share", "run": 1, "seat": 0, "share": "number", "value": "007"},
    {"kind": "dealt", "run": 1, "draws": [[6]], "evidence": {}},
    {"kind": "end", "payoff": "none"},
]


@pytest.mark.parametrize("event", ODD, ids=str)
def test_the_schema_can_refuse(event: dict[str, Any]) -> None:
    assert not EVENT.is_valid({"prev": "0" * 64, **event})
