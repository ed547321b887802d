"""Contests: the same codes for all entries, and standings that mean something.

===========  ===============================================================================
`books`      the books that the arena keeps, and what is written into them, in order
`games`      the games of a contest, behind the same routes as any oracle
`relay`      games that are kept elsewhere: made, relayed, and counted by us
`factories`  oracle factories elsewhere: other servers that speak this API
`allowlist`  where the arena may send requests of its own
`makers`     who has made how many of them
`names`      names of teams that people can tell apart
`lists`      all contests, newest first
`pages`      a contest as others read it: the watch page's JSON, the standings as CSV
`routes`     the routes
`wire`       the bodies of requests and answers
`examples`   examples of them, for the OpenAPI document
===========  ===============================================================================
"""
