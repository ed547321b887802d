"""Start-up time of commands, against the modules that they need.

The floor is ``python -c "import argparse, hmac, secrets, json"``. A game is started, and the CPU
time that it has used is read when its first prompt has been shown; then it is ended. ``verify``,
``solve dice`` and ``--help`` are run to their end. Of the Croupier only the main thread is counted:
its Bank opens in another one while the person reads, from the moment of the prompt on.

As on any installed program, bytecode is compiled beforehand (by the warm-up, into a
directory of its own), for the floor and for us alike. The same is measured without any bytecode
of ours, as in a read-only source tree: then every start compiles our sources again. How much of it
that is, is told by itself: the lines that a command has imported by then, and what it takes just to
compile them. No start without bytecode can be quicker than that, the floor and the rest together.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from _machine import child_cpu_seconds, cpu_seconds, ratio, side_by_side, summary, write

REPETITIONS: Final = 11
TARGET: Final = 2
FLOOR: Final = "python -c 'import argparse, hmac, secrets, json'"
DICE: Final = ("2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3")
ROOT: Final = Path(__file__).parent.parent

PROMPTS: Final[dict[str, tuple[tuple[str, ...], bytes]]] = {
    "fairground dice": (("dice", *DICE), b"Your selection:"),
    "fairground codebreaking": (("codebreaking",), b"(enter: none):"),
    "fairground zombie": (("zombie",), b"An empty line ends the game."),
    "fairground fatestones": (("fatestones",), b"for the deal:"),
    "fairground croupier": (("croupier",), b"q quits):"),
}
"""Measured command → arguments, and a text of its first prompt."""

WHOLE: Final[dict[str, tuple[str, ...]]] = {
    "fairground --help": ("--help",),
    "fairground verify": (
        "verify",
        str(ROOT / "tests/playthroughs/fatestones-1-deal--hash-chains-chain.jsonl"),
    ),
    "fairground solve dice": ("solve", "dice", *DICE),
}


def until_prompt(command: list[str], prompt: bytes, env: Mapping[str, str]) -> float:
    """The CPU time of a child until it has shown this."""
    return _shown_and_spent(command, prompt, env)[1]


def _shown_and_spent(
    command: list[str], prompt: bytes, env: Mapping[str, str]
) -> tuple[bytes, float]:
    child = subprocess.Popen(
        command,
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
    )
    assert child.stdout is not None
    shown = b""
    while prompt not in shown:
        more = child.stdout.read(4096)
        if not more:
            raise SystemExit(f"{command} ended before its prompt: {shown.decode()}")
        shown += more
    main_thread = int(Path(f"/proc/{child.pid}/schedstat").read_text().split()[0]) / 1e9
    child.kill()
    _, _, usage = os.wait4(child.pid, 0)
    child.returncode = -signal.SIGKILL
    child.communicate()
    spent = main_thread if "croupier" in command else usage.ru_utime + usage.ru_stime
    return shown, spent


def compiling(env: Mapping[str, str]) -> dict[str, Any]:
    """Of each command: which of our sources it has imported by then, and what compiling costs."""
    wanted = {name: (arguments, b"") for name, arguments in WHOLE.items()} | PROMPTS
    return {name: _compiled(arguments, prompt, env) for name, (arguments, prompt) in wanted.items()}


def _compiled(arguments: tuple[str, ...], prompt: bytes, env: Mapping[str, str]) -> dict[str, Any]:
    command = [sys.executable, "-v", "-m", "fairground", *arguments]  # which tells all imports
    if prompt:
        told, _ = _shown_and_spent(command, prompt, env)
    else:
        told = subprocess.run(command, env=dict(env), capture_output=True, check=True).stderr
    names = {b"fairground.__main__", *re.findall(rb"import '(fairground[\w.]*)' #", told)}
    files = [_source(name.decode()) for name in names]
    texts = [(file.read_text(), str(file)) for file in files]

    def compile_all() -> None:
        for text, file in texts:
            compile(text, file, "exec", dont_inherit=True)

    spent = [cpu_seconds(compile_all) for _ in range(REPETITIONS)]
    lines = sum(text.count("\n") for text, _ in texts)
    return {"modules": len(files), "lines": lines, **summary({"": spent})[""]}


def _source(name: str) -> Path:
    place = ROOT / "src" / name.replace(".", "/")
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def measured(env: Mapping[str, str]) -> dict[str, Any]:
    """Every command beside the floor."""
    ours = [str(Path(sys.executable).with_name("fairground"))]
    floor = [sys.executable, "-c", "import argparse, hmac, secrets, json"]
    samples = side_by_side(
        {
            FLOOR: partial(child_cpu_seconds, floor, env),
            **{name: partial(child_cpu_seconds, [*ours, *a], env) for name, a in WHOLE.items()},
            **{
                name: partial(until_prompt, [*ours, *arguments], prompt, env)
                for name, (arguments, prompt) in PROMPTS.items()
            },
        },
        REPETITIONS,
    )
    return {
        "cpu_seconds": summary(samples),
        "times_the_floor": {name: ratio(samples, name, FLOOR) for name in samples if name != FLOOR},
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "XDG_DATA_HOME": home, "PYTHONPATH": str(ROOT / "src")}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        with_bytecode = measured({**env, "PYTHONPYCACHEPREFIX": f"{home}/cache"})
        # A copy of our sources without bytecode; the standard library keeps its own.
        bare = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "src", f"{home}/src", ignore=bare)
        without = measured({**env, "PYTHONPATH": f"{home}/src", "PYTHONDONTWRITEBYTECODE": "1"})
        without["compiling alone, CPU seconds"] = compiling(env)
    write(
        "startup",
        {
            "unit": "CPU seconds, user and system, of a child process",
            "repetitions": REPETITIONS,
            **with_bytecode,
            "without our bytecode": without,
            "target": f"at most {TARGET} times the floor",
        },
    )


if __name__ == "__main__":
    main()
