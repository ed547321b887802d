"""A throw-away PostgreSQL of our own: a real server on a socket in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def _programs() -> Path:
    """The newest installed PostgreSQL; the set-up installs one where it is missing."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path is None:
        raise FileNotFoundError("PostgreSQL is missing: see debian-packages.txt")
    return Path(on_path).parent


@contextmanager
def throw_away_cluster() -> Iterator[str]:
    """Start a cluster, give its URL, and throw it away afterwards.

    PostgreSQL refuses to run as root, so root hands it over to the user ``postgres``.
    """
    programs = _programs()
    folder = tempfile.mkdtemp(prefix="fg-pg-", dir="/tmp")
    as_user: dict[str, object] = {}
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)
        as_user = {"user": user.pw_uid, "group": user.pw_gid}

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [str(programs / program), *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            **as_user,  # type: ignore[call-overload]
        )

    data = f"{folder}/data"
    try:
        run("initdb", "-D", data, "-U", "fairground", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder}"
        run("pg_ctl", "-D", data, "-w", "-o", options, "-l", f"{folder}/log", "start")
        try:
            yield f"postgresql://fairground@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
