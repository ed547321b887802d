"""Contests: many entries, the same codes for all, and a result that anyone can check.

===========  ===============================================================================
`book`       the rules of a contest's book: parts, entries, disguises, what is written when
`figures`    means, intervals, the exact test
`standings`  what the results mean: ranks, intervals, which entries can be told apart
`file`       the contest file: everything in one file, run again by `file.check`
===========  ===============================================================================
"""
