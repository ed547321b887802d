"""The Croupier, who deals without seeing. Start with `croupier`."""
