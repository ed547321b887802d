"""Faults of a database: a full disk, a frozen or restarted server, kills.

Clients go on all the time, under Idempotency-Keys, and say the same again until an answer comes. In
the end nothing may be counted otherwise than it was told, every record must verify, and a contest
that was entered, played and closed meanwhile must hold.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools.campaign.live import Arena, Over, Player, end, verdicts  # noqa: E402 (behind the path)


class Entrant(Player):
    """Enters a contest again and again, and plays every game of it to its end."""

    def __init__(self, arena: Arena, seed: str, contest: str) -> None:
        super().__init__(arena, seed)
        self._contest = contest
        self.entered = 0

    def run(self) -> None:
        with contextlib.suppress(Over):  # the contest was closed
            self._play_on()

    def _play_on(self) -> None:
        while not self.stop:
            number = self.chance.getrandbits(40)
            entry = {"team_name": f"{number}", "software_version": "1"}
            told = self.say("POST", f"{self._contest}/entry", entry)
            for uri in told["oracle_URIs"]:
                path = "/" + uri.split("/", 3)[3]
                for _ in range(12):
                    if self.stop:
                        return
                    guess = {"submission": [self.chance.randrange(3) for _ in range(2)]}
                    if self.say("POST", path, guess)["full_match_count"] == 2:
                        break
            self.entered += 1


END: Final = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


class Server:
    """A PostgreSQL that can be frozen and restarted, and that ends connections."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._data = f"{parse_qs(urlsplit(url).query)['host'][0]}/data"

    def _processes(self) -> list[int]:
        parent = int(Path(f"{self._data}/postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return [parent, *map(int, children)]

    def freeze(self, seconds: float) -> None:
        """Time without a move."""
        frozen = self._processes()
        for signal_ in (signal.SIGSTOP, signal.SIGCONT):
            for process in frozen:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal_)
            if signal_ == signal.SIGSTOP:
                time.sleep(seconds)

    def end_connections(self) -> None:
        """As its administrator can: all but the one that says so."""
        subprocess.run(["psql", "-q", self.url, "-c", END], check=False, capture_output=True)

    def restart(self) -> None:
        """As after a crash."""
        from tests.helpers.postgres import _programs

        who = pwd.getpwnam("postgres").pw_uid if os.geteuid() == 0 else None
        folder = str(Path(self._data).parent)
        options = f"-c listen_addresses='' -c unix_socket_directories={folder}"
        command = [str(_programs() / "pg_ctl"), "-D", self._data, "-w", "-m", "immediate"]
        subprocess.run(
            [*command, "-o", options, "-l", f"{folder}/log", "restart"],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            user=who,
        )


def postgres(seconds: float, chance: random.Random, folder: Path) -> dict[str, Any]:
    """An arena on PostgreSQL: it is killed; the database is frozen, restarted, or ends all
    connections.
    """
    from tests.helpers.postgres import throw_away_cluster

    kinds = ("arena killed", "server frozen", "server restarted")
    done = dict.fromkeys((*kinds, "connections ended"), 0)
    with throw_away_cluster() as url:
        arena, server = Arena(folder, url), Server(url)
        try:
            made = arena.ask("POST", "/contests", {"base": 3, "length": 2, "games": 3})[1]
            contest, close = ("/" + made[one].split("/", 3)[3] for one in ("self", "close"))
            players = [Player(arena, f"{chance.random()}") for _ in range(3)]
            entrants = [Entrant(arena, f"{chance.random()}", contest) for _ in range(3)]
            for one in (*players, *entrants):
                one.start()
            until = time.monotonic() + seconds
            for kind in _again_and_again(list(done), until):
                time.sleep(chance.uniform(0.3, 1.0))
                if kind == "arena killed":
                    arena.kill()
                    arena.start()
                elif kind == "server frozen":
                    server.freeze(chance.uniform(0.2, 2.0))
                elif kind == "connections ended":
                    server.end_connections()
                else:
                    server.restart()
                done[kind] += 1
            closing = threading.Thread(target=_closed, args=(arena, close), daemon=True)
            closing.start()  # a kill in the middle of it
            time.sleep(chance.uniform(0, 0.3))
            arena.kill()
            arena.start()
            closing.join(120)
            end([*players, *entrants])
            wrong, records = verdicts(arena, players, folder)
            file = folder / "contest.jsonl"
            while (told := arena.ask("GET", f"{contest}/file", timeout=120))[0] != 200:
                time.sleep(0.2)
            file.write_bytes(told[1])
            holds = subprocess.run(
                [sys.executable, "-m", "fairground", "verify", "--contest", str(file)],
                capture_output=True,
                check=False,
            )
        finally:
            arena.kill()
    return {
        **done,
        "oracles": sum(len(player.games) for player in players),
        "entries played": sum(one.entered for one in entrants),
        "said again": sum(one.repeated for one in (*players, *entrants)),
        "clients that failed": [
            str(one.failed)[:300] for one in (*players, *entrants) if one.failed is not None
        ],
        "counted otherwise": wrong,
        "records that do not verify": records,
        "contest holds": holds.returncode == 0,
    }


def _again_and_again(kinds: list[str], until: float) -> Iterator[str]:
    while True:
        for kind in kinds:
            if time.monotonic() > until:
                return
            yield kind


def _closed(arena: Arena, close: str) -> None:
    while arena.ask("POST", close, {})[0] != 200:
        time.sleep(0.05)


def disks(seconds: float, chance: random.Random, folder: Path) -> dict[str, Any]:
    """A disk that fills up while clients play, and grows again; one that becomes read-only."""
    found = _full(seconds / 2, chance, folder)
    found |= _read_only(seconds / 2, chance, folder)
    return found


@contextlib.contextmanager
def _mounted(disk: Path, *how: str) -> Iterator[bool]:
    """A file system of its own; whether this user may have one."""
    disk.mkdir()
    done = subprocess.run(["mount", *how, str(disk)], capture_output=True, check=False)
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "-l", str(disk)], check=False)


