"""Zombie Dice: rules, words, players, solver, judge and screen."""
