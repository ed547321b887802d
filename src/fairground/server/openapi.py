"""The OpenAPI document.

Litestar writes paths, parameters and bodies from the signatures of the handlers. This module adds
the problems of each route, examples, headers, and the schemas of the bodies as msgspec enforces
them. Good answers and the problems of each route stand beside its handler.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from html import escape
from http import HTTPStatus
from importlib.resources import files
from itertools import pairwise
from typing import Any, Final

import msgspec
from litestar import Request
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin, OpenAPIRenderPlugin
from litestar.openapi.spec import License, OpenAPI, Tag

from fairground import __version__
from fairground.clients.protocol import PROBLEM
from fairground.core import FairgroundError
from fairground.server import event_routes, monitoring
from fairground.server.contests import wire as contest_wire
from fairground.server.croupier import wire as croupier_wire
from fairground.server.http.addresses import ON_THE_PAGE
from fairground.server.http.problems import (
    REFUSES,
    ArenaError,
    BodyTooLarge,
    ForeignSite,
    Malformed,
    NotAcceptable,
    Problem,
    Stopping,
    TooManyRequests,
    Unknown,
    WrongMedia,
    kind_of,
)
from fairground.server.http.requests import HARMLESS, NAME
from fairground.server.oracles import wire as oracle_wire
from fairground.server.tables import games
from fairground.server.tables import wire as table_wire
from fairground.store import Damaged, InDoubt, StoreAway

DESCRIPTION: Final = """\
Provably fair games over HTTP: oracles that hide a code, contests of programs that break
codes, tables of all games, and a Croupier with whom nobody has to trust anybody.

Whatever is answered is durable. Errors are problem details (RFC 9457) with a stable `code`
and a `detail` that quotes what is wrong. Members of bodies that we do not know are ignored.

**There are no accounts.** What is private has an address that nobody can guess: the URL of
a seat (`/tables/{name}/seats/{secret}`) plays it, the URL `/contest/{name}/close/{secret}`
closes a contest, and whoever has the URL of an oracle can play it. Each is told once, to who
made it. Keep them as you keep passwords; we keep digests of the secrets, and no log holds
them.
"""

TAGS: Final = {
    "oracles": "Code breaking against the house: the API of the source document",
    "contests": "The same codes for all, committed to before anybody enters",
    "tables": "Any game, with people, programs and our own players in its seats",
    "events": "One stream for all that a browser watches",
    "croupier": "Blind Croupier: video poker. Play money; nothing here is a casino",
    "bank": "The Bank of the Croupier, where it is a ledger of play money",
    "operation": "For whoever runs the arena",
}


ROOMS: Final = (
    oracle_wire,
    contest_wire,
    table_wire,
    games,
    event_routes,
    monitoring,
    croupier_wire,
)
"""The modules with the bodies of requests and answers."""

SCHEMAS: Final = "#/components/schemas/"

PUBLIC_NAMES: Final = {
    "ContestOut": "Contest",
    "CountsOut": "Counts",
    "EventsOut": "Recorded",
    "NewShare": "Share",
    "OracleOut": "Oracle",
}
"""Bodies that the document calls by another name than the code does: programs know them by it."""

Examples = dict[str, dict[str, Any]]


def _read_examples() -> tuple[Examples, Examples]:
    """Return all requests and answers of the rooms' ``examples.json``: one consistent story.

    The keys are the name of the handler, then a title for the example. Handlers without an answer
    here answer without a body.
    """
    requests, answers = Examples(), Examples()
    for room in ("server", "server.oracles", "server.contests", "server.tables", "server.croupier"):
        told = json.loads((files(f"fairground.{room}") / "examples.json").read_text("utf-8"))
        requests |= told["requests"]
        answers |= told["answers"]
    return requests, answers


BODIES, ANSWERS = _read_examples()

NAMES: Final = {
    "oracle": "The last part of an oracle's URI",
    "contest": "The last part of a contest's watch URI",
    "tables": "The last part of a table's URI",
    "croupier": "The `id` of an offer, or the `name` of a session",
    "events": "The ticket of a stream",
    "bank": "An address (40 hex digits behind 0x), or the key of a game (64 hex digits)",
}
SECRETS: Final = {
    "contest": "Told once, to who made the contest, as the end of `close`",
    "tables": "Told once, to who made the table, as the end of the seat's `url`",
}


Handlers = Mapping[str, tuple[str, HTTPRouteHandler]]
"""The tag and the handler of all routes, by name."""


def config(routes: Mapping[str, Iterable[HTTPRouteHandler]]) -> OpenAPIConfig:
    """Return Litestar's configuration of the document of these routes, which stand by their tag."""
    return _Config(
        handlers={one.handler_name: (tag, one) for tag, those in routes.items() for one in those},
        title="Fairground arena",
        version=__version__,
        description=DESCRIPTION,
        license=License(name="MIT", identifier="MIT"),
        use_handler_docstrings=True,
        render_plugins=[SchemaJson(), SchemaPage()],
        tags=[Tag(name, description) for name, description in TAGS.items()],
        operation_id_creator=lambda handler, method, _: (
            handler.handler_name if method != "HEAD" else f"{handler.handler_name}_head"
        ),
    )


