"""CPU time of the server for an accepted and a refused guess, beside another commit's.

    git archive COMMIT src | tar -x -C OTHER
    python bench/arena_guess.py OTHER/src [--rounds 9]

Both servers run at the same time, on SQLite. In each round each of them answers the same number of
guesses on one connection, in turns; the ratio is that of one round. CPU time is what the kernel
counts for the process, so other load on the machine matters little.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import urllib.parse
from pathlib import Path

HERE = Path(__file__).resolve().parents[1] / "src"
GUESSES = 400
BODIES = {"accepted": [1] * 40, "refused": [9] * 4}


class Server:
    """An arena of some sources."""

    def __init__(self, source: Path, folder: str) -> None:
        options = ["--port", "0", "--no-croupier", "--rate", "0"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fairground", "serve", *options,
             "--database", f"sqlite:///{folder}/arena.db"],
            stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(source)},
        )  # fmt: skip
        assert self.process.stdout is not None
        url = ""
        for line in self.process.stdout:
            if found := re.match(r"The arena is open at (\S+)", line):
                url = found[1]
            if line.startswith("Stop it"):
                break
        place = urllib.parse.urlsplit(url)
        self._line = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)

    def cpu(self) -> float:
        """Microseconds that the process has used."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1000

    def ask(self, path: str, body: object) -> http.client.HTTPResponse:
        """POST, and read the answer to its end."""
        headers = {"Content-Type": "application/json"}
        self._line.request("POST", path, json.dumps(body), headers)
        answer = self._line.getresponse()
        answer.read()
        return answer

    def round(self, kind: str) -> float:
        """Microseconds of CPU time for each guess at a new oracle."""
        made = self.ask("/neworacle", {"base": 6, "length": 40})
        oracle = urllib.parse.urlsplit(made.headers["Location"]).path
        body = {"submission": BODIES[kind]}
        for _ in range(20):
            self.ask(oracle, body)
        began = self.cpu()
        for _ in range(GUESSES):
            self.ask(oracle, body)
        return (self.cpu() - began) / GUESSES


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("other", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        servers = Server(options.other, one), Server(HERE, two)
        try:
            for kind in BODIES:
                pairs = []
                for number in range(options.rounds):
                    order = servers if number % 2 else servers[::-1]
                    found = {server: server.round(kind) for server in order}
                    pairs.append((found[servers[0]], found[servers[1]]))
                before, now = (statistics.median(one) for one in zip(*pairs, strict=True))
                ratios = sorted(new / old for old, new in pairs)
                print(
                    f"{kind}: {before:.0f} µs before, {now:.0f} µs now; "
                    f"ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})"
                )
        finally:
            for server in servers:
                server.process.terminate()
                server.process.wait(30)


if __name__ == "__main__":
    main()
