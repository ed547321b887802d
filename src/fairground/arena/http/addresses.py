"""Absolute addresses, as the client at hand reaches us."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from litestar import MediaType, Request, Response
from litestar.datastructures import URL

from fairground.arena.state import ArenaState, the_arena


def address(request: Request[Any, Any, Any], path: str) -> str:
    """The absolute URI of a path, as this client reaches us."""
    return base(the_arena(request.app.state), request.scope) + path


def base(arena: ArenaState, scope: Mapping[str, Any]) -> str:
    """Where the arena is, as the client of this request reaches us, with a slash at its end."""
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