@dataclass
class _Config(OpenAPIConfig):
    """Makes a `_Document` of what the framework knows."""

    handlers: Handlers = field(default_factory=dict)

    def to_openapi_schema(self) -> OpenAPI:
        made = super().to_openapi_schema()
        document = _Document(**{one.name: getattr(made, one.name) for one in fields(made)})
        document.handlers = self.handlers
        return document


class _Document(OpenAPI):
    """Adds the rest when it is written, which is once."""

    handlers: Handlers

    def to_schema(self) -> dict[str, Any]:
        return _complete(super().to_schema(), self.handlers)


def _complete(document: dict[str, Any], handlers: Handlers) -> dict[str, Any]:
    """Complete the framework's document."""
    document["components"] = {"schemas": _schemas()}
    for path, operations in document["paths"].items():
        operations.pop("head", None)  # it is GET without its body: nothing to tell
        for method, operation in operations.items():
            _complete_operation(path, method, operation, *handlers[operation["operationId"]])
    published: dict[str, Any] = _published(document)
    return published


def _published(value: Any) -> Any:
    """Replace the names of bodies by their public names."""
    if isinstance(value, dict):
        return {key: _published(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_published(one) for one in value]
    if isinstance(value, str) and value.startswith(SCHEMAS):
        return SCHEMAS + _public_name(value.removeprefix(SCHEMAS))
    return value


def _public_name(body: str) -> str:
    return PUBLIC_NAMES.get(body, body)


def _schemas() -> dict[str, Any]:
    """Return the schemas of all bodies, as msgspec reads and writes them."""
    found = [Problem, *(one for module in ROOMS for one in vars(module).values())]
    bodies = list(dict.fromkeys(filter(_is_body, found)))
    _, schemas = msgspec.json.schema_components(bodies, ref_template=SCHEMAS + "{name}")
    for body in bodies:
        names = _names(body)
        for member, text in _described(body):
            schemas[body.__name__]["properties"][names[member]].setdefault("description", text)
    public = {name: _public_name(name) for name in schemas}
    return {public[name]: body | {"title": public[name]} for name, body in schemas.items()}


def _is_body(one: object) -> bool:
    if not isinstance(one, type) or not one.__module__.startswith("fairground."):
        return False
    return issubclass(one, msgspec.Struct) or is_dataclass(one)


def _names(body: type) -> dict[str, str]:
    """Member → what it is called on the wire."""
    if is_dataclass(body):
        return {field.name: field.name for field in fields(body)}
    return {field.name: field.encode_name for field in msgspec.structs.fields(body)}


def _described(body: type) -> Iterator[tuple[str, str]]:
    """Members with the text that stands under each in the source."""
    (definition,) = ast.parse(inspect.getsource(body)).body
    assert isinstance(definition, ast.ClassDef)
    for member, text in pairwise(definition.body):
        match member, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(words))),
            ):
                yield name, " ".join(words.split())


