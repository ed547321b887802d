"""Zombie Dice: the value of a turn, and perfect play among two, three and four.

==============  ============================================================================
`turn`          one turn: its states, its rolls, and when to stop; start here
`duel`          two zombies who both play to win: the chance of the one to move
`several`       three or four zombies who all play to win: the chance of each
`greedy_model`  more zombies: their chances if all play each turn for brains
`tables`        solved games on disk: those of the package, and the user's cache
`sweeps`        the loops of `duel` and `several`, compiled by Numba
==============  ============================================================================
"""
