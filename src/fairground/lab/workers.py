"""Processes that play at the same time, and stop at once when they are told to."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError, ProcessPoolExecutor
from itertools import starmap
from multiprocessing import active_children, get_context
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

LONGEST_START: Final = 300
"""Seconds that the slowest worker may take to start."""


@contextlib.contextmanager
def workers(count: int) -> Iterator[Executor]:
    """So many processes, which Ctrl-C does not reach but through us.

    They are started afresh, not forked: a fork would copy whatever threads the caller has. They
    are started while Ctrl-C is held back, which they inherit: else each of them would print a
    traceback of its own. Each waits for the others before it begins, so that none is started
    later. When the work is interrupted they are stopped at once, in the middle of whatever they
    do.
    """
    context = get_context("spawn")
    pool = ProcessPoolExecutor(
        count, context, initializer=context.Barrier(count).wait, initargs=(LONGEST_START,)
    )
    try:
        with _held_back():
            for _ in range(count):
                pool.submit(os.getpid)
        yield pool
    except BaseException:
        _stop_at_once(pool)
        raise
    pool.shutdown()


@contextlib.contextmanager
def _held_back() -> Iterator[None]:
    """Ctrl-C arrives here afterwards, and never in processes that are started meanwhile.

    They inherit that it is blocked. Here, another thread (that of a progress bar, say) may not
    block it, and would pass it on to us at once: so we only note it.
    """
    pressed = threading.Event()
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, lambda *_: pressed.set()) if is_main else None
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        if is_main:
            signal.signal(signal.SIGINT, before)
            if pressed.is_set():
                signal.raise_signal(signal.SIGINT)


def in_order(
    task: Callable[..., Result], jobs: Iterable[tuple[Any, ...]], pool: Executor | None
) -> Iterator[Result]:
    """The results of all jobs in their order; without a pool they are done right here.

    Only so many are handed out ahead as keep every worker busy, so that results that wait for
    an earlier one stay few.
    """
    if pool is None:
        yield from starmap(task, jobs)
        return
    ahead = 4 * (os.cpu_count() or 1)
    waiting: deque[Future[Result]] = deque()
    try:
        for job in jobs:
            waiting.append(pool.submit(task, *job))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def _stop_at_once(pool: ProcessPoolExecutor) -> None:
    """End the workers in the middle of their work, without a word.

    The pool's own thread takes their end for an accident and tries to tell futures that were
    cancelled already; Python would print that it could not.
    """
    say = threading.excepthook

    def hush(accident: threading.ExceptHookArgs) -> None:
        if not issubclass(accident.exc_type, InvalidStateError):
            say(accident)

    threading.excepthook = hush
    try:
        for worker in active_children():
            worker.terminate()
        pool.shutdown(cancel_futures=True)
    finally:
        threading.excepthook = say
