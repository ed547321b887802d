"""``fairground zombie``: an evening of Zombie Dice.

=========  ===============================================================================
`command`  the command, its options, and the game loop
`screen`   the scenes of an evening as a finite state machine, and how each is drawn
`setup`    who plays with which rules: ``zdice.ini``, names, bots
`look`     signs, boxes, colours and phrases, for every kind of terminal
`solve`    ``fairground solve zombie``
=========  ===============================================================================
"""
