"""The Player, who trusts neither Croupier nor Bank.

==========  ================================================================================
`player`    sits down, checks both others, bets; start here
`game`      one game, led by the Bank's answers and checked against our own view
`notes`     a private file for each open game, read after a crash
`news`      facts that a Player's client reports while it plays
==========  ================================================================================
"""
