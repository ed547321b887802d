"""Why a move was good or bad, in sentences made of numbers.

This module computes nothing: the caller supplies the numbers. A sentence is only said where its
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
    """Return a probability as a frequency: "41 times in 100"."""
    times = 100 * share
    return f"{number(Fraction(round(times)) if times >= 10 else times)} times in 100"


def games(share: Fraction) -> str:
    """Return a probability as a share: "41 of 100 games"."""
    times = 100 * share
    return f"{number(Fraction(round(times)) if times >= 10 else times)} of 100 games"


def number(value: Fraction) -> str:
    """Write a number with as many digits as matter: 41, 4.1, 0.41."""
    size = abs(value)
    if value.denominator == 1:
        return f"{value.numerator:,}"
    digits = 0 if size >= 100 else 1 if size >= 10 else 2
    text = f"{float(value):,.{digits}f}"
    if float(text.replace(",", "")) == 0:
        return "less than 0.01" if value > 0 else "almost 0"
    return text.rstrip("0").rstrip(".") if "." in text else text


def once_in(chance: Fraction) -> str:
    """Return a rarity: "every time", "92 times in 100", "1 time in 14", "never"."""
    if not chance:
        return "never"
    if chance >= SURE:
        return "every time"
    if chance >= Fraction(1, 10):
        return times_in_100(chance)
    return f"1 time in {number(1 / chance)}"


def compared(chance: Fraction, other: Fraction) -> str:
    """Compare two chances, counted in the same way: "25 times in 100 instead of 4.8"."""
    if SURE > chance >= Fraction(1, 10) and 0 < other < SURE:
        return f"{times_in_100(chance)} instead of {times_in_100(other).split()[0]}"
    return f"{once_in(chance)} instead of {once_in(other)}"


# Intransitive dice


def dice_meet(die: str, other: str, wins: int, losses: int, rolls: int, *, first: bool) -> str:
    """Compare two dice; ``first``: the other is the strongest reply, not yet taken."""
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
    *,
    die: str,
    best: str,
    other: str,
    chance: Fraction,
    rolls: tuple[int, int],
    best_rolls: tuple[int, int],
    end: Fraction,
    best_end: Fraction,
) -> str:
    """Compare two dice against a die of the other side's perfect mix; rolls are wins and ties.

    ``end`` and ``best_end`` are the chances to win in the end. They are given if the rolls alone
    do not speak for the better die: then what a tie leaves makes it better.
    """
    often = f"always takes {other}" if chance == 1 else f"takes {other} in {games(chance)}"
    told = (
        f"Perfect play on the other side {often}. Of 36 rolls against it, {die} wins {rolls[0]} "
        f"and ties {rolls[1]}; {best} wins {best_rolls[0]} and ties {best_rolls[1]}."
    )
    if 2 * best_rolls[0] + best_rolls[1] > 2 * rolls[0] + rolls[1]:
        return told
    return (
        f"{told} But what a tie leaves counts too: in the end {best} wins {in_100(best_end)} games "
        f"against it, and {die} wins {number(100 * end)}."
    )


def fatestones_mix(mix: Sequence[tuple[str, Fraction]], value: Fraction) -> str:
    """Tell the perfect mix."""
    if len(mix) == 1:
        return f"Perfect play takes {mix[0][0]}, and wins {in_100(value)} games."
    parts = [f"{die} in {games(chance)}" for die, chance in mix]
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
    """Compare two holds by the rank that gains the most."""
    return (
        f"To {held} gives back {number(worth)} of each bet; to {best} gives back "
        f"{number(best_worth)}. What helps most is {kind}: {compared(best_chance, chance)}."
    )


def poker_worth(held: str, worth: Fraction, paid: Fraction) -> str:
    """Tell the worth of one hold."""
    return (
        f"To {held} gives back {number(worth)} of each bet on average, and pays something "
        f"{once_in(paid)}."
    )


# Zombie Dice


def zombie_roll(
    *,
    shotguns: int,
    footprints: Sequence[tuple[str, int]],
    bag: Sequence[tuple[str, int]],
    shot: Fraction,
    brains: int,
    gain: Fraction,
    rolling: Fraction | None,
    holding: Fraction | None,
    ahead: int | None = None,
) -> str:
    """Return the effect of one more roll, and the value of both moves."""
    guns = count(shotguns, "shotgun") if shotguns else "no shotgun"
    feet = f", {_dice(footprints)} with footprints" if footprints else ""
    more = number(gain)
    first = (
        f"{guns[0].upper()}{guns[1:]} so far{feet}, and {_dice(bag)} left in the bag: one more "
        f"roll is shot {times_in_100(shot)} and brings {more} more "
        f"{'brain' if more == '1' else 'brains'} on average."
    )
    if ahead is not None:
        first = f"Somebody else already has {count(ahead, 'brain')}. {first}"
    if rolling is None or holding is None:
        return first
    return (
        f"{first} Rolling wins {in_100(rolling)} games; holding {count(brains, 'brain')} wins "
        f"{in_100(holding)}."
    )


def _dice(counted: Sequence[tuple[str, int]]) -> str:
    """Return the number of dice of each colour."""
    dice = "die" if sum(many for _, many in counted) == 1 else "dice"
    return f"{listed([f'{many} {colour}' for colour, many in counted]) or 'no'} {dice}"


# Code breaking


def fitting(left: float) -> str:
    """Return the number of codes that still fit."""
    return f"{codes(left)} still {'fits' if left == 1 else 'fit'}"


def codes(many: float) -> str:
    """Return a number of codes; a very large one by its order of magnitude."""
    if many >= 10**15:
        return f"about 10^{len(str(int(many))) - 1} codes"
    return count(round(many), "code")


def code_guess(
    *,
    guess: str,
    best: str,
    left: float,
    average: Fraction,
    best_average: Fraction,
    possible: bool,
    best_possible: bool,
    answers: int,
    best_answers: int,
    needed: Fraction,
    best_needed: Fraction,
) -> str:
    """Compare the codes that two guesses leave.

    ``needed`` and ``best_needed`` are the guesses that the code still takes. They are given if
    the better guess does not leave fewer codes.
    """
    told = f"{fitting(left)}."
    if round(left) == 1:
        return f"Only one code still fits, and that is {best}."
    told += (
        f" {guess} has {count(answers, 'answer')} and leaves {number(average)} codes on average; "
        f"{best} has {best_answers} and leaves {number(best_average)}."
    )
    if best_average >= average:
        told += (
            f" Still {best} finds the code sooner: it takes {number(best_needed)} more guesses on "
            f"average, and {number(needed)} with {guess}."
        )
    if not possible:
        told += f" And {guess} cannot be the code" + (
            f", but {best} can." if best_possible else "."
        )
    return told


def code_average(guess: str, left: float, needed: Fraction) -> str:
    """Tell what a good guess leaves."""
    return f"{fitting(left)}. With {guess} the code takes {number(needed)} more guesses on average."


def code_none() -> str:
    """Tell that the answers contradict each other."""
    return "No code fits these answers. Who keeps the code must now show one, and cannot."


def code_any() -> str:
    """Tell that any guess is right: the keeper is nice."""
    return "Any guess is right: a nice keeper takes it for its code."


def code_gave_up(left: float, guesses: Fraction, *, worst: bool) -> str:
    """Tell what giving up was worth; ``worst``: the keeper is evil."""
    many = f"with {number(guesses)} guesses " + ("at most" if worst else "on average")
    return f"{fitting(left)}: the code is found {many}, those already asked included."


def code_worst(guess: str, best: str, left: float, worst: Fraction, best_worst: Fraction) -> str:
    """Compare two guesses against an evil keeper."""
    return (
        f"{fitting(left)}. After {guess} an evil keeper can hold out until guess "
        f"{number(worst)}, after {best} only until guess {number(best_worst)}."
    )


def code_answer(answer: str, best: str, guesses: Fraction, best_guesses: Fraction) -> str:
    """Compare two answers of an evil keeper."""
    return (
        f"After the answer {answer} the code can be found with guess {number(guesses)}; after "
        f"{best} not before guess {number(best_guesses)}."
    )


def code_contradiction(answer: str) -> str:
    """Tell that no code fits after an answer."""
    return f"No code fits any more after the answer {answer}."


def code_kept_back(code: str) -> str:
    """Tell that a keeper showed no code, although one fits."""
    return f"{code} fits all answers: to show it was enough."


def code_at_worst(move: str, left: float, guesses: Fraction) -> str:
    """Tell how good a move is where the keeper is evil."""
    return (
        f"{fitting(left)}. With {move} the code is found with guess {number(guesses)} at "
        "the latest."
    )
