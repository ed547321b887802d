"""The parts of the campaign (tools/arena_campaign.py).

===========  ===============================================================================
`readers`    everything that reads what others wrote, with mistakes in it
`mutation`   our own code with a mistake in it: do its tests notice? (`mutants`: all mistakes)
`faults`     full and read-only disks, a database that freezes or is restarted, kills on PostgreSQL
`money`      kills while the Croupier settles hands and sessions
`clocks`     the clock is set while the arena runs
`crowds`     many bots, slow clients, evil oracles, very many open games
`floods`     one client asks for one thing as fast as it can, every route of the document
`audit`      what we depend on, as far as that can be looked at without a network
`live`       an arena that can be killed, and clients that say everything again
`report`     the figures of docs/reliability.md
===========  ===============================================================================
"""
