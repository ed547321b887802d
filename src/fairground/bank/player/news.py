"""Facts that a Player's client reports while it plays, for a screen to put into words.

Each is a value. A screen explains the protocol with them, a log keeps them, a browser may show
them. None holds a secret: a seed of the Player appears here only after the Croupier has it.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import NamedTuple

from fairground.bank.bank_port import BankEvent, GameOutcome, Silence
from fairground.bank.messages import Bet
from fairground.core import FairgroundError


class Party(enum.Enum):
    """The three who take part."""

    PLAYER = "Player"
    CROUPIER = "Croupier"
    BANK = "Bank"


class Checked(NamedTuple):
    """The Player made sure of something, by themselves."""

    what: str
    found: str


class Sent(NamedTuple):
    """A message went from one party to another."""

    sender: Party
    receiver: Party
    what: str
    detail: str = ""


class BankRecorded(NamedTuple):
    """The Bank recorded something of the game of this bet."""

    event: BankEvent
    bet: Bet


class Waiting(NamedTuple):
    """Nothing can be done but wait for this, for ``seconds`` at the most."""

    party: Party
    """The party that has to act."""
    what: str
    seconds: int
    """0 if nobody knows."""


class Suspicion(NamedTuple):
    """A party breaks the protocol. The game goes on, by way of the Bank."""

    party: Party
    reason: str


class Complained(NamedTuple):
    """The Player brought a complaint to the Bank."""

    silence: Silence


class GameEnded(NamedTuple):
    """A game is over."""

    outcome: GameOutcome
    hand: tuple[int, ...]
    """The cards that were paid; empty if it did not come to that."""
    paid: int
    """Wei that came out of the game's locks into the Player's account."""
    stake: int
    """Wei that the Player had put in."""
    lapsed: bool = False
    """The Bank never took the bet, and now cannot take it any more."""


News = Checked | Sent | BankRecorded | Waiting | Suspicion | Complained | GameEnded
Tell = Callable[[News], None]


class Alarm(FairgroundError):
    """Something is false that must be true. Do not go on with this party."""

    code = "bank/alarm"
    exit = 1

    def __init__(self, party: Party, reason: str) -> None:
        super().__init__(f"ALARM, the {party.value} is at fault: {reason}")
        self.party = party
        self.reason = reason


class NoGame(FairgroundError):
    """No game came about. Nothing of the Player's is at risk but a bet already signed."""

    code = "bank/no-game"
    exit = 1


def in_chips(wei: int, chip_cost: int) -> str:
    """Money for people; what is less than a chip is not dropped."""
    whole, rest = divmod(wei, chip_cost)
    text = f"{whole:,} chip{'' if whole == 1 else 's'}"
    return f"{text} and {rest:,} wei" if rest else text
