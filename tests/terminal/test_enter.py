"""``fairground enter`` and ``fairground oracle`` against a live arena."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fairground.cli import main
from fairground.clients import oracles as oracle_client
from fairground.clients.oracles import Arena, Contest, Diary, PrivateFile, path_of, play
from fairground.contest.file import check
from fairground.server.serve import GatedArena, Settings
from tests.helpers.arena import in_a_thread

MIXED = (
    {"base": 4, "length": 3, "games": 3},
    {"base": 3, "length": 3, "oracle_type": "evil", "games": 2},
    {"base": 9, "length": 2, "oracle_type": "nice", "games": 1},
)
GAMES = 6

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    app: Any = GatedArena(Settings(f"sqlite:///{tmp_path_factory.mktemp('arena')}/arena.db"))
    with in_a_thread(app) as url:
        yield Arena(url)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Diaries of entries lie where nobody else's do."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data/fairground/entries"


@pytest.fixture
def contest(arena: Arena) -> Contest:
    return arena.new_contest(*MIXED)


def enter(contest: Contest, *more: str, team: str = "Team", version: str = "1") -> int:
    return main(["enter", contest.uri, "--team", team, "--version", version, *more])


def test_a_built_in_player_plays_a_mixed_contest(contest: Contest, capsys: Capture) -> None:
    assert enter(contest, "--player", "entropy", "--jobs", "8") == 0
    out = capsys.readouterr().out
    assert f"Team 1 has {GAMES} games to play." in out and "training" not in out
    lines = re.findall(r"game +(\d) +(\d\^\d \w+) +solved with guess (\d+)\n", out)
    assert sorted(int(number) for number, _, _ in lines) == list(range(1, GAMES + 1))
    kinds = sorted(kind for _, kind, _ in lines)
    assert kinds == ["3^3 evil"] * 2 + ["4^3 fair"] * 3 + ["9^2 nice"]
    steps = [int(guess) for _, _, guess in lines]
    assert f"{GAMES} of {GAMES} solved, mean {sum(steps) / GAMES:.3f}, worst {max(steps)}." in out
    assert f"In the contest now: rank 1, {GAMES} solved. Watch it: {contest.uri}" in out
    receipt = re.search(r"Receipt, to keep: ([0-9a-f]{64})\n", out)
    assert receipt
    contest.close()
    verdict = check(contest.file(), receipt[1])
    assert verdict.ok, verdict.fault
    assert any(claim.name == "ORDERED" for claim in verdict.claims)


BOT = """\
from itertools import product
from fairground.games.codebreaking.rules import fits

def choose(game, view, seat):
    codes = product(range(game.base), repeat=game.length)
    return next(code for code in codes if fits(code, view.rows))
"""


def test_a_bot_of_ones_own_and_training(contest: Contest, tmp_path: Path, capsys: Capture) -> None:
    bot = tmp_path / "mybot.py"
    bot.write_text(BOT)
    options = ["--bot", str(bot), "--bot-seconds", "20", "--jobs", "2"]
    assert enter(contest, *options) == 0
    assert f"{GAMES} of {GAMES} solved" in capsys.readouterr().out
    assert enter(contest, *options, version="2") == 0
    out = capsys.readouterr().out
    assert "does not rank" in out and "In the contest now: training" in out
    assert enter(contest, *options, version="2") == 2
    told = capsys.readouterr()
    assert "Team 2 has entered this contest before" in told.err and told.out == ""


def test_the_key_of_a_team_is_kept_and_sent(
    contest: Contest, own_folder: Path, capsys: Capture
) -> None:
    options = ["--player", "entropy", "--jobs", "8"]
    assert enter(contest, *options) == 0
    (kept,) = own_folder.glob("*.team")
    assert str(kept) in capsys.readouterr().out
    assert kept.stat().st_mode & 0o077 == 0, "whoever has it can end the entry"
    key = kept.read_text()
    assert enter(contest, *options, version="2") == 0, "by itself"
    kept.unlink()
    assert enter(contest, *options, version="3") == 2
    assert "needs its team_key" in capsys.readouterr().err
    assert enter(contest, *options, "--team-key", key, version="3") == 0, "from another machine"
    assert {file.suffix for file in own_folder.iterdir()} == {".jsonl", ".team"}


def test_a_lost_answer_locks_no_team_out(
    contest: Contest, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Killed between the answer and the first byte of the diary; then the same command again."""

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(PrivateFile, "write", _unless(".team", killed))
        assert enter(contest, "--player", "entropy") == 130
    assert contest.watch().teams[0].solved == 0
    assert enter(contest, "--player", "entropy", "--jobs", "8") == 0
    assert f"rank 1, {GAMES} solved" in capsys.readouterr().out
    assert enter(contest, "--player", "entropy", "--jobs", "8", version="2") == 0


