"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

Advance = Callable[[int, int | None], None]
"""Told how much is done, and of how much, as far as that is known."""


def _nothing(done: int, total: int | None) -> None:
    """Nobody looks."""


@contextlib.contextmanager
def progress_bar(what: str) -> Iterator[Advance]:
    """Show how far the work is; in a pipe say nothing, so that logs stay readable."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
