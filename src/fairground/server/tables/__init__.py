"""Tables: any game of ours, with people, remote programs and our own players in its seats.

==========  ====================================================================================
`service`   opens tables, takes answers, runs the clocks
`opening`   checks an order for a table; keeps tables with open seats
`views`     the JSON view of a table, and the public list of tables
`company`   remarks, hints and rematches
`house`     asks house players for their moves
`thoughts`  functions that run in the worker processes
`games`     the catalogue of games, players and schemes
`routes`    the handlers, with the review of a finished game
`wire`      bodies of requests and answers, with their examples
==========  ====================================================================================
"""
