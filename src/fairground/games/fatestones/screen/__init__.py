"""``fairground fatestones``: three odd dice each, a sealed choice, one provable roll.

=========  ===============================================================================
`command`  the command and its options
`screen`   a round: what is typed, dice with their pips, odds and advice
`solve`    ``fairground solve fatestones``
`data`     ``fairground episode``, ``episodes`` and ``dice-sets``
=========  ===============================================================================
"""