def _complete_operation(
    path: str, method: str, operation: dict[str, Any], tag: str, handler: HTTPRouteHandler
) -> None:
    name = operation["operationId"]
    operation["tags"] = [tag]
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            _complete_name(path, parameter)
    if "requestBody" in operation:
        (body,) = operation["requestBody"]["content"].values()
        body["examples"] = _named(BODIES[name])
    (status,) = [status for status in operation["responses"] if int(status) < 400]
    good = operation["responses"][status]
    headers = [one for one in handler.response_headers or () if one.documentation_only]
    good["headers"] = {one.name: _header(str(one.description)) for one in headers}
    if name not in ANSWERS:
        good.pop("content", None)
    for content in good.get("content", {}).values():
        content["examples"] = _named(ANSWERS[name])
    refusals = _refusals([*always(method, operation), *handler.opt.get(REFUSES, ())])
    operation["responses"] = {status: good} | refusals
    if path in ON_THE_PAGE and method == "get":
        operation["responses"]["303"] = {
            "description": "To a browser (`Accept: text/html`): the page shows it",
            "headers": {"Location": _header("Where the page shows it")},
        }
    if name == "table_events":
        operation["responses"]["204"] = {"description": "It is over, and you have seen all of it"}


def _header(text: str) -> dict[str, Any]:
    return {"description": text, "required": True, "schema": {"type": "string"}}


def _complete_name(path: str, parameter: dict[str, Any]) -> None:
    kind = path.split("/")[1]
    texts = SECRETS if parameter["name"] == "secret" else NAMES
    parameter["description"] = texts[kind]
    parameter["schema"]["pattern"] = f"^{NAME.pattern}$"


def _named(examples: dict[str, Any]) -> dict[str, Any]:
    return {name: {"value": value} for name, value in examples.items()}


def always(method: str, operation: dict[str, Any]) -> Iterable[type[FairgroundError]]:
    """Return the problems that any request of this shape can meet."""
    if method.upper() not in HARMLESS:
        yield ForeignSite
    where = {parameter["in"] for parameter in operation.get("parameters", ())}
    if "requestBody" in operation:
        yield from (Malformed, BodyTooLarge, WrongMedia)
    elif "query" in where:
        yield Malformed
    if "path" in where:
        yield Unknown
    yield from (NotAcceptable, TooManyRequests, ArenaError, StoreAway, Damaged, InDoubt, Stopping)


def _refusals(errors: Iterable[type[FairgroundError]]) -> dict[str, Any]:
    """Return the error answers of a route: for each status its codes, with an example of each."""
    found: dict[str, Any] = {}
    for kind in sorted(map(kind_of, errors), key=lambda kind: kind.status):
        one = found.setdefault(
            str(kind.status),
            {
                "description": "",
                "content": {PROBLEM: {"schema": {"$ref": f"{SCHEMAS}Problem"}, "examples": {}}},
            },
        )
        one["description"] = f"{one['description']}\n\n`{kind.code}`: {kind.meaning}".strip()
        title = HTTPStatus(kind.status).phrase
        example = Problem(kind.status, title, kind.code, kind.example)
        name = kind.code.replace("/", "-")
        if name in one["content"][PROBLEM]["examples"]:
            name += "-too"
        one["content"][PROBLEM]["examples"][name] = {"value": msgspec.to_builtins(example)}
        if kind.retry_after is not None:
            seconds = {"type": "string", "pattern": "^[0-9]+$"}
            one["headers"] = {
                "Retry-After": {"description": "Seconds", "required": True, "schema": seconds}
            }
    return found


