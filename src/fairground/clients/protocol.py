"""Names that clients and the arena must spell alike: media types and headers."""

from __future__ import annotations

from typing import Final

JSON: Final = "application/json"
ACCEPT: Final = f"{JSON}, */*;q=0.5"
"""The ``Accept`` header of our clients."""
JSON_LINES: Final = "application/jsonl"
"""Transcripts, books and contest files."""
PROBLEM: Final = "application/problem+json"
"""Every refusal (RFC 9457)."""
EVENTS: Final = "text/event-stream"
CSV: Final = "text/csv"

RECEIPT: Final = "Fairground-Receipt"
"""The header with the hash of the last line that an answer stands for."""
IDEMPOTENCY_KEY: Final = "Idempotency-Key"
"""The header by which a client names a request that it may send again."""
REQUEST_ID: Final = "X-Request-Id"
"""The header with the name of a request, by which the arena's log knows it."""
CLOSE: Final = "Fairground-Close"
"""The header with the private address that closes a new contest early."""
