"""A transport that sends together what is written together.

An answer is written in two pieces, its head and its body, and each piece would be a call of the
operating system and a packet of its own. Here the pieces wait until the loop comes round.
"""

from __future__ import annotations

import asyncio
from typing import Any


class Joined:
    """Around a transport."""

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._held: list[bytes] = []
        self.is_closing = transport.is_closing
        self._soon = asyncio.get_running_loop().call_soon

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send this with all that is written before the loop comes round."""
        if not self._held:
            self._soon(self._send)
        self._held.append(data)

    def _send(self) -> None:
        if self._held:
            held, self._held = self._held, []
            self._transport.write(held[0] if len(held) == 1 else b"".join(held))

    def close(self) -> None:
        """Send what is held, and then close."""
        self._send()
        self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._held = []
        self._transport.abort()
