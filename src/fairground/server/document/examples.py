"""Examples in the OpenAPI document: one consistent story.

Each room has two tables of examples: requests (``BODIES``) and answers (``ANSWERS``). Their keys
are the name of the handler, then a title for the example. Handlers without an entry in ``ANSWERS``
answer without a body. A test holds each example against its schema, and the bodies against a live
arena.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final

HERE: Final = "https://arena.example"
TABLE: Final = f"{HERE}/tables/Oz5abI-3DWtdFQzh0QMhbVhp"

Examples = dict[str, dict[str, Any]]


def read_examples(room: str) -> tuple[Examples, Examples]:
    """Return the requests and answers in the ``examples.json`` of a room of the server."""
    text = (files("fairground.server") / room / "examples.json").read_text(encoding="utf-8")
    told = json.loads(text)
    return told["requests"], told["answers"]
