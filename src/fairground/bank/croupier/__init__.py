"""The Croupier, who deals without seeing.

===========  ===============================================================================
`croupier`   what he takes, and what he refuses; start here
`caution`    what he must be sure of before he says yes
`journal`    what he writes down before he acts
`duties`     what he has to do next: a pure function of his journal and the Bank
`worker`     doing it, game by game
`watch`      what his games wait for, and which are at risk: for his operator
`scheduler`  how he finds time for all games
`shown`      what he may show of a game
`client`     the same Croupier over HTTP
===========  ===============================================================================
"""
