"""The node ``anvil``, from npm (``tools/node-setup``), for as long as a test needs it."""

from __future__ import annotations

import subprocess
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import Thread

from fairground.bank.chain.bank import ChainBank, deploy
from fairground.bank.chain.node import ChainNode
from fairground.bank.messages import Key
from tests.helpers.places import ROOT

TOOLS = ROOT / "tools" / "node" / "node_modules"
"""Where npm put it; the program itself, and not npm's script, so that it can be killed."""

DEADLINE = 60.0


class Anvil:
    """A node that can be killed, and started again at the same address."""

    def __init__(self, *options: str) -> None:
        found = list((TOOLS / "@foundry-rs").glob("anvil-*/bin/anvil"))
        assert found, "the node anvil is not installed: run tools/node-setup"
        self._program = str(found[0])
        self._process: subprocess.Popen[str] | None = None
        self.port = "0"
        self.start(*options)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, *options: str) -> None:
        """Start it, at its old port if it had one."""
        command = [self._program, "--port", self.port, *options]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        line = next(line for line in self._process.stdout if line.startswith("Listening on"))
        self._reader = Thread(target=self._process.stdout.read, daemon=True)  # or it would fill up
        self._reader.start()
        self.port = line.strip().rpartition(":")[2]

    def kill(self) -> None:
        """End it at once, with nothing saved."""
        if self._process is not None and self._process.stdout is not None:
            self._process.kill()
            self._process.wait()
            self._reader.join()
            self._process.stdout.close()
            self._process = None

    def node(self) -> ChainNode:
        return ChainNode(self.url, timeout=300)


@contextmanager
def anvil(*options: str) -> Iterator[Anvil]:
    """Start a node on a free port, and end it in the end."""
    node = Anvil(*options)
    try:
        yield node
    finally:
        node.kill()


@contextmanager
def running_anvil(*options: str) -> Iterator[ChainNode]:
    """The same, as a `ChainNode` that is asked."""
    with anvil(*options) as node:
        yield node.node()


async def open_bank(
    purses: Mapping[str, int], *, chip_cost: int = 10**15, step_time: int = 3600
) -> ChainBank:
    """Open a new Bank on a new chain, which ends with it.

    ``purses`` has the wei of each address. Both parties are in this process.
    """
    running, maker = Anvil("--base-fee", "0"), Key.fresh()
    node = running.node()
    for address, wei in {**purses, maker.address: 10**20}.items():
        node.rpc("anvil_setBalance", address, hex(wei))
    bank = await ChainBank.open(node, await deploy(node, maker, chip_cost, step_time))
    weakref.finalize(bank, running.kill)
    bank.in_process = True
    return bank


def travel(node: ChainNode, seconds: int) -> None:
    """Let time pass at once: a block comes this long after the last one."""
    node.rpc("evm_setNextBlockTimestamp", node.now() + seconds)
    node.rpc("evm_mine")


def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "it did not come to be"
        time.sleep(0.01)
