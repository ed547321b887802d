"""The compiled kernel of video poker: five cards, an order, as many cards as it replaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fairground.core import InputError, Seat
from fairground.games.compiled import INLINE, Episodes, Ints, below, new_streams, rewind_all
from fairground.games.kernels import Kernel, Played
from fairground.games.poker.hands import (
    CHOOSE,
    FIRST,
    fill_hold_sums,
    grade_hands,
    grading,
    sums_of,
)
from fairground.games.poker.holds import SCALES
from fairground.games.poker.rules import DECK, HAND, PAYS, PLAYER, Poker

PLAYERS = ("random", "optimal")


@njit(cache=True)
def draw_card(seen: Any, many: int, stream: Any, data: Any) -> Any:
    """Draw a card, and insert it into the first ``many`` of the seen ones, which are ascending."""
    card = below(DECK - many, stream, data)
    at = 0
    while at < many and card >= seen[at]:
        card += 1
        at += 1
    for i in range(many, at, -1):
        seen[i] = seen[i - 1]
    seen[at] = card
    return card


@njit(cache=True)
def _best(hand: Any, ascending: Any, sums: Any, scales: Any, room: Any) -> int:
    """Return the order of `best_hold` as bits, 16 for the first place."""
    fill_hold_sums(ascending, sums, CHOOSE, FIRST, room)
    best, fewest, order = -1, 0, 0
    for held in range(1 << HAND):
        worth = room[held] * scales[held]
        if worth < best:
            continue
        replaced, bits = 0, 0
        for place in range(HAND):
            at = 0
            while ascending[at] != hand[place]:
                at += 1
            thrown = 1 - (held >> at & 1)
            replaced += thrown
            bits = 2 * bits + thrown
        if worth > best or replaced < fewest or (replaced == fewest and bits < order):
            best, fewest, order = worth, replaced, bits
    return order


@INLINE
def deal(seen: Any, stream: Any, data: Any, hand: Any) -> None:
    """Deal five cards."""
    for i in range(HAND):
        hand[i] = draw_card(seen, i, stream, data)


@INLINE
def exchange(dealt: Any, order: int, seen: Any, stream: Any, data: Any, final: Any) -> None:  # noqa: PLR0917 - numba wants its arguments in order
    """Replace the cards whose bits are set in ``order``, 16 for the first place."""
    many = HAND
    for i in range(HAND):
        final[i] = dealt[i]
        if order >> (HAND - 1 - i) & 1:
            final[i] = draw_card(seen, many, stream, data)
            many += 1


@njit(cache=True)
def _play(first: int, game: Any, room: Any, out: Any) -> None:
    (streams, data), (hands, facts) = room, out
    player, sums, scales = game
    seen = np.zeros(2 * HAND, np.int64)
    worths = np.zeros(1 << HAND, np.int64)
    ascending = np.zeros(HAND, np.int64)
    for d in range(facts.shape[0]):
        rewind_all(streams, first + d)
        deal(seen, streams[0], data[0], facts[d])
        for i in range(HAND):
            ascending[i] = seen[i]
        if player == 1:
            order = _best(facts[d], ascending, sums, scales, worths)
        else:
            order = below(1 << HAND, streams[1 + PLAYER], data[1 + PLAYER])
        exchange(facts[d], order, seen, streams[0], data[0], hands[d])
        facts[d, HAND] = order


def kernel(game: Poker, lineup: tuple[str, ...], seed: str) -> Kernel | None:
    """Return the kernel for this player, or ``None``; the croupier never moves."""
    if lineup[PLAYER] not in PLAYERS:
        return None
    ready = (PLAYERS.index(lineup[PLAYER]), sums_of(game.level), np.array(SCALES, np.int64))
    prizes: Ints = np.array(PAYS[game.level], np.int64) * game.bet
    streams = new_streams(seed)

    def play(first: int, count: int) -> Played:
        hands, facts = np.zeros((count, HAND), np.uint8), np.zeros((count, HAND + 2), np.int64)
        _play(first, ready, streams, (hands, facts))
        facts[:, -1] = grading().ranks[grade_hands(hands)]
        won = prizes[facts[:, -1]] - game.stake
        return Played(np.stack([-won, won], axis=1), facts)

    return Kernel(play)


@njit(cache=True)
def _begin(places: Any, numbers: Any, room: Any) -> None:
    streams, data, cards, dealt = room
    for p in places:
        rewind_all(streams[p], numbers[p])
        deal(cards[p], streams[p, 0], data[p, 0], dealt[p])


@njit(cache=True)
def _exchange_all(orders: Any, room: Any, final: Any) -> None:
    streams, data, cards, dealt = room
    for p in range(len(orders)):
        exchange(dealt[p], orders[p], cards[p], streams[p, 0], data[p, 0], final[p])


class PokerEpisodes(Episodes):
    """Episodes of one hand; nobody plays against the agent."""

    opponents = ("random",)
    all_legal = True

    def __init__(self, game: Poker, count: int, seat: Seat, opponent: str) -> None:
        if seat != PLAYER:
            raise InputError("the croupier of video poker never moves")
        super().__init__(game, count, seat, opponent)
        self._prizes = np.array(PAYS[game.level]) * game.bet
        self._stake = game.stake
        self._cards = np.zeros((count, 2 * HAND), np.int64)
        self._dealt = np.zeros((count, HAND), np.int64)
        self._final = np.zeros((count, HAND), np.uint8)

    def begin(self, places: Ints) -> None:
        room = self.streams, self.buffers, self._cards, self._dealt
        _begin(places, self.numbers, room)
        self.seen[:] = self._dealt + 1

    def act(self, actions: Ints) -> None:
        room = self.streams, self.buffers, self._cards, self._dealt
        legal = (actions >= 0) & (actions < 1 << HAND)
        _exchange_all(np.where(legal, actions, 0), room, self._final)
        won = self._prizes[grading().ranks[grade_hands(self._final)]]
        self.rewards[:] = np.where(legal, won, 0) - self._stake
        self.over[:] = True
