"""The Bank as a contract on a chain."""