def _until_ready(arena: Arena) -> None:
    while arena.ask("GET", "/readyz")[0] != 200:
        time.sleep(0.05)


def _full(seconds: float, chance: random.Random, folder: Path) -> dict[str, Any]:
    disk, found = folder / "disk", {}
    with _mounted(disk, "-t", "tmpfs", "-o", "size=3m", "none") as may:
        if not may:
            return {"full: not run": "this user may mount no disk"}
        arena = Arena(folder, f"sqlite:///{disk}/arena.db")
        try:
            players = [Player(arena, f"{chance.random()}") for _ in range(4)]
            for player in players:
                player.start()
            until = time.monotonic() + seconds
            ready, piece = 200, 100_000
            while ready != 503 and time.monotonic() < until:
                try:
                    with (disk / "ballast").open("ab") as ballast:
                        ballast.write(b"x" * piece)
                except OSError:
                    piece = 1_000  # fill the last corner, too
                time.sleep(0.05)
                ready = arena.ask("GET", "/readyz")[0]
            found["full: /readyz"] = ready
            found["full: /healthz"] = arena.ask("GET", "/healthz")[0]
            time.sleep(min(3.0, seconds / 4))
            subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
            _until_ready(arena)
            time.sleep(min(3.0, seconds / 4))
            end(players)
            wrong, records = verdicts(arena, players, folder)
        finally:
            arena.kill()
    return found | {
        "said again": sum(player.repeated for player in players),
        "counted otherwise": wrong,
        "records that do not verify": records,
    }


def _read_only(seconds: float, chance: random.Random, folder: Path) -> dict[str, Any]:
    """As Linux does after an error of the disk: from one moment to the next, under open files."""
    disk, image = folder / "image-mounted", folder / "image"
    image.write_bytes(b"")
    os.truncate(image, 64 << 20)
    made = subprocess.run(["mkfs.ext4", "-q", "-F", str(image)], capture_output=True, check=False)
    with _mounted(disk, "-o", "loop,errors=remount-ro", str(image)) as may:
        if made.returncode or not may:
            return {"read-only: not run": "this user may mount no image of a disk"}
        number = disk.stat().st_dev
        device = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve().name
        error = Path(f"/sys/fs/ext4/{device}/trigger_fs_error")
        database = f"sqlite:///{disk}/arena.db"
        arena = Arena(folder, database)
        try:
            players = [Player(arena, f"{chance.random()}") for _ in range(4)]
            for player in players:
                player.start()
            time.sleep(seconds / 3)
            error.write_text("1")
            until = time.monotonic() + max(10.0, seconds / 3)
            while (ready := arena.ask("GET", "/readyz")[0]) != 503 and time.monotonic() < until:
                time.sleep(0.05)
            health = arena.ask("GET", "/healthz")[0]
            refused, told = arena.ask("POST", "/neworacle", {"base": 6, "length": 4})
            arena.kill()
            command = [sys.executable, "-m", "fairground", "serve", "--port", "0"]
            start = subprocess.run(
                [*command, "--no-croupier", "--database", database],
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
            subprocess.run(["umount", str(disk)], check=True)
            subprocess.run(["fsck.ext4", "-p", str(image)], capture_output=True, check=False)
            subprocess.run(["mount", "-o", "loop", str(image), str(disk)], check=True)
            arena.start()
            time.sleep(seconds / 3)
            end(players)
            wrong, records = verdicts(arena, players, folder)
        finally:
            arena.kill()
    return {
        "read-only: /readyz": ready,
        "read-only: /healthz": health,
        "read-only: a new oracle": f"{refused} {told.get('code', '')}",
        "read-only: a start": start.returncode,
        "read-only: traceback at the start": "Traceback" in start.stderr,
        "read-only: said again": sum(player.repeated for player in players),
        "read-only: counted otherwise": wrong,
        "read-only: records that do not verify": records,
    }


def broken(found: dict[str, Any]) -> bool:
    """Return True if a part's figures show a broken promise."""
    ends = ("counted otherwise", "records that do not verify", "clients that failed")
    ends += ("traceback at the start", "ended by a jump", "wei lost", "hands counted otherwise")
    ends += ("Players with another count",)
    wanted = {"/readyz": 503, "/healthz": 200, "a start": 2}
    wanted |= {"contest holds": True, "the ledger verifies": True}
    return any(
        (name.split(": ")[-1] in ends and bool(told))
        or told != wanted.get(name.split(": ")[-1], told)
        for name, told in found.items()
    )
