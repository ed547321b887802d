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
from typing import Any, TypeVar

Result = TypeVar("Result")


@contextlib.contextmanager
def workers(count: int) -> Iterator[Executor]:
    """So many processes, which Ctrl-C does not reach but through us.

    They are started afresh, not forked: a fork would copy whatever threads the caller has. They
    are started while Ctrl-C is held back, which they inherit: else each of them would print a
    traceback of its own. What was held back arrives here afterwards. When the work is
    interrupted they are stopped at once, in the middle of whatever they do.
    """
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"))
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            for _ in range(count):
                pool.submit(os.getpid)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        yield pool
    except BaseException:
        _stop_at_once(pool)
        raise
    pool.shutdown()


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
