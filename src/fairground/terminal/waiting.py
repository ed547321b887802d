"""Waiting for long work: how far it is, or for how long it has been going on.

Progress goes to standard error, and only to a terminal, so that logs stay readable.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")

Advance = Callable[[int, int | None], None]
"""Told how much is done, and of how much, as far as that is known."""


def _watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _progress(what: str, known: bool) -> Progress:
    """Return a bar, or a wheel where nobody knows how much there is to do."""
    from rich import progress
    from rich.console import Console

    columns: list[progress.ProgressColumn] = [progress.TextColumn(what)]
    if known:
        columns += [
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            progress.TimeRemainingColumn(),
        ]
    else:
        columns = [progress.SpinnerColumn("line"), *columns, progress.TimeElapsedColumn()]
    return progress.Progress(*columns, console=Console(stderr=True), transient=not known)


@contextlib.contextmanager
def progress_bar(what: str, in_a_pipe: str = "") -> Iterator[Advance]:
    """Show how far the work is, from the first step on.

    ``in_a_pipe`` is said once instead, where nobody watches.
    """
    with contextlib.ExitStack() as stack:
        update: list[Callable[[int, int | None], None]] = []

        def begin() -> None:
            if not _watched():
                if in_a_pipe:
                    print(in_a_pipe, file=sys.stderr, flush=True)
                update.append(lambda done, total: None)
                return
            bar = stack.enter_context(_progress(what, known=True))
            task = bar.add_task(what, total=None)
            update.append(lambda done, total: bar.update(task, completed=done, total=total))

        def advance(done: int, total: int | None) -> None:
            if not update:
                begin()
            update[0](done, total)

        yield advance


@contextlib.contextmanager
def once(what: str) -> Iterator[Callable[[float], None]]:
    """Show a bar for work that is done once and kept; yield what takes the share done."""
    with progress_bar(what, in_a_pipe=f"{what} (once; it is kept) ...") as advance:
        yield lambda share: advance(int(100 * share), 100)


def patiently(what: str, work: Callable[[], T]) -> T:
    """Do something that may take long; on a terminal, show for how long it has been going on.

    The work has a thread of its own, so that Ctrl-C is heard at once.
    """
    done: list[T] = []
    failed: list[BaseException] = []

    def try_it() -> None:
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    worker = threading.Thread(target=try_it, daemon=True)
    worker.start()
    worker.join(0.3)
    if worker.is_alive() and _watched():
        with _progress(what, known=False) as wheel:
            wheel.add_task(what, total=None)
            while worker.is_alive():
                worker.join(0.1)
    worker.join()
    if failed:
        raise failed[0]
    return done[0]
