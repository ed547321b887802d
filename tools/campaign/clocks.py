"""A clock that somebody sets while the arena runs: nobody loses anything by it.

The arena runs with libfaketime, so its clock can be set without that of the machine. Time that is
measured goes on evenly, as it does when a machine's clock is set.
"""

from __future__ import annotations

import asyncio
import random
import time
from pathlib import Path
from typing import Any

from tools.campaign.live import Arena, Player, end, verdicts
from tools.campaign.money import Bettor, judged, whole_ledger

LIBRARY = "*/faketime/libfaketime.so.1"
HOUR = 3600
JUMPS = {
    "3 hours on": 3 * HOUR,
    "10 hours back": -10 * HOUR,
    "40 days on": 40 * 24 * HOUR,
    "back to the right time": 0,
}
TABLE = {
    "game": "intransitive/1",
    "params": {"dice": ["2,2,4,4,9,9", "6,8,1,1,8,6", "7,5,3,7,5,3"]},
    "seats": [{"name": "Ada", "lends": "number"}, {"name": "Bot", "player": "random"}],
    "dealer": "hmac-sha3-user/1",
    "seconds": 1800,
}


def clocks(seconds: float, chance: random.Random, folder: Path) -> dict[str, Any]:
    """Set the clock on and back while oracles, a table, a contest and the Croupier are played."""
    library = next(Path("/usr/lib").glob(LIBRARY), None)
    if library is None:
        return {"not run": "libfaketime is not installed"}
    clock = folder / "clock"
    clock.write_text("+0\n")
    faked = {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(clock)}
    faked |= {"FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    arena = Arena(folder, None, croupier=True, environment=faked)
    try:
        contest = _path(arena, "/contests", {"base": 4, "length": 3, "games": 2, "closes_in": HOUR})
        table = _path(arena, "/tables", TABLE)
        url = f"http://127.0.0.1:{arena.port}"
        guest = Bettor(url, 77, random.Random(chance.random()))
        asyncio.run(guest.arrive())
        players = [Player(arena, f"{chance.random()}") for _ in range(3)]
        for one in (*players, guest):
            one.start()
        lost: dict[str, list[str]] = {}
        for name, offset in JUMPS.items():
            clock.write_text(f"{offset:+d}\n")
            time.sleep(seconds / len(JUMPS))
            ended = [
                what
                for what, over in (
                    ("the table", arena.ask("GET", table)[1].get("over") is not False),
                    ("the contest", arena.ask("GET", contest)[1].get("state") != "open"),
                )
                if over
            ]
            lost[name] = ended
        guest.stop = True
        guest.join(120)
        end(players)
        wrong, records = verdicts(arena, players, folder)
        failed = [str(one.failed) for one in players if one.failed is not None]
        failed += [guest.failed or "it did not end"] if guest.failed or guest.is_alive() else []
        return {
            "ended by a jump": {name: ended for name, ended in lost.items() if ended},
            "jumps": len(JUMPS),
            "oracles": sum(len(player.games) for player in players),
            "hands": guest.hands,
            "sessions": guest.sessions,
            "clients that failed": failed,
            "counted otherwise": wrong,
            "records that do not verify": records,
            **judged(whole_ledger(url), [guest]),
        }
    finally:
        arena.kill()


def _path(arena: Arena, path: str, body: Any) -> str:
    status, told = arena.ask("POST", path, body)
    assert status in (200, 201), told
    return "/" + str(told["self"]).split("/", 3)[3]
