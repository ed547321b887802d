"""Many games: simulation, comparisons, data sets, and environments for learning programs."""