def _unless(suffix: str, instead: Callable[..., None]) -> Callable[..., None]:
    write = PrivateFile.write

    def writing(self: PrivateFile, text: str) -> None:
        (instead if self.path.suffix == suffix else write)(self, text)

    return writing


ENTER = "import sys; from fairground.cli import main; sys.exit(main(sys.argv[1:]))"
STUCK = BOT.replace("    codes", "    while game.base == 9: pass\n    codes")
"""Never done with the one game of base 9: sure to be killed in the middle."""


def test_a_killed_player_goes_on_where_it_was(
    contest: Contest, tmp_path: Path, own_folder: Path, capsys: Capture
) -> None:
    bot = tmp_path / "mybot.py"
    bot.write_text(STUCK)
    who = ["--team", "Team", "--version", "1", "--bot", str(bot), "--bot-seconds", "3600"]
    command = [sys.executable, "-c", ENTER, "enter", contest.uri, *who, "--jobs", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        played = [first.stdout.readline() for _ in range(3 + GAMES - 1)]
        first.kill()
    assert sum("solved with guess" in line for line in played) == GAMES - 1
    (diary,) = own_folder.glob("*.jsonl")
    assert diary.stat().st_mode & 0o077 == 0, "whoever has the addresses can play the games"
    with diary.open("a") as file:
        file.write('{"game": 0, "gu')  # as a kill in the middle of a line leaves it
    assert enter(contest, "--player", "entropy") == 0
    out = capsys.readouterr().out
    assert "Team 1 goes on with its entry: 5 of 6 games are done." in out
    assert out.count("solved with guess") == 1
    assert f"{GAMES} of {GAMES} solved" in out and f"rank 1, {GAMES} solved" in out
    read = Diary.find(diary)
    assert read is not None and len(read.done) == GAMES
    contest.close()
    assert check(contest.file()).ok


def test_a_diary_that_is_none_is_named(contest: Contest, own_folder: Path, capsys: Capture) -> None:
    diary = path_of(own_folder, contest.uri, "Team", "1")
    diary.parent.mkdir(parents=True)
    diary.write_text("[]\n")
    assert enter(contest) == 2
    assert str(diary) in capsys.readouterr().err
    assert contest.watch().teams == ()


def test_a_bot_that_fails_gives_up_those_games(
    contest: Contest, tmp_path: Path, capsys: Capture
) -> None:
    bot = tmp_path / "mybot.py"
    bot.write_text(BOT.replace("    codes", "    if game.base == 4: raise KeyError(4)\n    codes"))
    assert enter(contest, "--bot", str(bot), "--bot-seconds", "20") == 1
    out = capsys.readouterr().out
    failed = re.findall(r"4\^3 fair +NOT solved: the bot failed: line 5: KeyError: 4", out)
    assert len(failed) == 3 and "3 of 6 solved" in out
    (team,) = contest.watch().teams
    assert (team.solved, team.still_open) == (3, 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--player", "clever"], "no player named 'clever'"),
        (["--player", "entropy:3"], "'3'"),
        (["--bot", "nowhere.py"], "nowhere.py"),
        (["--jobs", "0"], "--jobs must be in 1..64, not 0"),
        (["--bot", "nowhere.py", "--bot-seconds", "0"], "--bot-seconds"),
        (["--bot", "a.py", "--player", "best"], "exclude each other"),
    ],
)
def test_whoever_cannot_play_does_not_enter(
    contest: Contest, options: list[str], words: str, capsys: Capture
) -> None:
    assert enter(contest, *options) == 2
    told = capsys.readouterr()
    assert words in told.err and told.out == ""
    assert contest.watch().teams == ()


