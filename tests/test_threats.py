"""Every row of docs/threats.md names tests, and they are there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.helpers.places import ROOT

ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in (ROOT / "docs" / "threats.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith("| may ")
]


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def names_in(path: Path) -> set[str]:
    """The tests of a file, and its classes of tests."""
    tree = ast.parse(path.read_text())
    return {node.name for node in tree.body if isinstance(node, (*FUNCTIONS, ast.ClassDef))} | {
        f"{one.name}::{node.name}"
        for one in tree.body
        if isinstance(one, ast.ClassDef)
        for node in one.body
        if isinstance(node, FUNCTIONS)
    }


def test_there_is_a_row_for_each_party() -> None:
    assert len(ROWS) > 25


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_row_names_tests_that_exist(row: list[str]) -> None:
    *_, shown_by = row
    named = re.findall(r"`(tests/[\w/]+\.py)::([\w:]+)`", shown_by)
    assert named, "a row names at least one test"
    assert len(named) == shown_by.count("`") // 2, "and nothing else"
    for path, name in named:
        assert name in names_in(ROOT / path), f"{path} has no {name}"
