"""Registers of games, schemes and players by name, ours and other packages', loaded on demand.

A register is a mapping from a versioned name, such as ``zombie/2``, to a *listing*: a small value
that says where the thing is and what it is called. Other packages add to a register by an entry
point of its group, whose name is the thing's name::

    [project.entry-points."fairground.games"]
    "morra/1" = "morra:LISTING"

Entry points are looked up only when a name is not one of ours, or when all are to be listed, so
a quick start stays quick.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from fairground.core import InputError, MissingExtra, UnknownName

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

L = TypeVar("L")


class Register(Mapping[str, L], Generic[L]):
    """A mapping from names to listings. ``what`` names a listing in errors: "game", "scheme"."""

    def __init__(self, what: str, listed: Mapping[str, L], group: str | None = None) -> None:
        self.what = what
        self.listed = dict(listed)
        """The entries of this package. A program may add names of its own here."""
        self._group = group

    @cached_property
    def _others(self) -> dict[str, EntryPoint]:
        """The entries of other packages."""
        if self._group is None:
            return {}
        from importlib.metadata import entry_points  # slow to import, and seldom wanted

        return {entry.name: entry for entry in entry_points(group=self._group)}

    def __getitem__(self, name: str) -> L:
        if name in self.listed:
            return self.listed[name]
        entry = self._others[name]
        try:
            listing: L = entry.load()
        except Exception as error:
            raise InputError(
                f"the {self.what} {name!r} of another package cannot be loaded "
                f"from {entry.value!r}: {error}"
            ) from error
        return listing

    def __iter__(self) -> Iterator[str]:
        yield from self.listed
        yield from (name for name in self._others if name not in self.listed)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.listed or name in self._others)

    def __repr__(self) -> str:
        return f"<register of {self.what}s: {', '.join(self)}>"

    def find(self, name: object) -> tuple[str, L]:
        """Return full name and listing, or raise `UnknownName` with the nearest known name."""
        if not isinstance(name, str) or name not in self:
            raise UnknownName(f"no {self.what} named {name!r}; {known(name, self)}")
        return name, self[name]

    def newest(self, name: str) -> str:
        """Return the full name; without a version the newest: ``zombie`` is ``zombie/2``."""
        if "/" in name:
            return self.find(name)[0]
        versions = [full for full in self if full.partition("/")[0] == name]
        if not versions:
            raise UnknownName(f"no {self.what} named {name!r}; {known(name, self)}")
        return max(versions, key=version)

    def plus(self, more: Mapping[str, L]) -> Register[L]:
        """Return a copy with more names, for tests and other programs."""
        return Register(self.what, {**self.listed, **more}, self._group)


def version(name: str) -> int:
    """Return the number behind the slash, or 0."""
    number = name.partition("/")[2]
    return int(number) if number.isascii() and number.isdigit() else 0


def nearest(name: object, names: Collection[str]) -> str | None:
    """Return the name that was probably meant: one that looks alike, or the only longer one."""
    if not isinstance(name, str):
        return None
    longer = [full for full in names if len(name) > 1 and full.startswith(name.lower())]
    near = longer if len(longer) == 1 else get_close_matches(name.lower(), list(names), n=1)
    return near[0] if near else None


def known(name: object, names: Collection[str]) -> str:
    """Return the message for an unknown name: the nearest name, or all names if none is near."""
    near = nearest(name, names)
    return f"did you mean {near!r}?" if near else f"there are: {', '.join(sorted(names))}"


@cache
def load(path: str) -> Any:
    """Import and return the object at ``module:name``. The module is imported now."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


OURS: Final = "fairground"


@contextmanager
def needs(extra: str, what: str) -> Iterator[None]:
    """Surround imports from an extra; raise `MissingExtra` if a package is missing.

    ``what`` is the subject of the error, in the singular. It reads "solving all deals needs numba,
    which is not installed: pip install 'fairground[solve]'".
    """
    try:
        yield
    except ImportError as error:
        package = (error.name or "a package").partition(".")[0]
        if package == OURS:
            raise
        raise MissingExtra(
            f"{what} needs {package}, which is not installed: pip install '{OURS}[{extra}]'"
        ) from None
