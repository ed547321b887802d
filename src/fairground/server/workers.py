"""Threads for work that holds the event loop too long: evil keepers, long replays.

It cannot be interrupted. So one client gets half of the threads at most; the rest of its work
waits, and holds up nobody else. The threads are daemons: the process does not wait for them when it
stops.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine
from concurrent.futures import TimeoutError as PoolTimeout
from contextlib import suppress
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary

from pebble import ProcessExpired, ProcessPool

from fairground.core import InputError
from fairground.server.gate import CLIENT, RECEIVE
from fairground.server.http.problems import TooManyRequests
from fairground.server.metrics import Metrics

T = TypeVar("T")


class Thinkers:
    """A pool of threads; one client can use half of them."""

    def __init__(self, threads: int, name: str) -> None:
        self._name = name
        self._free = asyncio.Semaphore(threads)
        self._each = threads // 2
        self._lines: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        """Client → what counts the threads that it may use."""
        self.prepared: set[str] = set()
        """Players that have computed here before, and so have loaded their data."""

    async def think(self, thought: Callable[..., T], *about: Any) -> T:
        """Run a thought in a thread, once the client that is being served may have one."""
        line = self._lines.setdefault(CLIENT.get(), asyncio.Semaphore(self._each))
        async with line:
            await self._free.acquire()
            loop = asyncio.get_running_loop()
            done: asyncio.Future[T] = loop.create_future()

            def finish(result: T | None, error: BaseException | None) -> None:
                self._free.release()
                if done.cancelled():
                    return
                if error is None:
                    done.set_result(result)  # type: ignore[arg-type]
                else:
                    done.set_exception(error)

            def run() -> None:
                result, error = None, None
                try:
                    result = thought(*about)
                except BaseException as raised:
                    error = raised
                with suppress(RuntimeError):  # the arena has stopped, and its loop is closed
                    loop.call_soon_threadsafe(finish, result, error)

            threading.Thread(target=run, name=self._name, daemon=True).start()
            return await done


# Processes for long computations: house players at tables, hints, reviews
#
# A computation has a budget of CPU time. It is cancelled, and its process killed if need be, when
# the client leaves or the arena stops. The waiting client that has used the least CPU time is next,
# and one client uses at most half of a lane. The two lanes keep quick players from waiting behind
# slow ones.


BUDGET: Final = 20.0
"""Seconds of CPU time for the thoughts of one request."""

PATIENCE: Final = 3
"""A thought may take this many times its CPU budget on the wall clock; then it is killed."""

MOST_WAITING: Final = 32
"""Maximum number of waiting thoughts of one client in one lane."""

MOST_CLIENTS: Final = 10_000
"""Maximum number of clients whose CPU time is remembered."""

NICENESS: Final = 10
"""Niceness of the worker processes."""


class TookTooLong(InputError):
    """A thought used up its CPU time."""


class Lane:
    """A pool of processes with a fair queue before it."""

    def __init__(self, name: str, processes: int, metrics: Metrics) -> None:
        context: Any = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
        if os.name == "posix":
            context.set_forkserver_preload(["fairground.server.tables.thoughts"])
        self._pool = ProcessPool(processes, initializer=_prepare, context=context)
        self._processes = processes
        self._stopped = False
        self._works: set[asyncio.Future[Any]] = set()
        """Pending results of the processes."""
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []
        """The client of each waiting thought, and its turn, in order of arrival."""
        self._running: Counter[str] = Counter()
        self._spent: OrderedDict[str, float] = OrderedDict()
        """Client → seconds of CPU time, as far as they count against others."""
        metrics.watch_thoughts(name, self.waiting, self.running)

    def waiting(self) -> int:
        return len(self._waiting)

    def running(self) -> int:
        return self._running.total()

    async def think(self, budget: float, thought: Callable[..., T], *about: Any) -> tuple[T, float]:
        """Run a thought; return its result and the CPU seconds that it took.

        Raise `TookTooLong` beyond the budget. The client may have left before the end: then this
        is cancelled.
        """
        return await _unless_the_client_leaves(self._think(budget, thought, about))

    async def _think(
        self, budget: float, thought: Callable[..., T], about: tuple[Any, ...]
    ) -> tuple[T, float]:
        client, began, seconds = CLIENT.get(), 0.0, None
        await self._turn(client)
        try:
            began = time.monotonic()
            what, most = (budget, thought, about), PATIENCE * budget
            # In a thread, for the first thought starts the pool.
            starting = asyncio.to_thread(self._pool.schedule, _within, what, timeout=most)
            try:
                work = await starting
            except RuntimeError:
                if self._stopped:
                    raise asyncio.CancelledError("the arena stops") from None
                raise
            waits = asyncio.wrap_future(work)
            self._works.add(waits)
            waits.add_done_callback(self._works.discard)
            if self._stopped:
                waits.cancel()
            result, seconds = await waits
            return result, seconds
        except (PoolTimeout, ProcessExpired):
            raise TookTooLong(_too_long(budget)) from None
        finally:
            self._done(client, time.monotonic() - began if seconds is None else seconds)

    async def _turn(self, client: str) -> None:
        """Wait until this client may run one more thought."""
        if sum(client == one for one, _ in self._waiting) >= MOST_WAITING:
            raise TooManyRequests(
                f"{MOST_WAITING} thoughts of house players wait for you already: let them finish"
            )
        if client not in self._spent:  # a newcomer has no credit for the time before
            present = {*self._running, *(one for one, _ in self._waiting)} & self._spent.keys()
            self._spent[client] = min((self._spent[one] for one in present), default=0.0)
        self._spent.move_to_end(client)
        while len(self._spent) > MOST_CLIENTS:
            self._spent.popitem(last=False)
        mine = asyncio.get_running_loop().create_future()
        self._waiting.append((client, mine))
        self._start_next()
        try:
            await mine
        except asyncio.CancelledError:
            if not mine.cancelled():  # its turn had come
                self._done(client, 0.0)
            elif (client, mine) in self._waiting:
                self._waiting.remove((client, mine))
            raise

    def _start_next(self) -> None:
        each = max(1, self._processes // 2)
        while self.running() < self._processes:
            able = [one for one in self._waiting if self._running[one[0]] < each]
            if not able:
                return
            first = min(able, key=lambda one: self._spent.get(one[0], 0.0))
            self._waiting.remove(first)
            client, turn = first
            if not turn.done():
                self._running[client] += 1
                turn.set_result(None)

    def _done(self, client: str, seconds: float) -> None:
        self._running[client] -= 1
        self._running += Counter()  # without those that run nothing
        if client in self._spent:
            self._spent[client] += seconds
        self._start_next()

    def stop(self) -> None:
        """Kill all processes, and cancel the callers that wait for them."""
        self._stopped = True
        for one in [*(turn for _, turn in self._waiting), *self._works]:
            one.cancel()
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()


class Thinking:
    """The processes of an arena, in two lanes. They start with the first thought."""

    def __init__(self, metrics: Metrics | None = None) -> None:
        metrics = metrics or Metrics()
        self.quick = Lane("quick", 2, metrics)
        self.slow = Lane("slow", max(2, os.cpu_count() or 1), metrics)

    def stop(self) -> None:
        self.quick.stop()
        self.slow.stop()


async def _unless_the_client_leaves(work: Coroutine[Any, Any, T]) -> T:
    receive = RECEIVE.get()
    if receive is None:
        return await work

    async def gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    thinking, leaving = asyncio.create_task(work), asyncio.create_task(gone())
    try:
        await asyncio.wait({thinking, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not thinking.done():
            raise asyncio.CancelledError("the client left")
        return thinking.result()
    finally:
        thinking.cancel()
        leaving.cancel()


# In the processes


def _prepare() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    os.nice(NICENESS)


def _within(budget: float, thought: Callable[..., T], about: tuple[Any, ...]) -> tuple[T, float]:
    def too_long(*_: object) -> None:
        raise TookTooLong(_too_long(budget))

    signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, budget)
    began = time.process_time()
    try:
        return thought(*about), time.process_time() - began
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _too_long(budget: float) -> str:
    return f"it takes more than {budget:.0f} seconds of CPU time"
