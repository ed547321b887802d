"""What requests of browsers meet besides: a way from an address to the page, and safe headers.

Programs and people share addresses. A program that asks for ``/tables/ID`` gets JSON; a person
who opens the same address in a browser is sent to the page, at that table.
"""

from __future__ import annotations

from typing import Any, Final

from litestar import MediaType, Request, Response
from litestar.types import Message, Scope

from fairground.arena.http import requests
from fairground.arena.http.addresses import see_other
from fairground.arena.http.origin import must_be_from_here
from fairground.arena.state import the_arena
from fairground.clients.protocol import JSON

ON_THE_PAGE: Final = {
    "/tables/{name}": "table/{name}",
    "/tables/{name}/seats/{secret}": "seat/{name}/{secret}",
    "/oracle/{name}": "oracle/{name}",
    "/contest/{name}": "contest/{name}",
    "/croupier/games/{name}": "croupier/{name}",
}
"""Route → where the page shows that thing, behind ``#/``. What stands behind ``#`` stays in the
browser: the page tells a seat's secret to nobody but the arena."""

SAFE: Final = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"))
"""Nothing here is to be taken for something else, nor do other sites learn what was read here."""


async def check(request: Request[Any, Any, Any]) -> Response[Any] | None:
    """Before every route: whose request it is, whether a person makes it, and how it is read."""
    must_be_from_here(request)
    return _to_the_page(request) or await requests.check(request)


def _to_the_page(request: Request[Any, Any, Any]) -> Response[bytes] | None:
    place = ON_THE_PAGE.get(request.scope["path_template"])
    if place is None or request.method not in ("GET", "HEAD"):
        return None
    accept = ",".join(request.headers.getall("accept", []))
    if not requests.prefers(accept, MediaType.HTML, JSON) or not requests.are_names(request):
        return None
    public = (the_arena(request.app.state).public_url or "").rstrip("/")
    return see_other(f"{public}/#/{place.format(**request.path_params)}")


async def add_safe_headers(message: Message, _: Scope) -> None:
    """To every answer that does not have them."""
    if message["type"] == "http.response.start":
        headers = message["headers"] = list(message.get("headers", ()))
        given = {name for name, _ in headers}
        headers += [one for one in SAFE if one[0] not in given]
