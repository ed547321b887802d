"""Code breaking, measured: scoring, trees, the evil keeper, breakers against it.

    python bench/codebreaking.py            # everything (some CPU-minutes)
    python bench/codebreaking.py scoring trees evil duel deep breakers

CPU seconds, medians over repetitions; the result goes to bench/results/.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from numba import njit

from _machine import RESULTS, machine
from fairground.fair.bits import SeededStream
from fairground.games.codebreaking.players import (
    AnnealingBreaker,
    Breaker,
    EntropyBreaker,
    EvilKeeper,
    ExpectedBreaker,
    MinimaxBreaker,
    PartsBreaker,
    TreeBreaker,
    best_breaker,
)
from fairground.games.codebreaking.rules import (
    Code,
    CodeBreaking,
    Row,
    State,
    digits,
    fits,
    marks,
)
from fairground.games.codebreaking.solver.scoring import (
    answers_general,
    every_code,
    pack,
    popcount,
)
from fairground.games.codebreaking.solver.search import Searcher
from fairground.games.codebreaking.solver.sets import Listed, spread
from fairground.games.codebreaking.solver.trees import grow

RESULT = RESULTS / "codebreaking.json"
REPEATS = 5
HELD_OUT = 1000
"""The first seed of codes on which no setting of the hunt was tried at (100, 40).

