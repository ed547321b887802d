"""A short slice of each part of the campaign (tools/arena_campaign.py)."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.places import ROOT

sys.path.insert(0, str(ROOT))

from tools.campaign import audit, mutants, mutation, readers, report


def test_a_killed_and_fuzzed_arena_keeps_its_promises(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    result.write_text('{"floods": "of an earlier run"}')
    command = [sys.executable, str(ROOT / "tools" / "arena_campaign.py")]
    run = subprocess.run(
        [*command, "--seconds", "4", "--only", "kills,bytes", "--result", str(result)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    found = json.loads(result.read_text())
    assert found["kills"]["kills"] >= 1
    assert found["kills"]["submissions answered"] > 0
    assert found["kills"]["counted otherwise"] == 0
    assert found["floods"] == "of an earlier run", "what was not chosen stays"


def test_no_reader_breaks_on_mistakes() -> None:
    found = readers.run(2, random.Random("the suite"), quick=True)
    assert found["broken"] == []
    assert min(found["read"].values()) > 0


def test_a_reader_that_breaks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(data: bytes) -> int:
        return int(data.split(b",")[2])

    one = {"careless": readers.Reader(careless, [b"1,2,3"])}
    monkeypatch.setattr(readers, "readers", lambda *_: one)
    found = readers.run(0.2, random.Random("careless"))
    assert readers.is_broken(found)
    assert {broken["reader"] for broken in found["broken"]} == {"careless"}


def test_mutants_are_whole_modules_that_differ_in_one_place() -> None:
    made = mutants.Source("stats.py").mutants
    assert len(made) > 80
    assert len({one.name for one in made}) == len(made), "each has a name of its own"
    assert any(one.name.endswith("mean_of: n == 0 -> n != 0") for one in made)
    assert any(not one.where for one in made), "constants of the module"
    for number in range(0, len(made), 10):
        fresh = mutants.Source("stats.py")
        code = fresh.code(fresh.mutants[number])
        where = fresh.mutants[number].where
        assert not where or mutants.function_in(code, where) is not None


MUTANTS_OF_SEALS = """
import json, random
from tools.campaign import mutation
suite = mutation.Suite(("fair/seals.py",), ("tests/fair/test_seals.py",))
print(json.dumps(mutation.run(240, random.Random("the suite"), {"seals": suite})))
"""


def test_a_mutant_is_noticed_by_the_tests_that_run_it() -> None:
    """`fair/seals.py` has three mutants, and its own tests notice each.

    They run in a fresh process, because a fork would inherit the open sockets of other tests.
    """
    done = subprocess.run(
        [sys.executable, "-c", MUTANTS_OF_SEALS], cwd=ROOT, stdout=subprocess.PIPE, check=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    (told,) = found["modules"].values()
    assert told["tried"] == told["mutants"] == 3, found
    assert told["survived"] == [], found


def test_what_an_earlier_campaign_found_stays_while_the_module_is_the_same() -> None:
    source = mutants.Source("fair/seals.py")
    suite = mutation.Suite(("fair/seals.py",), ("tests/fair/test_seals.py",))
    for text, tried in ((source.digest, 3), ("another", 0)):
        old = {"text": text, "mutants": 3, "tried": 3, "survived": ["fair/seals.py f: 1 -> 2"]}
        before = {"modules": {"fair/seals.py": old}}
        found = mutation.run(0, random.Random("no time"), {"seals": suite}, before)
        assert found["modules"]["fair/seals.py"]["tried"] == tried
        assert "the time was over" in found["not run"]["seals"]


def test_every_mutated_module_and_its_tests_exist() -> None:
    for suite in mutation.SUITES.values():
        assert all((ROOT / "src" / "fairground" / module).is_file() for module in suite.modules)
        assert all((ROOT / test).exists() for test in suite.tests)


def test_every_explained_mutant_is_one_that_there_is() -> None:
    there = {
        one.name
        for suite in mutation.SUITES.values()
        for module in suite.modules
        for one in mutants.Source(module).mutants
    }
    assert mutation.reasons().keys() <= there


def test_what_we_depend_on_fits() -> None:
    assert not audit.broken(audit.run())


def test_the_page_has_the_figures_of_the_committed_result() -> None:
    text = report.PAGE.read_text()
    assert text.count(report.BEGIN) == text.count(report.END) == 1
    assert report.page(text, json.loads(report.RESULT.read_text())) == text, (
        "run tools/arena_campaign.py --only audit --page"
    )


def test_figures_say_what_was_not_run_and_what_is_open() -> None:
    run = {"date": "2026-01-02", "cores": 8, "load": 0.5, "seconds": 60}
    explained = next(iter(mutation.reasons()))
    table = {"mutants": 9, "tried": 4, "survived": ["table.py f: 1 -> 2", explained]}
    found = {
        "disks": run | {"full: not run": "this user may mount no disk"},
        "mutation": run | {"modules": {"table.py": table}},
    }
    told = report.figures(found)
    assert "2026-01-02, on 8 cores" in told and "load 0.5" in told
    assert "full: not run: this user may mount no disk" in told
    assert "| kernel | 9 | 4 | 2 | 1 | 1 |" in told
    assert "| all | 9 | 4 | 2 | 1 | 1 |" in told
    assert "- `table.py f: 1 -> 2`\n" in told and f"- `{explained}`" not in told
