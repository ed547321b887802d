"""Code breaking, measured: scoring, trees, the evil keeper, breakers against it.

    python bench/codebreaking.py            # everything (some CPU-minutes)
    python bench/codebreaking.py scoring trees evil duel breakers

CPU seconds, medians over repetitions; the result goes to bench/results/.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from fairground.fair.bits import SeededStream
from fairground.games.codebreaking import CodeBreaking, Row, State, digits, fits, marks
from fairground.players.codebreaking.breakers import (
    AnnealingBreaker,
    Breaker,
    EntropyBreaker,
    ExpectedBreaker,
    MinimaxBreaker,
    OptimalBreaker,
    PartsBreaker,
)
from fairground.players.codebreaking.evil import EvilKeeper
from fairground.solve.codebreaking.kernels import answers_general, answers_masked, every_code, pack
from fairground.solve.codebreaking.trees import grow

RESULT = Path(__file__).parent / "results" / "codebreaking.json"
REPEATS = 5
HELD_OUT = 1000
"""The first seed of codes on which no setting of the hunt was ever tried."""


def machine() -> dict[str, Any]:
    model = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        lines = [x for x in info.read_text(encoding="utf-8").splitlines() if "model name" in x]
        model = lines[0].partition(":")[2].strip() if lines else model
    return {"cpu": model, "cores": os.cpu_count(), "python": platform.python_version()}


def timed(work: Callable[[], object], repeats: int = REPEATS) -> dict[str, float]:
    """CPU seconds of a piece of work: median, least and most."""
    work()
    seconds = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        seconds.append(time.process_time() - began)
    return {"median": statistics.median(seconds), "least": min(seconds), "most": max(seconds)}


def rate(pairs: int, seconds: dict[str, float]) -> dict[str, float]:
    """Pairs per CPU-second."""
    return {
        "median": pairs / seconds["median"],
        "least": pairs / seconds["most"],
        "most": pairs / seconds["least"],
    }


def numpy_marks(guess: np.ndarray[Any, Any], codes: np.ndarray[Any, Any], base: int) -> Any:
    """What one writes with NumPy alone."""
    full = (codes == guess).sum(axis=1)
    common = sum(np.minimum((codes == d).sum(axis=1), (guess == d).sum()) for d in range(base))
    return full, common - full


def scoring() -> dict[str, Any]:
    out: dict[str, Any] = {}
    for base, length, count in ((10, 4, 10_000), (8, 8, 100_000), (100, 40, 5_000)):
        if base**length == count:
            codes = every_code(base, length)
        else:
            stream = SeededStream("bench", base)
            codes = np.array(
                [digits(stream.below(base**length), base, length) for _ in range(count)], np.uint8
            )
        answers = np.empty(count, np.uint16)
        row: dict[str, Any] = {}
        if base * length <= 64:
            places, tallies = pack(codes, base)

            def masked(
                places: Any = places, tallies: Any = tallies, n: int = length, out: Any = answers
            ) -> None:
                for k in range(200):
                    answers_masked(k, places, tallies, n, out)

            row["bit masks"] = rate(200 * count, timed(masked))

        def general(codes: Any = codes, base: int = base, out: Any = answers) -> None:
            for k in range(20):
                answers_general(codes[k], codes, base, out)

        row["general"] = rate(20 * count, timed(general))
        row["plain NumPy"] = rate(
            2 * count,
            timed(lambda c=codes, b=base: [numpy_marks(c[k], c, b) for k in range(2)]),  # type: ignore[misc]
        )
        plain = [tuple(map(int, code)) for code in codes[:2000]]
        row["plain Python"] = rate(
            len(plain),
            timed(lambda p=plain: [marks(code, p[0]) for code in p]),  # type: ignore[misc]
        )
        out[f"({base}, {length})"] = row
    data = np.ones(32_000_000, np.uint64)
    seconds = timed(data.max)
    bandwidth = data.nbytes / seconds["median"]
    # A masked pair reads 16 bytes and writes 2.
    out["memory bandwidth, read, bytes per CPU-second"] = bandwidth
    out["pairs per CPU-second at that bandwidth, bit masks"] = bandwidth / 18
    return out


def trees() -> dict[str, Any]:
    out: dict[str, Any] = {}
    for base, length, strategy, repeats in (
        (6, 4, "optimal", 5),
        (6, 4, "optimal:5", 5),
        (6, 4, "entropy", 5),
        (6, 4, "expected", 5),
        (6, 4, "parts", 5),
        (6, 4, "minimax", 5),
        (10, 4, "entropy", 5),
        (10, 4, "expected", 1),
        (10, 4, "parts", 1),
        (10, 4, "minimax", 1),
        (10, 4, "beam", 1),
        (8, 5, "entropy", 1),
        (8, 5, "beam", 1),
    ):
        tree = grow(base, length, strategy)
        figures = tree.figures()
        keys = ("total", "average", "worst", "distribution", "proven")
        row = {key: figures[key] for key in keys}
        row["decimal"] = figures["total"] / figures["codes"]
        seconds = []
        for _ in range(repeats):
            began = time.process_time()
            grow(base, length, strategy)
            seconds.append(time.process_time() - began)
        row["cpu seconds"] = {
            "median": statistics.median(seconds),
            "least": min(seconds),
            "most": max(seconds),
            "repetitions": repeats,
        }
        out[f"({base}, {length}) {strategy}"] = row
        print(f"({base}, {length}) {strategy}: {row}", flush=True)
    return out


class Duel:
    """One game of a breaker against the evil keeper, timed and checked."""

    def __init__(self, base: int, length: int, breaker: Breaker, seed: int) -> None:
        game = CodeBreaking(base, length, "evil")
        keeper = EvilKeeper(game, SeededStream("evil", seed))
        self.answers: list[float] = []
        self.inconsistent = 0
        s = game.start()
        while s.phase != "show":
            s = game.played(s, {1: breaker.choose(game, s, 1)})
            began = time.process_time()
            answer = keeper.choose(game, s, 0)
            self.answers.append(time.process_time() - began)
            s = game.played(s, {0: answer})
        # The last answer concedes; it may search for long, and is timed apart.
        self.concession = self.answers.pop()
        s = game.played(s, {0: keeper.choose(game, s, 0)})
        self.guesses = len(s.rows)
        self.remark = keeper.remarks[-1]
        for k in range(len(s.rows)):
            if s.shown is None or not fits(s.shown, s.rows[: k + 1]):
                self.inconsistent += 1


def annealing(base: int, length: int, seed: int, rounds: str) -> Breaker:
    game = CodeBreaking(base, length, "evil")
    return AnnealingBreaker(game, SeededStream("annealing", seed), rounds)


def evil() -> dict[str, Any]:
    Duel(20, 10, annealing(20, 10, 0, "5"), 0)
    out: dict[str, Any] = {}
    games = wrong = 0
    for base, length, count, rounds in (
        (6, 4, 20, "50"),
        (10, 6, 15, "100"),
        (8, 8, 10, "100"),
        (20, 10, 10, "200"),
        (100, 40, 2, "400"),  # the hunt itself needs minutes for each game here
    ):
        duels = [Duel(base, length, annealing(base, length, k, rounds), k) for k in range(count)]
        answers = [seconds for duel in duels for seconds in duel.answers]
        games += count
        wrong += sum(duel.inconsistent for duel in duels)
        out[f"({base}, {length})"] = {
            "games": count,
            "answers": len(answers),
            "p50 cpu seconds": float(np.quantile(answers, 0.5)),
            "p99 cpu seconds": float(np.quantile(answers, 0.99)),
            "worst cpu seconds": max(answers),
            "concession, median cpu seconds": statistics.median(d.concession for d in duels),
            "concession, worst cpu seconds": max(d.concession for d in duels),
            "concessions proven forced": sum("not proven" not in d.remark for d in duels),
            "guesses forced, mean": statistics.mean(d.guesses for d in duels),
            "inconsistent answers": sum(d.inconsistent for d in duels),
        }
        print(f"evil ({base}, {length}): {out[f'({base}, {length})']}", flush=True)
    return {**out, "games": games, "inconsistent answers": wrong}


def duel() -> dict[str, Any]:
    """How many guesses the evil keeper forces on each breaker."""
    out: dict[str, Any] = {}
    kinds = (OptimalBreaker, EntropyBreaker, ExpectedBreaker, PartsBreaker, MinimaxBreaker)
    for base, length in ((4, 3), (6, 4), (10, 4), (10, 6), (8, 8)):
        game = CodeBreaking(base, length, "evil")
        row: dict[str, Any] = {}
        for kind in kinds:
            name = kind.__name__.removesuffix("Breaker").lower()
            row[name] = Duel(base, length, kind(game, SeededStream("d")), 0).guesses
        if (base, length) == (6, 4):
            row["optimal:5"] = Duel(6, 4, OptimalBreaker(game, SeededStream("d"), "5"), 0).guesses
        row["annealing, mean of 5"] = statistics.mean(
            Duel(base, length, annealing(base, length, k, "200"), k).guesses for k in range(5)
        )
        out[f"({base}, {length})"] = row
        print(f"duel ({base}, {length}): {row}", flush=True)
    return out


def guesses_for(breaker: Breaker, game: CodeBreaking, seed: int) -> int:
    """Guesses for a drawn code."""
    code = digits(SeededStream("codes", seed).below(game.codes), game.base, game.length)
    rows: tuple[Row, ...] = ()
    while True:
        guess = breaker.choose(game, State("guess", rows=rows), 1)
        assert isinstance(guess, tuple)
        answer = marks(code, guess)  # type: ignore[arg-type]
        rows = (*rows, Row(guess, answer))  # type: ignore[arg-type]
        if answer[0] == game.length:
            return len(rows)


def breakers() -> dict[str, Any]:
    """The hunt, at its default budget, for drawn codes that it was not tuned on."""
    out: dict[str, Any] = {}
    for base, length, count in ((20, 10, 20), (100, 40, 20)):
        game = CodeBreaking(base, length, "evil")
        guesses, seconds = [], []
        for k in range(HELD_OUT, HELD_OUT + count):
            began = time.process_time()
            hunter = AnnealingBreaker(game, SeededStream("annealing", k))
            guesses.append(guesses_for(hunter, game, k))
            seconds.append((time.process_time() - began) / guesses[-1])
        out[f"({base}, {length})"] = {
            "games": count,
            "guesses": guesses,
            "mean": statistics.mean(guesses),
            "standard error": statistics.stdev(guesses) / count**0.5,
            "most": max(guesses),
            "cpu seconds per guess, mean": statistics.mean(seconds),
        }
        print(f"annealing ({base}, {length}): {out[f'({base}, {length})']}", flush=True)
    return out


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "scoring": scoring,
    "trees": trees,
    "evil": evil,
    "duel": duel,
    "breakers": breakers,
}


def main(names: list[str]) -> None:
    report: dict[str, Any] = {}
    for name in names or PARTS:
        part = PARTS[name]()
        if RESULT.is_file():
            report = json.loads(RESULT.read_text(encoding="utf-8"))
        today = datetime.now(UTC).date().isoformat()
        report[name] = {"date": today, "machine": machine(), "figures": part}
        RESULT.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
