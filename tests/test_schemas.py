"""The shipped JSON Schemas: true of every record and verdict there is, and of the code's limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest

from fairground import schemas
from fairground.claims import By
from fairground.fair.chains import LONGEST_STIR
from fairground.fair.schemes import LENDS, RUN_BY
from fairground.table import LONGEST_NAME, LONGEST_REASON
from fairground.transcript import FORMAT
from fairground.verifier import FIELDS, Judged, verify
from tests.helpers.forging import events_of, forge
from tests.helpers.places import ROOT
from tests.test_forgeries import DICE_FORGERIES, dice_game

RECORDS = sorted([*ROOT.glob("tests/playthroughs/*.jsonl"), *ROOT.glob("tests/vectors/**/*.jsonl")])
EVENT = jsonschema_rs.validator_for(schemas.load("events"))
VERDICT = jsonschema_rs.validator_for(schemas.load("verdict"))


def test_every_kind_of_event_has_its_fields() -> None:
    shapes = schemas.load("events")["oneOf"]
    assert {shape["title"] for shape in shapes} == set(FIELDS)
    for shape in shapes:
        assert set(shape["required"]) == FIELDS[shape["title"]]


def test_the_schemas_have_the_limits_of_the_code() -> None:
    shapes = {shape["title"]: shape["properties"] for shape in schemas.load("events")["oneOf"]}
    chair = shapes["start"]["seats"]["items"]["properties"]
    assert shapes["start"]["format"] == {"const": FORMAT}
    assert chair["by"]["enum"] == list(RUN_BY) and chair["lends"]["enum"] == list(LENDS)
    assert chair["name"]["maxLength"] == LONGEST_NAME
    assert shapes["forfeit"]["reason"]["maxLength"] == LONGEST_REASON
    shares = [s["properties"] for s in schemas.load("events")["oneOf"] if s["title"] == "share"]
    lengths = {share["share"]["const"]: share["value"].get("maxLength") for share in shares}
    assert lengths["stir"] == LONGEST_STIR
    verdict = schemas.load("verdict")["$defs"]["verdict"]["properties"]
    assert verdict["verdict"]["enum"] == list(get_args(Judged))
    witness = verdict["claims"]["items"]["properties"]["witness"]["oneOf"][0]["properties"]
    assert witness["by"]["enum"] == list(get_args(By))


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
