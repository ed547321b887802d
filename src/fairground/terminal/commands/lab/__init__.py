"""Many games as data.

============ =============================================================================
`simulate`   ``simulate``: many games of any kind
`tournament` ``tournament``: players against one another, ranked
`plot`       ``plot``: figures, and files of games
`dataset`    ``dataset verify``: whether a file of games is what its card says
`dice_sets`  ``dice-sets``: all dice of FateStones, ranked
`episode`    ``episode``: one round of FateStones, as a row
`episodes`   ``episodes``: what is wrong with a file of rounds
============ =============================================================================
"""
