"""Examples of tables for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

from fairground.arena.document.examples import HEAD, LINE, SECRET, TABLE

BODIES: Final[dict[str, dict[str, Any]]] = {
    "new_table": {
        "against a bot": {
            "game": "zombie/1",
            "params": {"players": 2},
            "seats": [{"name": "Bot", "player": "cautious"}, {"name": "Ada", "lends": "chain"}],
        },
        "poker, stirring each draw": {
            "game": "poker/1",
            "params": {"bet": 1, "level": 5},
            "options": {"stir": "each"},
            "seats": [{"name": "House", "player": "random"}, {"name": "Ada", "lends": "stir"}],
            "seconds": 600,
        },
        "listed, with an open seat": {
            "game": "fatestones/1",
            "seats": [{"name": "Ada", "lends": "chain"}, {"open": True}],
            "listed": True,
        },
    },
    "answer": {
        "a move": {"ask": "move.4", "answer": "roll"},
        "a share of chance": {"ask": "stir.2", "answer": "the third swan from the left"},
    },
    "take_seat": {
        "lending nothing": {"name": "Bob"},
        "with a chain": {"name": "Bob", "lends": "chain"},
    },
    "make_remark": {"polite": {"text": "Good luck!"}},
    "try_again": {"the first die instead": {"line": 6, "seat": 0, "move": 0}},
    "leave": {"with a reason": {"reason": "I have to go"}, "without a word": {}},
}

_TABLE: Final = {
    "self": TABLE,
    "game": "zombie/1",
    "params": {"players": 2, "brains_to_win": 13, "max_turns": 0},
    "dealer": "hash-chains/1",
    "public": {
        "length": 1000,
        "stir": "once",
        "tip": "227a7697f53c241b833e43facf2749635c851b95e68b5aa8b3465841b186e47a",
    },
    "seats": [
        {"name": "Bot", "by": "house", "lends": "nothing", "player": "cautious"},
        {"name": "Ada", "by": "self", "lends": "chain", "left": 599.98},
    ],
    "step": 4,
    "head": HEAD,
    "waiting_for": [1],
    "over": False,
    "view": {"phase": "decide", "scores": [0, 0], "brains": 0, "bag": [6, 4, 3]},
    "transcript": f"{TABLE}/transcript",
    "events": f"{TABLE}/events",
    "table": "5b1f2c0c6f36cbf6a05c3f1f1dc1a1d0d1f3c0e9a7f44f0b9c8e6d5a4b3c2d1e",
    "state": "playing",
    "words": "Bot has 0 brains after 0 turns. Ada has 0 brains after 0 turns. Round 1.",
}
_SEAT: Final = {
    **_TABLE,
    "seat": 1,
    "asks": [{"id": "move.4", "kind": "move", "step": 4, "head": HEAD}],
    "moves": ["roll", "pass"],
    "choices": [{"move": "roll", "words": "roll"}],
}

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "new_table": {
        "made": {
            "self": TABLE,
            "seats": [
                {"seat": 0, "name": "Bot", "player": "cautious"},
                {"seat": 1, "name": "Ada", "url": f"{TABLE}/seats/{SECRET}"},
            ],
        }
    },
    "list_tables": {
        "one table": {
            "tables": [
                {
                    "id": TABLE.rpartition("/")[2],
                    "game": "fatestones/1",
                    "params": {},
                    "state": "open",
                    "seats": [
                        {"name": "Ada", "player": None, "open": False},
                        {"name": "", "player": None, "open": True},
                    ],
                    "words": "The game begins when everybody sits. 1 seat is open.",
                    "lines": 0,
                    "changed": 1_790_000_000.0,
                }
            ],
            "next": None,
        }
    },
    "take_seat": {
        "taken": {"seat": 1, "name": "Bob", "url": f"{TABLE}/seats/{SECRET}"},
    },
    "ask_for_hint": {
        "exact": {
            "move": 0,
            "words": "The die 144444. That is what optimal would do: it plays perfectly.",
            "exact": True,
            "value": "1/2",
        }
    },
    "play_again": {
        "made": {
            "self": TABLE,
            "seats": [
                {"seat": 0, "name": "Bot", "player": "cautious"},
                {"seat": 1, "name": "Ada", "url": f"{TABLE}/seats/{SECRET}"},
            ],
        }
    },
    "get_table": {"in play": _TABLE},
    "table_transcript": {"one line of several": LINE},
    "table_events": {"one event": f"id: 5\nevent: line\ndata: {LINE}\n"},
    "table_review": {
        "its first members": {"format": "fairground/review/1", "game": "zombie/1", "seats": []}
    },
    "try_again": {
        "not the best": {
            "right": False,
            "cost": {"exact": "1/40", "value": 0.025},
            "unit": {
                "name": "win chance",
                "one": "win in 100 games",
                "many": "wins in 100 games",
                "scale": 100,
            },
            "words": "Not the best: it costs 2.5 wins in 100 games. Better: the die 144444.",
            "alternatives": [],
        }
    },
    "get_seat": {"asked for a move": _SEAT},
    "answer": {"recorded": {"ask": "move.4", "line": 5, "head": HEAD}},
    "leave": {"recorded": {"ask": "forfeit", "line": 5, "head": HEAD}},
}
