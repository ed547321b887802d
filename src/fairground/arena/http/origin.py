"""Requests that a web site makes in somebody's browser: whose they are.

A page of any site can make a browser send requests to an arena, also to one that only that
person's machine can reach. It cannot read the answers, but it could open tables and use up
limits in that person's name. So a request that changes something is refused when the browser
says that it comes from another site. Programs say nothing of the kind, and are not touched.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

from litestar import Request

from fairground.arena.http.problems import ForeignSite, quoted
from fairground.arena.state import the_arena

HARMLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""

OURS: Final = frozenset({"same-origin", "none"})
"""What ``Sec-Fetch-Site`` says of our own page, and of a person who typed an address."""

HEADERS: Final = (b"origin", b"sec-fetch-site")
"""What only browsers send."""


def must_be_from_here(request: Request[Any, Any, Any]) -> None:
    """Refuse what another web site made a browser send.

    ``Sec-Fetch-Site`` is the browser's own word, which no page can change. Browsers that do
    not send it say ``Origin``, which must be the address that they reached us at.
    """
    if request.method in HARMLESS:
        return
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        if site not in OURS:
            raise ForeignSite(f"this came from another web site (Sec-Fetch-Site: {quoted(site)})")
    elif origin is not None and urlsplit(origin).netloc.lower() not in _our_places(request):
        raise ForeignSite(f"this came from another web site (Origin: {quoted(origin)})")


def _our_places(request: Request[Any, Any, Any]) -> set[str]:
    """Host and port as this browser reaches us."""
    public = the_arena(request.app.state).public_url
    return {request.headers.get("host", "").lower(), urlsplit(public or "").netloc.lower()} - {""}
