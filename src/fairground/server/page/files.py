"""The built files, as they are sent: compressed once, kept by browsers, under a strict policy."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from fairground.core import InputError
from fairground.server.http.problems import Malformed, Unknown, quoted
from fairground.web import built, not_built

TYPES: Final = {
    "css": "text/css",
    "html": "text/html",
    "java": "text/plain",
    "js": "text/javascript",
    "mjs": "text/javascript",
    "py": "text/plain",
    "sh": "text/plain",
    "txt": "text/plain",
    "woff2": "font/woff2",
}
"""By the ending of a name. A file with another ending is a mistake of the build."""

COMPRESSED_ALREADY: Final = ("woff2",)

HASHED: Final = re.compile(r".+\.[A-Z0-9]{8}\.\w+")
"""A name with a hash of the content: it never means anything else, so browsers may keep it."""

FOR_EVER: Final = "public, max-age=31536000, immutable"
ASK_AGAIN: Final = "no-cache"

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'; "
)
"""Content policy of the page: load its own files and talk to its own arena. No text becomes code.
"""

CONNECT: Final = "connect-src 'self'"

OWN_POLICY: Final = "verify.html"
"""This file brings its policy along, so that it holds from a disk too."""

CSP: Final = "Content-Security-Policy"

NODE: Final = re.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:[0-9]{1,5})?")
"""One origin: no wildcard, and nothing that could end a policy or begin another."""

ORIGIN: Final = re.compile(r"https?://[A-Za-z0-9.:*\[\]-]+")


@dataclass(frozen=True)
class File:
    """One file, ready to be sent."""

    content: bytes
    compressed: bytes | None
    etag: str
    headers: dict[str, str]


class Page:
    """All files. ``frames``: the origins that may show the page in a frame of theirs."""

    def __init__(self, frames: Sequence[str] = ()) -> None:
        for origin in frames:
            if not ORIGIN.fullmatch(origin):
                raise InputError(
                    f"an origin that may frame the page is like https://friend.example, "
                    f"not {origin!r}"
                )
        self._files = _ready(tuple(frames))

    def index(self, node: str | None = None) -> File:
        """Return the page; with ``node``, its policy also admits this node of the user's.

        The user names the node in the page, which then loads itself again. So a policy names one
        host, chosen by its reader, and never every host.
        """
        file = self.file("index.html")
        if node is None:
            return file
        if not NODE.fullmatch(node):
            raise Malformed(f"node: an origin such as http://127.0.0.1:8545, not {quoted(node)}")
        policy = file.headers[CSP].replace(CONNECT, f"{CONNECT} {node}", 1)
        return replace(file, headers=file.headers | {CSP: policy})

    def file(self, name: str) -> File:
        """Return the file of this name."""
        if not self._files:
            raise not_built()
        if name not in self._files:
            raise Unknown(f"the page has no file {quoted(name)}: load the page again")
        return self._files[name]


@cache
def _ready(frames: tuple[str, ...]) -> Mapping[str, File]:
    ancestors = "frame-ancestors " + (" ".join(frames) or "'none'")
    return {name: _file(name, content, ancestors) for name, content in built().items()}


def _file(name: str, content: bytes, ancestors: str) -> File:
    ending = name.rpartition(".")[2]
    headers = {
        "Content-Type": TYPES[ending],
        "Cache-Control": FOR_EVER if HASHED.fullmatch(name) else ASK_AGAIN,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Opener-Policy": "same-origin",
        CSP: ancestors if name == OWN_POLICY else POLICY + ancestors,
    }
    compressed = None if ending in COMPRESSED_ALREADY else gzip.compress(content, mtime=0)
    return File(content, compressed, hashlib.sha256(content).hexdigest()[:32], headers)
