"""Words for video poker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from fairground.core import IllegalMove, InputError, Move, Seat
from fairground.games.poker.rules import (
    CROUPIER,
    HAND,
    PAYS,
    PLAYER,
    Poker,
    Rank,
    State,
    card_text,
    hand_text,
    parse_card,
    rank,
)
from fairground.words.plain import PlainWords, count

NOTHING: Final = ("nothing", "none", "0")
ALL: Final = ("all", "all five")
PLACES: Final = {str(place + 1): place for place in range(HAND)}


class PokerWords(PlainWords[Poker]):
    """Five cards, and one exchange."""

    rules = (
        "You put in your stake and get five cards. You say which of them to hold. The others are "
        "replaced once. The final hand pays by its rank.\n"
        "The least hand that pays is a pair of jacks, queens, kings or aces. Two pair, three of a "
        "kind, a straight, a flush, a full house, four of a kind, a straight flush and a royal "
        "flush pay more and more."
    )
    looks: ClassVar[Mapping[str, str]] = {
        "dealt": "card",
        "fresh": "card",
    }

    def parameters(self) -> list[str]:
        game = self.game
        prizes = [
            f"{kind.words} {game.bet * PAYS[game.level][kind]}"
            for kind in sorted(Rank, reverse=True)
            if kind
        ]
        return [
            f"The stake is {count(game.stake, 'chip')}: bet {game.bet}, level {game.level}.",
            f"Prizes in chips: {', '.join(prizes)}.",
        ]

    def state(self, view: State) -> list[str]:
        if not view.dealt:
            return ["No card is dealt."]
        cards = [
            f"{place} {'--' if card is None else card_text(card)}"
            for place, card in enumerate(view.hand, 1)
        ]
        whose = "Your" if self.reader == PLAYER else "The"
        lines = [f"{whose} cards: {', '.join(cards)}."]
        whole = [card for card in view.hand if card is not None]
        if len(whole) == HAND:
            lines.append(f"That is {_what(rank(whole))}.")
        return lines

    def question(self, view: State, seat: Seat) -> str:
        return self.to(seat, "Which cards do you hold?")

    def menu(self, view: State, seat: Seat) -> list[Move] | None:
        return None

    def example(self, view: State, seat: Seat) -> str:
        return "Type the places of the cards to hold, such as 1 3, or: nothing, or: all."

    def option(self, view: State, seat: Seat, move: Move) -> str:
        held = _held(view, move)
        if len(held) == HAND:
            return "hold all"
        return f"hold {hand_text(held) if held else 'nothing'}"

    def read(self, view: State, seat: Seat, text: str) -> Move:
        """Places such as ``13`` or ``1 3``; cards such as ``5d 7d``; ``nothing``; ``all``."""
        typed = text.strip().lower().removeprefix("hold").strip()
        if typed in NOTHING:
            kept: set[int] = set()
        elif typed in ALL:
            kept = set(range(HAND))
        else:
            kept = _places(view, typed)
        move = tuple(0 if place in kept else 1 for place in range(HAND))
        self.game.check(view, seat, move)
        return move

    def move(self, view: State, seat: Seat, move: Move) -> str:
        held = _held(view, move)
        if len(held) == HAND:
            return f"{self.does(seat, 'hold')} all five cards."
        if not held:
            return f"{self.does(seat, 'replace')} all five cards."
        replaced = count(HAND - len(held), "card")
        third = "replace" if seat == self.reader else "replaces"
        return f"{self.does(seat, 'hold')} {hand_text(held)} and {third} {replaced}."

    def drawn(self, before: State, after: State, n: int, value: int | None) -> str | None:
        if len(before.dealt) < HAND:
            done = len(after.dealt) == HAND
            return f"The cards are dealt: {hand_text(after.dealt)}." if done else None
        assert after.order is not None
        if len(after.fresh) < sum(after.order):
            return None
        new = "new card is" if len(after.fresh) == 1 else "new cards are"
        return f"The {new} {hand_text(after.fresh)}."

    def over(self, view: State, payoff: Sequence[int]) -> str:
        if view.order is None or None in view.hand:
            return self._settled(payoff)
        hand = self.game.final_hand(view)
        prize = self.game.prize(hand)
        if not prize:
            return f"{hand_text(hand)} pays nothing. {self._settled(payoff)}"
        kind, chips = rank(hand).words, count(prize, "chip")
        return f"{hand_text(hand)}: {kind} pays {chips}. {self._settled(payoff)}"

    def _settled(self, payoff: Sequence[int]) -> str:
        """By the player's eyes; by the croupier's own if the croupier reads."""
        seat = CROUPIER if self.reader == CROUPIER else PLAYER
        won = payoff[seat]
        if won > 0:
            return f"{self.does(seat, 'win')} {count(won, 'chip')}."
        if won < 0:
            return f"{self.does(seat, 'lose')} {count(-won, 'chip')}."
        return f"{self.does(seat, 'break')} even."


def _what(kind: Rank) -> str:
    """Return a rank as part of a sentence."""
    if kind is Rank.NOTHING:
        return "nothing that pays"
    single = (Rank.STRAIGHT, Rank.FLUSH, Rank.FULL_HOUSE, Rank.STRAIGHT_FLUSH, Rank.ROYAL_FLUSH)
    return f"a {kind.words}" if kind in single else kind.words


def _held(view: State, move: Move) -> list[int]:
    assert isinstance(move, tuple)
    return [card for card, replace in zip(view.dealt, move, strict=True) if not replace]


def _places(view: State, typed: str) -> set[int]:
    """Return the places that were typed, or of the cards that were typed; each once."""
    signs = typed.replace(",", " ").split()
    if signs and all(sign in PLACES for sign in "".join(signs)):
        places = [PLACES[sign] for sign in "".join(signs)]
    else:
        try:
            cards = [parse_card(sign) for sign in signs]
        except InputError:
            cards = []
        if not cards or any(card not in view.dealt for card in cards):
            raise IllegalMove(
                f"type the places of the cards to hold, such as 1 3, or: nothing; not {typed!r}"
            )
        places = [view.dealt.index(card) for card in cards]
    if len(set(places)) < len(places):
        raise IllegalMove(f"a card is named twice in {typed!r}")
    return set(places)
