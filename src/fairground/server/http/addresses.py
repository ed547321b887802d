"""Absolute URLs as the client reaches the arena; redirects of browsers to the page."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final

from litestar import MediaType, Request, Response
from litestar.datastructures import URL
from litestar.exceptions import NotFoundException

from fairground.clients.protocol import JSON
from fairground.server.http.requests import (
    Head,
    must_be_acceptable,
    must_be_address,
    must_be_from_here,
    must_be_names,
    must_have_body,
    prefers,
)
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


# Checks before every route, and redirects of browsers to the page
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


async def check(request: Request[Any, Any, Any]) -> Response[Any] | None:
    """Refuse what no route of the framework should see; answer OPTIONS for all of them."""
    head, handler = Head(request.scope), request.route_handler
    where = admit(
        head,
        request.scope["path_template"],
        request.path_params.values(),
        handler.media_type,
        the_arena(request.app.state).public_url,
    )
    if where is not None:
        return see_other(where)
    if head.method == "OPTIONS":
        return Response(None, status_code=204, headers={"Allow": _methods(request)})
    if request.scope["path_template"].startswith("/schema/{"):
        raise NotFoundException  # the framework would answer with a page in HTML
    if handler.parsed_data_field is not None:
        must_have_body(head, await request.body())
    return None


def _methods(request: Request[Any, Any, Any]) -> str:
    here = request.scope["path_template"]
    routes = (route for route in request.app.routes if route.path_format == here)
    return ", ".join(sorted({method for route in routes for method in route.methods}))


def admit(
    head: Head,
    pattern: str,
    names: Collection[str],
    media_type: MediaType | str,
    public_url: str | None,
) -> str | None:
    """Refuse what no route should see. Return the place on the page, if a browser asks for it."""
    must_be_from_here(head, public_url)
    must_be_address(head)
    if head.method == "OPTIONS":
        return None
    must_be_names(names)
    shown = ON_THE_PAGE.get(pattern) if head.method in ("GET", "HEAD") else None
    if shown is not None and prefers(head.get("accept") or "", MediaType.HTML, JSON):
        return f"{(public_url or '').rstrip('/')}/#/{shown.format(*names)}"
    must_be_acceptable(head, media_type)
    return None
