"""Video poker: rules, words, players, solver, judge."""
