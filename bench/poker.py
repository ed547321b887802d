"""Video poker: all deals analysed exactly, single hands, and ranked hands against peers.

Every ranking program gets the same hands, in the form that it likes best, prepared before
the clock starts, through its ordinary call for five cards; and all must find the same of the
7,462 grades for each hand, or nothing is measured. The kernel takes all hands in one call; the
peers have no such call and are called from Python once for each hand. The rules' own `rank` finds
one of ten ranks only, less than the peers find, and has no peer here.

No peer knows the value of a hold. Its user ranks all 2,598,960 hands that the 32 holds can lead
to. A loop of ours does that with the quickest peer, for one hand, and the results must be equal.

    python bench/poker.py
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import chain, combinations, product
from math import comb
from typing import Any, Final

import numpy as np

from _machine import cpu_seconds, ratio, side_by_side, summary, write
from fairground.games.poker import hands as compiled
from fairground.games.poker import holds as counts
from fairground.games.poker.holds import (
    best_hold,
    holds,
    per_stake,
    perfect_return,
)
from fairground.games.poker.rules import DECK, HAND, KINDS, Rank, parse_hand, rank

REPETITIONS: Final = 7
STEP: Final = 131
AGAIN: Final = 100
"""Repetitions of the sample in one measurement: once is too short for a clock."""
COLD: Final = 20
FEW_REPETITIONS: Final = 3
LAST_GRADES: Final = (1, 10, 166, 322, 1599, 1609, 2467, 3325, 4205, 7462)
PRIZED: Final = (
    *(Rank.ROYAL_FLUSH, Rank.STRAIGHT_FLUSH, Rank.FOUR_OF_A_KIND, Rank.FULL_HOUSE, Rank.FLUSH),
    *(Rank.STRAIGHT, Rank.THREE_OF_A_KIND, Rank.TWO_PAIR, Rank.JACKS_OR_BETTER, Rank.NOTHING),
)
"""The last of treys' grades that has each rank, from the best on."""


