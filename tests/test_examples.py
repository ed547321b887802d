"""The examples do what they say."""

from __future__ import annotations

import runpy
import subprocess
import sys
from typing import Any

from tests.helpers.places import ROOT
from tests.helpers.width import WIDE


def example(name: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "examples" / f"{name}.py"))


def test_a_small_learner_beats_greedy() -> None:
    learner = example("learn_fatestones")
    weights = learner["train"](150 if WIDE else 25, 7)
    found = learner["measure"](weights, 60 if WIDE else 10, 2_000_000)
    assert found.low is not None and found.low > 0.005
    untrained = learner["measure"](0 * weights, 4, 1_000_000)
    assert untrained.high is not None and untrained.high < 0


def test_the_finding_is_made_again_and_corrected() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "fatestones_finding.py"],
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    said = done.stdout
    assert said.count("it cannot tell") >= 5
    assert "111111 is worst, 666666 is best" in said
    assert "10,000 random games" in said and "equal on average, and not equivalent" in said
