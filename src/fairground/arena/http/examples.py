"""Examples for the OpenAPI document: one story, in which everything fits together.

By the name of the route's function, then by a word for the example. A test holds each
against its schema, and the bodies against a live arena.
"""

from __future__ import annotations

from typing import Any, Final

from fairground.arena.croupier import examples as croupier_examples

HERE: Final = "https://arena.example"
ORACLE: Final = f"{HERE}/oracle/nvxCaG_aEfFhbkKZwzhhVSvD"
CONTEST: Final = f"{HERE}/contest/X4KaYZthamIzsXqQ0ytXJllb"
TABLE: Final = f"{HERE}/tables/Oz5abI-3DWtdFQzh0QMhbVhp"
SECRET: Final = "kUceMB2HL9WtSnWhcQpzwi3p"
HEAD: Final = "c959ea5bd6d28ffd7672d64998e964aa60b5cc9b1619dd84bf39625055ee04cb"
NOTHING: Final = "0" * 64

BODIES: Final[dict[str, dict[str, Any]]] = {
    "new_oracle": {
        "classic": {"base": 6, "length": 4, "oracle_type": "fair"},
        "evil": {"base": 100, "length": 40, "oracle_type": "evil"},
    },
    "submit": {"four digits": {"submission": [0, 5, 1, 1]}},
    "lend_share": {"32 bytes": {"share": "5e" * 32}},
    "new_contest": {
        "a hundred codes": {"base": 6, "length": 4, "oracle_type": "fair", "games": 100},
        "mixed, closing in an hour": [
            {"base": 6, "length": 4, "oracle_type": "fair", "games": 50, "closes_in": 3600},
            {"base": 10, "length": 5, "oracle_type": "evil", "games": 10},
        ],
    },
    "enter_contest": {"a team": {"team_name": "The Guessers", "software_version": "1.0"}},
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
    },
    "answer": {
        "a move": {"ask": "move.4", "answer": "roll"},
        "a share of chance": {"ask": "stir.2", "answer": "the third swan from the left"},
    },
    "leave": {"with a reason": {"reason": "I have to go"}, "without a word": {}},
    **croupier_examples.BODIES,
}
"""What a client may send."""

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

_WATCH: Final = {
    "self": CONTEST,
    "entry": f"{CONTEST}/entry",
    "games": 2,
    "parts": [{"base": 6, "length": 4, "oracle_type": "fair", "games": 2, "proof": "committed"}],
    "state": "open",
    "opened": 1794784629,
    "closes": 1795389429,
    "commitment": "03b328a200539a647b616cfe09f75d08e532175895cb9abba07918e3705eebfa",
    "covers": "the codes, and the order and disguise in which each entry meets them",
    "head": HEAD,
    "lines": 2,
    "teams": [
        {
            "team_name": "The Guessers",
            "software_version": "1.0",
            "entry": 0,
            "training": False,
            "rank": 1,
            "solved": 0,
            "given_up": 0,
            "unfinished": 0,
            "still_open": 2,
            "mean": None,
            "worst": None,
            "waiting": 0,
            "trouble": None,
        }
    ],
    "standings": f"{CONTEST}/standings",
    "csv": f"{CONTEST}/standings.csv",
    "events": f"{CONTEST}/events",
    "book": f"{CONTEST}/book",
    "base": 6,
    "length": 4,
    "oracle_type": "fair",
}
_CLOSED: Final = {**_WATCH, "state": "closed", "lines": 3, "file": f"{CONTEST}/file"}

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
}
_SEAT: Final = {
    **_TABLE,
    "seat": 1,
    "asks": [{"id": "move.4", "kind": "move", "step": 4, "head": HEAD}],
    "moves": ["roll", "pass"],
}

_LINE: Final = f'{{"kind":"move","move":"roll","prev":"{HEAD}","seat":1}}\n'
_OPENED: Final = (
    '{"at":1794784629,"closes":1795389429,"commitment":"03b328a2…","contest":'
    '"X4KaYZthamIzsXqQ0ytXJllb","format":"fairground-contest/1","kind":"opened",'
    f'"parts":[{{"base":6,"games":2,"length":4,"oracle":"fair"}}],"prev":"{NOTHING}"}}\n'
)

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "get_oracle": {"in play": _ORACLE, "given up": _ENDED},
    "submit": {"one in place": {"full_match_count": 1, "partial_match_count": 0}},
    "give_up": {"given up": _ENDED},
    "oracle_transcript": {"one line of several": _LINE},
    "new_contest": {
        "made": {"self": CONTEST, "close": f"{CONTEST}/close/YWWRO1zbmg3lIHMpEFxFOAn9"}
    },
    "watch_contest": {"open": _WATCH, "closed": _CLOSED},
    "enter_contest": {
        "two games": {
            "oracle_URIs": [
                f"{HERE}/oracle/X4KaYZthamIzsXqQ0ytXJllb.0.0.cd794b06dc4fb31c56d2e4fbe8dcbde3",
                f"{HERE}/oracle/X4KaYZthamIzsXqQ0ytXJllb.0.1.9ccd246275573640343d3cd14ff1d0a8",
            ],
            "training": False,
        }
    },
    "close_contest": {"closed": _CLOSED},
    "contest_standings": {
        "nobody has finished": {
            "contest": "X4KaYZthamIzsXqQ0ytXJllb",
            "final": False,
            "games": 2,
            "official": [],
            "training": [],
            "pairs": [],
            "notes": ["Intervals are 95 %, Student's."],
        }
    },
    "contest_csv": {
        "one entry": "rank,team_name,software_version,training,games,solved,given_up,unfinished,"
        "still_open,steps,mean,low,high,worst\r\n1,The Guessers,1.0,no,2,0,0,0,2,0,,,,\r\n"
    },
    "contest_book": {"one line of several": _OPENED},
    "contest_file": {
        "the first of many lines": '{"contest":"X4KaYZthamIzsXqQ0ytXJllb","format":'
        '"fairground-contest/1","kind":"book","lines":4}\n'
    },
    "contest_events": {"one event": f'id: 2\nevent: watch\ndata: {{"self":"{CONTEST}"}}\n\n'},
    "new_table": {
        "made": {
            "self": TABLE,
            "seats": [
                {"seat": 0, "name": "Bot", "player": "cautious"},
                {"seat": 1, "name": "Ada", "url": f"{TABLE}/seats/{SECRET}"},
            ],
        }
    },
    "get_table": {"in play": _TABLE},
    "table_transcript": {"one line of several": _LINE},
    "table_events": {"one event": f"id: 5\nevent: line\ndata: {_LINE}\n"},
    "get_seat": {"asked for a move": _SEAT},
    "answer": {"recorded": {"ask": "move.4", "line": 5, "head": HEAD}},
    "leave": {"recorded": {"ask": "forfeit", "line": 5, "head": HEAD}},
    "health": {
        "well": {
            "status": "ok",
            "version": "0.1.0",
            "oracles": 7,
            "open_oracles": 3,
            "tables": 2,
            "open_tables": 1,
        }
    },
    "count": {"one line of many": 'fairground_open_games{kind="oracle"} 3\n'},
    **croupier_examples.ANSWERS,
}
"""What the arena may answer. Routes that are not here answer without a body."""
