"""Bots in a process of their own: they may fail in every way, and only lose the turn."""

from __future__ import annotations

import base64
import json
import os
import pickle
import textwrap
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from fairground.core import Unreadable
from fairground.fair.bits import SeededStream
from fairground.games.zombie.rules import State, Zombie
from fairground.players import play
from fairground.players.bot import BotFailure, BotLimits, BotPlayer
from tests.helpers.places import ROOT

QUICK = BotLimits(seconds=20.0, megabytes=256)
"""Time enough for a loaded machine: only the tests of the clock have less."""

Maker = Callable[..., BotPlayer]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Maker]:
    """Write a bot of these lines and start it."""
    started: list[BotPlayer] = []

    def start(source: str, limits: BotLimits = QUICK) -> BotPlayer:
        path = tmp_path / "mybot.py"
        path.write_text(textwrap.dedent(source))
        started.append(BotPlayer(path, a_game(), limits))
        return started[-1]

    yield start
    for bot in started:
        bot.close()


def a_game() -> Zombie:
    return Zombie.from_params({"brains_to_win": 4})


def a_state(**fields: object) -> State:
    start = a_game().start()
    return start._replace(phase="decide", unsettled=0, **fields)  # type: ignore[arg-type]


def choose(bot: BotPlayer, seat: int = 0, **fields: object) -> object:
    return bot.choose(a_game(), a_state(**fields), seat)


def test_a_function_is_handed_rules_view_and_seat(make: Maker) -> None:
    bot = make("""
        def choose(game, view, seat):
            assert type(game).__name__ == "Zombie" and game.brains_to_win == 4
            assert type(view).__name__ == "State" and view.scores == (1, 2)
            assert seat == 0
            return "hold" if view.brains > 2 else "roll"
    """)
    assert choose(bot, scores=(1, 2), brains=3, rolls=2) == "hold"
    assert choose(bot, scores=(1, 2), brains=2, rolls=2) == "roll"


def test_a_class_may_remember(make: Maker) -> None:
    bot = make("""
        from fairground.players import Player

        class Counting(Player):
            def __init__(self):
                self.asked = 0

            def choose(self, game, view, seat):
                self.asked += 1
                return "hold" if self.asked == 3 else "roll"
    """)
    assert [choose(bot, rolls=1) for _ in range(4)] == ["roll", "roll", "hold", "roll"]


def test_helpers_may_stand_beside_it(make: Maker, tmp_path: Path) -> None:
    (tmp_path / "my_helper.py").write_text("MOVE = 'roll'\n")
    bot = make("""
        import my_helper

        def choose(game, view, seat):
            return my_helper.MOVE
    """)
    assert choose(bot) == "roll"
    assert not (tmp_path / "__pycache__").exists()


def test_printing_and_reading_disturb_nothing(
    make: Maker, capfd: pytest.CaptureFixture[str]
) -> None:
    bot = make("""
        import sys

        def choose(game, view, seat):
            print('{"move": "hold"}')
            sys.stdout.write("no line")
            sys.stdout.flush()
            assert sys.stdin.read() == ""
            return "roll"
    """)
    assert choose(bot) == "roll"
    assert choose(bot) == "roll"
    bot.close()
    printed = capfd.readouterr()
    assert printed.out == ""
    assert '{"move": "hold"}' in printed.err


def test_it_does_not_see_our_environment(make: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET", "tell nobody")
    bot = make("""
        import os

        def choose(game, view, seat):
            return "hold" if "A_SECRET" in os.environ else "roll"
    """)
    assert choose(bot, rolls=1) == "roll"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("raise ValueError('lost my mind')", "line 5: ValueError: lost my mind"),
        ("return view.brain", "line 5: AttributeError"),
        ("raise KeyboardInterrupt", "line 5: KeyboardInterrupt"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("import os; os._exit(7)", "its process ended with exit code 7"),
        ("import os; os.kill(os.getpid(), 9)", "its process was ended by signal 9"),
        ("return 'jump'", "it answered 'jump': a move is 'roll', 'hold' or 'pass'"),
        ("return 'hold'", "it answered 'hold': a turn begins with a roll"),
        ("return None", "it answered None: a move is a whole number, text"),
        ("return 1.5", "it answered 1.5: a move is a whole number, text"),
        ("return {'roll'}", "TypeError: Object of type set is not JSON serializable"),
        ("return 'x' * 10**6", "its answer is too long"),
        ("return choose(game, view, seat)", "RecursionError"),
        ("return 'a' * 10**10", "it wanted more than 256 MB"),
        ("hog = []\n    while True: hog.append('x' * 10**6)", "it wanted more than 256 MB"),
    ],
)
def test_every_misbehaviour_has_its_reason_and_the_next_turn_is_new(
    line: str, reason: str, make: Maker
) -> None:
    bot = make(
        f"def choose(game, view, seat):\n    if view.brains:\n        return 'roll'\n\n    {line}\n"
    )
    with pytest.raises(BotFailure) as failure:
        choose(bot)
    assert reason in str(failure.value)
    assert len(str(failure.value)) <= 160
    assert "\n" not in str(failure.value)
    assert choose(bot, brains=1) == "roll", "it was started afresh"


