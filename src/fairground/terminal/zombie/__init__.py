"""``fairground zombie``: an evening of Zombie Dice.

=========  ===============================================================================
`command`  the command and its options
`ini`      reads ``zdice.ini``
`setup`    before the first roll: welcome, names, who plays each seat
`scenes`   the finite state machine of an evening
`loop`     read events, update, render, on that machine
`screen`   what each scene shows; the playing screen and its five regions
`look`     signs, boxes and colours, for every kind of terminal
`words`    what the message area says
=========  ===============================================================================
"""
