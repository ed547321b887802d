"""A database file is for its owner alone: created so, and refused where others can read it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairground.cli import main
from fairground.core import InputError
from fairground.server.serve import alone
from fairground.store import Append, Secret, open_store
from fairground.store.sqlite import SqliteStore

NOBODY = 65534
SECRET = b"the secret of an open game"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody can enter, under the usual umask."""
    before = os.umask(0o022)
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        yield Path(made)
    os.umask(before)


async def opened(path: Path) -> SqliteStore:
    store = await SqliteStore.open(f"sqlite:///{path}")
    await store.commit(Append("a", 0, (b"one\n",), "oracle", secrets=(Secret("x", SECRET, ""),)))
    return store


def modes(folder: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mode & 0o777 for file in folder.iterdir()}


async def test_only_the_owner_can_read_what_is_created(folder: Path) -> None:
    store = await opened(folder / "arena.db")
    assert modes(folder) == dict.fromkeys(("arena.db", "arena.db-wal", "arena.db-shm"), 0o600)
    held = b"".join(file.read_bytes() for file in folder.iterdir())
    assert SECRET in held, "so the mode of these files is all that protects it"
    await store.close()
    with alone(f"sqlite:///{folder}/arena.db"):
        assert modes(folder) == {"arena.db": 0o600, "arena.db.lock": 0o600}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can read as somebody else")
async def test_another_user_cannot_read_it(folder: Path) -> None:
    public = folder / "public"
    public.write_bytes(b"12345")

    def read(file: Path) -> bool:
        """Read it as nobody."""
        ran = subprocess.run(
            ["cat", file],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            capture_output=True,
            check=False,
        )
        assert ran.returncode == 0 or b"Permission denied" in ran.stderr
        return ran.returncode == 0

    store = await opened(folder / "arena.db")
    assert read(public)
    for end in ("", "-wal", "-shm"):
        assert not read(folder / f"arena.db{end}")
    await store.close()


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o602])
async def test_a_wider_file_is_refused_with_the_command_that_mends_it(
    folder: Path, end: str, mode: int
) -> None:
    path = folder / "my arena.db"
    url = f"sqlite:///{path}"
    await (await opened(path)).close()
    wide = Path(f"{path}{end}")
    wide.touch(0o600)
    wide.chmod(mode)
    with pytest.raises(InputError, match="others can read the database") as caught:
        await open_store(url)
    command = str(caught.value).partition("mend it with: ")[2]
    assert command == f"chmod 600 '{wide}'"
    subprocess.run(command, shell=True, check=True)
    store = await open_store(url)
    assert await store.read("a") is not None, "nothing is lost"
    await store.close()


def test_serve_says_so_and_does_not_start(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "arena.db"
    asyncio.run((asyncio.run(opened(path))).close())
    path.chmod(0o644)
    assert main(["serve", "--port", "0", "--database", f"sqlite:///{path}"]) == 2
    said = capsys.readouterr().err
    assert f"chmod 600 {path}" in said
    assert "Traceback" not in said


def test_a_restored_copy_is_private_from_its_first_byte(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, copy, again = folder / "arena.db", folder / "copy.db", folder / "again.db"
    asyncio.run((asyncio.run(opened(path))).close())
    assert main(["backup", str(copy), "--database", f"sqlite:///{path}"]) == 0
    seen: list[int] = []
    real = os.fdopen

    def watched(file: int, *args: str, **rest: str) -> object:
        if again.exists():
            seen.append(again.stat().st_mode & 0o777)
        return real(file, *args, **rest)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "fdopen", watched)
    assert main(["restore", str(copy), "--database", f"sqlite:///{again}"]) == 0
    assert seen[0] == 0o600
    assert modes(folder)["copy.db"] == modes(folder)["again.db"] == 0o600
    assert "Restored." in capsys.readouterr().out
