"""The arena: oracles, contests, tables and a Croupier over HTTP, all on the one referee.

`serve` runs `app`, the HTTP service. `docs/arena-internals.md` follows a request through it.
"""
