"""``/``, ``/verify.html``, ``/page/*`` and ``/docs``: for browsers, and no part of the API."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from litestar import MediaType, Request, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from fairground.server.page.documents import document
from fairground.server.page.files import File, Page

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
