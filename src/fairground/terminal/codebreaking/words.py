"""What code breaking says to people: the rules, the keepers, the prompts' help."""

from __future__ import annotations

from typing import Final

from fairground.games.codebreaking import EVIL, FAIR, NICE, CodeBreaking

RULES: Final = (
    "A full match is a right digit in the right place. A partial match is a digit that both "
    "codes have, in different places; each digit is counted once. Digits may repeat.",
    "For example: if the code is 1 0 1 3, the guess 0 5 1 1 has one full match (the 1 in the "
    "third place) and two partial ones (the 0, and the other 1).",
)

KEEPERS: Final = {
    FAIR: "The fair keeper draws its code before your first guess, and tells the truth about it.",
    NICE: "The nice keeper makes your first guess its code.",
    EVIL: "The evil keeper has no code: each time it gives the least informative answer that "
    "some code still satisfies. It never contradicts itself.",
}

PROMISES: Final = {
    FAIR: "It is opened in the end.",
    NICE: "A look-alike, for nothing is drawn: in the end a code is shown instead.",
    EVIL: "A look-alike, for nothing is drawn: in the end a code that fits is shown instead.",
}

BREAKER_KEYS: Final = (
    "hint: a good next guess (the record says that you asked)",
    "board: all rows again",
    "give up: end the game, and see the code",
    "X or q: leave, which counts as giving up",
)

KEEPER_KEYS: Final = (
    "fix 2: correct your answer in row 2 (any row)",
    "board: all rows again",
    "X or q: leave, which counts as a loss",
)

STIR_HELP: Final = (
    "The keeper's part of the draw is fixed: the commitment says so. Your word is mixed with it, "
    "so that neither side alone decides the code. It counts as far as nobody could guess it: "
    "throw a coin or a die. Without one, the record proves only that the code was fixed."
)

LEFT_HELP: Final = (
    "'left' is how many codes fit all answers so far. ~ marks an estimate from samples, of the "
    "right order of magnitude and no more; ? means that none of the sampled codes fits."
)

NOT_COUNTED: Final = "What is left cannot be counted here: pip install 'fairground[solve]'"


def sizes(game: CodeBreaking) -> str:
    """What a code is, in words."""
    digits = "1 digit" if game.length == 1 else f"{game.length} digits"
    many = f"{game.codes:,}" if game.codes < 10**15 else f"{game.base}^{game.length}"
    return f"{digits}, each from 0 to {game.base - 1}: {many} codes"


def guesses(count: int) -> str:
    """So many guesses."""
    return "1 guess" if count == 1 else f"{count} guesses"
