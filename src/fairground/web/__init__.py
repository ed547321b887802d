"""What is built for browsers: the page, and the second checker (``verify.html``, ``check.mjs``).

The files lie in ``page/``, which git does not keep: ``tools/page.py`` makes it of ``web/`` in a
checkout, and an sdist and a wheel bring it along.
"""

from __future__ import annotations

from fairground.core import MissingExtra


def built() -> dict[str, bytes]:
    """The built files by their names; empty where nothing was built."""
    from importlib.resources import files  # noqa: PLC0415 - `verify` seldom wants a page

    folder = files(__name__) / "page"
    if not folder.is_dir():
        return {}
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def built_file(name: str) -> bytes:
    """One of the built files."""
    try:
        return built()[name]
    except KeyError:
        raise not_built() from None


def not_built() -> MissingExtra:
    """What to say where a file is missing that a build would have made."""
    return MissingExtra("the page was not built here: in a checkout, `make page` builds it")
