"""Gas of the Blind Croupier on a chain: of each call and of a whole game.

Gas is counted by the EVM (py-evm, rules of Prague), not measured: the same on every
machine. Signatures and hashes hold more or fewer zero bytes, which cost less, so there
is a small spread from game to game. "Not the first": the accounts exist already. The budget is
300,000 for a whole game in five calls.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from typing import Any

from _machine import write

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.helpers.evm import STEP_TIME, Hall, hall

from fairground.bank.bank_port import artifact
from fairground.bank.seeds import unpacked_order

GAMES = 62
BUDGET = 300_000
CALLS = (
    "submitBet",
    "submitCroupierSeedAsSignature 0",
    "submitPlayerSeedAndOrder",
    "submitCroupierSeedAsSignature 1",
    "submitPlayerSeedAndResult",
)


def spread(values: list[int]) -> dict[str, int]:
    return {"lowest": min(values), "median": int(median(values)), "highest": max(values)}


def games(h: Hall) -> dict[str, Any]:
    """Whole games with every order that replaces something, twice."""
    first = [receipt.gas for receipt in h.play(game_id=0).run_merged()]
    calls: dict[str, list[int]] = {name: [] for name in CALLS}
    whole = []
    for number in range(GAMES):
        order = unpacked_order(1 + number % 31)
        play = h.play(game_id=1 + number, bet=1 + number % 5, level=1 + number % 5, label=number)
        gas = [receipt.gas for receipt in play.run_merged(order)]
        whole.append(sum(gas))
        for name, value in zip(CALLS, gas, strict=True):
            calls[name].append(value)
    return {
        "games": GAMES,
        "calls": {name: spread(values) for name, values in calls.items()},
        "whole game": spread(whole),
        "whole game, the first of two parties": sum(first),
    }


def others(h: Hall) -> dict[str, int]:
    """Everything else that costs gas."""
    standing = h.play(game_id=1 + GAMES)
    receipts = standing.run_merged((0, 0, 0, 0, 0))
    found = {"whole game, nothing replaced": sum(r.gas for r in receipts)}
    for steps, about in (
        (1, "NoFirstCroupierSeed"),
        (2, "NoFirstPlayerSeed"),
        (3, "NoReplacementOrder"),
        (4, "NoSecondCroupierSeed"),
        (5, "NoSecondPlayerSeed"),
    ):
        play = h.play(game_id=1 + GAMES + steps)
        play.run_to(steps)
        h.bank.evm.travel(STEP_TIME + 1)
        found["complain" + about] = play.complain(about.removeprefix("No")).gas
    found["submitPublicKey, again"] = h.bank.register(h.player).gas
    found["depositFunds"] = h.bank.deposit(h.player, 10**15).gas
    found["withdrawFunds"] = h.bank.withdraw(h.player, 10**15).gas
    found["deployment"] = h.bank.deployment_gas
    return found


def main() -> None:
    h = hall(bankroll=10**22, purse=10**19)
    result = games(h)
    highest = result["whole game"]["highest"]
    write(
        "bank_gas",
        {
            "unit": "gas",
            **result,
            "other": others(h),
            "code bytes": len(artifact().runtime_bytecode),
            "budget": BUDGET,
            "met": highest <= BUDGET,
        },
    )
    if highest > BUDGET:
        raise SystemExit(f"a game took {highest} gas: more than {BUDGET}")


if __name__ == "__main__":
    main()
