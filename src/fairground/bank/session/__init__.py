"""Sessions of the Blind Croupier: many hands between two parties, one settlement at the Bank.

==========  ================================================================================
`desk`      the port: what a Player says to a Croupier in a session, and what comes back
`player`    the Player's side; start here
`croupier`  the Croupier's side
`client`    the same Croupier over HTTP
`hand`      one hand, as either party knows it
`page`      a session as one party knows it: the sum of what that party wrote down
`journal`   where the Croupier writes it down
`notes`     where the Player does
`duties`    what an honest party does at the Bank when the other is silent: a pure function
`settling`  doing it
`tower`     what a party leaves with a watchtower
`record`    the record of a whole session, and whether it proves its balance
==========  ================================================================================

docs/games/croupier-sessions.md is the specification.
"""
