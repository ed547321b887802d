"""What came of a game at the terminal: what was printed, and what the transcript says."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from fairground.verifier import Verdict, verify


class Told(NamedTuple):
    """The exit code, both outputs, and the transcript (empty if none was kept)."""

    code: int
    out: str
    err: str
    transcript: bytes

    @property
    def verdict(self) -> Verdict:
        return verify(self.transcript)

    @property
    def claims(self) -> list[str]:
        """What is proven, in the order in which it is stated."""
        assert self.verdict.ok, self.verdict.fault
        return [str(claim) for claim in self.verdict.claims]

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.transcript.splitlines()]

    @property
    def moves(self) -> list[Any]:
        return [event["move"] for event in self.events if event["kind"] == "move"]

    @property
    def notes(self) -> list[dict[str, Any]]:
        return [event["body"] for event in self.events if event["kind"] == "note"]
