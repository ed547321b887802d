"""Tables: any game of ours, with people, remote programs and our own players in its seats.

==========  ================================================================================
`keeping`   how a table is opened, looked at, answered and left
`games`     which games, players and schemes there are
`clocks`    time banks: how long each seat may be waited for, in all
`showing`   what is shown of a table, and to whom
`routes`    the routes
`wire`      the bodies of requests and answers
`examples`  examples of them, for the OpenAPI document
==========  ================================================================================
"""
