"""Time to open a ledger: from its snapshot, and by running all of its lines.

    python bench/ledger.py            # writes results/ledger.json

Some hundred hands are really played, and the whole ledger is run again: milliseconds a hand, by
which the time for `HANDS` hands is told. Then the books are filled with as many finished games as
`HANDS` hands leave behind, snapshots are written of them as a running ledger writes them, and that
ledger is opened. The limit is a second.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from _machine import Samples, summary, write
from fairground.bank.bank_port import BankGame, GameOutcome, Step
from fairground.bank.ledger.bank import NAME, LedgerBank
from fairground.bank.ledger.lines import EVERY, Snapshots
from fairground.fair.bits import digest
from fairground.store import Store, open_store

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.helpers.bank_laws import KEYS, furnished
from tests.helpers.banks import TERMS, WEALTH, Clock, LedgerHouse

PLAYED: Final = 60
HANDS: Final = 100_000
LINES: Final = 7
"""Lines of a ledger for each hand."""

REPETITIONS: Final = 5


async def play(store: Store) -> None:
    """Some hands, by all the rules."""
    clock = Clock()
    bank = await LedgerBank.open(store, TERMS, clock=clock)
    for key in KEYS:
        await bank.issue(key.address, WEALTH)
    house = await furnished(LedgerHouse(bank, clock))
    for _ in range(PLAYED):
        game = await house.play()
        await game.take(bank, LINES)
    await bank.close()


async def fill(store: Store) -> None:
    """Snapshots of the games that many more hands would have left in the books."""
    (opening,) = await store.lines(NAME, 0, 1)
    snapshots: Any = Snapshots(store, NAME)
    ledger: Any = await snapshots.open(opening)
    step, head = ledger.step, ledger.head
    for hand in range(HANDS):
        key = digest("bench", hand)
        name = digest("bench", hand, 1)
        ledger.tables()["_games"][key] = BankGame(
            name, Step.HAND_FINAL, GameOutcome.SETTLED, 1_800_000_000 + hand, 31, 2**28 + hand
        )
        ledger.tables()["lines"][key] = tuple(range(LINES * hand, LINES * hand + LINES))
        if hand % (EVERY // LINES) == 0 or hand == HANDS - 1:
            ledger.step = LINES * hand
            if hand == HANDS - 1:
                ledger.step, ledger.head = step, head  # so that the last one fits the log
            ledger = await snapshots.take(ledger)


async def opened(store: Store, from_snapshot: bool) -> float:
    """CPU seconds until it can be asked."""
    begin = time.process_time()
    bank = await LedgerBank.open(store, clock=Clock(), from_snapshot=from_snapshot)
    took = time.process_time() - begin
    bank._snapshots._gone = True  # it leaves the snapshots as they are
    await bank.close()
    return took


async def measure(folder: str) -> dict[str, Any]:
    store = await open_store(f"sqlite:///{folder}/bank.db")
    await play(store)
    samples: Samples = {"run again": [], "from its snapshot": []}
    for _ in range(REPETITIONS):
        samples["run again"].append(await opened(store, from_snapshot=False))
    await fill(store)
    for _ in range(REPETITIONS):
        samples["from its snapshot"].append(await opened(store, from_snapshot=True))
    stored = await store.read(f"{NAME}.snapshots")
    assert stored is not None
    await store.close()
    seconds = summary(samples)
    return {
        "unit": "CPU seconds of this process",
        "target": f"a ledger of {HANDS} hands opens in at most a second",
        "opened": {
            "from its snapshot": seconds["from its snapshot"],
            f"{PLAYED} hands run again": seconds["run again"],
            f"{HANDS} hands run again, by that": seconds["run again"]["median"] * HANDS / PLAYED,
        },
        "snapshots": {"lines": len(stored.lines), "bytes": len(stored.data)},
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write("ledger", asyncio.run(measure(folder)))


if __name__ == "__main__":
    main()
