"""The Bank, its messages and the parties around it."""
