"""The committed artifact is what the compiler makes of the committed source, and is ours alone."""

from __future__ import annotations

import hashlib
import json
import subprocess

import pytest

from fairground.bank.bank_port import FOLDER, WrongBank, artifact, parse
from tests.helpers.evm import CHIP, STEP_TIME, Bank, Evm
from tests.helpers.places import ROOT

SOLC = ROOT / "tools" / "node" / "node_modules" / "solc"


# In the suite it is enough that the source is the one that was compiled; see below.
@pytest.mark.campaign
def test_compiling_again_gives_the_same_bytes() -> None:
    assert SOLC.is_dir(), "the Solidity compiler is not installed: run tools/node-setup"
    done = subprocess.run(
        [ROOT / "tools" / "compile_bank", "--print"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert parse(done.stdout) == artifact()
    assert done.stdout == (FOLDER / "Bank.json").read_text("utf-8")


def test_the_source_is_the_one_that_was_compiled() -> None:
    source, made = (
        (FOLDER / "Bank.sol").read_bytes(),
        json.loads((FOLDER / "Bank.json").read_text()),
    )
    assert hashlib.sha256(source).hexdigest() == made["source_sha256"]
    assert made["compiler"].startswith("0.8.30+")
    assert b"pragma solidity 0.8.30;" in source


def test_every_method_of_the_document_is_there() -> None:
    names = {entry["name"] for entry in artifact().abi if entry["type"] == "function"}
    assert names >= {
        "submitPublicKey",
        "depositFunds",
        "withdrawFunds",
        "getChipCost",
        "generateInt",
        "submitBet",
        "submitCroupierSeedAsSignature",
        "submitPlayerSeedAsSignature",
        "submitReplacementOrder",
        "submitGameResult",
        "complainNoSecondCroupierSeed",
        "complainNoFirstCroupierSeed",
        "complainNoFirstPlayerSeed",
        "complainNoReplacementOrder",
        "complainNoSecondPlayerSeed",
    }
    events = [entry["name"] for entry in artifact().abi if entry["type"] == "event"]
    assert all(name.endswith(("ed", "Withdrawn")) for name in events)


def test_terms_are_read_from_the_code_and_any_other_byte_is_noticed() -> None:
    evm = Evm()
    bank = Bank(evm, chip=3 * CHIP, step_time=7 * STEP_TIME)
    code = evm.code(bank.address)
    assert artifact().terms_of(code) == (3 * CHIP, 7 * STEP_TIME)
    for at in range(0, len(code), 97):
        changed = bytearray(code)
        changed[at] ^= 1
        with pytest.raises(WrongBank):
            artifact().terms_of(bytes(changed))
    with pytest.raises(WrongBank):
        artifact().terms_of(code + b"\x00")
    with pytest.raises(WrongBank):
        artifact().terms_of(b"")


def test_every_argument_that_differs_from_the_document_is_in_the_table() -> None:
    """Method by method, as the description spells it, beside what the contract takes."""
    described = {
        "submitPublicKey": "key",
        "submitBet": "croupier, player, bet, level, betSignature",
        "submitCroupierSeedAsSignature": "croupier, player, signature, seedID",
        "submitPlayerSeedAsSignature": "croupier, player, signature, seedID",
        "submitReplacementOrder": "croupier, player, replacementOrder, replacementSignature",
        "submitGameResult": "croupier, player",
        "complainNoSecondCroupierSeed": "croupier, player",
    }
    page = (ROOT / "docs" / "games" / "croupier.md").read_text()
    methods = {entry["name"]: entry for entry in artifact().abi if entry["type"] == "function"}
    for name, arguments in described.items():
        ours = ", ".join(argument["name"] for argument in methods[name]["inputs"])
        assert f"| `{name}({arguments})` | `({ours})`" in page, name
    same = {"depositFunds": "", "getChipCost": "", "generateInt": "seed, min, max"}
    for name, arguments in same.items():
        assert ", ".join(one["name"] for one in methods[name]["inputs"]) == arguments
