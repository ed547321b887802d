"""Sessions of the Blind Croupier: many hands between two parties, one settlement at the Bank.

==========  ================================================================================
`player`    the Player's side; start here
`croupier`  the Croupier's side
`page`      one hand and one session as a party knows them: the sum of its own lines
`journal`   durable lines: the Croupier's journal, the Player's notes
`duties`    the calls of an honest party at the Bank: a pure function, and its execution
`tower`     the file that a party leaves with a watchtower
==========  ================================================================================

The port is `croupier_port.SessionDesk`; `bank.audit` checks the record of a session.
docs/games/croupier-sessions.md is the specification.
"""
