"""The compiled loops of `vector`: one step in every lane.

Each lane reads the tapes of its own episode, draw for draw as the rules do. ``lanes`` are tapes,
their bytes, the numbers of the episodes, observations, rewards, ends and masks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fairground.lab.kernels.poker import draw_card
from fairground.lab.kernels.tapes import below_wide
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


# Zombie Dice: two zombies, turns of rolls

FIRST, AT, ROUND, EXTRA = 2, 3, 4, 5
BAG, CELLS, EATEN, SHOT = 6, 9, 12, 15
BRAINS, ROLLS, TURNS = 18, 19, 20
"""Where a lane keeps what. The scores come first; who begins a round; whose turn of it it is; its
number; whether it breaks a tie; dice by colour, in cells counted from 1; and the moves so far."""

WORDS = 21
"""How many numbers that are."""

FOOTPRINT, BRAIN, SHOTGUN = 0, 1, 2


@njit(cache=True)
def _roll_zombie(rules: Any, now: Any, tape: Any, data: Any) -> bool:
    """Take dice, throw, sort; whether that was the third shotgun."""
    _, counts, faces = rules[:3]
    left, empty = 0, 0
    for i in range(3):
        left += now[BAG + i]
        empty += now[CELLS + i] == 0
    if empty > left:
        for i in range(3):
            now[BAG + i] += now[EATEN + i]
            left += now[EATEN + i]
            now[EATEN + i] = 0
    for i in range(3):
        if now[CELLS + i] == 0 and left > 0:
            value = below(left, tape, data)
            colour = int(value >= now[BAG]) + int(value >= now[BAG] + now[BAG + 1])
            now[BAG + colour] -= 1
            now[CELLS + i] = colour + 1
            left -= 1
    for i in range(3):
        colour = now[CELLS + i] - 1
        if colour >= 0:
            face = faces[colour, below(counts[colour], tape, data)]
            if face == BRAIN:
                now[EATEN + colour] += 1
                now[BRAINS] += 1
            elif face == SHOTGUN:
                now[SHOT + colour] += 1
            if face != FOOTPRINT:
                now[CELLS + i] = 0
    now[ROLLS] += 1
    return bool(now[SHOT] + now[SHOT + 1] + now[SHOT + 2] >= 3)


@njit(cache=True)
def _hand_over(rules: Any, now: Any, banked: int) -> bool:
    """The turn is over; whether the game is."""
    dice, _, _, goal, most = rules[:5]
    seat = now[FIRST] if now[AT] == 0 else 1 - now[FIRST]
    now[seat] += banked
    for i in range(3):
        now[BAG + i] = dice[i]
    now[CELLS : ROLLS + 1] = 0
    now[AT] += 1
    if now[AT] < 2:
        return False
    ended = now[ROUND] == most if most > 0 else max(now[0], now[1]) >= goal
    if now[EXTRA] or ended:
        if now[0] != now[1]:
            return True
        now[EXTRA] = 1
    now[AT] = 0
    now[ROUND] += 1
    return False


@njit(cache=True)
def _moves(rules: Any, now: Any, rolls: bool, tape: Any, data: Any) -> bool:
    """Roll or hold; whether the game is over."""
    now[TURNS] += 1
    if not rolls:
        return _hand_over(rules, now, now[BRAINS])
    return _roll_zombie(rules, now, tape, data) and _hand_over(rules, now, 0)


@njit(cache=True)
def _other_rolls(rules: Any, now: Any, tape: Any, data: Any) -> bool:
    """What the other one does: by chance, or by its table of choices."""
    choices, by_shot, by_cells, strides, kind = rules[5:10]
    if kind == 0:
        return bool(below(2 if now[ROLLS] else 1, tape, data) == 0)
    if now[ROLLS] == 0:
        return True
    cells = 0
    code = by_shot[now[SHOT] + 8 * now[SHOT + 1] + 64 * now[SHOT + 2]]
    for i in range(3):
        cells = 4 * cells + (now[CELLS + i] + 3) % 4  # an empty cell is 3
        code += strides[i] * now[EATEN + i]
    code += by_cells[cells]
    return bool(now[BRAINS] < choices.shape[0] and choices[now[BRAINS], code] == 1)


@njit(cache=True)
def _until_mine(lane: int, rules: Any, lanes: Any, now: Any) -> bool:
    """The other one moves until it is this seat's turn; whether the game is over."""
    tapes, data, seat = lanes[0], lanes[1], rules[10]
    while (now[FIRST] if now[AT] == 0 else 1 - now[FIRST]) != seat:
        other = 2 - seat  # the lane of the other seat
        rolls = _other_rolls(rules, now, tapes[lane, other], data[lane, other])
        if _moves(rules, now, rolls, tapes[lane, 0], data[lane, 0]):
            return True
    return False


@njit(cache=True)
def _begin_zombie(lane: int, rules: Any, lanes: Any, now: Any) -> None:
    tapes, data, episodes, _, _, done, _ = lanes
    begin(lane, tapes, episodes, done, episodes.shape[0])
    now[:] = 0
    now[FIRST] = 1 if below(2, tapes[lane, 0], data[lane, 0]) == 0 else 0
    now[ROUND] = 1
    for i in range(3):
        now[BAG + i] = rules[0][i]
    _until_mine(lane, rules, lanes, now)


