"""The end of every game: its record is checked at once, and what it proves is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from fairground.shown import named
from fairground.terminal.console import Console
from fairground.terminal.ink import Ink
from fairground.terminal.keys import can_read_keys
from fairground.terminal.saving import Saved

if TYPE_CHECKING:
    from fairground.terminal.evening.tables import OpenTable
    from fairground.verify import Claim, Verdict

Missing = Callable[[set[str]], str | None]
"""What a player might think was proven and was not, given the names of the claims that were."""

PRACTICE_PROVES: Final = (
    "This was practice: all chance came from a seed that was known before. The record proves "
    "nothing about chance."
)


def claim_heading(claim: Claim) -> str:
    """``UNIFORM for Ann``"""
    return claim.name if claim.who is None else f"{claim.name} for {named(claim.who)}"


def say_what_is_proven(console: Console, art: Ink, opened: OpenTable, missing: Missing) -> bool:
    """Check a record at once, and say what came of it; whether it is valid.

    A game that stopped in the middle has no verdict yet: it is said how it goes on.
    """
    if opened.lasting:
        console.say(art.fold("\nThe game is kept, unfinished. Go on with it:").lstrip())
        console.say("  fairground resume")
        return True
    from fairground.verify import verify  # not before the first prompt

    verdict = verify(bytes(opened.table.transcript))
    if opened.practice and verdict.ok:
        console.say()
        console.say(art.fold(PRACTICE_PROVES))
    if verdict.ok and is_told_briefly(opened):
        console.say()
        console.say(art.fold(f"Checked: the record of {verdict.events} lines is valid."))
        if lack := missing({claim.name for claim in verdict.claims}):
            console.say(art.fold(lack))
        return True
    return say_the_verdict(console, art, verdict, opened.saved, missing)


def is_told_briefly(opened: OpenTable) -> bool:
    """Whether one line is enough: on a terminal more would push the result off the screen."""
    return opened.saved.path is not None and can_read_keys()


def say_the_verdict(
    console: Console, art: Ink, verdict: Verdict, saved: Saved | None, missing: Missing
) -> bool:
    """Say what a record proves, and where it is; whether it is valid."""
    console.say()
    if verdict.ok:
        console.say(art.fold(f"Checked: the record of {verdict.events} lines is valid. It proves:"))
        for claim in verdict.claims:
            console.say(art.fold(f"{claim_heading(claim)}: {claim.sentence}", "* ", "  "))
        if not verdict.claims:
            console.say(art.fold("only that the recorded moves follow the rules", "* ", "  "))
        if lack := missing({claim.name for claim in verdict.claims}):
            console.say(art.fold(lack))
    else:
        assert verdict.fault is not None
        reason = f"The record of this game is {verdict.judged.upper()}: {verdict.fault.reason}"
        console.say(art.ink(art.fold(reason), "bad"))
    if saved is not None and saved.path is not None:
        console.say(f"Check it yourself:\n  fairground verify {saved.quoted_path}")
    else:
        console.say("No transcript was kept.")
    return verdict.ok
