"""The compiled contracts, and whether what runs on a chain is just one of them.

``contracts/Bank.json`` (version 1) and ``BankTwo.json`` (version 2) are written by
``tools/compile_bank``; a test compiles the sources again and compares. New Banks are of
version 2. What was played at a Bank of version 1 can be checked for ever.

A Bank's code on a chain equals `runtime_bytecode` except where the two immutable numbers,
chip cost and step time, were filled in by its constructor.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from fairground.core import InputError

FOLDER: Final = files("fairground.bank.chain") / "contracts"

CONTRACTS: Final = {1: "Bank", 2: "BankTwo"}
NEWEST: Final = 2


class WrongBank(InputError):
    """The code at this address is not the Bank that this program was made for."""

    code = "bank/wrong-code"


class Terms(NamedTuple):
    """What a Bank was deployed with."""

    chip_cost: int
    step_time: int


class Artifact(NamedTuple):
    """What the compiler made of a contract."""

    compiler: str
    settings: dict[str, Any]
    source_sha256: str
    abi: list[dict[str, Any]]
    bytecode: bytes
    runtime_bytecode: bytes
    immutables: dict[str, list[int]]

    def terms_of(self, code: bytes) -> Terms:
        """Compare a chain's code with ours, byte for byte, and read its terms.

        Raise `WrongBank` unless it is this contract and nothing else.
        """
        blank = bytearray(code)
        found = {}
        for name, places in self.immutables.items():
            values = {code[at : at + 32] for at in places}
            if len(values) != 1:
                raise WrongBank("the code at this address is not the Bank's: its terms differ")
            found[name] = int.from_bytes(values.pop(), "big")
            for at in places:
                blank[at : at + 32] = bytes(32)
        if bytes(blank) != self.runtime_bytecode:
            raise WrongBank("the code at this address is not the Bank that we were made for")
        return Terms(found["CHIP_COST"], found["STEP_TIME"])


def source(version: int = NEWEST) -> str:
    """The Solidity source."""
    return (FOLDER / f"{CONTRACTS[version]}.sol").read_text("utf-8")


def source_hash(version: int = NEWEST) -> str:
    """SHA-256 of the source, in hex."""
    return hashlib.sha256(source(version).encode()).hexdigest()


@cache
def artifact(version: int = NEWEST) -> Artifact:
    """The committed artifact."""
    return parse((FOLDER / f"{CONTRACTS[version]}.json").read_text("utf-8"))


def recognized(code: bytes) -> tuple[int, Terms]:
    """The version of the Bank with this code, and its terms; raise `WrongBank`."""
    for version in sorted(CONTRACTS, reverse=True):
        try:
            return version, artifact(version).terms_of(code)
        except WrongBank:
            continue
    raise WrongBank("the code at this address is not a Bank that we were made for")


def parse(text: str) -> Artifact:
    """Read an artifact as ``tools/compile_bank`` writes it."""
    raw = json.loads(text)
    return Artifact(
        raw["compiler"],
        raw["settings"],
        raw["source_sha256"],
        raw["abi"],
        bytes.fromhex(raw["bytecode"].removeprefix("0x")),
        bytes.fromhex(raw["runtime_bytecode"].removeprefix("0x")),
        raw["immutables"],
    )
