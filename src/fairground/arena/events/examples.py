"""Examples of streams for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

from fairground.arena.document.examples import HERE, TABLE

TICKET: Final = "3q2pK1nTzWf0aYb7xUeRcV5m"
TOPIC: Final = f"table:{TABLE.rpartition('/')[2]}"

BODIES: Final[dict[str, dict[str, Any]]] = {
    "new_stream": {
        "a table and the lobby": {"topics": [TOPIC, "lobby"]},
        "after a break": {"topics": [TOPIC], "after": "m3QdVnJtAAQ"},
    },
    "change_stream": {"one more": {"add": ["lobby"]}, "one less": {"drop": [TOPIC]}},
}

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "new_stream": {
        "made": {"stream": f"/events/{TICKET}", "self": f"{HERE}/events/{TICKET}"},
    },
    "follow_stream": {
        "a line of a table": (
            "id: m3QdVnJtAAQ\nevent: table\n"
            f'data: {{"topic":"{TOPIC}","line":4,"text":"{{\\"kind\\":\\"move\\"}}"}}\n\n'
        )
    },
}
