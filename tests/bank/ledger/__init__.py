"""The Bank in a ledger."""
