"""One stream for all that a browser watches.

A browser keeps at most six connections to one host open, for all its tabs together. So what
it watches comes by one stream: tables line by line, a seat's own view, contests, the
Croupier's games, and what is listed in the lobby.

==========  ================================================================================
`topics`    what can be watched, by name
`cursor`    how far a stream has come, in a few bytes
`tickets`   what a stream is about: kept in the store, so that any worker can serve it
`sources`   what each kind of topic has to say
`stream`    the stream itself
`routes`    the routes
`wire`      the bodies of requests and answers
`examples`  examples of them, for the OpenAPI document
==========  ================================================================================
"""
