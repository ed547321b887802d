"""Reading of requests: ``Accept``, ``Content-Type``, body, query and origin.

`addresses.admit` runs the checks before every route. A body is decoded in one strict step into the
type that the route takes: ``"6"`` is no integer (``6.0`` is one: JSON knows no difference). Errors
quote the wrong value.

Two decisions of ours. ``Accept`` is obeyed when it is understood: a request that admits neither
JSON nor the route's media type gets 406. An unreadable ``Accept`` counts as none, and parameters
other than ``q`` are ignored. A body with the ``Content-Type`` of a web form is read as JSON
nevertheless: curl and Python's urllib send this type by default.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Final
from urllib.parse import unquote, urlsplit

import msgspec
from litestar import MediaType
from litestar.dto import AbstractDTO
from litestar.params import QueryParameter
from litestar.typing import FieldDefinition

from fairground.clients.protocol import JSON
from fairground.server.gate import Receive
from fairground.server.http.problems import (
    BodyTooLarge,
    ForeignSite,
    Malformed,
    NotAcceptable,
    Unknown,
    WrongMedia,
    quoted,
)
from fairground.transcript import DEEPEST, must_be_shallow

LARGEST_BODY: Final = 100_000
"""Maximum number of bytes of a body."""

FORM: Final = "application/x-www-form-urlencoded"

NAME: Final = re.compile(r"[A-Za-z0-9._~-]{1,200}")
"""Characters between the slashes of an address: our names and tokens consist of these."""

FOLDERS: Final = ("/", "/docs/")
"""The addresses that may end in a slash. People type them."""

RANGE: Final = re.compile(r"\s*([\w!#$&^.+*-]+)/([\w!#$&^.+*-]+)\s*((?:;[^;]*)*)")
QUALITY: Final = re.compile(r";\s*q\s*=\s*([0-9.]+)\s*(?:;|$)", re.IGNORECASE)


class Head:
    """The head of a request, as the checks look at it."""

    def __init__(self, scope: Mapping[str, Any]) -> None:
        self.method: str = scope["method"]
        path, _, _ = scope["raw_path"].partition(b"?")  # some servers leave the query there
        self.path: str = path.decode("latin-1")
        self._headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            before = self._headers.get(name)
            self._headers[name] = value if before is None else b"%b,%b" % (before, value)

    def get(self, name: str) -> str | None:
        """Return a header; several of one name are joined by commas."""
        value = self._headers.get(name.encode())
        return None if value is None else value.decode("latin-1")


def must_be_names(names: Iterable[str]) -> None:
    """Refuse a name that none of ours can be."""
    for name in names:
        if NAME.fullmatch(name) is None:
            raise Unknown(f"nothing here has the name {quoted(name)}")


def must_be_acceptable(head: Head, media_type: MediaType | str) -> None:
    """Refuse a request that excludes what the route gives."""
    accept = head.get("accept")
    if not accept or accept == "*/*":
        return
    said = media_type.value if isinstance(media_type, Enum) else media_type
    offered = said.partition(";")[0] or JSON  # problems are JSON, also where nothing else is given
    if not _admits_any(accept, offered):
        raise NotAcceptable(f"this route gives {offered}, which Accept excludes: {quoted(accept)}")


def must_have_body(head: Head, body: bytes) -> None:
    """Refuse a body that is missing, or that says it is no JSON."""
    _must_be_json(head.get("content-type"))
    _must_not_be_packed(head.get("content-encoding"))
    if not body.strip():
        raise Malformed("there is no body; this route takes one of JSON, see /schema")


def must_be_address(head: Head) -> None:
    """Refuse ``/games/``, ``//games`` and ``/%67ames``, which are ``/games`` to the framework.

    A proxy may filter by address, for example to forbid new contests. Another spelling must not
    fool it. No address of ours has a character to be escaped.
    """
    path = head.path
    if "%" in path or "//" in path or (path.endswith("/") and path not in FOLDERS):
        right = "/" + "/".join(filter(None, unquote(path).split("/")))
        raise Unknown(f"there is nothing at {quoted(path)}; do you mean {quoted(right)}?")


# What the client wants to get


@lru_cache(1000)
def _admits_any(accept: str, offered: str) -> bool:
    return admits(accept, offered) or admits(accept, JSON)


def admits(accept: str, media_type: str) -> bool:
    """Return True if an ``Accept`` header admits this media type. An empty header admits all."""
    quality = _wanted(accept, media_type)
    return quality is None or quality > 0


@lru_cache(1000)
def prefers(accept: str, media_type: str, other: str) -> bool:
    """Return True if an ``Accept`` header ranks the first type above the second."""
    one, two = _wanted(accept, media_type), _wanted(accept, other)
    return one is not None and two is not None and one > two


def _wanted(accept: str, media_type: str) -> float | None:
    """Return the quality of a media type (RFC 9110, 12.5.1), ``None`` if no range is readable.

    The most specific matching range decides, and ``q=0`` means no.
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
    """A DTO that makes Litestar leave the reading of bodies to us."""

    _decoders: ClassVar[dict[str, msgspec.json.Decoder[Any]]] = {}

    @classmethod
    def create_for_field_definition(
        cls, field_definition: FieldDefinition, handler_id: str, backend_cls: Any = None
    ) -> None:
        cls._decoders[handler_id] = msgspec.json.Decoder(field_definition.annotation)

    def decode_bytes(self, value: bytes) -> Any:
        return decoded(value, self._decoders[self.asgi_connection.route_handler.handler_id])

    @classmethod
    def create_openapi_schema(
        cls, field_definition: FieldDefinition, handler_id: str, schema_creator: Any
    ) -> Any:
        return schema_creator.for_field_definition(field_definition)

    @classmethod
    def generate_field_definitions(cls, model_type: type[Any]) -> Generator[Any, None, None]:
        """Not used: bodies are decoded whole."""
        yield from ()

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        """Not used: bodies are decoded whole."""
        return False


