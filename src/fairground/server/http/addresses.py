"""Absolute URLs as the client reaches the arena; redirects of browsers to the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from litestar import MediaType, Request, Response
from litestar.datastructures import URL
from litestar.types import Message, Scope

from fairground.clients.protocol import JSON
from fairground.server.http import requests
from fairground.server.http.requests import must_be_from_here
from fairground.server.state import ArenaState, the_arena


def address(request: Request[Any, Any, Any], path: str) -> str:
    """Return the absolute URI of a path, as this client reaches us."""
    return base(the_arena(request.app.state), request.scope) + path


def base(arena: ArenaState, scope: Mapping[str, Any]) -> str:
    """Return the arena's URL as this client reaches it, with a slash at its end."""
    if arena.public_url:
        return f"{arena.public_url.rstrip('/')}/"
    host = next((value for name, value in scope["headers"] if name == b"host"), b"")
    root = scope.get("app_root_path") or scope.get("root_path", "")
    return _reached(scope["scheme"], host, scope.get("server"), root)


@lru_cache(1000)
def _reached(scheme: str, host: bytes, server: tuple[str, int | None] | None, root: str) -> str:
    scope: Any = {"scheme": scheme, "headers": [(b"host", host)], "server": server}
    return f"{str(URL.from_scope(scope | {'root_path': root, 'path': '/'})).rstrip('/')}/"


def see_other(where: str) -> Response[bytes]:
    """303: what you asked for is over there, and nothing is here."""
    return Response(b"", status_code=303, headers={"Location": where}, media_type=MediaType.TEXT)


# Browsers: redirects to the page, and safe headers
#
# Programs and people share addresses. A program that asks for ``/tables/ID`` gets JSON. A person
# who opens the same address in a browser is redirected to that table on the page.


ON_THE_PAGE: Final = {
    "/tables/{name}": "table/{}",
    "/tables/{name}/seats/{secret}": "seat/{}/{}",
    "/oracle/{name}": "oracle/{}",
    "/contest/{name}": "contest/{}",
    "/croupier/games/{name}": "croupier/{}",
}
"""Route → fragment of the page (``#/...``) that shows it. Browsers send no fragment over the
network, so a seat's secret reaches nobody but the arena.
"""

SAFE: Final = ((b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer"))
"""Nothing here is to be taken for something else, nor do other sites learn what was read here."""


async def check(request: Request[Any, Any, Any]) -> Response[Any] | None:
    """Before every route: whose request it is, whether a person makes it, and how it is read."""
    head, public_url = requests.Head(request.scope), the_arena(request.app.state).public_url
    must_be_from_here(head, public_url)
    names = request.path_params.values()
    where = place_on_the_page(head, request.scope["path_template"], names, public_url)
    return await requests.check(request, head) if where is None else see_other(where)


def place_on_the_page(
    head: requests.Head, pattern: str, names: Iterable[str], public_url: str | None
) -> str | None:
    """Return where the page shows what a browser asks for; ``None``: a program asks."""
    place = ON_THE_PAGE.get(pattern)
    if place is None or head.method not in ("GET", "HEAD"):
        return None
    if not requests.prefers(head.get("accept") or "", MediaType.HTML, JSON):
        return None
    if not all(requests.NAME.fullmatch(name) for name in names):
        return None
    return f"{(public_url or '').rstrip('/')}/#/{place.format(*names)}"


async def add_safe_headers(message: Message, _: Scope) -> None:
    """To every answer that does not have them."""
    if message["type"] == "http.response.start":
        headers = message["headers"] = list(message.get("headers", ()))
        given = {name for name, _ in headers}
        headers += [one for one in SAFE if one[0] not in given]
