"""Every hand that there is, ranked by the contract's own code, and counted.

A small contract around the Bank's library goes through all 2,598,960 hands in one call on
the node ``anvil``; the known counts of each rank must come out.
"""

from __future__ import annotations

import json
import subprocess
from math import comb

import pytest

from fairground.bank.bank_port import FOLDER
from tests.helpers.anvil import TOOLS, running_anvil

CENSUS = """
pragma solidity 0.8.30;
import {Poker} from "Bank.sol";
contract Census {
    fallback() external {
        unchecked {
            uint256[10] memory found;
            for (uint256 a = 0; a < 52; ++a)
                for (uint256 b = a + 1; b < 52; ++b)
                    for (uint256 c = b + 1; c < 52; ++c)
                        for (uint256 d = c + 1; d < 52; ++d) {
                            uint256 four = (a << 32) | (b << 16) | (c << 8) | d;
                            for (uint256 e = d + 1; e < 52; ++e)
                                found[Poker.rank(four | (e << 24))] += 1;
                        }
            assembly { return(found, 320) }
        }
    }
}
"""

COMPILE = """
const solc = require(process.argv[1]);
const content = (text) => ({ content: text });
const [bank, census] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const output = JSON.parse(solc.compile(JSON.stringify({
  language: "Solidity",
  sources: { "Bank.sol": content(bank), "Census.sol": content(census) },
  settings: {
    evmVersion: "shanghai",
    optimizer: { enabled: true, runs: 1000000 },
    outputSelection: { "Census.sol": { Census: ["evm.deployedBytecode.object"] } },
  },
})));
console.log(output.contracts["Census.sol"].Census.evm.deployedBytecode.object);
"""

KNOWN = {
    "royal flush": 4,
    "straight flush": 36,
    "four of a kind": 624,
    "full house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three of a kind": 54_912,
    "two pair": 123_552,
    "jacks or better": 337_920,
}


@pytest.fixture(scope="module")
def census() -> str:
    solc = TOOLS / "solc"
    assert solc.is_dir(), "the Solidity compiler is not installed: run tools/node-setup"
    done = subprocess.run(
        ["node", "-e", COMPILE, solc],
        input=json.dumps([(FOLDER / "Bank.sol").read_text("utf-8"), CENSUS]),
        capture_output=True,
        text=True,
        check=True,
    )
    return "0x" + done.stdout.strip()


# Both Banks rank by the library of the first one, whose bytes never change.
@pytest.mark.campaign
def test_all_hands_are_ranked_rightly_by_the_contract(census: str) -> None:
    with running_anvil("--hardfork", "prague", "--disable-block-gas-limit") as node:
        address = "0x" + "c5" * 20
        node.rpc("anvil_setCode", address, census)
        counted = node.rpc("eth_call", {"to": address, "gas": hex(2**48)}, "latest")
    data = bytes.fromhex(counted.removeprefix("0x"))
    found = [int.from_bytes(data[at : at + 32], "big") for at in range(0, 320, 32)]
    assert found[:0:-1] == list(KNOWN.values())
    assert sum(found) == comb(52, 5)
