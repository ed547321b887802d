"""How a request is read: what it accepts, what it says it is, and its body.

`check` runs before every route. A body is decoded in one step into the type that the route
takes, and strictly: ``"6"`` is no integer (``6.0`` is one: JSON knows no difference). What
does not fit is quoted.

Two decisions of ours. ``Accept`` is obeyed where it is understood: a request is refused with
406 when it admits neither JSON nor what the route gives, an ``Accept`` that nobody can read
is taken as none, and parameters other than ``q`` are passed over. And a body whose
``Content-Type`` is a web form's is read as JSON nevertheless: curl and Python's urllib say
so by themselves when nobody told them anything.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from enum import Enum
from functools import lru_cache
from typing import Any, ClassVar, Final
from urllib.parse import unquote

import msgspec
from litestar import MediaType, Request, Response
from litestar.dto import AbstractDTO
from litestar.exceptions import NotFoundException
from litestar.typing import FieldDefinition

from fairground.arena.http.problems import Malformed, NotAcceptable, Unknown, WrongMedia, quoted
from fairground.clients.protocol import JSON
from fairground.transcript import DEEPEST, must_be_shallow

FORM: Final = "application/x-www-form-urlencoded"

NAME: Final = re.compile(r"[A-Za-z0-9._~-]{1,200}")
"""What may stand between the slashes of an address: our names and tokens are made of these."""

RANGE: Final = re.compile(r"\s*([\w!#$&^.+*-]+)/([\w!#$&^.+*-]+)\s*((?:;[^;]*)*)")
QUALITY: Final = re.compile(r";\s*q\s*=\s*([0-9.]+)\s*(?:;|$)", re.IGNORECASE)

TheRequest = Request[Any, Any, Any]


async def check(request: TheRequest) -> Response[None] | None:
    """Refuse what no route should see; answer OPTIONS for all of them."""
    path, _, _ = request.scope["raw_path"].partition(b"?")  # some servers leave the query there
    _must_be_its_address(path.decode("latin-1"))
    handler = request.route_handler
    if request.method == "OPTIONS":
        return Response(None, status_code=204, headers={"Allow": _methods(request)})
    if not are_names(request):
        odd = next(value for value in request.path_params.values() if not NAME.fullmatch(value))
        raise Unknown(f"nothing here has the name {quoted(odd)}")
    if request.scope["path_template"].startswith("/schema/{"):
        raise NotFoundException  # the framework would answer with a page in HTML
    accept = ",".join(request.headers.getall("accept", []))
    offered = _media_type(handler.media_type)
    if accept and accept != "*/*" and not _admits_any(accept, offered):
        raise NotAcceptable(f"this route gives {offered}, which Accept excludes: {quoted(accept)}")
    if handler.parsed_data_field is not None:
        _must_be_json(request.headers.get("content-type"))
        _must_not_be_packed(request.headers.get("content-encoding"))
        if not (await request.body()).strip():
            raise Malformed("there is no body; this route takes one of JSON, see /schema")
    return None


def _must_be_its_address(path: str) -> None:
    """Refuse ``/games/``, ``//games`` and ``/%67ames``, which are ``/games`` to the framework.

    Who decides by an address before it gets there, as a proxy that lets nobody make contests, must
    not be fooled by another spelling of it. No address of ours has a character to be escaped.
    """
    if "%" in path or "//" in path or (path.endswith("/") and path != "/"):
        right = "/" + "/".join(filter(None, unquote(path).split("/")))
        raise Unknown(f"there is nothing at {quoted(path)}; do you mean {quoted(right)}?")


def are_names(request: TheRequest) -> bool:
    """Whether all that stands between the slashes of the address could be a name."""
    return all(NAME.fullmatch(value) for value in request.path_params.values())


def _media_type(said: MediaType | str) -> str:
    """Without its parameters. A route that gives nothing but a problem gives that as JSON."""
    return str(said.value if isinstance(said, Enum) else said).partition(";")[0] or JSON


def _methods(request: TheRequest) -> str:
    here = request.scope["path_template"]
    routes = (route for route in request.app.routes if route.path_format == here)
    return ", ".join(sorted({method for route in routes for method in route.methods}))


# What the client wants to get


@lru_cache(1000)
def _admits_any(accept: str, offered: str) -> bool:
    return admits(accept, offered) or admits(accept, JSON)


def admits(accept: str, media_type: str) -> bool:
    """Whether an ``Accept`` header lets this media type through; one that says nothing does."""
    quality = _wanted(accept, media_type)
    return quality is None or quality > 0


@lru_cache(1000)
def prefers(accept: str, media_type: str, other: str) -> bool:
    """Whether an ``Accept`` header wants the first rather than the second."""
    one, two = _wanted(accept, media_type), _wanted(accept, other)
    return one is not None and two is not None and one > two


def _wanted(accept: str, media_type: str) -> float | None:
    """How much a media type is wanted (RFC 9110, 12.5.1); ``None`` if nothing is said at all.

    Of the ranges that match, the most specific one decides, and ``q=0`` means no.
    """
    kind, _, subtype = media_type.partition("/")
    found: dict[int, float] = {}
    understood = False
    for item in accept.split(","):
        read = RANGE.fullmatch(item)
        if read is None:
            continue
        understood = True
        quality = _quality(read[3])
        wanted = read[1].lower(), read[2].lower()
        for specific, pattern in enumerate([("*", "*"), (kind, "*"), (kind, subtype)]):
            if wanted == pattern:
                found[specific] = max(quality, found.get(specific, 0.0))
    if not understood:
        return None
    return found[max(found)] if found else 0.0


def _quality(parameters: str) -> float:
    said = QUALITY.search(parameters)
    try:
        return float(said[1]) if said else 1.0
    except ValueError:
        return 1.0


# What the client sends


def _must_be_json(content_type: str | None) -> None:
    if content_type is None:
        return
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in (JSON, FORM, "") and not kind.endswith("+json"):
        raise WrongMedia(f"a body is {JSON} here, not {quoted(content_type)}")


def _must_not_be_packed(coding: str | None) -> None:
    if coding is not None and coding.strip().lower() not in ("identity", ""):
        raise WrongMedia(f"a body is sent as it is here, not packed by {quoted(coding)}")


class Body(AbstractDTO[Any]):
    """How Litestar is told to leave the reading of bodies to us."""

    _decoders: ClassVar[dict[str, msgspec.json.Decoder[Any]]] = {}

    @classmethod
    def create_for_field_definition(
        cls, field_definition: FieldDefinition, handler_id: str, backend_cls: Any = None
    ) -> None:
        """Called once for each route that takes a body."""
        cls._decoders[handler_id] = msgspec.json.Decoder(field_definition.annotation)

    def decode_bytes(self, value: bytes) -> Any:
        """The body as what the route takes."""
        _must_be_shallow(value)
        decoder = self._decoders[self.asgi_connection.route_handler.handler_id]
        try:
            return decoder.decode(value)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return _second_look(value, decoder.type)

    @classmethod
    def create_openapi_schema(
        cls, field_definition: FieldDefinition, handler_id: str, schema_creator: Any
    ) -> Any:
        """The schema of the type itself."""
        return schema_creator.for_field_definition(field_definition)

    @classmethod
    def generate_field_definitions(cls, model_type: type[Any]) -> Generator[Any, None, None]:
        """Not used: bodies are decoded whole."""
        yield from ()

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        """Not used: bodies are decoded whole."""
        return False


def _must_be_shallow(body: bytes) -> None:
    """Refuse a body of brackets without end before the native JSON reader recurses into it.

    Python's recursion limit is no protection: a library in the same process may have raised
    it, and then such a body would overflow the stack and end the process.
    """
    if body.count(b"[") + body.count(b"{") > DEEPEST:
        try:
            must_be_shallow(body.decode(errors="replace"))
        except ValueError as error:
            raise Malformed(f"the body cannot be read: {error}") from None


def _second_look(body: bytes, wanted: Any) -> Any:
    """Read a body that does not fit with its whole floats as integers, or say what is wrong."""
    try:
        raw = _with_integers(msgspec.json.decode(body))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(f"the body is not JSON: {_placed(str(error), body)}") from None
    try:
        return msgspec.convert(raw, wanted)
    except msgspec.ValidationError as error:
        raise Malformed(_explained(str(error), raw)) from None


def _with_integers(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_with_integers(item) for item in value]
    if isinstance(value, dict):
        return {name: _with_integers(item) for name, item in value.items()}
    return value


def _placed(message: str, body: bytes) -> str:
    """A syntax error, with the place in the body where it is."""
    found = re.search(r"\(byte (\d+)\)", message)
    if found is None:
        return f"{message[0].lower()}{message[1:]}: {quoted(body[-40:].decode(errors='replace'))}"
    at = int(found[1])
    near = body[max(0, at - 10) : at + 30].decode(errors="replace")
    return f"{message.removeprefix('JSON is malformed: ')}, near {quoted(near)}"


def _explained(message: str, value: Any) -> str:
    """A value of the wrong kind: where it is, what was wanted, and the value itself."""
    said, _, path = message.partition(" - at `")
    steps = re.findall(r"\.([^.\[\]`]+)|\[(\d+|\.\.\.)\]", path)
    for name, index in steps:
        if isinstance(value, list):
            value = value[int(index)] if index.isdigit() and int(index) < len(value) else value
        elif isinstance(value, dict) and name in value:
            value = value[name]
    where = "".join(f".{name}" if name else f"[{index}]" for name, index in steps).lstrip(".")
    return f"{where or 'the body'}: {said[0].lower()}{said[1:]}: {quoted(value)}"
