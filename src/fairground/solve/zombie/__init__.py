"""Zombie Dice: what a turn is worth, and how to win a duel.

==========  ================================================================================
`turn`      what one turn is worth, and when to stop; start here
`duel`      two zombies who both play to win: the chance of the one to move
`several`   three or four zombies who all play to win: the chance of each
`replies`   what the best reply to players who think otherwise gains: how good their play is
`crowd`     more zombies: their chances in a model of how they play
`tables`    solved games on disk: those that come with the package, and the user's cache
`graph`     what can lie on the table in a turn, and what a roll makes of it
`kernel`    the loops of `duel` and `several`, compiled by Numba
`lanes`     many games at native speed, each on a tape of its own
`abreast`   its compiled loop: one roll of many games at a time
==========  ================================================================================
"""
