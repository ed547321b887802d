"""JSON Schemas of what we write for other programs: `events`, `verdict` and `review`.

A schema sees one line at a time. Which line may follow which, and whether it is true, is what
`docs/format.md` says and `fairground verify` checks.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def load(name: str) -> dict[str, Any]:
    """Return the schema of this name: ``events``, ``verdict`` or ``review``."""
    text = resources.files(__name__).joinpath(f"{name}.json").read_text(encoding="ascii")
    schema: dict[str, Any] = json.loads(text)
    return schema
