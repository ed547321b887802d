"""``fairground fatestones``: three odd dice each, a sealed choice, one provable roll.

=========  ===============================================================================
`command`  the command and its options
`screen`   a game at the keyboard
`look`     dice with their pips, side by side
`input`    dice, hands, files of dice, players
`words`    who does what, and what may be typed
`advice`   the odds, perfect play, what a choice has cost
=========  ===============================================================================
"""
