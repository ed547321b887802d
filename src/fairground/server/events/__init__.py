"""One event stream for everything a browser watches.

A browser opens at most six connections to one host, shared by all its tabs. So one stream
carries the lines of tables, the view of a seat, contests, the Croupier's games and the lobby.

========  ======================================================================================
`stream`  topics, cursors, tickets, and the stream that serves them
`routes`  the handlers, their bodies and examples
========  ======================================================================================
"""
