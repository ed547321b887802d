"""``/docs``: the site of the documents, from the file into which a build has packed it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import zipfile
from functools import cache
from importlib.resources import as_file, files
from typing import Final

from fairground.core import MissingExtra
from fairground.server.http.problems import Unknown, quoted
from fairground.server.page.files import ASK_AGAIN, File

TYPES: Final = {
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
}
"""By the ending of a name."""

POLICY: Final = (
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
    ending = name.rpartition(".")[2]
    hashes = "".join(f" 'sha256-{_hash(script)}'" for script in INLINE.findall(content))
    headers = {
        "Content-Type": TYPES[ending],
        "Cache-Control": ASK_AGAIN,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Content-Security-Policy": POLICY.format(hashes=hashes),
    }
    compressed = None if ending == "png" else gzip.compress(content, mtime=0)
    return File(content, compressed, hashlib.sha256(content).hexdigest()[:32], headers)


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
