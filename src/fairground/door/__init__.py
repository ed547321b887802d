"""The Python API: what ``import fairground as fg`` gives to programs and to a REPL.

Each function calls the package that does the work, with sensible defaults, and returns an object
that prints itself.

===============  ===========================================================================
`tables`         `open` a game in this process; its players, your answers
`remote`         `sit` at a table of an arena, or open games there
`records`        `read`, `write`, `verify` and `replay` transcripts
`solutions`      `solve` the five games, `review` decisions, list games and players
===============  ===========================================================================
"""
