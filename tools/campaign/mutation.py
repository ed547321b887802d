"""Our own code with one mistake in it: do the tests notice?

A mutant (`mutants`) that no test notices has survived: either a test is missing, or the change
makes no difference. `survivors.toml` says which make none, and why.

What makes this quick: the tests are loaded once. They are run once without a mistake, and which
test runs which line is written down. Then each mutant has a process of its own, a fork of the one
that has loaded everything. There its function gets other code in place, and only the tests that
run the changed lines are run, up to the first that fails: first those that noticed other mutants of
this function or module, then the quick ones. A change outside of all functions needs everything of
ours to be loaded again.

The time is bounded. Modules come in a seeded order, each whole before the next. What an earlier
campaign found stays while the module has the same text; modules that were never tried come first.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib.abc
import importlib.util
import json
import math
import os
import random
import resource
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from itertools import accumulate
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, NamedTuple, NoReturn

import coverage
import pytest
from hypothesis import Phase, settings
from tools.campaign.mutants import ROOT, Mutant, Source, function_in

REASONS: Final = Path(__file__).with_name("survivors.toml")
"""Mutants that make no difference, by name, each with the reason."""


class Suite(NamedTuple):
    """Modules, and the tests that may notice their mutants."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


KERNEL: Final = Suite(
    (
        *(f"fair/{one}.py" for one in ("bits", "seals", "vault", "chains", "hmac_user", "contest")),
        *(f"fair/{one}.py" for one in ("schemes", "unproven", "register")),
        *("table.py", "verifier.py", "claims.py"),
        *("transcript.py", "core.py"),
    ),
    (
        *("tests/fair", "tests/test_core.py", "tests/test_transcript.py", "tests/test_table.py"),
        *("tests/test_replay.py", "tests/test_verify.py"),
        *("tests/test_claims.py", "tests/test_vectors.py", "tests/test_forgeries.py"),
        *("tests/test_cheating_house.py", "tests/test_playthroughs.py", "tests/test_registry.py"),
        *("tests/test_laws.py", "tests/test_newgame.py", "tests/bank/test_schemes.py"),
    ),
)
GAMES: Final = Suite(
    tuple(
        f"games/{one}/rules.py"
        for one in ("intransitive", "zombie", "fatestones", "codebreaking", "poker")
    ),
    ("tests/games", "tests/test_laws.py", "tests/test_vectors.py", "tests/test_playthroughs.py"),
)
CONTEST: Final = Suite(
    (
        "stats.py",
        *(f"contest/{one}.py" for one in ("games", "book", "standings", "file")),
    ),
    ("tests/contest",),
)
MONEY: Final = Suite(
    (
        *(f"bank/ledger/{one}.py" for one in ("rules", "lines")),
        *("bank/session.py", "bank/croupier/session.py"),
        *("bank/seeds.py", "bank/duties.py", "bank/hand.py"),
    ),
    (
        "tests/bank/test_attacks.py",
        *("tests/bank/test_session_model.py", "tests/bank/test_schemes.py"),
        *("tests/bank/test_prospect.py", "tests/bank/session/test_duties.py"),
        *("tests/bank/test_messages.py", "tests/bank/test_bank_port.py"),
        *("tests/bank/test_restored.py", "tests/bank/session/test_programs.py"),
        *("tests/bank/croupier/test_croupier.py", "tests/bank/croupier/test_scheduler.py"),
        *("tests/bank/ledger/test_rules.py", "tests/bank/ledger/test_bank.py"),
        *("tests/bank/chain/test_game.py", "tests/bank/chain/test_sessions.py"),
        *("tests/bank/ledger/test_snapshots.py", "tests/bank/croupier/test_duties.py"),
        *("tests/bank/player/test_player.py", "tests/bank/player/test_checks.py"),
        "tests/bank/session/test_refusals.py",
    ),
)
"""Without the tests that start a node: those wait for it, each mutant anew."""

SUITES: Final = {"kernel": KERNEL, "games": GAMES, "contest": CONTEST, "money": MONEY}

WITHIN: Final = 30.0
"""Seconds of tests in which a mutant must be noticed. The slowest are left out: what they alone
would notice is a mistake that nobody hears of soon, and a campaign could not try all mutants."""

SLOWER: Final = 5
"""Time limit of a test: this multiple of its usual time, plus these seconds."""

