"""Contests: the same codes for all entries, and standings that mean something.

===========  ===============================================================================
`keeping`    all contests: what may be done to them, by whom, and who watches
`shelf`      the books at hand, and how a line is written into one of them
`live_book`  a contest in memory
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
