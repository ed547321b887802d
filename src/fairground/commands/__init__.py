"""Every command that is not a game: a function ``run…(arguments) -> exit code`` for each.

============  ============================================================================
`menu`        ``fairground`` alone
`play`        any registered game by its name
`tutorial`    a fair roll, and a cheat that is found out
`history`     kept games: list them, tell one again, resume one
`coach`       what decisions were worth; practise those that went wrong
`verify`      check a record
`config`      your own defaults, and completion in a shell
`sit`         play a seat at an arena
`contests`    play code breaking at an arena: one game, or a contest with a bot
`serve`       run an arena; `backup` copies and restores its database
`bank`        keys and money of a Bank on a chain
`simulate`    many games; `tournament` ranks players, `plot` draws figures
============  ============================================================================

``fairground solve GAME`` is in the game's own folder: ``games/GAME/screen``.
"""
