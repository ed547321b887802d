"""Sdist and wheel, in empty environments, with each extra alone.

The wheel is built from the sdist, so what it lacks the sdist lacks too. Packages come from uv's
cache where it has them, so that nothing is downloaded twice.

``make campaign`` tries the commands that take long as well.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.helpers.installing import uv
from tests.helpers.places import ROOT
from tests.helpers.width import WIDE

EXTRAS = ("solve", "chain", "postgres", "lab", "cluster", "rl", "openspiel")
BUILT = ROOT / "src" / "fairground" / "web" / "page"
OF_THE_PAGE = ("index.html", "verify.html", "check.mjs", "NOTICES.txt")
DICE = ["2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"]
SIMULATE = ["simulate", "fatestones", "--games", "3", "--players", "random,random", "--seed", "7"]


class Probe(NamedTuple):
    """A command that needs an extra, and how it ends where that is installed."""

    extra: str | None
    command: list[str]
    exit_code: int
    says: str
    """On standard output or standard error."""
    slow: bool = False


ENVIRONMENTS = """
import sys
import fairground as fg
try:
    from fairground.lab.environments import {module}
except fg.MissingExtra as missing:
    print(missing, file=sys.stderr)
    sys.exit(2)
{then}
"""
GYMNASIUM = """
import gymnasium
env = gymnasium.make("fairground/FateStones-v1", players=["random"])
env.reset(seed=1)
print("dealt")
"""
OPENSPIEL = 'print(openspiel.load("fatestones").new_initial_state().is_chance_node())'

PROBES = [
    Probe(None, ["--version"], 0, "fairground 0."),
    Probe(None, ["dice", *DICE, "--save", "game.jsonl"], 3, "guess my selection"),
    Probe(None, ["verify", "game.jsonl"], 0, "game.jsonl is valid"),
    Probe(None, ["solve", "fatestones", "--mine", "111666", "--theirs", "222555"], 0, "1/2"),
    Probe("solve", ["codebreaking", "--oracle", "evil", "--no-save"], 3, "input ended"),
    Probe("solve", ["solve", "zombie"], 0, "0.46479", slow=True),
    Probe("solve", ["solve", "poker", "--all"], 0, "0.9954", slow=True),
    Probe("chain", ["bank", "key", "key.json"], 2, "FAIRGROUND_PASSPHRASE"),
    Probe("chain", ["croupier", "--hands", "1", "--no-save"], 3, "to decide", slow=True),
    Probe(
        "postgres",
        ["serve", "--port", "0", "--database", "postgresql://nobody@127.0.0.1:1/none"],
        2,
        "cannot connect",
    ),
    Probe("lab", [*SIMULATE, "--out", "rows.parquet"], 0, "rows.parquet"),
    Probe("cluster", [*SIMULATE, "--cluster", "tcp://127.0.0.1:1"], 2, "no Dask scheduler"),
    Probe("rl", ["-c", ENVIRONMENTS.format(module="gymnasium_env", then=GYMNASIUM)], 0, "dealt"),
    Probe("openspiel", ["-c", ENVIRONMENTS.format(module="openspiel", then=OPENSPIEL)], 0, "True"),
]

PROGRAM = """
import fairground as fg
table = fg.open("fatestones", seats=["optimal", "greedy"]).play()
assert fg.verify(table).ok
assert fg.solve("intransitive").value
try:
    fg.solve("zombie", brains_to_win=1)
except fg.MissingExtra as missing:
    print(missing)
"""


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    environment |= {"HOME": str(cwd), "XDG_CACHE_HOME": str(cwd / "cache")}
    return subprocess.run(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False, timeout=300,
    )  # fmt: skip


def installed(folder: Path, what: str) -> Path:
    """An empty environment with this alone."""
    uv("venv", folder, "--python", sys.executable)
    uv("pip", "install", "--python", folder / "bin" / "python", what)
    return folder / "bin"


def test_sdist_and_wheel_work_alone_and_with_each_extra_alone(tmp_path: Path) -> None:
    uv("build", ROOT, "-o", tmp_path / "dist")
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    (sdist,) = (tmp_path / "dist").glob("*.tar.gz")
    page = {f"fairground/web/page/{path.name}" for path in BUILT.iterdir()}
    assert {f"fairground/web/page/{name}" for name in OF_THE_PAGE} <= page
    documents = {f"fairground/web/{one.name}" for one in BUILT.parent.glob("docs.zip")}
    assert set(shipped(wheel)) == {*in_the_tree(), *page, *documents}
    assert {"Makefile", "README.md", "examples", "src", "tests"} <= set(top_of(sdist))

    base = installed(tmp_path / "base", str(sdist))
    in_its_place(base, tmp_path, None)
    told = run(base / "python", "-c", PROGRAM, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert "fairground[solve]" in told.stdout
    serves_its_page(base, tmp_path)

    for extra in EXTRAS:
        made = installed(tmp_path / extra, f"fairground[{extra}] @ {wheel.as_uri()}")
        in_its_place(made, tmp_path, extra)


def serves_its_page(bin_folder: Path, cwd: Path) -> None:
    """Serve without Deno and Node: the page was built before."""
    arena = subprocess.Popen(
        [bin_folder / "fairground", "serve", "--port", "0", "--database", "sqlite:///arena.db"],
        cwd=cwd, env={"PATH": "", "HOME": str(cwd)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert arena.stdout is not None
        url = next(line for line in arena.stdout if "http://" in line).split()[-1]
        for address, says in (("/", "/main."), ("/verify.html", "default-src 'none'")):
            with urllib.request.urlopen(url + address, timeout=60) as answer:
                assert says in answer.read().decode()
    finally:
        arena.terminate()
        arena.communicate(timeout=60)
    made = run(bin_folder / "fairground", "verify", "--page", "copy.html", cwd=cwd)
    page = (cwd / "copy.html").read_bytes()
    assert f"SHA-256 {hashlib.sha256(page).hexdigest()}" in made.stdout
    assert page == (BUILT / "verify.html").read_bytes()


def in_its_place(bin_folder: Path, cwd: Path, extra: str | None) -> None:
    """Installed parts work; a command without its extra says which it needs."""
    for probe in PROBES:
        if probe.slow and not WIDE:
            continue
        if extra is not None and probe.extra != extra and not WIDE:
            continue
        program = "python" if probe.command[0] == "-c" else "fairground"
        done = run(bin_folder / program, *probe.command, cwd=cwd)
        what = f"with {extra}: {probe.command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, what
        if probe.extra in (None, extra):
            assert done.returncode == probe.exit_code, what
            assert probe.says in done.stdout + done.stderr, what
        else:
            assert done.returncode == 2, what
            assert f"fairground[{probe.extra}]" in done.stderr, what


def shipped(wheel: Path) -> Iterator[str]:
    with zipfile.ZipFile(wheel) as names:
        yield from (name for name in names.namelist() if ".dist-info/" not in name)


def in_the_tree() -> Iterator[str]:
    """Yield the files below src that git keeps or would keep: no bytecode."""
    told = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    there = (name for name in told.stdout.splitlines() if (ROOT / name).exists())
    return (name.removeprefix("src/") for name in there)


def top_of(sdist: Path) -> Iterator[str]:
    with tarfile.open(sdist) as names:
        yield from (name.split("/")[1] for name in names.getnames())


def test_make_install_installs_and_starts_nothing() -> None:
    """On a fresh clone, as make would run it."""
    told = subprocess.run(
        ["make", "-n", "-B", "--no-print-directory", "install"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    setup, said = told.stdout.splitlines()
    assert setup == "tools/setup .ready"
    assert said.startswith("echo ")
