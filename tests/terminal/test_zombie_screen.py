"""The playing screen: five regions that line up, in every kind of terminal."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fairground.core import Draw, Over
from fairground.fair.bits import SeededStream
from fairground.games.zombie import look
from fairground.games.zombie.look import (
    ASCII,
    EMOJI,
    NARROWEST,
    WIDEST,
    TurnTally,
    Who,
    ZombieArt,
    ZombieBoard,
    ZombieSigns,
    board,
    playing_screen,
    rolled_board,
    shot_board,
    winner_screen,
)
from fairground.games.zombie.rules import FATAL, Die, State, Zombie
from fairground.games.zombie.words import ZombieWords
from fairground.terminal.console import only_ascii, wants_colour

WHO = Who(["Marina", "Hal", "Боря 🧟"], ["Marina", "Hal (optimal)", "Боря 🧟"])


def a_game(**params: object) -> Zombie:
    return Zombie.from_params({"players": 3, **params})


def begun(game: Zombie, **fields: object) -> State:
    """A turn of seat 0 in a game whose seats keep their places."""
    order = tuple(range(game.seats))
    start = game.start()._replace(phase="decide", unsettled=0, order=order, playing=order)
    return start._replace(**fields)  # type: ignore[arg-type]


def screen(art: ZombieArt, shown: ZombieBoard, *message: str) -> str:
    return "\n".join(playing_screen(art, shown, message))


def framed(lines: list[str]) -> list[str]:
    return [line for line in lines if line and line[0] in "┌│├└+|"]


@pytest.mark.parametrize("look", [EMOJI, ASCII], ids=["emoji", "ascii"])
@pytest.mark.parametrize("columns", [20, 40, 57, 80, 200])
def test_every_box_lines_up(look: ZombieSigns, columns: int) -> None:
    game = a_game(weak_dice=60)
    s = begun(
        game,
        scores=(3, 12, 100),
        turns=(7, 8, 12),
        cells=(Die(0, "f"), None, Die(2, "f")),
        brains=70,
        brain_dice=(40, 2, 1),
        shotgun_dice=(0, 1, 1),
    )
    art = ZombieArt(columns, look is ASCII)
    assert art.width == max(NARROWEST, min(columns, WIDEST))
    lines = playing_screen(
        art, board(game, s, WHO), [ZombieWords(game, WHO.names).next_roll(s), "x" * 90]
    )
    assert {cell_len(line) for line in framed(lines)} == {art.width}
    assert all(cell_len(line) <= art.width for line in lines)


@given(st.integers(0, 10_000), st.integers(30, 70), st.sampled_from([EMOJI, ASCII]))
def test_a_whole_game_lines_up_and_adds_up(number: int, columns: int, look: ZombieSigns) -> None:
    """Random play: each screen is of one width, and the dice shown are all dice but the bag's."""
    game, chance = a_game(brains_to_win=5), SeededStream("screens", number)
    art = ZombieArt(columns, look is ASCII)
    s = before = game.start()
    for _ in range(80):
        awaits = game.awaits(s)
        if isinstance(awaits, Over):
            break
        if isinstance(awaits, Draw):
            s = game.drawn(s, chance.below(awaits.n))
            rolled = s.phase in ("decide", "over") and before.phase == "decide"
            if rolled and before.order == s.order:
                boards = [rolled_board(game, before, s, WHO)]
                if s.turns != before.turns and s.last is not None:
                    boards.append(shot_board(game, before, s.last, WHO))
                    assert sum(boards[-1].areas.shotgun_dice) >= FATAL
                for shown in boards:
                    on_screen = sum(1 for die in shown.areas.cells if die)
                    on_screen += sum(shown.areas.brain_dice) + sum(shown.areas.shotgun_dice)
                    assert on_screen + shown.bag == sum(game.dice)
                    lines = framed(playing_screen(art, shown, ["x"]))
                    assert {cell_len(line) for line in lines} == {art.width}
        else:
            before = s
            shown = board(game, s, WHO)
            assert shown.bag == sum(s.bag)
            (seat,) = awaits.seats
            moves = [move for move in game.moves(s, seat) if move != "pass"]
            s = game.played(s, {seat: moves[chance.below(len(moves))]})


def test_the_colours_in_the_bag_are_never_shown() -> None:
    """Two bags that differ only in their colours give the same screen."""
    art = ZombieArt(80, ascii_only=False)
    one, other = a_game(weak_dice=6, tough_dice=3), a_game(weak_dice=3, tough_dice=6)
    screens = [screen(art, board(game, begun(game), WHO)) for game in (one, other)]
    assert screens[0] == screens[1]


