"""Oracles in process: the public API, and what their transcripts prove."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from fairground.clients.local_oracle import (
    LocalOracle,
    make_evil_oracle,
    make_nice_oracle,
    make_random_fair_oracle,
)
from fairground.core import BadShare, IllegalMove
from fairground.games.codebreaking.players import TreeBreaker
from fairground.games.codebreaking.rules import Row, fits
from fairground.verifier import verify
from tests.helpers.places import ROOT

SEED = hashlib.sha3_256(b"an adversary").digest()


def claims(oracle: LocalOracle) -> set[str]:
    verdict = verify(oracle.transcript)
    assert verdict.ok, verdict.fault
    return {claim.name for claim in verdict.claims}


def broken(oracle: LocalOracle) -> list[Row]:
    breaker = TreeBreaker(oracle._game, None)  # type: ignore[arg-type]
    rows: list[Row] = []
    while not oracle.solved:
        guess = breaker.guess(tuple(rows))
        assert guess is not None
        rows.append(Row(guess, oracle.submit(guess)))
    assert oracle.attempts == len(rows)
    return rows


def test_a_fair_oracle_is_committed_and_uniform_with_a_share() -> None:
    oracle = make_random_fair_oracle(4, 6)
    assert (oracle.base, oracle.length, oracle.attempts, oracle.solved) == (6, 4, 0, False)
    oracle.lend(SEED)
    rows = broken(oracle)
    assert oracle.reveal == rows[-1].guess and fits(rows[-1].guess, rows)
    assert claims(oracle) >= {"COMMITTED", "UNIFORM"}


def test_without_a_share_it_is_committed_only() -> None:
    oracle = make_random_fair_oracle(4, 6)
    code = oracle.give_up()
    assert oracle.reveal == code and not oracle.solved
    assert claims(oracle) & {"COMMITTED", "UNIFORM", "CONSISTENT"} == {"COMMITTED"}


def test_a_nice_oracle_says_yes() -> None:
    oracle = make_nice_oracle(40, 100)
    assert oracle.submit(list(range(40))) == (40, 0)
    assert oracle.solved and oracle.reveal == tuple(range(40))
    assert "CONSISTENT" in claims(oracle)


def test_an_evil_oracle_is_consistent_and_the_same_for_a_seed() -> None:
    oracle = make_evil_oracle(4, 6, SEED)
    oracle.lend(SEED)
    rows = broken(oracle)
    assert len(rows) >= 5 and broken(make_evil_oracle(4, 6, SEED)) == rows
    assert claims(oracle) & {"COMMITTED", "UNIFORM", "CONSISTENT"} == {"CONSISTENT"}
    assert b"proven forced" in oracle.transcript


def test_fair_and_evil_look_alike() -> None:
    fair, evil = make_random_fair_oracle(4, 6), make_evil_oracle(4, 6)
    assert fair.reveal is None and evil.reveal is None
    assert len(fair.commitment) == len(evil.commitment) == 64
    assert fair.commitment != make_random_fair_oracle(4, 6).commitment


def test_shares_and_guesses_out_of_order_are_refused() -> None:
    for oracle in (make_random_fair_oracle(4, 6), make_evil_oracle(4, 6)):
        with pytest.raises(BadShare, match="32 bytes, not 3"):
            oracle.lend(b"abc")
        with pytest.raises(IllegalMove, match="a code has 4 digits, not 1"):
            oracle.submit([9])
        assert oracle.attempts == 0
        oracle.submit([0, 1, 2, 3])
        with pytest.raises(BadShare, match="before the first guess"):
            oracle.lend(SEED)
        oracle.give_up()
        with pytest.raises(IllegalMove, match="the game is over"):
            oracle.submit([0, 1, 2, 3])


def test_the_example_runs() -> None:
    example = ROOT / "examples" / "oracle.py"
    done = subprocess.run(
        [sys.executable, str(example)], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert "proven: COMMITTED, UNIFORM" in done.stdout and "CONSISTENT" in done.stdout
