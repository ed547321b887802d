"""Examples of oracles for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

from fairground.arena.document.examples import LINE, ORACLE

BODIES: Final[dict[str, dict[str, Any]]] = {
    "new_oracle": {
        "classic": {"base": 6, "length": 4, "oracle_type": "fair"},
        "evil": {"base": 100, "length": 40, "oracle_type": "evil"},
    },
    "submit": {"four digits": {"submission": [0, 5, 1, 1]}},
    "lend_share": {"32 bytes": {"share": "5e" * 32}},
}

_ORACLE: Final = {
    "self": ORACLE,
    "base": 6,
    "length": 4,
    "oracle_type": "fair",
    "type": "fair",
    "attempts": 1,
    "solved": False,
    "commitment": "5857c6273a905f93b9b0188ee75bbbff68ff63c7fefb1cef251b89384f376262",
    "over": False,
}
_KEY: Final = "3ed71990a03113a3a8d141c04929f8611bf609000701fe2a1478438a20d53bb8"
_ENDED: Final = {
    **_ORACLE,
    "over": True,
    "reveal": {"code": [0, 3, 4, 4], "key": _KEY},
    "transcript": f"{ORACLE}/transcript",
}

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "get_oracle": {"in play": _ORACLE, "given up": _ENDED},
    "submit": {"one in place": {"full_match_count": 1, "partial_match_count": 0}},
    "give_up": {"given up": _ENDED},
    "codes_left": {"counted": {"left": 312, "exact": True}},
    "oracle_transcript": {"one line of several": LINE},
}
