"""Many games: simulation, data sets, tables and plots.

=============  =============================================================================
`fatestones/`  FateStones: ten-column rows, and simulated games of them
`workers`      processes that play at the same time, and their results in order
`checkpoint`   long work that goes on after an interruption where it stopped
=============  =============================================================================
"""