@njit(cache=True)
def _show_zombie(seat: int, now: Any, seen: Any, mask: Any) -> None:
    seen[0], seen[1] = now[seat], now[1 - seat]
    seen[2], seen[3] = now[BRAINS], now[ROLLS]
    for i in range(3):
        seen[4 + i] = now[CELLS + i]
        seen[7 + i] = now[BAG + i]
        seen[10 + i] = now[EATEN + i]
        seen[13 + i] = now[SHOT + i]
    seen[16], seen[17], seen[18] = now[ROUND], 1, 1
    mask[0], mask[1] = 1, now[ROLLS] > 0


@njit(cache=True)
def zombie_deal(rules: Any, lanes: Any, states: Any) -> None:
    """Begin an episode in every lane."""
    done = lanes[5]
    done[:] = False
    for lane in range(states.shape[0]):
        _begin_zombie(lane, rules, lanes, states[lane])
        _show_zombie(rules[10], states[lane], lanes[3][lane], lanes[6][lane])


@njit(cache=True)
def zombie_act(rules: Any, lanes: Any, room: Any, actions: Any) -> None:
    """Roll or hold, and let the other one move until it is this seat's turn again."""
    tapes, data, _, seen, rewards, done, mask = lanes
    states, cut, most_turns = room
    seat = rules[10]
    for lane in range(states.shape[0]):
        now, action = states[lane], actions[lane]
        rewards[lane], done[lane], cut[lane] = 0.0, False, False
        if not (action == 0 or (action == 1 and now[ROLLS] > 0)):
            rewards[lane], done[lane] = -1.0, True
        elif _moves(rules, now, action == 0, tapes[lane, 0], data[lane, 0]) or _until_mine(
            lane, rules, lanes, now
        ):
            rewards[lane], done[lane] = (1.0 if now[seat] > now[1 - seat] else -1.0), True
        elif now[TURNS] >= most_turns:
            cut[lane] = True
        if done[lane] or cut[lane]:
            ended, done[lane] = done[lane], True
            _begin_zombie(lane, rules, lanes, now)
            done[lane] = ended
        _show_zombie(seat, now, seen[lane], mask[lane])


# Code breaking: a hidden code, guesses, answers


@njit(cache=True)
def _begin_codes(lane: int, rules: Any, lanes: Any, hidden: Any, rows: Any) -> None:
    base, length, codes = rules[:3]
    tapes, data, episodes, seen, _, done, _ = lanes
    begin(lane, tapes, episodes, done, episodes.shape[0])
    number = below_wide(codes, tapes[lane, 0], data[lane, 0])
    for i in range(length - 1, -1, -1):
        hidden[lane, i] = number % base
        number //= base
    rows[lane] = 0
    seen[lane, :] = 0
    seen[lane, 0] = 1  # a guess is awaited


@njit(cache=True)
def codes_deal(rules: Any, lanes: Any, hidden: Any, rows: Any) -> None:
    """Draw a code in every lane."""
    done = lanes[5]
    done[:] = False
    for lane in range(rows.shape[0]):
        _begin_codes(lane, rules, lanes, hidden, rows)


@njit(cache=True)
def codes_act(rules: Any, lanes: Any, room: Any, actions: Any) -> None:
    """Guess, and be answered. The last action gives up."""
    base, length, codes, shown, stake = rules
    _, _, _, seen, rewards, done, _ = lanes
    hidden, rows, cut, most_turns = room
    guess, tally = np.zeros(length, np.int64), np.zeros(base, np.int64)
    width, first = length + 2, 2 + 2 * length
    for lane in range(rows.shape[0]):
        rewards[lane], done[lane], cut[lane] = 0.0, False, False
        number = actions[lane]
        if not 0 <= number < codes:
            rewards[lane], done[lane] = -float(stake), True
        else:
            tally[:] = 0
            full = common = 0
            for i in range(length - 1, -1, -1):
                guess[i] = number % base
                number //= base
                full += guess[i] == hidden[lane, i]
                tally[hidden[lane, i]] += 1
            for i in range(length):
                common += tally[guess[i]] > 0
                tally[guess[i]] -= 1
            rows[lane] += 1
            if full == length:
                rewards[lane], done[lane] = -float(rows[lane]), True
            else:
                place = first + min(rows[lane] - 1, shown - 1) * width
                if rows[lane] > shown:
                    for i in range(first, place):
                        seen[lane, i] = seen[lane, i + width]
                for i in range(length):
                    seen[lane, place + i] = guess[i] + 1
                seen[lane, place + length] = full
                seen[lane, place + length + 1] = common - full
                seen[lane, 1] = rows[lane]
                cut[lane] = 2 * rows[lane] >= most_turns
        if done[lane] or cut[lane]:
            ended, done[lane] = done[lane], True
            _begin_codes(lane, rules, lanes, hidden, rows)
            done[lane] = ended
