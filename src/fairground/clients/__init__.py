"""Clients of an arena, for programs and for the terminal.

==============  ============================================================================
`http`          HTTP with time limits; says what may be sent twice
`protocol`      media types and headers, as clients and the arena spell them
`table`         a seat at any table over HTTP; it keeps its own chain and checks every line
`lobby`         what is listed, open seats, hints, remarks, another game together
`stream`        one stream for many topics, which goes on after a break
`oracles`       the code-breaking API for authors of bots, with the standard library only
`play`          letting a player play one oracle, or all games of a contest
`entry_log`     what a team remembers of its entry, so that it can go on after a break
`local_oracle`  an oracle in your own program, without a server
==============  ============================================================================
"""
