"""Work on several machines: the executor of a Dask cluster, by its address."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor
from importlib import import_module
from typing import Any

from fairground.core import InputError
from fairground.extras import needs

PATIENCE = 10
"""Seconds within which a scheduler must answer."""


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The workers of the Dask cluster whose scheduler has this address.

    A worker that dies in the middle is no loss: its chunk is played again by another one, and a
    chunk comes out the same whoever plays it.
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
