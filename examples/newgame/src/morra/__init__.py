"""Two-finger Morra for Fairground: where its rules and words are, and what it is called."""

from fairground.games import Listing

LISTING = Listing(
    rules="morra.rules:Morra",
    title="Two-finger Morra",
    summary="Show one finger or two; odd or even takes the sum.",
    words="morra.words:MorraWords",
)
