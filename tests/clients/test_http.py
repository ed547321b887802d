"""The one HTTP client: what it sends again, and what never."""

from __future__ import annotations

import pytest

from fairground.clients.http import Http, Refused, Repeat, Unreachable
from fairground.core import FairgroundError
from tests.helpers.scripted_server import DROPPED, Said, scripted

DONE = Said(200, {"done": True})
SERVED = Said(409, {"code": "arena/being-served", "detail": "just now"}, {"Retry-After": "1"})
BUSY = Said(503, {"code": "bank/away", "detail": "nobody knows"}, {"Retry-After": "1"})


@pytest.mark.parametrize(
    ("first", "repeat", "sent"),
    [
        (DROPPED, Repeat.ALWAYS, 2),
        (DROPPED, Repeat.UNCOUNTED, 1),
        (DROPPED, Repeat.NEVER, 1),
        (BUSY, Repeat.ALWAYS, 2),
        (BUSY, Repeat.UNCOUNTED, 2),
        (BUSY, Repeat.NEVER, 1),
        (SERVED, Repeat.ALWAYS, 2),
        (SERVED, Repeat.UNCOUNTED, 1),
    ],
)
def test_what_is_sent_again(first: Said, repeat: Repeat, sent: int) -> None:
    pauses: list[float] = []
    http = Http(pause=pauses.append)
    with scripted(*[first, DONE][:sent]) as server:
        if sent == 2:
            assert http.post(server.url, {"give": 1}, repeat=repeat) == {"done": True}
        else:
            with pytest.raises(FairgroundError):
                http.post(server.url, {"give": 1}, repeat=repeat)
        assert server.asked == [("POST", "/", {"give": 1})] * sent
    assert pauses == [0.1 if first is DROPPED else 1] * (sent - 1)


def test_a_refusal_is_final() -> None:
    problem = {"code": "bank/refused", "detail": "no\nmore", "refusal": "WrongStep"}
    with scripted(Said(409, problem)) as server, pytest.raises(Refused) as refused:
        Http().post(server.url, {})
    assert (refused.value.status, refused.value.code) == (409, "bank/refused")
    assert str(refused.value) == "no more", "in one line"
    assert refused.value.problem == problem


def test_a_server_that_wants_to_be_left_alone_for_long_has_refused() -> None:
    long = BUSY._replace(headers={"Retry-After": "60"})
    with scripted(long) as server, pytest.raises(Refused, match="nobody knows"):
        Http().get(server.url)


def test_the_last_trouble_is_told() -> None:
    with scripted(BUSY, DROPPED) as server, pytest.raises(Unreachable):
        Http(tries=2, pause=lambda _: None).get(server.url)
    with scripted(DROPPED, BUSY) as server, pytest.raises(Refused):
        Http(tries=2, pause=lambda _: None).get(server.url)


def test_an_answer_that_is_on_its_way_is_waited_for() -> None:
    """The first try ended too early for us; the server was still at it when we asked again."""
    pauses: list[float] = []
    http = Http(tries=1, pause=pauses.append)
    with scripted(DROPPED, SERVED, SERVED, DONE) as server:
        assert http.patiently(lambda: http.post(server.url, {})) == {"done": True}
    assert len(pauses) == 3
