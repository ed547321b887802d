"""One error for a missing package: its user, its name, and the way to install it."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from fairground.core import MissingExtra
from fairground.registry import needs


def test_the_missing_package_and_its_extra_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtra) as caught, needs("solve", "solving all deals"):
        import numpy.linalg  # noqa: F401 - that it cannot be imported is the point
    assert str(caught.value) == (
        "solving all deals needs numpy, which is not installed: pip install 'fairground[solve]'"
    )


def test_what_is_there_is_imported() -> None:
    with needs("solve", "nothing"):
        import json as there
    assert there.dumps([1]) == "[1]"


def test_a_module_of_ours_that_is_missing_is_our_own_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fairground.nothing", None)
    with pytest.raises(ImportError), needs("solve", "this"):
        import_module("fairground.nothing")


def test_other_errors_pass() -> None:
    with pytest.raises(ZeroDivisionError), needs("solve", "this"):
        raise ZeroDivisionError