At smaller sizes `hunt.MANY` was chosen with a look at the first twenty.
"""


@njit(cache=True)
def answers_masked(guess: int, places: Any, tallies: Any, length: int, out: Any) -> None:
    """Write the answer of every packed code to the one that is packed at ``guess``.

    It exists for the published figure of scored pairs a second. The searches score many guesses at
    a time.
    """
    place = places[guess]
    tally = tallies[guess]
    for k in range(len(places)):
        full = popcount(place & places[k])
        common = popcount(tally & tallies[k])
        out[k] = np.uint16(full * np.uint64(length) + common)


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
    """The usual code with NumPy alone."""
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

    def __init__(
        self, base: int, length: int, breaker: Breaker, seed: int, mind: str | None = None
    ) -> None:
        game = CodeBreaking(base, length, "evil")
        keeper = EvilKeeper(game, SeededStream("evil", seed), mind)
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
    """Return the guesses that the evil keeper forces on each breaker."""
    out: dict[str, Any] = {}
    kinds = (TreeBreaker, EntropyBreaker, ExpectedBreaker, PartsBreaker, MinimaxBreaker)
    for base, length in ((4, 3), (6, 4), (10, 4), (10, 6), (8, 8)):
        game = CodeBreaking(base, length, "evil")
        row: dict[str, Any] = {}
        for kind in kinds:
            name = kind.strategy or "optimal"
            row[name] = Duel(base, length, kind(game, SeededStream("d")), 0).guesses
        if (base, length) == (6, 4):
            row["optimal:5"] = Duel(6, 4, TreeBreaker(game, SeededStream("d"), "5"), 0).guesses
        row["annealing, mean of 5"] = statistics.mean(
            Duel(base, length, annealing(base, length, k, "200"), k).guesses for k in range(5)
        )
        out[f"({base}, {length})"] = row
        print(f"duel ({base}, {length}): {row}", flush=True)
    return out


class AnyFittingCode(Breaker):
    """Asks any code that still fits."""

    def __init__(self, base: int, length: int, seed: int) -> None:
        self._size = base, length
        self._chance = SeededStream("fitting", seed)

    def guess(self, rows: Sequence[Row]) -> Code | None:
        """One of them, each as likely."""
        left = Listed(*self._size, rows)
        return left.code(self._chance.below(len(left)))


def deep() -> dict[str, Any]:
    """Compare the keeper of the document with perfect play.

    ``worst case`` is what perfect play needs, if that is proven: no keeper forces more on it.
    """
    out: dict[str, Any] = {}
    kinds = (TreeBreaker, EntropyBreaker, ExpectedBreaker, PartsBreaker, MinimaxBreaker)
    for base, length in ((4, 3), (4, 4), (5, 4), (6, 4), (7, 4), (8, 4)):
        game = CodeBreaking(base, length, "evil")
        row: dict[str, Any] = {}
        for kind in kinds:
            name = kind.strategy or "optimal"
            breaker = kind(game, SeededStream("d"))
            row[name] = [Duel(base, length, breaker, 0, mind).guesses for mind in (None, "deep")]
        games = 200 if game.codes < 2000 else 20
        row[f"any fitting code, mean of {games}"] = [
            statistics.mean(
                Duel(base, length, AnyFittingCode(base, length, k), 0, mind).guesses
                for k in range(games)
            )
            for mind in (None, "deep")
        ]
        worst = Searcher(base, length).worst(np.arange(game.codes), ())
        row["worst case"] = {"guesses": int(worst.guesses), "proven": worst.proven}
        slowest = max(Duel(base, length, breaker, 0, "deep").answers)
        row["slowest answer, CPU-seconds"] = round(slowest, 3)
        out[f"({base}, {length})"] = row
        print(f"deep ({base}, {length}): {row}", flush=True)
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


def bits_of_a_first_guess(base: int, length: int) -> float:
    """What the answer to the best first guess tells, over 20,000 drawn codes.

    Guesses with each digit once, twice, three times and four times are compared.
    """
    stream = SeededStream("estimate", base)
    drawn = [digits(stream.below(base**length), base, length) for _ in range(20_000)]
    codes = np.array(drawn, np.uint8)
    guesses = [[place // times % base for place in range(length)] for times in (1, 2, 3, 4)]
    return float(spread(np.array(guesses, np.uint8), codes, base).max())


def hunted(base: int, length: int, seed: int) -> tuple[int, float]:
    """Guesses for a drawn code, and CPU-seconds for each."""
    game = CodeBreaking(base, length, "evil")
    began = time.process_time()
    guesses = guesses_for(best_breaker(game, SeededStream("annealing", seed)), game, seed)
    seconds = (time.process_time() - began) / guesses
    print(f"({base}, {length}) {seed}: {guesses}, {seconds:.2f} CPU-s", flush=True)
    return guesses, seconds


def breakers() -> dict[str, Any]:
    """The best breaker of each size, at its default budget, for codes that it was not tuned on.

    The estimate is the bits of a code divided by those of a first guess. It is no limit: later
    guesses can tell more. Two codes are hunted at a time.
    """
    out: dict[str, Any] = {}
    count = 40
    with ProcessPoolExecutor(2) as pool:
        for base, length in ((10, 6), (16, 8), (20, 10), (36, 12), (100, 40)):
            hunt = partial(hunted, base, length)
            list(pool.map(hunt, (0, 1)))  # compiles
            found = list(pool.map(hunt, range(HELD_OUT, HELD_OUT + count)))
            guesses, seconds = [many for many, _ in found], [each for _, each in found]
            bits = float(np.log2(base) * length)
            told = bits_of_a_first_guess(base, length)
            out[f"({base}, {length})"] = {
                "games": count,
                "guesses": guesses,
                "mean": statistics.mean(guesses),
                "standard error": statistics.stdev(guesses) / count**0.5,
                "most": max(guesses),
                "cpu seconds per guess, mean": statistics.mean(seconds),
                "cpu seconds per guess, most in a game": max(seconds),
                "bits of a code": bits,
                "bits of a first guess": told,
                "estimate": bits / told,
            }
            print(f"breakers ({base}, {length}): {out[f'({base}, {length})']}", flush=True)
    return out


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "scoring": scoring,
    "trees": trees,
    "evil": evil,
    "duel": duel,
    "deep": deep,
    "breakers": breakers,
}


def main(names: list[str]) -> None:
    report: dict[str, Any] = {}
    for name in names or PARTS:
        part = PARTS[name]()
        if RESULT.is_file():
            report = json.loads(RESULT.read_text(encoding="utf-8"))
        report[name] = {"machine": machine(), "figures": part}
        RESULT.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
