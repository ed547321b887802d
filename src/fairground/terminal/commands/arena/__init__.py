"""Arenas: to run one, and to play there.

=========  ===============================================================================
`serve`    the arena; `backup` and `restore` copy what it keeps
`bank`     keys, a new Bank on a test chain, a watchtower
`sit`      a seat at an arena; `seats` finds an open one
`enter`    play a contest at an arena
`oracle`   play one game of code breaking at an arena
=========  ===============================================================================
"""
