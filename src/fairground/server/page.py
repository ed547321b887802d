"""The page for browsers and the documents: static files, served from memory.

Each file is compressed once, cached by browsers, and sent under a strict content policy. The
addresses ``/``, ``/verify.html``, ``/page/*`` and ``/docs`` are no part of the API.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from typing import Annotated, Any, Final

from litestar import MediaType, Request, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from fairground.core import InputError, MissingExtra
from fairground.server.http.problems import Malformed, Unknown, quoted
from fairground.web import built, not_built

TYPES: Final = {
    "css": "text/css",
    "html": "text/html",
    "java": "text/plain",
    "js": "text/javascript",
    "json": "application/json",
    "mjs": "text/javascript",
    "png": "image/png",
    "py": "text/plain",
    "sh": "text/plain",
    "svg": "image/svg+xml",
    "txt": "text/plain",
    "woff2": "font/woff2",
}
"""By the ending of a name. A file of the page with another ending is a mistake of the build."""

COMPRESSED_ALREADY: Final = ("png", "woff2")

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
        if not self._files:
            raise not_built()
        if name not in self._files:
            raise Unknown(f"the page has no file {quoted(name)}: load the page again")
        return self._files[name]


@cache
def _ready(frames: tuple[str, ...]) -> Mapping[str, File]:
    ancestors = "frame-ancestors " + (" ".join(frames) or "'none'")
    alone = {"Cross-Origin-Opener-Policy": "same-origin"}
    return {
        name: _file(name, content, ancestors if name == OWN_POLICY else POLICY + ancestors, **alone)
        for name, content in built().items()
    }


def _file(name: str, content: bytes, policy: str, **more: str) -> File:
    ending = name.rpartition(".")[2]
    headers = {
        "Content-Type": TYPES[ending],
        "Cache-Control": FOR_EVER if HASHED.fullmatch(name) else ASK_AGAIN,
        CSP: policy,
        **more,
    }
    compressed = None if ending in COMPRESSED_ALREADY else gzip.compress(content, mtime=0)
    return File(content, compressed, hashlib.sha256(content).hexdigest()[:32], headers)


# The documents, from the file into which a build has packed them


DOCUMENT_POLICY: Final = (
    "default-src 'none'; script-src 'self'{hashes}; style-src 'self' 'unsafe-inline'; "
    "connect-src 'self'; img-src 'self' data:; font-src 'self'; worker-src 'self' blob:; "
    "base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
)
"""Content policy of a document. Inline scripts are allowed by their hashes."""

INLINE: Final = re.compile(rb"<script>(.*?)</script>", re.S)


@cache
def document(path: str) -> File:
    """Return a file of the site; ``""`` is the first page."""
    there = _site()
    name = path.strip("/") or "index.html"
    if name not in there:
        raise Unknown(f"there is no document {quoted(name)}: the first page is /docs")
    content = there[name]
    hashes = "".join(f" 'sha256-{_hash(script)}'" for script in INLINE.findall(content))
    return _file(name, content, DOCUMENT_POLICY.format(hashes=hashes))


def _hash(script: bytes) -> str:
    return base64.b64encode(hashlib.sha256(script).digest()).decode()


@cache
def _site() -> dict[str, bytes]:
    packed = files("fairground.web") / "docs.zip"
    if not packed.is_file():
        raise MissingExtra("the documents were not built here: in a checkout, `make docs` does it")
    with as_file(packed) as path, zipfile.ZipFile(path) as site:
        return {
            name: site.read(name) for name in site.namelist() if name.rpartition(".")[2] in TYPES
        }


# The handlers


GZIP: Final = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))", re.IGNORECASE)
"""In ``Accept-Encoding``; with ``q=0`` it is not accepted."""

ThePage = NamedDependency[Page]
TheRequest = Request[Any, Any, Any]


@get("/", media_type=MediaType.HTML, include_in_schema=False)
async def index(
    request: TheRequest,
    page: ThePage,
    node: Annotated[str | None, QueryParameter(name="node")] = None,
) -> Response[bytes]:
    """The page; ``node`` is the origin of a node that its user has named."""
    return _send(request, page.index(node))


@get("/verify.html", media_type=MediaType.HTML, include_in_schema=False)
async def verify(request: TheRequest, page: ThePage) -> Response[bytes]:
    """The second checker, as one file to keep."""
    return _send(request, page.file("verify.html"))


@get("/page/{name:str}", include_in_schema=False)
async def part(request: TheRequest, name: FromPath[str], page: ThePage) -> Response[bytes]:
    """A part of the page."""
    return _send(request, page.file(name))


_PARTS: Final = ("one", "two", "three", "four")
_DOCUMENTS: Final = ["/docs" + "".join(f"/{{{p}:str}}" for p in _PARTS[:n]) for n in range(5)]
"""No address of the documents is deeper; each part is a name, as everywhere here."""


@get(_DOCUMENTS, include_in_schema=False)
async def documents(
    request: TheRequest,
    one: FromPath[str] = "",
    two: FromPath[str] = "",
    three: FromPath[str] = "",
    four: FromPath[str] = "",
) -> Response[bytes]:
    """The documents. Their links are relative, so the first page has a name too."""
    if not one:
        return Response(b"", status_code=307, headers={"Location": "/docs/index.html"})
    return _send(request, document("/".join(part for part in (one, two, three, four) if part)))


def _send(request: TheRequest, file: File) -> Response[bytes]:
    content, etag, headers = file.content, file.etag, dict(file.headers)
    if file.compressed is not None:
        headers["Vary"] = "Accept-Encoding"
        if GZIP.search(request.headers.get("accept-encoding", "")):
            content, etag = file.compressed, f"{etag}-gzip"
            headers["Content-Encoding"] = "gzip"
    headers["ETag"] = f'"{etag}"'
    media_type = headers.pop("Content-Type")
    if etag in request.headers.get("if-none-match", ""):
        headers.pop("Content-Encoding", None)
        return Response(b"", status_code=304, headers=headers, media_type=media_type)
    return Response(content, headers=headers, media_type=media_type)


PAGE_ROUTES: Final = (index, verify, part, documents)
