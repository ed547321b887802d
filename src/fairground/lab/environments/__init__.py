"""The games as environments for learning programs: Gymnasium, PettingZoo, and OpenSpiel.

The last one needs the extra ``openspiel``, the others ``rl``. Importing `fairground` imports none
of them. Episode k of a seed is game k of ``fairground simulate`` with that seed and players.
"""
