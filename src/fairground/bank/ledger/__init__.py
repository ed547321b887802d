"""The Bank as a ledger in the store: the contract's rules without a chain."""
