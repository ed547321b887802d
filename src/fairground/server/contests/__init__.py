"""Contests: the same codes for all entries, and standings that mean something.

===========  ===================================================================================
`service`    creates contests, accepts entries, lists contests
`books`      contests in memory: their cache, and how a line is written
`games`      the games of a contest, kept here or by a remote factory
`factories`  remote oracle factories, and the allowlist of their addresses
`names`      refuses team names that look alike
`routes`     the handlers
`wire`       bodies of requests and answers, CSV, and their examples
===========  ===================================================================================
"""
