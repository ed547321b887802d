"""The games as environments for learning programs.

================  ==========================================================================
`match`           one episode: seats act, draws come from a stream, and a record can be saved
`codecs`          moves and views as numbers, and back
`gymnasium_env`   Gymnasium: one seat is yours, built-in players take the others
`vector`          many Gymnasium environments at once, on compiled kernels
`pettingzoo_env`  PettingZoo: every seat is an agent, in turns or at the same time
`openspiel`       OpenSpiel: the same games with explicit chance
================  ==========================================================================

The last one needs the extra ``openspiel``, the others ``rl``. Importing `fairground` imports none
of them. Episode k of a seed is game k of ``fairground simulate`` with that seed and players.
"""
