"""Bodies that are read in front of the application, and can be received again behind it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from fairground.arena.limits.gate import Receive

LARGEST: Final = 100_000
"""Bytes of a body. A larger one is refused by the routes."""


async def whole_body(receive: Receive) -> tuple[bytes | None, Receive]:
    """The body, and a way to receive it again, once; ``None``: it is too large, or broke off."""
    messages = [await receive()]
    size = len(messages[0].get("body", b""))
    while messages[-1].get("more_body") and size <= LARGEST:
        messages.append(await receive())
        size += len(messages[-1].get("body", b""))
    whole = size <= LARGEST and messages[-1]["type"] == "http.request"
    body = b"".join(message.get("body", b"") for message in messages) if whole else None
    return body, again(messages, receive)


def again(messages: Iterable[Any], receive: Receive) -> Receive:
    """A request of which these messages were read already."""
    waiting = iter(messages)

    async def received_again() -> Any:
        message = next(waiting, None)
        return await receive() if message is None else message

    return received_again
