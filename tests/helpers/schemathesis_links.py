"""Leads schemathesis to real games: by their names, and by links from answer to request.

Names of games that are open come from the environment, as examples of the parameters.


Our answers hold whole addresses; a link wants the last part of one, and the expression for
that (``#regex:``) is schemathesis's own. So these links are given here and are not part of
our document.
"""

from __future__ import annotations

import json
import os
from typing import Any

import schemathesis

REAL_NAMES = "FAIRGROUND_REAL_NAMES"
"""The environment variable with operation → parameter → value, as JSON."""

NAMED = {
    "oracle": (
        *("get_oracle", "submit", "give_up", "lend_share", "oracle_transcript", "codes_left"),
    ),
    "contest": (
        *("watch_contest", "enter_contest", "contest_standings", "contest_csv"),
        *("contest_book", "contest_file", "contest_parts_csv"),
    ),
    "tables": ("get_table", "table_transcript", "take_seat"),
}
SEATED = ("get_seat", "answer", "leave", "make_remark", "ask_for_hint", "play_again")


def last_part(source: str, kind: str) -> str:
    return f"{source}#regex:/{kind}/([^/]+)"


@schemathesis.hook
def before_load_schema(_: Any, document: dict[str, Any]) -> None:
    operations = {
        operation["operationId"]: operation
        for path in document["paths"].values()
        for operation in path.values()
    }

    for name, real in json.loads(os.environ[REAL_NAMES]).items():
        for parameter in operations[name]["parameters"]:
            if parameter["in"] == "path":
                parameter["example"] = real[parameter["name"]]

    def link(origin: str, status: str, target: str, body: Any = None, **parameters: Any) -> None:
        links = operations[origin]["responses"][status].setdefault("links", {})
        links[f"{target}{len(links)}"] = {"operationId": target, "parameters": parameters} | (
            {} if body is None else {"requestBody": body}
        )

    for kind, origin, status in (
        ("oracle", "new_oracle", "303"),
        ("contest", "new_contest", "303"),
        ("tables", "new_table", "201"),
    ):
        for target in NAMED[kind]:
            where = last_part("$response.header.Location", kind)
            link(origin, status, target, **{"path.name": where})
    for target in NAMED["oracle"]:
        where = last_part("$response.body#/oracle_URIs/0", "oracle")
        link("enter_contest", "201", target, **{"path.name": where})
    close = "$response.header.Fairground-Close"
    name, secret = last_part(close, "contest"), last_part(close, "close")
    link("new_contest", "303", "close_contest", **{"path.name": name, "path.secret": secret})
    link("new_contest", "303", "remove_entry", **{"path.name": name, "path.secret": secret})
    for target in NAMED["contest"]:
        link("close_contest", "200", target, **{"path.name": "$request.path.name"})
    url = "$response.body#/seats/1/url"
    seat = {"path.name": last_part(url, "tables"), "path.secret": last_part(url, "seats")}
    for target in SEATED:
        link("new_table", "201", target, **seat)
    here = {"path.name": "$request.path.name", "path.secret": "$request.path.secret"}
    for target in SEATED:
        link("get_seat", "200", target, **here)
    asked = {"ask": "$response.body#/asks/0/id", "answer": "$response.body#/moves/0"}
    link("get_seat", "200", "answer", asked, **here)
