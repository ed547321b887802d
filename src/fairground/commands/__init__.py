"""Every command that is not a game: a function ``run…(arguments) -> exit code`` for each.

``fairground solve GAME`` is in the game's own folder: ``games/GAME/screen``.
"""
