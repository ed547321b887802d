"""What a move is worth: one module or folder per game, exact where the game allows.

================  ==========================================================================
`intransitive`    the odds of every pair of dice, who beats whom, what to pick
`pairs`           two dice of very many faces, counted with NumPy
`poker/`          what each hold of a hand is worth
`zombie/`         when to roll and when to hold, for one turn and for a whole duel
`fatestones/`     which die to pick, for one deal or for all deals of a bag
`codebreaking/`   what to guess next, decision trees, contradictions
`tape` `native`   the tapes of simulated games, read by compiled loops and by players
================  ==========================================================================

In each folder, ``kernel`` modules are the loops that Numba compiles. They compute what the plain
modules beside them say.
"""
