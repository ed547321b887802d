"""Every command that is not a game: each has a module of its own, and ``run(arguments)`` in it.

==============  ==========================================================================
`menu`          ``fairground`` alone
`play`          any registered game by its name
`sit`           a seat at an arena; `seats` finds an open one
`tutorial`      a fair roll, and a cheat that is found out
`resume`        a game that was stopped
`history`       your games, and how they ended
`replay`        a game again, step by step
`coach`         what each decision was worth
`learn`         positions in which you erred
`verify`        does a transcript hold, and what does it prove?
`config`        your own defaults; `completion` writes the shell's
`serve`         the arena; `backup` and `restore` copy what it keeps
`enter`         play a contest at an arena
`oracle`        play one game of code breaking at an arena
`bank`          keys, a new Bank on a test chain, a watchtower
`solve/`        ``fairground solve GAME``
`lab/`          many games: simulations, tournaments, figures, data sets
==============  ==========================================================================
"""
