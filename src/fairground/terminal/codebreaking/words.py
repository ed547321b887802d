"""What code breaking says to people: what a keeper commits to, the prompts' help."""

from __future__ import annotations

from typing import Final

from fairground.games.codebreaking import EVIL, FAIR, NICE

PROMISES: Final = {
    FAIR: "It is opened in the end.",
    NICE: "This keeper draws nothing, so this is random filler.",
    EVIL: "This keeper has no fixed code, so this is random filler.",
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
