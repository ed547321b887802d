"""The client for authors of bots: against a live arena, and against servers that misbehave."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from httpx import Headers

from fairground.clients import oracles as playing
from fairground.clients.http import WAITS, Http, HttpReply, Refused, Unreachable
from fairground.clients.oracles import (
    MOST_GUESSES,
    Arena,
    Bots,
    Contest,
    Counts,
    Oracle,
    Stopped,
    builtin,
    play,
    play_all,
)
from fairground.contest.file import check
from fairground.core import Game, InputError, Move, Seat
from fairground.games.codebreaking.rules import GIVE_UP, CodeBreaking, Row, State, fits, marks
from fairground.players import Player
from fairground.players.bot import BotLimits
from fairground.server.app import make_app
from fairground.server.serve import address_of, bind
from fairground.verifier import verify
from tests.helpers.arena import in_a_thread
from tests.helpers.scripted_server import DROPPED, Said, scripted

ONCE = Http(tries=1)
MIXED = (
    {"base": 4, "length": 3, "games": 2},
    {"base": 3, "length": 3, "oracle_type": "evil", "games": 2},
    {"base": 9, "length": 2, "oracle_type": "nice", "games": 1},
)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with in_a_thread(make_app(f"sqlite:///{tmp_path_factory.mktemp('arena')}/arena.db")) as url:
        yield Arena(url + "/")


class First(Player):
    """The first code that fits; the simplest player that an author could write."""

    def choose(self, game: Game[Any], view: State, seat: Seat) -> Move:
        assert isinstance(game, CodeBreaking)
        codes = product(range(game.base), repeat=game.length)
        return next((code for code in codes if fits(code, view.rows)), GIVE_UP)


# Against our own arena


def test_one_game(arena: Arena) -> None:
    oracle = arena.new_oracle(4, 3)
    seen = oracle.describe()
    assert seen.uri == oracle.uri
    assert (seen.base, seen.length, seen.oracle_type) == (4, 3, "fair")
    assert (seen.attempts, seen.solved, seen.over) == (0, False, False)
    assert (seen.code, seen.transcript, seen.contest) == (None, None, None)
    assert seen.commitment
    with pytest.raises(InputError, match="no transcript, or not yet"):
        oracle.transcript()
    oracle.share(b"\x5e" * 32)
    told: list[Row] = []
    played = play(oracle, First(), tell=told.append)
    assert played.solved and played.steps == len(played.rows) == len(told)
    after = oracle.describe()
    assert after.solved and after.over and after.attempts == played.steps
    assert after.code == played.rows[-1].guess
    assert all(marks(after.code, guess) == answer for guess, answer in played.rows)
    data = oracle.transcript()
    assert "5e" * 32 in data.decode(), "the share is in the record"
    claims = {str(claim) for claim in verify(data, played.receipt or ()).claims}
    assert claims >= {"COMMITTED", "UNIFORM:1", "ORDERED"}
    again = play(oracle, First())
    assert (again.solved, again.trouble) == (False, "it was over before we came")


def test_giving_up_shows_the_code(arena: Arena) -> None:
    oracle = arena.new_oracle(100, 40)
    oracle.share()
    counts = oracle.submit([99] * 40)
    shown = oracle.give_up()
    assert shown.code is not None and shown.over and not shown.solved
    assert marks(shown.code, (99,) * 40) == (counts.full, counts.partial)


def test_the_arena_says_what_is_wrong_in_its_own_words(arena: Arena) -> None:
    def refused(status: int, code: str, words: str, act: Callable[[], object]) -> None:
        with pytest.raises(Refused, match=words) as error:
            act()
        assert (error.value.status, error.value.code) == (status, code)

    oracle = arena.new_oracle(4, 3, "nice")
    refused(422, "game/params", "101", lambda: arena.new_oracle(101, 3))
    refused(422, "move/illegal", "not 7", lambda: oracle.submit((0, 7, 1)))
    refused(422, "share/bad", "'5e'", lambda: oracle.share(b"\x5e"))
    oracle.share(b"\x01" * 32)
    refused(409, "arena/conflict", "once", lambda: oracle.share(b"\x02" * 32))
    assert oracle.submit((0, 1, 2))[:2] == (3, 0)
    refused(409, "arena/over", "over", lambda: oracle.submit((0, 1, 2)))
    refused(404, "arena/unknown", "nobody", Oracle(f"{arena.url}/oracle/nobody").describe)
    refused(404, "arena/unknown", "nothing", Contest(f"{arena.url}/contest/nothing").watch)
    with pytest.raises(InputError, match="no 'entry'"):
        Contest(oracle.uri).watch()
    with pytest.raises(InputError, match="'ftp://x'"):
        Oracle("ftp://x").describe()


def test_a_mixed_contest(arena: Arena) -> None:
    contest = arena.new_contest(*MIXED)
    page = contest.watch()
    assert (page.uri, page.games, page.closed, page.teams) == (contest.uri, 5, False, ())
    assert [(g.base, g.length, g.oracle) for g in page.kinds] == [
        *((4, 3, "fair"), (3, 3, "evil"), (9, 2, "nice"))
    ]
    with pytest.raises(InputError, match="not closed"):
        contest.file()
    entry = contest.enter("Guessers", "1.0")
    assert not entry.training and entry.receipt is not None
    done = dict(play_all(entry.oracles, builtin("best"), jobs=3))
    assert sorted(done) == list(range(5))
    assert all(played.solved for played in done.values())
    sizes = sorted((p.oracle.base, p.oracle.length) for p in done.values() if p.oracle is not None)
    assert sizes == [(3, 3), (3, 3), (4, 3), (4, 3), (9, 2)]
    (team,) = contest.watch().teams
    assert (team.team_name, team.software_version) == ("Guessers", "1.0")
    assert (team.rank, team.solved, team.still_open) == (1, 5, 0)
    assert entry.team_key is not None
    later = contest.enter("Guessers", "1.1", entry.team_key)
    assert later.training and later.team_key is None
    with pytest.raises(Refused, match="team_key") as refused:
        contest.enter("Guessers", "1.2")
    assert refused.value.status == 409
    with pytest.raises(InputError, match="only the maker"):
        Contest(contest.uri).close()
    contest.close()
    assert contest.watch().closed
    verdict = check(contest.file(), entry.receipt)
    assert verdict.ok, verdict.fault
    assert verdict.table is not None
    (row,) = verdict.table["official"]
    assert row["worst"] == max(played.steps for played in done.values())
    late = dict(play_all(entry.oracles, "best"))
    assert {played.trouble for played in late.values()} == {"it was over before we came"}


# Against others


BARE = {"self": "http://x/1", "base": 3, "length": 2, "type": "evil", "unknown": [None]}


def test_a_server_that_tells_only_what_the_protocol_demands() -> None:
    made = Said(303, b"", {"Location": "/games/7"})
    counts = Said(200, {"full_match_count": 1, "partial_match_count": 0, "more": 1})
    with scripted(made, Said(200, BARE), counts) as server:
        oracle = Arena(server.url, ONCE).new_oracle(3, 2, "evil")
        assert oracle.uri == f"{server.url}/games/7"
        seen = oracle.describe()
        assert (seen.base, seen.length, seen.oracle_type) == (3, 2, "evil")
        assert (seen.attempts, seen.solved, seen.over, seen.commitment) == (0, False, False, None)
        assert oracle.submit((2, 0)) == Counts(1, 0, None)
        wanted = {"base": 3, "length": 2, "oracle_type": "evil"}
        assert server.asked == [
            ("POST", "/neworacle", wanted),
            ("GET", "/games/7", None),
            ("POST", "/games/7", {"submission": [2, 0]}),
        ]


def test_a_contest_that_tells_only_what_the_protocol_demands() -> None:
    page = Said(200, {"self": "x", "entry": "/in", "base": 6, "length": 4, "games": 1})
    with scripted(page, Said(200, {"oracle_URIs": ["/a", "http://y/b"]})) as server:
        entry = Contest(f"{server.url}/c", ONCE).enter("T", "1")
        assert [oracle.uri for oracle in entry.oracles] == [f"{server.url}/a", "http://y/b"]
        assert entry[1:] == (False, None, None)
        assert server.asked[-1] == ("POST", "/in", {"team_name": "T", "software_version": "1"})


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (Said(200, b"<html>"), "no JSON object"),
        (Said(200, b"[" * 200_000), "no JSON object"),
        (Said(200, [1]), "no JSON object"),
        (Said(200, {"base": 3}), "required field `length`"),
        (Said(200, {"base": True, "length": 2}), "got `bool` - at `\\$.base`"),
    ],
)
def test_nonsense_is_named(said: Said, words: str) -> None:
    with scripted(said) as server, pytest.raises(Unreachable, match=words):
        Oracle(server.url, ONCE).describe()


def test_nonsense_in_answers_to_a_post() -> None:
    half = Said(200, {"full_match_count": 1})
    with scripted(half) as server, pytest.raises(Unreachable, match="`partial_match_count`"):
        Oracle(server.url, ONCE).submit((1,))
    with scripted(Said(200, {})) as server, pytest.raises(Unreachable, match="names nothing"):
        Arena(server.url, ONCE).new_oracle()
    told = [Said(200, {"entry": "/in", "games": 1}), Said(200, {})]
    with scripted(*told) as server, pytest.raises(Unreachable, match="oracle_URIs"):
        Contest(server.url, ONCE).enter("T", "1")


def test_redirects_are_not_followed() -> None:
    """Where a game is, is asked once; nobody sends our steps somewhere else."""
    moved = Said(302, {}, {"Location": "http://127.0.0.1:1/elsewhere"})
    with scripted(moved) as server, pytest.raises(Refused, match="answers 302"):
        Oracle(server.url, ONCE).describe()


def test_errors_without_problem_details() -> None:
    with scripted(Said(500, b"oops")) as server:
        with pytest.raises(Refused, match=r"answers 500") as refused:
            Oracle(server.url, ONCE).submit((1,))
        assert (refused.value.status, refused.value.code) == (500, "remote/refused")


def test_a_busy_server_is_asked_again_when_it_says() -> None:
    pauses: list[float] = []
    busy = Said(429, {"code": "arena/limit", "detail": "slowly"}, {"Retry-After": "2"})
    done = Said(200, {"full_match_count": 0, "partial_match_count": 0})
    with scripted(busy, busy, done) as server:
        Oracle(server.url, Http(pause=pauses.append)).submit((1,))
        assert len(server.asked) == 3
    assert pauses == [2, 2]
    with scripted(busy, busy) as server, pytest.raises(Refused, match="slowly"):
        Oracle(server.url, Http(tries=2, pause=pauses.append)).submit((1,))
    long = busy._replace(headers={"Retry-After": "3600"})
    with scripted(long) as server, pytest.raises(Refused, match="slowly"):
        Oracle(server.url, Http(pause=pauses.append)).submit((1,))
    assert len(pauses) == 3


def test_a_lost_connection_repeats_questions_but_never_steps() -> None:
    pauses: list[float] = []
    http = Http(pause=pauses.append)
    with scripted(DROPPED, DROPPED, Said(200, BARE)) as server:
        assert Oracle(server.url, http).describe().base == 3
    assert pauses == [0.1, 0.2]
    with scripted(DROPPED) as server:
        with pytest.raises(Unreachable, match="does not answer"):
            Oracle(server.url, http).submit((0, 0))
        assert len(server.asked) == 1


GIVEN = {"submission": [0, 0], "full_match_count": 1, "partial_match_count": 0}


def test_a_step_whose_answer_was_lost_is_counted_once() -> None:
    pauses: list[float] = []
    http = Http(tries=1, pause=pauses.append)
    counted = Said(200, BARE | {"attempts": 4, "answers": [GIVEN]})
    not_counted = Said(200, BARE | {"attempts": 3})
    answered = Said(200, {"full_match_count": 1, "partial_match_count": 0})
    with scripted(DROPPED, Said(503, {}), DROPPED, counted) as server:
        assert Oracle(server.url, http).submit_once((0, 0), 3) == Counts(1, 0)
        assert [method for method, *_ in server.asked] == ["POST", "GET", "GET", "GET"]
    with scripted(DROPPED, not_counted, answered) as server:
        assert Oracle(server.url, http).submit_once((0, 0), 3) == Counts(1, 0)
        assert [method for method, *_ in server.asked] == ["POST", "GET", "POST"]
    with (
        scripted(DROPPED, counted) as server,
        pytest.raises(InputError, match=r"4 steps.*know of 2"),
    ):
        Oracle(server.url, http).submit_once((0, 0), 2)
    other = Said(200, BARE | {"attempts": 4})
    with scripted(DROPPED, other) as server, pytest.raises(InputError, match="cannot be had again"):
        Oracle(server.url, http).submit_once((0, 0), 3)
    over = Said(409, {"code": "arena/over", "detail": "over"})
    with scripted(over) as server, pytest.raises(Refused, match="over"):
        Oracle(server.url, http).submit_once((0, 0), 3)
    pauses.clear()
    with scripted(*[Said(503, {})] * WAITS) as server, pytest.raises(Refused):
        Oracle(server.url, http).submit_once((0, 0), 3)
    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, *[6.4] * (WAITS - 7)]
    assert 45 < sum(pauses) < 75, "about a minute"


def test_nobody_is_there() -> None:
    pauses: list[float] = []
    sock = bind("127.0.0.1", 0)
    url = address_of(sock)
    with sock, pytest.raises(Unreachable, match="timed out"):
        Oracle(url, Http(timeout=0.05, tries=1)).submit((1,))
    with pytest.raises(Unreachable, match=r"does not answer.*refused"):
        Oracle(url, Http(tries=3, pause=pauses.append)).submit((1,))
    assert len(pauses) == 2, "nothing was sent, so it could be tried again"


# Players that come to no good end


class Scripted(Oracle):
    """An oracle in this process: answers by a rule, and counts."""

    def __init__(self, answer: Counts) -> None:
        super().__init__("http://x/")
        self._answer = answer
        self.steps = 0
        self.given_up = 0

    def describe(self, after: int | None = None) -> Any:
        data = json.dumps({"base": 3, "length": 2}).encode()
        return self._described(HttpReply(200, Headers(), data, self.uri))

    def submit(self, guess: Any) -> Counts:
        self.steps += 1
        return self._answer

    def give_up(self) -> Any:
        self.given_up += 1


def test_an_oracle_that_contradicts_itself_is_given_up() -> None:
    liar = Scripted(Counts(0, 0))
    played = play(liar, "best")
    assert not played.solved and liar.given_up == 1
    assert played.trouble == f"given up after {liar.steps} guesses" and liar.steps < 9


class Stubborn(Player):
    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        return (0, 0)


class Mumbling(Player):
    def choose(self, game: Game[Any], view: Any, seat: Seat) -> Move:
        return "0 0"


def test_players_that_get_nowhere() -> None:
    oracle = Scripted(Counts(1, 0))
    assert play(oracle, Stubborn()).trouble == f"given up: no end after {MOST_GUESSES} guesses"
    assert (oracle.steps, oracle.given_up) == (MOST_GUESSES, 1)
    oracle = Scripted(Counts(1, 0))
    assert "'0 0'" in str(play(oracle, Mumbling()).trouble)
    assert (oracle.steps, oracle.given_up) == (0, 1)
    with pytest.raises(Stopped):
        play(oracle, Stubborn(), stopped=lambda: True)


def test_one_game_in_trouble_does_not_stop_the_others(arena: Arena) -> None:
    lost = Oracle(f"{arena.url}/oracle/nobody")
    games = [arena.new_oracle(3, 2), lost, arena.new_oracle(3, 2)]
    done = dict(play_all(games, "best", jobs=2))
    assert done[0].solved and done[2].solved
    assert done[1].oracle is None and "arena/unknown" in str(done[1].trouble)


def test_closing_stops_between_two_steps_and_leaves_games_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(playing, "MOST_GUESSES", 200_000)  # would take a minute
    endless, last = Scripted(Counts(1, 0)), Scripted(Counts(2, 0))
    games = play_all([Scripted(Counts(2, 0)), endless, last], lambda _: nullcontext(Stubborn()), 2)
    assert next(games)[1].solved
    games.close()
    assert endless.steps < 200_000 and endless.given_up == 0


def test_a_server_that_is_gone_stops_all() -> None:
    with bind("127.0.0.1", 0) as sock:
        url = address_of(sock)
    games = [Oracle(url, ONCE) for _ in range(20)]
    with pytest.raises(Unreachable):
        list(play_all(games, "best", jobs=4))


def test_a_bot_serves_many_games(arena: Arena, tmp_path: Path) -> None:
    """One process for each kind of game at a time; what a bot prints or breaks stays there."""
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import os\n"
        "def choose(game, view, seat):\n"
        f"    open({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        "    if game.base == 2: raise ValueError('not two')\n"
        "    return (len(view.rows),)\n"
    )
    bots = Bots(bot, BotLimits(seconds=20))
    games = [arena.new_oracle(base, 1) for base in (3, 3, 4, 2)]
    done = dict(play_all(games, bots))
    bots.close()
    assert [done[number].solved for number in range(4)] == [True, True, True, False]
    assert "the bot failed: line 4: ValueError: not two" in str(done[3].trouble)
    assert games[3].describe().over
    assert len(set((tmp_path / "pids").read_text().split())) == 3


def test_a_refusal_of_brackets_without_end_is_a_refusal() -> None:
    deep = Said(404, b'{"a":' * 200_000)
    with scripted(deep) as server, pytest.raises(Refused, match="answers 404"):
        Contest(server.url, ONCE).watch()
