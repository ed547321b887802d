"""Zombie Dice: the value of a turn, and perfect play among two, three and four."""
