"""``fairground croupier``: video poker in which nobody has to trust anybody."""
