"""Many games: simulation, data sets, tables and plots.

=============  =============================================================================
`fatestones/`  FateStones: ten-column rows, and simulated games of them
=============  =============================================================================
"""
