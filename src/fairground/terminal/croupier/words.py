"""What the Blind Croupier's screen says: the protocol step by step, the rules, the ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from fairground.bank.bank_port import BankEvent, GameOutcome, Silence
from fairground.bank.messages import Bet
from fairground.bank.player.news import (
    BankRecorded,
    Checked,
    Complained,
    GameEnded,
    News,
    Sent,
    Suspicion,
    Waiting,
    in_chips,
)
from fairground.bank.seeds import unpacked_hand, unpacked_order
from fairground.games.poker import HAND, Card
from fairground.solve.poker.holds import holds
from fairground.terminal.croupier.look import CardArt
from fairground.terminal.phrases import decimal

RULES: Final = (
    "You stake bet x level chips. Five cards are dealt; hold those that you like, once, and the "
    "others are replaced. The final hand pays by the table: a pair of jacks or better at the "
    "least. What it pays includes your stake.",
    "Nobody chooses a card. Before the first is dealt, you and the Croupier have each committed "
    "to two seeds, in a bet that you signed; the deal is made of both first seeds, the "
    "replacements are made of both second ones. Your program checks each, and the Bank does, too.",
    "If the Croupier falls silent, your program complains to the Bank when his time is up: before "
    "the deal you get your stake back and one more, after your order more than the cards that "
    "did not come were worth. If you fall silent, your stake is lost.",
)
HOLD_KEYS: Final = (
    "1 to 5 hold a card or let it go, Enter draws, b tells the best hold, p the pay table, q quits."
)
HOLD_LINE: Final = (
    "Type the numbers of the cards that you hold, such as 13, and Enter; nothing holds none, "
    "12345 all. b tells the best hold, p the pay table, q quits."
)
BETWEEN: Final = (
    "Enter deals. bet N (1 to 10) and level N (1 to 5) change the stake; p shows the pay table, "
    "q quits."
)

COMPLAINTS: Final = {
    Silence.FIRST_CROUPIER_SEED: "you complained: he did not show seed 0, so you get your stake",
    Silence.SECOND_CROUPIER_SEED: "you complained: he did not show seed 1, so he pays for it",
}

LONGEST_HEX: Final = 24


def best_hold(art: CardArt, hand: Sequence[Card], level: int) -> Iterator[str]:
    """What to hold, and what comes next."""
    best, second = holds(hand, level)[:2]
    kept = art.cards(best.kept(hand)) or "nothing"
    value = f"{decimal(best.value, 4)} stakes expected, exactly {best.value}"
    yield f"The best is to hold {kept}: {value}."
    kept = art.cards(second.kept(hand)) or "nothing"
    yield f"Next best: hold {kept}, {decimal(second.value, 4)}."


def minutes(seconds: int) -> str:
    """A time as people say it."""
    if seconds < 120:
        return f"{seconds} second{'' if seconds == 1 else 's'}"
    return f"{seconds // 60} minutes"


def short(text: str) -> str:
    """Long hex digits by their beginning."""
    return " ".join(
        f"{word[:16]}..." if len(word) > LONGEST_HEX and _is_hex(word) else word
        for word in text.split()
    )


def _is_hex(word: str) -> bool:
    return all(digit in "0123456789abcdef" for digit in word.removeprefix("0x").lower())


class NewsWords:
    """News in words, for a Bank whose chip costs so much."""

    def __init__(self, art: CardArt, chip_cost: int) -> None:
        self._art = art
        self._chip_cost = chip_cost

    def chips(self, wei: int) -> str:
        """Money in chips."""
        return in_chips(wei, self._chip_cost)

    def explained(self, news: News) -> str:
        """A step of the protocol, for who wants to see each."""
        match news:
            case Checked(what, found):
                return f"Player checks {what}: {short(found)}"
            case Sent(sender, receiver, what, detail):
                more = f": {short(detail)}" if detail else ""
                return f"{sender.value} {self._arrow} {receiver.value}: {what}{more}"
            case BankRecorded(event, bet):
                return f"Bank records {event.name}: {self._recorded(event, bet)}"
            case _:
                return self.told(news)

    def told(self, news: News) -> str:
        """What everybody must hear of; nothing for the rest."""
        match news:
            case Waiting(_, what, seconds):
                most = f", at most {minutes(seconds)}" if seconds > 0 else ""
                return f"Waiting for {what}{most}."
            case Suspicion(party, reason):
                return f"Beware of the {party.value}: {reason}."
            case Complained(silence):
                return f"The Croupier is silent: {COMPLAINTS[silence]}."
            case GameEnded(outcome) if outcome != GameOutcome.SETTLED:
                return self._ended(news)
            case _:
                return ""

    @property
    def _arrow(self) -> str:
        return "->" if self._art.ascii_only else "→"

    def _recorded(self, event: BankEvent, bet: Bet) -> str:
        values: dict[str, Any] = event.values
        match event.name:
            case "BetSubmitted":
                stake, top = self.chips(bet.stake), self.chips(bet.top_prize)
                return f"it locks your stake, {stake}, and the top prize, {top}"
            case "CroupierSeedSubmitted" if values["seedId"] == 0:
                return "his seed 0 fits; the stake is his, the prize stays locked"
            case "CroupierSeedSubmitted":
                return "his seed 1 fits"
            case "PlayerSeedSubmitted":
                hand = self._art.cards(unpacked_hand(values["hand"]))
                return f"your seed {values['seedId']} fits; both give {hand}"
            case "ReplacementOrderSubmitted":
                order = ",".join(map(str, unpacked_order(values["order"])))
                return f"your order {order} (1 replaces)"
            case "GameSettled":
                paid = self.chips(values["prize"])
                return f"{paid} to you, the rest of the lock to the Croupier"
            case "CroupierForfeited":
                return f"{self.chips(values['penalty'])} to you"
            case _:
                return "the game is over"

    def _ended(self, ended: GameEnded) -> str:
        if ended.lapsed:
            return "The Croupier did not bring the bet to the Bank in time. Nothing was staked."
        match ended.outcome:
            case GameOutcome.RELEASED:
                return f"The game is off: your stake of {self.chips(ended.stake)} is back."
            case GameOutcome.CROUPIER_FORFEITED:
                return f"The Croupier forfeits, and the Bank pays you {self.chips(ended.paid)}."
            case _:
                return f"You were silent too long: your stake of {self.chips(ended.stake)} is lost."


def parse_hold(text: str) -> frozenset[int] | None:
    """The places, from 0, of cards such as ``13`` or ``1 3``; ``None`` if it is not that.

    A card that is named twice may be a slip, so it is not taken.
    """
    digits = text.replace(" ", "").replace(",", "")
    places = {digit: place for place, digit in enumerate("12345"[:HAND])}
    if any(digit not in places for digit in digits) or len(set(digits)) < len(digits):
        return None
    return frozenset(places[digit] for digit in digits)


def number_behind(text: str, word: str, allowed: range) -> int | None:
    """The N of ``bet N``, also written ``bN``; ``None`` if it is not that, or out of range."""
    rest = text.removeprefix(word) if text.startswith(word) else text.removeprefix(word[0])
    rest = rest.strip()
    if not rest.isascii() or not rest.isdigit() or len(rest) > 2 or int(rest) not in allowed:
        return None
    return int(rest)
