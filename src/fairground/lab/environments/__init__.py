"""Our games as the environments that learning programs expect.

================  ==========================================================================
`match`           one episode: seats act, chance is dealt, and a record can be saved
`codecs`          moves and views as numbers, and back
`gymnasium_env`   Gymnasium: one seat is yours, our players take the others
`pettingzoo_env`  PettingZoo: every seat is an agent, in turns or at the same time
`vector`          many episodes at once, on compiled loops
`openspiel`       OpenSpiel: the same games with explicit chance
================  ==========================================================================

The first four need the extra ``rl``, the last one ``openspiel``. Importing `fairground` imports
none of them. Episode k of a seed is game k of ``fairground simulate`` with that seed and players.
"""
