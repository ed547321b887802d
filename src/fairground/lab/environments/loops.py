"""The compiled loops of `vector`: one step in every lane.

Each lane reads the tapes of its own episode, draw for draw as the rules do. ``lanes`` are tapes,
their bytes, the numbers of the episodes, observations, rewards, ends and masks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fairground.lab.kernels.poker import draw_card
from fairground.solve.fatestones.simulation import NONE, greedy
from fairground.solve.poker.kernel import FIVES, FLUSH, SPAN
from fairground.solve.tape import below, rewind


@njit(cache=True)
def begin(lane: int, tapes: Any, episodes: Any, done: Any, count: int) -> None:
    """Go to the lane's next episode if the last one has ended, and to the start of its tapes."""
    if done[lane]:
        episodes[lane] += count
    for at in range(3):
        rewind(tapes[lane, at], episodes[lane])


# FateStones: three dice each, a pick, a roll


@njit(cache=True)
def _deal_stones(tape: Any, data: Any, hands: Any, bag: int) -> None:
    drawn = np.empty(6, np.int64)
    for d in range(6):
        value = below(bag - d, tape, data)
        drawn[d] = value
        for before in range(d - 1, -1, -1):
            value += value >= drawn[before]
        hands[d & 1, d >> 1] = value


@njit(cache=True)
def _show_stones(faces: Any, seat: int, hands: Any, seen: Any, mask: Any) -> None:
    for side in range(2):
        hand = hands[seat if side == 0 else 1 - seat]
        for i in range(3):
            for f in range(6):
                at = 18 * side + 6 * i + f
                seen[at] = 0 if hand[i] == NONE else faces[hand[i], f]
            if side == 0:
                mask[i] = hand[i] != NONE


@njit(cache=True)
def stones_deal(rules: Any, lanes: Any, hands: Any, left: Any) -> None:
    """Begin an episode in every lane."""
    faces, _, seat, _, _ = rules
    tapes, data, episodes, seen, _, done, mask = lanes
    done[:] = False
    for lane in range(episodes.shape[0]):
        begin(lane, tapes, episodes, done, 0)
        _deal_stones(tapes[lane, 0], data[lane, 0], hands[lane], faces.shape[0])
        left[lane] = 3
        _show_stones(faces, seat, hands[lane], seen[lane], mask[lane])


@njit(cache=True)
def stones_act(rules: Any, lanes: Any, dice: Any, actions: Any) -> None:
    """Both choose, both roll; a tie takes both dice away."""
    faces, score, seat, kind, redeal = rules
    tapes, data, episodes, seen, rewards, done, mask = lanes
    hands, left = dice
    picks, rolls = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for lane in range(episodes.shape[0]):
        k, other = left[lane], 1 - seat
        rewards[lane], done[lane] = 0.0, False
        tape, bytes_ = tapes[lane], data[lane]
        if not 0 <= actions[lane] < k:
            rewards[lane], done[lane] = -1.0, True
        else:
            picks[seat] = actions[lane]
            if kind == 0:
                picks[other] = below(k, tape[1 + other], bytes_[1 + other])
            else:
                picks[other] = greedy(score, hands[lane], other, k)
            for side in range(2):
                value = below(6, tape[0], bytes_[0])
                rolls[side] = faces[hands[lane, side, picks[side]], value]
            if rolls[0] != rolls[1]:
                rewards[lane] = 1.0 if rolls[seat] > rolls[other] else -1.0
                done[lane] = True
            else:
                for side in range(2):
                    for i in range(picks[side], k - 1):
                        hands[lane, side, i] = hands[lane, side, i + 1]
                    hands[lane, side, k - 1] = NONE
                left[lane] = k - 1
                if k == 1 and redeal:
                    _deal_stones(tape[0], bytes_[0], hands[lane], faces.shape[0])
                    left[lane] = 3
                elif k == 1:
                    done[lane] = True
        if done[lane]:
            begin(lane, tapes, episodes, done, episodes.shape[0])
            _deal_stones(tape[0], bytes_[0], hands[lane], faces.shape[0])
            left[lane] = 3
        _show_stones(faces, seat, hands[lane], seen[lane], mask[lane])


# Dice: a coin, two picks, two rolls


