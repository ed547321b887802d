"""``fairground croupier``: video poker in which nobody has to trust anybody.

=========  ===============================================================================
`command`  the command and its options
`parties`  Player, Croupier and Bank, and where each of them runs
`screen`   an evening hand by hand, in the document's seventeen steps
`session`  an evening in one session, settled once
`hand`     what a person decides: the stake, which cards to hold
`look`     cards, the pay table, rules and phrases
=========  ===============================================================================
"""
