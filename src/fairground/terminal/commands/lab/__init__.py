"""Data sets of FateStones.

===========  =============================================================================
`dice_sets`  ``dice-sets``: all dice, ranked
`episode`    ``episode``: one round, as a row
`episodes`   ``episodes``: what is wrong with a file of rounds
`simulate`   ``simulate fatestones``: many games
===========  =============================================================================
"""