@njit(cache=True)
def _pick(rules: Any, taken: int, tape: Any, data: Any) -> Any:
    """The other one's pick, after this die was taken (-1: none)."""
    sizes, _, choice, _, kind = rules
    if kind == 1:
        return choice[taken]
    pick = below(sizes.shape[0] - (taken >= 0), tape, data)
    return pick + 1 if taken >= 0 and pick >= taken else pick


@njit(cache=True)
def _begin_dice(lane: int, rules: Any, lanes: Any) -> None:
    seat = rules[3]
    tapes, data, episodes, seen, _, done, mask = lanes
    begin(lane, tapes, episodes, done, episodes.shape[0])
    first = 1 if below(2, tapes[lane, 0], data[lane, 0]) == 0 else 0
    seen[lane, 0], seen[lane, 1], seen[lane, 2] = int(first == seat), 0, 0
    mask[lane, :] = 1
    if first != seat:
        other = 2 - seat  # the lane of the other seat
        pick = _pick(rules, -1, tapes[lane, other], data[lane, other])
        seen[lane, 2] = pick + 1
        mask[lane, pick] = 0


@njit(cache=True)
def dice_deal(rules: Any, lanes: Any) -> None:
    """Begin an episode in every lane."""
    episodes, done = lanes[2], lanes[5]
    done[:] = False
    for lane in range(episodes.shape[0]):
        _begin_dice(lane, rules, lanes)


@njit(cache=True)
def dice_act(rules: Any, lanes: Any, actions: Any) -> None:
    """Pick, and roll: every episode ends with one action."""
    sizes, faces, _, seat, _ = rules
    tapes, data, episodes, seen, rewards, done, mask = lanes
    picks, rolls = np.zeros(2, np.int64), np.zeros(2, np.int64)
    for lane in range(episodes.shape[0]):
        done[lane] = True
        action = actions[lane]
        if not 0 <= action < sizes.shape[0] or mask[lane, action] == 0:
            rewards[lane] = -1.0
        else:
            other = 1 - seat
            picks[seat] = action
            if seen[lane, 2] > 0:
                picks[other] = seen[lane, 2] - 1
            else:
                tape, bytes_ = tapes[lane, 1 + other], data[lane, 1 + other]
                picks[other] = _pick(rules, action, tape, bytes_)
            for side in range(2):
                value = below(sizes[picks[side]], tapes[lane, 0], data[lane, 0])
                rolls[side] = faces[picks[side], value]
            rewards[lane] = int(rolls[seat] > rolls[other]) - int(rolls[seat] < rolls[other])
        _begin_dice(lane, rules, lanes)


# Poker: five cards, an order, as many cards as it replaces


@njit(cache=True)
def _begin_poker(lane: int, lanes: Any, cards: Any) -> None:
    tapes, data, episodes, seen, _, done, _ = lanes
    begin(lane, tapes, episodes, done, episodes.shape[0])
    for i in range(5):
        seen[lane, i] = draw_card(cards[lane], i, tapes[lane, 0], data[lane, 0]) + 1


@njit(cache=True)
def poker_deal(lanes: Any, cards: Any) -> None:
    """Begin an episode in every lane."""
    episodes, done = lanes[2], lanes[5]
    done[:] = False
    for lane in range(episodes.shape[0]):
        _begin_poker(lane, lanes, cards)


@njit(cache=True)
def poker_act(rules: Any, lanes: Any, cards: Any, actions: Any) -> None:
    """Replace, and be paid: every episode ends with one action."""
    words, grades, ranks, prizes, stake = rules
    tapes, data, episodes, seen, rewards, done, _ = lanes
    for lane in range(episodes.shape[0]):
        done[lane] = True
        rewards[lane] = -float(stake)
        if 0 <= actions[lane] < 32:
            many, word = 5, 0
            for i in range(5):
                card = seen[lane, i] - 1
                if actions[lane] >> (4 - i) & 1:
                    card = draw_card(cards[lane], many, tapes[lane, 0], data[lane, 0])
                    many += 1
                word += words[card]
            one_suit = int(((word + FIVES) & FLUSH) != 0)
            rewards[lane] += prizes[ranks[grades[(word & 0xFFFFFFFF) + one_suit * SPAN]]]
        _begin_poker(lane, lanes, cards)