# The document as a page to read, without scripts
#
# Pages of this kind usually load a program from somewhere else. Ours does not: it works without a
# network, in a text browser, and nobody learns who reads it.


Json = dict[str, Any]

STYLE: Final = """
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
summary { cursor: pointer } code, pre { font-family: ui-monospace, monospace }
pre { overflow-x: auto; border-left: 3px solid; padding-left: 1rem; margin: .5rem 0 }
details details { margin-left: 1.5rem } .method { display: inline-block; min-width: 4.5rem }
:root { color-scheme: light dark }
"""


class SchemaPage(OpenAPIRenderPlugin):
    """The page at ``/schema``."""

    def __init__(self) -> None:
        super().__init__(path="/")
        self._made: dict[str, bytes] = {}

    def render(self, request: Request[Any, Any, Any], openapi_schema: Json) -> bytes:
        raw = self.get_openapi_json_route(request)
        if raw not in self._made:
            self._made = {raw: "\n".join(_page(openapi_schema, raw)).encode()}
        return self._made[raw]


class SchemaJson(JsonRenderPlugin):
    """The document for programs."""

    _made = b""

    def render(self, request: Request[Any, Any, Any], openapi_schema: Json) -> bytes:
        self._made = self._made or super().render(request, openapi_schema)
        return self._made


def _page(schema: Json, raw: str) -> Iterator[str]:
    info = schema["info"]
    title = escape(f"{info['title']} {info['version']}")
    yield f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>{STYLE}</style></head><body><h1>{title}</h1>"
    yield _text(info["description"])
    yield f'<p>For programs: <a href="{escape(raw)}">{escape(raw)}</a> (OpenAPI 3.1).</p>'
    operations = [
        (method, path, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
        if method != "head"
    ]
    for tag in schema["tags"]:
        yield f"<h2>{escape(tag['name'])}</h2>{_text(tag['description'])}"
        for method, path, operation in operations:
            if tag["name"] in operation["tags"]:
                yield from _operation(method, path, operation)
    yield "<h2>Schemas</h2>"
    for name, body in schema["components"]["schemas"].items():
        yield f'<details id="{escape(name)}"><summary><code>{escape(name)}</code></summary>'
        yield f"{_code(body)}</details>"
    yield "</body></html>"


def _operation(method: str, path: str, operation: Json) -> Iterator[str]:
    where = f'<code class="method">{method.upper()}</code> <code>{escape(path)}</code>'
    yield f"<details><summary>{where} {escape(operation['summary'])}</summary>"
    yield _text(operation.get("description", ""))
    for content in operation.get("requestBody", {}).get("content", {}).values():
        yield "<p>You send:</p>"
        yield from _examples(content)
    for status, answer in operation["responses"].items():
        line = f"<code>{status}</code> {_inline(answer['description'])}"
        yield f"<details><summary>{line}</summary>"
        for name, header in answer.get("headers", {}).items():
            yield f"<p>Header <code>{escape(name)}</code>: {escape(header['description'])}</p>"
        for content in answer.get("content", {}).values():
            yield from _examples(content)
        yield "</details>"
    yield "</details>"


def _examples(content: Json) -> Iterator[str]:
    schema = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
    if schema:
        yield f'<p>Schema: <a href="#{escape(schema)}"><code>{escape(schema)}</code></a></p>'
    for name, example in content.get("examples", {}).items():
        yield f"<p>{escape(name)}:</p>{_code(example['value'])}"


def _code(value: Any) -> str:
    shown = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    return f"<pre>{escape(shown)}</pre>"


def _text(text: str) -> str:
    paragraphs = _inline(text).split("\n\n")
    return "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs if paragraph.strip())


def _inline(text: str) -> str:
    """Code and emphasis, as docstrings and the document mark them."""
    marked = re.sub(r"(`+)(.+?)\1", r"<code>\2</code>", escape(text))
    return re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", marked)
