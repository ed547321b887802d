"""``fairground play``: any game, on real pipes and on a real terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fairground.commands.play import read_value
from fairground.core import BadParams, Game, InputError
from fairground.games import GAMES, game_class, make_game
from fairground.games.poker.rules import Poker
from fairground.players import offered, seat_labels
from fairground.terminal.evening import company
from fairground.words import words_for
from tests.helpers.told import Told
from tests.terminal.conftest import Here


def fairground(answers: str, *arguments: str, **environment: str) -> Told:
    done = subprocess.run(
        [sys.executable, "-m", "fairground", *arguments],
        input=answers.encode(),
        capture_output=True,
        env={**os.environ, "PYTHONUTF8": "1", "COLUMNS": "80", **environment},
        timeout=120,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    record = Path(arguments[-1])
    saved = record.read_bytes() if record.suffix == ".jsonl" and record.exists() else b""
    return Told(done.returncode, done.stdout.decode(), done.stderr.decode(), saved)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "game.jsonl"


# Each game: its parameters, more answers than it needs, and the seat that the person has.
FIVE = {
    "intransitive": ([], "0\n", 1),
    "codebreaking": (["base=2", "length=1"], "0\n1\n", 1),
    "zombie": (["brains_to_win=1"], "r\nh\n" * 500, 0),
    "fatestones": ([], "0\n" * 90, 0),
    "poker": ([], "1 2\n", 1),
}


@pytest.mark.parametrize("game", FIVE)
def test_each_game_is_played_to_its_end_and_checked(game: str, record: Path) -> None:
    values, answers, seat = FIVE[game]
    told = fairground(f"my word\n{answers}", "play", game, *values, "--save", str(record))
    assert (told.code, told.err) == (0, "")
    verdict = told.verdict
    assert verdict.ok and verdict.payoff is not None
    assert GAMES[GAMES.newest(game)].title in told.out
    assert "Checked: the record" in told.out and " lines is valid.\n" in told.out
    assert f"fairground verify {record}" in told.out
    shares = [event["value"] for event in told.events if event["kind"] == "share"]
    assert shares == ["my word"]
    start = told.events[0]
    assert [chair["by"] == "self" for chair in start["seats"]] == [i == seat for i in (0, 1)]
    if game not in ("codebreaking", "poker") and verdict.payoff[seat]:
        assert ("\nYou win" in told.out) == (verdict.payoff[seat] > 0)
    for moved in (event for event in told.events if event["kind"] in ("move", "open")):
        assert moved["seat"] != seat or "\nYou " in told.out


def test_programs_alone_need_no_answers(here: Here, record: Path) -> None:
    seats = ("--seat", "zombie1=cautious", "--seat", "zombie2=random")
    told = here("", "play", "zombie", "brains_to_win=1", *seats, "--save", str(record))
    assert (told.code, told.err) == (0, "")
    assert told.verdict.ok
    assert "\nZombie 1 (cautious) rolls." in told.out and "\nZombie 2 (random) rolls." in told.out


def test_the_others_play_on_when_one_of_three_leaves(here: Here, record: Path) -> None:
    seats = [part for n in (1, 2) for part in ("--seat", f"zombie{n}=me:{'AB'[n - 1]}")]
    answers = "a\nb\nq\ny\n" + "r\nh\n" * 500
    told = here(answers, "play", "zombie", "players=3", "brains_to_win=2", *seats,
                "--save", str(record))  # fmt: skip
    assert (told.code, told.err) == (0, "")
    gone = [e["seat"] for e in told.events if e["kind"] == "forfeit"]
    assert gone in ([0], [1])
    stays = "BA"[gone[0]]
    assert f"{stays}, you roll first. Roll?" in told.out
    assert f"{'AB'[gone[0]]} is out." in told.out
    verdict = told.verdict
    assert verdict.ok and verdict.payoff is not None
    assert verdict.payoff[gone[0]] == -1 and sum(verdict.payoff) == 0
    winner = [stays, "Zombie 3 (cautious)"][verdict.payoff[1 - gone[0]] < 0]
    assert f"\n{winner} wins with " in told.out


def test_all_people_leave_at_the_end_of_the_input(here: Here, record: Path) -> None:
    seats = [part for n in (1, 2) for part in ("--seat", f"zombie{n}=me")]
    told = here("a\nb\n", "play", "zombie", "players=4", "brains_to_win=2", *seats,
                "--save", str(record))  # fmt: skip
    assert told.code == 3
    gone = [(e["seat"], e["by"]) for e in told.events if e["kind"] == "forfeit"]
    assert sorted(gone) == [(0, "seat"), (1, "seat")]
    verdict = told.verdict
    assert verdict.ok  # the house's players finished it
    assert verdict.payoff is not None and verdict.payoff[0] == verdict.payoff[1] == -1


# What a terminal can show


@pytest.mark.parametrize("game", FIVE)
def test_plain_letters_and_narrow_terminals(game: str) -> None:
    values, answers, _ = FIVE[game]
    told = fairground(f"w\n{answers}", "play", game, *values, "--ascii", "--no-save", COLUMNS="40")
    assert told.code == 0
    assert told.out.isascii()
    prompts = ("Type anything", "(y/n)", "? ")
    long = [line for line in told.out.splitlines() if len(line) > 40]
    assert not [line for line in long if not any(prompt in line for prompt in prompts)]


# Declarations


def test_without_a_game_all_are_listed(here: Here) -> None:
    told = here("", "play")
    assert told.code == 0
    for name, listing in GAMES.listed.items():
        newest = GAMES.newest(name.partition("/")[0])
        assert (f"  {name} " in told.out) == (name == newest)
        assert f"{listing.title}: {listing.summary}" in told.out


@pytest.mark.parametrize("name", GAMES.listed)
def test_help_says_who_can_sit_where_and_what_a_game_is_made_of(here: Here, name: str) -> None:
    told = here("", "play", name, "--help")
    assert told.code == 0
    game = game_class(name).from_params({})
    for seat in range(game.seats):
        assert game.role(seat) in told.out
        for player, listing in offered(game, seat).items():
            assert f"{player}: {listing.summary.split()[0]}" in told.out
    for parameter in game.parameters:
        assert f"  {parameter.name}: " in told.out
    assert f"fairground play {name.partition('/')[0]}" in told.out


def test_seats_are_named_by_roles() -> None:
    assert seat_labels(make_game("codebreaking/1", {})) == ["keeper", "breaker"]
    assert seat_labels(make_game("zombie/2", {"players": 3})) == ["zombie1", "zombie2", "zombie3"]


@pytest.mark.parametrize(
    ("game", "wanted", "people", "players"),
    [
        ("codebreaking/1", [], {1: ""}, {0: "fair"}),
        ("codebreaking/1", ["breaker=random"], {0: ""}, {1: "random"}),
        ("codebreaking/1", ["keeper=me:Kay"], {0: "Kay"}, {1: "best"}),
        ("fatestones/1", [], {0: ""}, {1: "optimal"}),
        ("poker/2", [], {1: ""}, {0: "random"}),
        ("zombie/2", [], {0: ""}, {1: "cautious"}),
        ("intransitive/1", ["user=random", "computer=mcts:9"], {}, {0: "mcts:9", 1: "random"}),
    ],
)
def test_whoever_is_not_named_is_chosen_sensibly(
    game: str, wanted: list[str], people: dict[int, str], players: dict[int, str]
) -> None:
    assert company(make_game(game, {}), wanted) == (people, players)


@pytest.mark.parametrize("name", GAMES.listed)
def test_every_seat_has_somebody(name: str) -> None:
    game: Game[Any] = make_game(name, {})
    who = company(game, [])
    assert sorted([*who.people, *who.players]) == list(range(game.seats))
    for seat, player in who.players.items():
        assert player in offered(game, seat)


@pytest.mark.parametrize(
    ("text", "shape", "value"),
    [
        ("7", {"type": "integer"}, 7),
        ("-7", {"type": "integer"}, -7),
        ("yes", {"type": "boolean"}, True),
        ("False", {"type": "boolean"}, False),
        ("0.5", {"type": "number"}, 0.5),
        ("bbf", {"type": "string"}, "bbf"),
        ("evil", {"enum": ["fair", "evil"]}, "evil"),
        ("111666 222555", {"type": "array", "items": {"type": "string"}}, ["111666", "222555"]),
        ("[1, 2]", {"type": "array", "items": {"type": "integer"}}, [1, 2]),
        ("1 2;3", {"type": "array", "items": {"type": "integer"}}, [1, 2, 3]),
        ("a,b c,d", {"type": "array", "items": {"type": "array"}}, [["a", "b"], ["c", "d"]]),
    ],
)
def test_values_are_read_by_their_shape(text: str, shape: dict[str, Any], value: object) -> None:
    assert read_value(text, shape, "it") == value


@pytest.mark.parametrize(
    ("text", "kind"), [("x", "integer"), ("maybe", "boolean"), ("[1", "array"), ("{", "object")]
)
def test_values_of_another_shape_are_refused(text: str, kind: str) -> None:
    with pytest.raises(BadParams, match="it is") as refused:
        read_value(text, {"type": kind}, "it")
    assert repr(text) in str(refused.value)


def test_a_game_that_cannot_be_loaded_is_said(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = GAMES["poker/2"]
    monkeypatch.setitem(GAMES.listed, "torn/1", whole._replace(rules="no.such:Rules"))
    monkeypatch.setitem(GAMES.listed, "mute/1", whole._replace(words="fairground.words:Nothing"))
    torn = here("", "play", "torn", "--no-save")
    assert torn.code == 2 and "the rules of torn/1 cannot be loaded: No module" in torn.err
    with pytest.raises(InputError, match="the words of mute/1 cannot be loaded"):
        words_for(Mute(), ["A", "B"])


class Mute(Poker):
    name = "mute/1"


def test_a_seat_that_no_player_of_ours_can_take_is_said() -> None:
    game = make_game("codebreaking/1", {"base": 100, "length": 40, "oracle": "evil"})
    if not offered(game, 0):
        with pytest.raises(InputError, match="--seat keeper=me"):
            company(game, [])


# Other people's games

MORRA = '''
"""Two fingers: both show one or two; seat 0 wins an even sum."""

from fairground.core import Game, IllegalMove, Over, Turn, must_be_in_turn
from fairground.games import Listing

LISTING = Listing("twofingers:TwoFingers", "Two fingers", "Both show one or two fingers.")


class TwoFingers(Game):
    name = "twofingers/1"
    seats = 2

    @classmethod
    def from_params(cls, params):
        cls.with_defaults(params)
        return cls()

    def params(self):
        return {}

    def start(self):
        return ()

    def awaits(self, s):
        return Over((1, -1) if sum(s) % 2 == 0 else (-1, 1)) if s else Turn((0, 1))

    def drawn(self, s, value):
        raise IllegalMove("nothing is drawn")

    def check(self, s, seat, move):
        must_be_in_turn(seat, self.awaits(s))
        if move not in (1, 2):
            raise IllegalMove(f"show 1 or 2, not {move!r}")

    def moves(self, s, seat):
        must_be_in_turn(seat, self.awaits(s))
        return (1, 2)

    def played(self, s, moves):
        return (moves[0], moves[1])

    def forfeit(self, s, seat):
        return (-1, 1) if seat == 0 else (1, -1)
'''


def test_a_game_of_another_package_is_played_without_a_change_here(tmp_path: Path) -> None:
    (tmp_path / "twofingers.py").write_text(MORRA)
    about = tmp_path / "twofingers-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: twofingers\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[fairground.games]\ntwofingers/1 = twofingers:LISTING\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    record = tmp_path / "game.jsonl"
    listed = fairground("", "play", PYTHONPATH=path)
    assert "Two fingers: Both show one or two fingers." in listed.out
    told = fairground("1\n", "play", "twofingers", "--save", str(record), PYTHONPATH=path)
    assert (told.code, told.err) == (0, "")
    assert "Two fingers (twofingers/1)" in told.out
    assert "You are Player 1." in told.out
    mine, theirs = (e["move"] for e in told.events if e["kind"] == "open")
    assert f"You play {2}." in told.out  # the menu counts from 0
    assert {mine, theirs} <= {1, 2}
    won = "You win." if (mine + theirs) % 2 == 0 else "Player 2 (random) wins."
    assert won in told.out
    checked = fairground("", "verify", str(record), PYTHONPATH=path)
    assert checked.code == 0