def every_hand() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return all 2,598,960 hands."""
    cards = chain.from_iterable(combinations(range(DECK), HAND))
    return np.fromiter(cards, np.uint8).reshape(-1, HAND)


def cards_as_text(hands: list[list[int]]) -> list[list[str]]:
    return [["23456789TJQKA"[card % KINDS] + "hdcs"[card // KINDS] for card in h] for h in hands]


def peers(hands: list[list[int]]) -> dict[str, tuple[Callable[[], Any], Callable[[], list[int]]]]:
    """Name → (rank all hands, the grades that were found)."""
    phevaluator, pokerkit, treys = map(import_module, ("phevaluator", "pokerkit", "treys"))
    texts = cards_as_text(hands)
    for_phe = [[phevaluator.Card(card).id_ for card in hand] for hand in texts]
    for_treys = [[treys.Card.new(card) for card in hand] for hand in texts]
    for_kit = [tuple(pokerkit.Card.parse("".join(hand))) for hand in texts]
    evaluate_cards, high_hand = phevaluator.evaluate_cards, pokerkit.StandardHighHand
    evaluate = treys.Evaluator().evaluate
    return {
        "phevaluator": (
            lambda: [evaluate_cards(*cards) for cards in for_phe],
            lambda: [int(evaluate_cards(*cards)) for cards in for_phe],
        ),
        "treys": (
            lambda: [evaluate(cards, []) for cards in for_treys],
            lambda: [int(evaluate(cards, [])) for cards in for_treys],
        ),
        "pokerkit": (
            lambda: [high_hand(cards).entry for cards in for_kit],
            lambda: [7462 - high_hand(cards).entry.index for cards in for_kit],
        ),
    }


def ranking() -> dict[str, Any]:
    every = every_hand()
    sample = np.ascontiguousarray(every[::STEP])
    hands = sample.tolist()
    grades = compiled.grade_hands(sample).tolist()
    others = peers(hands)
    for name, (_, found) in others.items():
        assert found() == grades, f"{name} grades some hand otherwise"

    def again() -> None:
        for _ in range(AGAIN):
            compiled.grade_hands(sample)

    measures: dict[str, Callable[[], float]] = {
        "fairground kernel": lambda: cpu_seconds(again) / AGAIN,
        "fairground rank, one of ten": lambda: cpu_seconds(lambda: [rank(hand) for hand in hands]),
        **{name: partial(cpu_seconds, work) for name, (work, _) in others.items()},
    }
    measures["kernel, all hands"] = lambda: cpu_seconds(lambda: compiled.grade_hands(every))
    samples = side_by_side(measures, REPETITIONS)
    everything = samples.pop("kernel, all hands")
    speeds = {name: [len(hands) / s for s in values] for name, values in samples.items()}
    speeds["fairground kernel, all 2,598,960 hands"] = [len(every) / s for s in everything]
    return {
        "hands": len(hands),
        "hands per CPU-second": summary(speeds),
        "kernel, times as fast as": {
            name: ratio(samples, name, "fairground kernel") for name in others
        },
    }


def analysis() -> dict[str, Any]:
    prizes = per_stake(5)
    hands = every_hand()[:: compiled.DEALS // COLD].tolist()

    def everything() -> None:
        compiled.survey(compiled.sum_up(prizes))

    def cold() -> None:
        for hand in hands:
            counts.hands_with.cache_clear()
            counts._of_shape.cache_clear()
            holds(hand, 5)

    samples = side_by_side(
        {
            "all deals, tables and walk": lambda: cpu_seconds(everything),
            "tables alone": lambda: cpu_seconds(lambda: compiled.sum_up(prizes)),
            "one hand, 32 fractions by formula, nothing cached": lambda: (
                cpu_seconds(cold) / len(hands)
            ),
        },
        REPETITIONS,
    )
    return {
        "return on level 5": str(perfect_return(5)),
        "deals": compiled.DEALS,
        "CPU seconds after compilation": summary(samples),
    }


def by_treys(hand: Sequence[int], prizes: Sequence[int]) -> tuple[tuple[int, ...], Fraction]:
    """The best hold of a hand, found by ranking everything that can follow."""
    treys = import_module("treys")
    five = treys.Evaluator()._five  # the inner call, which is quicker than the documented one
    worth = [0] * (LAST_GRADES[-1] + 1)
    for grade in range(1, len(worth)):
        worth[grade] = prizes[PRIZED[bisect_left(LAST_GRADES, grade)]]
    texts = cards_as_text([list(range(DECK))])[0]
    cards = [treys.Card.new(text) for text in texts]
    rest = [cards[card] for card in range(DECK) if card not in hand]
    found = []
    for order in product((0, 1), repeat=len(hand)):
        kept = [cards[card] for card, gone in zip(hand, order, strict=True) if not gone]
        draws = combinations(rest, sum(order))
        total = sum(worth[five([*kept, *draw])] for draw in draws)
        value = Fraction(total, comb(len(rest), sum(order)))
        found.append((-value, sum(order), order))
    value, _, order = min(found)
    return order, -value


def one_hold() -> dict[str, Any]:
    """One best hold from Python, beside a peer that ranks."""
    hands = every_hand()[:: compiled.DEALS // COLD].tolist()
    hand = parse_hand("5d 7d 9c Tc 7h")
    assert by_treys(hand, per_stake(5)) == tuple(best_hold(hand, 5))

    def by_formula() -> None:
        for some in hands:
            counts.hands_with.cache_clear()
            counts._of_shape.cache_clear()
            best_hold(some, 5)

    samples = side_by_side(
        {
            "fairground, by formula": lambda: cpu_seconds(by_formula) / len(hands),
            "treys, every draw ranked": lambda: cpu_seconds(lambda: by_treys(hand, per_stake(5))),
        },
        FEW_REPETITIONS,
    )
    treys = "treys, every draw ranked"
    return {
        "CPU seconds for a hand": summary(samples),
        "times as fast as treys, by formula": ratio(samples, treys, "fairground, by formula"),
    }


def main() -> None:
    write(
        "poker",
        {
            "repetitions": REPETITIONS,
            "ranking": ranking(),
            "analysis": analysis(),
            "one_hold": one_hold(),
        },
    )


if __name__ == "__main__":
    main()
