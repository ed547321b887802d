"""The arena: oracles, contests, tables and a Croupier over HTTP, on the same referee as all else.

==============  ============================================================================
`serve`         runs the arena: one process on SQLite, or several workers on one PostgreSQL
`app`           the HTTP service: all routes, and what surrounds them
`state`         what an open arena consists of, and how it is opened and closed
`live_games`    every live game, brought back from the store whenever it is needed
`at_hand`       which of them are in memory, and for how long
`readings`      what the house writes down of a table's clocks
`keyed`         requests that may be sent again: their keys are written with their effects
`purging`       logs that are of use for a while only
`log_watch`     which logs have grown: heard once in each process, passed on to those who wait
`slow_players`  threads for long thoughts
`monitoring`    whether the arena works, and what it counts
`outages`       trouble of the database: said once when it begins, and once when it ends
`restoring`     after a restore: what was open in the copy is ended
`workers/`      several workers: who keeps which game, and what they tell each other
`http/`         how any request is read, refused and repeated
`limits/`       what one client may take, and what is counted
`document/`     the OpenAPI document
`oracles/`      code-breaking games between the house, which keeps, and a client, who breaks
`tables/`       any game, with people, remote programs and our players in its seats
`contests/`     contests: books, their games, foreign factories, standings
`page/`         the page for browsers: static files
`events/`       one stream for all that a browser watches
`croupier/`     the Blind Croupier's desk, and the Bank in a ledger
==============  ============================================================================
"""