def test_games_too_large_for_a_player_are_seen_before_entering(
    arena: Arena, tmp_path: Path, capsys: Capture
) -> None:
    large = arena.new_contest({"base": 3, "length": 2, "games": 1}, {**MIXED[0], "length": 40})
    assert enter(large, "--player", "entropy") == 2
    assert "let 'annealing' break them" in capsys.readouterr().err
    bot = tmp_path / "mybot.py"
    bot.write_text("def chose(): pass\n")
    assert enter(large, "--bot", str(bot)) == 2
    assert "cannot be loaded: TypeError: mybot.py has neither" in capsys.readouterr().err
    assert large.watch().teams == ()


def test_a_closed_contest_and_addresses_of_none(
    arena: Arena, contest: Contest, capsys: Capture
) -> None:
    contest.close()
    assert enter(contest) == 2
    assert "is closed" in capsys.readouterr().err
    assert enter(Contest("contest/7")) == 2
    assert "'contest/7'" in capsys.readouterr().err
    assert enter(Contest(f"{arena.url}/contest/none")) == 2
    assert "'none'" in capsys.readouterr().err
    assert enter(arena.new_contest(*MIXED), team="x" * 21) == 2
    assert "1 to 20" in capsys.readouterr().err


# One oracle


def test_one_oracle_with_its_record_checked(arena: Arena, capsys: Capture) -> None:
    oracle = arena.new_oracle(4, 3)
    assert main(["oracle", oracle.uri, "--player", "entropy"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("fair oracle, base 4, length 3\n")
    rows = re.findall(r"^ *(\d+) ([0-3]{3})  (\d) (\d)$", out, re.M)
    seen = oracle.describe()
    assert seen.solved and len(rows) == seen.attempts and seen.code is not None
    code = "".join(map(str, seen.code))
    assert rows[-1][1:] == (code, "3", "0") and f"The code: {code}\n" in out
    assert f"Solved with guess {len(rows)}.\n" in out
    assert "The record is valid." in out and "Fair draws      yes" in out
    assert main(["oracle", oracle.uri]) == 2
    assert "is over" in capsys.readouterr().err


def test_an_oracle_that_somebody_has_asked_before(arena: Arena, capsys: Capture) -> None:
    oracle = arena.new_oracle(2, 5, "evil")
    oracle.submit((0, 0, 0, 0, 0))
    assert main(["oracle", oracle.uri]) == 0
    out = capsys.readouterr().out
    assert "1 guesses were made before" in out and "Consistent      yes" in out


def test_an_oracle_of_a_contest_shows_nothing_before_the_close(
    contest: Contest, capsys: Capture
) -> None:
    first, *_ = contest.enter("Team", "1").oracles
    assert main(["oracle", first.uri]) == 0
    out = capsys.readouterr().out
    assert "no record of it to check" in out and "The code" not in out


def test_a_failing_bot_at_one_oracle(arena: Arena, tmp_path: Path, capsys: Capture) -> None:
    oracle = arena.new_oracle(2, 2)
    bot = tmp_path / "mybot.py"
    bot.write_text("def choose(game, view, seat): return (7, 7)\n")
    assert main(["oracle", oracle.uri, "--bot", str(bot), "--bot-seconds", "20"]) == 1
    out = capsys.readouterr().out
    assert "Not solved: the bot failed: it answered [7, 7]: a digit must be in 0..1, not 7" in out
    assert "The record is valid." in out, "giving up opens it"


def test_a_share_refused_and_a_forged_record(
    arena: Arena, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = arena.new_oracle(3, 2)
    oracle.share(b"\x01" * 32)
    other = arena.new_oracle(3, 2)
    assert play(other, "best").solved
    forged = other.transcript().replace(b'"breaker"', b'"Breaker"', 1)
    monkeypatch.setattr(oracle_client.Oracle, "transcript", lambda _: forged)
    assert main(["oracle", oracle.uri]) == 1
    out = capsys.readouterr().out
    assert "No share of ours is in the draw: a share can be lent once" in out
    assert "INVALID at line" in out
