"""Every command that is not a game: most with a module of their own, and ``run(arguments)`` in it.

=============  ===========================================================================
`menu`         ``fairground`` alone
`history`      your games, and how they ended
`replay`       a game again, step by step
`verify`       does a transcript hold, and what does it prove?
`serve`        the arena
`enter`        play a contest at an arena
`oracle`       play one game of code breaking at an arena
`bank`         a new key file, or a new Bank on a test chain
`solve/`       ``fairground solve GAME``
`lab/`         data sets of FateStones
=============  ===========================================================================
"""
