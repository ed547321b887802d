"""``fairground tutorial``: one fair roll, one attempt to cheat, and how it is found out.

Nothing is staged. The roll is dealt by the table that deals all games, and the forged record goes
to the same ``verify`` that judges all records.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from fairground.door.tables import new_table
from fairground.fair.schemes import Chair
from fairground.games.intransitive.rules import COMPUTER, USER, Die, Intransitive
from fairground.table import Table
from fairground.terminal.console import Arguments, Console, Ink
from fairground.transcript import canonical, line_hash
from fairground.verifier import Verdict, verify

DICE: Final = 3
FACES: Final = 6
LEAVE: Final = ("q", "quit", "x", "exit")


class _Enough(Exception):
    """The person wants to leave. Nothing is at stake."""


class Roll(NamedTuple):
    """A roll of a die that two made together, and the lines of the record that tell of it."""

    lines: list[bytes]
    ticket: int
    """Which line has the seal; the number of the person and the result follow."""
    mine: int
    yours: int
    result: int
    key: str


class Lesson:
    """Talks with one person, for two minutes."""

    def __init__(self, console: Console, art: Ink) -> None:
        self._console = console
        self._art = art

    def give(self) -> None:
        """From the first sentence to the last."""
        self._say("Two minutes on fair dice", "bold")
        self._say(
            "You and I are going to roll a die that neither of us can load. Then you may cheat, "
            "and I show you how that is found out. q leaves at any time."
        )
        roll = self._roll()
        self._cheat(roll)
        self._console.say()
        self._say(
            "That is all. Every game here keeps such a record, and fairground verify checks any "
            "of them, on any computer, without me. Now play: fairground"
        )

    # The roll

    def _roll(self) -> Roll:
        table = _table()
        ask = table.asks()[0]
        run = table.runs[-1]
        seal = run.ticket["hmac"]
        self._heading("1. I choose first, and seal my number")
        self._say(
            f"I have chosen a secret number from 0 to {FACES - 1}. Here is its fingerprint, made "
            "with a secret key. I cannot change my number any more: another one has another "
            "fingerprint."
        )
        self._say(seal, "dim", "  ")
        self._heading("2. You choose")
        typed = self._number(f"Your number, from 0 to {FACES - 1}: ", FACES)
        table.submit(ask, typed)
        lines = list(table.transcript.lines)
        at = run.step
        dealt = json.loads(lines[at + 2])
        mine, key = int(dealt["evidence"]["number"]), str(dealt["evidence"]["key"])
        result = (mine + typed) % FACES
        self._heading("3. I open my number")
        self._say(f"My number was {mine}. The key is")
        self._say(key, "dim", "  ")
        self._say(
            f"We add both: {mine} + {typed} = {mine + typed}. Counting goes round after "
            f"{FACES - 1}, so that gives {result}, and the die shows {result + 1}."
        )
        self._say(
            "I chose before I knew your number, and you chose before you knew mine. So neither of "
            "us could choose the die. You need not believe me. This prints the fingerprint again:"
        )
        self._console.say(f"  printf %s {mine} | openssl dgst -sha3-256 -hmac {key}")
        return Roll(lines, at, mine, typed, result, key)

    # The cheat

    def _cheat(self, roll: Roll) -> None:
        self._heading("4. Now cheat")
        self._say("All of this is in a record. These are its lines on our roll:")
        for line in roll.lines[roll.ticket : roll.ticket + 3]:
            self._say(line.decode().strip(), "dim", "  ")
        self._say("Which number do you forge? I mend all hashes behind it, so that they fit again.")
        self._console.say(f"  1 - my number, {roll.mine}")
        self._console.say(f"  2 - your number, {roll.yours}")
        self._console.say(f"  3 - the result, {roll.result}")
        what = self._number("Your choice: ", 4, least=1)
        old = (roll.mine, roll.yours, roll.result)[what - 1]
        while True:
            new = self._number(f"Instead of {old} it shall be: ", FACES)
            if new != old:
                break
            self._say(f"It is {old} already. Take another number.")
        verdict = forged(roll, what, new)
        fault = verdict.fault
        assert fault is not None
        self._heading("5. You are found out")
        self._say(f"fairground verify says: {verdict.judged.upper()}, in line {fault.line}.", "bad")
        self._say(f"{fault.reason}.", first="  ")
        self._say(
            (
                "With my sealed number changed, the fingerprint from the beginning does not fit.",
                "With your number changed, the sum does not give the result that was recorded.",
                "The sum of both numbers gives something else.",
            )[what - 1]
        )

    # Asking and saying

    def _number(self, prompt: str, below: int, least: int = 0) -> int:
        while True:
            typed = self._console.ask(prompt)
            if typed.lower() in LEAVE:
                raise _Enough
            if typed in [str(number) for number in range(least, below)]:
                return int(typed)
            self._say(f"Type a number from {least} to {below - 1}, not {typed!r}; q leaves.")

    def _heading(self, text: str) -> None:
        self._console.say()
        self._say(text, "bold")

    def _say(self, text: str, style: str = "", first: str = "") -> None:
        self._console.say(self._art.ink(self._art.fold(text, first), style))


def _table() -> Table:
    """A game of dice that has come to the person's roll: that is the one that counts here."""
    game = Intransitive([Die(tuple(range(1, FACES + 1)))] * DICE)
    chairs = [Chair("Computer", by="house"), Chair("You", lends="number")]
    table = new_table(game, chairs, "hmac-sha3-user/1")
    while table.state.rolls[COMPUTER] is None:
        ask = table.asks()[0]
        moves = game.moves(table.state, ask.seat) if ask.kind == "move" else [0]
        table.submit(ask, next(iter(moves)))
    assert table.asks()[0].seat == USER
    return table


def forged(roll: Roll, what: int, new: int) -> Verdict:
    """Return the verdict on a record with one number changed and all later hashes recomputed."""
    events: list[Any] = [json.loads(line) for line in roll.lines]
    dealt = events[roll.ticket + 2]
    if what == 1:
        dealt["evidence"]["number"] = new
    elif what == 2:
        events[roll.ticket + 1]["value"] = new
    else:
        dealt["draws"][0][1] = new
    lines = roll.lines[: roll.ticket]
    for event in events[roll.ticket :]:
        lines.append(canonical(event | {"prev": line_hash(lines[-1])}) + b"\n")
    return verify(b"".join(lines))


def run(arguments: Sequence[str]) -> int:
    """``fairground tutorial``"""
    Arguments(
        "tutorial",
        "Two minutes on fair dice: you roll one with the computer, try to cheat, and see how\n"
        "that is found out.",
        "Example:\n  fairground tutorial",
    ).parse_args(arguments)
    console, art = Console(), Ink.of_terminal()
    try:
        Lesson(console, art).give()
    except _Enough:
        console.say("Come back when you like: fairground tutorial")
    return 0
