"""Video poker, the game of Blind Croupier: 9/6 Jacks or Better.

The player stakes ``bet * level`` chips. Five cards are dealt; the player says which
of them to replace, once; the final hand pays by the table below. The house is the
croupier, who has no moves: he only lends chance, and pays.

A card is a number, its place in the deck's canonical order: ``suit * 13 + rank``, suits
♡♢♧♤ and ranks 2..A each counted from 0. Nothing is shuffled: a draw of ``n`` is an index
into the ``n`` cards that have not been seen, in canonical order, so no deck order lies in
the state as a secret.

::

    deal five ──> the player's order ──> deal one for each replaced ──> over
                        └──────────── nothing to replace ────────────────^

An order is five digits, as in the source document: 1 replaces the card in that place and
0 keeps it. Replacements fall into the empty places from left to right.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple, Self, TypeAlias, cast

from fairground.core import (
    Awaits,
    BadParams,
    Draw,
    Game,
    IllegalMove,
    InputError,
    Move,
    Over,
    Parameter,
    Params,
    Role,
    Seat,
    Turn,
    between,
    must_be_below,
    must_be_in_range,
    must_be_in_turn,
)

CROUPIER: Final = 0
PLAYER: Final = 1

PLAYERS_TURN: Final = Turn((PLAYER,))

SUITS: Final = "♡♢♧♤"
RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
KINDS: Final = len(RANKS)
DECK: Final = len(SUITS) * KINDS
HAND: Final = 5
EXAMPLE: Final = "5♢ 7♢ 9♧ 10♧ 7♡ (or 5d 7d 9c Tc 7h)"

TEN: Final = RANKS.index("10")
JACK: Final = RANKS.index("J")
ACE: Final = RANKS.index("A")
FIVE: Final = RANKS.index("5")
"""Five different ranks with a five below an ace are 2-3-4-5-A: the straight in which the
ace is low."""

BETS: Final = range(1, 11)
LEVELS: Final = range(1, 6)

PENALTY: Final = 30
"""Price of leaving under ``bank-poker/1`` between the first card and an order, in stakes: more than
any draw is worth (at most 25: four of a kind, and a card to replace)."""

SILENCE: Final = {2: 5, 3: 2, 4: 1, 5: 1}
"""Price of silence after an order under ``bank-poker/1``, in stakes, by the cards replaced.
It is more than any such draw is worth (4.31, 1.55, 0.50, 0.40), and little for whoever silences
him. For one card it is computed (`silence_price`): such a draw can be worth 25 stakes."""

Card: TypeAlias = int
Order: TypeAlias = tuple[int, ...]


class Rank(enum.IntEnum):
    """The ranks of a hand, from the lowest to the highest."""

    NOTHING = 0
    JACKS_OR_BETTER = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9

    @property
    def words(self) -> str:
        """The rank in words, such as "two pair"."""
        return self.name.lower().replace("_", " ")


NOTHING, JACKS_OR_BETTER, TWO_PAIR, THREE_OF_A_KIND, STRAIGHT = list(Rank)[:5]
FLUSH, FULL_HOUSE, FOUR_OF_A_KIND, STRAIGHT_FLUSH, ROYAL_FLUSH = list(Rank)[5:]

_EACH: Final = (0, 1, 2, 3, 4, 6, 9, 25, 50)
"""The prize of each rank below the royal flush on level 1."""

_ROYAL: Final = {1: 250, 2: 500, 3: 750, 4: 1000, 5: 4000}

PAYS: Final[dict[int, tuple[int, ...]]] = {
    level: (*(level * prize for prize in _EACH), _ROYAL[level]) for level in LEVELS
}
"""The pay table: level → rank → prize in chips, for a bet of 1."""


_BITS: Final = tuple(1 << card % KINDS | 1 << KINDS + card // KINDS for card in range(DECK))
"""Card → a bit for its rank, and above those a bit for its suit."""

_ALL_RANKS: Final = (1 << KINDS) - 1
_ONE_SUIT: Final = frozenset(1 << suit for suit in range(len(SUITS)))
_ROYAL_RANKS: Final = 0b11111 << TEN
_WHEEL: Final = 0b1111 | 1 << ACE
_STRAIGHTS: Final = frozenset({_WHEEL, *(0b11111 << low for low in range(TEN + 1))})


def rank(hand: Sequence[Card]) -> Rank:
    """Return the rank of five different cards: the one place that decides it in Python.

    The bits of all cards together tell how many different ranks there are: five, or four with a
    pair, or three with two pair or three of a kind, or two. A rank that stands twice has no bit
    among those that stand an odd number of times.
    """
    p, q, r, s, t = hand
    bits = _BITS[p] | _BITS[q] | _BITS[r] | _BITS[s] | _BITS[t]
    ranks = bits & _ALL_RANKS
    different = ranks.bit_count()
    if different == HAND:
        flush = bits >> KINDS in _ONE_SUIT
        if ranks not in _STRAIGHTS:
            return FLUSH if flush else NOTHING
        if not flush:
            return STRAIGHT
        return ROYAL_FLUSH if ranks == _ROYAL_RANKS else STRAIGHT_FLUSH
    odd = (_BITS[p] ^ _BITS[q] ^ _BITS[r] ^ _BITS[s] ^ _BITS[t]) & _ALL_RANKS
    if different == 4:
        return JACKS_OR_BETTER if ranks ^ odd >= 1 << JACK else NOTHING
    if different == 3:
        return THREE_OF_A_KIND if odd == ranks else TWO_PAIR
    alike = [card % KINDS for card in hand].count(p % KINDS)
    return FOUR_OF_A_KIND if alike in (1, 4) else FULL_HOUSE


def silence_price(bet: int, level: int, hand: Sequence[Card], order: Sequence[int]) -> int:
    """Return the price of a croupier's silence after this order in ``bank-poker/1``, in chips.

    For one card: what the draw is worth on average over the 47 cards that can come, rounded up
    to a chip, and a stake.
    """
    replaced = sum(order)
    if replaced != 1:
        return SILENCE[replaced] * bet * level
    place = tuple(order).index(1)
    unseen = [card for card in range(DECK) if card not in hand]
    total = sum(PAYS[level][rank((*hand[:place], card, *hand[place + 1 :]))] for card in unseen)
    return -(-bet * total // len(unseen)) + bet * level


# Cards as people write them

_SUIT_SIGNS: Final = {
    sign: suit for suit, signs in enumerate(("♡♥hH", "♢♦dD", "♧♣cC", "♤♠sS")) for sign in signs
}
_RANK_SIGNS: Final = {**{name: rank for rank, name in enumerate(RANKS)}, "T": TEN}
_EMOJI_MARKS: Final = re.compile("[\ufe0e\ufe0f]")
"""Signs that only ask for a picture (or no picture) of the suit before them."""


def card_text(card: Card) -> str:
    """A card in signs: ``10♧``."""
    return RANKS[card % KINDS] + SUITS[card // KINDS]


def hand_text(cards: Iterable[Card]) -> str:
    """Cards in signs, blanks between them: ``5♢ 7♢ 9♧ 10♧ 7♡``."""
    return " ".join(map(card_text, cards))


def parse_card(text: str) -> Card:
    """Read one card: ``10♧``, ``T♣``, ``Tc`` and ``10c`` are all the ten of clubs."""
    plain = _EMOJI_MARKS.sub("", text)
    rank = _RANK_SIGNS.get(plain[:-1].upper())
    suit = _SUIT_SIGNS.get(plain[-1:])
    if rank is None or suit is None:
        raise InputError(
            f"{text!r} is not a card: write a rank (2-10, T, J, Q, K, A) and a suit "
            f"({' '.join(SUITS)} or h d c s), such as {EXAMPLE}"
        )
    return suit * KINDS + rank


def parse_hand(text: str) -> tuple[Card, ...]:
    """Read five different cards, with blanks or commas between them."""
    words = text.replace(",", " ").split()
    cards: list[Card] = []
    for word in words:
        card = parse_card(word)
        if card in cards:
            twice = f"{card_text(card)} is there twice in {text!r}"
            raise InputError(f"{twice}: a hand is {HAND} different cards, such as {EXAMPLE}")
        cards.append(card)
    if len(cards) != HAND:
        raise InputError(f"a hand is {HAND} cards, such as {EXAMPLE}; {text!r} has {len(cards)}")
    return tuple(cards)


# The game


class State(NamedTuple):
    """The cards in the order of their places; nothing is secret."""

    dealt: tuple[Card, ...] = ()
    """The first five, left to right."""
    order: Order | None = None
    """Which of them to replace, once the player has said so."""
    fresh: tuple[Card, ...] = ()
    """The replacements so far, in the order of the places that they fill."""

    @property
    def hand(self) -> tuple[Card | None, ...]:
        """The cards on the table, place by place; ``None`` for a card yet to come."""
        fresh = iter(self.fresh)
        order = self.order or (0,) * len(self.dealt)
        return tuple(
            next(fresh, None) if replace else card
            for card, replace in zip(self.dealt, order, strict=True)
        )

    def unseen(self, index: int) -> Card:
        """The card at this place of the deck that is left, which lies in canonical order."""
        card = index
        for seen in sorted((*self.dealt, *self.fresh)):
            card += seen <= card  # a card that is gone moves all behind it up by one
        return card


class Poker(Game[State]):
    """The rules. The player's one move is the order; payoffs are in chips."""

    name = "poker/2"
    seats = 2
    roles = (Role("croupier"), Role("player"))
    parameters = (
        Parameter("bet", "how much a chip of the level counts", between(1, BETS[-1]), 1),
        Parameter("level", "how many chips are put in at once", between(1, LEVELS[-1]), 5),
    )

    def __init__(self, bet: int = 1, level: int = 5) -> None:
        for what, value, allowed in (("bet", bet, BETS), ("level", level, LEVELS)):
            if type(value) is not int or value not in allowed:
                raise BadParams(f"{what} must be an integer in 1..{allowed[-1]}, not {value!r}")
        self.bet = bet
        self.level = level

    @classmethod
    def from_params(cls, params: Params) -> Self:
        given = cls.with_defaults(params)
        return cls(given["bet"], given["level"])

    def params(self) -> dict[str, Any]:
        return {"bet": self.bet, "level": self.level}

    @property
    def stake(self) -> int:
        return self.bet * self.level

    def prize(self, hand: Sequence[Card]) -> int:
        """Return the prize of a hand, in chips. The stake is not given back on top of it."""
        return self.bet * PAYS[self.level][rank(hand)]

    def start(self) -> State:
        return State()

    def awaits(self, s: State) -> Awaits:
        """Five cards; the order; as many cards as it replaces."""
        if len(s.dealt) < HAND:
            return Draw(DECK - len(s.dealt))
        if s.order is None:
            return PLAYERS_TURN
        if len(s.fresh) < sum(s.order):
            return Draw(DECK - HAND - len(s.fresh))
        return Over(self._settled(self.prize(self.final_hand(s))))

    def final_hand(self, s: State) -> tuple[Card, ...]:
        """The five cards that are paid; refused while some are yet to come."""
        cards = tuple(card for card in s.hand if card is not None)
        if s.order is None or len(cards) < HAND:
            raise IllegalMove("the final hand is not known yet")
        return cards

    def _settled(self, prize: int) -> tuple[int, ...]:
        won = prize - self.stake
        return (-won, won)

    def drawn(self, s: State, value: int) -> State:
        """The card at this index of the unseen ones fills the next place."""
        if len(s.dealt) < HAND:
            must_be_below(value, DECK - len(s.dealt))
            return State((*s.dealt, s.unseen(value)))
        must_be_in_range(value, self.awaits(s))
        return State(s.dealt, s.order, (*s.fresh, s.unseen(value)))

    def check(self, s: State, seat: Seat, move: Move) -> None:
        """Five digits, each 0 or 1."""
        must_be_in_turn(seat, self.awaits(s))
        if (
            not isinstance(move, tuple)
            or len(move) != HAND
            or any(type(digit) is not int or digit not in (0, 1) for digit in move)
        ):
            raise IllegalMove(
                f"an order is {HAND} digits, 1 to replace and 0 to keep the card in that "
                f"place, such as (1, 0, 1, 1, 0), not {move!r}"
            )

    def move_schema(self, s: State | None = None) -> dict[str, Any]:
        return {"type": "array", "items": between(0, 1), "minItems": HAND, "maxItems": HAND}

    def moves(self, s: State, seat: Seat) -> Iterable[Move]:
        must_be_in_turn(seat, self.awaits(s))
        return product((0, 1), repeat=HAND)

    def played(self, s: State, moves: Mapping[Seat, Move]) -> State:
        return State(s.dealt, cast(Order, moves[PLAYER]))

    def forfeit(self, s: State, seat: Seat) -> tuple[int, ...]:
        """Take the stake of a player who leaves; let a croupier who leaves pay a royal flush.

        The house may know the cards before they are shown. So leaving costs it the most that any
        hand can pay.
        """
        dearest = self.bet * PAYS[self.level][Rank.ROYAL_FLUSH]
        return self._settled(0 if seat == PLAYER else dearest)


class BankPoker(Poker):
    """Video poker with the prices of silence of the Bank's contract.

    They follow what the silence takes away. A croupier who is silent before the first card pays
    one stake; after an order, `silence_price`.
    """

    name = "bank-poker/1"

    def forfeit(self, s: State, seat: Seat) -> tuple[int, ...]:
        """Take the stake of a player who leaves; let a croupier pay for what he keeps back.

        While the hand stands as it was dealt, he pays at least its prize, so that walking away
        from a royal flush saves nothing. (The Bank does not know that case: there the player owes
        the order, and a hand that stands is settled.)
        """
        if seat == PLAYER:
            return self._settled(0)
        if not s.dealt:
            return self._settled(2 * self.stake)
        if s.order and any(s.order):
            return self._settled(silence_price(self.bet, self.level, s.dealt, s.order))
        standing = self.prize(s.dealt) if len(s.dealt) == HAND else 0
        return self._settled(max(PENALTY * self.stake, standing))
