"""Intransitive dice: rules, words, players, solver, judge and screen."""
