"""The front door: what ``import fairground as fg`` gives to programs and to a REPL.

Nothing is decided here. Each function calls the room that knows, with sensible defaults, and gives
back an object that prints itself.

===============  ===========================================================================
`tables`         `open`: a game in your own program; its players, your answers
`lists`          which games and players there are
`records`        `read`, `write` and `verify` transcripts, wherever they come from
`stories`        `replay`: a game again, step by step, in words
`coaching`       `coach`: what each decision of a game was worth, and what was luck
`solutions`      `solve`: perfect play of the five games, one typed result for each
`remote`         `sit` at a table of an arena, or open games there
===============  ===========================================================================
"""
