"""Solved games of Zombie Dice on disk: those of the package, and the user's cache.

A file is named after the rules, the parameters and the number of players, so that a version with
other rules never reads it. It begins with the digest of the rest.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from fairground.fair.bits import digest
from fairground.games.zombie.rules import Zombie
from fairground.games.zombie.solver import turn
from fairground.games.zombie.solver.turn import Array

VERSION: Final = 3
"""Raise it whenever the tables change their meaning: old files are then ignored."""

TAG: Final = "fairground/zombie-tables/1"
"""The domain tag of the digests."""

Tables = TypeVar("Tables", bound=tuple[Any, ...])


def file_name(game: Zombie, players: int) -> str:
    """Return the name of the file with the solved game of ``players``."""
    turn.must_be_solvable(game)
    params = {**game.params(), "players": players}  # at a larger table they are the same
    key = json.dumps([VERSION, game.name, params, turn.TINY], sort_keys=True)
    return f"{digest(TAG, key.encode()).hex()[:32]}.npz"


def cache_path(game: Zombie, players: int, folder: Path | None = None) -> Path:
    """Return the path of the tables in the user's cache, or in ``folder``."""
    if folder is None:
        from platformdirs import user_cache_path

        folder = user_cache_path("fairground") / "zombie"
    return folder / file_name(game, players)


def ready(
    kind: type[Tables], game: Zombie, players: int, folder: Path | None = None
) -> Tables | None:
    """Return the tables of the package or the cache; ``None`` if they are missing or damaged."""
    path = cache_path(game, players, folder)
    shipped = files("fairground.games.zombie.solver") / "data" / path.name
    try:
        if isinstance(shipped, Path) and shipped.is_file():
            return _loaded(kind, shipped, 0)
        return _loaded(kind, path, path.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None


def load_or_compute(
    kind: type[Tables],
    game: Zombie,
    players: int,
    solve: Callable[[], Tables],
    folder: Path | None = None,
) -> Tables:
    """Return the tables from disk, or compute and cache them.

    A damaged file is computed again. A cache that cannot be written is no error: the tables are
    then computed more often.
    """
    tables = ready(kind, game, players, folder)
    if tables is None:
        tables = solve()
        _store(cache_path(game, players, folder), tables)
    return tables


@lru_cache(maxsize=8)
def _loaded(kind: type[Tables], path: Path, stamp: int) -> Tables | None:
    """Return the tables in a file, or ``None`` if damaged; ``stamp`` identifies its version."""
    data = path.read_bytes()
    if digest(TAG, data[32:]) != data[:32]:
        return None
    with np.load(io.BytesIO(data[32:]), allow_pickle=False) as kept:
        named: Any = kind
        made: Tables = named._make(kept[field] for field in named._fields)
        return made


def packed(tables: Any) -> bytes:
    """Return the bytes of a file."""
    data = io.BytesIO()
    np.savez_compressed(data, **tables._asdict())
    return digest(TAG, data.getvalue()) + data.getvalue()


def compressed(chances: Array, bits: int) -> Array:
    """Return chances as bytes, rounded to ``bits`` bits, in an order that compresses well.

    The last axis is the player. The last player's chance follows from the others, and is left out.
    Neighbours differ little. So differences are taken along all axes, signs go into the lowest bit,
    and all highest bytes stand together, then all the next.
    """
    whole = np.moveaxis(np.rint(chances[..., :-1] * 2.0**bits).astype(np.int64), -1, 0)
    for axis in range(1, whole.ndim):
        whole = np.diff(whole, axis=axis, prepend=0)
    whole = (whole << 1) ^ (whole >> 63)
    return np.ascontiguousarray(whole.ravel().astype(">i8").view(np.uint8).reshape(-1, 8).T)


def restored(bytes_: Array, bits: int, shape: tuple[int, ...]) -> Array:
    """Return the chances of `compressed` bytes; ``shape`` is theirs."""
    whole = np.ascontiguousarray(bytes_.T).view(">i8").astype(np.int64)
    whole = ((whole >> 1) ^ -(whole & 1)).reshape(shape[-1] - 1, *shape[:-1])
    for axis in range(1, whole.ndim):
        np.cumsum(whole, axis=axis, out=whole)
    chances = np.empty(shape)
    chances[..., :-1] = np.moveaxis(whole, 0, -1) / 2.0**bits
    chances[..., -1] = 1 - chances[..., :-1].sum(axis=-1)
    return chances


def _store(path: Path, tables: Any) -> None:
    """Write the tables atomically."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(packed(tables))
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
