"""``fairground solve GAME``: what a move is worth.

==============  ==========================================================================
`intransitive`  ``solve dice``: exact odds of a set of dice
`codebreaking`  what strategies need, and advice for a game in progress
`zombie`        what a turn is worth, and when to stop
`fatestones`    exact values and strategies, for one deal or for all
`poker`         what each hold of a hand is worth
==============  ==========================================================================
"""
