"""The Player, who trusts neither Croupier nor Bank.

==========  ================================================================================
`player`    sits down, checks both others, bets; start here
`game`      one game, led by what the Bank says
`side`      what all games of one sitting have in common
`checks`    what the Player knows for certain, against what the Bank says
`notes`     what the Player must still know after a crash
`news`      what a Player's client tells while it plays
==========  ================================================================================
"""
