"""The node ``anvil``, from npm (``tools/node-setup``), for as long as a test needs it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from fairground.bank.chain import Node

TOOLS = Path(__file__).parent.parent / "tools" / "node" / "node_modules"
ANVIL = TOOLS / ".bin" / "anvil"


@contextmanager
def running_anvil(*options: str) -> Iterator[Node]:
    """Start a node on a free port, and stop it in the end."""
    assert ANVIL.exists(), "the node anvil is not installed: run tools/node-setup"
    command = [str(ANVIL), "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = next(line for line in process.stdout if line.startswith("Listening on"))
            Thread(target=process.stdout.read, daemon=True).start()  # or it would fill up
            yield Node("http://" + line.removeprefix("Listening on").strip(), timeout=300)
        finally:
            process.terminate()
