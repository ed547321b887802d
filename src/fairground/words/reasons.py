"""Why a move was good or bad, in sentences made of numbers.

Nothing here knows what is true: whoever calls has counted it. A sentence is only said where its
numbers say it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from fairground.words.plain import count, listed

SURE: Final = Fraction(999, 1000)


def in_100(share: Fraction) -> str:
    """A share of all cases: "41 in 100", "0.4 in 100"; never nothing where there is a little."""
    return f"{number(100 * share)} in 100"


def times_in_100(share: Fraction) -> str:
    """How often something happens: "41 times in 100"."""
    return f"{number(100 * share)} times in 100"


def number(value: Fraction) -> str:
    """A number with as many digits as matter: 41, 4.1, 0.41."""
    size = abs(value)
    if value.denominator == 1:
        return f"{value.numerator:,}"
    digits = 0 if size >= 100 else 1 if size >= 10 else 2
    text = f"{float(value):,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        return "less than 0.01" if value > 0 else "almost 0"
    return text.rstrip("0").rstrip(".") if "." in text else text


def once_in(chance: Fraction) -> str:
    """How rare something is: "every time", "1 in 4", "never"."""
    if not chance:
        return "never"
    if chance >= SURE:
        return "every time"
    return f"1 time in {number(1 / chance)}"


# Intransitive dice


def dice_meet(die: str, other: str, wins: int, losses: int, rolls: int, *, first: bool) -> str:
    """How two dice fare; ``first``: the other is the strongest reply, not yet taken."""
    ties = rolls - wins - losses
    tied = f", and they tie {ties}" if ties else ""
    if first:
        if wins == losses:
            return f"The strongest reply to {die} is {other}, and it is an even match."
        high, times = ("higher", wins) if wins > losses else ("lower", losses)
        return (
            f"The strongest reply to {die} is {other}: then {die} is {high} in {times} of "
            f"{rolls} rolls{tied}."
        )
    return f"{die} is higher than {other} in {wins} of {rolls} rolls, and lower in {losses}{tied}."


# FateStones


def fatestones_pick(
    *, die: str, best: str, feared: str, chance: Fraction, wins: int, losses: int, best_wins: int
) -> str:
    """What the other side's perfect mix does to a die."""
    often = f"always takes {feared}" if chance == 1 else f"takes {feared} {times_in_100(chance)}"
    return (
        f"Perfect play on the other side {often}. {die} beats it in {wins} of 36 rolls "
        f"and loses {losses}; {best} beats it in {best_wins}."
    )


def fatestones_mix(mix: Sequence[tuple[str, Fraction]], value: Fraction) -> str:
    """The perfect mix."""
    if len(mix) == 1:
        return f"Perfect play takes {mix[0][0]}, and wins {in_100(value)} games."
    parts = [f"{die} {times_in_100(chance)}" for die, chance in mix]
    return f"Perfect play takes {listed(parts)}, and wins {in_100(value)} games."


# Video poker


def poker_hold(
    *,
    held: str,
    best: str,
    worth: Fraction,
    best_worth: Fraction,
    kind: str,
    chance: Fraction,
    best_chance: Fraction,
) -> str:
    """Two holds, and the rank that makes most of the difference."""
    return (
        f"To {held} gives back {number(worth)} of each bet; to {best} gives back "
        f"{number(best_worth)}. Most of it is {kind}: {once_in(best_chance)} instead of "
        f"{once_in(chance)}."
    )


def poker_worth(held: str, worth: Fraction, paid: Fraction) -> str:
    """One hold."""
    return (
        f"To {held} gives back {number(worth)} of each bet on average, and pays something "
        f"{once_in(paid)}."
    )


# Zombie Dice


def zombie_roll(
    *,
    shotguns: int,
    bag: Sequence[tuple[str, int]],
    shot: Fraction,
    brains: int,
    gain: Fraction,
    rolling: Fraction | None,
    holding: Fraction | None,
) -> str:
    """What one more roll does, and what both moves are worth."""
    guns = count(shotguns, "shotgun") if shotguns else "no shotgun"
    left = listed([f"{many} {colour}" for colour, many in bag]) or "no"
    dice = "die" if sum(many for _, many in bag) == 1 else "dice"
    first = (
        f"{guns[0].upper()}{guns[1:]} so far, and {left} {dice} left in the bag: one more roll is "
        f"shot {times_in_100(shot)} and brings {number(gain)} more brains on average."
    )
    if rolling is None or holding is None:
        return first
    return (
        f"{first} Rolling wins {in_100(rolling)} games; holding {count(brains, 'brain')} wins "
        f"{in_100(holding)}."
    )


# Code breaking


def code_guess(
    guess: str,
    best: str,
    left: int,
    average: Fraction,
    best_average: Fraction,
    *,
    possible: bool,
    best_possible: bool,
) -> str:
    """What two guesses leave of the codes that still fit."""
    told = (
        f"{count(left, 'code')} still fit. The answer to {guess} leaves {number(average)} of them "
        f"on average; the answer to {best} leaves {number(best_average)}."
    )
    if not possible:
        told += f" And {guess} could not be the code" + (
            f", but {best} could." if best_possible else "."
        )
    return told


def code_worst(guess: str, best: str, left: int, worst: int, best_worst: int) -> str:
    """What two guesses leave when the keeper is evil."""
    return (
        f"{count(left, 'code')} still fit. The keeper needs at most {best_worst} more guesses to "
        f"give after {best}, but {worst} after {guess}."
    )
