"""Break codes in your own program: an oracle of each kind, and the record checked.

python examples/oracle.py
"""

from itertools import product

from fairground.clients.local_oracle import (
    LocalOracle,
    make_evil_oracle,
    make_nice_oracle,
    make_random_fair_oracle,
)
from fairground.fair.bits import fresh
from fairground.games.codebreaking.rules import Row, fits
from fairground.verifier import verify


def break_it(oracle: LocalOracle) -> None:
    """The simplest player there is: the first code that fits everything so far."""
    print(f"commitment {oracle.commitment[:16]}...")
    rows: list[Row] = []
    for code in product(range(oracle.base), repeat=oracle.length):
        if fits(code, rows):
            rows.append(Row(code, oracle.submit(code)))
            print(f"  {code} -> {rows[-1].marks}")
        if oracle.solved:
            break
    verdict = verify(oracle.transcript)
    claims = ", ".join(claim.name for claim in verdict.claims)
    print(f"  {oracle.attempts} guesses; the code was {oracle.reveal}; proven: {claims}")


if __name__ == "__main__":
    print("nice")
    break_it(make_nice_oracle(length=4, base=6))
    print("fair")
    fair = make_random_fair_oracle(length=4, base=6)
    fair.lend(fresh())
    break_it(fair)
    print("evil")
    break_it(make_evil_oracle(length=4, base=6))
