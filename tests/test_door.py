"""The front door: what it gives is what the rooms behind it give, in fewer words."""

from __future__ import annotations

import builtins
import json
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import fairground as fg
from fairground.core import Move
from fairground.door.tables import new_table
from fairground.fair.bits import SIZE
from fairground.fair.schemes import Chair
from fairground.games import make_game
from fairground.games.intransitive.rules import Intransitive
from fairground.server.app import make_app
from fairground.table import Table
from tests.bank.test_schemes import Dealt
from tests.helpers.arena import in_a_thread
from tests.helpers.places import TESTS

DICE = ["2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"]
PLAYTHROUGHS = sorted((TESTS / "playthroughs").glob("*.jsonl"))


def in_a_process(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class Last(fg.Player):
    """Takes the last move that there is, so that it differs from the first."""

    def choose(self, game: fg.Game[Any], view: Any, seat: int) -> Move:
        return list(game.choices(view, seat))[-1]


# The package


def test_every_name_is_there_and_nothing_else_is_offered() -> None:
    assert sorted(dir(fg)) == sorted(["__version__", "open", *fg.__all__])
    for name in dir(fg):
        assert hasattr(fg, name), name
    assert len(set(fg.__all__)) == len(fg.__all__)


def test_a_star_import_leaves_the_builtins_alone() -> None:
    star: dict[str, object] = {}
    exec("from fairground import *", star)
    assert star.keys() & set(dir(builtins)) <= {"__builtins__", "__name__"}


def modules_of_ours() -> list[str]:
    found = pkgutil.walk_packages(fg.__path__, "fairground.")
    return [one.name for one in found if not one.name.endswith("__main__")]


def test_no_public_name_is_the_name_of_a_package() -> None:
    packages = {name.split(".")[1] for name in modules_of_ours()}
    assert not packages & set(dir(fg))


def test_every_module_is_reached_by_its_name_in_every_form_of_import() -> None:
    """Run in a process of its own, where every module is imported by ``import a.b.c as name``."""
    program = """
import pydoc, sys, fairground
for name in sys.argv[1:]:
    exec(f"import {name} as found")
    assert found is sys.modules[name], name
    package, _, last = name.rpartition(".")
    exec(f"from {package} import {last} as found")
    assert found is sys.modules[name], name
    assert pydoc.locate(name) is found, name
    assert pydoc.plaintext.document(found, name)
print("all")
"""
    assert in_a_process(program, *modules_of_ours()).endswith("all\n")


def test_the_import_loads_none_of_our_modules() -> None:
    program = (
        "import sys, fairground; print([m for m in sys.modules if m.startswith('fairground.')]);"
        "fairground.open; print('fairground.clients.table' in sys.modules)"
    )
    assert in_a_process(program).split("\n")[:2] == ["[]", "False"]


def test_an_unknown_name_is_an_attribute_error_that_lists_the_names() -> None:
    with pytest.raises(AttributeError, match=r"no .opne.; it has: .*open"):
        _ = getattr(fg, "opne")  # noqa: B009  # as a user mistypes it


# Opening and playing


@pytest.mark.parametrize("which", ["intransitive", "intransitive/1", Intransitive.from_params({})])
def test_a_game_is_a_family_a_full_name_or_a_game(which: str | fg.Game[Any]) -> None:
    table = fg.open(which, seats=["optimal", "random"])
    assert table.game == make_game("intransitive/1", {})
    assert table.play().over
    assert fg.verify(table).ok


SCHEMES: dict[str, dict[str, Any]] = {
    "hash-chains/1": {"stir": "each", "length": 3},
    "hmac-sha3-user/1": {},
    "system/1": {},
    "seeded/1": {"seed": "x"},
    "contest/1": {"contest": "cup", "game": 3, "seed": bytes(SIZE)},
}


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("family", ["intransitive", "fatestones", "zombie"])
def test_one_answers_for_all_seats_under_every_scheme(scheme: str, family: str) -> None:
    """Shares and seals are made for the seats; only moves are asked for."""
    params: dict[str, Any] = {"brains_to_win": 2} if family == "zombie" else {}
    table = fg.open(family, scheme=scheme, options=SCHEMES[scheme], **params)
    kinds = set()
    while questions := table.asks():
        for question in questions:
            kinds.add(question.kind)
            first = family != "zombie" or question.view.rolls == 0
            table.answer(question, question.moves[0] if first else "hold")
    verdict = fg.verify(table)
    assert verdict.ok, verdict.fault
    assert verdict.payoff == table.payoff
    assert kinds == ({"seal"} if family == "fatestones" else {"move"})


def test_the_first_event_says_who_runs_a_seat_and_what_it_lends() -> None:
    seats: list[str | fg.Player | None] = [Last(), "random", fg.PERSON, fg.PERSON]
    table = fg.open("zombie", players=4, seats=seats)
    assert fg.read(table).start["seats"] == [
        {"by": "self", "lends": "nothing", "name": "Last"},
        {"by": "house", "lends": "nothing", "name": "random"},
        {"by": "self", "lends": "chain", "name": "Person 1"},
        {"by": "self", "lends": "chain", "name": "Person 2"},
    ]
    one_user = fg.open("zombie", players=4, seats=seats, scheme="hmac-sha3-user/1")
    lent = [seat["lends"] for seat in fg.read(one_user).start["seats"]]
    assert lent == ["nothing", "nothing", "nothing", "number"]
    stirring = fg.open("zombie", players=4, seats=seats, lends="stir")
    lent = [seat["lends"] for seat in fg.read(stirring).start["seats"]]
    assert lent == ["nothing", "nothing", "stir", "stir"]


def test_own_shares_are_asked_for_and_recorded_as_given() -> None:
    table = fg.open(
        "intransitive", seats=["optimal", fg.PERSON], scheme="hmac-sha3-user/1", own_shares=True
    )
    (question,) = table.asks()
    assert (question.kind, question.moves) == ("number", [])
    table.answer(question, 1)
    share = next(event for event in fg.read(table).events if event["kind"] == "share")
    assert share["value"] == 1


def test_a_player_of_ones_own_decides() -> None:
    table = fg.open("intransitive", seats=[Last(), Last()], dice=DICE).play()
    assert sorted(table.state.picks) == [1, 2]


def test_a_seed_makes_the_game_again_and_another_seed_another() -> None:
    def states(seed: object) -> list[Any]:
        table = fg.open("zombie", seats=["random", "cautious"], seed=str(seed)).play()
        return [step.state for step in fg.replay(table)]

    assert states(1) == states(1)
    assert states(1) != states(2)


def test_a_saved_table_is_in_its_file_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("an old file")
    table = fg.open("intransitive", seats=["optimal", fg.PERSON], save=path)
    while questions := table.asks():
        assert path.read_bytes() == bytes(table)
        table.answer(questions[0], questions[0].moves[0])
    assert path.read_bytes() == bytes(table)
    assert fg.verify(str(path)) == fg.verify(path) == fg.verify(bytes(table)) == fg.verify(table)


def test_a_table_that_cannot_be_opened_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("an old file")
    with pytest.raises(fg.InputError):
        fg.open("poker", options={"stirr": 1}, save=path)
    assert path.read_text() == "an old file"


def test_leaving_loses() -> None:
    table = fg.open("fatestones", seats=["greedy", fg.PERSON])
    table.leave(1, "enough")
    assert table.payoff == (1, -1)
    assert fg.replay(table)[-2].says == 'Person leaves the game, and says: "enough."'


def test_a_name_is_made_once_and_the_dealer_has_the_same() -> None:
    chairs = [Chair("A", "house"), Chair("B", "house")]
    game = make_game("fatestones/1", {})
    table = new_table(game, chairs)
    assert isinstance(table, Table)
    assert table.dealer.table == table.setting.table
    assert new_table(game, chairs).setting.table != table.setting.table
    assert new_table(game, chairs, name=bytes(SIZE)).setting.table == bytes(SIZE)


# Verifying, reading, telling


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_a_story_ends_where_the_referee_ended(path: Path) -> None:
    story = fg.replay(path)
    assert fg.verify(path).ok
    assert story.payoff == fg.verify(path).payoff
    assert story[-1].state == story.table.state
    assert [step.line for step in story[:-2]] == sorted(step.line for step in story[:-2])
    assert all(step.says for step in story)
    assert bytes(fg.read(path)) == path.read_bytes()
    assert len(fg.read(path).events) == len(path.read_bytes().splitlines())


def test_a_broken_record_is_not_told() -> None:
    data = bytes(fg.open("intransitive", seats=["optimal", "random"]).play())
    forged = data.replace(b'"seat":1', b'"seat":0', 1)
    assert not fg.verify(forged).ok
    with pytest.raises(fg.Fault):
        fg.replay(forged)


def test_a_receipt_of_another_game_is_refused(tmp_path: Path) -> None:
    table, other = (fg.open("fatestones", seats=["greedy", fg.PERSON]) for _ in range(2))
    for each in (table, other):
        (question,) = each.asks()
        kept = question.receipt
        each.answer(question, 0)
        each.leave(1)
        assert kept in [receipt["head"] for receipt in each.receipts]
        assert kept in fg.read(each).heads
    assert fg.verify(table, receipts=table.receipts).ok
    assert fg.verify(other, receipts=kept).ok
    (tmp_path / "game.receipts").write_text("\n".join(map(json.dumps, other.receipts)))
    assert fg.verify(other, receipts=tmp_path / "game.receipts").ok
    assert not fg.verify(table, receipts=tmp_path / "game.receipts").ok
    assert not fg.verify(table, receipts=[kept]).ok


def test_a_record_is_written_and_read_to_the_byte(tmp_path: Path) -> None:
    table = fg.open("poker", seats=["random", "optimal"]).play()
    path = fg.write(table, tmp_path / "hand.jsonl")
    assert bytes(fg.read(path)) == bytes(table) == path.read_bytes()
    assert fg.write(fg.read(path), tmp_path / "again.jsonl").read_bytes() == path.read_bytes()


def test_the_croupiers_games_are_judged_and_told_too() -> None:
    record = Dealt().play()
    verdict = fg.verify(record)
    assert verdict.ok, verdict.fault
    assert fg.replay(record).payoff == verdict.payoff
    assert fg.read(record).start["dealer"] == "croupier/1"


# Solving: docs/python.md has figures of every game, which a test holds


def test_a_deal_is_solved_by_its_dice_or_as_a_game() -> None:
    """One die each: 111111 never beats 222222; against itself it ties, a scratch worth half."""
    assert fg.solve("fatestones", mine=["111111"], theirs=["222222"]).value == 0
    assert fg.solve("fatestones", mine=["222222"], theirs=["222222"]).value == Fraction(1, 2)
    hands = [["111666"], ["222555"]]
    game = fg.game("fatestones", hands=hands)
    assert fg.solve(game) == fg.solve("fatestones", mine=hands[0], theirs=hands[1])
    with pytest.raises(fg.InputError, match="takes neither mine nor theirs"):
        fg.solve(game, mine=["111111"])


def test_solutions_answer_what_their_figures_say() -> None:
    codes = fg.solve("codebreaking", base=6, length=4)
    assert (codes.codes, codes.worst) == (1296, 6)
    assert codes.value * 1296 == 5625
    assert codes.next([]) == codes.guess
    royal = fg.solve("poker", hand="Th Jh Qh Kh Ah", level=5)
    assert royal.value == 800
    assert royal.holds[0].order == (0, 0, 0, 0, 0)


# Lists and players


def test_players_that_are_listed_can_be_made() -> None:
    for name in ("random", "optimal"):
        assert name in fg.list_players("intransitive", 1)
        assert isinstance(fg.player(name, "intransitive", 1), fg.Player)
    assert "best" not in fg.list_players("codebreaking", 0)
    assert set(fg.list_games()) == set(fg.GAMES)


# At an arena


def test_a_seat_is_played_left_and_verified_at_an_arena(tmp_path: Path) -> None:
    with in_a_thread(make_app(f"sqlite:///{tmp_path / 'arena.db'}")) as url:
        arena = fg.arena(url)
        with pytest.raises(fg.InputError, match="2 seats need as many names"):
            arena.open("zombie", seats=["cautious", None], names=["A"])
        with pytest.raises(fg.FairgroundError, match="no player named 'optima'"):
            arena.open("zombie", seats=["optima", None])
        _, address = arena.open("zombie", seats=["cautious", None], brains_to_win=2)
        assert address is not None
        seat = fg.sit(address)
        (question,) = seat.asks()
        with pytest.raises(fg.IllegalMove, match="'fly'"):
            seat.answer(question, "fly")
        seat.answer(question, "roll")
        assert fg.read(seat).events[-1]["kind"] != "end"
        with pytest.raises(fg.FairgroundError):
            seat.answer(question, "roll")  # it was answered: the table went on
        seat.leave("tea")
        assert seat.over
        assert seat.payoff == (1, -1)
        assert seat.asks() == []
        assert seat.verify().ok
        assert fg.verify(seat, receipts=seat.receipt).ok
        assert "payoff (1, -1)" in repr(seat)


# Everything prints itself, and every mistake is told


def test_everything_prints_itself() -> None:
    table = fg.open("fatestones", seats=["greedy", fg.PERSON])
    things = [
        table,
        table.asks()[0],
        fg.read(table),
        fg.list_games(),
        fg.list_players("zombie"),
        fg.GAMES,
    ]
    things += [fg.solve("intransitive"), fg.SCHEMES]
    things += [
        fg.replay(table),
        fg.replay(table)[0],
        fg.game("poker"),
        fg.arena("http://x.example"),
    ]
    for thing in things:
        assert " object at 0x" not in repr(thing), thing
    assert 'waits for "Person"' in repr(table)


def _answered(*move: object) -> None:
    table = fg.open("zombie", seats=[fg.PERSON, fg.PERSON])
    table.answer(table.asks()[0], *move)


loose: Any = fg
"""For what a type checker would not let through."""

HOSTILE = "\x1b[2J valid\n"


def test_names_and_broken_lines_cannot_deceive_or_fail_when_printed() -> None:
    start = {"kind": "start", "prev": "0" * 64, "seats": [{"name": HOSTILE}], "game": HOSTILE}
    lines = [start, start | {"dealer": HOSTILE}, start | {"dealer": "x", "seats": 3}]
    for first in lines:
        data = (json.dumps(first, sort_keys=True, separators=(",", ":")) + "\n").encode()
        for record in (data, data + b'{"kind":"end"\n'):
            told = repr(fg.read(record))
            assert told.isprintable(), told
            assert "Not checked" in told


MISTAKES: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "game": (lambda: fg.open("zombi"), fg.UnknownName, "did you mean 'zombie/"),
    "no game": (lambda: loose.open(3), fg.InputError, "not 3"),
    "parameter": (lambda: fg.open("zombie", brain=3), fg.BadParams, "no parameter 'brain'"),
    "made": (lambda: fg.game(fg.game("poker"), level=3), fg.InputError, "made already"),
    "seats": (lambda: fg.open("zombie", seats=["random"]), fg.InputError, "must be a list of 2"),
    "one name": (lambda: fg.open("poker", seats="random"), fg.InputError, "must be a list of 2"),
    "sitter": (
        lambda: loose.open("poker", seats=["random", 7]),
        fg.InputError,
        "seat 1: .* not 7",
    ),
    "player": (
        lambda: fg.open("codebreaking", seats=["best", None]),
        fg.UnknownName,
        "best plays the breaker, not the keeper",
    ),
    "names": (lambda: fg.open("poker", names=["A"]), fg.InputError, "names must be a list of 2"),
    "scheme": (lambda: fg.open("poker", scheme="hash"), fg.UnknownName, "no fairness scheme"),
    "option": (
        lambda: fg.open("poker", options={"stirr": 1}),
        fg.InputError,
        "no option 'stirr'; it takes: stir, length",
    ),
    "needed": (
        lambda: fg.open("poker", scheme="contest/1"),
        fg.InputError,
        "needs 'contest', 'game', 'seed'",
    ),
    "seed": (
        lambda: fg.open("poker", seed=1, scheme="hash-chains/1"),
        fg.InputError,
        "leave out either seed or scheme",
    ),
    "lender": (
        lambda: fg.open("poker", seats=["random", None], lends=["chain", "chain"]),
        fg.InputError,
        "seat 0 is played by random",
    ),
    "lends": (lambda: fg.open("poker", lends=["chain"]), fg.InputError, "one for each seat"),
    "lent": (lambda: fg.open("poker", lends="gold"), fg.InputError, "gold"),
    "save": (lambda: fg.open("poker", save="/no/where/x"), fg.InputError, "/no/where/x"),
    "move": (lambda: _answered("fly"), fg.IllegalMove, "fly"),
    "no move": (_answered, fg.InputError, "a move is needed"),
    "file": (lambda: fg.verify("nowhere"), fg.Unreadable, "'nowhere' cannot be read"),
    "folder": (lambda: fg.read("/"), fg.Unreadable, "'/' cannot be read"),
    "source": (lambda: loose.verify(3), fg.InputError, "not 3"),
    "solver": (lambda: fg.solve("go"), fg.UnknownName, "no solver for 'go'"),
    "hand": (lambda: fg.solve("poker", hnd="x"), fg.BadParams, "for solving: hand"),
    "dice": (lambda: fg.solve("fatestones"), fg.BadParams, "mine="),
    "seat": (lambda: fg.player("random", "poker", 2), fg.InputError, "no seat 2"),
    "address": (lambda: fg.sit("ftp://x"), fg.InputError, "ftp://x"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_quoted(mistake: str) -> None:
    make, kind, says = MISTAKES[mistake]
    with pytest.raises(kind, match=says):
        make()


def test_a_game_that_is_not_registered_is_played_and_verified_with_a_register_of_ones_own() -> None:
    class Other(Intransitive):
        name = "other/1"

    globals()["Other"] = Other
    games = fg.GAMES.plus({"other/1": fg.Listing(f"{__name__}:Other", "Other", "Another.")})
    table = fg.open(Other.from_params({}), seats=["random", "random"]).play()
    assert fg.verify(table, games=games).ok
    assert fg.replay(table, games=games).payoff == table.payoff
    assert json.loads(fg.read(table).lines[0])["game"] == "other/1"
    assert not fg.verify(table).ok
