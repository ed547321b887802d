"""Every command that is not a game: one module each, with ``run(arguments)``.

=============  ===========================================================================
`menu`         ``fairground`` alone
`verify`       does a transcript hold, and what does it prove?
`serve`        the arena
`enter`        play a contest at an arena
`oracle`       play one game of code breaking at an arena
`bank_key`     a new key file
`bank_deploy`  a new Bank on a test chain
`solve/`       ``fairground solve GAME``
`lab/`         data sets of FateStones
=============  ===========================================================================
"""
