"""Who judges which game: what each decision is worth, and what each draw did.

==============  ============================================================================
`intransitive`  by counting all pairs of faces
`fatestones`    by the exact value of every deal
`poker`         by the exact value of all 32 holds
`zombie`        by solved games of two to four; a model for more
`codebreaking`  by the guesses that are still needed, fair and evil apart
`codesets`      the codes that fit a board, and how many more guesses they need
`codelists`     the same in large spaces
==============  ============================================================================
"""