WAITING: Final = 60
"""Seconds of the clock that a test may wait for what never comes, beyond ten times its own time."""

MOST: Final = 3 << 30
"""Bytes of memory that they may take: a mistake can make a list grow forever."""

NOTICED: Final = "noticed"
SURVIVED: Final = "survived"

AGAIN: Final = 77
"""The exit code of a process whose function could not be given other code in place."""


class Recorded(NamedTuple):
    """Which tests run which lines, and how long each test takes."""

    lines: dict[str, dict[int, set[str]]]
    """Module, line, tests."""
    seconds: dict[str, float]

    def tests_of(self, mutant: Mutant) -> tuple[list[str], bool]:
        """Those that could notice it, the quickest first; and whether they run its lines.

        What stands outside of all functions is read by tests that run no line of the module, too:
        those come last.
        """
        lines = self.lines[mutant.module]
        wanted = range(mutant.line, mutant.until + 1) if mutant.where else lines
        found = set().union(*(lines.get(line, set()) for line in wanted))
        run_it = bool(mutant.where and found)
        every = found if run_it else self.seconds.keys()
        return sorted(every, key=lambda one: (one not in found, self.seconds[one], one)), run_it

    def within(self, tests: Sequence[str]) -> list[str]:
        """Return the first of these that fit the time; at least one."""
        sums = accumulate(self.seconds[one] for one in tests)
        return [one for one, taken in zip(tests, sums, strict=True) if taken <= WITHIN] or [
            *tests[:1]
        ]


class Caught:
    """Which tests have noticed a mutant so far: they are likely to notice the next one, too."""

    def __init__(self) -> None:
        self._by: dict[tuple[str, ...], Counter[str]] = {}

    def add(self, mutant: Mutant, test: str) -> None:
        for place in (mutant.module,), (mutant.module, mutant.where):
            self._by.setdefault(place, Counter())[test] += 1

    def first(self, mutant: Mutant, tests: list[str]) -> list[str]:
        """These tests in the order in which they should be run."""
        here = self._by.get((mutant.module, mutant.where), Counter())
        near = self._by.get((mutant.module,), Counter())
        return sorted(tests, key=lambda one: (-min(here[one], 1), -min(near[one], 1)))


def reasons() -> dict[str, str]:
    """Why some mutants make no difference, by name."""
    return {
        name: reason
        for reason, names in tomllib.loads(REASONS.read_text()).items()
        for name in names
    }


