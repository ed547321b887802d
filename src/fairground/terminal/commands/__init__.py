"""Every command that is not a game: each has a module of its own, and ``run(arguments)`` in it.

============  ============================================================================
`menu`        ``fairground`` alone
`play`        any registered game by its name
`tutorial`    a fair roll, and a cheat that is found out
`config`      your own defaults; `completion` writes the shell's
`records/`    what was played: check it, tell it, review it, go on with it
`arena/`      an arena: run one, play there
`solve/`      ``fairground solve GAME``
`lab/`        many games: simulations, tournaments, figures, data sets
============  ============================================================================
"""
