"""Fair chance: from bytes to numbers, and the schemes by which nobody can choose them.

===========  ===============================================================================
`bits`       bytes of chance, and an exactly uniform way from bytes to numbers
`schemes`    what a scheme is: a public half that judges, a secret half that deals
`register`   the schemes by name
`hmac_user`  ``hmac-sha3-user/1``: the house's number plus one user's number
`chains`     ``hash-chains/1``: links of hash chains, and words that people stir in
`contest`    ``contest/1``: one committed seed for all games of a contest
`unproven`   ``seeded/1`` and ``system/1``: for simulation, and proof of nothing
`seals`      moves that are fixed before they are shown
`vault`      where the house keeps its secrets until they are told
===========  ===============================================================================
"""
