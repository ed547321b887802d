"""Real games of every kind in a live arena, by the names that its OpenAPI document uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SEATS = [{"name": "Bot", "player": "random"}, {"name": "Ada"}]
STIRS = {"name": "Ada", "lends": "stir"}
TABLE = {"game": "zombie/2", "params": {"players": 2}, "seats": SEATS}
ORACLE = {"base": 6, "length": 4}
CONTEST = {"base": 6, "length": 4, "games": 2}

Post = Callable[[str, Any], Any]
"""Sends JSON to a path; the answer has ``headers`` and ``json()``."""

Names = dict[str, str]
"""Parameter of a path → a value of something real."""


def last(uri: str) -> str:
    return uri.rpartition("/")[2]


def oracle(post: Post) -> Names:
    return {"name": last(post("/neworacle", ORACLE).headers["location"])}


def contest(post: Post) -> Names:
    made = post("/newcontest", CONTEST)
    return {
        "name": last(made.headers["location"]),
        "secret": last(made.headers["fairground-close"]),
    }


def closed_contest(post: Post) -> Names:
    made = contest(post)
    post("/contest/{name}/close/{secret}".format(**made), {})
    return made


def entered_contest(post: Post) -> Names:
    """With an entry that can be removed."""
    made = contest(post)
    post("/contest/{name}/entry".format(**made), {"team_name": "Ada", "software_version": "1"})
    return made


def table(post: Post) -> Names:
    """Its first ask is ``stir.2``, as in an example of the document."""
    made = post("/tables", {**TABLE, "seats": [SEATS[0], STIRS]})
    return {"name": last(made.headers["location"]), "secret": last(made.json()["seats"][1]["url"])}


def finished_table(post: Post) -> Names:
    made = table(post)
    post("/tables/{name}/seats/{secret}/forfeit".format(**made), {})
    return made


def played_table(post: Post) -> Names:
    """Poker, in which only our player has to decide: it is over at once."""
    seats = [{"name": "Ada"}, {"name": "Bob", "player": "random"}]
    made = post("/tables", {"game": "poker/2", "seats": seats})
    return {"name": last(made.headers["location"])}


def open_table(post: Post) -> Names:
    """With twenty seats to take."""
    seats = [{"open": True}] * 20
    wanted = {"game": "zombie/2", "params": {"players": 20}, "seats": seats}
    return {"name": last(post("/tables", wanted).headers["location"])}


def waiting_table(post: Post) -> Names:
    """At which somebody sits, and waits for another."""
    made = post("/tables", {**TABLE, "seats": [STIRS, {"open": True}]})
    return {"name": last(made.headers["location"]), "secret": last(made.json()["seats"][0]["url"])}


def table_to_move(post: Post) -> Names:
    """Where a move is asked for."""
    made = post("/tables", {**TABLE, "dealer": "system/1", "seats": SEATS})
    return {"name": last(made.headers["location"]), "secret": last(made.json()["seats"][1]["url"])}


def stream(post: Post) -> Names:
    return {"name": last(post("/events", {"topics": []}).json()["stream"])}


OPEN: dict[str, Callable[[Post], Names]] = {
    "oracle": oracle,
    "contest": contest,
    "tables": table,
    "events": stream,
}
"""Something open to act on, by the first word of its path."""

FIT: dict[str, Callable[[Post], Names]] = {
    "remove_entry": entered_contest,
    "take_seat": open_table,
    "get_up": waiting_table,
    "ask_for_hint": table_to_move,
    "play_again": finished_table,
    "try_again": played_table,
}
"""For routes that want something special, by their names."""
