"""Tables: any game of ours, with people, remote programs and our own players in its seats.

==========  ================================================================================
`keeping`   how a table is opened, looked at, answered and left
`opening`   from what was wanted to a game
`waiting`   tables with open seats, which wait for somebody to sit down
`lists`     the tables that everybody may find
`company`   what people at a table do besides playing: remarks, hints, another game
`games`     which games, players and schemes there are
`clocks`    time banks: how long each seat may be waited for, in all
`showing`   what is shown of a table, and to whom
`review`    what each decision was worth, once a game is over
`routes`    the routes
`wire`      the bodies of requests and answers
`examples`  examples of them, for the OpenAPI document
==========  ================================================================================
"""
