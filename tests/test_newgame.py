"""The example of a sixth game, found by its entry point, and played wherever a game can be played.

Its best play is known: in a round of two-finger Morra each seat shows one finger with chance 7/12.
"""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import fairground as fg
from fairground.core import Move, Over
from fairground.fair.bits import SeededStream
from fairground.players.mcts import Budget, Search
from fairground.server.app import make_app
from fairground.testing import laws
from tests.helpers.arena import in_a_thread
from tests.helpers.installing import NEWGAME, install_newgame
from tests.helpers.places import ROOT

BEST = Fraction(7, 12)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_newgame(tmp_path_factory.mktemp("newgame"))


@pytest.fixture(autouse=True)
def installed(packages: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the package were installed here: whoever looked for games before must look again."""
    monkeypatch.syspath_prepend(packages)
    monkeypatch.delitem(fg.GAMES.__dict__, "_others", raising=False)
    yield
    fg.GAMES.__dict__.pop("_others", None)


def test_it_is_found_by_its_entry_point(packages: Path) -> None:
    assert fg.list_games()["morra/1"].title == "Two-finger Morra"
    rules = importlib.import_module("morra.rules")
    assert rules.__file__ is not None
    assert Path(rules.__file__).is_relative_to(packages)
    assert type(fg.game("morra")) is rules.Morra


def test_it_obeys_the_laws() -> None:
    laws.check(fg.game("morra", rounds=2))


def payoff_of_a_round(odd: int, mine: int, yours: int) -> int:
    """What seat 0 wins, by the rules of the book."""
    total = mine + yours
    return total if (total % 2 == 1) == (odd == 0) else -total


def test_the_rules_are_those_of_the_book() -> None:
    game = fg.game("morra", rounds=1)
    for odd in (0, 1):
        for mine in (1, 2):
            for yours in (1, 2):
                after = game.played(game.drawn(game.start(), odd), {0: mine, 1: yours})
                won = payoff_of_a_round(odd, mine, yours)
                assert game.awaits(after) == Over((won, -won))


def test_against_7_12_every_finger_is_worth_the_same() -> None:
    """That is what makes it an equilibrium; whoever is odd wins 1/12."""
    for yours in (1, 2):
        value = BEST * payoff_of_a_round(0, 1, yours) + (1 - BEST) * payoff_of_a_round(0, 2, yours)
        assert value == Fraction(1, 12)


@pytest.mark.parametrize("odd", [0, 1])
def test_mcts_finds_the_equilibrium(odd: int) -> None:
    game = fg.game("morra", rounds=1)
    for seat in (0, 1):
        search = Search(game, game.drawn(game.start(), odd), SeededStream("morra"))
        search.run(Budget(8000, None))
        assert search.strategy(seat)[1] == pytest.approx(float(BEST), abs=0.04)


@pytest.mark.parametrize("player", ["random", "mcts:20"])
def test_every_offered_player_plays_it_and_it_verifies(player: str) -> None:
    assert {"random", "mcts"} == set(fg.list_players("morra"))
    table = fg.open("morra", seats=[player, "random"], rounds=4).play()
    verdict = fg.verify(table)
    assert verdict.ok, verdict.fault
    assert verdict.payoff == table.payoff
    assert sum(verdict.payoff or ()) == 0


def test_one_plays_it_oneself_with_words_of_its_own() -> None:
    table = fg.open("morra", seats=["random", fg.PERSON], rounds=2, names=["Bo", "Ann"])
    while questions := table.asks():
        (question,) = questions
        assert question.kind == "seal"
        assert "One finger or two?" in repr(question)
        with pytest.raises(fg.IllegalMove, match="show 1 finger or 2, not 3"):
            table.answer(question, 3)
        table.answer(question, 2)
    story = str(fg.replay(table, reader=1))
    assert "You show two fingers." in story
    assert re.search(r"Bo shows (one finger|two fingers)\.", story)
    assert re.search(r"The coin: (You are|Bo is) odd\.", story)


def test_every_changed_line_is_refused() -> None:
    table = fg.open("morra", seats=["random", "random"], rounds=1).play()
    lines = fg.read(table).lines
    for number, line in enumerate(lines):
        forged = [*lines[:number], line.replace(b"1", b"2", 1), *lines[number + 1 :]]
        assert not fg.verify(b"".join(forged)).ok


def test_it_is_played_over_http(tmp_path: Path) -> None:
    class Two(fg.Player):
        def choose(self, game: fg.Game[Any], view: Any, seat: int) -> Move:
            return 2

    with in_a_thread(make_app(f"sqlite:///{tmp_path / 'arena.db'}")) as url:
        _, address = fg.arena(url).open("morra", seats=["mcts:50", None], rounds=2)
        assert address is not None
        seat = fg.sit(address)
        assert seat.play(Two()).ok
        assert seat.payoff is not None
        told = fg.replay(bytes(seat))
    assert told[-2].says.endswith(" Seat 1 shows two fingers.")


def test_the_command_line_plays_and_verifies_it(packages: Path, tmp_path: Path) -> None:
    game = str(tmp_path / "game.jsonl")

    def fairground(*arguments: str, path: list[str], stdin: str = "") -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "fairground", *arguments],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
            input=stdin, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        return done.returncode, done.stdout

    without = [part for part in sys.path if part != str(packages)]
    here = [*without, str(packages)]
    arguments = ("play", "morra", "rounds=2", "--seat", "player2=mcts:20", "--save", game)
    exit_code, told = fairground(*arguments, path=here, stdin="own words\n3\n1\n2\n")
    assert exit_code == 0
    assert "show 1 finger or 2, not 3" in told
    assert told.index("You show one finger.") < told.index("You show two fingers.")
    assert fairground("verify", game, path=here)[0] == 0
    assert fairground("verify", game, path=without)[0] == 2  # not known here: that is no forgery
    moves = [e["move"] for e in fg.read(game).events if e["kind"] == "open" and e["seat"] == 0]
    assert moves == [1, 2]


def test_it_is_played_in_the_terminal_at_an_arena(packages: Path, tmp_path: Path) -> None:
    with in_a_thread(make_app(f"sqlite:///{tmp_path / 'arena.db'}")) as url:
        _, address = fg.arena(url).open("morra", seats=["random", None], rounds=1)
        assert address is not None
        done = subprocess.run(
            [sys.executable, "-m", "fairground", "sit", address, "--no-save"],
            env=os.environ | {"PYTHONPATH": os.pathsep.join([*sys.path, str(packages)])},
            input="2\n", capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "You show two fingers." in done.stdout


def plain(text: str) -> str:
    """The lines of a text, however far they are indented."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


@pytest.mark.parametrize(("kind", "files"), [("python", "src/morra/*.py"), ("toml", "*.toml")])
def test_the_walk_through_shows_what_is_there(kind: str, files: str) -> None:
    page = (ROOT / "docs" / "write-a-game.md").read_text()
    texts = [plain(path.read_text()) for path in NEWGAME.glob(files)]
    shown = re.findall(rf"```{kind}\n(.*?)```", page, re.S)
    assert shown
    for block in shown:
        assert any(plain(block) in text for text in texts), block
