"""The end of every game: its record is checked at once, and what it proves is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fairground.table import Table
from fairground.terminal.console import Console
from fairground.terminal.ink import Ink
from fairground.terminal.saving import Saved
from fairground.verify import verify

Missing = Callable[[set[str]], str | None]
"""What a player might think was proven and was not, given the names of the claims that were."""


def say_what_is_proven(
    console: Console,
    art: Ink,
    table: Table,
    saved: Saved | None,
    missing: Missing,
    *,
    names: Sequence[str] | None = None,
) -> bool:
    """Say what the record proves, and where it is; whether it holds.

    ``names`` are what seats are called in claims; without them a claim has its seat's number.
    """
    verdict = verify(bytes(table.transcript))
    console.say()
    if verdict.ok:
        console.say(art.fold(f"Checked: the record of {verdict.events} events holds. It proves:"))
        claims = []
        for claim in verdict.claims:
            whose = names and claim.seat is not None and f"{claim.name} for {names[claim.seat]}"
            claims.append(f"{whose or claim}: {claim.condition}")
        for text in claims or ["nothing beyond that it replays"]:
            console.say(art.fold(text, "* ", "  "))
        if lack := missing({claim.name for claim in verdict.claims}):
            console.say(art.fold(lack))
    else:
        assert verdict.fault is not None
        reason = f"The record of this game DOES NOT HOLD: {verdict.fault.reason}"
        console.say(art.ink(art.fold(reason), "bad"))
    if saved is not None and saved.path is not None:
        console.say(f"Check it yourself:\n  fairground verify {saved.quoted_path}")
    else:
        console.say("No transcript was kept.")
    return verdict.ok
