#!/usr/bin/env python3
"""A campaign: kills under load, floods, faults, bytes of any kind; and our own code with mistakes.

    python tools/arena_campaign.py --seconds 600 [--only kills,readers] [--seed S] [--result FILE]
                                   [--page]

Everything happens on loopback, against `fairground serve` with its default limits and a database
of its own. The time is shared by the parts; ``--only`` chooses some, and what FILE has of others
stays. The exit code is 1 if a promise was broken.

* **kills**: clients submit under Idempotency-Keys, and say the same again until an answer comes;
  the arena is killed (SIGKILL) again and again. In the end every oracle must have counted what its
  client counted, answer by answer, and every record must verify.
* **floods** (`campaign/floods.py`): one client asks for one thing as fast as it can; another, with
  another address, asks for its oracle and is timed. Every route of the arena has its turn.
* **bytes**: heads and bodies with mistakes in them go to the arena, and records with mistakes
  in them to `fairground verify`. Nothing may end in a traceback, a hang or a 5xx.
* **postgres**, **disks** (`campaign/faults.py`): kills of the arena, during entries and a close; a
  frozen and a restarted server; a disk that fills up, and one that becomes read-only.
* **money** (`campaign/money.py`): kills while hands and sessions of the Croupier are settled.
* **clocks** (`campaign/clocks.py`): the clock is set on and back while all kinds of games run.
* **bots**, **crowd**, **open** (`campaign/crowds.py`): 200 bots; half-open clients and
  evil oracles beside a few bots; very many open games and a restart.
* **readers** (`campaign/readers.py`): everything that reads what others wrote.
* **mutation** (`campaign/mutation.py`): does a test notice a mistake in our code?
* **audit** (`campaign/audit.py`): what we depend on.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.campaign import (  # noqa: E402 (behind the path)
    audit,
    clocks,
    crowds,
    faults,
    floods,
    money,
    mutation,
    readers,
    report,
)
from tools.campaign.live import Arena, Player, end, verdicts  # noqa: E402
from tools.campaign.readers import with_mistakes  # noqa: E402

RECORD = ROOT / "tests" / "vectors" / "games" / "played-codebreaking-1-fair--hash-chains-each.jsonl"

CLIENTS = 6


def kills(arena: Arena, seconds: float, chance: random.Random, folder: Path) -> dict[str, Any]:
    players = [Player(arena, f"{chance.random()}") for _ in range(CLIENTS)]
    for player in players:
        player.start()
    until, killed = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        time.sleep(chance.uniform(0.3, 1.5))
        arena.kill()
        killed += 1
        arena.start()
    end(players)
    wrong, records = verdicts(arena, players, folder)
    games = [told for player in players for told in player.games.values()]
    return {
        "kills": killed,
        "oracles": len(games),
        "submissions answered": sum(map(len, games)),
        "said again": sum(player.repeated for player in players),
        "clients that failed": sum(player.failed is not None for player in players),
        "counted otherwise": wrong,
        "records that do not verify": records,
    }


HEAD = b"POST /neworacle HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
BODY = b'{"base": 6, "length": 4, "oracle_type": "fair"}'
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY


def bytes_of_any_kind(
    arena: Arena, seconds: float, chance: random.Random, folder: Path
) -> dict[str, Any]:
    until, sent, hung, fives = time.monotonic() + seconds / 2, 0, 0, 0
    while time.monotonic() < until:
        here = socket.create_connection(("127.0.0.1", arena.port), timeout=35)
        try:
            here.sendall(with_mistakes(WHOLE, chance))
            here.shutdown(socket.SHUT_WR)
            told = here.recv(65536)
            fives += bool(re.match(rb"HTTP/1.1 5", told))
        except TimeoutError:
            hung += 1
        except OSError:
            pass
        finally:
            here.close()
        sent += 1
    record = RECORD.read_bytes()
    until, judged, tracebacks = time.monotonic() + seconds / 2, 0, 0
    while time.monotonic() < until:
        files = []
        for number in range(50):
            files.append(folder / f"odd{number}.jsonl")
            files[-1].write_bytes(with_mistakes(record, chance))
        run = subprocess.run(
            [sys.executable, "-m", "fairground", "verify", *map(str, files)],
            capture_output=True,
            check=False,
            timeout=120,
        )
        judged += len(files)
        tracebacks += b"Traceback" in run.stderr
    return {
        "requests": sent,
        "hung": hung,
        "5xx": fives,
        "records": judged,
        "runs with a traceback": tracebacks,
        "alive": arena.ask("GET", "/healthz")[0] == 200,
    }


PARTS = (
    *("kills", "floods", "bytes", "postgres", "disks", "money", "clocks"),
    *("bots", "crowd", "open", "readers", "mutation"),
)
"""Those that share the time; `audit` takes none."""


FAULTS: Final = {
    "postgres": faults.postgres,
    "disks": faults.disks,
    "money": money.settlements,
    "clocks": clocks.clocks,
}
"""Those that start arenas of their own."""


def run(
    part: str, seconds: float, chance: random.Random, before: dict[str, Any]
) -> tuple[dict[str, Any], bool]:
    """One part, in a folder of its own: what was found, and whether a promise was broken.

    ``before`` is what an earlier campaign found in it.
    """
    if part == "audit":
        found = audit.run()
        return found, audit.broken(found)
    if part == "readers":
        found = readers.run(seconds, chance)
        return found, readers.is_broken(found)
    if part == "mutation":
        return mutation.run(seconds, chance, before=before), False
    with tempfile.TemporaryDirectory(prefix="fairground-campaign-") as place:
        folder = Path(place)
        if part in FAULTS:
            found = FAULTS[part](seconds, chance, folder)
            bad = faults.broken(found)
        else:
            arena = Arena(folder, croupier=part == "floods")
            try:
                found = _at(arena, part, seconds, chance, folder)
            finally:
                arena.kill()
            broken = ("counted otherwise", "records that do not verify", "clients that failed")
            broken += ("hung", "5xx", "runs with a traceback")
            bad = any(found.get(one) for one in broken) or crowds.broken(found)
        log = (folder / "log").read_text(errors="replace") if (folder / "log").exists() else ""
        # An arena that starts while its database is away says so at length.
        requests = [
            line for line in log.splitlines() if "Traceback" in line and "lifespan" not in line
        ]
        found["tracebacks in the log"] = len(requests)
        if requests:
            found["the first of them"] = requests[0][:3000]
    return found, bad or bool(found["tracebacks in the log"])


def _at(
    arena: Arena, part: str, seconds: float, chance: random.Random, folder: Path
) -> dict[str, Any]:
    if part == "kills":
        return kills(arena, seconds, chance, folder)
    if part == "floods":
        return floods.run(f"http://127.0.0.1:{arena.port}", seconds)
    if part == "bytes":
        return bytes_of_any_kind(arena, seconds, chance, folder)
    if part == "bots":
        return crowds.bots(arena, seconds, chance)
    if part == "crowd":
        return crowds.crowd(arena, seconds, chance)
    return crowds.open_games(arena, seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", metavar="PART,...", help=f"of {', '.join((*PARTS, 'audit'))}")
    parser.add_argument("--result", help="a file of JSON; what it has of other parts stays in it")
    parser.add_argument(
        "--page",
        action="store_true",
        help=f"write the figures of {report.RESULT.name} into the page",
    )
    options = parser.parse_args()
    chosen = options.only.split(",") if options.only else [*PARTS, "audit"]
    for part in chosen:
        if part not in (*PARTS, "audit"):
            parser.error(f"there is no part {part!r}: {', '.join((*PARTS, 'audit'))}")
    result = Path(options.result) if options.result else None
    found = json.loads(result.read_text()) if result and result.exists() else {}
    failed = False
    for part in chosen:
        each = options.seconds / max(1, len(set(chosen) - {"audit"}))
        before = found.get(part, {})
        told, broken = run(part, each, random.Random(f"{options.seed} {part}"), before)
        when = {
            "date": datetime.now(UTC).date().isoformat(),
            "cores": os.cpu_count(),
            "load": round(os.getloadavg()[0], 1),
            "seconds": round(each),
        }
        found[part] = when | told
        failed |= broken
        print(json.dumps({part: found[part]}, indent=2), flush=True)
        if result:
            result.write_text(json.dumps(found, indent=2) + "\n")
    if options.page:
        report.write()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
