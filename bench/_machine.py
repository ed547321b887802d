"""Shared by every bench: CPU time, medians with their spread, and the folder of results.

Figures mean nothing without the machine, so each result names the processor, the number
of cores, the Python version, the date and how busy the machine was; and nothing that
could tell whose machine it is.
"""

from __future__ import annotations

import datetime
import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

RESULTS: Final = Path(__file__).parent / "results"

Samples = dict[str, list[float]]
"""Name of a measurement → CPU seconds, one for each repetition."""


def machine() -> dict[str, Any]:
    """Processor, cores, Python, date and load."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
        "load": round(os.getloadavg()[0], 2),
    }


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def cpu_seconds(work: Callable[[], object]) -> float:
    """The CPU time of this process that one call takes."""
    gc.collect()
    begin = time.process_time()
    work()
    return time.process_time() - begin


def child_cpu_seconds(command: Sequence[str], env: Mapping[str, str], exits: int = 0) -> float:
    """The CPU time, user and system, of a child that reads from nowhere."""
    child = subprocess.Popen(
        command,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != exits:
        raise SystemExit(f"{command[-1]!r} ended with {child.returncode}, not {exits}")
    return usage.ru_utime + usage.ru_stime


def side_by_side(measures: Mapping[str, Callable[[], float]], repetitions: int) -> Samples:
    """Take turns, so that a busy moment of the machine falls on everyone alike."""
    samples: Samples = {name: [] for name in measures}
    for measure in measures.values():
        measure()  # warm up: bytecode and caches are there before anything counts
    for _ in range(repetitions):
        for name, measure in measures.items():
            samples[name].append(measure())
    return samples


def summary(samples: Samples) -> dict[str, dict[str, float]]:
    """Median and spread (lowest, highest) of each."""
    return {
        name: {
            "median": _rounded(median(values)),
            "lowest": _rounded(min(values)),
            "highest": _rounded(max(values)),
        }
        for name, values in samples.items()
    }


def ratio(samples: Samples, of: str, to: str) -> dict[str, float]:
    """``of`` divided by ``to``, repetition by repetition: median and spread."""
    ratios = [a / b for a, b in zip(samples[of], samples[to], strict=True)]
    return summary({"": ratios})[""]


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def write(name: str, result: Mapping[str, Any]) -> None:
    """Print the result, and keep it as ``results/NAME.json``."""
    text = json.dumps({"bench": name, "machine": machine(), **result}, indent=2)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(text + "\n")
    print(f"written: results/{name}.json", file=sys.stderr)