def test_colour_is_never_the_only_carrier() -> None:
    """Without colours the text is the same, and the letters tell the dice apart."""
    game = a_game()
    s = begun(game, cells=(Die(0, "f"), Die(1, "f"), Die(2, "f")), shotgun_dice=(1, 1, 0))
    plain = screen(ZombieArt(80, ascii_only=False), board(game, s, WHO))
    coloured = screen(ZombieArt(80, ascii_only=False, colour=True), board(game, s, WHO))
    assert "\x1b" not in plain
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()
    for letter in "GYR":
        assert f"{letter} 👣" in plain


@pytest.mark.parametrize("columns", [32, 40, 66])
def test_the_winner_screen_ranks_everybody(columns: int) -> None:
    s = begun(a_game(), phase="over", playing=(2,), scores=(3, 13, 14), turns=(5, 5, 6), round=6)
    tallies = [TurnTally(), TurnTally(), TurnTally(rolls=4, shot=1, best=5)]
    message = look.winner(s, WHO.names, 40)
    lines = winner_screen(ZombieArt(columns), s, WHO.labels, tallies, message)
    text = "\n".join(lines)
    assert text.index("* Боря") < text.index("Hal") < text.index("Marina")
    assert ("     14     6    1    5 |" if columns >= 40 else "     14     6 |") in text
    assert '"Боря 🧟" with' in text
    assert len({cell_len(line) for line in framed(lines)}) == 1


class Terminal(io.StringIO):
    def __init__(self, encoding: str, tty: bool) -> None:
        super().__init__()
        self._encoding, self._tty = encoding, tty

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return self._tty


@pytest.mark.parametrize(
    ("encoding", "tty", "environment", "look"),
    [
        ("utf-8", True, {"LANG": "pt_BR.UTF-8", "TERM": "xterm"}, EMOJI),
        ("utf-8", False, {}, EMOJI),
        ("utf-8", True, {"LC_ALL": "C.UTF-8", "LANG": "C"}, EMOJI),
        ("ascii", True, {"LANG": "pt_BR.UTF-8"}, ASCII),
        ("latin-1", False, {}, ASCII),
        ("no-such-codec", False, {}, ASCII),
        ("utf-8", True, {"LANG": "C"}, ASCII),
        ("utf-8", True, {"LANG": "C", "LC_CTYPE": "C.UTF-8"}, ASCII),
        ("utf-8", True, {"LC_ALL": "POSIX", "LANG": "pt_BR.UTF-8"}, ASCII),
        ("utf-8", True, {"LANG": "C", "LC_CTYPE": "pt_BR.UTF-8"}, EMOJI),
        ("utf-8", True, {"LANG": "en_US.UTF-8", "TERM": "linux"}, ASCII),
        ("utf-8", False, {"LANG": "en_US.UTF-8", "TERM": "linux"}, EMOJI),
    ],
)
def test_the_look_follows_what_the_terminal_can_show(
    encoding: str, tty: bool, environment: dict[str, str], look: ZombieSigns
) -> None:
    assert only_ascii(Terminal(encoding, tty), environment) is (look is ASCII)


@pytest.mark.parametrize(
    ("tty", "environment", "wanted"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {"TERM": "xterm"}, False),
    ],
)
def test_colours_follow_no_color(tty: bool, environment: dict[str, str], wanted: bool) -> None:
    assert wants_colour(Terminal("utf-8", tty), environment) is wanted


@given(st.text(max_size=90), st.integers(32, 70))
def test_wrapping_keeps_every_word_and_the_width(text: str, columns: int) -> None:
    art = ZombieArt(columns, ascii_only=False)
    lines = art.wrapped(text)
    assert all(cell_len(line) <= art.room for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.text(max_size=40), st.integers(2, 30))
def test_cutting_gives_just_so_many_cells(text: str, cells: int) -> None:
    assert cell_len(ZombieArt(80, ascii_only=False).cut(text, cells)) == cells


@pytest.mark.parametrize("ascii_only", [False, True])
def test_six_zombies_fit_a_usual_terminal(ascii_only: bool) -> None:
    """Title, scoreboard, areas, message and prompt stand on 24 lines."""
    game = Zombie.from_params({"players": 6})
    s = begun(game)
    names = [f"Zombie {number}" for number in range(6)]
    art = ZombieArt(80, ascii_only, lines=24)
    message = [ZombieWords(game, names).next_roll(s), "<enter> rolls, q quits."]
    lines = playing_screen(art, board(game, s, Who(names, names)), message)
    assert len(lines) + 1 <= 24, "with the prompt"
    assert "Zombie Dice" in lines[0] and "Scoreboard" in lines[1]
    assert sum("Zombie " in line for line in lines[2:8]) == 6
