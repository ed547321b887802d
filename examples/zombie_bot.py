"""A bot for Zombie Dice: ``fairground zombie --bot examples/zombie_bot.py --players Ann``."""

from fairground.games.zombie.rules import State, Zombie


def choose(game: Zombie, view: State, seat: int) -> str:
    """Stop at three brains, or at two shotguns with anything to lose."""
    if view.rolls == 0:
        return "roll"
    in_danger = sum(view.shotgun_dice) >= 2 and view.brains > 0
    return "hold" if view.brains >= 3 or in_danger else "roll"
