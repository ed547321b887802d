"""Workers that play at the same time: processes on this machine, or a Dask cluster."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError, ProcessPoolExecutor
from importlib import import_module
from itertools import starmap
from multiprocessing import active_children, get_context
from typing import Any, Final, TypeVar

from fairground.core import InputError
from fairground.registry import needs

Result = TypeVar("Result")

LONGEST_START: Final = 300
"""Seconds that the slowest worker may take to start."""


@contextlib.contextmanager
def workers(count: int) -> Iterator[Executor]:
    """Start ``count`` worker processes; on any exception, stop them at once.

    They are spawned, not forked, because a fork would copy the caller's threads. They inherit that
    Ctrl-C is blocked, so none of them prints a traceback. Each waits until all have started.
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
    """Block Ctrl-C in processes that are started meanwhile, and deliver it here afterwards.

    Another thread, such as that of a progress bar, does not block it and passes it on to us. So the
    handler only notes it.
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
    """Yield the results of all jobs in their order; without a pool, run them here.

    The number of jobs in flight is bounded, so that few results wait for an earlier one.
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
    """Terminate the workers in the middle of their work, silently.

    The pool's thread then tries to fail futures that are cancelled already. Python would print that
    error.
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


PATIENCE = 10
"""Seconds within which a scheduler must answer."""


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Connect to the Dask cluster whose scheduler has this address.

    A worker that dies is no loss: another one plays its chunk again, with the same result.
    """
    with needs("cluster", "a cluster"):
        dask: Any = import_module("distributed")
    try:
        client = dask.Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"no Dask scheduler answers at {address!r} ({error}). Start one with: dask scheduler"
        ) from None
    try:
        # A chunk depends on its arguments only; its sample for checking is fresh each time.
        yield client.get_executor(pure=False, retries=3)
    finally:
        client.close()
