"""Code breaking: rules, words, players, solver, judge and screen."""
