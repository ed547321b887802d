"""The remote player: two of them at a real server, and arenas that try to cheat it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fairground.clients.http import Http, HttpReply, Refused, Unreachable
from fairground.clients.table import RemoteSeat, open_table, play
from fairground.core import BadShare, Fault, InputError
from fairground.games import make_game
from fairground.json_views import as_json, from_json
from fairground.server.app import make_app
from fairground.testing.laws import positions
from fairground.transcript import line_hash
from fairground.verifier import verify
from tests.helpers.arena import in_a_thread, play_all
from tests.helpers.forging import rechain
from tests.helpers.samples import SAMPLES, Sample

ZOMBIE = SAMPLES["zombie/2"][1].params
STONES = SAMPLES["fatestones/1"][0].params
CODES = {"base": 3, "length": 2, "oracle": "fair"}


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("arena")
    with in_a_thread(make_app(f"sqlite:///{folder}/arena.db")) as url:
        yield url


def table(arena: str, game: str, params: dict[str, Any], *seats: Any, **more: Any) -> list[str]:
    chairs = [
        seat if isinstance(seat, dict) else {"name": f"Seat {number}", "lends": seat}
        for number, seat in enumerate(seats)
    ]
    made = open_table(arena, {"game": game, "params": params, "seats": chairs, **more})
    return [seat["url"] for seat in made["seats"] if "url" in seat]


def claims(data: bytes, receipt: str) -> set[str]:
    verdict = verify(data, receipt)
    assert verdict.ok, verdict.fault
    return {str(claim) for claim in verdict.claims}


def test_two_clients_with_chains_of_their_own_earn_every_claim(arena: str) -> None:
    # Chains of two links: everybody publishes new tips in the middle of the game.
    urls = table(arena, "zombie/2", ZOMBIE, "chain", "chain", options={"length": 2})
    first, second = play_all(urls, "cautious")
    assert first.transcript == second.transcript
    assert first.payoff == second.payoff
    told = {"COMMITTED", "UNIFORM:0", "UNIFORM:1", "UNFORESEEN:0", "UNFORESEEN:1", "ORDERED"}
    assert claims(first.transcript, first.receipt) == told
    assert {str(claim) for claim in second.verdict.claims} == told


def test_sealed_moves_over_the_wire(arena: str) -> None:
    first, second = play_all(table(arena, "fatestones/1", STONES, "chain", "stir"))
    assert first.transcript == second.transcript
    told = claims(first.transcript, first.receipt)
    assert {"SEALED:0", "SEALED:1", "UNIFORM:0", "UNIFORM:1", "ORDERED"} <= told


def test_against_our_own_player(arena: str) -> None:
    bot = {"name": "Bot", "player": "random"}
    (url,) = table(arena, "fatestones/1", STONES, bot, "chain")
    played = play(url, "random")
    assert claims(played.transcript, played.receipt) >= {"UNIFORM:1", "UNFORESEEN:1", "SEALED:1"}


def test_a_hidden_code_is_broken_on_what_the_arena_shows(arena: str) -> None:
    keeper = {"name": "Keeper", "player": "fair"}
    (url,) = table(arena, "codebreaking/1", CODES, keeper, "chain")
    played = play(url, "random")
    assert claims(played.transcript, played.receipt) >= {"COMMITTED", "UNIFORM:1", "UNFORESEEN:1"}


def test_a_number_for_each_draw(arena: str) -> None:
    dice = SAMPLES["intransitive/1"][0].params
    bot = {"name": "Computer", "player": "random"}
    (url,) = table(arena, "intransitive/1", dice, bot, "number", dealer="hmac-sha3-user/1")
    played = play(url, "random")
    assert claims(played.transcript, played.receipt) >= {"UNIFORM:1", "UNFORESEEN:1"}


def test_leaving(arena: str) -> None:
    first, second = table(arena, "zombie/2", ZOMBIE, "chain", "chain")
    RemoteSeat(first).forfeit("the train leaves")
    played = play(second, "random")
    assert played.payoff == (-1, 1)
    assert "the train leaves" in " ".join(played.verdict.remarks)


# An arena that cheats: a real one behind it, and changes on the way

Change = Callable[[str, bytes], bytes]


class Crooked(Http):
    """What a dishonest arena would answer."""

    def __init__(self, change: Change) -> None:
        super().__init__(pause=lambda _: None)
        self._change = change

    def send(self, method: str, url: str, body: Any = None, **more: Any) -> HttpReply:
        reply = super().send(method, url, body, **more)
        return reply._replace(data=self._change(url, reply.data))


def edited(**fields: Any) -> Change:
    """Other values in what a seat is shown."""

    def change(url: str, data: bytes) -> bytes:
        if "/seats/" not in url or b'"asks"' not in data:
            return data
        return json.dumps(json.loads(data) | fields).encode()

    return change


def test_a_history_that_does_not_extend_the_one_before(arena: str) -> None:
    first, _ = table(arena, "zombie/2", ZOMBIE, "chain", "chain")
    fork = False

    def change(url: str, data: bytes) -> bytes:
        if not fork or "/transcript" not in url or not data:
            return data
        events = [json.loads(line) for line in data.splitlines()]
        return rechain(events)  # a chain that holds in itself, from another beginning

    mine = RemoteSeat(first, Crooked(change))
    (ask,) = mine.owed()
    mine.send(ask, mine.reply(ask))
    fork = True
    with pytest.raises(Fault, match="two histories"):
        mine.look()


def test_a_head_that_is_not_the_transcripts(arena: str) -> None:
    first, _ = table(arena, "zombie/2", ZOMBIE, "chain", "chain")
    with pytest.raises(Fault, match="head"):
        RemoteSeat(first, Crooked(edited(head="5e" * 32)))
    with pytest.raises(Fault, match="shows no such"):
        RemoteSeat(first, Crooked(edited(step=99)))


def test_a_link_before_all_tips_are_out(arena: str) -> None:
    """The arena wants our link early, so that a friend may choose their tip by it."""
    first, _ = table(arena, "zombie/2", ZOMBIE, "chain", "chain")
    mine = RemoteSeat(first)
    tip = mine.shown["asks"][0]
    mine.shown["asks"] = [tip | {"kind": "link"}]
    with pytest.raises(Fault, match="nobody is to give a link now"):
        mine.owed()
    mine.shown["asks"] = [tip | {"head": "5e" * 32}]
    with pytest.raises(Fault, match="another history"):
        mine.owed()


def test_a_link_behind_a_hidden_draw_is_not_given(arena: str) -> None:
    keeper = {"name": "Keeper", "player": "fair"}
    (url,) = table(arena, "codebreaking/1", CODES, keeper, "chain")
    mine = RemoteSeat(url)
    while mine.owed()[0].kind != "move":
        (ask,) = mine.owed()
        mine.send(ask, mine.reply(ask))
        mine.look()
    mine.shown["asks"] = [mine.shown["asks"][0] | {"kind": "link", "run": 2}]
    with pytest.raises(BadShare, match="hidden draw"):
        mine.owed()


def test_the_same_question_in_two_histories_gets_one_answer(arena: str) -> None:
    first, _ = table(arena, "zombie/2", ZOMBIE, "chain", "chain")
    mine = RemoteSeat(first)
    (ask,) = mine.owed()
    assert mine.reply(ask) == mine.reply(ask)
    with pytest.raises(BadShare, match="another history"):
        mine.reply(ask._replace(head="5e" * 32))


def test_an_acknowledged_answer_that_is_recorded_differently(arena: str) -> None:
    first, _ = table(arena, "zombie/2", ZOMBIE, "stir", "stir")
    mine = RemoteSeat(first)
    (ask,) = mine.owed()
    mine.send(ask, "what we say")
    mine._given[0] = mine._given[0]._replace(answer="what we said, we swear")
    with pytest.raises(Fault, match="not what we answered"):
        mine.look()


def test_being_asked_to_open_what_we_never_sealed(arena: str) -> None:
    first, second = table(arena, "zombie/2", ZOMBIE, "nothing", "chain")
    mine = RemoteSeat(first)
    ask = RemoteSeat(second).owed()[0]._replace(seat=0)
    with pytest.raises(Fault, match="did not seal"):
        mine.reply(ask._replace(kind="open"))
    with pytest.raises(Fault, match="lend no link"):
        mine.reply(ask._replace(kind="link"))


# Views and words


@pytest.mark.parametrize(
    "sample", [one for some in SAMPLES.values() for one in some], ids=lambda one: one.name
)
def test_every_view_survives_the_wire(sample: Sample) -> None:
    game = make_game(sample.game, sample.params)
    for state in positions(game):
        for seat in (None, *range(game.seats)):
            view = game.view(state, seat)
            sent = json.loads(json.dumps(as_json(view)))
            assert from_json(type(view), sent) == view


def test_views_that_are_none() -> None:
    state = type(make_game("codebreaking/1", CODES).start())
    good = as_json(make_game("codebreaking/1", CODES).start())
    others = [{"phase": "asleep"}, {"rows": 1}, {"more": 1}, {"code": {"hidden": 1}}]
    bads: list[Any] = [None, [], {}, *(good | other for other in others)]
    for bad in bads:
        with pytest.raises(InputError):
            from_json(state, bad)
    assert from_json(tuple[int, ...], [2**53 - 1, str(2**60)]) == (2**53 - 1, 2**60)
    with pytest.raises(InputError):
        from_json(int, "12")
    with pytest.raises(TypeError):
        as_json(1.5)


def test_no_arena_there() -> None:
    pauses: list[float] = []
    http = Http(tries=3, pause=pauses.append)
    with pytest.raises(Unreachable, match=r"^http://127.0.0.1:1/tables/x does not answer") as told:
        RemoteSeat("http://127.0.0.1:1/tables/x/seats/secret", http)
    assert "secret" not in str(told.value)
    assert pauses == [0.1, 0.2]
    with pytest.raises(InputError, match="http://"):
        RemoteSeat("file:///etc/passwd", http)


def test_refusals_carry_the_arenas_words(arena: str) -> None:
    with pytest.raises(Refused) as refused:
        RemoteSeat(f"{arena}/tables/nobody/seats/nothing")
    assert (refused.value.status, refused.value.code) == (404, "arena/unknown")
    first, _ = table(arena, "zombie/2", ZOMBIE, "stir", "stir")
    mine = RemoteSeat(first)
    with pytest.raises(Refused, match="at most 200"):
        mine.send(mine.owed()[0], "x" * 201)


def test_what_is_not_json(tmp_path: Path) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            for word in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{word}.complete"})
            return
        status = 200 if scope["path"].endswith("good") else 418
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b"tea"})

    with in_a_thread(app) as url:
        with pytest.raises(Unreachable, match="no JSON object"):
            Http().get(f"{url}/good")
        with pytest.raises(Refused, match="answers 418"):
            Http().get(f"{url}/bad")


def test_the_receipt_is_the_hash_of_the_last_line(arena: str) -> None:
    first, _ = table(arena, "zombie/2", ZOMBIE, "chain", "chain")
    mine = RemoteSeat(first)
    assert mine.receipt == line_hash(mine.lines[-1])
