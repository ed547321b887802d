"""The Croupier, who deals without seeing.

===========  ===============================================================================
`croupier`   accepts and declines bets, orders and seeds; start here
`caution`    the checks before he says yes
`journal`    his durable memory, written before he acts
`duties`     the next thing to do: a pure function of his journal and the Bank
`service`    rounds over all open games: do the duties, report games at risk
`client`     the same Croupier over HTTP, hand by hand and in sessions
===========  ===============================================================================
"""
