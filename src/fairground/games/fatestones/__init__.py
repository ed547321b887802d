"""FateStones: rules, words, players, solver, judge and screen."""
