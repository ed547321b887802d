"""The API as a page to read: the OpenAPI document, put into HTML here, without scripts.

Pages of this kind usually load a program from somewhere else. Ours does not: it works
without a network, in a text browser, and nobody learns who reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any, Final

from litestar import Request
from litestar.openapi.plugins import JsonRenderPlugin, OpenAPIRenderPlugin

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
        """Return the whole document, rendered once."""
        raw = self.get_openapi_json_route(request)
        if raw not in self._made:
            self._made = {raw: "\n".join(_page(openapi_schema, raw)).encode()}
        return self._made[raw]


class SchemaJson(JsonRenderPlugin):
    """The document for programs."""

    _made = b""

    def render(self, request: Request[Any, Any, Any], openapi_schema: Json) -> bytes:
        """Made once: it is the same for all."""
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
