"""Zombie Dice: what a turn is worth, and how to win a duel.

==========  ================================================================================
`turn`      what one turn is worth, and when to stop; start here
`duel`      two zombies who both play to win: the chance of the one to move
`trio`      three zombies who all play to win: the chance of each
`crowd`     more zombies: their chances in a model of how they play
`tables`    solved games on disk: those that come with the package, and the user's cache
`kernel`    the loops of `turn`, compiled by Numba
`lanes`     many games at native speed, each on a tape of its own
==========  ================================================================================
"""
