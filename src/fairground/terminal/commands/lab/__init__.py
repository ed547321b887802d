"""Many games as data.

===========  =============================================================================
`simulate`   ``simulate``: many games of any kind
`dataset`    ``dataset verify``: whether a file of games is what its card says
`dice_sets`  ``dice-sets``: all dice of FateStones, ranked
`episode`    ``episode``: one round of FateStones, as a row
`episodes`   ``episodes``: what is wrong with a file of rounds
===========  =============================================================================
"""
