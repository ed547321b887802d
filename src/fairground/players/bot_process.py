"""The program in a bot's own process: load its file, then answer one line for each line.

Started by `BotPlayer`. Questions come as JSON lines on standard input (a view travels
pickled: it comes from our own process); answers leave as JSON lines, which `BotPlayer`
trusts with nothing. Prints of the bot go to standard error.
"""

from __future__ import annotations

import base64
import contextlib
import importlib.machinery
import importlib.util
import json
import math
import os
import pickle
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[2]))


def main(path: str, seconds: float, megabytes: int) -> None:
    """Talk until the questions end."""
    questions, answers = _own_pipes()
    _limit_memory(megabytes)
    choose: Callable[..., Any] | None = None
    game: Any = None
    for line in _asked(questions):
        question = json.loads(line)
        answer: dict[str, Any]
        try:
            if choose is None:
                from fairground.games import make_game

                game = make_game(question["game"], question["params"])
                choose = _chooser(_load(path), path)
                answer = {"ready": True}
            else:
                view = pickle.loads(base64.b64decode(question["view"]))
                _limit_processor(seconds)
                answer = {"move": choose(game, view, question["seat"])}
            reply = json.dumps(answer).encode()
        except MemoryError:
            reply = json.dumps({"error": f"it wanted more than {megabytes} MB"}).encode()
        except BaseException as error:
            reply = json.dumps({"error": _described(error, path)}).encode()
        answers.write(reply + b"\n")
        answers.flush()


def _asked(questions: Any) -> Iterator[bytes]:
    """The questions, as they come; with the last of them this process ends at once.

    A thread waits for them, so that a bot lost in thought does not outlive our process.
    """
    lines: SimpleQueue[bytes] = SimpleQueue()

    def listen() -> None:
        for line in questions:
            lines.put(line)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        yield lines.get()


def _own_pipes() -> tuple[Any, Any]:
    """Keep our two pipes to ourselves: a bot that prints or reads must not disturb us."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return questions, answers


def _limit_memory(megabytes: int) -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_processor(seconds: float) -> None:
    """Processor time counts from the start of the process, so the limit moves on."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = math.ceil(used.ru_utime + used.ru_stime + seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _load(path: str) -> ModuleType:
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(Path(path).parent))
    loader = importlib.machinery.SourceFileLoader("bot", path)
    spec = importlib.util.spec_from_loader("bot", loader)
    assert spec is not None
    module = sys.modules["bot"] = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _chooser(module: ModuleType, path: str) -> Callable[..., Any]:
    from fairground.players import Player

    choose = getattr(module, "choose", None)
    if callable(choose):
        return choose  # type: ignore[no-any-return]
    for found in vars(module).values():
        if isinstance(found, type) and issubclass(found, Player) and found.__module__ == "bot":
            return found().choose
    raise TypeError(
        f"{Path(path).name} has neither a function choose(game, view, seat) nor a class "
        "derived from fairground.players.Player"
    )


def _described(error: BaseException, path: str) -> str:
    """The error, and the line of the bot's file that it comes from."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
    if isinstance(error, SyntaxError) and error.filename == path:
        lines.append(error.lineno)
    where = f"line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {str(error)[:1000]}"


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
