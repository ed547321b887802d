"""Video poker: five cards, an order, as many cards as it replaces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fairground.games.poker import DECK, HAND, PAYS, PLAYER, Poker
from fairground.lab.kernels import Kernel, Played
from fairground.lab.kernels.tapes import Ints, new_tapes
from fairground.solve.poker.counts import SCALES
from fairground.solve.poker.holds import hand_table
from fairground.solve.poker.kernel import CHOOSE, FIRST, fill_hold_sums, grade_hands, grading
from fairground.solve.tape import below, rewind

KINDS = {"random": 0, "optimal": 1}


@njit(cache=True)
def draw_card(seen: Any, many: int, tape: Any, data: Any) -> Any:
    """A card that is not among the first ``many`` of the seen ones, which are ascending."""
    card = below(DECK - many, tape, data)
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
    """The order of `best_hold` as bits, 16 for the first place."""
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


@njit(cache=True)
def _play(first: int, game: Any, room: Any, out: Any) -> None:
    (tapes, data), (hands, facts) = room, out
    kind, sums, scales = game
    seen = np.zeros(2 * HAND, np.int64)
    worths = np.zeros(1 << HAND, np.int64)
    ascending = np.zeros(HAND, np.int64)
    for d in range(facts.shape[0]):
        for lane in range(3):
            rewind(tapes[lane], first + d)
        for i in range(HAND):
            facts[d, i] = draw_card(seen, i, tapes[0], data[0])
        for i in range(HAND):
            ascending[i] = seen[i]
        if kind == 1:
            order = _best(facts[d], ascending, sums, scales, worths)
        else:
            order = below(1 << HAND, tapes[1 + PLAYER], data[1 + PLAYER])
        many = HAND
        for i in range(HAND):
            hands[d, i] = facts[d, i]
            if order >> (HAND - 1 - i) & 1:
                hands[d, i] = draw_card(seen, many, tapes[0], data[0])
                many += 1
        facts[d, HAND] = order


def kernel(game: Poker, lineup: tuple[str, ...], seed: str) -> Kernel | None:
    """The loop for this player; the croupier never moves."""
    if lineup[PLAYER] not in KINDS:
        return None
    sums = hand_table(game.level).sums
    ready = (KINDS[lineup[PLAYER]], sums, np.array(SCALES, np.int64))
    prizes: Ints = np.array(PAYS[game.level], np.int64) * game.bet
    tapes = new_tapes(seed)

    def play(first: int, count: int) -> Played:
        hands, facts = np.zeros((count, HAND), np.uint8), np.zeros((count, HAND + 2), np.int64)
        _play(first, ready, tapes, (hands, facts))
        facts[:, -1] = grading().ranks[grade_hands(hands)]
        won = prizes[facts[:, -1]] - game.stake
        return Played(np.stack([-won, won], axis=1), facts)

    return Kernel(play)
