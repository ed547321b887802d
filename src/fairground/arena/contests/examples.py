"""Examples of contests for the OpenAPI document."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from fairground.arena.contests.pages import as_csv, parts_as_csv
from fairground.arena.document.examples import CONTEST, HEAD, HERE, NOTHING
from fairground.contest.book import Entry
from fairground.contest.standings import ContestTeam, StandingsRow, row_of, tally_of

_WANTED: Final = {
    "a hundred codes": {"base": 6, "length": 4, "oracle_type": "fair", "games": 100},
    "the same codes for all, without a disguise": {
        "base": 6,
        "length": 4,
        "games": 100,
        "disguise": "none",
    },
    "mixed, closing in an hour": [
        {"base": 6, "length": 4, "oracle_type": "fair", "games": 50, "closes_in": 3600},
        {"base": 10, "length": 5, "oracle_type": "evil", "games": 10},
    ],
}
BODIES: Final[dict[str, dict[str, Any]]] = {
    "new_contest": _WANTED,
    "open_contest": _WANTED,
    "remove_entry": {"the first": {"entry": 0, "reason": "not invited"}},
    "enter_contest": {"a team": {"team_name": "The Guessers", "software_version": "1.0"}},
}

_GUESSERS: Final = tally_of(Entry(0, "The Guessers", "1.0", False, HEAD), 2, False, 1)
"""A team that has just entered."""

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
    "disguise": "drawn",
    "head": HEAD,
    "lines": 2,
    "teams": [asdict(row_of(ContestTeam, _GUESSERS))],
    "standings": f"{CONTEST}/standings",
    "csv": f"{CONTEST}/standings.csv",
    "parts_csv": f"{CONTEST}/parts.csv",
    "events": f"{CONTEST}/events",
    "book": f"{CONTEST}/book",
    "base": 6,
    "length": 4,
    "oracle_type": "fair",
}
_CLOSED: Final = {**_WATCH, "state": "closed", "lines": 3, "file": f"{CONTEST}/file"}

_OPENED: Final = (
    '{"at":1794784629,"closes":1795389429,"commitment":"03b328a2…","contest":'
    '"X4KaYZthamIzsXqQ0ytXJllb","disguise":"drawn","format":"fairground-contest/2",'
    '"kind":"opened",'
    f'"parts":[{{"base":6,"games":2,"length":4,"oracle":"fair"}}],"prev":"{NOTHING}"}}\n'
)

_MADE: Final = {"self": CONTEST, "close": f"{CONTEST}/close/YWWRO1zbmg3lIHMpEFxFOAn9"}

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "new_contest": {"made": _MADE},
    "open_contest": {"made": {**_WATCH, "lines": 1, "teams": [], "close": _MADE["close"]}},
    "list_contests": {
        "one": {
            "contests": [
                {
                    "id": "X4KaYZthamIzsXqQ0ytXJllb",
                    "title": "2 games of code breaking: 6 digits, length 4",
                    "state": "running",
                    "parts": _WATCH["parts"],
                    "commitment": _WATCH["commitment"],
                    "closes": _WATCH["closes"],
                    "teams": 1,
                }
            ],
            "next": None,
        }
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
    "remove_entry": {
        "removed": {
            **_WATCH,
            "lines": 3,
            "teams": [],
            "removed": [
                {
                    "entry": 0,
                    "team_name": "The Guessers",
                    "software_version": "1.0",
                    "reason": "not invited",
                }
            ],
        }
    },
    "contest_standings": {
        "nobody has finished": {
            "contest": "X4KaYZthamIzsXqQ0ytXJllb",
            "final": False,
            "games": 2,
            "official": [],
            "training": [],
            "pairs": [],
            "disguise": "drawn",
            "parts": [],
            "factories": [],
            "removed": [],
            "notes": ["Intervals are 95 %, Student's."],
        }
    },
    "contest_csv": {
        "one entry": as_csv({"official": [asdict(row_of(StandingsRow, _GUESSERS))], "training": []})
    },
    "contest_parts_csv": {"no part has been played": parts_as_csv({"official": []})},
    "contest_book": {"one line of several": _OPENED},
    "contest_file": {
        "the first of many lines": '{"contest":"X4KaYZthamIzsXqQ0ytXJllb","format":'
        '"fairground-contest/2","kind":"book","lines":4}\n'
    },
    "contest_events": {"one event": f'id: 2\nevent: watch\ndata: {{"self":"{CONTEST}"}}\n\n'},
}
