"""The page of all figures is what the committed results give, and leaves none of them out."""

from __future__ import annotations

from typing import Any

from tests.helpers.bench import BENCH, load_bench


def made() -> Any:
    return load_bench("page")


def test_the_page_is_made_of_the_results() -> None:
    assert (BENCH / "RESULTS.md").read_text() == made().page(), "run: python bench/page.py"


def test_every_result_has_a_figure_or_is_none() -> None:
    page = made()
    results = {path.stem for path in (BENCH / "results").glob("*.json")}
    assert results <= {figure.bench for figure in page.FIGURES} | page.WITHOUT


def test_what_we_lose_stands_first_and_the_worst_of_it_at_the_top() -> None:
    lost, held = made().page().split("## Where we hold")
    parts = [
        [
            float(line.split("|")[4].replace(",", ""))
            for line in half.splitlines()[4:]
            if "`" in line
        ]
        for half in (lost, held)
    ]
    assert all(part < 1 for part in parts[0]) and parts[0] == sorted(parts[0])
    assert all(part >= 1 for part in parts[1]) and parts[1] == sorted(parts[1])


def test_a_bench_finds_what_it_imports_when_it_is_run_as_a_script() -> None:
    """`python bench/contest.py` has the folder of the bench on its path, and not ours."""
    for path in BENCH.glob("*.py"):
        before, found, _ = path.read_text().partition("\nfrom tests.")
        assert not found or "\nsys.path.insert(0, " in before, path.name
