"""Clients of an arena, for programs and for the terminal.

==============  ============================================================================
`http`          one HTTP client for all; says what may be sent twice
`protocol`      media types and headers, as clients and the arena spell them
`table`         a seat at any table over HTTP; it keeps its own chain and checks every line
`lobby`         what is listed, open seats, hints, remarks, another game, a stream of news
`oracles`       the code-breaking API for authors of bots
`play`          letting a player play one oracle, or all games of a contest; its diary
`local_oracle`  an oracle in your own program, without a server
==============  ============================================================================
"""
