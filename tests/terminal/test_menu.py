"""``fairground`` alone, and what is behind it: tutorial, config, completion."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fairground.cli import COMMANDS
from fairground.commands.menu import shorten
from fairground.terminal.console import Arguments
from fairground.terminal.files import config_file
from tests.helpers.pseudo_terminal import on_a_terminal
from tests.terminal.conftest import Here

NICE = ("codebreaking", "--oracle", "nice")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


@pytest.fixture
def run(here: Here) -> Run:
    return lambda *arguments, lines="": here(lines, *arguments)[:3]


class TestMenu:
    def test_the_first_start_offers_the_tutorial(self) -> None:
        keys = [
            ("press a letter.", "\n"),
            ("Your number, from 0 to 5: ", "q\n"),
            ("for the menu.", " "),
            ("press a letter.", "q"),
        ]
        shown = on_a_terminal(keys, 80, 40)
        assert "New here? t rolls a fair die with you" in shown
        assert "> t  Tutorial" in shown
        assert "Come back when you like" in shown
        assert shown.endswith("exit 0")

    def test_unfinished_games_and_the_last_result(self) -> None:
        on_a_terminal([("Guess 1: ", "0123\n"), ("Once more? ", "q\n")], 80, 40, *NICE)
        on_a_terminal([("Guess 1: ", "\x03\n")], 80, 40, *NICE)
        keys = [
            ("press a letter.", "r"),
            ("Guess 1: ", "4444\n"),
            ("Once more? ", "q\n"),
            ("for the menu.", " "),
            ("press a letter.", "q"),
        ]
        shown = on_a_terminal(keys, 80, 60)
        assert "Last: Code breaking: Unfinished." in shown
        assert "  r  Resume             Code breaking: Keeper, Player (20" in shown
        assert "Last: Code breaking: You find the code 4444 with 1 guess." in shown
        assert shown.count("r  Resume") == 1, "it is finished, and not offered again"
        assert shown.endswith("exit 0")

    def test_levels_are_chosen_with_left_and_right(self) -> None:
        keys = [
            ("press a letter.", "c"),
            ("(enter: none): ", "x\n"),
            ("(y/n): ", "y\n"),
            ("for the menu.", " "),
            ("press a letter.", "\x1b[D"),
            ("press a letter.", "\n"),
            ("Guess 1: ", "0123\n"),
            ("Once more? ", "q\n"),
            ("for the menu.", " "),
            ("press a letter.", "q"),
        ]
        shown = on_a_terminal(keys, 80, 80)
        assert "Code breaking, fair keeper" in shown and "Code breaking, nice keeper" in shown
        assert "Find a hidden code by asking, or keep one. [medium]" in shown
        assert "Find a hidden code by asking, or keep one. [easy]" in shown

    @pytest.mark.parametrize(
        ("keys", "said"),
        [
            ([("press a letter.", "z"), (">>> ", ""), (">>> ", "\n")], "Nobody plays. Goodbye!"),
            (
                [("press a letter.", "f"), ("for the deal: ", "x\n"), ("(y/n): ", "y\n")],
                "FateStones against optimal",
            ),
        ],
    )
    def test_a_key_starts_a_game(self, keys: list[tuple[str, str]], said: str) -> None:
        shown = on_a_terminal([*keys, ("the menu.", " "), ("press a letter.", "q")], 100, 60)
        assert "z  Zombie Dice        Eat brains" in shown and said in shown
        assert shown.endswith("exit 0")

    @pytest.mark.parametrize("columns", [40, 80, 120])
    def test_it_fits(self, columns: int) -> None:
        shown = on_a_terminal([("letter.", "q")], columns, 24)
        assert "Blind Croupier" in shown and "[medium]" in shown

    def test_texts_are_cut_between_words(self) -> None:
        assert shorten("Eat brains, run from shotguns", 20) == "Eat brains, run..."
        assert shorten("Eat brains", 10) == "Eat brains"
        assert shorten("Eat brains, run from shotguns", 12) == ""


class TestTutorial:
    def test_what_is_shown_is_checked_with_openssl(self, run: Run) -> None:
        _, out, _ = run("tutorial", lines="3\nq\n")
        command = next(line for line in out.splitlines() if "openssl" in line)
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=True, text=True)
        seal = next(line.strip() for line in out.splitlines() if len(line.strip()) == 64)
        assert done.stdout.split()[-1].upper() == seal


class TestConfig:
    def test_defaults_are_set_shown_used_and_forgotten(self, run: Run) -> None:
        assert run("config")[1] == f"Your defaults are in {config_file()}\n"
        assert run("config", "codebreaking.oracle", "nice")[0] == 0
        assert run("config", "codebreaking.games", "2")[0] == 0
        assert run("config", "all.ascii", "true")[0] == 0
        assert "  codebreaking.games = 2\n" in run("config")[1]
        assert run("config", "codebreaking.oracle")[1] == "nice\n"
        code, out, _ = run("codebreaking", "--no-save", lines="0123\n0123\n")
        assert code == 0 and "Score after 2" in out and "XXXX" in out
        code, out, _ = run(
            "codebreaking", "--no-save", "--games", "1", "--no-ascii", lines="0123\n"
        )
        assert code == 0 and "Score" not in out and "●●●●" in out
        assert run("config", "--unset", "codebreaking.games")[0] == 0
        assert run("config", "codebreaking.games")[1] == "There is no such default.\n"

    def test_what_is_typed_wins_over_what_excludes_it(self, run: Run, tmp_path: Path) -> None:
        run("config", "codebreaking.no-save", "true")
        record = tmp_path / "game.jsonl"
        assert run(*NICE, "--save", str(record), lines="0123\n")[0] == 0
        assert record.exists()
        config_file().write_text('[fatestones]\nseat = ["Ann=me", "Bob=me"]\n[dice]\nseed = "x"\n')
        assert "Ann, type anything" in run("fatestones", "--no-save", lines="x\n")[1]
        typed = ("--seat", "Eve=me", "--seat", "Hal=easy")
        assert "Ann" not in run("fatestones", "--no-save", *typed, lines="x\n")[1]
        assert "practice" in run("dice", "1,2", "3,4", "5,6", "--no-save", lines="x\n")[1]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("[zombie]\nfoo = 1\n", "[zombie] of the config file says 'foo'"),
            ("fast = true\n", "has 'fast' outside of a section"),
            ("[zombie\n", "cannot be read"),
        ],
    )
    def test_what_is_wrong_is_quoted(self, text: str, said: str, run: Run) -> None:
        config_file().parent.mkdir(parents=True)
        config_file().write_text(text)
        code, _, errors = run("zombie", "--players", "A=greedy,B=greedy")
        assert code == 2 and said in errors

    def test_a_place_that_cannot_be_written(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "config").write_text("in the way")
        assert "cannot be written" in run("config", "all.ascii", "true")[2]

    def test_odd_names_and_texts_come_back(self, run: Run) -> None:
        config_file().parent.mkdir(parents=True)
        config_file().write_text('["odd name"]\nx = true\n')
        run("config", "zombie.players", 'A "the" \\ zombie')
        assert run("config", "zombie.players")[1] == 'A "the" \\ zombie\n'
        assert run("config", "odd name.x")[1] == "True\n"

    def test_a_default_that_no_command_has_is_refused(self, run: Run) -> None:
        assert "did you mean 'zombie.fast'?" in run("config", "zombie.fst", "true")[2]
        assert not config_file().exists()


class TestCompletion:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_every_command_is_in_it(self, shell: str, run: Run) -> None:
        code, out, _ = run("completion", shell)
        assert code == 0
        for name in COMMANDS:
            assert name.split()[0] in out
        assert "difficulty" in out and not Arguments.only_looked_at

    def test_bash_completes(self, run: Run, tmp_path: Path) -> None:
        script = tmp_path / "fairground.bash"
        script.write_text(run("completion", "bash")[1])

        def completed(*words: str) -> list[str]:
            line = " ".join(f"'{word}'" for word in words)
            program = (
                f"source {script}; COMP_WORDS=(fairground {line}); COMP_CWORD={len(words)}; "
                '_shtab_fairground; printf "%s\\n" "${COMPREPLY[@]}"'
            )
            bash = shutil.which("bash") or "bash"
            done = subprocess.run([bash, "-c", program], capture_output=True, check=True, text=True)
            return done.stdout.split()

        assert completed("zom") == ["zombie"]
        assert set(completed("solve", "")) >= {"dice", "zombie", "poker"}
        assert completed("solve", "dice", "--js") == ["--json"]
        assert completed("fatestones", "--difficulty", "") == ["easy", "medium", "hard"]
        assert "--stir" in completed("zombie", "--s")


class TestLow:
    def test_dice_break_no_word_on_a_narrow_terminal(self) -> None:
        dice = ("dice", "1,2,3", "4,5,6", "2,2,2", "--no-save")
        shown = on_a_terminal([("Your selection: ", "x\n")], 40, 60, *dice)
        assert re.search(r"^Let's determine who makes the first +\nmove\. ", shown, re.MULTILINE)
