"""One request for every route of the arena, to be sent again and again: made from its document.

Whoever adds a route that changes something says here what to flood it with, or that its example in
the document will do. What is acted on is real, and not small.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.helpers import arena_games
from tests.helpers.arena_games import Names, Post, last

COUNT = "COUNT"
"""In a body: a number that is new each time."""

CLASSIC = {"base": 6, "length": 4}
LONG = {"base": 10, "length": 6}
"""As many codes as are counted one by one."""

EXAMPLE: Any = object()
"""The first example of the document. Signed ones are refused, once the signature was looked at."""

BODIES: dict[str, Any] = {
    "new_oracle": CLASSIC,
    "submit": {"submission": [9] * 6},
    "give_up": None,
    "lend_share": EXAMPLE,
    "open_contest": CLASSIC | {"games": 10_000},
    "new_contest": CLASSIC | {"games": 10_000},
    "enter_contest": {"team_name": f"No. {COUNT}", "software_version": "1"},
    "close_contest": None,
    "remove_entry": EXAMPLE,
    "new_table": arena_games.TABLE | {"listed": True},
    "take_seat": EXAMPLE,
    "answer": {"ask": "stir.2", "answer": "the third swan from the left"},
    "leave": EXAMPLE,
    "get_up": None,
    "make_remark": {"text": f"Good luck! {COUNT}"},
    "ask_for_hint": None,
    "play_again": None,
    "try_again": EXAMPLE,
    "new_stream": {"topics": ["lobby"]},
    "change_stream": {"add": ["lobby"]},
    "new_offer": EXAMPLE,
    "place_bet": EXAMPLE,
    "tell_seed": EXAMPLE,
    "tell_order": EXAMPLE,
    "new_session": EXAMPLE,
    "open_session": EXAMPLE,
    "offer_hand": EXAMPLE,
    "bet_on_hand": EXAMPLE,
    "order_in_hand": EXAMPLE,
    "sign_state": EXAMPLE,
    "make_call": EXAMPLE,
    "get_money": EXAMPLE,
}
"""What to send to each route that changes something."""

AT_LARGE = ("submit", "enter_contest")
"""Of these, those that are sent to what is large already; the others use something up."""

ADDRESS = "0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF"
NOBODYS: Names = {"name": "0", "key": "0", "owner": ADDRESS, "croupier": ADDRESS, "player": ADDRESS}
"""Of the Croupier and the Bank: well-formed names of what is not there."""

STREAMS = ("/events", "/events/{name}")
"""How routes end whose answers have no end."""


class Flood(NamedTuple):
    """What to send."""

    method: str
    path: str
    body: Any
    endless: bool

    def data(self, number: int) -> bytes:
        """The body of the request with this number."""
        if self.body is None:
            return b""
        return json.dumps(self.body).replace(COUNT, str(number)).encode()


def floods(
    document: dict[str, Any], post: Post, *, guesses: int = 500, teams: int = 100
) -> Iterator[tuple[str, Flood]]:
    """For each route, how it is called in the document, and its flood."""
    large = _large(post, guesses, teams)
    for route, methods in document["paths"].items():
        for method, operation in methods.items():
            if method == "head":
                continue
            name = operation["operationId"]
            body = None if method == "get" else BODIES[name]
            if body is EXAMPLE:
                (content,) = operation["requestBody"]["content"].values()
                body = next(iter(content["examples"].values()))["value"]
            kind = route.split("/")[1]
            if kind in ("croupier", "bank") or "{" not in route:
                names = NOBODYS
            elif name in arena_games.FIT or (method != "get" and name not in AT_LARGE):
                names = arena_games.FIT.get(name, arena_games.OPEN[kind])(post)
            else:
                names = large[kind]
            endless = method == "get" and route.endswith(STREAMS)
            path = route.format(**names)
            yield name, Flood(method.upper(), path, body, endless)


def _large(post: Post, guesses: int, teams: int) -> dict[str, Names]:
    """What was played with, to look at."""
    oracle = {"name": last(post("/neworacle", LONG).headers["location"])}
    for number in range(guesses):
        digits = [number // 6**k % 6 for k in range(6)]
        post("/oracle/{name}".format(**oracle), {"submission": digits})
    contest = {"name": last(post("/newcontest", CLASSIC | {"games": teams}).headers["location"])}
    for number in range(teams):
        entry = {"team_name": f"Team {number}", "software_version": "1"}
        entered = post("/contest/{name}/entry".format(**contest), entry).json()
        post(urlsplit(entered["oracle_URIs"][0]).path, {"submission": [0, 1, 2, 3]})
    return {
        "oracle": oracle,
        "contest": contest,
        "tables": arena_games.table(post),
        "events": arena_games.stream(post),
    }
