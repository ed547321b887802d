"""The Bank as a ledger in the store: the contract's rules without a chain.

===========  ================================================================================
`rules`      the contract's rules in plain Python, by double entry
`pockets`    where money is
`lines`      a ledger's lines: a Bank's history, which anyone can run again
`snapshots`  what its books knew, so that it opens without being run again
`bank`       the port of the Bank on such lines
`client`     the same over HTTP
===========  ================================================================================
"""
