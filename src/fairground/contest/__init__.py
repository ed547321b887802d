"""Contests: many entries, the same codes for all, and a result that anyone can check.

===========  ===============================================================================
`parts`      what a contest is made of
`seed`       what chance decides in it: codes, orders, disguises
`book`       the rules of a contest's book: entries, results, what is written when
`standings`  what the results mean: ranks, intervals, which entries can be told apart
`file`       the contest file: everything in one file, run again by `file.check`
===========  ===============================================================================
"""
