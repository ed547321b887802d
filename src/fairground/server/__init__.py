"""The arena: oracles, contests, tables and a Croupier over HTTP, all on the one referee.

============  ==================================================================================
`serve`       runs the arena, in one process
`app`         the HTTP service: all routes and their middleware
`state`       the open arena: its services, and how they start and stop
`live_games`  every live game: cached in memory, reloaded from the store
`storage`     request keys, purging of old logs, outages of the database
`log_watch`   notices which logs have grown, and wakes the waiting requests
`workers`     threads and processes for long computations
`monitoring`  health checks and metrics
`restoring`   stops the open games of a restored backup
`http/`       reads, refuses and repeats requests
`limits/`     rate limits for each client, and metrics
`document/`   the OpenAPI document
`oracles/`    code-breaking games: the house keeps, a client breaks
`tables/`     any game, with people, remote programs and house players
`contests/`   contests: books, games, remote factories, standings
`page`        the page for browsers and the documents: static files
`events/`     one event stream for everything a browser watches
`croupier/`   the Blind Croupier's desk, and the Bank in a ledger
============  ==================================================================================
"""
