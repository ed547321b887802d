"""A real nginx in front of an arena."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"

AROUND = """
daemon off; master_process off; error_log stderr crit; pid {folder}/nginx.pid;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  {inside}
}}
"""


@contextmanager
def nginx(folder: Path, inside: str, arena: str) -> Iterator[str]:
    """Start nginx; ``inside``: what stands within ``http``, with ARENA and HERE for addresses."""
    place = urllib.parse.urlsplit(arena)
    with socket.socket() as free:  # nginx cannot tell which port it was given
        free.bind(("127.0.0.1", 0))
        here = f"127.0.0.1:{free.getsockname()[1]}"
    inside = inside.replace("ARENA", place.netloc).replace("HERE", here)
    config = folder / "nginx.conf"
    config.write_text(AROUND.format(folder=folder, inside=inside))
    process = subprocess.Popen(
        [NGINX, "-p", str(folder), "-c", str(config)], stderr=subprocess.PIPE
    )
    try:
        while not _listens(here):
            assert process.poll() is None, process.stderr and process.stderr.read()
        yield f"http://{here}"
    finally:
        process.terminate()
        process.wait(30)
        assert process.stderr is not None
        process.stderr.close()


def _listens(place: str) -> bool:
    host, _, port = place.partition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return False
    return True


def requests_counted(metrics: str, route: str) -> int:
    """How many requests to a route the arena has answered, by its own count."""
    lines = re.findall(rf'fairground_requests_total{{.*route="{route}".*}} (\d+)', metrics)
    return sum(map(int, lines))