def decoded(body: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    """Return what a body says; raise `Malformed` if it cannot be read."""
    _must_be_shallow(body)
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _second_look(body, decoder.type)


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
    """Describe a syntax error, with its place in the body."""
    found = re.search(r"\(byte (\d+)\)", message)
    if found is None:
        return f"{message[0].lower()}{message[1:]}: {quoted(body[-40:].decode(errors='replace'))}"
    at = int(found[1])
    near = body[max(0, at - 10) : at + 30].decode(errors="replace")
    return f"{message.removeprefix('JSON is malformed: ')}, near {quoted(near)}"


def _explained(message: str, value: Any) -> str:
    """Describe a value of the wrong kind: its place, the wanted kind, and the value itself."""
    said, _, path = message.partition(" - at `")
    steps = re.findall(r"\.([^.\[\]`]+)|\[(\d+|\.\.\.)\]", path)
    for name, index in steps:
        if isinstance(value, list):
            value = value[int(index)] if index.isdigit() and int(index) < len(value) else value
        elif isinstance(value, dict) and name in value:
            value = value[name]
    where = "".join(f".{name}" if name else f"[{index}]" for name, index in steps).lstrip(".")
    return f"{where or 'the body'}: {said[0].lower()}{said[1:]}: {quoted(value)}"


# Queries that several routes share: a page of a list, and waiting for news


MOST_ROWS: Final = 100
"""Of one page."""

LONGEST_WAIT: Final = 30.0
"""Seconds that an answer may wait for something to happen."""

Behind = Annotated[
    int, QueryParameter(name="after", ge=0, description="the `next` of the page before")
]
Limit = Annotated[
    int, QueryParameter(name="limit", ge=1, le=MOST_ROWS, description="so many at most")
]


Wait = Annotated[
    float,
    QueryParameter(
        name="wait",
        ge=0,
        le=LONGEST_WAIT,
        description="wait up to this many seconds for something behind `after`",
    ),
]


def read_states(text: str, possible: Sequence[str]) -> set[str]:
    """States with commas between them."""
    states = set(text.split(","))
    if odd := sorted(states - {*possible}):
        raise Malformed(f"state: one or more of {','.join(possible)}, not {quoted(odd[0])}")
    return states


# Bodies that are read in front of the framework


async def read_body(receive: Receive) -> bytes | None:
    """Return a whole body, or ``None`` if the client has left; raise `BodyTooLarge`."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            raise BodyTooLarge()
        more = message.get("more_body", False)
    return body


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a ``receive`` that gives this body first."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Any:
        return waiting.pop() if waiting else await receive()

    return receive_again


# Requests from other web sites
#
# A page of any site can make a browser send requests to an arena, even to one that only this
# person's machine can reach. The page cannot read the answers, but it could open tables and use up
# limits in that person's name. So a request that changes something is refused when the browser says
# that it comes from another site. Programs send no such header, and are not affected.


HARMLESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""

OURS: Final = frozenset({"same-origin", "none"})
"""Values of ``Sec-Fetch-Site`` from our own page, and from a person who typed an address."""


def must_be_from_here(head: Head, public_url: str | None) -> None:
    """Refuse what another web site made a browser send.

    ``Sec-Fetch-Site`` is the browser's own word, which no page can change. Browsers that do
    not send it say ``Origin``, which must be the address that they reached us at.
    """
    if head.method in HARMLESS:
        return
    site, origin = head.get("sec-fetch-site"), head.get("origin")
    if site is not None:
        if site not in OURS:
            raise ForeignSite(f"this came from another web site (Sec-Fetch-Site: {quoted(site)})")
    elif origin is not None and urlsplit(origin).netloc.lower() not in _places(head, public_url):
        raise ForeignSite(f"this came from another web site (Origin: {quoted(origin)})")


def _places(head: Head, public_url: str | None) -> set[str]:
    """Host and port as this browser reaches us."""
    return {(head.get("host") or "").lower(), urlsplit(public_url or "").netloc.lower()} - {""}
