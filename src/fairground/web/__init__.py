"""Files built for browsers: the page and the second checker (``verify.html``, ``check.mjs``).

Git ignores their folder ``page/``. In a checkout ``tools/page.py`` builds it from ``web/``. An
sdist and a wheel include it.
"""

from __future__ import annotations

from importlib.resources import files

from fairground.core import MissingExtra


def built() -> dict[str, bytes]:
    """Return the built files by name, empty if nothing was built."""
    folder = files(__name__) / "page"
    if not folder.is_dir():
        return {}
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def built_file(name: str) -> bytes:
    """Return one built file."""
    try:
        return built()[name]
    except KeyError:
        raise not_built() from None


def not_built() -> MissingExtra:
    """Return the error for a file that a build would have made."""
    return MissingExtra("the page was not built here: in a checkout, `make page` builds it")
