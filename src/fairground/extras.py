"""Optional packages: what to say where one is missing."""

from __future__ import annotations

from types import TracebackType
from typing import Final

from fairground.core import MissingExtra

OURS: Final = "fairground"


class needs:  # noqa: N801 - it reads as a word: with needs("solve", "solving all deals"): import …
    """Imports of packages that belong to an extra; where one is missing, `MissingExtra` says so.

    ``what`` is who needs them, in the singular: the error reads "solving all deals needs numba,
    which is not installed: pip install 'fairground[solve]'".
    """

    def __init__(self, extra: str, what: str) -> None:
        self._extra = extra
        self._what = what

    def __enter__(self) -> None:
        """The imports follow."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Turn a failed import of somebody else's package into our error."""
        if isinstance(error, ImportError):
            package = (error.name or "a package").partition(".")[0]
            if package != OURS:
                raise MissingExtra(
                    f"{self._what} needs {package}, which is not installed: "
                    f"pip install '{OURS}[{self._extra}]'"
                ) from None
