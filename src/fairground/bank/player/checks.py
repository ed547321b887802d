"""The Player's own view of a game: computed from the messages, compared with the Bank's.

No ports and no waiting here, only judgement: what the seeds deal, whether the Bank shows
just that, and whether a game ended as it had to. What is not so raises `Alarm`, which
names the party at fault.
"""

from __future__ import annotations

from collections.abc import Sequence

from fairground.bank.bank_port import (
    CROUPIER_OWES,
    SILENT_AT,
    BankEvent,
    BankGame,
    GameOutcome,
    Silence,
    Step,
    price_of_silence,
)
from fairground.bank.chain.artifact import NEWEST
from fairground.bank.crypto.curve import Signature
from fairground.bank.messages import Bet, Domain, Signer
from fairground.bank.player.news import Alarm, GameEnded, Party
from fairground.bank.player.notes import Note
from fairground.bank.record import CHAIRS, GameRecord, Messages
from fairground.bank.seeds import Seed, check_seed
from fairground.fair.schemes import Chair
from fairground.games.poker import DECK, HAND, hand_text


class KnownGame:
    """What the Player knows of one game for certain."""

    def __init__(
        self,
        domain: Domain,
        bet: Bet,
        signature: Signature,
        chairs: Sequence[Chair] = CHAIRS,
        *,
        version: int = NEWEST,
    ) -> None:
        self.record = GameRecord(domain, bet, signature, chairs, version=version)
        self._chairs, self._version = chairs, version
        self.his: list[Seed | None] = [None, None]
        """The Croupier's seeds, as far as they are known."""
        self._domain, self._bet, self._signature = domain, bet, signature

    @property
    def hand(self) -> tuple[int, ...]:
        """The cards dealt; empty before."""
        return self.record.hand

    @property
    def is_final(self) -> bool:
        """Whether the cards that will be paid are known."""
        return self.record.step == Step.HAND_FINAL

    @property
    def final(self) -> tuple[int, ...]:
        """The cards that will be paid; empty while they are not known."""
        return self.record.final_hand if self.is_final else ()

    def learn(self, seed_id: int, seed: Seed) -> bool:
        """Take a seed of the Croupier, once; raise unless it is what he committed to."""
        check_seed(self._domain, self._bet, Signer.CROUPIER, seed_id, seed)
        known = self.his[seed_id] is not None
        self.his[seed_id] = seed
        return not known

    def follow(self, note: Note) -> None:
        """Let the record have every message that is known and in its turn."""
        self.record.follow(self._known(note))

    def _known(self, note: Note) -> Messages:
        mine = [seed if note.told > seed_id else None for seed_id, seed in enumerate(note.seeds)]
        first, second = self.his
        return Messages(first, mine[0], note.order, note.order_signature, second, mine[1])

    def must_agree(self, state: BankGame) -> None:
        """Raise `Alarm` unless the Bank says what our own record says."""
        if state.step == Step.NONE:
            return
        if not state.is_of(self._bet):
            raise Alarm(Party.BANK, "under this number it has a bet that you did not sign")
        if state.step >= Step.ORDER_SUBMITTED and state.replaced != self.record.order:
            given = f"you gave {self.record.order}"
            raise Alarm(Party.BANK, f"it has the order {state.replaced}; {given}")
        if state.step < Step.HAND_DEALT:
            return
        if not self.hand:
            raise Alarm(Party.BANK, "it has dealt before both seeds were told")
        if state.step == Step.HAND_FINAL and not self.is_final:
            raise Alarm(Party.BANK, "it calls a hand final before both seeds were told")
        mine = self.final if state.step == Step.HAND_FINAL else self.hand
        if state.cards != mine:
            shown = f"it shows the hand {_cards(state.cards)}"
            raise Alarm(Party.BANK, f"{shown}; the seeds give {_cards(mine)}")

    def judge(self, state: BankGame, told: Sequence[BankEvent], now: int, note: Note) -> GameEnded:
        """How the game ended; raise `Alarm` unless it had to end so."""
        stake = self._bet.stake
        if state.outcome == GameOutcome.SETTLED:
            if state.step != Step.HAND_FINAL:
                raise Alarm(Party.BANK, "it settled a game whose final hand is not known")
            prize = _value(told, "GameSettled", "prize")
            mine = self.record.prize * self._bet.chip_cost
            if prize != mine:
                raise Alarm(Party.BANK, f"it paid {prize} wei for a hand worth {mine} wei")
            return GameEnded(GameOutcome.SETTLED, self.final, mine, stake)
        owed = SILENT_AT.get(Step(state.step))
        match GameOutcome(state.outcome):
            case GameOutcome.RELEASED:
                paid, right = stake, owed is Silence.FIRST_CROUPIER_SEED
            case GameOutcome.CROUPIER_FORFEITED:
                paid = _value(told, "CroupierForfeited", "penalty")
                price = price_of_silence(self._version, self._bet, state)
                right = owed in CROUPIER_OWES and paid == price
            case _:
                paid, right = 0, owed not in CROUPIER_OWES and now > state.deadline
        if not right or owed is None:
            outcome = GameOutcome(state.outcome).name.lower().replace("_", " ")
            after = Step(state.step).name.lower().replace("_", " ")
            raise Alarm(
                Party.BANK,
                f"it closed the game as {outcome} after {after}, paying you {paid} wei; by its own "
                f"rules, and with the deadline at {state.deadline}, it could not",
            )
        # Only the messages that the Bank took: so the Croupier's record is the same.
        self.record = GameRecord(
            self._domain, self._bet, self._signature, self._chairs, version=self._version
        )
        self.record.follow(self._known(note), state.step)
        self.record.silent(owed)
        return GameEnded(GameOutcome(state.outcome), (), paid, stake)


def seed_of(event: BankEvent) -> Seed:
    """The seed that an event of the Bank tells."""
    return Seed(event.values["nonce"], event.values["signature"])


def _value(told: Sequence[BankEvent], name: str, value: str) -> int:
    """A number in the Bank's last event of this name; 0 if there is none."""
    return next((int(event.values[value]) for event in reversed(told) if event.name == name), 0)


def _cards(cards: Sequence[int]) -> str:
    real = len(cards) == HAND and all(card < DECK for card in cards)
    return hand_text(cards) if real else str(list(cards))
