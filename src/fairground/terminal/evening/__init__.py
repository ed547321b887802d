"""An evening at this keyboard: tables that outlast the program, who sits where, one more game.

============  ============================================================================
`tables`      opens a table for people here, or an unfinished one again
`vaults`      the house's secrets of unfinished games, in private files
`seats`       who sits where: ``--seat NAME=PLAYER``, difficulty in words
`again`       one more game, sides swapped, a match to N, the running score
`score`       who has won, by the record
============  ============================================================================
"""
