"""The Bank as a ledger in the store: the contract's rules without a chain.

===========  ================================================================================
`rules`      the contract's rules in plain Python, by double entry
`lines`      a ledger's lines, which anyone can run again, and snapshots to open it fast
`bank`       the port of the Bank on such lines, in this process or over HTTP
===========  ================================================================================
"""