class _Server:
    """A plugin of pytest: in place of running the tests it has collected, it tries mutants."""

    def __init__(self, try_them: Callable[[pytest.Session], None]) -> None:
        self._try_them = try_them

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """A failure is enough: no smaller example of it is looked for."""
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutants", settings.get_profile("fairground"), phases=phases)
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Every test is loaded now."""
        self._try_them(session)
        return True


OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]


class Trial:
    """One suite, loaded; mutants are tried on it."""

    def __init__(
        self, session: pytest.Session, sources: dict[str, Source], until: float, folder: Path
    ) -> None:
        self._session, self._sources, self._until = session, sources, until
        self._items = {item.nodeid: item for item in session.items}
        self._functions = _functions({str(one.path) for one in sources.values()})
        self._caches = _caches()
        self._recorded: Recorded | None = None
        self._caught = Caught()
        self._folder = folder

    # Without a mistake

    def record(self) -> str:
        """Run every test once, and write down which lines it runs; what is wrong, if anything."""
        with tempfile.TemporaryDirectory(prefix="fairground-mutants-") as place:
            folder = Path(place)
            child = _forked(lambda: self._record(folder))
            code = _waited(child, self._until)
            if code is None:
                return "the time was over before all tests had been run once"
            seconds = json.loads((folder / "seconds").read_text())
            failed = [one for one, taken in seconds.items() if taken is None]
            if code or failed:
                return f"without a mistake these fail: {failed}"
            data = coverage.CoverageData(str(folder / "lines"))
            data.read()
            lines = {
                name: {
                    line: set(tests) & seconds.keys()
                    for line, tests in data.contexts_by_lineno(str(one.path)).items()
                }
                for name, one in self._sources.items()
            }
        self._recorded = Recorded(lines, seconds)
        return ""

    def _record(self, folder: Path) -> int:
        paths = [str(one.path) for one in self._sources.values()]
        measure = coverage.Coverage(data_file=folder / "lines", include=paths, config_file=False)
        seconds: dict[str, float | None] = {}
        measure.start()
        for name, item in self._items.items():
            self._forget()
            began = time.process_time()
            measure.switch_context(name)
            failed = _fails(self._session, [item])
            seconds[name] = None if failed else round(time.process_time() - began, 4)
        measure.stop()
        measure.save()
        (folder / "seconds").write_text(json.dumps(seconds))
        return 0

    # With one

    def tried(self, mutants: Sequence[Mutant], jobs: int) -> Iterator[tuple[Mutant, str]]:
        """Each mutant, and what came of it."""
        assert self._recorded is not None
        left = list(mutants)[::-1]
        again: set[int] = set()
        running: dict[int, Mutant] = {}
        try:
            while running or (left and time.monotonic() < self._until):
                while left and len(running) < jobs and time.monotonic() < self._until:
                    mutant = left.pop()
                    tests, run_it = self._recorded.tests_of(mutant)
                    anew = id(mutant) in again or not run_it
                    order = self._recorded.within(self._caught.first(mutant, tests))
                    child = _forked(functools.partial(self._try, mutant, order, anew))
                    running[child] = mutant
                for child, mutant in list(running.items()):
                    code = _waited(child, 0)
                    if code is None:
                        continue
                    del running[child]
                    if code == AGAIN:
                        again.add(id(mutant))
                        left.append(mutant)
                        continue
                    if by := self._told_by(child):
                        self._caught.add(mutant, by)
                    yield mutant, NOTICED if code else SURVIVED
                time.sleep(0.004)
        finally:
            for child in running:
                _waited(child, -1)

    def _told_by(self, child: int) -> str:
        """The test that was the last to begin there."""
        path = self._folder / str(child)
        told = path.read_text() if path.exists() else ""
        path.unlink(missing_ok=True)
        return told

    def _try(self, mutant: Mutant, tests: list[str], anew: bool) -> int:
        assert self._recorded is not None
        resource.setrlimit(resource.RLIMIT_AS, (MOST, MOST))
        bounds = _Bounds(self._recorded.seconds, self._folder / str(os.getpid()))
        source = self._sources[mutant.module]
        code = source.code(mutant)
        if anew:
            return _load_again(source, code, tests, bounds)
        inner = function_in(code, mutant.where)
        functions = self._functions.get((str(source.path), mutant.where), [])
        if inner is None or not functions:
            return AGAIN
        for function in functions:
            if len(function.__code__.co_freevars) != len(inner.co_freevars):
                return AGAIN
            function.__code__ = inner
        self._forget()
        self._session.config.pluginmanager.register(bounds)
        return int(_fails(self._session, [self._items[one] for one in tests]))

    def _forget(self) -> None:
        """Results cached by correct code must not hide a mistake."""
        for cache in self._caches:
            cache.cache_clear()


class _Bounds:
    """A plugin of pytest: how long each test may take. A longer test ends the process."""

    def __init__(self, usual: dict[str, float], told: Path) -> None:
        self._usual, self._told = usual, told
        self._allow(WAITING)

    def _allow(self, seconds: float) -> None:
        most = int(time.process_time() + (seconds + 1) * SLOWER) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
        signal.setitimer(signal.ITIMER_REAL, WAITING + 10 * SLOWER * seconds)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._told.write_text(nodeid)
        self._allow(self._usual[nodeid])


def _functions(paths: set[str]) -> dict[tuple[str, str], list[FunctionType]]:
    """All functions of these files that are there, by file and name."""
    found: dict[tuple[str, str], list[FunctionType]] = {}
    for one in gc.get_objects():
        if isinstance(one, FunctionType) and one.__code__.co_filename in paths:
            code = one.__code__
            found.setdefault((code.co_filename, code.co_qualname), []).append(one)
    return found


def _caches() -> list[Any]:
    """Our functions with cached results (`functools.lru_cache`)."""
    kind = type(functools.lru_cache(len))
    found = [one for one in gc.get_objects() if isinstance(one, kind)]
    return [one for one in found if one.__module__.split(".")[0] == "fairground"]


def _fails(session: pytest.Session, items: list[pytest.Item]) -> bool:
    """Return True at the first of these tests that fails."""
    before = session.testsfailed
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed > before:
            return True
    return False


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives other code for one module."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        self._name, self._path, self._code = name, path, code

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        return importlib.util.spec_from_file_location(name, self._path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, module.__dict__)


def _load_again(source: Source, code: CodeType, tests: list[str], bounds: _Bounds) -> int:
    """All of ours is loaded again, with this module changed; then these tests are run."""
    for name in [one for one in sys.modules if one.split(".")[0] in ("fairground", "tests")]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Mutated(source.name, source.path, code))
    return int(pytest.main([*OPTIONS, "-x", *tests], plugins=[bounds]))


def _forked(work: Callable[[], int]) -> int:
    """The number of a process that does this, and ends with what it gives as exit code."""
    child = os.fork()
    if child == 0:
        _work(work)
    return child


def _work(work: Callable[[], int]) -> NoReturn:
    code = 1
    try:
        os.setpgid(0, 0)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nowhere, number)
        sys.dont_write_bytecode = True
        code = work()
    finally:
        os._exit(code)


def _waited(child: int, until: float) -> int | None:
    """Its exit code. ``until`` 0: ``None`` if it still runs. Else it is ended when that is over."""
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child, signal.SIGKILL)  # what its tests have started
            return os.waitstatus_to_exitcode(status)
        if until == 0:
            return None
        if time.monotonic() > until:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -signal.SIGKILL if until < 0 else None
        time.sleep(0.02)


def run(
    seconds: float,
    chance: random.Random,
    suites: dict[str, Suite] | None = None,
    before: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Try mutants until the time is over; what came of them by module. Suites share the time.

    ``before`` is what an earlier campaign found. It stays for modules that have the same text.
    """
    suites = suites or SUITES
    old = (before or {}).get("modules", {})
    modules: dict[str, dict[str, Any]] = {}
    wrong: dict[str, str] = {}
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="fairground-mutants-") as place:
        for left, (name, suite) in zip(range(len(suites), 0, -1), suites.items(), strict=True):
            sources = {module: Source(module) for module in suite.modules}
            for module, source in sources.items():
                fresh = {"text": source.digest, "mutants": len(source.mutants), "tried": 0}
                known = old.get(module, {})
                is_same = known.get("text") == source.digest
                modules[module] = known if is_same else {**fresh, "survived": []}
            order = chance.sample(suite.modules, len(suite.modules))
            order.sort(key=lambda module: modules[module]["tried"] == modules[module]["mutants"])
            now, folder = time.monotonic(), Path(place) / name
            folder.mkdir()
            work = functools.partial(
                _try_suite, suite, order, chance, now + (until - now) / left, folder
            )
            _waited(_forked(work), math.inf)
            found = {module: _found(sources[module], folder) for module in suite.modules}
            for module, now_found in found.items():
                if now_found["tried"] and now_found["tried"] >= modules[module]["tried"]:
                    modules[module] = now_found
            if (folder / "wrong").exists():
                wrong[name] = (folder / "wrong").read_text()
    return {"modules": modules, **({"not run": wrong} if wrong else {})}


def _found(source: Source, folder: Path) -> dict[str, Any]:
    """The results of a module's mutants."""
    told = folder / source.name
    ends = [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else []
    survived = sorted(name for name, end in ends if end == SURVIVED)
    counted = {"mutants": len(source.mutants), "tried": len(ends)}
    return {"text": source.digest, **counted, "survived": survived}


def _try_suite(
    suite: Suite, modules: Sequence[str], chance: random.Random, until: float, folder: Path
) -> int:
    """In a process of its own: load a suite, try its mutants, write down what came of each."""
    sources = {module: Source(module) for module in modules}

    def try_them(session: pytest.Session) -> None:
        trial = Trial(session, sources, until, folder)
        if failed := trial.record():
            (folder / "wrong").write_text(failed)
            return
        for source in sources.values():
            mutants = chance.sample(source.mutants, len(source.mutants))
            with (folder / source.name).open("w") as told:
                for mutant, end in trial.tried(mutants, os.cpu_count() or 1):
                    told.write(json.dumps([mutant.name, end]) + "\n")
                    told.flush()

    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT / "src"), str(ROOT)]
    return int(pytest.main([*OPTIONS, *suite.tests], plugins=[_Server(try_them)]))