@pytest.mark.parametrize("line", ["while True: pass", "threading.Event().wait()"])
def test_a_bot_that_does_not_answer_is_stopped(line: str, make: Maker) -> None:
    bot = make(
        f"""
        import threading

        def choose(game, view, seat):
            if view.brains == 0:
                {line}
            return "roll"
        """,
        BotLimits(seconds=0.05, megabytes=256),
    )
    with pytest.raises(BotFailure, match=r"it took longer than 0\.05 s"):
        choose(bot)
    bot._limits = QUICK
    assert choose(bot, brains=1) == "roll"


def test_processor_time_is_limited_too(make: Maker) -> None:
    """A second thread that spins after the answer does not spin for ever."""
    bot = make("""
        import resource

        def choose(game, view, seat):
            soft, _ = resource.getrlimit(resource.RLIMIT_CPU)
            used = resource.getrusage(resource.RUSAGE_SELF)
            left = soft - used.ru_utime - used.ru_stime
            return "roll" if 20 <= left <= 23 else "hold"
    """)
    assert choose(bot, rolls=1) == "roll"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def choose(game, view, seat)\n    return 'roll'\n", "line 1: SyntaxError"),
        ("import no_such_module\n", "line 1: ModuleNotFoundError"),
        ("x = 1\n", "has neither a function choose(game, view, seat) nor a class"),
        ("hog = 'x' * 10**10\n", "it wanted more than 256 MB"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_refused_at_once(
    source: str, reason: str, make: Maker
) -> None:
    with pytest.raises(BotFailure) as failure:
        make(source)
    assert reason in str(failure.value)


def test_loading_may_not_take_for_ever(make: Maker) -> None:
    with pytest.raises(BotFailure, match="took longer"):
        make("while True:\n    pass\n", BotLimits(loading=0.05))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match=r"nobody\.py"):
        BotPlayer(tmp_path / "nobody.py", a_game())


def test_nothing_is_left_running(make: Maker) -> None:
    bot = make("""
        import os

        def choose(game, view, seat):
            raise ValueError(os.getpid())
    """)
    with pytest.raises(BotFailure) as failure:
        choose(bot)
    process = int(str(failure.value).rpartition(" ")[2])
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_the_example_plays_whole_games() -> None:
    game = a_game()
    bot = BotPlayer(ROOT / "examples" / "zombie_bot.py", game, QUICK)
    held = 0
    try:
        for number in range(3):
            states = play(game, [bot] * game.seats, SeededStream("example", number))
            for before, s in pairwise(states):
                held += s.last is not None and s.last is not before.last and s.last.how == "held"
    finally:
        bot.close()
    assert held > 2
    lines = (ROOT / "examples" / "zombie_bot.py").read_text().splitlines()
    assert len([line for line in lines if line.strip()]) <= 10


def test_a_bot_lost_in_thought_does_not_outlive_whoever_asked(make: Maker) -> None:
    bot = make("""
        def choose(game, view, seat):
            while True:
                pass
    """)
    process, bot._process = bot._process, None
    assert process is not None and process.stdin is not None and process.stdout is not None
    view = base64.b64encode(pickle.dumps(a_state(rolls=1))).decode()
    process.stdin.write(json.dumps({"view": view, "seat": 0}).encode() + b"\n")
    process.stdin.close()  # as when our process is killed
    assert process.wait(60) == 0
    process.stdout.close()
