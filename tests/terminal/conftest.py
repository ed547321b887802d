"""Commands in this process: what is typed, what is printed, and the record that is kept."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fairground.cli import main
from tests.helpers.told import Told

Answer = Callable[[str], str | None]


class Keyboard(io.StringIO):
    """Types what a function makes of all that was printed so far; ends when it says nothing."""

    def __init__(self, answer: Answer, seen: Callable[[], str]) -> None:
        super().__init__()
        self._answer, self._seen = answer, seen

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        said = self._answer(self._seen())
        return "" if said is None else f"{said}\n"


class Screen(io.StringIO):
    """What is printed, as on a terminal that can show everything."""

    encoding = "utf-8"


class Here:
    """Runs a command with the lines that are typed, in a folder of its own."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch

    def __call__(self, typed: str | Answer, *arguments: object) -> Told:
        screen, errors, record = Screen(), Screen(), Path("game.jsonl")
        if "--save" in arguments:
            record.unlink(missing_ok=True)
        keys = Keyboard(typed, screen.getvalue) if callable(typed) else io.StringIO(typed)
        with self._patch.context() as patch:
            for name, stream in (("stdin", keys), ("stdout", screen), ("stderr", errors)):
                patch.setattr(sys, name, stream)
            try:
                code = main([str(argument) for argument in arguments])
            except SystemExit as end:  # --help
                code = int(str(end.code))
        saved = record.read_bytes() if record.exists() else b""
        return Told(code, screen.getvalue(), errors.getvalue(), saved)

    def saved(self, typed: str | Answer, *arguments: object) -> Told:
        """Run a game whose record is kept."""
        return self(typed, *arguments, "--save", "game.jsonl")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Here:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("LC_ALL", "LC_CTYPE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return Here(monkeypatch)
