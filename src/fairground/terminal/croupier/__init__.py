"""``fairground croupier``: video poker in which nobody has to trust anybody.

=========  ===============================================================================
`command`  the command and its options
`parties`  who takes part, and where each of them is
`between`  between two hands: the stake, the pay table, whether to play on
`holding`  one hand: the cards, which to hold, what came of it
`screen`   an evening, hand after hand
`session`  an evening in one session, settled once
`input`    which cards to hold: by keys, or by lines
`look`     cards and the pay table
`steps`    the document's seventeen steps, as they happen
`words`    the protocol step by step, the rules, the ends
=========  ===============================================================================
"""
