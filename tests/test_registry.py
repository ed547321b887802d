"""Registers: what exists by name, ours and other people's."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from fairground.core import InputError, UnknownName
from fairground.registry import Register, load


def others(monkeypatch: pytest.MonkeyPatch, *entries: EntryPoint) -> Register[str]:
    """A register with what other packages add to it."""
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: entries)
    return Register("thing", {"apple/1": "red", "apple/2": "green"}, "fairground.things")


def test_names_are_found_and_near_misses_are_named() -> None:
    register = Register("thing", {"apple/1": "red", "apple/10": "old", "apple/2": "green"})
    assert register.find("apple/2") == ("apple/2", "green")
    assert register.newest("apple") == "apple/10"
    assert len(register) == 3 and "pear/1" not in register
    with pytest.raises(UnknownName, match="no thing named 'aple/1'; did you mean 'apple/1'"):
        register.find("aple/1")
    with pytest.raises(UnknownName, match="no thing named 'pear'"):
        register.newest("pear")
    assert register.plus({"pear/1": "yellow"})["pear/1"] == "yellow"
    assert "apple/1" in repr(register)


def test_other_packages_add_names(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("pi/1", "math:pi", "fairground.things")
    register = others(monkeypatch, entry)
    assert list(register) == ["apple/1", "apple/2", "pi/1"]
    assert register["pi/1"] == load("math:pi")


def test_a_package_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("kiwi/1", "no_such_package:KIWI", "fairground.things")
    register = others(monkeypatch, entry)
    with pytest.raises(InputError, match="the thing 'kiwi/1' of another package cannot be loaded"):
        register.find("kiwi/1")
