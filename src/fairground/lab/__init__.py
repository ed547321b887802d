"""Many games: simulation, data sets, tables and plots."""
