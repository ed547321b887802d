"""Absolute addresses, as the client at hand reaches us."""

from __future__ import annotations

from typing import Any

from litestar import MediaType, Request, Response

from fairground.arena.state import the_arena


def address(request: Request[Any, Any, Any], path: str) -> str:
    """The absolute URI of a path, as this client reaches us."""
    public = the_arena(request.app.state).public_url
    return f"{(public or str(request.base_url)).rstrip('/')}/{path}"


def see_other(where: str) -> Response[bytes]:
    """303: what you asked for is over there, and nothing is here."""
    return Response(b"", status_code=303, headers={"Location": where}, media_type=MediaType.TEXT)
